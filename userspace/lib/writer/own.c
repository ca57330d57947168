// SPDX-License-Identifier: LGPL-2.1
/*
 * own.c - the recording that this process takes part in, one after the other
 *
 *   none --join--> a channel --its recording is over--> none --join--> another channel ...
 *
 * Threads and signal handlers may be using a channel when the process leaves it, and a thread that
 * is idle keeps addresses of its rings in ktrace_thread. So each thread holds the channel that it
 * has recorded into last, and moves to the present one when it next enters the library. The rings
 * are sealed by then (linux/ktrace_board.h): no fast path finds room, each thread enters.
 *
 * A channel's memory is freed in two steps. When the process leaves, private empty pages replace
 * it: a head of 0 has no room either, and what late writers store is lost. When the last
 * thread lets go, the pages become read-only, which take no memory. The addresses are never
 * unmapped; a later channel takes them. A thread that holds no channel, and is stopped between
 * two instructions of an event, may yet read the event's byte there. struct channel itself is
 * reused, too: a thread that has read its address too early counts itself as a user, finds that
 * the channel is not the present one, and takes that back.
 *
 * A handler that interrupts the library must not move its thread: the interrupted function still
 * uses the channel. So the outermost call is remembered by its frame. A handler may leave by
 * siglongjmp(3); a later call that is not deeper on the stack then finds that it is outermost.
 */
#include "own.h"

#define KTRACE_LIBRARY
#include <ktrace/writer.h>
#include <string.h>
#include <sys/mman.h>

#include "confined.h"
#include "system.h"
#include "thread.h"
#include "thread_ring.h"

#define CHANNELS_AT_ONCE 8
/* In struct channel.users: the process has left it, so the last thread that lets go frees it. */
#define USERS_LEFT (1u << 31)

struct channel *own_channel;

/* Unused ones; only the thread that joins a recording takes from this list. */
static struct channel *unused;

__thread struct channel *own_held;
__thread uintptr_t own_outermost;
/* Number of the thread whose words these are, in its own namespace; 0 = it has not recorded */
static __thread __u32 number __attribute__((tls_model("initial-exec")));

static struct channel *present(void)
{
	/* ORD(own_present:A) pairs ORD(own_publish:A): the channel is complete */
	return __atomic_load_n(&own_channel, __ATOMIC_ACQUIRE);
}

static void make_unused(struct channel *ch)
{
	struct channel *first = __atomic_load_n(&unused, __ATOMIC_RELAXED);

	do
		ch->next = first;
	/* ORD(own_free:A) pairs ORD(own_alloc:A): its last user has let go */
	while (!__atomic_compare_exchange_n(&unused, &first, ch, true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED));
}

/** own_alloc - get an empty channel, NULL: no memory; only by the thread that joins */
struct channel *own_alloc(void)
{
	static __u64 last;
	struct channel *ch, *more;
	__u64 nr;

