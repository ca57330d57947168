// SPDX-License-Identifier: GPL-2.0
/* lttng_probe_kbench.c - lets LTTng-modules record the trace event of kbench.ko */
#include <linux/module.h>
#include <lttng/tracer.h>
#include "kbench_trace.h"
#include <wrapper/tracepoint.h>

#define LTTNG_PACKAGE_BUILD
#define CREATE_TRACE_POINTS
#define KBENCH_LTTNG
#include "kbench_trace.h"

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("LTTng probe of kbench");
