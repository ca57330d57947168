// SPDX-License-Identifier: LGPL-2.1
/*
 * attacher.c - the recorder's side of a board, <linux/ktrace_board.h>
 *
 * Everything on the board can be forged by the user's processes. Numbers of slots are ours;
 * pids are checked with the kernel before they are believed.
 */
#include "internal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/attacher.h>

#include "base/board_key.h"
#include "base/proc_stat.h"

#define SECOND 1000000000ull

/**
 * struct ktrace_attacher - a recorder's number on a board
 * @board:	the board
 * @number:	index of the recorder's wants
 */
struct ktrace_attacher {
	struct ktrace_board *board;
	__u32 number;
};

static struct ktrace_board_slot *slot_at(const struct ktrace_attacher *a, __u32 nr)
{
	return (struct ktrace_board_slot *)((char *)a->board + KTRACE_BOARD_SLOTS_OFF) + nr;
}

static struct ktrace_board_want *want_at(const struct ktrace_attacher *a, __u32 nr)
{
	return (struct ktrace_board_want *)((char *)a->board + KTRACE_BOARD_WANTS_OFF) +
	       nr * KTRACE_BOARD_WANTS + a->number;
}

static bool is_dead(__u32 pid)
{
	return kill((pid_t)pid, 0) && errno == ESRCH;
}

/* Clears the number's bit everywhere. */
static void clear_bits(const struct ktrace_attacher *a)
{
	const __u32 bit = 1u << a->number;

	__atomic_fetch_and(&a->board->wanted, ~bit, __ATOMIC_RELAXED);
	for (__u32 i = 0; i < KTRACE_BOARD_SLOTS; i++)
		if (kt_load(&slot_at(a, i)->wanted) & bit)
			__atomic_fetch_and(&slot_at(a, i)->wanted, (__u8)~bit, __ATOMIC_RELAXED);
}

/* Claims a number that is free, or whose recorder is dead. */
static int claim_number(struct ktrace_attacher *a, __u32 own)
{
	for (__u32 n = 0; n < KTRACE_BOARD_WANTS; n++) {
		__u32 *owner = &a->board->recorder[n], from = kt_load(owner);

		if (from && !is_dead(from))
			continue;
		/* ORD(claim_number:A) pairs ORD(attacher_close:A): its bits are cleared */
		if (!__atomic_compare_exchange_n(owner, &from, own, false, __ATOMIC_ACQUIRE,
						 __ATOMIC_RELAXED))
			continue;
		a->number = n;
		clear_bits(a);
		return 0;
	}
	return -EBUSY;
}

static int map_board(__u32 uid, const char *name, struct ktrace_board **board)
{
	const int make = uid == geteuid() ? IPC_CREAT | 0600 : 0;
	struct shmid_ds ds;
	int id;

	if (name && !strcmp(name, "none"))
		return -EOPNOTSUPP;
	id = shmget(board_key(uid, name), KTRACE_BOARD_SIZE, make);
	if (id < 0)
		return errno == EINVAL ? -EPERM : -errno;
	if (shmctl(id, IPC_STAT, &ds))
		return -errno;
	if (!board_is_trusted(&ds, uid))
		return -EPERM;
	*board = shmat(id, NULL, 0);
	if (*board == (void *)-1)
		return -errno;
	if (!kt_load(&(*board)->magic)) {
		kt_store(&(*board)->version, KTRACE_BOARD_VERSION);
		kt_store(&(*board)->magic, KTRACE_BOARD_MAGIC);
	}
	if (kt_load(&(*board)->magic) == KTRACE_BOARD_MAGIC &&
	    kt_load(&(*board)->version) == KTRACE_BOARD_VERSION)
		return 0;
	shmdt(*board);
	return -EBADMSG;
}

int ktrace_attacher_open(__u32 uid, const char *name, struct ktrace_attacher **out)
{
	struct ktrace_attacher *a = calloc(1, sizeof(*a));
	int error;

	*out = NULL;
	if (!a)
		return -ENOMEM;
	error = map_board(uid, name, &a->board);
	if (error)
		goto err_free;
	error = claim_number(a, (__u32)getpid());
	if (error)
		goto err_unmap;
	*out = a;
	return 0;

err_unmap:
	shmdt(a->board);
err_free:
	free(a);
	return error;
}

