/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * writer.h - the part of recording that is inlined into the traced program
 *
 * Not to be used directly: KTRACE_EVENT() and ktrace() expand to this code, which is the binary
 * interface between programs and libktrace.so. Declarations here do not change within a version of
 * libktrace.map.
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
/* Bound at load time, because the dynamic linker needs more stack to bind a function lazily. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__LP64__)
#define KTRACE_BOUND __attribute__((noplt))
#else
#define KTRACE_BOUND
#endif
#define KTRACE_LIKELY(x) __builtin_expect(!!(x), 1)
#define KTRACE_UNLIKELY(x) __builtin_expect(!!(x), 0)

/**
 * struct ktrace_event - one event type, in one of its definitions
 * @enabled:	points to a byte: 0 while the event is off, 1 while it may record by itself, else to
 *		call the library. The byte is @off, one of the session, or one of the
 *		program's board
 * @desc:	description
 * @header:	lower half: id in the session, once @enabled does not point to @off; upper half:
 *		length of the payload if it is short and constant, else 0
 * @off:	0
 * @is_refused:	true if the registry had no room for it
 * @number:	its number in this process, 0 = none: it takes part in one recording at a time
 *
 * Constant except for libktrace, which registers the event.
 */
struct ktrace_event {
	const uint8_t *enabled;
	const char *desc;
	uint32_t header;
	uint8_t off;
	uint8_t is_refused;
	uint16_t number;
};

/**
 * struct ktrace_piece - a part of a payload
 */
struct ktrace_piece {
	const void *data;
	size_t size;
};

/**
 * struct ktrace_thread - a thread's recording state, in one cache line of its own
 * @rseq:	the thread's struct rseq, or a substitute whose CPU is never @cpu
 * @ring:	address of the ring of @cpu
 * @data:	address of the ring's bytes
 * @size_mask:	bytes of a ring - 1
 * @tid_flags:	lower half 0, upper half as in struct ktrace_record; 0 = the library has not seen
 *		this thread yet
 * @not_block:	-(size of a block in bytes): the bits of a position that identify its block
 * @cpu:	CPU that @ring and @data belong to, or KTRACE_CPU_*
 * @own_ring:	library: 1 + number of the thread ring, 0 = none
 * @no_cpu:	-1. Together with @scratch it is the substitute for struct rseq in a thread without
 *		rseq, which starts at @own_ring
 * @scratch:	where the fast path stores a value that the kernel then ignores
 *
 * Written by the library in the thread itself. Has a private copy of the geometry, so that words in
 * shared memory cannot make a writer leave its ring.
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

/* Values that are neither a CPU nor one of the kernel's values for an unknown CPU (-1, -2). */
#define KTRACE_CPU_NONE 0x7fffffffu	/* call the library */
#define KTRACE_CPU_ASK 0x7ffffffeu	/* call the library; it asks the kernel for the thread */
#define KTRACE_CPU_MUTE 0x7ffffffdu	/* call the library; it counts the event as lost */

/* The substitute for struct rseq in a thread without rseq: no CPU, and room for rseq_cs. */
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
 * An executable defines it too, which overrides the library's definition for all objects: the
 * linker then knows its offset, and the fast path need not load it. If the library does not use
 * this definition, it never contains a CPU, and each event calls the library.
 */
static struct ktrace_no_rseq ktrace_no_rseq __attribute__((unused)) = { 0, ~0u, 0 };
KTRACE_API __thread struct ktrace_thread ktrace_thread
	__attribute__((weak, tls_model("initial-exec"))) = {
	&ktrace_no_rseq, 0, 0, 0, 0, 0, KTRACE_CPU_NONE, 0, ~0u, 0
};
#endif

/**
 * ktrace_events_register - assign ids to the events of an object and switch them on
 * @begin:	first element of the object's section "ktrace_events"
 * @end:	end of the section
 *
 * Called by a constructor that this header adds to each file. Skips events that have been
 * registered already.
 */
KTRACE_API void ktrace_events_register(struct ktrace_event *const *begin,
				       struct ktrace_event *const *end);

/**
 * ktrace_events_add - the same for an object that will call ktrace_events_remove()
 * @begin:	first element of the object's section "ktrace_events"
 * @end:	end of the section
 *
 * Its events are also recorded by recordings that begin later.
 */
