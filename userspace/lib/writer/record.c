// SPDX-License-Identifier: LGPL-2.1
/*
 * record.c - record an event in all cases that the fast path cannot handle
 *
 * Handles the first event of a thread, end of a block, no per-CPU ring, no room and long payloads;
 * and all events of a process that takes part in several recordings: each is written to one after
 * the other.
 * Nothing here takes a lock, allocates or is a cancellation point. All of it needs less than a
 * kilobyte of the program's stack, tests/bats/stack.bats: that is why some functions are not
 * inlined.
 *
 * An event that does not fit into one record becomes several, and is counted as one if it is lost
 * half way. Signals are blocked meanwhile, so that the fragments of a thread follow each other and
 * the reader can join them, whichever rings they are in. They are not blocked while the first
 * fragment waits for room; all waits of the other fragments share one limit.
 *
 * With the block policy a thread that has waited in vain does not wait again until the reader has
 * taken something: a reader that hangs delays each thread once, and not at each event.
 */
#include "record.h"

#include <ktrace/channel.h>
#include <string.h>

#include "attach.h"
#include "board.h"
#include "channel.h"
#include "confined.h"
#include "cpu_ring.h"
#include "event.h"
#include "ids.h"
#include "own.h"
#include "system.h"
#include "thread.h"
#include "thread_ring.h"

#define SLEEP_MIN_NS 50000
#define SLEEP_MAX_NS 1000000

/**
 * struct patience - the block policy's wait for room, the total for one event
 * @end_ns:	when it ends, 0 = has not begun
 * @sleep_ns:	length of the next sleep
 * @signals:	signal mask to use while waiting; NULL = unchanged
 */
struct patience {
	__u64 end_ns;
	long sleep_ns;
	const struct system_signals *signals;
};

/**
 * struct stall - the thread has waited in vain for room in a channel
 * @control:	identifies the channel by its memory; NULL = none
 * @number:	and by its number, if it is the process's own
 * @taken:	what the reader had taken then
 *
 * A signal handler may change it at any time. That costs a wait, or one event that is counted.
 */
static __thread struct stall {
	const struct ktrace_control *control;
	__u64 number;
	__u64 taken;
} stall __attribute__((tls_model("initial-exec")));

/* Where a thread keeps that: it may wait for room in several channels of the process at a time. */
static struct stall *stall_in(const struct channel *ch)
{
	static __thread struct stall more[OWN_CHANNELS - 1]
		__attribute__((tls_model("initial-exec")));

	return ch->is_own && ch->index ? &more[ch->index - 1] : &stall;
}

/* Sums up what the reader has taken; @r: a ring of the channel, whose words lie side by side */
static __u64 taken_from(const struct channel *ch, const struct kt_ring *r)
{
	const struct ktrace_tail *first = r->tail - r->index;
	__u64 sum = 0;
	__u32 i;

	for (i = 0; i < ch->cpu_nr + ch->thread_nr; i++)
		sum += kt_load(&first[i].tail);
	return sum;
}

/* True if the reader has taken nothing since the thread waited in vain. */
static bool is_stalled(const struct channel *ch, const struct kt_ring *r)
{
	const struct stall *s = stall_in(ch);

	return s->control == ch->control && s->number == ch->number &&
	       s->taken == taken_from(ch, r);
}

/* Replaces a sleep where that system call might kill the program. */
static void spin_ns(long ns)
{
	const __u64 begin = kt_clock(KTRACE_CLOCK_MONOTONIC);

	while (kt_clock(KTRACE_CLOCK_MONOTONIC) - begin < (__u64)ns)
		;
}

/*
 * Waits one step for room in @r. Returns false if the time is over, or no reader will ever make
 * room.
 */
static kt_noinline bool wait_for_room(const struct channel *ch, const struct kt_ring *r,
				      struct patience *p)
{
	const __u64 now = kt_clock(KTRACE_CLOCK_MONOTONIC);
	struct system_signals now_unblocked;

