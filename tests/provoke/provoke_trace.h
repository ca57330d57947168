/* SPDX-License-Identifier: GPL-2.0 */
/* provoke_trace.h - ktrace_provoke:log, which ftrace records where ktrace records log:event */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ktrace_provoke

#if !defined(_PROVOKE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _PROVOKE_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(log,
	TP_PROTO(unsigned short type, unsigned short par1, unsigned int par2),
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
	TP_printk("type=%u par1=%u par2=%u", __entry->type, __entry->par1, __entry->par2)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE provoke_trace
#include <trace/define_trace.h>
