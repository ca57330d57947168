// SPDX-License-Identifier: LGPL-2.1
/*
 * board.c - this program's slot on its user's board, <linux/ktrace_board.h>
 *
 * Mapped when the library is loaded, and never unmapped: every event tests a byte of it. Nothing
 * here is trusted: numbers are masked or compared, never used as addresses.
 *
 * The program takes a slot at load and after a fork. Slots of dead processes are reused. To find
 * one needs no lock, so a process that is killed meanwhile holds nobody up.
 */
#include "board.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/auxv.h>
#include <sys/ipc.h>
#include <sys/shm.h>

#include "base/board_key.h"
#include "base/proc_stat.h"
#include "confined.h"
#include "ring/port.h"
#include "system.h"

/* How many parents are searched for one that a recording has */
#define PARENTS_MAX 16
/* Slots in a page of memory */
#define PAGE_SLOTS 64u
#define SECOND 1000000000ull

_Static_assert(sizeof(struct ktrace_board_slot) == 64, "a cache line");
_Static_assert(sizeof(struct ktrace_board_want) == 128, "KTRACE_BOARD_SIZE");
_Static_assert(sizeof(struct ktrace_board) <= KTRACE_BOARD_SLOTS_OFF, "before the slots");

static struct ktrace_board *board;
static struct ktrace_board_slot *own, *hidden;
static const char *problem = "not looked for";
static __u64 own_since;
static __u32 own_pid;

static enum board_use own_use = BOARD_ALONE;
static __u8 old_flag;

/* seq of the wants that have been joined, by number; 0 = none */
static __u32 joined[KTRACE_BOARD_WANTS];

static struct ktrace_board_slot *slot_at(__u32 nr)
{
	return (struct ktrace_board_slot *)((char *)board + KTRACE_BOARD_SLOTS_OFF) + nr;
}

static struct ktrace_board_want *wants_of(const struct ktrace_board_slot *slot)
{
	return (struct ktrace_board_want *)((char *)board + KTRACE_BOARD_WANTS_OFF) +
	       (slot - slot_at(0)) * KTRACE_BOARD_WANTS;
}

/* Maps the board. Returns what is wrong, or NULL. */
static const char *map_board(void)
{
	const char *name = secure_getenv("KTRACE_BOARD");
	struct shmid_ds ds;
	int id;

	if (getauxval(AT_SECURE))
		return "no board for a program with more rights than its caller";
	if (name && !strcmp(name, "none"))
		return "KTRACE_BOARD is none";
	id = shmget(board_key(geteuid(), name), KTRACE_BOARD_SIZE, IPC_CREAT | 0600);
	if (id < 0)
		return "no board: no System V shared memory";
	if (shmctl(id, IPC_STAT, &ds) || !board_is_trusted(&ds, geteuid()))
		return "the board is another user's, or others may write to it";
	board = shmat(id, NULL, 0);
	if (board == (void *)-1) {
		board = NULL;
		return "the board cannot be mapped";
	}
	if (!kt_load(&board->magic)) {
		kt_store(&board->version, KTRACE_BOARD_VERSION);
		kt_store(&board->magic, KTRACE_BOARD_MAGIC);
	}
	if (kt_load(&board->magic) == KTRACE_BOARD_MAGIC &&
	    kt_load(&board->version) == KTRACE_BOARD_VERSION)
		return NULL;
	shmdt(board);
	board = NULL;
	return "the board is invalid, or of another version";
}

/*
 * Asks the kernel if it may: without a system call this is quicker only for a program that has read
 * a clock before, and has the pages with the kernel's clocks.
 */
static __u64 boottime(void)
{
	struct timespec now;

	if (is_confined() || syscall(SYS_clock_gettime, CLOCK_BOOTTIME, &now))
		clock_gettime(CLOCK_BOOTTIME, &now);
	return (__u64)now.tv_sec * SECOND + (__u64)now.tv_nsec;
}

static bool is_dead(__u32 pid)
{
	return !is_confined() && syscall(SYS_kill, (pid_t)pid, 0) && errno == ESRCH;
}

/*
 * The slots in the order in which a process looks at them: those of one page, which its pid
 * chooses, come first, so that it touches as few pages as possible.
 */
