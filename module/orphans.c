// SPDX-License-Identifier: GPL-2.0
/*
 * orphans.c - sessions whose owner is gone, kept until a process saves their events
 *
 *   open --owner gone, KEEP--> kept --adopt--> adopted --owner gone, KEEP--> kept
 *                                |                 \--owner gone--> freed
 *                                \--time is up, too many, memory is short, module goes--> freed
 *
 * A kept session has ended: no probe, no target, closed for writers. Only its memory is
 * left, charged to its payer as before. The list holds the owner's reference to it; programs that
 * still have it mapped hold others.
 *
 * The time, the number per user, and the number and memory of all users are limited. A shrinker
 * frees kept sessions before the kernel has to kill a process for memory. Freeing takes no memory,
 * and no lock under which memory is allocated.
 */
#include "orphans.h"
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/shrinker.h>
#include <linux/user_namespace.h>
#include <linux/workqueue.h>
#include "compat.h"
#include "session.h"

enum {
	KEPT_PER_USER = 4,
	KEPT_MAX = 256,		/* of all users; worst_locked() compares each with each */
	KEEP_SECONDS_MAX = 7 * 24 * 3600,
};

static uint keep_seconds = 3600;
module_param(keep_seconds, uint, 0644);
MODULE_PARM_DESC(keep_seconds, "seconds to keep sessions whose owner died, 0 = do not keep (3600)");

static uint max_kept_percent = 50;
module_param(max_kept_percent, uint, 0644);
MODULE_PARM_DESC(max_kept_percent,
		 "limit of all kept sessions in percent of the machine's memory (50)");

/*
 * Protects kept, freed, and kept_node, kept_until and was_adopted of sessions. Innermost; nothing
 * is allocated under it.
 */
static DEFINE_MUTEX(kept_lock);
static LIST_HEAD(kept);
static u32 freed;
static struct shrinker *shrinker;

static bool is_due(const struct kt_session *s)
{
	return time_after_eq64(get_jiffies_64(), s->kept_until);
}

/*
 * Takes one session that is due off the list; NULL: none. @next: out: jiffies until the next one is
 * due, 0: none
 */
static struct kt_session *take_due(u64 *next)
{
	struct kt_session *s, *due = NULL;
	u64 now = get_jiffies_64();

	*next = 0;
	mutex_lock(&kept_lock);
	list_for_each_entry(s, &kept, kept_node) {
		if (is_due(s)) {
			due = s;
			list_del(&s->kept_node);
			break;
		}
		if (!*next || s->kept_until - now < *next)
			*next = s->kept_until - now;
	}
	mutex_unlock(&kept_lock);
	return due;
}

/* Frees a session that is off the list, and logs it, because its events have not been saved. */
static void throw_away(struct kt_session *s, const char *why)
{
	mutex_lock(&kept_lock);
	freed++;
	mutex_unlock(&kept_lock);
	pr_notice_ratelimited("freed kept session %llu of user %u, %llu bytes: %s\n", s->id,
			      from_kuid_munged(&init_user_ns, s->owner), s->bytes, why);
	kt_session_disown(s);
}

static void orphans_reap(struct work_struct *work)
{
	struct kt_session *s;
	u64 next;

	while ((s = take_due(&next)))
		throw_away(s, "keep_seconds have passed");
	if (next)
		schedule_delayed_work(to_delayed_work(work), next);
}

static DECLARE_DELAYED_WORK(reaper, orphans_reap);

/*
 * Takes the oldest session of @payer off the list if there are too many of them; NULL: there are
 * not.
 */
static struct kt_session *take_surplus(kuid_t payer)
{
	struct kt_session *s, *oldest = NULL;
	u32 nr = 0;

	lockdep_assert_held(&kept_lock);
	list_for_each_entry(s, &kept, kept_node) {
		if (!uid_eq(s->payer, payer))
			continue;
		if (!nr++)
			oldest = s;
	}
	if (nr <= KEPT_PER_USER)
		return NULL;
	list_del(&oldest->kept_node);
	return oldest;
}

/*
 * True if there are holders other than the list: freeing it would then give back no memory. There
 * can be no new holders.
 */
