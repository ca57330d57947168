// SPDX-License-Identifier: GPL-2.0
/*
 * control.c - what the owner of a session can make it do
 *
 *   SUSPENDED --start--> RUNNING --stop--> SUSPENDED
 *
 * While a session runs, each event in wanted is live and its probes are held; while it
 * is suspended no event is live and no probe is held.
 */
#include "control.h"
#include <linux/bitmap.h>
#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/security.h>
#include "account.h"
#include "buffer.h"
#include "compat.h"
#include "context.h"
#include "emit.h"
#include "execs.h"
#include "pid_filter.h"
#include "probe.h"
#include "session.h"
#include "tracepoint.h"

static int get_probe(u16 id)
{
	if (!kt_tracepoint_is(id))
		return kt_probe_get(id);
	kt_tracepoint_get(id);
	return 0;
}

static void put_probe(u16 id)
{
	if (kt_tracepoint_is(id))
		kt_tracepoint_put(id);
	else
		kt_probe_put(id);
}

static void put_probes(const unsigned long *ids)
{
	u32 id;

	for_each_set_bit(id, ids, KT_EVENT_NR)
		put_probe(id);
}

static int get_probes(const unsigned long *ids)
{
	DECLARE_BITMAP(got, KT_EVENT_NR) = { 0 };
	int err = 0;
	u32 id;

	for_each_set_bit(id, ids, KT_EVENT_NR) {
		err = get_probe(id);
		if (err)
			break;
		__set_bit(id, got);
	}
	if (err)
		put_probes(got);
	return err;
}

/*
 * Waits for tracepoint hits that began before their probes were on: these have no record, and do
 * not count as lost.
 */
static void finish_hits(const unsigned long *ids)
{
	if (find_next_bit(ids, KT_EVENT_NR, KTRACE_EV_DYNAMIC) < KT_EVENT_NR)
		kt_compat_finish_hits();
}

static void set_states(struct kt_session *s, enum ktrace_state state)
{
	u32 i;

	for (i = 0; i < s->channel_nr; i++)
		kt_buffer_set_state(s->channels[i], state);
}

static void set_live(struct kt_session *s)
{
	u32 id;

	lockdep_assert_held(&s->lock);
	for_each_set_bit(id, s->wanted, KT_EVENT_NR)
		kt_emit_set_live(&s->target, id, s->running);
}

static int start_locked(struct kt_session *s)
{
	int err;

	lockdep_assert_held(&s->lock);
	if (!s->channel_nr)
		return -EINVAL;
	if (s->ended)
		return -EBUSY;
	if (s->running)
		return 0;
	err = get_probes(s->wanted);
	if (err)
		return err;
	finish_hits(s->wanted);
	s->running = true;
	s->started = true;
	set_states(s, KTRACE_STATE_RUNNING);
	set_live(s);
	return 0;
}

/**
 * kt_control_start - begin to record; no effect on a running session
 * @s:		the session
 *
 * Context: process of the owner, sleeps.
 * Return: 0; -EINVAL without a channel; -EBUSY the session has ended; -ENOMEM.
 */
int kt_control_start(struct kt_session *s)
{
	int err;

	mutex_lock(&s->lock);
	err = start_locked(s);
	mutex_unlock(&s->lock);
	return err;
}

/**
 * kt_control_stop - stop recording; no effect on a suspended session
 * @s:		the session
 *
 * When it returns, the kernel rings no longer change.
 *
 * Context: process of the owner, sleeps.
 * Return: 0; -EINVAL without a channel.
 */
int kt_control_stop(struct kt_session *s)
{
	int err = 0;

	mutex_lock(&s->lock);
	if (!s->channel_nr) {
		err = -EINVAL;
	} else if (s->running) {
		s->running = false;
		set_live(s);
		set_states(s, KTRACE_STATE_SUSPENDED);
		put_probes(s->wanted);
		kt_emit_quiesce();
	}
	mutex_unlock(&s->lock);
	return err;
}

/*
 * Checks an event id. Ids from kt_tracepoint_map() are checked by control_is_mapped(); the others
 * always exist. @id stays within the arrays even if the CPU speculates past the check.
 */