void ktrace_attacher_close(struct ktrace_attacher *a)
{
	if (!a)
		return;
	clear_bits(a);
	/* ORD(attacher_close:A) pairs ORD(claim_number:A): the bits are cleared first */
	kt_store_release(&a->board->recorder[a->number], 0);
	shmdt(a->board);
	free(a);
}

__u32 ktrace_attacher_full(const struct ktrace_attacher *a)
{
	return kt_load(&a->board->full);
}

/* True if the process that took the slot at @since still lives: a later one started later. */
static bool is_alive(__u32 pid, __u64 since)
{
	const __u64 hz = (__u64)sysconf(_SC_CLK_TCK);
	struct proc_stat stat;

	if (!proc_stat_of(pid, &stat))
		return !is_dead(pid);	/* no /proc */
	return stat.state != 'Z' && stat.state != 'X' &&
	       stat.start / hz * SECOND + stat.start % hz * (SECOND / hz) <= since;
}

bool ktrace_attacher_next(const struct ktrace_attacher *a, __u32 slot,
			  struct ktrace_attachable *found)
{
	for (; slot < KTRACE_BOARD_SLOTS; slot++) {
		const struct ktrace_board_slot *s = slot_at(a, slot);
		/* ORD(board_look:A) pairs ORD(board_take:A): a slot with a pid is whole */
		const __u32 pid = kt_load_acquire(&s->pid);

		if (!pid || pid & KTRACE_BOARD_BUSY || !is_alive(pid, kt_load(&s->since)))
			continue;
		*found = (struct ktrace_attachable) {
			.slot = slot,
			.pid = pid,
			.fate = kt_load(&s->fate[a->number]),
			.error = kt_load(&s->error[a->number]),
			.is_wanted = kt_load(&s->wanted) & 1u << a->number,
			.has_old = kt_load(&s->flags) & KTRACE_BOARD_OLD &&
				   kt_load(&s->joins) - kt_load(&s->leaves) > 1,
			.is_direct = kt_load(&s->flags) & KTRACE_BOARD_DIRECT,
		};
		return true;
	}
	return false;
}

/* Writes a want. Only this recorder writes it, and the process it is for, which copies others. */
static int write_want(struct ktrace_board_want *to, __u32 pid, __u64 since, const char *session,
		      __u64 pidns)
{
	const __u32 seq = kt_load(&to->seq) | 1;

	if (strlen(session) >= sizeof(to->session))
		return -EINVAL;
	kt_store(&to->seq, seq);
	/* ORD(board_write:C) pairs ORD(board_want:B): odd before the text changes */
	kt_fence_store();
	kt_store(&to->pid, pid);
	kt_store(&to->since, since);
	kt_store(&to->pidns, pidns);
	memset(to->session, 0, sizeof(to->session));
	strcpy(to->session, session);
	/* ORD(board_write:D) pairs ORD(board_want:A): text, then even, then the bit */
	kt_store_release(&to->seq, seq + 1);
	return 0;
}

int ktrace_attacher_want(struct ktrace_attacher *a, const struct ktrace_attachable *found,
			 const char *session, __u64 pidns)
{
	struct ktrace_board_slot *s = slot_at(a, found->slot);
	const __u64 since = kt_load(&s->since);
	int error;

	if (kt_load(&s->pid) != found->pid)
		return -ESRCH;
	error = write_want(want_at(a, found->slot), found->pid, since, session, pidns);
	if (error)
		return error;
	kt_store(&s->fate[a->number], KTRACE_BOARD_WAITS);
	/* ORD(board_bit:A) pairs ORD(board_seen:A), ORD(board_clear:A): want, then bit */
	__atomic_fetch_or(&s->wanted, (__u8)(1u << a->number), __ATOMIC_RELEASE);
	boards_poke_slot(s);
	return 0;
}

void ktrace_attacher_poke(struct ktrace_attacher *a, const struct ktrace_attachable *found)
{
	struct ktrace_board_slot *s = slot_at(a, found->slot);

	if (kt_load(&s->pid) == found->pid)
		boards_poke_slot(s);
}

int ktrace_attacher_want_all(struct ktrace_attacher *a, const char *session, __u64 pidns)
{
	int error = write_want(&a->board->want[a->number], 0, 0, session, pidns);

	if (!error)
		/* ORD(board_bit:B) pairs ORD(board_seen:B): the want before its bit */
		__atomic_fetch_or(&a->board->wanted, 1u << a->number, __ATOMIC_RELEASE);
	/* ORD(board_common:A) pairs ORD(board_take:B): wanted of all before slots are looked at */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return error;
}
