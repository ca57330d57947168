// SPDX-License-Identifier: GPL-2.0
/*
 * session.c - a session: its birth, its channels, its end
 *
 *   create --> SUSPENDED <--start, stop (control.c)--> RUNNING
 *                  \__________________________________/
 *                                   | close
 *                                CLOSED --last put--> freed
 *
 * The owner causes all transitions but the last. After the first start no channel can be added. A
 * closed session records nothing and cannot be found, but its memory stays for writers that have it
 * mapped, and for a process that saves it (orphans.c). account.c decides which user is charged for
 * it.
 *
 * A session ends in two phases: kt_session_end() unpublishes it and waits until it can no longer be
 * in use, the last kt_session_put() frees it.
 */
#include "session.h"
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "account.h"
#include "clock.h"
#include "context.h"
#include "control.h"
#include "execs.h"
#include "pid_filter.h"
#include "lend.h"
#include "probe.h"
#include "seal.h"
#include "tracepoint.h"

enum {
	SESSIONS_MAX = 64,	/* of users without CAP_SYS_ADMIN */
	USER_SESSIONS_MAX = 8,
	TICK_MS = 10,
	RINGS_PER_MS = 100,
};

/* A single user cannot take all kernel channels. */
static_assert(USER_SESSIONS_MAX < KT_TARGETS_MAX);

static bool group_kernel;
module_param(group_kernel, bool, 0644);
MODULE_PARM_DESC(group_kernel, "let everybody who may open the device record kernel events (0)");

static char *clock = "auto";
module_param(clock, charp, 0444);
MODULE_PARM_DESC(clock, "clock of all sessions: auto, counter (on x86 also tsc) or monotonic");

/* The clock that was requested at load; AUTO: the best one when a session is created. */
enum { CLOCK_AUTO = -1 };
static int wanted_clock;

DEFINE_MUTEX(kt_sessions_lock);
LIST_HEAD(kt_sessions);

/* ---- waiting ---- */

/* True if any channel has data. Yields between them: channels may have thousands of rings. */
static bool has_data(struct kt_session *s)
{
	struct kt_buffer *b;
	u32 i;

	for (i = 0; (b = kt_session_channel(s, i)); i++) {
		if (kt_buffer_has_data(b))
			return true;
		cond_resched();
	}
	return false;
}

static bool has_hung_up(struct kt_session *s)
{
	const struct kt_pid_filter *f = &s->target.filter;

	/*
	 * ORD(has_hung_up:A) pairs ORD(enter:B), ORD(kt_session_add_writer:A): a reader that sees
	 * either flag sees the counts from then on
	 */
	return (smp_load_acquire(&f->had_any) || smp_load_acquire(&s->had_writers)) &&
	       !atomic_read(&f->alive_nr) && !atomic_read(&s->writers);
}

/*
 * Queues the tick. Its worker looks at all rings, which no user is charged for: the more rings
 * there are, the longer it waits in between, so that it takes the same part of a CPU. Up to 1000
 * rings it waits TICK_MS.
 */
static void queue_tick(struct kt_session *s)
{
	const struct kt_buffer *b;
	u32 i, nr = 0;

	for (i = 0; (b = kt_session_channel(s, i)); i++)
		nr += b->l.ring_nr;
	schedule_delayed_work(&s->tick, msecs_to_jiffies(max_t(u32, TICK_MS, nr / RINGS_PER_MS)));
}

static void session_tick(struct work_struct *work)
{
	struct kt_session *s = container_of(work, struct kt_session, tick.work);

	/* poll() queues the tick after joining the wait queue: a later poller queues another */
	if (!READ_ONCE(s->target.armed) || !waitqueue_active(&s->wait))
		return;
	if (has_data(s) || has_hung_up(s)) {
		WRITE_ONCE(s->target.armed, false);
		wake_up_all(&s->wait);
	} else {
		queue_tick(s);
	}
}

static __poll_t session_ready(struct kt_session *s)
{
	return (has_data(s) ? EPOLLIN | EPOLLRDNORM : 0) | (has_hung_up(s) ? EPOLLHUP : 0);
}

/**
 * kt_session_poll - the owner's poll()
 * @s:		the session
 * @file:	its descriptor
 * @wait:	as for poll()
 *
 * Context: poll(), sleeps.
 * Return: EPOLLIN when a ring has its watermark of unread bytes; EPOLLHUP when
 * processes were followed or writers attached, and none of either is left.
 */
__poll_t kt_session_poll(struct kt_session *s, struct file *file, poll_table *wait)
{
	__poll_t events;

	poll_wait(file, &s->wait, wait);
	events = session_ready(s);
	if (events)
		return events;
	WRITE_ONCE(s->target.armed, true);
	queue_tick(s);
	return session_ready(s);
}