KTRACE_API void ktrace_events_add(struct ktrace_event *const *begin,
				  struct ktrace_event *const *end);

/**
 * ktrace_events_remove - forget the events of an object
 * @begin:	first element of the object's section "ktrace_events"
 *
 * Called by a destructor that this header adds to each file.
 */
KTRACE_API void ktrace_events_remove(struct ktrace_event *const *begin);

/**
 * ktrace_record_write - record an event by any means, including those the fast path lacks
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
 * ktrace_maps_changed - tell the session which code has been loaded and unloaded
 *
 * The library checks this itself when the process attaches. A call without a change costs some
 * dozens of microseconds.
 *
 * Context: any thread, any signal handler.
 * Return: 1; 0 if it did nothing: no session records, or this is the child of a vfork(), which uses
 * its parent's memory.
 */
KTRACE_API int ktrace_maps_changed(void);

/* Section bounds, defined by the linker for each object that has events. */
extern struct ktrace_event *const __start_ktrace_events[]
	__attribute__((weak, visibility("hidden")));
extern struct ktrace_event *const __stop_ktrace_events[]
	__attribute__((weak, visibility("hidden")));

/*
 * 101: before the constructors of the program itself. A library that must first decide whether to
 * record defines KTRACE_REGISTER_LATER and calls ktrace_events_add() itself.
 */
#ifndef KTRACE_REGISTER_LATER
static __attribute__((constructor(101))) void ktrace_register_this_object(void)
{
	ktrace_events_add(__start_ktrace_events, __stop_ktrace_events);
}

/* 101: the last destructor. */
static __attribute__((destructor(101))) void ktrace_remove_this_object(void)
{
	ktrace_events_remove(__start_ktrace_events);
}
#endif

/* Payload limits: in registers; copied in one sequence, which fits into the smallest block. */
#define KTRACE_WORDS_MAX 8
#define KTRACE_DIRECT_MAX 2048
#define KTRACE_PIECES_MAX 32

#define KTRACE_FITS_REGISTERS(size) ((size) <= 8 * KTRACE_WORDS_MAX)
#define KTRACE_HEADER_LEN(size) (KTRACE_FITS_REGISTERS(size) ? (uint32_t)(size) << 16 : 0)

/* Returns 0 for an event that is off, KTRACE_ALONE for one that may record without the library. */
static KTRACE_INLINE int ktrace_event_is_on(const struct ktrace_event *ev)
{
	const uint8_t *enabled;

	/* ORD(event_is_on:A) pairs ORD(event_switch_on:A): the id is set before the switch */
	enabled = __atomic_load_n(&ev->enabled, __ATOMIC_ACQUIRE);
	return __atomic_load_n(enabled, __ATOMIC_RELAXED);
}

#define KTRACE_ALONE 1

/* Adds @size (1, 2, 4 or 8) bytes from @v to zeroed words; little endian. */
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
 * @piece:	the pieces; room for two per field
 * @bytes:	copied values, one after the other; room for 8 bytes per field
 */
struct ktrace_list {
	struct ktrace_piece *piece;
	char *bytes;
};

/**
 * struct ktrace_place - where a list continues; separate from it, as it need not have an address
 * @nr:		number of pieces
 * @used:	bytes used in ktrace_list.bytes
 * @is_open:	true if the last piece is at the end of these bytes
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

#include <ktrace/rseq.h>

/*
 * Records at most KTRACE_WORDS_MAX words, which need not have an address; @on: what
 * ktrace_event_is_on() has returned.
 */
static KTRACE_INLINE void ktrace_record_words(const struct ktrace_event *ev, int on,
					      const uint64_t *w, uint32_t size)
{
	if (KTRACE_LIKELY(on == KTRACE_ALONE) && KTRACE_LIKELY(ktrace_rseq_put_words(ev, w, size)))
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

static KTRACE_INLINE void ktrace_record_pieces(const struct ktrace_event *ev, int on,
					       const struct ktrace_piece *p, unsigned int nr,
					       size_t size)
{
	if (on != KTRACE_ALONE || size > KTRACE_DIRECT_MAX ||
	    !ktrace_rseq_put_pieces(ev, p, nr, (uint32_t)size))
		ktrace_record_write(ev, p, nr);
}

#ifdef __cplusplus
}
#endif

#endif
