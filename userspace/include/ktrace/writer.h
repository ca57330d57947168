/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * writer.h - the part of recording that is inlined into the traced program
 *
 * Not to be used directly: this is what KTRACE_EVENT() and ktrace() expand to, and the
 * binary interface between programs and libktrace.so. What is declared here does not
 * change within a version of libktrace.map.
 */
#ifndef KTRACE_WRITER_H
#define KTRACE_WRITER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <ktrace/repeat.h>

#ifdef KTRACE_OLD_STANDARD
#pragma GCC system_header
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define KTRACE_API __attribute__((visibility("default")))
#define KTRACE_INLINE __inline__ __attribute__((always_inline, unused))
#define KTRACE_SECTION(name, align) \
	__attribute__((section(name), used, aligned(align)))
/* Bound when it is loaded: the dynamic linker takes more stack to bind a function at its call. */
#if defined(__GNUC__) && !defined(__clang__) && (defined(__x86_64__) || defined(__aarch64__))
#define KTRACE_BOUND __attribute__((noplt))
#else
#define KTRACE_BOUND
#endif
#define KTRACE_LIKELY(x) __builtin_expect(!!(x), 1)
#define KTRACE_UNLIKELY(x) __builtin_expect(!!(x), 0)

/**
 * struct ktrace_event - one event type, as one definition of it
 * @enabled:	points to @off, or to the byte of the session that switches the event
 * @desc:	description
 * @header:	lower half: id in the session, once @enabled does not point to @off; upper
 *		half: length of the payload if it is short and always the same, else 0
 * @off:	0
 * @is_refused:	the registry had no room for it
 * @reserved:	0
 *
 * Constant but for libktrace, which registers the event.
 */
struct ktrace_event {
	const uint8_t *enabled;
	const char *desc;
	uint32_t header;
	uint8_t off;
	uint8_t is_refused;
	uint8_t reserved[2];
};

/**
 * struct ktrace_piece - a part of a payload
 */
struct ktrace_piece {
	const void *data;
	size_t size;
};

/**
 * struct ktrace_thread - what a thread needs to record, in one cache line of its own
 * @rseq:	the thread's struct rseq; or a look-alike whose CPU is never @cpu
 * @ring:	address of the ring of @cpu
 * @data:	address of the ring's bytes
 * @size_mask:	bytes of a ring - 1
 * @tid_flags:	lower half 0, upper half as in struct ktrace_record; 0 = the library has
 *		not seen this thread yet
 * @not_block:	-(bytes of a block): the bits of a position that name its block
 * @cpu:	CPU that @ring and @data belong to, or KTRACE_CPU_*
 * @own_ring:	library: 1 + number of the thread ring, 0 = none
 * @no_cpu:	-1. With @scratch the look-alike of a thread without rseq, which begins
 *		at @own_ring
 * @scratch:	where the fast path stores what the kernel then does not look at
 *
 * Written by the library in the thread itself. A private copy of the geometry: words
 * in shared memory cannot lead a writer out of its ring.
 */
struct ktrace_thread {
	void *rseq;
	uint64_t ring;
	uint64_t data;
	uint64_t size_mask;
	uint64_t tid_flags;
	uint32_t not_block;
	uint32_t cpu;
	uint32_t own_ring;
	uint32_t no_cpu;
	uint64_t scratch;
} __attribute__((aligned(64)));

/* Neither a CPU nor what the kernel says when it knows none (-1, -2). */
#define KTRACE_CPU_NONE 0x7fffffffu	/* ask the library */
#define KTRACE_CPU_ASK 0x7ffffffeu	/* and it asks the kernel which thread this is */
#define KTRACE_CPU_MUTE 0x7ffffffdu	/* and it counts the event as lost */

/* What a thread without rseq is given as its struct rseq: no CPU, and room for rseq_cs. */
struct ktrace_no_rseq {
	uint32_t cpu_id_start;
	uint32_t cpu_id;
	uint64_t rseq_cs;
};

#if defined(KTRACE_LIBRARY) || (defined(__PIC__) && !defined(__PIE__))
#define KTRACE_IS_SHARED_OBJECT
#endif

#if defined(KTRACE_IS_SHARED_OBJECT)
extern KTRACE_API __thread struct ktrace_thread ktrace_thread
	__attribute__((tls_model("initial-exec")));
#else
/*
 * An executable defines it as well, which takes the place of the library's own for all: so
 * the linker knows where it is, and the fast path need not load that first. If the library
 * does not see it, no CPU is ever in it, and each event asks the library.
 */
static struct ktrace_no_rseq ktrace_no_rseq __attribute__((unused)) = { 0, ~0u, 0 };
KTRACE_API __thread struct ktrace_thread ktrace_thread
	__attribute__((weak, tls_model("initial-exec"))) = {
	&ktrace_no_rseq, 0, 0, 0, 0, 0, KTRACE_CPU_NONE, 0, ~0u, 0
};
#endif

/**
 * ktrace_events_register - give ids to the events of an object and switch them on
 * @begin:	first element of the object's section "ktrace_events"
 * @end:	behind the last
 *
 * Called by a constructor that this header adds to each file. Events that have been
 * registered are left alone.
 */
KTRACE_API void ktrace_events_register(struct ktrace_event *const *begin,
				       struct ktrace_event *const *end);

/**
 * ktrace_record_write - record by all means: whatever the fast path cannot do
 * @ev:		the event
 * @pieces:	its payload
 * @nr:		number of pieces
 *
 * Context: any thread, any signal handler.
 */
KTRACE_API KTRACE_BOUND __attribute__((cold)) void
ktrace_record_write(const struct ktrace_event *ev, const struct ktrace_piece *pieces,
		    unsigned int nr);

