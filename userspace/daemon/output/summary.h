/* SPDX-License-Identifier: GPL-2.0 */
/* summary.h - ktraced's report at the end of a recording: Messages in ktraced(8) */
#ifndef KTRACED_OUTPUT_SUMMARY_H
#define KTRACED_OUTPUT_SUMMARY_H

#include <ktrace/session.h>

/**
 * struct summary - one recording
 * @events:	events in the trace
 * @lost:	events that were lost, by reason
 * @bytes:	size of its files, including removed ones
 * @ns:		its duration
 * @first:	the first part that exists; NULL: there is only one file
 * @file:	the file, or the last part
 * @info:	its session
 * @undecided:	number of @events that no filter could evaluate completely
 * @guests:	ktrace_registry_guests()
 * @not_registered: entries of the registry that are missing or unfinished
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
	__u64 not_registered;
};

/** summary_say_registry - report what is unknown because the registry does not have it */
void summary_say_registry(const struct ktrace_registry_use *use);
/** summary_say_doubts - report what else may be missing, or was recorded though unwanted */
void summary_say_doubts(const struct ktrace_session_info *info, __u64 undecided, __u32 guests);
/** summary_say - one line for people, always in the same form; not with -q */
void summary_say(const struct summary *s);
/** summary_say_json - one line for programs, an object; also with -q */
void summary_say_json(const struct summary *s);

#endif
