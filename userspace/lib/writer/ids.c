// SPDX-License-Identifier: LGPL-2.1
/*
 * ids.c - which ids processes and threads have in what is recorded
 *
 * In the pid namespace of the session's owner, which KTRACE_PIDNS names by its inode, ids are the
 * kernel's numbers. In another namespace the same numbers mean other threads. There each 256
 * numbers of the namespace get 256 ids that the kernel never uses (KTRACE_IDS_FIRST and above), by
 * an entry in the registry that all processes of the namespace share. So the ids of a process
 * survive exec, and they are reused with the numbers.
 *
 * A namespace whose inode is unknown, because there is no /proc or a system call filter, counts as
 * one of its own: its processes are told apart as long as they do not execute a program.
 *
 * A child is in another namespace than its parent if it is process 1, or if its parent is not
 * visible from there.
 */
#include "ids.h"

#define KTRACE_LIBRARY
#include <ktrace/channel.h>
#include <stdlib.h>
#include <unistd.h>
#include <linux/ktrace.h>

#include "base/pid_namespace.h"
#include "channel.h"
#include "confined.h"
#include "own.h"
#include "registry.h"
#include "system.h"
#include "text.h"

static void enter_space(struct channel *ch)
{
	struct channel_ids *ids = &ch->ids;

	ids->space = is_confined() ? 0 : pid_namespace();
	ids->made = ids->space ? 0 : kt_clock(ch->cpu.clock);
	ids->is_foreign = ids->home != ids->space;
	for (__u32 i = 0; i < CHANNEL_IDS_KNOWN; i++)
		kt_store(&ids->known[i], 0);
}

/**
 * ids_init - after attaching, before the process announces anything
 * @ch:		the channel
 * @home:	inode of the owner's namespace, 0 = unknown: then every process is taken to be in it
 */
void ids_init(struct channel *ch, __u64 home)
{
	ch->ids.home = home;
	if (home)
		enter_space(ch);
}

/** ids_after_fork - called in the child before it announces anything */
void ids_after_fork(struct channel *ch)
{
	if (ch->ids.home && (system_gettid() == 1 || (!is_confined() && !getppid())))
		enter_space(ch);
}

/** ids_are_foreign - true in another pid namespace than the owner's: kill(2) takes no ids there */
bool ids_are_foreign(void)
{
	const struct channel *ch = own_known();

	return ch && ch->ids.is_foreign;
}

/** ids_have_home - true if the owner's namespace is known */
bool ids_have_home(void)
{
	const struct channel *ch = own_known();

	return ch && ch->ids.home;
}

/* Returns the first id for the 256 numbers of @page; 0 if none is left, which is counted. */
static __u32 first_of(const struct channel *ch, __u32 page)
{
	char desc[96] = "";
	struct text t = { desc, sizeof(desc), 0 };
	__u16 number;

	text_add_number(&t, "ns", ch->ids.space);
	if (!ch->ids.space)
		text_add_number(&t, "since", ch->ids.made);
	text_add_number(&t, "inner", page * KTRACE_IDS_STEP);
	number = registry_ids(ch, desc);
	return number ? KTRACE_IDS_FIRST + number * KTRACE_IDS_STEP : 0;
}

/**
 * ids_of - the id of a thread in recorded data
 * @tid:	its number in this process's pid namespace
 *
 * Return: the id; @tid itself if no ids are left.
 *
 * Context: any.
 */
__u32 ids_of(__u32 tid)
{
	const __u32 page = tid / KTRACE_IDS_STEP;
	struct channel *ch = own_known();
	__u64 *place, known;

	if (!ch || !ch->ids.is_foreign || !tid)
		return tid;
	place = &ch->ids.known[page % CHANNEL_IDS_KNOWN];
	known = __atomic_load_n(place, __ATOMIC_RELAXED);
	if ((__u32)known != page + 1) {
		known = (__u64)first_of(ch, page) << 32 | (page + 1);
		if (!(known >> 32))
			return tid;
		__atomic_store_n(place, known, __ATOMIC_RELAXED);
	}
	return (__u32)(known >> 32) + tid % KTRACE_IDS_STEP;
}

KTRACE_API __u32 ktrace_channel_thread_id(__u32 tid)
{
	return ids_of(tid);
}

KTRACE_API __u32 ktrace_channel_thread_number(__u32 id)
{
	const struct channel *ch = own_known();
	__u32 i;

	for (i = 0; ch && id >= KTRACE_IDS_FIRST && i < CHANNEL_IDS_KNOWN; i++) {
		const __u64 known = __atomic_load_n(&ch->ids.known[i], __ATOMIC_RELAXED);

		if (known && id - (__u32)(known >> 32) < KTRACE_IDS_STEP)
			return ((__u32)known - 1) * KTRACE_IDS_STEP + id - (__u32)(known >> 32);
	}
	return id >= KTRACE_IDS_FIRST ? system_gettid() : id;
}
