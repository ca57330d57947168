/* SPDX-License-Identifier: LGPL-2.1 */
/* position.h - the parts of a position */
#ifndef KTRACE_TRACESET_POSITION_H
#define KTRACE_TRACESET_POSITION_H

#include <ktrace/position.h>

#include "set.h"

#define PLACE_END ~0u	/* after the section */

/**
 * struct place - where a stream is
 * @trace:	index of its trace
 * @id:		of the stream
 * @section:	offset in the file; 0 = before the first section
 * @off:	offset in the body of the next event's record, or PLACE_END. Records are at
 *		multiples of 8; for a loss, the low bits count losses of the same notice that were
 *		delivered before
 * @prev_raw:	as in struct stream
 * @end_pos:	as there; 0 if the section itself has it
 * @gap:	as there
 * @lost:	counts so far, without those of the next event
 */
struct place {
	__u32 trace;
	__u32 id;
	__u64 section;
	__u32 off;
	__u64 prev_raw;
	__u64 end_pos;
	struct gap gap;
	__u64 lost[KTRACE_LOST_NR];
};

_Static_assert(KTRACE_LOST_NR <= KTRACE_ALIGN, "losses of a notice are told by low bits");

/**
 * struct trace_mark - identifies the file
 * @uuid:	from its header
 * @seen:	bytes that had been read
 */
struct trace_mark {
	__u8 uuid[16];
	__u64 seen;
};

/**
 * struct pending_mark - an event with pending fragments
 * @run_nr:	number of its runs, the next in order
 * @is_backwards: its latest fragment has a stamp below its predecessor's
 */
struct pending_mark {
	__u32 run_nr;
	__u32 is_backwards;
};

/* struct run_mark - as struct run */
struct run_mark {
	__u32 trace;
	__u32 id;
	__u64 section;
	__u32 off;
	__u32 nr;
};

/**
 * struct ktrace_position - a position
 * @is_set:	a position has been saved to it
 * @time:	of the next record
 * @end:	as in struct ktrace_traceset
 * @traces:	in order
 * @places:	of all streams, by trace and id
 * @pendings:	oldest first
 * @runs:	of all @pendings
 */
struct ktrace_position {
	bool is_set;
	__u64 time;
	__u64 end;
	struct trace_mark *traces;
	size_t trace_nr;
	struct place *places;
	size_t place_nr;
	struct pending_mark *pendings;
	size_t pending_nr;
	struct run_mark *runs;
	size_t run_nr;
};

/* position.c */
int ktrace_position_reserve(struct ktrace_position *pos, const struct ktrace_position *sizes);
void ktrace_position_move(struct ktrace_position *to, struct ktrace_position *from);
int ktrace_position_check(const struct ktrace_traceset *set, const struct ktrace_position *pos);
const struct place *ktrace_position_find(const struct ktrace_position *pos,
					 const struct stream *s);
__u64 ktrace_set_time(const struct ktrace_traceset *set);

/* until.c */
int ktrace_set_is_at(struct ktrace_traceset *set, const struct ktrace_position *pos);
int ktrace_until_look(struct ktrace_traceset *set, struct ktrace_until *until);

/* stream_position.c */
void ktrace_place_get(const struct stream *s, struct place *p);
int ktrace_place_put(struct stream *s, const struct place *p);
long ktrace_place_entry(const struct stream *s, __u64 section);

/*
 * Returns a negative value, 0 or a positive one if (@section, @off) is before @p, equal, or after
 * it.
 */
static inline int place_order(__u64 section, __u32 off, const struct place *p)
{
	if (section != p->section)
		return section < p->section ? -1 : 1;
	return off < p->off ? -1 : off > p->off;
}

#endif
