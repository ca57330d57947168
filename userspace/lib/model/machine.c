// SPDX-License-Identifier: LGPL-2.1
/* machine.c - which traces are of one boot of a machine */
#include "machine.h"

#include <string.h>

__u32 machine_of(const struct ktrace_traceset *set, const struct ktrace_trace *trace)
{
	const __u32 file = (__u32)ktrace_trace_index(trace);
	const char *boot = ktrace_trace_meta(trace, "host", "boot"), *other;
	__u32 i;

	for (i = 0; boot && i < file; i++) {
		other = ktrace_trace_meta(ktrace_traceset_trace(set, i), "host", "boot");
		if (other && !strcmp(boot, other))
			return i;
	}
	return file;
}
