// SPDX-License-Identifier: LGPL-2.1
/*
 * emit.c - posix_trace_event(): off it is one load and one test
 *
 * On, the event goes into each stream of the process that runs and does not filter it out:
 * one record in one restartable sequence, as the events of <ktrace/ktrace.h>. A stream's
 * channel is mapped at its first event. Nothing here takes a lock, allocates from the heap or
 * is a cancellation point.
 *
 * A sink is a channel of this process: it is published by compare-and-swap and stays, as other
 * threads may use it, until the stream's place on the board belongs to another stream.
 *
 * A thread keeps words for a few sinks, in entries. A signal handler may give one to another
 * sink: the restartable sequence, which it interrupts, compares the sink again. Whoever works
 * with an entry in any other way says so, and handlers with another sink leave it alone.
 */
#include "trace.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#define KTRACE_LIBRARY
#define KTRACE_REGISTER_LATER
#include <ktrace/channel.h>
#include "event.h"
#include "member.h"
#include "sole.h"

#define ENTRY_NR 8

/**
 * struct posix_sink - a stream, as this process records into it
 * @bit:	in the masks of the board
 * @place:	on the board
 * @word:	of the place, which was READY then
 * @quick_end:	fewer bytes of data than these by the fast path
 * @stream:	number of the stream
 * @max_data:	bytes of data recorded of an event
 * @channel:	its rings
 */
struct posix_sink {
	__u64 bit;
	struct posix_board_stream *place;
	__u64 word;
	__u64 quick_end;
	__u32 stream;
	__u32 max_data;
	struct ktrace_channel *channel;
};

static struct posix_sink *sinks[POSIX_STREAM_NR];

static KTRACE_INLINE struct posix_sink *find_sink(__u32 nr)
{
	/* ORD(find_sink:A) pairs ORD(publish_sink:A): what is found is whole */
	return __atomic_load_n(&sinks[nr], __ATOMIC_ACQUIRE);
}

/* False: another thread has been faster, and *old is its sink. */
static bool publish_sink(__u32 nr, struct posix_sink **old, struct posix_sink *sink)
{
	/* ORD(publish_sink:A) pairs ORD(find_sink:A): what is found is whole */
	return __atomic_compare_exchange_n(&sinks[nr], old, sink, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE);
}

static const struct posix_sink no_sink;

/* Most events go where the last one did: into one stream, this one. */
static const struct posix_sink *last_sink = &no_sink;

static KTRACE_INLINE const struct posix_sink *find_last(void)
{
	/* ORD(find_last:A) pairs ORD(keep_last:A): what is found is whole */
	return __atomic_load_n(&last_sink, __ATOMIC_ACQUIRE);
}

static void keep_last(const struct posix_sink *sink)
{
	/* ORD(keep_last:A) pairs ORD(find_last:A): what is found is whole */
	__atomic_store_n(&last_sink, sink, __ATOMIC_RELEASE);
}

#if defined(__x86_64__) && defined(__LP64__)

/* Every processor whose counter is constant has it, but a hypervisor may hide it. */
static bool has_rdtscp(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(0x80000001, &a, &b, &c, &d) && d & 1u << 27;
}

#else

static bool has_rdtscp(void)
{
	return false;
}

#endif

static struct ktrace_no_rseq no_rseq = { .cpu_id = ~0u };

/**
 * struct entry - what a thread keeps for a sink
 * @thread:	for the writer
 * @sink:	whose, NULL = nobody's
 * @is_used:	otherwise than by the restartable sequence
 */
struct entry {
	struct ktrace_thread thread;
	const struct posix_sink *sink;
	__u32 is_used;
} __attribute__((aligned(64)));

static __thread struct entry entries[ENTRY_NR] __attribute__((tls_model("initial-exec"))) = {
	[0 ... ENTRY_NR - 1] = { .thread = KTRACE_CHANNEL_THREAD(&no_rseq) },
};

__u64 ktrace_posix_sole[POSIX_STREAM_NR];

void ktrace_posix_emit_after_fork(void)
{
	memset(ktrace_posix_sole, 0, sizeof(ktrace_posix_sole));
	for (int i = 0; i < ENTRY_NR; i++) {
		struct entry *e = &entries[i];

		if (e->sink)
			ktrace_channel_after_fork(e->sink->channel, &e->thread);
		e->sink = NULL;
	}
}

