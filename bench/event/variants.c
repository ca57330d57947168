// SPDX-License-Identifier: GPL-2.0
/*
 * variants.c - the same events by ktrace and by what needs no tracer
 *
 * A record is what ktrace writes: 16 bytes of stamp, id, length and thread, the payload,
 * padding to 8. "store" reads the TSC and stores it to a private ring with plain stores.
 * "memcpy" asks the C library for the time and copies a record that was made on the
 * stack. "pipe" gives that to write(2), "fprintf" formats it.
 */
#include "variants.h"

#include <stdlib.h>
#include <unistd.h>
#include <ktrace/ktrace.h>

KTRACE_EVENT(bench, e0);
KTRACE_EVENT(bench, e8, ktrace_u64(a));
KTRACE_EVENT(bench, e16, ktrace_u64(a), ktrace_u32(b), ktrace_u32(c));
KTRACE_EVENT(bench, e64, ktrace_u64(a), ktrace_u64(b), ktrace_u64(c), ktrace_u64(d),
	     ktrace_u64(e), ktrace_u64(f), ktrace_u64(g), ktrace_u64(h));
KTRACE_EVENT(bench, e1024, ktrace_array(u8, data, 1024));
KTRACE_EVENT(bench, estring, ktrace_string(text));
KTRACE_EVENT(bench, off, ktrace_u64(a), ktrace_u32(b), ktrace_u32(c));
KTRACE_EVENT(bench, none, ktrace_u64(a), ktrace_u32(b), ktrace_u32(c));

EVENT_LOOPS(ktrace_0, ktrace(bench, e0));
EVENT_LOOPS(ktrace_8, ktrace(bench, e8, i));
#define I32 ((uint32_t)i)
EVENT_LOOPS(ktrace_16, ktrace(bench, e16, i, I32 + 1, I32 + 2));
EVENT_LOOPS(ktrace_64, ktrace(bench, e64, i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7));
EVENT_LOOPS(ktrace_large, ktrace(bench, e1024, t->bytes));
EVENT_LOOPS(ktrace_string, ktrace(bench, estring, t->text));
EVENT_LOOPS(off, ktrace(bench, off, i, I32 + 1, I32 + 2));
EVENT_LOOPS(none, ktrace(bench, none, i, I32 + 1, I32 + 2));
EVENT_LOOPS(nothing, (void)t);
EVENT_LOOPS(clock, { uint64_t now = event_ticks(); __asm__ __volatile__("" : : "r" (now)); });

const struct event_loops *const variant_ktrace[PAYLOAD_NR] = {
	&ktrace_0_loops, &ktrace_8_loops, &ktrace_16_loops, &ktrace_64_loops,
	&ktrace_large_loops, &ktrace_string_loops,
};

/* As if there were no session: the switch is where a program without one has it. */
bool variants_are_ready(void)
{
	ktrace_event_bench_none.enabled = &ktrace_event_bench_none.off;
	return ktrace_enabled(bench, e0) && ktrace_enabled(bench, estring) &&
	       !ktrace_enabled(bench, off) && !ktrace_enabled(bench, none);
}

struct record {
	uint64_t ts, header;
	uint64_t word[];
};

struct three {
	uint64_t a;
	uint32_t b, c;
};

static inline struct three three_fields(uint64_t i)
{
	return (struct three){ i, (uint32_t)i + 1, (uint32_t)i + 2 };
}

#define BARRIER() __asm__ __volatile__("" : : : "memory")

/* Publishes a record of @size bytes that has been stored. */
static inline void advance(struct private_ring *ring, size_t size)
{
	BARRIER();
	ring->head += (size + 7) & ~7ull;
	BARRIER();
}

static inline struct record *begin_store(struct event_thread *t)
{
	struct record *r = (struct record *)(t->ring[0].data + t->ring[0].head % RING_SIZE);

	r->ts = event_ticks();
	r->header = 42;
	return r;
}

static inline __attribute__((always_inline)) void store_words(struct event_thread *t, uint64_t i,
							      unsigned int nr)
{
	struct record *r = begin_store(t);
	unsigned int k;

	for (k = 0; k < nr; k++)
		r->word[k] = i + k;
	advance(&t->ring[0], sizeof(*r) + 8 * nr);
}

static inline __attribute__((always_inline)) void store_bytes(struct event_thread *t,
							      const void *bytes, size_t size)
{
	struct record *r = begin_store(t);

	memcpy(r->word, bytes, size);
	advance(&t->ring[0], sizeof(*r) + size);
}