static struct ktrace_board_slot *slot_for(__u32 pid, __u32 i)
{
	return slot_at((pid % (KTRACE_BOARD_SLOTS / PAGE_SLOTS) * PAGE_SLOTS + i) %
		       KTRACE_BOARD_SLOTS);
}

/*
 * Finds the slot of @pid, which is that of the program that this one replaced by exec(). Looks no
 * further than the first page if that has an unused one.
 */
static struct ktrace_board_slot *find_own(__u32 pid, struct ktrace_board_slot **unused)
{
	*unused = NULL;
	for (__u32 i = 0; i < KTRACE_BOARD_SLOTS && (i < PAGE_SLOTS || !*unused); i++) {
		struct ktrace_board_slot *slot = slot_for(pid, i);
		const __u32 owner = kt_load(&slot->pid);

		if ((owner & ~KTRACE_BOARD_BUSY) == pid)
			return slot;
		if (!owner && !*unused)
			*unused = slot;
	}
	return NULL;
}

static bool claim(struct ktrace_board_slot *slot, __u32 from, __u32 pid)
{
	/*
	 * ORD(board_claim:A) pairs ORD(board_take:A), ORD(board_take:C): all stores of the former
	 * owner are done
	 */
	return __atomic_compare_exchange_n(&slot->pid, &from, KTRACE_BOARD_BUSY | pid, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* Claims the slot of a dead process, or one that has become free meanwhile. */
static struct ktrace_board_slot *claim_of_dead(__u32 pid)
{
	for (__u32 i = 0; i < KTRACE_BOARD_SLOTS; i++) {
		struct ktrace_board_slot *slot = slot_for(pid, i);
		const __u32 owner = kt_load(&slot->pid);

		if ((!owner || is_dead(owner & ~KTRACE_BOARD_BUSY)) && claim(slot, owner, pid))
			return slot;
	}
	return NULL;
}

/* Copies a want that is complete; returns false if it is not, or names another process. */
static bool copy_want(const struct ktrace_board_want *from, __u32 pid, __u64 since,
		      struct ktrace_board_want *copy)
{
	/*
	 * ORD(board_want:A) pairs ORD(board_write:B), ORD(board_write:D): the text after an even
	 * number is whole
	 */
	const __u32 seq = kt_load_acquire(&from->seq);

	kt_memcpy(copy, from, sizeof(*copy));
	/*
	 * ORD(board_want:B) pairs ORD(board_write:A), ORD(board_write:C): copied before the number
	 * is read again
	 */
	kt_fence_load();
	if (seq & 1 || seq != kt_load(&from->seq) || copy->pid != pid || copy->since != since)
		return false;
	copy->session[sizeof(copy->session) - 1] = '\0';
	return copy->session[0];
}

/* Adds a want of the header or of a parent to those of @slot, which is still being taken. */
static void adopt_want(struct ktrace_board_slot *slot, __u32 nr, struct ktrace_board_want *want)
{
	struct ktrace_board_want *to = wants_of(slot) + nr;
	const __u32 seq = kt_load(&to->seq) | 1;

	kt_store(&to->seq, seq);
	/* ORD(board_write:A) pairs ORD(board_want:B): odd before the text changes */
	kt_fence_store();
	want->seq = seq;
	want->pid = own_pid;
	want->since = own_since;
	kt_memcpy(to, want, sizeof(*to));
	/* ORD(board_write:B) pairs ORD(board_want:A): text, then even; the bit is our own */
	kt_store_release(&to->seq, seq + 1);
	__atomic_fetch_or(&slot->wanted, (__u8)(1u << nr), __ATOMIC_RELAXED);
}

/* Adopts what the header wants of everyone. */
static void adopt_common(struct ktrace_board_slot *slot)
{
	/* ORD(board_seen:B) pairs ORD(board_bit:B): the want after its bit */
	const __u32 wanted = kt_load_acquire(&board->wanted);
	struct ktrace_board_want want;

	for (__u32 n = 0; n < KTRACE_BOARD_WANTS; n++)
		if (wanted & 1u << n && copy_want(&board->want[n], 0, 0, &want))
			adopt_want(slot, n, &want);
}

static void adopt_of(struct ktrace_board_slot *slot, struct ktrace_board_slot *parent, __u32 pid,
		     __u64 since)
{
	const __u8 wanted = kt_load(&parent->wanted);
	struct ktrace_board_want want;

	for (__u32 n = 0; n < KTRACE_BOARD_WANTS; n++)
		if (wanted & 1u << n && copy_want(wants_of(parent) + n, pid, since, &want))
			adopt_want(slot, n, &want);
}

static bool has_recorder(void)
{
	for (__u32 n = 0; n < KTRACE_BOARD_WANTS; n++)
		if (kt_load(&board->recorder[n]))
			return true;
	return false;
}

/* Adopts what is wanted of the nearest parent that has a slot. */
static void adopt_of_parents(struct ktrace_board_slot *slot)
{
	struct ktrace_board_slot *parent, *ignored;
	__u32 pid = (__u32)getppid();
	struct proc_stat stat;

	for (int i = 0; pid > 1 && i < PARENTS_MAX; i++, pid = stat.ppid) {
		parent = find_own(pid, &ignored);
		if (parent) {
			adopt_of(slot, parent, pid, kt_load(&parent->since));
			return;
		}
		if (!proc_stat_of(pid, &stat))
			return;
	}
}

static void show_flags(struct ktrace_board_slot *slot)
{
	kt_store(&slot->flags, old_flag | (own_use == BOARD_DIRECT ? KTRACE_BOARD_DIRECT : 0));
}

/* Clears what is known of a program that had the slot before. */
static void clear(struct ktrace_board_slot *slot)
{
	kt_store(&slot->on, own_use == BOARD_MANY ? KTRACE_BOARD_MANY : KTRACE_BOARD_ALONE);
	kt_store(&slot->off, 0);
	show_flags(slot);
	for (__u32 n = 0; n < KTRACE_BOARD_WANTS; n++) {
		kt_store(&slot->fate[n], KTRACE_BOARD_WAITS);
		joined[n] = 0;
	}
	kt_store(&slot->joins, 0);
	kt_store(&slot->leaves, 0);
}

/* True if the process has not joined all recordings that want it. */
static bool is_wanted(const struct ktrace_board_slot *slot)
{
	const __u8 wanted = kt_load(&slot->wanted);

	for (__u32 n = 0; n < KTRACE_BOARD_WANTS; n++)
		if (wanted & 1u << n && joined[n] != kt_load(&wants_of(slot)[n].seq))
			return true;
	return false;
}

/* In the child of a fork: it takes part in what its parent has joined, @seq. */
static void inherit(struct ktrace_board_slot *slot, const struct ktrace_board_slot *parent,
		    const __u32 *seq)
{
	for (__u32 n = 0; n < KTRACE_BOARD_WANTS; n++)
		if (seq[n] && seq[n] == kt_load(&wants_of(parent)[n].seq) &&
		    kt_load(&slot->wanted) & 1u << n) {
			joined[n] = kt_load(&wants_of(slot)[n].seq);
			kt_store(&slot->fate[n], KTRACE_BOARD_JOINED);
		}
}

static void publish(struct ktrace_board_slot *slot)
{
	kt_store(&own, slot);
	/* ORD(board_take:A) pairs ORD(board_claim:A), ORD(board_look:A): whole with its pid */
	kt_store_release(&slot->pid, own_pid);
	/* ORD(board_take:B) pairs ORD(board_common:A): shown before it looks for common wants */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	adopt_common(slot);
	if (is_wanted(slot)) {
		kt_store(&slot->off, KTRACE_BOARD_POKED_OFF);
		kt_store(&slot->on, KTRACE_BOARD_POKED_ON);
	}
}

/* True if the slot of this pid was taken by this process before exec(), not by an earlier one. */
static bool is_predecessor(const struct ktrace_board_slot *slot)
{
	const __u64 hz = (__u64)sysconf(_SC_CLK_TCK);
	struct proc_stat s;

	return !proc_stat_of(own_pid, &s) ||
	       s.start / hz * SECOND + s.start % hz * (SECOND / hz) <= kt_load(&slot->since);
}

/* Takes a slot. @parent: the slot of the process that forked, NULL: at load */
static void take_slot(struct ktrace_board_slot *parent, __u32 parent_pid, __u64 parent_since)
{
	struct ktrace_board_slot *slot, *unused;
	__u32 had[KTRACE_BOARD_WANTS];

	own = NULL;
	memcpy(had, joined, sizeof(had));
	slot = find_own(own_pid, &unused);
	if (slot && !parent && kt_load(&slot->pid) == own_pid && is_predecessor(slot)) {
		own_since = kt_load(&slot->since);
		clear(slot);
		publish(slot);
		return;
	}
	if (slot ? !claim(slot, kt_load(&slot->pid), own_pid) :
		   !unused || !claim(unused, 0, own_pid))
		slot = claim_of_dead(own_pid);
	else
		slot = slot ? slot : unused;
	if (!slot) {
		problem = "the board is full";
		__atomic_fetch_add(&board->full, 1, __ATOMIC_RELAXED);
		return;
	}
	own_since = boottime();
	kt_store(&slot->wanted, 0);
	kt_store(&slot->since, own_since);
	clear(slot);
	if (parent) {
		adopt_of(slot, parent, parent_pid, parent_since);
		inherit(slot, parent, had);
	} else if (has_recorder()) {
		adopt_of_parents(slot);
	}
	publish(slot);
}

/** board_take_slot - map the board and take a slot; called once, at load */
void board_take_slot(void)
{
	problem = map_board();
	if (problem)
		return;
	own_pid = (__u32)getpid();
	take_slot(NULL, 0, 0);
}

/** board_problem - why the program has no slot; NULL: it has one */
const char *board_problem(void)
{
	return own ? NULL : problem;
}

/** board_off - the byte that events test that are off; NULL: the program has no slot */
const __u8 *board_off(void)
{
	struct ktrace_board_slot *const slot = kt_load(&own);

	return slot ? &slot->off : NULL;
}

/** board_on - likewise for events that are on */
const __u8 *board_on(void)
{
	struct ktrace_board_slot *const slot = kt_load(&own);

	return slot ? &slot->on : NULL;
}

/** board_is_poked - true if board_look() should be called: a want or a recording has changed */
bool board_is_poked(void)
{
	const struct ktrace_board_slot *const slot = kt_load(&own);

	return slot && (kt_load(&slot->off) || kt_load(&slot->on) == KTRACE_BOARD_POKED_ON);
}

/** board_use - say what the program does now */
void board_use(enum board_use use)
{
	struct ktrace_board_slot *const slot = kt_load(&own);

	own_use = use;
	if (slot)
		show_flags(slot);
}

/** board_has_old - say that some events of the program record into the first recording only */
void board_has_old(void)
{
	old_flag = KTRACE_BOARD_OLD;
	board_use(own_use);
}

/**
 * board_look - put the bytes back that events test
 * @use:	what the program does now
 *
 * What recorders have changed before they poked is seen by the caller afterwards.
 */
void board_look(enum board_use use)
{
	struct ktrace_board_slot *const slot = kt_load(&own);

	board_use(use);
	if (!slot)
		return;
	/* ORD(board_poked:A) pairs ORD(poke:A): what was stored before the poke */
	__atomic_exchange_n(&slot->off, 0, __ATOMIC_ACQ_REL);
	/* ORD(board_poked:B) pairs ORD(poke:B): likewise */
	__atomic_exchange_n(&slot->on, use == BOARD_MANY ? KTRACE_BOARD_MANY : KTRACE_BOARD_ALONE,
			    __ATOMIC_ACQ_REL);
}

/*
 * Clears the bit of the want that had this number of changes; returns false if another one has
 * come meanwhile, whose bit stays.
 */
static bool clear_bit(struct ktrace_board_slot *slot, __u32 n, __u32 seq)
{
	const __u8 bit = (__u8)(1u << n);

	/* ORD(board_clear:A) pairs ORD(board_bit:A): a later want is seen with the bit cleared */
	__atomic_fetch_and(&slot->wanted, (__u8)~bit, __ATOMIC_ACQUIRE);
	if (kt_load(&wants_of(slot)[n].seq) == seq)
		return true;
	__atomic_fetch_or(&slot->wanted, bit, __ATOMIC_RELAXED);
	return false;
}

/**
 * board_wish - look for a recording that wants this process, which has not joined it
 * @wish:	out: the one of the lowest bit
 *
 * Clears bits that mean another process, or nothing.
 *
 * Context: any; may ask the kernel for the pid.
 */
bool board_wish(struct board_wish *wish)
{
	struct ktrace_board_slot *const slot = kt_load(&own);
	const bool is_ours = slot && kt_load(&slot->pid) == own_pid && (__u32)getpid() == own_pid;
	/* ORD(board_seen:A) pairs ORD(board_bit:A): the want after its bit */
	const __u8 wanted = is_ours ? kt_load_acquire(&slot->wanted) : 0;
	struct ktrace_board_want want;

	for (__u32 n = 0; n < KTRACE_BOARD_WANTS; n++) {
		const __u32 seq = wanted & 1u << n ? kt_load(&wants_of(slot)[n].seq) : 1;

		if (seq & 1 || joined[n] == seq)	/* not wanted, or being written */
			continue;
		if (!copy_want(wants_of(slot) + n, own_pid, own_since, &want)) {
			clear_bit(slot, n, seq);
			continue;
		}
		wish->number = n;
		wish->seq = want.seq;
		wish->pidns = want.pidns;
		memcpy(wish->session, want.session, sizeof(wish->session));
		return true;
	}
	return false;
}

/** board_joined - the process takes part in one more recording */
void board_joined(void)
{
	struct ktrace_board_slot *const slot = kt_load(&own);

	if (slot)
		kt_store(&slot->joins, kt_load(&slot->joins) + 1);
}

/** board_fulfilled - tell a recorder that the process takes part in its recording */
void board_fulfilled(const struct board_wish *wish)
{
	struct ktrace_board_slot *const slot = kt_load(&own);

	if (!slot)
		return;
	joined[wish->number] = wish->seq;
	kt_store(&slot->fate[wish->number], KTRACE_BOARD_JOINED);
}

static void show_refusal(struct ktrace_board_slot *slot, __u32 n, int error)
{
	kt_store(&slot->error[n], (__u8)-error);
	kt_store(&slot->fate[n], KTRACE_BOARD_REFUSED);
}

/** board_refused - tell a recorder why the process does not join it, and stop trying */
void board_refused(const struct board_wish *wish, int error)
{
	struct ktrace_board_slot *const slot = kt_load(&own);

	if (slot && clear_bit(slot, wish->number, wish->seq))
		show_refusal(slot, wish->number, error);
}

/** board_refuse_all - the same for whoever wants the process; asks the kernel for nothing */
void board_refuse_all(int error)
{
	struct ktrace_board_slot *const slot = kt_load(&own);
	const __u8 wanted = slot ? kt_load(&slot->wanted) : 0;

	for (__u32 n = 0; n < KTRACE_BOARD_WANTS; n++)
		if (wanted & 1u << n && joined[n] != kt_load(&wants_of(slot)[n].seq)) {
			show_refusal(slot, n, error);
			__atomic_fetch_and(&slot->wanted, (__u8)~(1u << n), __ATOMIC_RELAXED);
		}
}

/** board_left - the process has left a recording */
void board_left(void)
{
	struct ktrace_board_slot *const slot = kt_load(&own);

	if (slot)
		kt_store(&slot->leaves, kt_load(&slot->leaves) + 1);
}

/** board_after_fork - take a slot for the child */
void board_after_fork(void)
{
	struct ktrace_board_slot *parent = own;
	const __u32 pid = own_pid;
	const __u64 since = own_since;

	if (!board)
		return;
	own_pid = system_gettid();
	if (own_pid == 1) {
		/*
		 * The first process of another PID namespace, where numbers mean other processes.
		 * What it executes finds the right board. Further ones that enter a namespace by
		 * fork() would cost every child a system call to tell.
		 */
		problem = "forked into another PID namespace";
		kt_store(&own, NULL);
		board = NULL;
		return;
	}
	take_slot(parent, pid, since);
}

/** board_hide - use the slot no more; the process ends */
void board_hide(void)
{
	hidden = own;
	kt_store(&own, NULL);
}

/** board_give_back - free the slot after board_hide(), when no event points there */
void board_give_back(void)
{
	if (hidden && (__u32)getpid() == own_pid)
		/* ORD(board_take:C) pairs ORD(board_claim:A): the last store to the slot */
		kt_store_release(&hidden->pid, 0);
}
