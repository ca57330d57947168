// SPDX-License-Identifier: LGPL-2.1
/*
 * thread_ring.c - writing to a ring that belongs to one thread
 *
 * For threads whose CPU has no ring or that have no rseq: older C libraries, valgrind, other
 * machines, clocks that cannot be read inside a restartable sequence. The thread claims a ring of
 * the pool by exchanging its owner word from 0 to its own id and gives it back when it ends. The
 * session's owner takes back rings that dead threads still hold. Signal handlers nest, see
 * module/ring/writer.c.
 *
 * Channels other than the process's own have few rings for any number of processes: there a thread
 * holds a ring for one event only, and waits a little if all are in use.
 *
 * A handler may also leave by siglongjmp(3). Then the interrupted event is never finished, and
 * later events in the ring would never be published. So each outermost event remembers its place on
 * the stack. A writer that finds the ring in use, but is not deeper on the stack, has not
 * interrupted that event: it gives up what the event had reserved, kt_ring_adopt().
 */
#include "thread_ring.h"

#define KTRACE_LIBRARY
#include <ktrace/channel.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "channel.h"
#include "confined.h"
#include "ids.h"
#include "own.h"
#include "system.h"
#include "thread.h"

/* Below this number glibc stores a key's value without allocating. */
#define KEY_NR 32

/* How often a thread yields the CPU before it gives up on a ring. */
#define CLAIM_TRIES 1000

/* After this many events without a ring a thread searches again for rings of dead threads. */
#define DEAD_TRIES 64u

static pthread_key_t key;
static bool has_key;

/* Frame of the outermost event of this thread that is being written. */
static __thread uintptr_t outermost __attribute__((tls_model("initial-exec")));

/* Frame of the outermost call of this thread that uses its ring. */
static __thread uintptr_t started __attribute__((tls_model("initial-exec")));

/* True if a thread holds a ring for one event only. */
static bool is_shared(const struct channel *ch)
{
	return !ch->is_own;
}

