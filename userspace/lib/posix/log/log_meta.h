/* SPDX-License-Identifier: LGPL-2.1 */
/* log_meta.h - the META of a log, Documentation/trace-format.md */
#ifndef KTRACE_POSIX_LOG_LOG_META_H
#define KTRACE_POSIX_LOG_LOG_META_H

#include <ktrace/tracefile.h>

#include "log.h"

/* Version in the line "posix", for the format of the rest; others are refused. */
#define POSIX_LOG_VERSION 1u

/* "posix:" and a name, each byte of which may take three bytes */
#define POSIX_FULL_NAME_SIZE (6 + 3 * TRACE_EVENT_NAME_MAX + 2)

/* struct posix_log_end - the end of a log in addition to struct posix_trace_status_info */
struct posix_log_end {
	struct ktrace_reading clock;
	struct posix_log_status log;
};

void ktrace_posix_meta_begin(struct ktrace_text *t, const struct posix_log_origin *origin);
void ktrace_posix_meta_attr(struct ktrace_text *t, const struct posix_attr *a);
void ktrace_posix_meta_clock(struct ktrace_text *t, const struct ktrace_reading *r);
void ktrace_posix_meta_event(struct ktrace_text *t, __u32 id, const char *name);
void ktrace_posix_meta_system(struct ktrace_text *t);
void ktrace_posix_meta_end(struct ktrace_text *t, const struct posix_trace_status_info *s,
			   const struct posix_log_end *end);

void ktrace_posix_full_name(char full[POSIX_FULL_NAME_SIZE], const char *name);
bool ktrace_posix_plain_name(char name[TRACE_EVENT_NAME_MAX + 1], const char *full);

#endif