	if (!__atomic_load_n(&unused, __ATOMIC_RELAXED)) {
		more = mmap(NULL, CHANNELS_AT_ONCE * sizeof(*more), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (more == MAP_FAILED)
			return NULL;
		for (int i = 0; i < CHANNELS_AT_ONCE; i++)
			make_unused(&more[i]);
	}
	do
		/* ORD(own_alloc:A) pairs ORD(own_free:A): its last user has let go */
		ch = __atomic_load_n(&unused, __ATOMIC_ACQUIRE);
	while (!__atomic_compare_exchange_n(&unused, &ch, ch->next, true, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED));
	nr = ++last;
	/* A thread that counts itself by mistake may be doing so now: users stays as it is. */
	ch->number = nr;
	ch->is_pinned = false;
	kt_store(&ch->is_left, false);
	return ch;
}

/*
 * Replaces memory by empty pages. They exist before they are moved there, so that no address is
 * without memory if there is none: then what was there stays.
 */
static void empty(char *at, size_t size, int prot)
{
	char *pages = mmap(NULL, size, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (pages != MAP_FAILED && mremap(pages, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, at) ==
	    MAP_FAILED)
		munmap(pages, size);
}

/* Keeps the addresses for a later channel. */
static void vacate(struct channel *ch)
{
	if (ch->is_pinned)
		ch->map = NULL;
	/* A filter of system calls may have come meanwhile: then the pages stay as they are. */
	if (ch->map && !is_confined())
		empty(ch->map, ch->map_size, PROT_READ);
	if (!ch->map)
		ch->map_size = 0;
	make_unused(ch);
}

/** own_free - give back a channel that was not published */
void own_free(struct channel *ch)
{
	vacate(ch);
}

/*
 * Another result than USERS_LEFT: it is in use, or the caller was a mistaken user, see get().
 * Such a one may be stopped in between until the channel is used again: so the state is one
 * number.
 */
static void put(struct channel *ch)
{
	__u32 left = USERS_LEFT;

	/* ORD(own_put:A) pairs ORD(own_put:A): the last one comes after all uses */
	if (__atomic_sub_fetch(&ch->users, 1, __ATOMIC_ACQ_REL) != USERS_LEFT ||
	    !__atomic_compare_exchange_n(&ch->users, &left, 0, false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		return;
	vacate(ch);
}

/* Counts the caller as a user of the present channel, NULL if there is none. */
static struct channel *get(void)
{
	struct channel *ch = present();

	while (ch) {
		/* ORD(own_get:A) pairs ORD(own_leave:B): counted first, then looked at again */
		__atomic_add_fetch(&ch->users, 1, __ATOMIC_SEQ_CST);
		/* ORD(own_get:B) pairs ORD(own_leave:B): still present after it was counted */
		if (__atomic_load_n(&own_channel, __ATOMIC_SEQ_CST) == ch)
			return ch;
		put(ch);
		ch = present();
	}
	return NULL;
}

/* Lets the thread's words forget the channel that it holds. */
static void forget_channel(struct ktrace_thread *t)
{
	if (t->cpu < KTRACE_THREAD_LENT)
		t->cpu = KTRACE_CPU_NONE;
	t->own_ring = 0;
	t->tid_flags = 0;
	kt_barrier();	/* the fast path of a handler finds no CPU */
}

/* True if the caller is a child in the memory of the thread whose words these are. */
static bool is_guest(const struct ktrace_thread *t)
{
	return kt_unlikely(thread_asks_kernel(t)) && number && system_gettid() != number;
}

/* Moves the thread to the present channel. */
static kt_noinline struct channel *move(void)
{
	struct ktrace_thread *t = &ktrace_thread;
	struct channel *old = own_held;

	if (is_guest(t))
		return NULL;
	forget_channel(t);
	own_held = NULL;
	kt_barrier();	/* a handler finds that the thread holds nothing */
	if (old)
		put(old);
	own_held = get();
	if (own_held) {
		number = system_gettid();
		thread_ring_note_end(t);
	}
	return own_held;
}

/** own_enter_slow - own_enter() if the thread holds another channel, or may be interrupted */
struct channel *own_enter_slow(uintptr_t frame)
{
	struct channel *ch = present();

	if (own_outermost && own_outermost != frame && !thread_ring_is_left(frame, own_outermost))
		return own_held == ch ? ch : NULL;
	own_outermost = frame;
	kt_barrier();	/* a handler finds this frame */
	return own_held == ch ? ch : move();
}

/** own_again - between own_enter() and own_exit(): get the channel if it has changed */
struct channel *own_again(void)
{
	return own_held == present() ? own_held : move();
}

/** own_known - the channel that the thread holds, otherwise the process's; for ids of threads */
struct channel *own_known(void)
{
	return own_held ? own_held : present();
}

/** own_note_thread - before the thread makes a child that shares its words */
void own_note_thread(void)
{
	if (!number)
		number = system_gettid();
}

/** own_publish - make a complete channel the process's own */
void own_publish(struct channel *ch)
{
	ch->is_own = true;
	kt_store(&ch->is_left, false);
	__atomic_add_fetch(&ch->users, 1, __ATOMIC_RELAXED);
	/* ORD(own_publish:A) pairs ORD(own_present:A): everything in it comes first */
	__atomic_store_n(&own_channel, ch, __ATOMIC_RELEASE);
}

/**
 * own_leave - let the process leave a channel
 *
 * The events point elsewhere by now.
 */
void own_leave(struct channel *ch)
{
	/*
	 * ORD(own_leave:B) pairs ORD(own_get:A), ORD(own_get:B): no longer present before it is
	 * given up
	 */
	__atomic_store_n(&own_channel, NULL, __ATOMIC_SEQ_CST);
	/* ORD(own_leave:A) pairs ORD(over_head:A): known to be left before the rings are gone */
	kt_store_release(&ch->is_left, true);
	/* If there is no memory, that of the recording stays, sealed. */
	empty(ch->map, ch->map_size, PROT_READ | PROT_WRITE);
	__atomic_add_fetch(&ch->users, USERS_LEFT, __ATOMIC_RELAXED);
	put(ch);
}

/** own_pin - keep the addresses of the present channel for ever */
void own_pin(void)
{
	struct channel *ch = get();

	if (!ch)
		return;
	kt_store(&ch->is_pinned, true);
	put(ch);
}

/** own_forget - in the child of a fork: start anew, as another thread was joining */
void own_forget(void)
{
	__atomic_store_n(&own_channel, NULL, __ATOMIC_RELAXED);
}

/** own_after_fork - in the child, whose only thread this is */
void own_after_fork(void)
{
	struct channel *ch = present();

	number = 0;
	if (ch)
		ch->users = 1 + (own_held == ch);
}

/** own_thread_ends - let go of the channel; the thread may still record in a later destructor */
void own_thread_ends(void)
{
	struct channel *old = own_held;

	forget_channel(&ktrace_thread);
	own_held = NULL;
	if (old)
		put(old);
}
