/* SPDX-License-Identifier: LGPL-2.1 */
/* fragment.h - puts the fragments of an event together */
#ifndef KTRACE_TRACESET_FRAGMENT_H
#define KTRACE_TRACESET_FRAGMENT_H

#include <ktrace/traceset.h>

struct stream;

/**
 * struct run - fragments of an event that lie in sections of a stream that follow each other
 * @stream:	the stream
 * @section:	where in the file the first section is
 * @entry:	number of the last section
 * @off:	where in the first section the first fragment is
 * @nr:		how many fragments
 */
struct run {
	struct stream *stream;
	__u64 section;
	size_t entry;
	__u32 off;
	__u32 nr;
};

/**
 * struct pending - an event of which not all fragments have come
 * @event:	as of the latest fragment; payload is @buf
 * @buf:	the bytes so far
 * @cap:	bytes allocated
 * @total:	length of the whole event
 * @runs:	where the fragments are, for positions
 * @run_nr:	how many runs
 * @run_cap:	room for so many
 * @begin:	time of the first fragment
 * @sections:	how many sections they lie in
 * @is_scattered: not each later one is in the section of the one before, or opens the next
 * @is_unsure:	not all was read from the first fragment on: there may be others of the thread
 */
struct pending {
	struct ktrace_trace_event event;
	char *buf;
	size_t cap;
	__u64 total;
	struct run *runs;
	size_t run_nr;
	size_t run_cap;
	__u64 begin;
	size_t sections;
	bool is_scattered;
	bool is_unsure;
};

#define PENDING_MAX 256u

/**
 * struct fragments - the pending events of a traceset
 * @pending:	oldest first, one for a thread
 * @nr:		how many
 * @done:	bytes of the event delivered last
 * @scattered:	whole events with @is_scattered met
 * @is_skipping: on the way to a place that was sought: nothing is delivered
 */
struct fragments {
	struct pending pending[PENDING_MAX];
	__u32 nr;
	char *done;
	__u64 scattered;
	bool is_skipping;
};

/* A fragment's record flags: KTRACE_REC_FRAG_* */
bool ktrace_fragment_end(struct fragments *f, struct ktrace_trace_event *e, __u32 rec_flags);
int ktrace_fragment_add(struct fragments *f, struct ktrace_trace_event *e, __u32 rec_flags);
bool ktrace_fragment_take_oldest(struct fragments *f, __u64 end, struct ktrace_trace_event *e);
bool ktrace_fragment_drop_unsure(struct fragments *f, __u64 *begin);
void ktrace_fragment_drop_all(struct fragments *f);

#endif