	if (!p->end_ns) {
		p->end_ns = now + (is_stalled(ch, r) ? 0 : ch->timeout_ms * 1000000ull);
		p->sleep_ns = SLEEP_MIN_NS;
	}
	if (now >= p->end_ns) {
		*stall_in(ch) = (struct stall){ ch->control, ch->number, taken_from(ch, r) };
		return false;
	}
	if (!channel_has_reader(ch))
		return false;
	if (p->signals)
		system_restore_signals(p->signals);
	if (is_confined())
		spin_ns(p->sleep_ns);
	else
		system_sleep_ns(p->sleep_ns);
	if (p->signals)
		system_block_signals(&now_unblocked);
	if (p->sleep_ns < SLEEP_MAX_NS)
		p->sleep_ns *= 2;
	return true;
}

/* Writes one record to the ring that is ours now. */
static inline __attribute__((always_inline)) enum record_result
put(const struct channel *ch, struct ktrace_thread *t, struct record *rec,
    struct patience *patience)
{
	enum record_result result;
	struct kt_ring r;

	do {
		result = RECORD_NO_RING;
		if ((rec->tid_flags & KTRACE_TID_MASK) == thread_id(t))
			result = cpu_ring_put(ch, t, rec, &r);
		if (kt_unlikely(result == RECORD_GUEST)) {
			rec->tid_flags &= ~KTRACE_TID_MASK;
			rec->tid_flags |= ids_of(system_gettid()) & KTRACE_TID_MASK;
			result = RECORD_NO_RING;
		}
		if (result == RECORD_NO_RING)
			result = thread_ring_put(ch, t, rec, &r);
	} while (result == RECORD_NO_ROOM && wait_for_room(ch, &r, patience));
	if (result == RECORD_NO_ROOM)
		kt_count(&r.w->lost.count[KTRACE_LOST_TIMEOUT], 1);
	else if (result == RECORD_NO_RING)
		channel_lose(ch, KTRACE_LOST_NORING);
	return result;
}

/* Advances @len bytes in the payload, to the piece with the next byte if there is one. */
static void advance(struct record *rec, size_t len)
{
	rec->skip += len;
	while (rec->skip && rec->skip >= rec->piece->size)
		rec->skip -= rec->piece++->size;
}

/* Waits until the clock advances, even one with coarse steps: fragments may be in two rings. */
static void let_clock_tick(const struct channel *ch)
{
	const __u64 now = kt_clock(ch->cpu.clock);

	while (kt_clock(ch->cpu.clock) == now)
		;
}

static size_t size_of(const struct ktrace_piece *pieces, unsigned int nr)
{
	size_t size = 0;

	while (nr)
		size += pieces[--nr].size;
	return size;
}

/* Records an event that does not fit into one record; otherwise like record_event(). */
static kt_noinline void record_long(const struct channel *ch, struct ktrace_thread *t, __u32 id,
				    const struct ktrace_piece *pieces, unsigned int nr,
				    uintptr_t frame)
{
	const size_t size = size_of(pieces, nr);
	const __u32 total = (__u32)size;
	struct system_signals signals;
	struct patience patience = { .signals = &signals };
	const int saved = errno;
	struct record rec = {
		.id = (__u16)id, .piece = pieces,
		.tid_flags = thread_in(ch, t) & KTRACE_TID_MASK,
	};
	bool is_there;
	__u32 off = 0, n;

	if (!rec.tid_flags || size > UINT32_MAX)
		channel_lose(ch, KTRACE_LOST_NORING);
	/* The last: the process is just joining or leaving. */
	if (!rec.tid_flags || size > UINT32_MAX || rec.id < KTRACE_ID_FIRST) {
		own_exit(frame);
		return;
	}
	system_block_signals(&signals);
	do {
		rec.total = off ? NULL : &total;
		rec.len = off ? 0 : sizeof(total);
		if (off)
			let_clock_tick(ch);
		n = kt_ring_payload_max(ch->cpu.block_size) - rec.len;
		n = total - off < n ? total - off : n;
		rec.len = (__u16)(rec.len + n);
		rec.tid_flags &= KTRACE_TID_MASK;
		rec.tid_flags |= off ? KTRACE_REC_FRAG_NEXT : KTRACE_REC_FRAG_FIRST;
		off += n;
		is_there = put(ch, t, &rec, &patience) == RECORD_DONE;
		advance(&rec, n);
		patience.signals = NULL;
	} while (is_there && off < total);
	system_restore_signals(&signals);
	own_exit(frame);
	errno = saved;
}

