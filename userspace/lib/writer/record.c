// SPDX-License-Identifier: LGPL-2.1
/*
 * record.c - record an event in all cases that the fast path cannot handle
 *
 * First event of a thread, end of a block, no per-CPU ring, no room, long payloads.
 * Nothing here takes a lock, allocates or is a cancellation point.
 *
 * An event that does not fit into one record becomes several, and is counted as one if
 * it is lost half way. Signals are blocked meanwhile, so that the fragments of a thread follow
 * each other and the reader can put them together, in whatever rings they lie. They are not
 * blocked while the first fragment waits for room; the others have one limit for all waits.
 */
#include "record.h"

#include <ktrace/channel.h>

#include "channel.h"
#include "cpu_ring.h"
#include "system.h"
#include "thread.h"
#include "thread_ring.h"

#define SLEEP_MIN_NS 50000
#define SLEEP_MAX_NS 1000000

/**
 * struct patience - the block policy's wait for room, in all for one event
 * @end_ns:	when it ends, 0 = has not begun
 * @sleep_ns:	next step
 * @signals:	what is blocked while waiting; NULL = what is
 */
struct patience {
	__u64 end_ns;
	long sleep_ns;
	const struct system_signals *signals;
};

/* Waits a step. False: the time is over, or nobody will ever make room. */
static bool wait_for_room(const struct channel *ch, struct patience *p)
{
	const __u64 now = kt_clock(KTRACE_CLOCK_MONOTONIC);
	struct system_signals now_unblocked;

	if (!p->end_ns) {
		p->end_ns = now + ch->timeout_ms * 1000000ull;
		p->sleep_ns = SLEEP_MIN_NS;
	}
	if (now >= p->end_ns || !channel_has_reader(ch))
		return false;
	if (p->signals)
		system_restore_signals(p->signals);
	system_sleep_ns(p->sleep_ns);
	if (p->signals)
		system_block_signals(&now_unblocked);
	if (p->sleep_ns < SLEEP_MAX_NS)
		p->sleep_ns *= 2;
	return true;
}

/* Writes one record to whichever ring is ours now. */
static enum record_result put(const struct channel *ch, struct ktrace_thread *t,
			      const struct record *rec, struct patience *patience)
{
	enum record_result result;
	struct kt_ring r;

	do {
		result = RECORD_NO_RING;
		if ((rec->tid_flags & KTRACE_TID_MASK) == thread_id(t))
			result = cpu_ring_put(ch, t, rec, &r);
		if (result == RECORD_NO_RING)
			result = thread_ring_put(ch, t, rec, &r);
	} while (result == RECORD_NO_ROOM && wait_for_room(ch, patience));
	if (result == RECORD_NO_ROOM)
		kt_count(&r.w->lost.count[KTRACE_LOST_TIMEOUT], 1);
	else if (result == RECORD_NO_RING)
		channel_lose(ch, KTRACE_LOST_NORING);
	return result;
}

/* Appends @len bytes of a payload, from @off on, to the pieces of a record. */
static void cut(struct record *rec, const struct ktrace_piece *p, size_t off, size_t len)
{
	size_t n;

	rec->len = (__u16)(rec->len + len);
	for (; len; p++) {
		if (off >= p->size) {
			off -= p->size;
			continue;
		}
		n = p->size - off < len ? p->size - off : len;
		rec->piece[rec->nr++] = (struct ktrace_piece){ (const char *)p->data + off, n };
		len -= n;
		off = 0;
	}
}

/* A later stamp even on a clock with coarse steps: fragments may lie in two rings. */
static void let_clock_tick(const struct channel *ch)
{
	const __u64 now = kt_clock(ch->cpu.clock);

	while (kt_clock(ch->cpu.clock) == now)
		;
}

static void put_fragments(const struct channel *ch, struct ktrace_thread *t, struct record *rec,
			  const struct ktrace_piece *pieces, __u32 total, __u32 max)
{
	const struct ktrace_piece total_piece = { &total, sizeof(total) };
	const __u32 tid = rec->tid_flags;
	struct system_signals signals;
	struct patience patience = { .signals = &signals };
	bool is_there;
	__u32 off = 0, n;

	system_block_signals(&signals);
	do {
		rec->nr = 0;
		rec->len = 0;
		if (!off)
			cut(rec, &total_piece, 0, sizeof(total));
		else
			let_clock_tick(ch);
		n = total - off < max - rec->len ? total - off : max - rec->len;
		cut(rec, pieces, off, n);
		rec->tid_flags = tid | (off ? KTRACE_REC_FRAG_NEXT : KTRACE_REC_FRAG_FIRST);
		off += n;
		is_there = put(ch, t, rec, &patience) == RECORD_DONE;
		patience.signals = NULL;
	} while (is_there && off < total);
	system_restore_signals(&signals);
}

static size_t size_of(const struct ktrace_piece *pieces, unsigned int nr)
{
	size_t size = 0;

	while (nr)
		size += pieces[--nr].size;
	return size;
}

/* Only these members: the rest is large, and filled in by cut(). */
static void begin(struct record *rec, __u16 id, __u32 tid_flags)
{
	rec->id = id;
	rec->len = 0;
	rec->tid_flags = tid_flags;
	rec->nr = 0;
}

/*
 * Hot: programs take ktrace_record_write() for cold, and the compiler would make all of
 * this small rather than fast. For threads without a per-CPU ring it is every event.
 */
static kt_noinline __attribute__((hot)) void
record_event(__u16 id, const struct ktrace_piece *pieces, unsigned int nr)
{
	const struct channel *ch = &channel;
	const __u32 max = kt_ring_payload_max(ch->cpu.block_size);
	struct ktrace_thread *t = &ktrace_thread;
	struct patience patience = { 0 };
	const size_t size = size_of(pieces, nr);
	struct record rec;

	begin(&rec, id, thread_enter(t) & KTRACE_TID_MASK);
	if (size <= max) {
		cut(&rec, pieces, 0, size);
		put(ch, t, &rec, &patience);
	} else if (size <= UINT32_MAX) {
		put_fragments(ch, t, &rec, pieces, (__u32)size, max);
	} else {
		channel_lose(ch, KTRACE_LOST_NORING);
	}
}

void ktrace_record_write(const struct ktrace_event *ev, const struct ktrace_piece *pieces,
			 unsigned int nr)
{
	int saved = errno;

	if (!channel_is_attached() || nr > KTRACE_PIECES_MAX)
		return;
	record_event((__u16)ev->header, pieces, nr);
	errno = saved;
}

int ktrace_channel_write(const struct ktrace_channel *c, struct ktrace_thread *t, __u16 id,
			 __u32 flags, const struct ktrace_piece *pieces, unsigned int nr)
{
	const struct channel *ch = &c->ch;
	const size_t size = size_of(pieces, nr);
	struct patience patience = { 0 };
	enum record_result result;
	struct record rec;
	int saved = errno;

	if (size > kt_ring_payload_max(ch->cpu.block_size) || nr > KTRACE_PIECES_MAX)
		return -EINVAL;
	thread_set_up(ch, t);
	begin(&rec, id, (thread_id(t) & KTRACE_TID_MASK) | flags);
	cut(&rec, pieces, 0, size);
	result = put(ch, t, &rec, &patience);
	errno = saved;
	if (result == RECORD_DONE)
		return 0;
	return result == RECORD_LOST ? -ENOBUFS : -EAGAIN;
}
