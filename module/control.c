// SPDX-License-Identifier: GPL-2.0
/*
 * control.c - what the owner of a session can have it do
 *
 *   SUSPENDED --start--> RUNNING --stop--> SUSPENDED
 *
 * While a session runs, each event in wanted is live and its probes are held; while it
 * is suspended no event is live and no probe is held.
 */
#include "control.h"
#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/mutex.h>
#include "buffer.h"
#include "emit.h"
#include "filter.h"
#include "probe.h"
#include "session.h"

static void put_probes(const unsigned long *ids)
{
	u32 id;

	for_each_set_bit(id, ids, KT_EVENT_NR)
		kt_probe_put(id);
}

static int get_probes(const unsigned long *ids)
{
	DECLARE_BITMAP(got, KT_EVENT_NR) = { 0 };
	int err = 0;
	u32 id;

	for_each_set_bit(id, ids, KT_EVENT_NR) {
		err = kt_probe_get(id);
		if (err)
			break;
		__set_bit(id, got);
	}
	if (err)
		put_probes(got);
	return err;
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
 * kt_control_stop - record no more; no effect on a suspended session
 * @s:		the session
 *
 * When it returns, the kernel rings do not change any more.
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

static int enable_locked(struct kt_session *s, u16 id, bool on)
{
	int err = 0;

	lockdep_assert_held(&s->lock);
	if (!s->kernel)
		return -EINVAL;
	if (s->ended)
		return -EBUSY;
	if (test_bit(id, s->wanted) == on)
		return 0;
	if (s->running && on)
		err = kt_probe_get(id);
	if (err)
		return err;
	assign_bit(id, s->wanted, on);
	kt_emit_set_live(&s->target, id, on && s->running);
	kt_buffer_show_enabled(s->kernel, id, on);
	if (s->running && !on)
		kt_probe_put(id);
	return 0;
}

/**
 * kt_control_enable - switch a kernel event on or off
 * @s:		the session
 * @id:		event
 * @on:		which
 *
 * Context: process of the owner, sleeps.
 * Return: 0; -EINVAL no such event, or no kernel channel; -EBUSY the session has ended;
 * -EOPNOTSUPP this kernel has no such tracepoint; -ENOMEM.
 */
int kt_control_enable(struct kt_session *s, u16 id, bool on)
{
	int err = kt_probe_check(id);

	if (err)
		return err;
	mutex_lock(&s->lock);
	err = enable_locked(s, id, on);
	mutex_unlock(&s->lock);
	return err;
}

static u32 bytes_of(const struct kt_sieve *v)
{
	return v ? v->bytes : 0;
}

static int filter_locked(struct kt_session *s, u16 id, struct kt_sieve *v)
{
	u32 before;
	int err;

	lockdep_assert_held(&s->lock);
	if (!s->kernel)
		return -EINVAL;
	if (s->ended)
		return -EBUSY;
	err = kt_session_charge(s, bytes_of(v));
	if (err)
		return err;
	/* Written under our lock, too */
	before = bytes_of(rcu_dereference_protected(s->target.sieves[id],
						    lockdep_is_held(&s->lock)));
	kt_emit_set_sieve(&s->target, id, v);
	kt_session_uncharge(s, before);
	return 0;
}

/**
 * kt_control_filter - choose among the events of a type
 * @s:		the session
 * @id:		event
 * @v:		which are wanted, NULL: all. Taken over if there is no error
 *
 * Context: process of the owner, sleeps.
 * Return: 0; -EINVAL no such event, or no kernel channel; -EBUSY the session has ended;
 * -EOPNOTSUPP this kernel has no such tracepoint; -EDQUOT.
 */
int kt_control_filter(struct kt_session *s, u16 id, struct kt_sieve *v)
{
	int err = kt_probe_check(id);

	if (err)
		return err;
	mutex_lock(&s->lock);
	err = filter_locked(s, id, v);
	mutex_unlock(&s->lock);
	return err;
}

/**
 * kt_control_follow - record what a process and its children do
 * @s:		the session
 * @pid:	its id, or KTRACE_FOLLOW_ALL
 *
 * Return: 0; -EINVAL pid below 0, or no kernel channel; -EBUSY the session has ended;
 * -ESRCH; -EPERM another user's process, or all, without CAP_PERFMON.
 */
int kt_control_follow(struct kt_session *s, s32 pid)
{
	int err = -EINVAL;

	mutex_lock(&s->lock);
	if (s->kernel && s->ended)
		err = -EBUSY;
	else if (s->kernel)
		err = pid == KTRACE_FOLLOW_ALL ? kt_filter_follow_all(&s->target.filter) :
						 kt_filter_follow(&s->target.filter, pid);
	mutex_unlock(&s->lock);
	return err;
}