static inline void store_three(struct event_thread *t, uint64_t i)
{
	const struct three three = three_fields(i);

	store_bytes(t, &three, sizeof(three));
}

EVENT_LOOPS(store_0, store_words(t, i, 0));
EVENT_LOOPS(store_8, store_words(t, i, 1));
EVENT_LOOPS(store_16, store_three(t, i));
EVENT_LOOPS(store_64, store_words(t, i, 8));
EVENT_LOOPS(store_large, store_bytes(t, t->bytes, LARGE));
EVENT_LOOPS(store_string, store_bytes(t, t->text, strlen(t->text) + 1));

const struct event_loops *const variant_store[PAYLOAD_NR] = {
	&store_0_loops, &store_8_loops, &store_16_loops, &store_64_loops,
	&store_large_loops, &store_string_loops,
};

static inline uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A record on the stack. */
struct built {
	uint64_t ts, header;
	char payload[LARGE];
};

static inline __attribute__((always_inline)) size_t build_words(struct built *r, uint64_t i,
								unsigned int nr)
{
	unsigned int k;
	uint64_t v;

	r->ts = now_ns();
	r->header = 42;
	for (k = 0; k < nr; k++) {
		v = i + k;
		memcpy(r->payload + 8 * k, &v, 8);
	}
	return offsetof(struct built, payload) + 8 * nr;
}

static inline __attribute__((always_inline)) size_t build_bytes(struct built *r,
								const void *bytes, size_t size)
{
	r->ts = now_ns();
	r->header = 42;
	memcpy(r->payload, bytes, size);
	return offsetof(struct built, payload) + size;
}

static inline size_t build_three(struct built *r, uint64_t i)
{
	const struct three three = three_fields(i);

	return build_bytes(r, &three, sizeof(three));
}

static inline void copy(struct event_thread *t, const struct built *r, size_t size)
{
	memcpy(t->ring[1].data + t->ring[1].head % RING_SIZE, r, size);
	advance(&t->ring[1], size);
}

static inline void to_pipe(struct event_thread *t, const struct built *r, size_t size)
{
	if (write(t->pipe[1], r, size) != (ssize_t)size) {
		perror("event_cost: pipe");
		exit(1);
	}
}

#define WITH(what, build) { struct built r; size_t size = build; what(t, &r, size); }
#define BUILT_LOOPS(name, what) \
EVENT_LOOPS(name##_0, WITH(what, build_words(&r, i, 0))); \
EVENT_LOOPS(name##_8, WITH(what, build_words(&r, i, 1))); \
EVENT_LOOPS(name##_16, WITH(what, build_three(&r, i))); \
EVENT_LOOPS(name##_64, WITH(what, build_words(&r, i, 8))); \
EVENT_LOOPS(name##_large, WITH(what, build_bytes(&r, t->bytes, LARGE))); \
EVENT_LOOPS(name##_string, WITH(what, build_bytes(&r, t->text, strlen(t->text) + 1))); \
const struct event_loops *const variant_##name[PAYLOAD_NR] = { \
	&name##_0_loops, &name##_8_loops, &name##_16_loops, &name##_64_loops, \
	&name##_large_loops, &name##_string_loops, \
}

BUILT_LOOPS(memcpy, copy);
BUILT_LOOPS(pipe, to_pipe);

#define N "%lu "
#define PRINT(...) fprintf(t->file, "%lu event " __VA_ARGS__)

EVENT_LOOPS(fprintf_0, PRINT("\n", now_ns()));
EVENT_LOOPS(fprintf_8, PRINT(N "\n", now_ns(), i));
EVENT_LOOPS(fprintf_16, PRINT("%lu %u %u\n", now_ns(), i, I32 + 1, I32 + 2));
EVENT_LOOPS(fprintf_64, PRINT(N N N N N N N N "\n", now_ns(), i, i + 1, i + 2, i + 3, i + 4,
			      i + 5, i + 6, i + 7));
EVENT_LOOPS(fprintf_large, PRINT("%.*s\n", now_ns(), LARGE, (const char *)t->bytes));
EVENT_LOOPS(fprintf_string, PRINT("%s\n", now_ns(), t->text));

const struct event_loops *const variant_fprintf[PAYLOAD_NR] = {
	&fprintf_0_loops, &fprintf_8_loops, &fprintf_16_loops, &fprintf_64_loops,
	&fprintf_large_loops, &fprintf_string_loops,
};
