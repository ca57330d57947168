// SPDX-License-Identifier: GPL-2.0
/* signal.c - family "signal": signals that are sent and delivered */
#include "probe.h"
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <trace/events/signal.h>
#include "emit.h"

static_assert(sizeof(struct ktrace_ev_signal_generate) <= KT_HIDE_MAX);

static u32 stable_result(int result)
{
	switch (result) {
	case TRACE_SIGNAL_IGNORED:
		return KTRACE_SIGNAL_IGNORED;
	case TRACE_SIGNAL_ALREADY_PENDING:
		return KTRACE_SIGNAL_PENDING;
	case TRACE_SIGNAL_OVERFLOW_FAIL:
		return KTRACE_SIGNAL_OVERFLOW;
	case TRACE_SIGNAL_LOSE_INFO:
		return KTRACE_SIGNAL_LOST_INFO;
	default:
		return KTRACE_SIGNAL_QUEUED;
	}
}

static s32 code_of(const struct kernel_siginfo *info)
{
	if (info == SEND_SIG_NOINFO)
		return SI_USER;
	return info == SEND_SIG_PRIV ? SI_KERNEL : info->si_code;
}

/*
 * Hides the target. The payload does not name the sender: that is the record's thread, none in an
 * interrupt.
 */
static void hide_target(void *payload, bool who, bool other)
{
	struct ktrace_ev_signal_generate *p = payload;

	if (!other)
		return;
	p->tid = 0;
	p->pid = 0;
	memset(p->comm, 0, KTRACE_COMM_LEN);
}

static void on_signal_generate(void *data, int sig, struct kernel_siginfo *info,
			       struct task_struct *task, int group, int result)
{
	struct ktrace_ev_signal_generate payload = {
		.sig = sig,
		.code = code_of(info),
		.tid = task->pid,
		.pid = task->tgid,
		.is_group = !!group,
		.result = stable_result(result),
	};

	memcpy(payload.comm, task->comm, KTRACE_COMM_LEN);
	kt_emit(&(struct kt_event){
		.id = KTRACE_EV_SIGNAL_GENERATE,
		.len = sizeof(payload),
		.payload = &payload,
		.who = in_task() ? current : task,
		.other = task,
		.hide = hide_target,
	});
}

static void on_signal_deliver(void *data, int sig, struct kernel_siginfo *info,
			      struct k_sigaction *ka)
{
	const struct ktrace_ev_signal_deliver payload = {
		.sig = sig,
		.code = code_of(info),
		.handler = (unsigned long)ka->sa.sa_handler,
		.flags = ka->sa.sa_flags,
	};

	kt_emit_current(KTRACE_EV_SIGNAL_DELIVER, &payload, sizeof(payload), NULL);
}

struct kt_probe kt_probe_signal[] = {
	{ KT_TRACEPOINT(KTRACE_EV_SIGNAL_GENERATE, signal_generate, on_signal_generate) },
	{ KT_TRACEPOINT(KTRACE_EV_SIGNAL_DELIVER, signal_deliver, on_signal_deliver) },
	{ }
};