/**
 * ktrace_maps_changed - tell the session what code has been loaded and unloaded
 *
 * The library looks by itself when the process attaches. Called without a change it costs
 * some dozens of microseconds.
 *
 * Context: any thread, any signal handler.
 * Return: 1; 0 = it did not: nobody records, or this is the child of a vfork(), which has the
 * memory of its parent.
 */
KTRACE_API int ktrace_maps_changed(void);

/* Section bounds, made by the linker for each object that has events. */
extern struct ktrace_event *const __start_ktrace_events[]
	__attribute__((weak, visibility("hidden")));
extern struct ktrace_event *const __stop_ktrace_events[]
	__attribute__((weak, visibility("hidden")));

/*
 * 101: before the constructors of the program itself. A library that has to decide first
 * whether to record at all defines KTRACE_REGISTER_LATER and calls ktrace_events_register().
 */
#ifndef KTRACE_REGISTER_LATER
static __attribute__((constructor(101))) void ktrace_register_this_object(void)
{
	ktrace_events_register(__start_ktrace_events, __stop_ktrace_events);
}
#endif

/* Payload kept in registers; payload copied in one sequence: the smallest block has room. */
#define KTRACE_WORDS_MAX 8
#define KTRACE_DIRECT_MAX 2048
#define KTRACE_PIECES_MAX 32

#define KTRACE_FITS_REGISTERS(size) ((size) <= 8 * KTRACE_WORDS_MAX)
#define KTRACE_HEADER_LEN(size) (KTRACE_FITS_REGISTERS(size) ? (uint32_t)(size) << 16 : 0)

static KTRACE_INLINE int ktrace_event_is_on(const struct ktrace_event *ev)
{
	const uint8_t *enabled;

	/* ORD(event_is_on:A) pairs ORD(event_switch_on:A): the id is there before the switch */
	enabled = __atomic_load_n(&ev->enabled, __ATOMIC_ACQUIRE);
	return (int)KTRACE_UNLIKELY(__atomic_load_n(enabled, __ATOMIC_RELAXED));
}

/* Adds @size (1, 2, 4 or 8) bytes at @v to zeroed words; little endian. */
static KTRACE_INLINE void ktrace_pack_word(uint64_t *w, unsigned int *at, const void *v,
					   unsigned int size)
{
	unsigned int shift = *at % 8 * 8;
	uint64_t bits = 0;

	memcpy(&bits, v, size);
	w[*at / 8] |= bits << shift;
	if (shift + 8 * size > 64)
		w[*at / 8 + 1] |= bits >> (64 - shift);
	*at += size;
}

/**
 * struct ktrace_list - a payload as pieces
 * @piece:	where its bytes are: room for two pieces a field
 * @bytes:	values, one after the other: room for 8 bytes a field
 */
struct ktrace_list {
	struct ktrace_piece *piece;
	char *bytes;
};

/**
 * struct ktrace_place - where a list goes on; apart from it, as it need not have an address
 * @nr:		number of pieces
 * @used:	bytes of ktrace_list.bytes
 * @is_open:	the last piece is their end
 */
struct ktrace_place {
	unsigned int nr;
	unsigned int used;
	int is_open;
};

static KTRACE_INLINE void ktrace_add_piece(struct ktrace_list *l, struct ktrace_place *at,
					   const void *data, size_t size)
{
	l->piece[at->nr].data = data;
	l->piece[at->nr].size = size;
	at->nr++;
	at->is_open = 0;
}

static KTRACE_INLINE void ktrace_add_value(struct ktrace_list *l, struct ktrace_place *at,
					   const void *v, size_t size)
{
	if (!at->is_open)
		ktrace_add_piece(l, at, l->bytes + at->used, 0);
	at->is_open = 1;
	l->piece[at->nr - 1].size += size;
	memcpy(l->bytes + at->used, v, size);
	at->used += (unsigned int)size;
}

#if defined(__x86_64__) && defined(__LP64__)
#include <ktrace/rseq_x86.h>
#define KTRACE_IN_REGISTERS(size) KTRACE_FITS_REGISTERS(size)
#else
#define KTRACE_IN_REGISTERS(size) 0
static KTRACE_INLINE int ktrace_rseq_put_words(const struct ktrace_event *ev, const uint64_t *w,
					       uint32_t size)
{
	(void)ev;
	(void)w;
	(void)size;
	return 0;
}
static KTRACE_INLINE int ktrace_rseq_put_pieces(const struct ktrace_event *ev,
						const struct ktrace_piece *p, unsigned int nr,
						uint32_t size)
{
	(void)ev;
	(void)p;
	(void)nr;
	(void)size;
	return 0;
}
#endif

/* At most KTRACE_WORDS_MAX words, which need not have an address. */
static KTRACE_INLINE void ktrace_record_words(const struct ktrace_event *ev, const uint64_t *w,
					      uint32_t size)
{
	if (KTRACE_LIKELY(ktrace_rseq_put_words(ev, w, size)))
		return;
	{
		uint64_t copy[KTRACE_WORDS_MAX] = { w[0], w[1], w[2], w[3],
						      w[4], w[5], w[6], w[7] };
		struct ktrace_piece piece;

		piece.data = copy;
		piece.size = size;
		ktrace_record_write(ev, &piece, 1);
	}
}

static KTRACE_INLINE void ktrace_record_pieces(const struct ktrace_event *ev,
					       const struct ktrace_piece *p, unsigned int nr,
					       size_t size)
{
	if (size > KTRACE_DIRECT_MAX || !ktrace_rseq_put_pieces(ev, p, nr, (uint32_t)size))
		ktrace_record_write(ev, p, nr);
}

#ifdef __cplusplus
}
#endif

#endif
