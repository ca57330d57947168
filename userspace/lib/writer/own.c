// SPDX-License-Identifier: LGPL-2.1
/*
 * own.c - the recordings that this process takes part in
 *
 *   none --join--> one channel --join--> several --their recordings are over--> one --> none ...
 *
 * The first channel is own_channel: its ids are those in the events, and ktrace_thread has its
 * rings. For the others each thread has a page of its own, with the same words for each of
 * them. When the first one is over, one of the others takes its place.
 *
 * Threads and signal handlers may be using a channel when the process leaves it, and a thread that
 * is idle keeps addresses of its rings in ktrace_thread. So each thread holds the channel that it
 * has recorded into last, and moves to the present one when it next enters the library. The rings
 * are sealed by then (linux/ktrace_board.h): no fast path finds room, each thread enters. Likewise
 * for each of the other channels.
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

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "confined.h"
#include "system.h"
#include "thread.h"
#include "thread_ring.h"

#define CHANNELS_AT_ONCE 8
/* In struct channel.users: the process has left it, so the last thread that lets go frees it. */
#define USERS_LEFT (1u << 31)

static const struct ktrace_thread no_words = { .cpu = KTRACE_CPU_NONE, .no_cpu = ~0u };

struct channel *own_channel;
struct channel *own_channels[OWN_CHANNELS];
__u32 own_mask;
bool own_has_many;

/* Unused ones; only the thread that joins a recording takes from this list. */
static struct channel *unused;

__thread struct channel *own_held;
__thread uintptr_t own_outermost;
__thread struct own_others *own_others;
/* Number of the thread whose words these are, in its own namespace; 0 = it has not recorded */
static __thread __u32 number __attribute__((tls_model("initial-exec")));

static struct channel *channel_at(struct channel **place)
{
	/* ORD(own_present:A) pairs ORD(own_publish:A), ORD(own_publish:B): it is complete */
	return __atomic_load_n(place, __ATOMIC_ACQUIRE);
}

