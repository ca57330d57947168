// SPDX-License-Identifier: GPL-2.0
/*
 * log.c - family "log": TRACER_LOGEVENT of other modules
 *
 * An event goes to the S.Ha.R.K. tracer's selected chunk, and to sessions. ktrace_logevent_key is
 * on if either is active; kt_chunk_key and ktrace_sessions_key tell which.
 */
#include "probe.h"
#include <linux/export.h>
#include <linux/ktrace_shark.h>
#include <linux/spinlock.h>
#include "chunk.h"
#include "emit.h"
#include "shark/writer.h"

DEFINE_STATIC_KEY_FALSE(ktrace_logevent_key);
EXPORT_SYMBOL_GPL(ktrace_logevent_key);
DEFINE_STATIC_KEY_FALSE(ktrace_sessions_key);
EXPORT_SYMBOL_GPL(ktrace_sessions_key);

u32 ktrace_chunk_off;
EXPORT_SYMBOL_GPL(ktrace_chunk_off);

/*
 * Handles what the inline case leaves: several sessions, a ring that is not at rest. A tail call,
 * so that log_to_sessions() keeps nothing across it.
 */
static noinline void log_slow(u32 type, u32 par1, u32 par2)
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
				kt_emit_slow(t, &ev, tid_flags);
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

/*
 * Records the event in every running session that has it enabled, whichever task runs. Does what
 * kt_emit() does, with the common case inline: one such session, and a ring that is quick. A block
 * is opened elsewhere, so pollers are woken there.
 */
static __always_inline void log_to_sessions(u32 type, u32 par1, u32 par2)
{
	struct kt_slot slot = { };
	struct kt_emit_target *t;
	const struct kt_ring *r;

	preempt_disable_notrace();
	/* ORD(log_to_sessions:A) pairs ORD(find_sole:A): a target is seen whole */
	t = rcu_dereference_sched(kt_emit_sole[KTRACE_EV_LOGEVENT]);
	if (unlikely(!t))
		return log_slow(type, par1, par2);
	r = kt_emit_ring(t);
	if (unlikely(!kt_ring_try_claim(r, KTRACE_RECORD_SIZE(sizeof(struct ktrace_ev_logevent)),
					&slot)))
		return log_slow(type, par1, par2);
	kt_slot_fill(&slot, KTRACE_EV_LOGEVENT, sizeof(struct ktrace_ev_logevent),
		     kt_emit_tid_flags());
	*(struct ktrace_ev_logevent *)slot.payload =
		(struct ktrace_ev_logevent){ type, par1, par2 };
	if (unlikely(!kt_ring_publish(r, &slot)))
		return publish_rest(r, slot.end);
	preempt_enable_notrace();
}

/* Saves no register: this needs only those that a call may change, and is mostly called last. */
static noinline notrace void log_to_chunk(u32 type, u32 par1, u32 par2)
{
	kt_shark_log_quick(&kt_chunk_tracer, type, par1, par2, 0);
}

static noinline void log_to_both(u32 type, u32 par1, u32 par2)
{
	log_to_chunk(type, par1, par2);
	log_to_sessions(type, par1, par2);
}

/**
 * ktrace_logevent - log an event for TRACER_LOGEVENT() while tracing is on
 * @type:	event code, not 0, of 16 bits
 * @par1:	first parameter, of 16 bits
 * @par2:	second parameter
 *
 * Context: any in which RCU is watching, NMI included.
 */
notrace void ktrace_logevent(u32 type, u32 par1, u32 par2)
{
	if (!static_branch_unlikely(&kt_chunk_key))
		log_to_sessions(type, par1, par2);
	else if (!static_branch_unlikely(&ktrace_sessions_key))
		log_to_chunk(type, par1, par2);
	else
		log_to_both(type, par1, par2);
}
EXPORT_SYMBOL_GPL(ktrace_logevent);

static void log_anywhere(u16 type, u16 par1, u32 par2, u32 how)
{
	if (static_branch_unlikely(&kt_chunk_key))
		kt_shark_log(&kt_chunk_tracer, type, par1, par2, how);
	if (static_branch_unlikely(&ktrace_sessions_key))
		log_to_sessions(type, par1, par2);
}

/**
 * ktrace_logevent_fast - log an event for FAST_TRACER_LOGEVENT() while tracing is on (SHK-18)
 * @type:	event code; with 0 nothing is logged
 * @par1:	parameter
 *
 * Context: as ktrace_logevent().
 */
void ktrace_logevent_fast(u16 type, u16 par1)
{
	if (type & ~KTRACE_SHARK_FAST)
		log_anywhere(type | KTRACE_SHARK_FAST, par1, 0, KT_SHARK_UNFILTERED);
}
EXPORT_SYMBOL_GPL(ktrace_logevent_fast);

/**
 * ktrace_logevent_critical - log an event for TRACER_LOGCRITICAL() while tracing is on (SHK-27)
 * @type:	event code; with 0 nothing is logged
 * @par1:	first parameter
 * @par2:	second parameter
 *
 * Context: as ktrace_logevent().
 */
void ktrace_logevent_critical(u16 type, u16 par1, u32 par2)
{
	if (type)
		log_anywhere(type, par1, par2, KT_SHARK_CRITICAL);
}
EXPORT_SYMBOL_GPL(ktrace_logevent_critical);

/**
 * FTrace_set_filter - suppress a family of events in chunks, or let it through (SHK-16)
 * @family:	0 to 15, or FTrace_filter_*; others change nothing
 * @status:	1 suppress, 0 let through
 *
 * The change is logged: FTrace_filter_* of the family, with @status. Sessions record the
 * events all the same.
 *
 * Context: any but NMI.
 */
void FTrace_set_filter(u8 family, int status)
{
	static DEFINE_RAW_SPINLOCK(lock);
	unsigned long flags;
	int err;

	raw_spin_lock_irqsave(&lock, flags);
	err = kt_shark_set_filter(&kt_chunk_tracer, family, status);
	WRITE_ONCE(ktrace_chunk_off, READ_ONCE(kt_chunk_tracer.off));
	raw_spin_unlock_irqrestore(&lock, flags);
	if (!err && static_branch_unlikely(&ktrace_sessions_key))
		log_to_sessions(family | FTrace_filter_trace_Events, !!status, 0);
}
EXPORT_SYMBOL_GPL(FTrace_set_filter);

struct kt_probe kt_probe_log[] = {
	{ .id = KTRACE_EV_LOGEVENT, .key = &ktrace_logevent_key },
	{ .id = KTRACE_EV_LOGEVENT, .key = &ktrace_sessions_key },
	{ }
};