static int check_id(u16 *id)
{
	int err = kt_tracepoint_is(*id) ? 0 : kt_probe_check(*id);

	*id = array_index_nospec(*id, KT_EVENT_NR);
	return err;
}

static bool control_is_mapped(const struct kt_session *s, u16 id)
{
	lockdep_assert_held(&s->lock);
	return !kt_tracepoint_is(id) || test_bit(id - KTRACE_EV_DYNAMIC, s->mapped);
}

/*
 * Returns 0 if there is a kernel channel that can still be configured; -EINVAL: none; -EBUSY: the
 * session has ended.
 */
static int check_kernel_locked(const struct kt_session *s)
{
	lockdep_assert_held(&s->lock);
	if (!s->kernel)
		return -EINVAL;
	return s->ended ? -EBUSY : 0;
}

/*
 * Returns the same as check_kernel_locked(), and -EINVAL if the session has not mapped the event.
 */
static int check_event_locked(const struct kt_session *s, u16 id)
{
	int err = check_kernel_locked(s);

	return err || control_is_mapped(s, id) ? err : -EINVAL;
}

static int enable_locked(struct kt_session *s, u16 id, bool on)
{
	int err = check_event_locked(s, id);

	if (err || test_bit(id, s->wanted) == on)
		return err;
	if (s->running && on)
		err = get_probe(id);
	if (err)
		return err;
	if (s->running && on && kt_tracepoint_is(id))
		kt_compat_finish_hits();
	assign_bit(id, s->wanted, on);
	kt_emit_set_live(&s->target, id, on && s->running);
	kt_buffer_show_enabled(s->kernel, id, on);
	if (s->running && !on) {
		put_probe(id);
		s->is_fading = true;
	}
	return 0;
}

/**
 * kt_control_enable - switch a kernel event on or off
 * @s:		the session
 * @id:		event
 * @on:		true to switch it on
 *
 * Context: process of the owner, sleeps.
 * Return: 0; -EINVAL no such event, or no kernel channel; -EBUSY the session has ended;
 * -EOPNOTSUPP this kernel has no such tracepoint; -ENOMEM.
 */
int kt_control_enable(struct kt_session *s, u16 id, bool on)
{
	int err = check_id(&id);

	if (err)
		return err;
	mutex_lock(&s->lock);
	err = enable_locked(s, id, on);
	mutex_unlock(&s->lock);
	return err;
}

static u32 bytes_of(const struct kt_event_filter *v)
{
	return v ? v->bytes : 0;
}

static int filter_locked(struct kt_session *s, u16 id, struct kt_event_filter *v)
{
	int err = check_event_locked(s, id);
	u32 before;

	if (!err)
		err = kt_account_charge(s, bytes_of(v));
	if (err)
		return err;
	/* Written only under s->lock */
	before = bytes_of(rcu_dereference_protected(s->target.filters[id],
						    lockdep_is_held(&s->lock)));
	kt_emit_set_filter(&s->target, id, v);
	kt_account_uncharge(s, before);
	return 0;
}

/**
 * kt_control_filter - choose among the events of a type
 * @s:		the session
 * @id:		event
 * @v:		which are wanted, NULL: all. Taken over on success
 *
 * Context: process of the owner, sleeps.
 * Return: 0; -EINVAL no such event, or no kernel channel; -EBUSY the session has ended;
 * -EOPNOTSUPP this kernel has no such tracepoint; -EDQUOT.
 */
int kt_control_filter(struct kt_session *s, u16 id, struct kt_event_filter *v)
{
	int err = check_id(&id);

	if (err)
		return err;
	mutex_lock(&s->lock);
	err = filter_locked(s, id, v);
	mutex_unlock(&s->lock);
	return err;
}

/**
 * kt_control_map - give a kernel tracepoint an event id, so that it can be enabled
 * @s:		the session
 * @number:	the kernel's number
 * @id:		out: the event id
 *
 * Context: process of the owner, sleeps.
 * Return: 0; -EINVAL no such event, or no kernel channel; -EBUSY the session has ended;
 * -EPERM without CAP_PERFMON; as kt_tracepoint_map().
 */
