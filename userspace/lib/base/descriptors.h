/* SPDX-License-Identifier: LGPL-2.1 */
/* descriptors.h - how many descriptors a process may have */
#ifndef KTRACE_BASE_DESCRIPTORS_H
#define KTRACE_BASE_DESCRIPTORS_H

#include <sys/resource.h>

/** descriptors_allow_all - raise the limit to what the system allows; safe after vfork() */
static inline void descriptors_allow_all(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

#endif
