// SPDX-License-Identifier: LGPL-2.1
/*
 * log_extend.c - POSIX_TRACE_APPEND to a file that has a log (PTRC-46)
 *
 * Names keep their ids; the new events get a stream of their own. If they are from another boot or
 * another clock, their stamps are shifted so that the file's clock continues at the current wall
 * clock time, or directly after its end.
 */
#include "log_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ktrace/traceset.h>

#include "posix/base/event.h"
#include "recorded_meta.h"

static bool is_equal(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

static int take_names(struct posix_log *log, const struct ktrace_trace *t)
{
	char name[TRACE_EVENT_NAME_MAX + 1];
	int ret = 0;

	for (__u32 id = POSIX_ID_BASE + POSIX_TRACE_UNNAMED_USEREVENT + 1;
	     !ret && id < ktrace_trace_types(t, KTRACE_CHANNEL_USER); id++) {
		const struct ktrace_event_type *type =
			ktrace_trace_type(t, KTRACE_CHANNEL_USER, id);

		if (type && ktrace_posix_plain_name(name, type->full_name))
			ret = ktrace_posix_log_take_name(log, id, name);
	}
	return ret;
}

/* Computes the shift from our first clock reading to the file's clock. */
static bool take_clock(struct posix_log *log, const struct ktrace_trace *t, bool is_same)
{
	const struct ktrace_reading *now = &log->origin.now;
	struct ktrace_clock_info clock;
	__u64 raw, mono, wall;

	ktrace_trace_clock(t, &clock);
	if (!ktrace_posix_meta_number(t, "last_raw", &raw) ||
	    !ktrace_posix_meta_number(t, "last_mono_ns", &mono))
		return false;
	if (is_same)
		return now->raw > raw && now->mono_ns > mono;
	wall = now->real_ns > clock.zero_ns ? now->real_ns - clock.zero_ns : 0;
	if (wall <= mono)
		wall = mono + 1;
	raw += (__u64)((double)(wall - mono) * (double)(clock.hz ? clock.hz : 1000000000) / 1e9) +
	       1;
	log->shift_raw = raw - now->raw;
	log->shift_mono = wall - now->mono_ns;
	return true;
}

static int take_trace(struct posix_log *log, const struct ktrace_trace *t)
{
	const struct ktrace_trace_stream *stream;
	struct ktrace_text host = { 0 };
	const char *boot = ktrace_trace_meta(t, "host", "boot"), *own;
	bool is_same;

	if (!ktrace_trace_is_closed(t) || !ktrace_posix_meta_is_ours(t))
		return EINVAL;
	for (size_t i = 0; (stream = ktrace_trace_stream(t, i)); i++)
		log->stream = stream->id + 1 > log->stream ? stream->id + 1 : log->stream;
	/* The host line of META ends with the boot id. */
	ktrace_text_host(&host);
	own = host.buf ? strstr(host.buf, " boot=") : NULL;
	is_same = own && is_equal(own + strlen(" boot="), boot) &&
		  is_equal(ktrace_trace_meta(t, "trace", "clock"), log->origin.clock);
	ktrace_text_free(&host);
	if (!(is_same && take_clock(log, t, true)) && !take_clock(log, t, false))
		return EINVAL;
	return take_names(log, t);
}

/*
 * ktrace_posix_log_extend - continue the log in the file
 *
 * Return: 0; EINVAL if it has no closed or no readable log; errno.
 */
int ktrace_posix_log_extend(struct posix_log *log)
{
	struct ktrace_traceset *set;
	char path[40];
	int ret = -ktrace_traceset_open(NULL, &set);

	if (ret)
		return ret;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", log->fd);
	ret = ktrace_traceset_add(set, path);
	if (ret == -ENOMEM)
		ret = ENOMEM;
	else
		ret = ret ? EINVAL : take_trace(log, ktrace_traceset_trace(set, 0));
	ktrace_traceset_close(set);
	if (ret)
		return ret;
	ret = -ktrace_tracefile_reopen_fd(log->fd, &log->tf);
	return ret == EBUSY ? EINVAL : ret;
}
