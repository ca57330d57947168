/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * kept.h - results in files
 *
 * Lines of text, words and numbers separated by one blank, in this order; Documentation/clocks.md
 * explains them. Numbers are decimal, but those of names (uuid, who, options, sum) hexadecimal. The
 * first knot of a trace has absolute numbers, further ones are relative to the one before, except
 * for their errors; "-" is an unknown error.
 *
 *   ktrace-clocks 1
 *   made options=N traces=N
 *   trace uuid=N N who=N end=N parts=N reference=0|1 at=N time=N knots=N
 *   part number=N size=N mtime=N closed=0|1	one for each file of the trace
 *   knot RAW TIME EARLY LATE
 *   end sum=N
 */
#ifndef KTRACE_SYNC_KEPT_H
#define KTRACE_SYNC_KEPT_H

#include <ktrace/sync.h>

#include "traceset/trace.h"

#define KEPT_FORMAT 1u
#define KEPT_METHOD 3u		/* another one whenever the same files give another result */
#define KEPT_TRACES_MAX 4096u
#define KEPT_PARTS_MAX (1u << 20)
#define KEPT_KNOTS_MAX (1u << 20)
#define KEPT_SUM "end sum="	/* followed by 16 digits and a newline */
#define KEPT_SUM_SIZE (sizeof(KEPT_SUM) - 1 + 16 + 1)

/**
 * struct kept_trace - what a result says about a trace, and what is found in the trace itself
 * @uuid:	of its files, two halves
 * @who:	hash of the names of host, boot and clock
 * @end:	largest stamp
 * @parts:	number of its files
 * @is_reference: it has the clock that others are corrected to
 * @at:		the stamp of the first reading of its clocks
 * @time:	time of that stamp, not corrected
 * @knots:	number of knots
 */
struct kept_trace {
	__u64 uuid[2];
	__u64 who;
	__u64 end;
	__u64 parts;
	__u64 is_reference;
	__u64 at;
	__u64 time;
	__u64 knots;
};

/**
 * struct kept_part - a file of a trace
 * @number:	its part number, 0 = it is the whole trace
 * @size:	bytes
 * @mtime:	when it was last changed, ns since the epoch
 * @is_closed:	it has its end mark
 */
struct kept_part {
	__u64 number;
	__u64 size;
	__u64 mtime;
	__u64 is_closed;
};

/* kept.c */
void ktrace_kept_trace(const struct trace *t, struct kept_trace *out);
void ktrace_kept_part(const struct reader *file, struct kept_part *out);
__u64 ktrace_kept_options(const struct ktrace_sync_options *opts);

#endif
