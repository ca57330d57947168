// SPDX-License-Identifier: GPL-2.0
/* workqueue.c - family "workqueue": work items that are queued and executed */
#include "probe.h"
#include <linux/workqueue.h>
#include <trace/events/workqueue.h>
#include "emit.h"
#include "func.h"

static void on_workqueue_queue(void *data, int cpu, struct pool_workqueue *pwq,
			       struct work_struct *work)
{
	kt_func_emit_value(KTRACE_EV_WORKQUEUE_QUEUE, work, cpu == WORK_CPU_UNBOUND ? -1 : cpu,
			   work->func);
}

static void on_workqueue_queue_unsigned(void *data, unsigned int cpu, struct pool_workqueue *pwq,
					struct work_struct *work)
{
	on_workqueue_queue(data, (int)cpu, pwq, work);
}

static void on_workqueue_start(void *data, struct work_struct *work)
{
	kt_func_emit(KTRACE_EV_WORKQUEUE_START, work, work->func);
}

/* Uses only the address of @work, which may be gone. */
static void on_workqueue_end(void *data, struct work_struct *work, work_func_t func)
{
	kt_func_emit(KTRACE_EV_WORKQUEUE_END, work, func);
}

struct kt_probe kt_probe_workqueue[] = {
	{ KT_TRACEPOINT_EITHER(KTRACE_EV_WORKQUEUE_QUEUE, workqueue_queue_work, on_workqueue_queue,
			       on_workqueue_queue_unsigned) },
	{ KT_TRACEPOINT(KTRACE_EV_WORKQUEUE_START, workqueue_execute_start, on_workqueue_start) },
	{ KT_TRACEPOINT(KTRACE_EV_WORKQUEUE_END, workqueue_execute_end, on_workqueue_end) },
	{ }
};
