// SPDX-License-Identifier: GPL-2.0
/*
 * lend.c - tells programs about children that share their memory
 *
 * A child of clone() with CLONE_VM but without CLONE_SETTLS has its parent thread's thread pointer,
 * and so the words by which a writer knows its thread and CPU: both would write as one. A writer
 * that attaches tells where such a word is (struct ktrace_attach). Before the child runs, the
 * kernel stores a value there that makes the word's user ask for its thread id.
 *
 * The word is stored without a page fault. If its page is missing or copy-on-write, the word stays
 * as it is, and the writer itself notices the child, later.
 *
 * A writer's mappings create an entry for its memory: one for each place of a word, because a
 * program may have several copies of the library. Only the program that attached has entries, and
 * programs that inherit its mappings: a program that was passed the descriptor has other data at
 * that place.
 */
#include "lend.h"
#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <uapi/linux/ktrace.h>
#include <uapi/linux/sched.h>
#include "compat.h"
#include "find.h"

enum { WORDS_MAX = 4 };		/* in one memory: the probe looks at each */

/**
 * struct lend_entry - where the threads of a program have a word
 * @node:	in entries
 * @mm:		memory of a writer; only compared
 * @word:	distance from the thread pointer
 * @mappings:	number of writers' mappings with that word
 * @rcu:	for freeing
 */
struct lend_entry {
	struct hlist_node node;
	const struct mm_struct *mm;
	s32 word;
	u32 mappings;
	struct rcu_head rcu;
};

/* Changed under entries_lock, read under RCU. */
static DEFINE_HASHTABLE(entries, 8);
static DEFINE_SPINLOCK(entries_lock);

static struct tracepoint *newtask;

/* Sessions that want the probe, under users_lock. */
static unsigned int users;
static DEFINE_MUTEX(users_lock);

/* True if current has a system call filter, which may kill it for asking. */
static bool is_confined(void)
{
#ifdef CONFIG_SECCOMP
	return current->seccomp.mode;
#else
	return false;
#endif
}

/* Stores to a thread's word. @is_vfork: current waits until the child has left its memory */
static void lend_tell(unsigned long thread_pointer, s32 word, bool is_vfork)
{
	u32 __user *at = (u32 __user *)(thread_pointer + word);
	const u32 value = is_vfork ? KTRACE_THREAD_ASKS : KTRACE_THREAD_LENT;
	u32 before;

	if (copy_from_user_nofault(&before, at, sizeof(before)) ||
	    before == KTRACE_THREAD_MUTE || before == KTRACE_THREAD_LENT)
		return;
	/* May fail, see the comment at the top. */
	if (copy_to_user_nofault(at, &value, sizeof(value)))
		return;
}

static void lend_on_newtask(void *data, struct task_struct *task, kt_compat_clone_flags flags)
{
	const struct mm_struct *mm = current->mm;
	unsigned long thread_pointer;
	struct lend_entry *e;

	if ((flags & (CLONE_VM | CLONE_SETTLS)) != CLONE_VM || !mm ||
	    kt_compat_is_user_worker(task) || is_confined() ||
	    !kt_arch_thread_pointer(&thread_pointer))
		return;
	rcu_read_lock();
	hash_for_each_possible_rcu(entries, e, node, (unsigned long)mm)
		if (e->mm == mm)
			lend_tell(thread_pointer, e->word, flags & CLONE_VFORK);
	rcu_read_unlock();
}

/* Finds an entry. @nr: out: number of entries of that memory */
static struct lend_entry *lend_find_locked(const struct mm_struct *mm, s32 word, u32 *nr)
{
	struct lend_entry *e, *found = NULL;

	lockdep_assert_held(&entries_lock);
	*nr = 0;
	hash_for_each_possible(entries, e, node, (unsigned long)mm) {
		*nr += e->mm == mm;
		if (e->mm == mm && e->word == word)
			found = e;
	}
	return found;
}

/*
 * Adds a mapping to an entry, which it creates if needed. @like: only if this memory has one; NULL:
 * always
 */
static void lend_add(struct mm_struct *mm, s32 word, const struct mm_struct *like)
{
	struct lend_entry *new, *found;
	u32 nr;

	if (!word)
		return;
	new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	spin_lock(&entries_lock);
	if (like && !lend_find_locked(like, word, &nr))
		goto out_unlock;
	found = lend_find_locked(mm, word, &nr);
	if (found) {
		found->mappings++;
	} else if (new && nr < WORDS_MAX) {
		new->mm = mm;
		new->word = word;
		new->mappings = 1;
		hash_add_rcu(entries, &new->node, (unsigned long)mm);
		new = NULL;
	}
out_unlock:
	spin_unlock(&entries_lock);
	kfree(new);
}

/**
 * kt_lend_add - count a mapping of the program that attached
 * @mm:		its memory
 * @word:	as in struct ktrace_attach; 0: it has none
 *
 * Without memory for an entry, or if there are WORDS_MAX, the program is not told about children.
 *
 * Context: process, sleeps. mmap_lock is held.
 */
void kt_lend_add(struct mm_struct *mm, s32 word)
{
	lend_add(mm, word, NULL);
}

/**
 * kt_lend_inherit - count a mapping made from one of current's: by fork or by splitting it
 * @mm:		memory that has the new mapping
 * @word:	as above; without effect if current has no entry for it
 *
 * Context: as above.
 */
void kt_lend_inherit(struct mm_struct *mm, s32 word)
{
	lend_add(mm, word, current->mm);
}

/** kt_lend_remove - undo one kt_lend_add(), which may have found no memory */
void kt_lend_remove(struct mm_struct *mm, s32 word)
{
	struct lend_entry *e;
	u32 nr;

	if (!word)
		return;
	spin_lock(&entries_lock);
	e = lend_find_locked(mm, word, &nr);
	if (e && !--e->mappings) {
		hash_del_rcu(&e->node);
		kfree_rcu(e, rcu);
	}
	spin_unlock(&entries_lock);
}

/**
 * kt_lend_get - watch new tasks from now on
 *
 * Context: process, sleeps.
 * Return: 0, also if this kernel has no such tracepoint; -ENOMEM.
 */
int kt_lend_get(void)
{
	int err = 0;

	mutex_lock(&users_lock);
	if (!users && newtask)
		err = tracepoint_probe_register(newtask, lend_on_newtask, NULL);
	users += !err;
	mutex_unlock(&users_lock);
	return err;
}

/** kt_lend_put - undo one kt_lend_get(); the probe may run until kt_probe_quiesce() */
void kt_lend_put(void)
{
	mutex_lock(&users_lock);
	if (!--users && newtask)
		WARN_ON_ONCE(tracepoint_probe_unregister(newtask, lend_on_newtask, NULL));
	mutex_unlock(&users_lock);
}

/** kt_lend_init - find the tracepoint. Context: loading, sleeps */
void kt_lend_init(void)
{
	check_trace_callback_type_task_newtask(lend_on_newtask);
	newtask = kt_find_tracepoint("task_newtask");
	if (!newtask)
		pr_warn("this kernel has no tracepoint task_newtask\n");
}