static bool claim(const struct channel *ch, __u32 nr, __u32 from, __u32 tid)
{
	struct kt_ring r;

	channel_thread_ring(ch, nr, &r);
	/*
	 * ORD(thread_ring_claim:A) pairs ORD(thread_ring_release:A),
	 * ORD(channel_free_dead:A), ORD(channel_free_dead:B): all stores of the previous owner are
	 * done
	 */
	if (!__atomic_compare_exchange_n(&r.w->owner, &from, tid, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return false;
	kt_store(&r.w->generation, kt_load(&r.w->generation) + 1);
	kt_ring_adopt(&r);
	return true;
}

static void release(const struct channel *ch, __u32 nr, __u32 tid)
{
	struct kt_ring r;

	channel_thread_ring(ch, nr, &r);
	if (kt_load(&r.w->owner) != tid)
		return;
	kt_ring_adopt(&r);	/* counts what an abandoned event had reserved */
	/* ORD(thread_ring_release:A) pairs ORD(thread_ring_claim:A): all stores come first */
	kt_store_release(&r.w->owner, 0);
}

/*
 * True if the thread is known to be dead; always false for a thread in another pid namespace than
 * the caller's, where that is unknown. An id whose number this process does not know is taken for
 * the caller's own.
 */
static bool is_dead(__u32 id)
{
	const bool is_foreign = id >= KTRACE_IDS_FIRST;
	int saved = errno;
	bool dead;

	if (is_confined() || is_foreign != ids_are_foreign())
		return false;
	dead = syscall(SYS_kill, (pid_t)ktrace_channel_thread_number(id), 0) && errno == ESRCH;
	errno = saved;
	return dead;
}

/*
 * Takes a ring from a thread that died owning it: the ring is idle. A ring that has the caller's
 * own id belonged to a dead thread with the same number, or to the program that it executed before.
 */
static __u32 claim_of_dead(const struct channel *ch, __u32 tid)
{
	struct kt_ring r;
	__u32 owner, nr;

	for (nr = 0; nr < ch->thread_nr; nr++) {
		channel_thread_ring(ch, nr, &r);
		owner = kt_load(&r.w->owner);
		if (owner && owner <= KTRACE_TID_MASK && (owner == tid || is_dead(owner)) &&
		    claim(ch, nr, owner, tid))
			return nr + 1;
	}
	return 0;
}

/*
 * True if it is time to search for rings of dead threads. Threads that are killed, or end with
 * their process, keep their rings. The session's owner takes them back, but not often, and not
 * those of another pid namespace, which only threads there can check.
 */
static kt_noinline bool looks_for_dead(const struct channel *ch)
{
	static __thread unsigned int tries __attribute__((tls_model("initial-exec")));

	return is_shared(ch) || (ids_have_home() && !(tries++ % DEAD_TRIES));
}

/* Claims a free ring for @tid; returns 1 + its number, 0 if all are taken. */
static kt_noinline __u32 claim_any(const struct channel *ch, __u32 tid)
{
	__u32 i, nr;

	for (i = 0; i < ch->thread_nr; i++) {
		nr = (tid + i) % ch->thread_nr;
		if (claim(ch, nr, 0, tid))
			return nr + 1;
	}
	return 0;
}

static bool is_owner(const struct channel *ch, __u32 own_ring, __u32 tid)
{
	struct kt_ring r;

	if (!own_ring)
		return false;
	channel_thread_ring(ch, own_ring - 1, &r);
	return kt_load(&r.w->owner) == tid;
}

/* Returns 1 + the number of a ring that the thread owns although own_ring does not say so, or 0. */
static __u32 find_own(const struct channel *ch, __u32 tid)
{
	for (__u32 nr = 1; is_shared(ch) && nr <= ch->thread_nr; nr++)
		if (is_owner(ch, nr, tid))
			return nr;
	return 0;
}

/*
 * Returns 1 + the number of the thread's ring, claimed at its first use, or 0; a signal handler
 * must not claim another. Sets *is_new if the ring has just been claimed.
 */
static kt_noinline __u32 own_ring(const struct channel *ch, struct ktrace_thread *t, bool *is_new)
{
	struct system_signals signals;

	*is_new = false;
	if (kt_likely(is_owner(ch, t->own_ring, thread_id(t))))
		return t->own_ring;
	system_block_signals(&signals);
	if (!is_owner(ch, t->own_ring, thread_id(t))) {
		t->own_ring = find_own(ch, thread_id(t));
		if (!t->own_ring) {
			t->own_ring = claim_any(ch, thread_id(t));
			if (!t->own_ring && looks_for_dead(ch))
				t->own_ring = claim_of_dead(ch, thread_id(t));
			*is_new = t->own_ring;
		}
	}
	system_restore_signals(&signals);
	return t->own_ring;
}

static __u32 await_ring(const struct channel *ch, struct ktrace_thread *t, bool *is_new)
{
	__u32 nr = own_ring(ch, t, is_new);

	for (int i = 0; !nr && is_shared(ch) && i < CLAIM_TRIES; i++) {
		if (!is_confined())	/* a thread that waits for this CPU may hold the ring */
			syscall(SYS_sched_yield);
		nr = own_ring(ch, t, is_new);
	}
	return nr;
}

static kt_noinline bool is_on_signal_stack(void)
{
	stack_t stack;

	return !sigaltstack(NULL, &stack) && stack.ss_flags & SS_ONSTACK;
}

/** thread_ring_is_left - true if a jump has left the call with frame @outer, judged from @here */
bool thread_ring_is_left(uintptr_t here, uintptr_t outer)
{
	return here >= outer && !is_on_signal_stack();
}

/*
 * Takes the ring over from an event that will not go on. Blocks signals, so that no handler writes
 * meanwhile; one that ran just before may have taken it over already.
 */
static kt_noinline void take_over(const struct kt_ring *r)
{
	struct system_signals signals;

	system_block_signals(&signals);
	if (kt_ring_is_busy(r))
		kt_ring_adopt(r);
	system_restore_signals(&signals);
}

static inline __attribute__((always_inline)) enum record_result
write_record(const struct channel *ch, const struct record *rec, const struct kt_ring *r)
{
	enum kt_ring_result result;
	const struct ktrace_piece *p = rec->piece;
	size_t left = record_size(rec), off = rec->skip, n;
	struct kt_slot slot;
	char *to;

	if (ch->first_lost && kt_block_room(r, kt_load(&r->w->head)) < KTRACE_RECORD_SIZE(rec->len))
		channel_note_lost(ch, r, kt_load(&r->w->head));
	result = kt_ring_reserve(r, rec->id, rec->len, rec->tid_flags, &slot);
	if (result != KT_RING_OK)
		return result == KT_RING_WAIT ? RECORD_NO_ROOM : RECORD_LOST;
	to = slot.payload;
	if (rec->total) {
		memcpy(to, rec->total, sizeof(*rec->total));
		to += sizeof(*rec->total);
	}
	for (; left; left -= n, to += n, off = 0, p++) {
		n = p->size - off < left ? p->size - off : left;
		memcpy(to, (const char *)p->data + off, n);
	}
	kt_ring_commit(r, &slot);
	return RECORD_DONE;
}

/* Writes a record for the thread that owns the ring, or for a handler that interrupted it. */
static inline enum record_result put(const struct channel *ch, const struct record *rec,
				     const struct kt_ring *r)
{
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	const uintptr_t outer = outermost;
	enum record_result result;
	bool is_nested;

	is_nested = kt_ring_is_busy(r);
	if (is_nested && thread_ring_is_left(here, outer)) {
		take_over(r);
		is_nested = false;
	}
	if (is_nested)
		return write_record(ch, rec, r);
	outermost = here;
	kt_barrier();	/* a handler that finds the ring in use finds this frame, too */
	result = write_record(ch, rec, r);
	kt_barrier();
	outermost = outer;
	return result;
}

/* True if the record is the first in a block at which to ask thread_is_guest(). */
static bool has_begun_block(const struct kt_ring *r, const struct record *rec)
{
	const __u64 pos = kt_load(&r->w->head) - KTRACE_RECORD_SIZE(rec->len);
	const __u32 off = (__u32)pos & (r->block_size - 1);

	return (off == sizeof(struct ktrace_block) || off == KT_OPENING_MAX) &&
	       thread_asks(r, pos - off);
}

static void take(const struct channel *ch, __u32 nr, __u32 tid, struct kt_ring *r)
{
	channel_thread_ring(ch, nr, r);
	r->owner = tid;
}

/* Writes the record of a child in the memory of another thread, whose words it does not touch. */
static kt_noinline enum record_result borrow(const struct channel *ch, const struct record *rec,
					     struct kt_ring *r)
{
	const __u32 tid = rec->tid_flags & KTRACE_TID_MASK;
	const __u32 nr = claim_any(ch, tid);
	enum record_result result;

	if (!nr)
		return RECORD_NO_RING;
	take(ch, nr - 1, tid, r);
	result = write_record(ch, rec, r);
	release(ch, nr - 1, tid);
	return result;
}

/**
 * thread_ring_put - write one record to the ring of a thread
 * @ch:		the channel
 * @t:		the thread's words for it
 * @rec:	the record; rec->tid_flags has the id of its thread
 * @r:		out: the ring
 *
 * A child in the memory of another thread is not the thread that @t belongs to: it borrows a ring
 * for this one record.
 *
 * Return: any but RECORD_DONE leaves the ring as it was; RECORD_NO_RING: all are taken.
 */
enum record_result thread_ring_put(const struct channel *ch, struct ktrace_thread *t,
				   const struct record *rec, struct kt_ring *r)
{
	const __u32 tid = rec->tid_flags & KTRACE_TID_MASK;
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	const bool is_first = !started || thread_ring_is_left(here, started);
	enum record_result result = RECORD_NO_RING;
	bool is_new = false;
	__u32 nr;

	if (tid != thread_id(t))
		return borrow(ch, rec, r);
	if (is_first)
		started = here;
	kt_barrier();	/* the child of a handler that forks finds this frame */
	nr = await_ring(ch, t, &is_new);
	if (nr) {
		take(ch, nr - 1, tid, r);
		result = put(ch, rec, r);
		if (kt_unlikely(has_begun_block(r, rec)) && !thread_asks_kernel(t))
			thread_is_guest(ch, t);
	}
	/* An event that this one interrupted still uses the same ring. */
	if (nr && is_shared(ch) && (is_new || is_first))
		release(ch, nr - 1, tid);
	kt_barrier();
	if (is_first)
		started = 0;
	return result;
}

/*
 * Maps private memory over ring @nr: no other process sees what this process stores there. Gives it
 * an owner, so that no thread claims it.
 */
static void detach(const struct channel *ch, __u32 nr)
{
	struct kt_ring r;
	char *end;

	channel_thread_ring(ch, nr, &r);
	end = r.data + r.size;
	if ((uintptr_t)r.w % 4096 || (uintptr_t)end % 4096)
		return;		/* not the layout of this library's sessions */
	if (mmap(r.w, (size_t)(end - (char *)r.w), PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED)
		r.w->owner = ~0u;
}

/**
 * thread_ring_after_fork - leave the parent's ring, in the child
 * @t:		the words of the child's only thread
 *
 * The parent goes on using that ring. A handler that interrupted an event may have forked: once it
 * returns, the child would go on storing the event, which is its parent's, to that ring.
 */
void thread_ring_after_fork(const struct channel *ch, struct ktrace_thread *t)
{
	if (started && t->own_ring)
		detach(ch, t->own_ring - 1);
	t->own_ring = 0;
}

/* Runs at the end of a thread, and again if the thread has recorded in a later destructor. */
static void give_back(void *thread)
{
	const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	const struct channel *ch;
	struct ktrace_thread *t;
	__u32 nr, i = 0;

	(void)thread;
	own_enter(frame);
	while ((ch = own_each_held(&i, &t))) {
		nr = t->own_ring;
		t->own_ring = 0;
		if (nr)
			release(ch, nr - 1, thread_id(t));
	}
	own_exit(frame);
	own_thread_ends();
}

/** thread_ring_note_end - have the C library call us when the thread ends */
void thread_ring_note_end(struct ktrace_thread *t)
{
	if (has_key)
		pthread_setspecific(key, t);
}

static __attribute__((destructor(101))) void give_back_at_exit(void)
{
	if (own_is_there())
		give_back(&ktrace_thread);
}

/** thread_ring_init - called once, after the process has attached */
void thread_ring_init(void)
{
	has_key = !pthread_key_create(&key, give_back) && key < KEY_NR;
}
