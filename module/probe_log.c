// SPDX-License-Identifier: GPL-2.0
/* probe_log.c - family "log": TRACER_LOGEVENT of other modules */
#include "probe.h"
#include <linux/export.h>
#include <linux/ktrace.h>
#include "emit.h"

DEFINE_STATIC_KEY_FALSE(ktrace_logevent_key);
EXPORT_SYMBOL_GPL(ktrace_logevent_key);

/*
 * All that ktrace_logevent() is not for: several sessions, a ring that is not at rest. Called
 * last by it: so it keeps nothing across a call.
 */
static noinline void log_anyhow(u16 type, u16 par1, u32 par2)
{
	const struct ktrace_ev_logevent payload = { type, par1, par2 };
	const struct kt_event ev = {
		.id = KTRACE_EV_LOGEVENT,
		.len = sizeof(payload),
		.payload = &payload,
	};
	const u32 tid_flags = kt_emit_tid_flags();
	struct kt_emit_target *t;

	kt_emit_for_each(t) {
		if (test_bit(KTRACE_EV_LOGEVENT, t->live)) {
			if (unlikely(!kt_emit_try(t, KTRACE_EV_LOGEVENT, sizeof(payload),
						  tid_flags, &payload)))
				kt_emit_anyhow(t, &ev, tid_flags);
		} else if (unlikely(test_bit(KTRACE_EV_LOGEVENT, t->special))) {
			kt_emit_special(t, &ev, tid_flags);
		}
	}
	preempt_enable_notrace();
}

static noinline void publish_rest(const struct kt_ring *r, u64 end)
{
	kt_ring_publish_rest(r, end);
	preempt_enable_notrace();
}

/**
 * ktrace_logevent - what TRACER_LOGEVENT() does when somebody traces
 * @type:	event code, not 0
 * @par1:	first parameter
 * @par2:	second parameter
 *
 * Recorded in every running session that has the event enabled, whoever runs. Does what
 * kt_emit() does, with the common case inline: one such session, and a ring that is quick.
 * A block is opened elsewhere, so pollers are woken there.
 *
 * Context: any in which RCU is watching, NMI included.
 */
void ktrace_logevent(u16 type, u16 par1, u32 par2)
{
	struct kt_slot slot = { };
	struct kt_emit_target *t;
	const struct kt_ring *r;

	preempt_disable_notrace();
	/* ORD(ktrace_logevent:A) pairs ORD(find_sole:A): a target is seen whole */
	t = rcu_dereference_sched(kt_emit_sole[KTRACE_EV_LOGEVENT]);
	if (unlikely(!t))
		return log_anyhow(type, par1, par2);
	r = kt_emit_ring(t);
	if (unlikely(!kt_ring_try_claim(r, KTRACE_RECORD_SIZE(sizeof(struct ktrace_ev_logevent)),
					&slot)))
		return log_anyhow(type, par1, par2);
	kt_slot_fill(&slot, KTRACE_EV_LOGEVENT, sizeof(struct ktrace_ev_logevent),
		     kt_emit_tid_flags());
	*(struct ktrace_ev_logevent *)slot.payload =
		(struct ktrace_ev_logevent){ type, par1, par2 };
	if (unlikely(!kt_ring_publish(r, &slot)))
		return publish_rest(r, slot.end);
	preempt_enable_notrace();
}
EXPORT_SYMBOL_GPL(ktrace_logevent);

struct kt_probe kt_probe_log[] = {
	{ .id = KTRACE_EV_LOGEVENT, .key = &ktrace_logevent_key },
	{ }
};
