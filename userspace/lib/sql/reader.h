/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * reader.h - the events of a cursor: the files opened again, a range of time
 *
 * An event whose stamp goes back belongs where it is in the file, as for ktrace list --since.
 */
#ifndef KTRACE_SQL_READER_H
#define KTRACE_SQL_READER_H

#include <ktrace/traceset.h>

struct ktrace_sql;

#define READER_NR 64

/**
 * struct event_reader - reading files
 * @sql:	whose files
 * @set:	the files opened again; NULL = not yet
 * @events:	events that were read
 * @nr:		their number
 * @at:		index of the next one
 * @from:	first time
 * @to:		last time
 * @lost:	lost events met since @from, by reason
 * @backwards:	the files' count of events that go back, before
 */
struct event_reader {
	struct ktrace_sql *sql;
	struct ktrace_traceset *set;
	struct ktrace_trace_event events[READER_NR];
	int nr;
	int at;
	__u64 from;
	__u64 to;
	__u64 lost[KTRACE_LOST_NR];
	__u64 backwards;
};

/*
 * Goes to the first event at @from or later, or, without @seeks, to the first of all; ends after
 * @to. Return: 0, -errno.
 */
int ktrace_reader_begin(struct event_reader *r, struct ktrace_sql *sql, bool seeks);
/* Reads more events; drops those read before. Return: 1, 0 at the end, -errno. */
int ktrace_reader_fill(struct event_reader *r);
void ktrace_reader_end(struct event_reader *r);

/* Reads the next event, valid until the next call. Return: 1, 0 at the end, -errno. */
static inline int ktrace_event_reader_next(struct event_reader *r,
					   const struct ktrace_trace_event **event)
{
	int ret = r->at < r->nr ? 1 : ktrace_reader_fill(r);

	if (ret != 1)
		return ret;
	*event = &r->events[r->at];
	if ((*event)->time > r->to)
		return 0;
	r->at++;
	return 1;
}

#endif
