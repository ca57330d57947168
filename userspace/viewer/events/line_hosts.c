// SPDX-License-Identifier: GPL-2.0
/* line_hosts.c - columns of a line that tell files and hosts apart, and the errors of times */
#include "line.h"

#define ERROR_WIDTH 9u	/* bytes of " ±99.9us" */

void lines_begin(struct lines *l, const struct ktrace_traceset *set, __u64 start)
{
	l->set = set;
	l->has_many_files = ktrace_traceset_trace(set, 1);
	l->has_hosts = hosts_count(set) > 1;
	l->host_width = l->has_hosts ? hosts_label_width(set) : 0;
	l->start = start;
	l->before = (struct line_before){ .time = start };
	plus_minus();	/* finds out which one, before several threads use it */
}

/*
 * Returns the error of what line_put_time() writes. The distance to an earlier event of the same
 * host does not depend on the clocks of others.
 */
static struct time_error error_of(const struct lines *l, const struct ktrace_trace_event *e)
{
	const struct line_before *b = &l->before;
	struct time_error error = time_error_of(e->stream->trace, e->raw), from;

	if (l->time != TIME_DELTA || !b->trace)
		return error;
	if (machine_of(l->set, b->trace) == machine_of(l->set, e->stream->trace))
		return (struct time_error){ .is_known = true };
	from = time_error_of(b->trace, b->raw);
	return time_error_between(&from, &error);
}

void line_put_error(struct lines *l, const struct ktrace_trace_event *e)
{
	const size_t from = l->out->len;
	struct time_error error;
	bool is_wide;

	if (!l->has_hosts || l->time == TIME_RAW)
		return;
	error = error_of(l, e);
	ktrace_out_char(l->out, ' ');
	out_time_error(l->out, &error);
	/* Both forms of the sign have two bytes, but only one of them takes two columns. */
	is_wide = *plus_minus() == '+' || l->out->len > from + 1;
	ktrace_out_pad(l->out, from, ERROR_WIDTH - !is_wide);
}

void line_put_file(struct lines *l, const struct ktrace_trace_event *e)
{
	const size_t from = l->out->len + 1;

	if (!l->has_many_files)
		return;
	ktrace_out_char(l->out, ' ');
	if (l->has_hosts) {
		hosts_put_label(l->out, l->set, e->stream->trace);
		ktrace_out_pad(l->out, from, l->host_width);
	} else {
		ktrace_out_char(l->out, '#');
		ktrace_out_u64(l->out, ktrace_trace_index(e->stream->trace));
	}
}

void line_put_json_error(struct lines *l, const struct ktrace_trace_event *e)
{
	struct time_error error;

	if (!l->has_hosts)
		return;
	error = time_error_of(e->stream->trace, e->raw);
	json_time_error(l->out, &error);
}