/*
 * Hot: programs treat ktrace_record_write() as cold, and the compiler would optimise all of this
 * for size rather than speed. Threads without a per-CPU ring come here for every event. It ends
 * what ktrace_record_write() has begun with own_enter(), so that this function jumps here and its
 * stack is free; @frame: 0 = more is to come.
 */
static kt_noinline __attribute__((hot)) void
record_event(const struct channel *ch, struct ktrace_thread *t, __u32 id,
	     const struct ktrace_piece *pieces, unsigned int nr, uintptr_t frame)
{
	struct patience patience = { 0 };
	const int saved = errno;
	struct record rec = {
		.id = (__u16)id, .len = (__u16)size_of(pieces, nr),
		.tid_flags = thread_in(ch, t) & KTRACE_TID_MASK, .piece = pieces,
	};

	if (!rec.tid_flags)
		channel_lose(ch, KTRACE_LOST_NORING);
	else if (rec.id >= KTRACE_ID_FIRST)	/* otherwise it is just joining or leaving */
		put(ch, t, &rec, &patience);
	own_exit(frame);
	errno = saved;
}

/*
 * Lets the process leave what is over, and join what wants it. Returns the first channel, NULL if
 * the event is not to be recorded.
 */
static kt_noinline const struct channel *look_again(uintptr_t frame)
{
	const int saved = errno;
	const struct channel *ch;

	thread_notice_fork();	/* a child must not take what its parent has to look at */
	ch = own_is_outermost(frame) ? attach_again() : own_held;
	errno = saved;
	return ch && !channel_is_over(ch) ? ch : NULL;
}

static inline __attribute__((always_inline)) void
record(const struct channel *ch, struct ktrace_thread *t, __u32 id,
       const struct ktrace_piece *pieces, unsigned int nr, size_t size, uintptr_t frame)
{
	if (kt_likely(size <= kt_ring_payload_max(ch->cpu.block_size)))
		record_event(ch, t, id, pieces, nr, frame);
	else
		record_long(ch, t, id, pieces, nr, frame);
}

/* True if the thread may write as the fast path of a program does: nobody shares its words. */
static inline bool is_fast(unsigned int nr, size_t size)
{
	const __u32 cpu = ktrace_thread.cpu;

	return nr && size <= KTRACE_DIRECT_MAX &&
	       (cpu < KTRACE_THREAD_LENT || cpu == KTRACE_CPU_NONE);
}

/* Writes so; returns false if it did not. Short events of whole words need no loop. */
static inline __attribute__((always_inline)) bool
record_fast(const struct ktrace_thread *t, __u32 id, const struct ktrace_piece *pieces,
	    unsigned int nr, __u32 size)
{
	const uint64_t thread = ktrace_rseq_words(t);
	uint64_t w[KTRACE_WORDS_MAX];

	if (t->cpu >= KTRACE_THREAD_LENT)
		return false;
	if (nr > 1 || size % 8 || size > sizeof(w))
		return ktrace_rseq_put_with(t, thread, id, pieces, nr, size);
	for (__u32 i = 0; i < size / 8; i++)
		memcpy(&w[i], (const char *)pieces->data + i * sizeof(w[0]), sizeof(w[0]));
	return ktrace_rseq_put_words_with(t, thread, id | size << 16, w, size);
}

/*
 * Counts the event of a handler that has interrupted its thread on the way to a channel, or in one
 * that is over: the handler must not move the thread.
 */
