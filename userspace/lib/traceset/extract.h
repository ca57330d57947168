/* SPDX-License-Identifier: LGPL-2.1 */
/* extract.h - a tracefile being made from events, as its parts see it */
#ifndef KTRACE_TRACESET_EXTRACT_H
#define KTRACE_TRACESET_EXTRACT_H

#include <ktrace/extract.h>
#include <ktrace/tracefile.h>

#include "set.h"

/**
 * struct out_stream - a stream of the new file
 * @from:	the stream whose events it gets
 * @block:	the block being filled; no data yet if its size is 0
 * @data:	its bytes
 * @room:	room in @data
 * @cap:	block size
 * @records:	in all blocks before
 * @last:	largest stamp so far
 * @lost:	losses so far
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
 * @streams:	streams of the new file, in order of their numbers in this one
 * @ids:	ids of user events in the new file; 0 = not known yet. NULL: unchanged
 * @kernel_ids:	the same for kernel events from KTRACE_EV_DYNAMIC on; unused if @ids is NULL
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
 * @source_nr:	their number. With several, stamps become those of CLOCK_MONOTONIC
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

/* Converts a stamp of a file to the one in the new file */
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
