// SPDX-License-Identifier: GPL-2.0
/* clock_warnings.c - warnings about the clocks of the files */
#include "clock_warnings.h"

#include "base/clock.h"
#include "hosts.h"
#include "viewer.h"

#include <stdio.h>

/* With longer ticks, successive events get the same stamp. */
#define HZ_MIN 10000000ull

static bool prints_dates;

void clock_warnings_print_dates(void)
{
	prints_dates = true;
}

void clock_warnings_tell(const struct ktrace_traceset *set,
			 void (*tell)(void *arg, const char *path, const char *text), void *arg)
{
	const struct ktrace_trace *t;
	struct ktrace_clock_info c;
	char text[160];
	size_t i, boots = hosts_count(set);

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
	if (boots > 1) {
		snprintf(text, sizeof(text), "the clocks of %zu hosts or boots are not "
			 "synchronised: order and distance between their events are those of their "
			 "wall clocks", boots);
		tell(arg, NULL, text);
	}
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