/** kt_session_add_writer - count a mapping of an attached writer */
void kt_session_add_writer(struct kt_session *s)
{
	atomic_inc(&s->writers);
	/*
	 * ORD(kt_session_add_writer:A) pairs ORD(has_hung_up:A): writers is counted before
	 * had_writers is set
	 */
	smp_store_release(&s->had_writers, true);
}

/** kt_session_remove_writer - uncount a mapping of an attached writer */
void kt_session_remove_writer(struct kt_session *s)
{
	if (atomic_dec_and_test(&s->writers))
		wake_up_all(&s->wait);
}

/* ---- creation and end ---- */

static struct kt_session *session_find_locked(u64 id)
{
	struct kt_session *s;

	lockdep_assert_held(&kt_sessions_lock);
	list_for_each_entry(s, &kt_sessions, node)
		if (s->id == id)
			return s;
	return NULL;
}

static u64 new_id_locked(void)
{
	u64 id;

	do {
		id = get_random_u64();
	} while (!id || session_find_locked(id));
	return id;
}

/*
 * Adds a session to the list if there is room. Root's sessions have places of their own, so other
 * users cannot take them all.
 */
static int session_publish(struct kt_session *new)
{
	u32 others_nr = 0, user_nr = 0;
	struct kt_session *s;
	bool has_room;

	mutex_lock(&kt_sessions_lock);
	list_for_each_entry(s, &kt_sessions, node) {
		others_nr += s->open && !s->for_all;
		user_nr += s->open && uid_eq(s->payer, new->payer);
	}
	has_room = (new->for_all || others_nr < SESSIONS_MAX) && user_nr < USER_SESSIONS_MAX;
	if (has_room) {
		new->id = new_id_locked();
		new->open = true;
		new->is_owned = true;
		list_add(&new->node, &kt_sessions);
	}
	mutex_unlock(&kt_sessions_lock);
	return has_room ? 0 : -EBUSY;
}

/**
 * kt_session_clock - return the clock of a session that is created now
 *
 * The cycle counter may turn out to be unstable later: existing sessions keep it.
 *
 * Context: any.
 * Return: enum ktrace_clock.
 */
u32 kt_session_clock(void)
{
	return wanted_clock == CLOCK_AUTO ? kt_clock_best() : wanted_clock;
}

/**
 * kt_session_create - create a session of the calling user, without channels
 * @out:	the session, with one reference
 *
 * Context: process, sleeps.
 * Return: 0; -ENOMEM; -EBUSY when there are too many sessions.
 */
int kt_session_create(struct kt_session **out)
{
	struct kt_session *s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	int err;

	if (!s)
		return -ENOMEM;
	kref_init(&s->ref);
	s->owner = current_euid();
	s->payer = kt_account_user();
	s->for_all = capable(CAP_SYS_ADMIN);
	s->clock = kt_session_clock();
	INIT_LIST_HEAD(&s->holders);
	mutex_init(&s->lock);
	init_waitqueue_head(&s->wait);
	INIT_DELAYED_WORK(&s->tick, session_tick);
	kt_emit_init_target(&s->target, &s->wait);
	err = session_publish(s);
	if (err)
		kfree(s);
	else
		*out = s;
	return err;
}

/**
 * kt_session_find - find the session that a program wants to write to
 * @id:		its id
 * @out:	the session, with a reference
 *
 * Context: process, sleeps.
 * Return: 0; -ENOENT no such session, or closed; -EPERM not the caller's.
 */
int kt_session_find(u64 id, struct kt_session **out)
{
	struct kt_session *s;
	int err = 0;

	mutex_lock(&kt_sessions_lock);
	s = session_find_locked(id);
	if (!s || !s->open)
		err = -ENOENT;
	else if (!s->for_all && !uid_eq(current_euid(), s->owner))
		err = -EPERM;
	else
		kref_get(&s->ref);
	mutex_unlock(&kt_sessions_lock);
	if (!err)
		*out = s;
	return err;
}

static void free_session(struct kref *ref)
{
	struct kt_session *s = container_of(ref, struct kt_session, ref);
	u32 i;

	for (i = 0; i < KT_CHANNELS_MAX; i++)
		kt_buffer_free(s->channels[i]);
	kt_emit_exit_target(&s->target);
	kt_pid_filter_exit(&s->target.filter);
	kt_context_free(s->target.context);
	mutex_lock(&kt_sessions_lock);
	list_del(&s->node);
	mutex_unlock(&kt_sessions_lock);
	kfree(s);
}

