/* SPDX-License-Identifier: LGPL-2.1 */
/* extract.h - a tracefile being made of events, as its parts see it */
#ifndef KTRACE_TRACESET_EXTRACT_H
#define KTRACE_TRACESET_EXTRACT_H

#include <ktrace/extract.h>
#include <ktrace/tracefile.h>

#include "set.h"

/**
 * struct out_stream - a stream of the new file
 * @from:	the stream it has the events of
 * @block:	the block being filled; no data yet if its size is 0
 * @data:	its bytes
 * @room:	for so many
 * @cap:	block size
 * @records:	in all blocks before
 * @last:	largest stamp
 * @lost:	so far
 */
struct out_stream {
	const struct ktrace_trace_stream *from;
	struct ktrace_tracefile_block block;
	char *data;
	size_t room;
	__u32 cap;
	__u64 records;
	__u64 last;
	struct ktrace_lost lost;
};

/**
 * struct source - one of the files that events come from
 * @trace:	the file
 * @streams:	of the new file, in order of the numbers they have in this one
 * @ids:	what user events are called in the new file; 0 = not known yet. NULL: as here
 * @kernel_ids:	the same of kernel events from KTRACE_EV_DYNAMIC on; unused if @ids is NULL
 */
struct source {
	const struct trace *trace;
	struct out_stream *streams;
	__u16 *ids;
	__u16 kernel_ids[65536];
};

/**
 * struct ktrace_extract - see <ktrace/extract.h>
 * @tf:		the new file
 * @sources:	by number of the trace
 * @source_nr:	how many. If there are several, stamps become those of CLOCK_MONOTONIC
 * @next_id:	for the next user event
 * @next_kernel_id: for the next kernel event from KTRACE_EV_DYNAMIC on
 * @kernel_ids:	kernel events that the new file describes, a bit each
 * @seen:	threads that have events in it, a bit each
 * @is_torn:	there are events without an end
 */
struct ktrace_extract {
	struct ktrace_tracefile *tf;
	struct source *sources;
	size_t source_nr;
	__u32 next_id;
	__u32 next_kernel_id;
	unsigned char kernel_ids[65536 / 8];
	unsigned char *seen;
	bool is_torn;
};

static inline bool extract_merges(const struct ktrace_extract *x)
{
	return x->source_nr > 1;
}

/* A stamp of a file, as it is in the new one */
static inline __u64 extract_stamp(const struct ktrace_extract *x, const struct source *from,
				  __u64 raw)
{
	const struct segment *seg;

	if (!extract_merges(x))
		return raw;
	seg = ktrace_clock_segment(&from->trace->clock, raw);
	return raw < seg->raw ? ktrace_segment_before(seg, raw) : ktrace_segment_ns(seg, raw);
}

/* extract_meta.c */
int ktrace_extract_meta(struct ktrace_extract *x, const char *what);
int ktrace_extract_names(struct ktrace_extract *x);
__u16 ktrace_extract_id(struct ktrace_extract *x, struct source *from, __u32 id);
__u16 ktrace_extract_kernel_id(struct ktrace_extract *x, struct source *from, __u32 id);

#endif
