/* SPDX-License-Identifier: GPL-2.0 */
/* kbench_lttng.h - kbench_event as LTTng-modules records it */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM kbench

#if !defined(KBENCH_LTTNG_H) || defined(TRACE_HEADER_MULTI_READ)
#define KBENCH_LTTNG_H

#include <lttng/tracepoint-event.h>

LTTNG_TRACEPOINT_EVENT(kbench_event,
	TP_PROTO(u16 type, u16 par1, u32 par2),
	TP_ARGS(type, par1, par2),
	TP_FIELDS(
		ctf_integer(u16, type, type)
		ctf_integer(u16, par1, par1)
		ctf_integer(u32, par2, par2)
	)
)

#endif

#include <lttng/define_trace.h>