/** kt_session_put - drop a reference; the last one frees the session */
void kt_session_put(struct kt_session *s)
{
	kref_put(&s->ref, free_session);
}

static void session_unpublish(struct kt_session *s)
{
	mutex_lock(&kt_sessions_lock);
	s->open = false;
	mutex_unlock(&kt_sessions_lock);
}

static void session_end(struct kt_session *s)
{
	struct kt_execs *execs;
	u32 i;

	session_unpublish(s);
	kt_control_stop(s);
	if (s->has_programs)
		kt_lend_put();
	if (s->kernel) {
		kt_probe_put_tracking();
		kt_probe_quiesce();
		kt_emit_detach(&s->target);
		kt_context_stop(s->target.context);
		kt_tracepoint_unmap_all(s->mapped);
		kt_seal_rings(s->id, s->kernel->rings, s->kernel->l.ring_nr);
	}
	for (i = 0; i < s->channel_nr; i++)
		kt_buffer_close(s->channels[i]);
	mutex_lock(&s->lock);
	s->ended = true;
	execs = rcu_replace_pointer(s->execs, NULL, lockdep_is_held(&s->lock));
	mutex_unlock(&s->lock);
	if (execs) {
		kt_execs_end(execs);
		kt_account_uncharge(s, kt_execs_bytes());
	}
}

/**
 * kt_session_end - stop recording and let no program attach any more
 * @s:		the session; may have ended before
 *
 * The owner has no descriptor any more, so no process polls. The reference stays.
 *
 * Context: process, sleeps.
 */
void kt_session_end(struct kt_session *s)
{
	if (!s->ended)
		session_end(s);
	cancel_delayed_work_sync(&s->tick);
}

/**
 * kt_session_disown - charge the memory of an ended session to the users who still hold it
 * @s:		the session
 *
 * Consumes the owner's reference.
 *
 * Context: process, sleeps.
 */
void kt_session_disown(struct kt_session *s)
{
	mutex_lock(&kt_sessions_lock);
	s->is_owned = false;
	mutex_unlock(&kt_sessions_lock);
	kt_session_put(s);
}

/**
 * kt_session_close - end the session and disown it
 * @s:		the session
 *
 * Consumes the owner's reference.
 *
 * Context: process, sleeps.
 */
void kt_session_close(struct kt_session *s)
{
	kt_session_end(s);
	kt_session_disown(s);
}

/* ---- channels ---- */

/*
 * Publishes the kernel channel: from then on the hot path knows the session, and follows forks; no
 * event is live.
 */
static int publish_kernel_channel(struct kt_session *s, struct kt_buffer *b)
{
	int err = kt_pid_filter_init(&s->target.filter, s->owner, perfmon_capable());

	if (err)
		return err;
	s->target.rings = b->cpu_rings;
	s->target.watermark = b->l.watermark;
	s->target.is_counted = !s->for_all;
	s->target.payer = s->payer;
	err = kt_emit_attach(&s->target);
	if (err)
		goto err_exit_filter;
	err = kt_probe_get_tracking();
	if (err)
		goto err_detach;
	s->kernel = b;
	return 0;

err_detach:
	kt_emit_detach(&s->target);
err_exit_filter:
	kt_pid_filter_exit(&s->target.filter);
	s->target.filter = (struct kt_pid_filter){ };
	return err;
}

/** kt_session_may_kernel - true if the caller may see kernel events */
bool kt_session_may_kernel(void)
{
	return perfmon_capable() || READ_ONCE(group_kernel);
}

static int may_add(const struct kt_session *s, u32 kind)
{
	lockdep_assert_held(&s->lock);
	if (s->started || s->ended)
		return -EBUSY;
	if (s->channel_nr == KT_CHANNELS_MAX)
		return -ENOSPC;
	if (kind == KTRACE_CHANNEL_USER)
		return 0;
	if (!kt_session_may_kernel())
		return -EPERM;
	return s->kernel ? -EBUSY : 0;
}

static int add_channel_locked(struct kt_session *s, const struct kt_layout *l)
{
	struct kt_buffer *b;
	int err = may_add(s, l->kind);

	if (err)
		return err;
	b = kt_buffer_alloc(l, s->id, s->clock);
	if (IS_ERR(b))
		return PTR_ERR(b);
	if (l->kind == KTRACE_CHANNEL_KERNEL)
		err = publish_kernel_channel(s, b);
	else if (!s->has_programs)
		err = kt_lend_get();
	if (err) {
		kt_buffer_free(b);
		return err;
	}
	s->has_programs |= l->kind == KTRACE_CHANNEL_USER;
	s->channels[s->channel_nr] = b;
	/* ORD(add_channel:A) pairs ORD(channel:A): the channel is complete before it is counted */
	smp_store_release(&s->channel_nr, s->channel_nr + 1);
	return 0;
}