static bool copy_where(const struct posix_board_stream *s, char *where)
{
	for (size_t i = 0; i < sizeof(s->where); i++)
		where[i] = kt_load(&s->where[i]);
	return memchr(where, '\0', sizeof(s->where));
}

/* Places, by their words, of streams whose session is gone: events do not ask for it again. */
static __u64 gone[POSIX_STREAM_NR];

static int attach_channel(const struct posix_board_stream *s, struct ktrace_channel **channel)
{
	char where[sizeof(s->where)];

	return copy_where(s, where) ? ktrace_channel_attach(where, channel) : -EINVAL;
}

/* Whether this process may have more of it later. */
static bool is_want(int error)
{
	return error == -EMFILE || error == -ENFILE || error == -ENOMEM || error == -EAGAIN;
}

/* A sink of the stream at @s, seen as @word, or NULL. */
static struct posix_sink *make_sink(struct posix_board_stream *s, __u32 nr, __u64 word)
{
	struct posix_sink *sink = mmap(NULL, sizeof(*sink), PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int error;

	if (sink == MAP_FAILED)
		return NULL;
	error = attach_channel(s, &sink->channel);
	if (error) {
		if (!is_want(error))
			kt_store(&gone[nr], word);
		munmap(sink, sizeof(*sink));
		return NULL;
	}
	sink->bit = 1ull << nr;
	sink->place = s;
	sink->word = word;
	sink->stream = nr;
	sink->max_data = kt_load(&s->max_data);
	if (sink->max_data > POSIX_DATA_MAX)
		sink->max_data = POSIX_DATA_MAX;
	/* Not what has to be cut. */
	sink->quick_end = !has_rdtscp() ? 0 : sink->max_data < KTRACE_DIRECT_MAX / 2
		? sink->max_data + 1 : KTRACE_DIRECT_MAX / 2;
	return sink;
}

/*
 * Maps the stream's channel. Of two threads that do it at once, one's counts. NULL: the event is
 * lost, which is counted; the next one tries again, unless the session is gone.
 */
static kt_noinline struct posix_sink *attach(struct posix_board *b, __u32 nr)
{
	struct posix_board_stream *s = &b->stream[nr];
	struct posix_sink *old = find_sink(nr), *sink;
	int saved = errno;
	__u64 word;

	/* ORD(posix_attach:A) pairs ORD(posix_stream_ready:A): all that a READY one has */
	word = kt_load_acquire(&s->word);
	if (posix_place_state(word) != POSIX_PLACE_READY)
		return NULL;
	sink = kt_load(&gone[nr]) == word ? NULL : make_sink(s, nr, word);
	if (!sink) {
		__atomic_fetch_add(&s->missed, 1, __ATOMIC_RELAXED);
	} else if (!publish_sink(nr, &old, sink)) {
		ktrace_channel_detach(sink->channel);
		munmap(sink, sizeof(*sink));
		sink = old;
	} else if (old) {
		ktrace_channel_retire(old->channel);
	}
	errno = saved;
	return sink;
}

/* A handler must find the entry as it was, or as it will be. */
static kt_noinline void change_sink(struct entry *e, const struct posix_sink *sink)
{
	e->sink = NULL;
	kt_barrier();
	e->thread = (struct ktrace_thread)KTRACE_CHANNEL_THREAD(&no_rseq);
	kt_barrier();
	e->sink = sink;
}

static void tell_reader(struct posix_board_stream *s)
{
	int saved = errno;

	kt_store(&s->is_waiting, 0);
	__atomic_fetch_add(&s->news, 1, __ATOMIC_RELAXED);
	syscall(SYS_futex, &s->news, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	errno = saved;
}

/* Not by itself what stopped it: another writer, or its controller, may have been faster. */
static void found_full(struct posix_board *b, __u32 nr)
{
	const __u64 bit = 1ull << nr;

	if (kt_load(&b->running) & bit) {
		__atomic_fetch_or(&b->full, bit, __ATOMIC_RELAXED);
		posix_halt(b, bit);
	}
	tell_reader(&b->stream[nr]);
}

/**
 * struct emission - one event on its way
 * @address:	of the call
 * @data:	as the caller has it
 * @size:	bytes
 * @id:		event type
 */
struct emission {
	const void *address;
	const void *data;
	size_t size;
	trace_event_id_t id;
};

/* By all means; @t is not the entry's if that belongs to another sink. */
static int write_event(const struct posix_sink *sink, struct ktrace_thread *t,
		       const struct emission *em)
{
	const __u32 max = sink->max_data, flags = em->size > max ? KTRACE_REC_TRUNCATED : 0;
	const struct ktrace_posix_event head = {
		.address = (__u64)(uintptr_t)em->address,
		.thread = (__u64)pthread_self(),
		.pid = (__u32)ktrace_posix_member.owner.pid,
		.size = flags ? max : (__u32)em->size,
	};
	const struct ktrace_piece pieces[2] = {
		{ &head, sizeof(head) }, { em->data, head.size },
	};

	return ktrace_channel_write(sink->channel, t, (__u16)(em->id + POSIX_RING_ID), flags,
				    pieces, 2);
}

/* What the fast path could not do. */
static void record_slow(struct posix_board *b, const struct posix_sink *sink,
			const struct emission *em)
{
	struct ktrace_thread borrowed = KTRACE_CHANNEL_THREAD(&no_rseq);
	struct entry *e = &entries[sink->stream % ENTRY_NR];
	const __u32 was_used = e->is_used;
	int status;

	posix_sole_check(sink->stream);
	if (!ktrace_channel_has_reader(sink->channel)) {
		ktrace_posix_board_bury(b, sink->stream, sink->word);
		return;
	}
	e->is_used = 1;
	kt_barrier();	/* from here on a handler leaves the entry to this sink */
	if (e->sink != sink && !was_used)
		change_sink(e, sink);
	status = write_event(sink, e->sink == sink ? &e->thread : &borrowed, em);
	kt_barrier();
	e->is_used = was_used;
	if (status == -ENOBUFS && kt_load(&b->stream[sink->stream].policy) != POSIX_TRACE_LOOP)
		found_full(b, sink->stream);
}

static KTRACE_INLINE bool is_left_out(const struct posix_board_stream *s, trace_event_id_t id)
{
	return kt_load(&s->filter[id / 64]) & 1ull << id % 64;
}

static kt_noinline void emit_slow(struct posix_board *b, __u32 nr, const struct emission *em)
{
	struct posix_board_stream *s = &b->stream[nr];
	const struct posix_sink *sink = find_sink(nr);

	if (is_left_out(s, em->id))
		return;
	if (!sink || sink->word != kt_load(&s->word))
		sink = attach(b, nr);
	if (!sink)
		return;
	if (kt_load(&b->full) & sink->bit)
		ktrace_channel_lose(sink->channel, KTRACE_LOST_STOPPED);
	else
		record_slow(b, sink, em);
	if (kt_load(&s->is_waiting))
		tell_reader(s);
}

#if defined(__x86_64__) && defined(__LP64__)

/*
 * Head and data behind the record's header, unless the entry is another sink's now; rax keeps
 * the ring's head meanwhile.
 */
#define PUT_EVENT \
	"cmpq %%fs:%c[owner](%[tls]), %[sink]\n\t" \
	"jne %l[failed]\n\t" \
	KTRACE_RSEQ_MOVE("w0", "16") \
	"movq %%fs:0, %%rax\n\t"		/* pthread_self() */ \
	"movq %%rax, 24(%%rsi)\n\t" \
	KTRACE_RSEQ_WORD("w2", "32") \
	"movq %%rcx, %%rax\n\t" \
	"leaq 40(%%rsi), %%rdi\n\t" \
	"movq %[from], %%rsi\n\t" \
	"movq %[size], %%rcx\n\t" \
	KTRACE_RSEQ_COPY \
	"movq %%fs:%c[ring](%[tls]), %%rdi\n\t" \
	"movq %%rax, %%rcx\n\t"

/*
 * ORD(order_clock:A) pairs ORD(posix_run:A): rdtscp waits for what was read before; who has been
 * told of START, or of an event, has a higher stamp. An lfence would keep back what follows, too.
 * Nobody can have told the stream's sole thread of anything.
 */
#define ORDER_CLOCK \
	"testb %b[told], %b[told]\n\t" \
	"jz 4f\n\t" \
	"rdtscp\n\t" \
	"jmp 5f\n" \
	"4:\n\t" \
	"rdtsc\n" \
	"5:\n\t"

_Static_assert(sizeof(struct ktrace_posix_event) == 24, "three words are put");

/* Of this thread's entry for the sink, from the thread pointer */
static KTRACE_INLINE uint64_t entry_offset(const struct posix_sink *sink)
{
	uint64_t offset;

	__asm__("movq entries@gottpoff(%%rip), %0" : "=r" (offset));
	return offset + sink->stream % ENTRY_NR * sizeof(struct entry);
}

/* A record in one restartable sequence, as ktrace_rseq_put_pieces(). */
static KTRACE_INLINE bool put_quick(const struct posix_sink *sink, const struct emission *em)
{
	const uint32_t len = (__u32)(sizeof(struct ktrace_posix_event) + em->size);
	const uint32_t id_len = (em->id + POSIX_RING_ID) | len << 16;
	const uint32_t total = ktrace_rseq_total(len);
	/* In a register: of two halves in memory the processor makes no word at once. */
	__u64 pid_size = (__u32)ktrace_posix_member.owner.pid | (__u64)em->size << 32;
	const uint64_t tls = entry_offset(sink);

	__asm__("" : "+r" (pid_size));
	KTRACE_RSEQ_RECORD(ORDER_CLOCK, tls, id_len, total, PUT_EVENT, "r9",
			   [told] "q" (!posix_is_sole(sink->stream)),
			   [w0] "rm" (em->address), [w2] "r" (pid_size), [sink] "r" (sink),
			   [owner] "i" (offsetof(struct entry, sink)),
			   [from] "rm" (em->data), [size] "rm" (em->size));
	return true;
failed:
	kt_store(&((struct ktrace_no_rseq *)entries[sink->stream % ENTRY_NR].thread.rseq)->rseq_cs,
		 0);
	return false;
}

#else

static KTRACE_INLINE bool put_quick(const struct posix_sink *sink, const struct emission *em)
{
	(void)sink;
	(void)em;
	return false;
}

#endif

/* False: it takes more, but nothing has been done. */
static KTRACE_INLINE bool emit_quick(const struct posix_sink *sink, const struct emission *em)
{
	struct posix_board_stream *s = sink->place;

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

/* By value: so the caller has its own in registers. */
static kt_noinline void emit(struct posix_board *b, __u64 mask, __u64 full, struct emission em)
{
	const struct posix_sink *sink = NULL;

	for (__u64 rest = mask; rest; rest &= rest - 1) {
		const __u32 nr = (__u32)__builtin_ctzll(rest);

		sink = find_sink(nr);
		if (full & 1ull << nr || !sink || !emit_quick(sink, &em))
			emit_slow(b, nr, &em);
	}
	if (sink && !(mask & (mask - 1)) && sink != find_last())
		keep_last(sink);
}

/**
 * posix_trace_event - record an event into the streams of this process (PTRC-50)
 * @id:		event type, opened by this program
 * @data:	its data, copied
 * @size:	bytes; what is beyond a stream's max-data-size is cut off
 *
 * Context: any thread, any signal handler; no cancellation point; errno is kept.
 */
void (posix_trace_event)(trace_event_id_t id, const void *restrict data, size_t size)
{
	const struct emission em = { __builtin_return_address(0), data, data ? size : 0, id };
	const struct posix_sink *sink = find_last();
	const __u64 streams = kt_load(ktrace_posix_streams);
	const struct posix_member *m = &ktrace_posix_member;
	__u64 full, mask;

	if (kt_likely(!streams))
		return;
	full = kt_load(&m->board->full);
	mask = streams & (kt_load(&m->board->running) | full);
	if (!mask || id >= POSIX_ID_NR || !(m->opened[id / 64] & 1ull << id % 64))
		return;
	if (kt_unlikely(mask != sink->bit) || kt_unlikely(full & mask) ||
	    kt_unlikely(!emit_quick(sink, &em)))
		emit(m->board, mask, full, em);
}