static bool orphans_is_mapped(const struct kt_session *s)
{
	return kref_read(&s->ref) > 1;
}

static u64 bytes_of_locked(kuid_t payer)
{
	struct kt_session *s;
	u64 sum = 0;

	lockdep_assert_held(&kept_lock);
	list_for_each_entry(s, &kept, kept_node)
		if (uid_eq(s->payer, payer))
			sum += s->bytes;
	return sum;
}

/*
 * Finds the session to free first: of the user who keeps most memory one that was adopted before,
 * or else the oldest. NULL: none. @unmapped: only one whose memory comes back
 */
static struct kt_session *worst_locked(bool unmapped)
{
	struct kt_session *s, *worst = NULL;
	u64 bytes, most = 0;

	lockdep_assert_held(&kept_lock);
	list_for_each_entry(s, &kept, kept_node) {
		if (unmapped && orphans_is_mapped(s))
			continue;
		bytes = bytes_of_locked(s->payer);
		if (!worst || bytes > most ||
		    (uid_eq(s->payer, worst->payer) && s->was_adopted && !worst->was_adopted)) {
			worst = s;
			most = bytes;
		}
	}
	return worst;
}

/*
 * Takes one session off the list if all users together keep too many, or too much memory; NULL:
 * they do not.
 */
static struct kt_session *take_over_bound(void)
{
	const u64 bound = (u64)totalram_pages() * min(READ_ONCE(max_kept_percent), 100U) / 100;
	struct kt_session *s, *worst = NULL;
	u64 bytes = 0;
	u32 nr = 0;

	mutex_lock(&kept_lock);
	list_for_each_entry(s, &kept, kept_node) {
		bytes += s->bytes;
		nr++;
	}
	if (nr > KEPT_MAX || bytes >> PAGE_SHIFT > bound)
		worst = worst_locked(false);
	if (worst)
		list_del(&worst->kept_node);
	mutex_unlock(&kept_lock);
	return worst;
}

/* Keeps a session. Takes over a reference. */
static void orphans_add(struct kt_session *s, u32 seconds)
{
	struct kt_session *surplus;

	mutex_lock(&kept_lock);
	s->kept_until = get_jiffies_64() + (u64)seconds * HZ;
	list_add_tail(&s->kept_node, &kept);
	surplus = take_surplus(s->payer);
	mutex_unlock(&kept_lock);
	if (surplus)
		throw_away(surplus, "the user has newer kept sessions");
	while ((surplus = take_over_bound()))
		throw_away(surplus, "all kept sessions exceed max_kept_percent");
	kt_compat_run_now(&reaper);
}

/*
 * True if memory is short. Reading files also fills memory and calls shrinkers all the time: events
 * go only when hardly any memory is left that could go instead.
 */
static bool is_memory_short(void)
{
	return si_mem_available() < (long)(totalram_pages() / KT_SPARE_PART);
}

static unsigned long count_pages(struct shrinker *unused, struct shrink_control *sc)
{
	struct kt_session *s;
	u64 bytes = 0;

	if (!is_memory_short())
		return 0;
	mutex_lock(&kept_lock);
	list_for_each_entry(s, &kept, kept_node)
		if (!orphans_is_mapped(s))
			bytes += s->bytes;
	mutex_unlock(&kept_lock);
	return bytes >> PAGE_SHIFT;
}

/* Frees one session, at once: a task that needs memory does not wait for a worker. */
static unsigned long orphans_free_one(struct shrinker *unused, struct shrink_control *sc)
{
	struct kt_session *s = NULL;
	unsigned long pages;

	mutex_lock(&kept_lock);
	if (is_memory_short())
		s = worst_locked(true);
	if (s)
		list_del(&s->kept_node);
	mutex_unlock(&kept_lock);
	if (!s)
		return SHRINK_STOP;
	pages = s->bytes >> PAGE_SHIFT;
	throw_away(s, "the system is short of memory");
	sc->nr_scanned = pages;
	return pages;
}

/**
 * kt_orphans_close - keep a session whose owner is gone, if that was requested, or close it
 * @s:		the session
 *
 * Consumes the owner's reference.
 *
 * Context: process, sleeps.
 */
