// SPDX-License-Identifier: GPL-2.0
/* clock_warnings.c - warnings about the clocks of the files */
#include "clock_warnings.h"

#include "base/clock.h"
#include "clocks.h"
#include "hosts.h"

#include <stdio.h>

/* With longer ticks, successive events get the same stamp. */
#define HZ_MIN 10000000ull

static bool prints_dates;

void clock_warnings_print_dates(void)
{
	prints_dates = true;
}

/* Tells of each trace whose times cannot be compared with those of the others, or only partly. */
static void tell_hosts(const struct ktrace_traceset *set,
		       void (*tell)(void *arg, const char *path, const char *text), void *arg)
{
	const char *untied = "no message and no synchronised clock ties this host to the others: "
			     "order and distance between their events are those of their wall "
			     "clocks";
	const char *no_error = "the error of its times is not known: messages went in only one "
			       "direction, or a clock went back";
	const struct ktrace_trace *t;
	struct ktrace_time_error error;
	size_t i;

	for (i = 0; (t = ktrace_traceset_trace(set, i)); i++) {
		if (!ktrace_trace_is_corrected(t) && !ktrace_trace_error(t, 0, &error))
			tell(arg, ktrace_trace_path(t), untied);
		else if (!ktrace_trace_has_errors(t))
			tell(arg, ktrace_trace_path(t), no_error);
	}
}

static bool is_any_corrected(const struct ktrace_traceset *set)
{
	struct ktrace_time_error error;
	const struct ktrace_trace *t;
	size_t i;

	for (i = 0; (t = ktrace_traceset_trace(set, i)); i++)
		if (ktrace_trace_error(t, 0, &error) || ktrace_trace_is_corrected(t))
			return true;
	return false;
}

void clock_warnings_tell(const struct ktrace_traceset *set,
			 void (*tell)(void *arg, const char *path, const char *text), void *arg)
{
	const struct ktrace_trace *t;
	struct ktrace_clock_info c;
	char text[160];
	size_t i;

	for (i = 0; (t = ktrace_traceset_trace(set, i)); i++) {
		ktrace_trace_clock(t, &c);
		if (c.hz && c.hz < HZ_MIN) {
			snprintf(text, sizeof(text), "coarse clock: a tick is %llu ns",
				 NS_PER_S / c.hz);
			tell(arg, ktrace_trace_path(t), text);
		}
		if (c.sets) {
			snprintf(text, sizeof(text), "the wall clock was set while recording, %llu "
				 "times, by %.6f s at most%s", c.sets,
				 (double)c.set_ns / (double)NS_PER_S, prints_dates ?
				 ": dates follow it" : "; times do not follow it");
			tell(arg, ktrace_trace_path(t), text);
		}
		if (c.rejected) {
			snprintf(text, sizeof(text), "%llu readings of clocks contradict others, "
				 "and are not used", c.rejected);
			tell(arg, ktrace_trace_path(t), text);
		}
	}
	if (hosts_count(set) < 2)
		return;
	if (!clocks_are_own() || is_any_corrected(set))
		tell_hosts(set, tell, arg);
	else
		tell(arg, NULL, "the clocks of several hosts or boots are not synchronised: order "
		     "and distance between their events are those of their wall clocks");
}

static void complain(void *arg, const char *path, const char *text)
{
	(void)arg;
	if (path)
		complain_about(path, "%s", text);
	else
		fprintf(stderr, "ktrace: %s\n", text);
}

void clock_warnings_complain(const struct ktrace_traceset *set)
{
	clock_warnings_tell(set, complain, NULL);
}
