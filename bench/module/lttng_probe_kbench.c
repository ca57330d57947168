// SPDX-License-Identifier: GPL-2.0
/* lttng_probe_kbench.c - lets LTTng-modules record the trace event of kbench.ko */
#include <linux/module.h>
#include <lttng/tracer.h>
#include "kbench_trace.h"
#include <wrapper/tracepoint.h>

#define LTTNG_PACKAGE_BUILD
#define CREATE_TRACE_POINTS
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE kbench_lttng
#include "kbench_lttng.h"

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("LTTng probe of kbench");
