/* SPDX-License-Identifier: LGPL-2.1 */
/* recorded_meta.h - read the META of a log */
#ifndef KTRACE_POSIX_LOG_RECORDED_META_H
#define KTRACE_POSIX_LOG_RECORDED_META_H

#include <stdbool.h>
#include <ktrace/traceset.h>

#include "posix/base/attr.h"
#include <trace.h>

bool ktrace_posix_meta_number(const struct ktrace_trace *t, const char *key, __u64 *out);
bool ktrace_posix_meta_is_log(const struct ktrace_trace *t);
bool ktrace_posix_meta_is_ours(const struct ktrace_trace *t);
void ktrace_posix_meta_read_attr(const struct ktrace_trace *t, struct posix_attr *out);
bool ktrace_posix_meta_read_status(const struct ktrace_trace *t,
				   struct posix_trace_status_info *out);
void ktrace_posix_meta_guess_attr(const struct ktrace_trace *t, struct posix_attr *out);

#endif
