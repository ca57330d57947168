/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kbench_trace.h - a trace event with the fields of TRACER_LOGEVENT
 *
 * The kernel's own; with KBENCH_LTTNG what LTTng-modules records when it occurs.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM kbench

#if !defined(KBENCH_TRACE_H) || defined(KBENCH_LTTNG) || defined(TRACE_HEADER_MULTI_READ)
#define KBENCH_TRACE_H

#if defined(KBENCH_LTTNG)
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
#else
#include <linux/tracepoint.h>

TRACE_EVENT(kbench_event,
	TP_PROTO(u16 type, u16 par1, u32 par2),
	TP_ARGS(type, par1, par2),
	TP_STRUCT__entry(
		__field(u16, type)
		__field(u16, par1)
		__field(u32, par2)
	),
	TP_fast_assign(
		__entry->type = type;
		__entry->par1 = par1;
		__entry->par2 = par2;
	),
	TP_printk("%u %u %u", __entry->type, __entry->par1, __entry->par2)
);
#endif

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE kbench_trace
#if defined(KBENCH_LTTNG)
#include <lttng/define_trace.h>
#else
#include <trace/define_trace.h>
#endif
