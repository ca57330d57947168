/* SPDX-License-Identifier: GPL-2.0 */
/* summary.h - what ktraced says of a recording in the end: Messages in ktraced(8) */
#ifndef KTRACED_OUTPUT_SUMMARY_H
#define KTRACED_OUTPUT_SUMMARY_H

#include <ktrace/session.h>

/**
 * struct summary - one recording
 * @events:	that it has
 * @lost:	how many it has not, and why
 * @bytes:	of its files, also those that were removed
 * @ns:		how long it took
 * @first:	the first part that there is; NULL: there is one file
 * @file:	that, or the last part
 * @info:	of its session
 * @undecided:	of @events, how many no filter could look at to the end
 * @guests:	ktrace_registry_guests()
 */
struct summary {
	__u64 events;
	const struct ktrace_lost *lost;
	__u64 bytes;
	__u64 ns;
	const char *first;
	const char *file;
	const struct ktrace_session_info *info;
	__u64 undecided;
	__u32 guests;
};

/** summary_say_doubts - what may be missing beside losses, or is there and is not wanted */
void summary_say_doubts(const struct ktrace_session_info *info, __u64 undecided, __u32 guests);
/** summary_lost - of all reasons together */
__u64 summary_lost(const struct ktrace_lost *lost);
/** summary_say - one line for people, of the same shape always; not with -q */
void summary_say(const struct summary *s);
/** summary_say_json - one line for programs, an object; also with -q */
void summary_say_json(const struct summary *s);

#endif
