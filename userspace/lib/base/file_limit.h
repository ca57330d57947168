/* SPDX-License-Identifier: LGPL-2.1 */
/* file_limit.h - how large the caller's files may be (RLIMIT_FSIZE), including those in memory */
#ifndef KTRACE_BASE_FILE_LIMIT_H
#define KTRACE_BASE_FILE_LIMIT_H

#include <stdbool.h>
#include <sys/resource.h>
#include <linux/types.h>

/* Call this before making a file larger: exceeding the limit kills the process by SIGXFSZ. */
static inline bool may_have_file_of(__u64 size)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur >= size;
}

#endif
