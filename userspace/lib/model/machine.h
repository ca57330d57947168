/* SPDX-License-Identifier: LGPL-2.1 */
/* machine.h - the host that a trace is from */
#ifndef KTRACE_MODEL_MACHINE_H
#define KTRACE_MODEL_MACHINE_H

#include <ktrace/traceset.h>

/* ktrace_traceset_host() of a trace */
static inline __u32 machine_of(const struct ktrace_traceset *set, const struct ktrace_trace *trace)
{
	return (__u32)ktrace_traceset_host(set, ktrace_trace_index(trace));
}

#endif