void kt_orphans_close(struct kt_session *s)
{
	const u32 seconds = min_t(u32, READ_ONCE(keep_seconds), KEEP_SECONDS_MAX);

	kt_session_end(s);
	if (s->keep && seconds)
		orphans_add(s, seconds);
	else
		kt_session_disown(s);
}

static bool may_see(const struct kt_session *s)
{
	return uid_eq(current_euid(), s->owner) || capable(CAP_SYS_ADMIN);
}

/*
 * True if the caller may have the session's events: those of other users' processes are only for
 * callers who may record such events themselves.
 */
static bool may_have(const struct kt_session *s)
{
	if (!s->kernel)
		return true;
	return s->target.filter.any_user ? perfmon_capable() : kt_session_may_kernel();
}

static struct kt_session *orphans_find_locked(u64 id)
{
	struct kt_session *s;

	lockdep_assert_held(&kept_lock);
	list_for_each_entry(s, &kept, kept_node)
		if (s->id == id)
			return s;
	return NULL;
}

/**
 * kt_orphans_adopt - give a kept session a new owner
 * @adopt:	session: its id; channels: out
 * @out:	the session, with the owner's reference; kept again when the new owner goes
 *
 * Context: process, sleeps.
 * Return: 0; -ENOENT no session of that id is kept; -EPERM not the caller's, or with kernel events
 * that the caller may not see.
 */
int kt_orphans_adopt(struct ktrace_adopt *adopt, struct kt_session **out)
{
	struct kt_session *s;
	int err = 0;

	mutex_lock(&kept_lock);
	s = orphans_find_locked(adopt->session);
	if (!s)
		err = -ENOENT;
	else if (!may_see(s) || !may_have(s))
		err = -EPERM;
	else
		list_del(&s->kept_node);
	if (!err)
		s->was_adopted = true;
	mutex_unlock(&kept_lock);
	if (err)
		return err;
	adopt->channels = s->channel_nr;
	*out = s;
	return 0;
}

static void orphans_describe(struct ktrace_kept *k, const struct kt_session *s)
{
	const u64 now = get_jiffies_64();

	k->session = s->id;
	k->bytes = s->bytes;
	k->uid = from_kuid_munged(current_user_ns(), s->owner);
	k->seconds = is_due(s) ? 0 : (u32)(jiffies64_to_msecs(s->kept_until - now) / 1000);
}

/**
 * kt_orphans_describe - fill in what KTRACE_IOC_KEPT reports
 * @k:		index: counts the sessions that the caller may see; the rest: out
 *
 * Context: process, sleeps.
 * Return: 0; -ENOENT no session has that index.
 */
int kt_orphans_describe(struct ktrace_kept *k)
{
	struct kt_session *s;
	u32 index = k->index;
	int err = -ENOENT;

	mutex_lock(&kept_lock);
	list_for_each_entry(s, &kept, kept_node) {
		if (!may_see(s) || index--)
			continue;
		orphans_describe(k, s);
		err = 0;
		break;
	}
	mutex_unlock(&kept_lock);
	return err;
}

/**
 * kt_orphans_info - fill in what KTRACE_IOC_INFO reports about kept sessions
 * @info:	kept and freed: out
 *
 * Context: process, sleeps.
 */
void kt_orphans_info(struct ktrace_info *info)
{
	struct list_head *at;

	info->kept = 0;
	mutex_lock(&kept_lock);
	list_for_each(at, &kept)
		info->kept++;
	info->freed = freed;
	mutex_unlock(&kept_lock);
}

/** kt_orphans_init - let the kernel reclaim memory of kept sessions. Return: 0; -ENOMEM */
int kt_orphans_init(void)
{
	shrinker = kt_compat_add_shrinker("ktrace-kept", count_pages, orphans_free_one);
	return shrinker ? 0 : -ENOMEM;
}

/** kt_orphans_exit - free all sessions that are kept; no descriptor is open */
void kt_orphans_exit(void)
{
	struct kt_session *s, *next;

	kt_compat_remove_shrinker(shrinker);
	cancel_delayed_work_sync(&reaper);
	list_for_each_entry_safe(s, next, &kept, kept_node) {
		list_del(&s->kept_node);
		throw_away(s, "the module is unloaded");
	}
}