/**
 * kt_session_add_channel - add a channel to the session
 * @s:		the session
 * @spec:	the request; map_off and map_size are filled in
 *
 * Context: process of the owner, sleeps.
 * Return: 0; -EINVAL impossible geometry; -EPERM kernel channel without privilege;
 * -EBUSY after the first start or the end, or for a second kernel channel; -ENOSPC too many
 * channels; -EDQUOT over max_session_mb or max_user_mb; -ENOMEM; -EINTR killed.
 */
int kt_session_add_channel(struct kt_session *s, struct ktrace_channel_spec *spec)
{
	struct kt_layout l;
	u64 bytes;
	int err = kt_layout_init(&l, spec);

	if (err)
		return err;
	l.is_privileged = s->for_all;
	bytes = kt_buffer_bytes(&l) + (l.kind == KTRACE_CHANNEL_KERNEL ? KT_PID_FILTER_BYTES : 0);
	err = kt_account_charge(s, bytes);
	if (err)
		return err;
	mutex_lock(&s->lock);
	err = add_channel_locked(s, &l);
	spec->map_off = (u64)(s->channel_nr - !err) << KTRACE_MAP_SHIFT;
	spec->map_size = l.map_size;
	mutex_unlock(&s->lock);
	if (err)
		kt_account_uncharge(s, bytes);
	return err;
}

/** kt_session_channel - channel @index, or NULL. Context: any */
struct kt_buffer *kt_session_channel(struct kt_session *s, u32 index)
{
	/* ORD(channel:A) pairs ORD(add_channel:A): a channel that is counted is complete */
	if (index >= smp_load_acquire(&s->channel_nr))
		return NULL;
	return s->channels[array_index_nospec(index, KT_CHANNELS_MAX)];
}

/**
 * kt_session_user_channel - tell a writer where the first user channel is
 * @s:		the session
 * @attach:	out: map_off and map_size
 *
 * Context: any.
 * Return: 0; -ENXIO when there is none.
 */
int kt_session_user_channel(struct kt_session *s, struct ktrace_attach *attach)
{
	struct kt_buffer *b;
	u32 i;

	for (i = 0; (b = kt_session_channel(s, i)); i++) {
		if (b->l.kind != KTRACE_CHANNEL_USER)
			continue;
		attach->map_off = (u64)i << KTRACE_MAP_SHIFT;
		attach->map_size = b->l.map_size;
		return 0;
	}
	return -ENXIO;
}

static u32 count_sessions(void)
{
	struct list_head *at;
	u32 nr = 0;

	mutex_lock(&kt_sessions_lock);
	list_for_each(at, &kt_sessions)
		nr++;
	mutex_unlock(&kt_sessions_lock);
	return nr;
}

/**
 * kt_session_info - fill in what KTRACE_IOC_INFO reports, except about kept sessions
 * @s:		the session, NULL: only what is the same for all
 * @info:	out, except for size
 *
 * Context: process, sleeps.
 */
void kt_session_info(struct kt_session *s, struct ktrace_info *info)
{
	*info = (struct ktrace_info){
		.size = info->size,
		.abi = KTRACE_ABI_VERSION,
		.tsc_khz = kt_arch_counter_khz(),
		.clock = s ? s->clock : kt_session_clock(),
		.sessions = count_sessions(),
	};
	if (!s)
		return;
	info->session = s->id;
	info->followed = atomic_read(&s->target.filter.alive_nr);
	info->writers = atomic_read(&s->writers);
	info->lost_noring = atomic64_read(&s->target.lost_noring);
	info->undecided = atomic64_read(&s->target.undecided);
	mutex_lock(&kt_sessions_lock);
	info->refused = s->refused;
	mutex_unlock(&kt_sessions_lock);
}

/**
 * kt_session_init - check the module's parameters
 *
 * Context: loading.
 * Return: 0; -EINVAL for a clock that is unknown or missing.
 */
int kt_session_init(void)
{
	if (!strcmp(clock, "auto")) {
		wanted_clock = CLOCK_AUTO;
	} else if ((!strcmp(clock, "counter") || !strcmp(clock, "tsc")) && kt_arch_has_counter()) {
		wanted_clock = KTRACE_CLOCK_COUNTER;
	} else if (!strcmp(clock, "monotonic")) {
		wanted_clock = KTRACE_CLOCK_MONOTONIC;
	} else {
		pr_err("clock=%s: must be auto, monotonic, or counter if the machine has one\n",
		       clock);
		return -EINVAL;
	}
	return 0;
}