static struct channel *present(void)
{
	return channel_at(&own_channel);
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

/* Finds an index for a channel; OWN_CHANNELS: all are taken. */
static __u32 find_place(void)
{
	__u32 i;

	for (i = 0; i < OWN_CHANNELS && own_channels[i]; i++)
		;
	return i;
}

/* Makes unused channels. Most processes need one only, for which no memory is mapped. */
static bool make_more(void)
{
	static struct channel first;
	static bool has_first;
	struct channel *more;

	if (!has_first) {
		has_first = true;
		make_unused(&first);
		return true;
	}
	more = mmap(NULL, CHANNELS_AT_ONCE * sizeof(*more), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (more == MAP_FAILED)
		return false;
	for (int i = 0; i < CHANNELS_AT_ONCE; i++)
		make_unused(&more[i]);
	return true;
}

/**
 * own_alloc - get an empty channel
 *
 * Return: the channel; NULL: no memory, or the process has OWN_CHANNELS.
 *
 * Context: only the thread that joins.
 */
struct channel *own_alloc(void)
{
	static __u64 last;
	const __u32 index = find_place();
	struct channel *ch;
	__u64 nr;

	if (index == OWN_CHANNELS)
		return NULL;

	if (!__atomic_load_n(&unused, __ATOMIC_RELAXED) && !make_more())
		return NULL;
	do
		/* ORD(own_alloc:A) pairs ORD(own_free:A): its last user has let go */
		ch = __atomic_load_n(&unused, __ATOMIC_ACQUIRE);
	while (!__atomic_compare_exchange_n(&unused, &ch, ch->next, true, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED));
	nr = ++last;
	/* A thread that counts itself by mistake may be doing so now: users stays as it is. */
	ch->number = nr;
	ch->index = index;
	ch->is_direct = false;
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

/* Counts the caller as a user of the channel at a place, NULL if there is none. */
static struct channel *get(struct channel **place)
{
	struct channel *ch = channel_at(place);

	while (ch) {
		/*
		 * ORD(own_get:A) pairs ORD(own_leave:B), ORD(own_leave:C): counted first, then
		 * looked at again
		 */
		__atomic_add_fetch(&ch->users, 1, __ATOMIC_SEQ_CST);
		/*
		 * ORD(own_get:B) pairs ORD(own_leave:B), ORD(own_leave:C): still present after it
		 * was counted
		 */
		if (__atomic_load_n(place, __ATOMIC_SEQ_CST) == ch)
			return ch;
		put(ch);
		ch = channel_at(place);
	}
	return NULL;
}

/**
 * own_borrow - use a channel that the thread does not hold, to count something
 * @place:	own_channel or one of own_channels
 *
 * Return: the channel, which stays mapped until own_return(); NULL: there is none.
 *
 * Context: any.
 */
struct channel *own_borrow(struct channel **place)
{
	return get(place);
}

/** own_return - end what own_borrow() has begun */
void own_return(struct channel *ch)
{
	put(ch);
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

/* True if the thread holds a channel other than as the first one. */
static bool is_among_others(const struct channel *ch, __u32 index)
{
	return own_others && own_others->held[index] == ch;
}

/* If the thread holds the first channel among the others, takes it and its words from there. */
static bool take_over(struct ktrace_thread *t)
{
	struct channel *ch = present();
	const struct ktrace_thread *from;

	if (!ch || !is_among_others(ch, ch->index))
		return false;
	from = &own_others->words[ch->index];
	/* If it has had no event there yet, these are empty: it is set up at the first one. */
	if (from->tid_flags) {
		t->own_ring = from->own_ring;
		t->rseq = from->rseq == &from->own_ring ? &t->own_ring : from->rseq;
		t->size_mask = from->size_mask;
		t->not_block = from->not_block;
		t->tid_flags = from->tid_flags;
	}
	kt_barrier();	/* a handler finds complete words */
	own_others->held[ch->index] = NULL;
	own_held = ch;
	return true;
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
	if (!take_over(t))
		own_held = get(&own_channel);
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

/* Makes the thread's page; signals are blocked. A confined program must not ask for memory. */
static bool make_others(void)
{
	struct own_others *o;

	if (own_others || is_confined())
		return own_others;
	o = mmap(NULL, sizeof(*o), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (o == MAP_FAILED)
		return false;
	own_others = o;
	thread_ring_note_end(&ktrace_thread);
	return true;
}

/* Lets the thread hold the present channel at a place. Returns it, NULL: none, or no memory. */
static kt_noinline struct channel *hold(__u32 index)
{
	struct channel *ch = channel_at(&own_channels[index]), *old;
	struct system_signals signals;

	system_block_signals(&signals);
	if (!make_others()) {
		if (ch)
			channel_lose(ch, KTRACE_LOST_NORING);
		ch = NULL;
	} else if (own_others->held[index] != ch) {
		old = own_others->held[index];
		own_others->held[index] = NULL;
		own_others->words[index] = no_words;
		if (old)
			put(old);
		ch = get(&own_channels[index]);
		own_others->held[index] = ch;
	}
	system_restore_signals(&signals);
	return ch;
}

/** own_use_slow - own_use() for a channel that the thread does not hold among the others */
struct channel *own_use_slow(__u32 index, uintptr_t frame, struct ktrace_thread **t)
{
	struct channel *ch = channel_at(&own_channels[index]);

	*t = &ktrace_thread;
	if (!ch || ch == own_held)
		return ch;
	if (own_is_interrupting(index, frame))
		return NULL;
	ch = hold(index);
	*t = own_others ? &own_others->words[index] : NULL;
	return ch;
}

/** own_each - own_use() for all channels: the next one from *index on, which then is after it */
struct channel *own_each(__u32 *index, uintptr_t frame, struct ktrace_thread **t)
{
	struct channel *ch = NULL;

	while (!ch && *index < OWN_CHANNELS)
		ch = own_use((*index)++, frame, t);
	return ch;
}

/** own_each_held - likewise, but only channels that the thread holds already */
struct channel *own_each_held(__u32 *index, struct ktrace_thread **t)
{
	while (*index < OWN_CHANNELS) {
		const __u32 i = (*index)++;
		struct channel *ch = channel_at(&own_channels[i]);

		*t = ch && is_among_others(ch, i) ? &own_others->words[i] : &ktrace_thread;
		if (ch && (ch == own_held || is_among_others(ch, i)))
			return ch;
	}
	return NULL;
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

/** own_has_session - true if a channel of this session is the process's own; with the lock */
bool own_has_session(__u64 session)
{
	for (__u32 i = 0; i < OWN_CHANNELS; i++)
		if (own_channels[i] && own_channels[i]->session == session)
			return true;
	return false;
}

/** own_next_first - the channel that is to be the first when @leaving is over; with the lock */
struct channel *own_next_first(const struct channel *leaving)
{
	if (own_channel != leaving)
		return own_channel;
	for (__u32 i = 0; i < OWN_CHANNELS; i++)
		if (own_channels[i] && own_channels[i] != leaving)
			return own_channels[i];
	return NULL;
}

/** own_publish - make a complete channel the process's own, the first one if there is no other */
void own_publish(struct channel *ch)
{
	ch->is_own = true;
	kt_store(&ch->is_left, false);
	__atomic_add_fetch(&ch->users, 1, __ATOMIC_RELAXED);
	/* ORD(own_publish:A) pairs ORD(own_present:A): everything in it comes first */
	__atomic_store_n(&own_channels[ch->index], ch, __ATOMIC_RELEASE);
	kt_store(&own_mask, own_mask | 1u << ch->index);
	if (!own_channel)
		/* ORD(own_publish:B) pairs ORD(own_present:A): likewise */
		__atomic_store_n(&own_channel, ch, __ATOMIC_RELEASE);
}

/** own_set_many - let the library write each event to all channels, or end that */
void own_set_many(bool is_many)
{
	/* ORD(own_set_many:A) pairs ORD(own_many:A): ids and channels come first */
	__atomic_store_n(&own_has_many, is_many, __ATOMIC_RELEASE);
}

/**
 * own_leave - let the process leave a channel
 *
 * Events have the ids of own_next_first() by now.
 */
void own_leave(struct channel *ch)
{
	struct channel *first = own_next_first(ch);

	/*
	 * ORD(own_leave:B) pairs ORD(own_get:A), ORD(own_get:B): no longer present before it is
	 * given up
	 */
	__atomic_store_n(&own_channels[ch->index], NULL, __ATOMIC_SEQ_CST);
	kt_store(&own_mask, own_mask & ~(1u << ch->index));
	/* ORD(own_leave:C) pairs ORD(own_get:A), ORD(own_get:B): likewise */
	__atomic_store_n(&own_channel, first, __ATOMIC_SEQ_CST);
	/* ORD(own_leave:A) pairs ORD(over_head:A): known to be left before the rings are gone */
	kt_store_release(&ch->is_left, true);
	/* If there is no memory, or none may be asked for, that of the recording stays, sealed. */
	if (!is_confined())
		empty(ch->map, ch->map_size, PROT_READ | PROT_WRITE);
	__atomic_add_fetch(&ch->users, USERS_LEFT, __ATOMIC_RELAXED);
	put(ch);
}

/** own_pin - keep the addresses of the present channels for ever; with the lock */
void own_pin(void)
{
	for (__u32 i = 0; i < OWN_CHANNELS; i++)
		if (own_channels[i])
			kt_store(&own_channels[i]->is_pinned, true);
}

/** own_forget - in the child of a fork: start anew, as another thread was joining */
void own_forget(void)
{
	own_set_many(false);
	own_mask = 0;
	for (__u32 i = 0; i < OWN_CHANNELS; i++)
		__atomic_store_n(&own_channels[i], NULL, __ATOMIC_RELAXED);
	__atomic_store_n(&own_channel, NULL, __ATOMIC_RELAXED);
}

/** own_after_fork - in the child, whose only thread this is */
void own_after_fork(void)
{
	struct channel *ch;

	number = 0;
	for (__u32 i = 0; i < OWN_CHANNELS; i++) {
		ch = channel_at(&own_channels[i]);
		if (ch)
			ch->users = 1 + (own_held == ch || is_among_others(ch, i));
	}
}

/* Lets go of the channels that are not the first one; the page may be needed by a handler. */
static void drop_others(void)
{
	struct own_others *o = own_others;

	own_others = NULL;
	kt_barrier();	/* a handler finds no page */
	for (__u32 i = 0; o && i < OWN_CHANNELS; i++)
		if (o->held[i])
			put(o->held[i]);
	if (o && !is_confined())
		munmap(o, sizeof(*o));
}

/** own_thread_ends - let go of the channels; the thread may still record in a later destructor */
void own_thread_ends(void)
{
	struct channel *old = own_held;

	forget_channel(&ktrace_thread);
	own_held = NULL;
	if (old)
		put(old);
	drop_others();
}
