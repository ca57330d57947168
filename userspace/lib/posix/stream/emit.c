// SPDX-License-Identifier: LGPL-2.1
/*
 * emit.c - posix_trace_event(): one load and one test when off
 *
 * When on, the event goes into each stream of the process that is running and does not filter it
 * out: one record in one restartable sequence, like the events of <ktrace/ktrace.h>. A stream's
 * channel is mapped at its first event. This code never takes a lock, never allocates from the heap
 * and is not a cancellation point.
 *
 * A thread keeps state for a few sinks, in entries. A signal handler may reuse an entry for another
 * sink: the restartable sequence that it interrupts compares the sink again. Any other code that
 * uses an entry marks it as used, and handlers with another sink do not touch it.
 */
#include <trace.h>

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "arch/arch.h"
#include "posix/base/event.h"
#include "posix/registry/member.h"
#include "posix/registry/single_thread.h"
#include "sink.h"

static const struct posix_sink no_sink;

/* Most events go into one stream, that of the last event. */
static const struct posix_sink *last_sink = &no_sink;

static KTRACE_INLINE const struct posix_sink *find_last(void)
{
	/* ORD(find_last:A) pairs ORD(keep_last:A): a sink that is found is complete */
	return __atomic_load_n(&last_sink, __ATOMIC_ACQUIRE);
}

static void keep_last(const struct posix_sink *sink)
{
	/* ORD(keep_last:A) pairs ORD(find_last:A): a sink that is found is complete */
	__atomic_store_n(&last_sink, sink, __ATOMIC_RELEASE);
}

/* Changes the entry so that a handler finds either its old or its new state. */
static kt_noinline void change_sink(struct posix_entry *e, const struct posix_sink *sink)
{
	e->sink = NULL;
	kt_barrier();
	e->thread = (struct ktrace_thread)KTRACE_CHANNEL_THREAD(&ktrace_posix_no_rseq);
	kt_barrier();
	e->sink = sink;
}