int kt_control_map(struct kt_session *s, u32 number, u16 *id)
{
	int err;

	if (!perfmon_capable())
		return -EPERM;
	mutex_lock(&s->lock);
	err = check_kernel_locked(s);
	if (!err)
		err = kt_tracepoint_map(number, s->mapped, id);
	mutex_unlock(&s->lock);
	return err;
}

/**
 * kt_control_missed - count the hits of a tracepoint that have no record
 * @s:		the session
 * @id:		event, one that the session has mapped
 * @missed:	out: hits that the session wanted, but the kernel did not record
 *
 * Context: process, sleeps.
 * Return: 0; -EINVAL no such event, or no kernel channel.
 */
int kt_control_missed(struct kt_session *s, u16 id, u64 *missed)
{
	int err = -EINVAL;

	mutex_lock(&s->lock);
	if (s->kernel && kt_tracepoint_is(id) && control_is_mapped(s, id)) {
		id = array_index_nospec(id - KTRACE_EV_DYNAMIC, KTRACE_EV_DYNAMIC_NR);
		*missed = atomic64_read(&s->target.missed[id]);
		err = 0;
	}
	mutex_unlock(&s->lock);
	return err;
}

/**
 * kt_control_follow - record what a process and its children do
 * @s:		the session
 * @pid:	its id, or KTRACE_FOLLOW_ALL
 *
 * Context: process of the owner, sleeps.
 * Return: 0; -EINVAL pid below 0, or no kernel channel; -EBUSY the session has ended;
 * -ESRCH; -EPERM another user's process, or all, without CAP_PERFMON; -EINTR killed.
 */
int kt_control_follow(struct kt_session *s, s32 pid)
{
	int err;

	mutex_lock(&s->lock);
	err = check_kernel_locked(s);
	if (!err)
		err = pid == KTRACE_FOLLOW_ALL ? kt_pid_filter_follow_all(&s->target.filter) :
						 kt_pid_filter_follow(&s->target.filter, pid);
	mutex_unlock(&s->lock);
	return err;
}

/* Begins a watch if there is none. @w: out: the watch */
static int watch_execs_locked(struct kt_session *s, struct kt_execs **w)
{
	int err;

	lockdep_assert_held(&s->lock);
	*w = rcu_dereference_protected(s->execs, lockdep_is_held(&s->lock));
	if (s->ended)
		return -EBUSY;
	if (!s->has_programs)
		return -EINVAL;
	if (*w)
		return 0;
	err = kt_account_charge(s, kt_execs_bytes());
	if (err)
		return err;
	err = kt_execs_watch(s->owner, s->for_all, w);
	if (err)
		kt_account_uncharge(s, kt_execs_bytes());
	else
		/* ORD(watch_execs:A) pairs ORD(kt_control_attached:A): a watch is seen whole */
		rcu_assign_pointer(s->execs, *w);
	return err;
}

/**
 * kt_control_exec - get the next program that a descendant of the owner has executed
 * @s:		the session
 * @next:	out: the program, or KTRACE_EXEC_NONE
 *
 * Reports descendants of the process that calls this first, from then on.
 *
 * Context: process of the owner, sleeps.
 * Return: 0; -EINVAL no user channel; -EBUSY the session has ended; -EDQUOT over max_session_mb or
 * max_user_mb; as kt_execs_watch().
 */
int kt_control_exec(struct kt_session *s, struct ktrace_exec *next)
{
	struct kt_execs *w;
	int err;

	mutex_lock(&s->lock);
	err = watch_execs_locked(s, &w);
	if (!err)
		kt_execs_next(w, next);
	mutex_unlock(&s->lock);
	return err;
}

/** kt_control_attached - tell the owner that current has become a writer. Context: any */
void kt_control_attached(struct kt_session *s)
{
	struct kt_execs *w;

	rcu_read_lock();
	/* ORD(kt_control_attached:A) pairs ORD(watch_execs:A): a watch is seen whole */
	w = rcu_dereference(s->execs);
	if (w)
		kt_execs_attached(w);
	rcu_read_unlock();
}

/*
 * Makes the session's context on the first request, which has to come before the first event is
 * recorded. The session keeps it even if that request is refused.
 */