static kt_noinline void lose(const struct ktrace_event *ev, struct channel **place)
{
	struct channel *ch = own_borrow(place);
	__u32 id;

	if (!ch)
		return;
	id = own_is_many() ? event_id(ev, ch) : (__u16)kt_load(&ev->header);
	if (id >= KTRACE_ID_FIRST && !channel_is_over(ch) && channel_is_on(ch, id))
		channel_lose(ch, KTRACE_LOST_NESTED);
	own_return(ch);
}

/* Records an event in all of the process's channels that have it on. */
static kt_noinline __attribute__((hot)) void
record_many(const struct ktrace_event *ev, const struct ktrace_piece *pieces, unsigned int nr,
	    size_t size, uintptr_t frame)
{
	const bool can_be_fast = is_fast(nr, size);
	__u32 mask = kt_load(&own_mask), id;
	const struct channel *ch;
	struct ktrace_thread *t;
	bool has_old = false;

	for (; mask; mask &= mask - 1) {
		const __u32 i = (__u32)__builtin_ctz(mask);

		ch = own_use(i, frame, &t);
		if (kt_unlikely(!ch && own_is_interrupting(i, frame)))
			lose(ev, &own_channels[i]);
		id = ch ? event_id(ev, ch) : 0;
		if (!id || !kt_load(&ch->enable[id]) ||
		    (can_be_fast && record_fast(t, id, pieces, nr, (__u32)size)))
			continue;
		if (channel_is_over(ch))
			has_old = true;
		else
			record(ch, t, id, pieces, nr, size, 0);
	}
	if (has_old)
		look_again(frame);
	own_exit(frame);
}

/* Not cold, as above. */
static kt_noinline __attribute__((hot)) void
write_event(const struct ktrace_event *ev, const struct ktrace_piece *pieces, unsigned int nr)
{
	const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	const struct channel *ch;
	bool is_many;
	size_t size;
	__u32 id;

	if (nr > KTRACE_PIECES_MAX)
		return;
	/* Looked at before the channel: of two, one may be over, and the other the only one. */
	is_many = own_is_many();
	ch = own_enter(frame);
	if (kt_unlikely(board_is_poked() || (!is_many && (!ch || channel_is_over(ch))))) {
		ch = look_again(frame);
		is_many = own_is_many();
	}
	id = (__u16)kt_load(&ev->header);
	size = size_of(pieces, nr);
	if (kt_unlikely(is_many))
		record_many(ev, pieces, nr, size, frame);
	else if (ch && kt_likely(channel_is_on(ch, id)))
		record(ch, &ktrace_thread, id, pieces, nr, size, frame);
	else if (kt_unlikely(!ch && !own_is_outermost(frame)))
		lose(ev, &own_channel);
	else
		own_exit(frame);
}

void ktrace_record_write(const struct ktrace_event *ev, const struct ktrace_piece *pieces,
			 unsigned int nr)
{
	write_event(ev, pieces, nr);
}

int ktrace_channel_write(const struct ktrace_channel *c, struct ktrace_thread *t, __u16 id,
			 __u32 flags, const struct ktrace_piece *pieces, unsigned int nr)
{
	const struct channel *ch = &c->ch;
	const size_t size = size_of(pieces, nr);
	struct patience patience = { 0 };
	enum record_result result;
	struct record rec = { .id = id, .len = (__u16)size, .piece = pieces };
	int saved = errno;

	if (size > kt_ring_payload_max(ch->cpu.block_size) || nr > KTRACE_PIECES_MAX)
		return -EINVAL;
	if (ktrace_thread.cpu == KTRACE_CPU_MUTE) {
		channel_lose(ch, KTRACE_LOST_NORING);
		return -EAGAIN;
	}
	rec.tid_flags = thread_in(ch, t);
	rec.tid_flags = (rec.tid_flags & KTRACE_TID_MASK) | flags;
	result = put(ch, t, &rec, &patience);
	errno = saved;
	if (result == RECORD_DONE)
		return 0;
	return result == RECORD_LOST ? -ENOBUFS : -EAGAIN;
}