static void tell_reader(struct posix_registry_stream *s)
{
	int saved = errno;

	kt_store(&s->is_waiting, 0);
	__atomic_fetch_add(&s->news, 1, __ATOMIC_RELAXED);
	syscall(SYS_futex, &s->news, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	errno = saved;
}

/* Marks the stream as full. Another writer or the controller may have stopped it already. */
static void found_full(struct posix_registry *b, __u32 nr)
{
	const __u64 bit = 1ull << nr;

	if (kt_load(&b->running) & bit) {
		__atomic_fetch_or(&b->full, bit, __ATOMIC_RELAXED);
		/*
		 * The reader may have restarted it meanwhile: the thread that halts it sets the
		 * reason.
		 */
		if (posix_halt(b, bit))
			__atomic_fetch_or(&b->full, bit, __ATOMIC_RELAXED);
	}
	tell_reader(&b->stream[nr]);
}

/**
 * struct emission - an event being emitted
 * @address:	address of the call
 * @data:	the caller's data
 * @size:	bytes of data
 * @id:		event type
 */
struct emission {
	const void *address;
	const void *data;
	size_t size;
	trace_event_id_t id;
};

/* Writes by any means; @t is not the entry's if the entry belongs to another sink. */
static int write_event(const struct posix_sink *sink, struct ktrace_thread *t,
		       const struct emission *em)
{
	const __u32 max = sink->max_data, flags = em->size > max ? KTRACE_REC_TRUNCATED : 0;
	const struct ktrace_posix_event head = {
		.address = (__u64)(uintptr_t)em->address,
		.thread = arch_self(),
		.pid = (__u32)ktrace_posix_member.owner.pid,
		.size = flags ? max : (__u32)em->size,
	};
	const struct ktrace_piece pieces[2] = {
		{ &head, sizeof(head) }, { em->data, head.size },
	};

	return ktrace_channel_write(sink->channel, t, (__u16)(em->id + POSIX_ID_BASE), flags,
				    pieces, 2);
}

/* Writes from a handler while its thread uses the entry for another sink. */
static kt_noinline int write_borrowed(const struct posix_sink *sink, const struct emission *em)
{
	struct ktrace_thread borrowed = KTRACE_CHANNEL_THREAD(&ktrace_posix_no_rseq);

	return write_event(sink, &borrowed, em);
}

/* Records an event that the fast path could not record. */
static void record_slow(struct posix_registry *b, const struct posix_sink *sink,
			const struct emission *em)
{
	struct posix_entry *e = &ktrace_posix_entries[sink->stream % POSIX_ENTRY_NR];
	const __u32 was_used = e->is_used;
	int status;

	posix_single_thread_check(sink->stream);
	if (!ktrace_channel_has_reader(sink->channel)) {
		ktrace_posix_registry_bury(b, sink->stream, sink->word);
		return;
	}
	e->is_used = 1;
	kt_barrier();	/* from here on handlers leave the entry to this sink */
	if (e->sink != sink && !was_used)
		change_sink(e, sink);
	status = e->sink == sink ? write_event(sink, &e->thread, em) : write_borrowed(sink, em);
	kt_barrier();
	e->is_used = was_used;
	if (status == -ENOBUFS && kt_load(&b->stream[sink->stream].policy) != POSIX_TRACE_LOOP)
		found_full(b, sink->stream);
}

static KTRACE_INLINE bool is_left_out(const struct posix_registry_stream *s, trace_event_id_t id)
{
	return kt_load(&s->filter[id / 64]) & 1ull << id % 64;
}

static void emit_slow(struct posix_registry *b, __u32 nr, const struct emission *em)
{
	struct posix_registry_stream *s = &b->stream[nr];
	const struct posix_sink *sink = posix_find_sink(nr);

	if (is_left_out(s, em->id))
		return;
	if (!sink || sink->word != kt_load(&s->word))
		sink = ktrace_posix_sink_attach(b, nr);
	if (!sink)
		return;
	if (kt_load(&b->full) & sink->bit)
		ktrace_channel_lose(sink->channel, KTRACE_LOST_STOPPED);
	else
		record_slow(b, sink, em);
	if (kt_load(&s->is_waiting))
		tell_reader(s);
}

#if ARCH_HAS_RSEQ
_Static_assert(sizeof(struct ktrace_posix_event) == 24, "three words are put");

/* Leaves the sequence, which has not stored anything visible. */
static void forget_sequence(const struct posix_entry *e)
{
	kt_store(&((struct ktrace_no_rseq *)e->thread.rseq)->rseq_cs, 0);
}
#endif

#include ARCH_POSIX_H

/* Returns false if it has done nothing because the event needs the slow path. */
static KTRACE_INLINE bool emit_quick(const struct posix_sink *sink, const struct emission *em)
{
	struct posix_registry_stream *s = sink->place;

	if (kt_unlikely(sink->word != kt_load(&s->word)))
		return false;
	if (is_left_out(s, em->id))
		return true;
	if (kt_unlikely(em->size >= sink->quick_end) || kt_unlikely(!put_quick(sink, em)))
		return false;
	if (kt_unlikely(kt_load(&s->is_waiting)))
		tell_reader(s);
	return true;
}

/* Not inlined, so that its variables take no stack when emit() has to take the slow path. */
static kt_noinline bool emit_one(const struct posix_sink *sink, const struct emission *em)
{
	return emit_quick(sink, em);
}

static KTRACE_INLINE bool is_opened(trace_event_id_t id)
{
	return id < POSIX_ID_NR && ktrace_posix_member.opened[id / 64] & 1ull << id % 64;
}

/*
 * Emits into several streams, or in cases that are not simple. Has the parameters of
 * posix_trace_event() first, so that it can be its tail call.
 */
static kt_noinline void emit(trace_event_id_t id, const void *data, size_t size,
			     const void *address)
{
	const struct emission em = { address, data, size, id };
	struct posix_registry *b = ktrace_posix_member.registry;
	const __u64 full = kt_load(&b->full);
	const __u64 mask = kt_load(ktrace_posix_streams) & (kt_load(&b->running) | full);
	const struct posix_sink *sink = NULL;

	if (!is_opened(id))
		return;
	for (__u64 rest = mask; rest; rest &= rest - 1) {
		const __u32 nr = (__u32)__builtin_ctzll(rest);

		sink = posix_find_sink(nr);
		if (full & 1ull << nr || !sink || !emit_one(sink, &em))
			emit_slow(b, nr, &em);
	}
	if (sink && !(mask & (mask - 1)) && sink != find_last())
		keep_last(sink);
}

/**
 * posix_trace_event - record an event into the streams of this process (PTRC-50)
 * @id:		event type, opened by this program
 * @data:	its data, copied
 * @size:	bytes; data beyond a stream's max-data-size is truncated
 *
 * Context: any thread, any signal handler; not a cancellation point; preserves errno.
 */
void (posix_trace_event)(trace_event_id_t id, const void *restrict data, size_t size)
{
	const struct emission em = { __builtin_return_address(0), data, data ? size : 0, id };
	const struct posix_sink *sink = find_last();
	const __u64 streams = kt_load(ktrace_posix_streams);
	const struct posix_registry *b = ktrace_posix_member.registry;
	__u64 mask;

	if (kt_unlikely(!streams))
		return;
	mask = streams & kt_load(&b->running);
	if (kt_likely(mask) && kt_likely(mask == sink->bit) &&
	    kt_likely(!(streams & kt_load(&b->full))) &&
	    kt_likely(is_opened(id)) && kt_likely(emit_quick(sink, &em)))
		return;
	emit(id, data, em.size, em.address);
}