static int get_context_locked(struct kt_session *s)
{
	struct kt_context *c;
	int err;

	lockdep_assert_held(&s->lock);
	if (!s->kernel)
		return -EINVAL;
	if (s->started || s->ended)
		return -EBUSY;
	if (s->target.context)
		return 0;
	err = kt_account_charge(s, KT_STACKS_BYTES);
	if (err)
		return err;
	c = kt_context_new(KT_EVENT_NR, s->clock, s->id);
	if (!c) {
		kt_account_uncharge(s, KT_STACKS_BYTES);
		return -ENOMEM;
	}
	s->target.context = c;
	kt_emit_quiesce();	/* emitters that start from now on find it */
	return 0;
}

/*
 * True if this event's context may change after the start: the event is off, and the session
 * already has a context.
 */
static bool is_late_locked(const struct kt_session *s, u16 id)
{
	lockdep_assert_held(&s->lock);
	return s->started && !s->ended && s->target.context && !test_bit(id, s->wanted);
}

static int context_locked(struct kt_session *s, u16 id, u16 bits)
{
	const bool is_late = is_late_locked(s, id);
	int err = is_late ? 0 : get_context_locked(s);

	if (!err)
		err = kt_context_check(s->target.context, bits);
	/* Kernel addresses are for privileged users only. */
	if (!err && bits & KTRACE_CONTEXT_KSTACK && !s->target.filter.any_user)
		err = -EPERM;
	if (!err && bits & KTRACE_CONTEXT_KSTACK)
		err = security_locked_down(LOCKDOWN_PERF);
	if (err)
		return err;
	if (is_late && s->is_fading) {
		kt_emit_quiesce();	/* emitters that found the event on are done */
		s->is_fading = false;
	}
	s->target.context->bits[id] = bits;
	return 0;
}

/**
 * kt_control_context - choose the context that is recorded with a kernel event
 * @s:		the session
 * @id:		event
 * @bits:	KTRACE_CONTEXT_*
 *
 * Context: process of the owner, sleeps.
 * Return: 0; -EINVAL no such event or bits, or no kernel channel; -EBUSY the session has ended, or
 * it has been started, and the event is on or no context was requested before; -EPERM kernel stacks
 * without CAP_PERFMON, or in a locked-down kernel; -EOPNOTSUPP this kernel does not support it;
 * -EDQUOT; -ENOMEM.
 */
int kt_control_context(struct kt_session *s, u16 id, u16 bits)
{
	int err = check_id(&id);

	/* An event that this kernel cannot produce may have a context: enabling it fails. */
	if (err == -EINVAL)
		return err;
	mutex_lock(&s->lock);
	err = context_locked(s, id, bits);
	mutex_unlock(&s->lock);
	return err;
}

/**
 * kt_control_counter - add a performance counter
 * @s:		the session
 * @spec:	type and config; its index is filled in
 *
 * Context: process of the owner, sleeps.
 * Return: 0; -EPERM without CAP_PERFMON; -EBUSY the session has been started; or as
 * kt_context_add_counter().
 */
int kt_control_counter(struct kt_session *s, struct ktrace_counter *spec)
{
	int err;

	mutex_lock(&s->lock);
	err = get_context_locked(s);
	/* A counter counts what all processes do. */
	if (!err && !s->target.filter.any_user)
		err = -EPERM;
	if (!err)
		err = kt_context_add_counter(s->target.context, spec);
	mutex_unlock(&s->lock);
	return err;
}

/**
 * kt_control_stacks - hand out recorded stacks
 * @s:		the session
 * @arg:	where to read from, where to store
 *
 * Context: process of the owner, sleeps.
 * Return: 0; -EINVAL no kernel channel; or as kt_stacks_read().
 */
int kt_control_stacks(struct kt_session *s, struct ktrace_stacks *arg)
{
	const struct kt_context *c;

	mutex_lock(&s->lock);
	c = s->target.context;
	mutex_unlock(&s->lock);
	if (c)
		return kt_stacks_read(&c->stacks, arg);
	if (!s->kernel || arg->pos)
		return -EINVAL;
	arg->bytes = 0;
	arg->dropped = 0;
	return 0;
}
