/* SPDX-License-Identifier: LGPL-2.1 */
/* fragment.h - joins the fragments of an event */
#ifndef KTRACE_TRACESET_FRAGMENT_H
#define KTRACE_TRACESET_FRAGMENT_H

#include <ktrace/traceset.h>

struct stream;

/**
 * struct run - fragments of an event in consecutive sections of a stream
 * @stream:	the stream
 * @section:	offset in the file of the first section
 * @entry:	number of the last section
 * @off:	offset in the first section of the first fragment
 * @nr:		number of fragments
 */
struct run {
	struct stream *stream;
	__u64 section;
	size_t entry;
	__u32 off;
	__u32 nr;
};

/**
 * struct pending - an event with fragments still missing
 * @event:	as of the latest fragment; payload is @buf
 * @buf:	the bytes so far
 * @cap:	bytes allocated
 * @total:	length of the whole event
 * @runs:	where the fragments are, for positions
 * @run_nr:	number of runs
 * @run_cap:	room in @runs
 * @begin:	time of the first fragment
 * @sections:	number of sections they are in
 * @is_scattered: a later fragment is neither in its predecessor's section, nor opens the next
 * @is_unsure:	not everything was read since the first fragment: there may be others of the
 *		thread
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

#define PENDING_MAX 4096u

/**
 * struct fragments - the pending events of a traceset
 * @pending:	oldest first, at most one for each thread
 * @nr:		their number
 * @done:	bytes of the event delivered last
 * @scattered:	number of complete events with @is_scattered
 * @is_skipping: skipping to the target of a seek: nothing is delivered
 */
struct fragments {
	struct pending pending[PENDING_MAX];
	__u32 nr;
	char *done;
	__u64 scattered;
	bool is_skipping;
};

/* @rec_flags: KTRACE_REC_FRAG_* of the fragment's record */
bool ktrace_fragment_end(struct fragments *f, struct ktrace_trace_event *e, __u32 rec_flags);
int ktrace_fragment_add(struct fragments *f, struct ktrace_trace_event *e, __u32 rec_flags);
bool ktrace_fragment_take_oldest(struct fragments *f, __u64 end, struct ktrace_trace_event *e);
bool ktrace_fragment_drop_unsure(struct fragments *f, __u64 *begin);
void ktrace_fragment_drop_all(struct fragments *f);

#endif
