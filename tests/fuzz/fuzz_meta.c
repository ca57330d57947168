// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_meta.c - hostile META text, names of threads, and the clock made of it
 *
 * The input is META text. Stamps then become times: never back while stamps rise, and
 * the same by the short way and the long one. Names are those of the latest fact. Any
 * value that the writer encodes comes back as it was.
 */
#include <ktrace/tracefile.h>

#include "fuzz.h"
#include "traceset/trace.h"

#define STAMPS 24u

static void ignore(void *arg, const char *path, __u64 offset, const char *message)
{
	(void)arg;
	(void)path;
	(void)offset;
	REQUIRE(message);
}

static struct trace *make_trace(void)
{
	struct trace *t = calloc(1, sizeof(*t));

	REQUIRE(t);
	t->parts = calloc(1, sizeof(*t->parts));
	REQUIRE(t->parts);
	t->part_nr = 1;
	t->parts->fd = -1;
	t->parts->report = ignore;
	return t;
}

static int by_value(const void *a, const void *b)
{
	const __u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Around each reading, and at the ends of the world. */
static size_t pick_stamps(const struct clock *c, __u64 stamps[3 * STAMPS + 4])
{
	size_t i, nr = 0;

	for (i = 0; i < c->nr && i < STAMPS; i++) {
		stamps[nr++] = c->segments[i].raw - 1;
		stamps[nr++] = c->segments[i].raw;
		stamps[nr++] = c->segments[i].raw + (c->segments[i].raw_end -
						     c->segments[i].raw) / 3;
	}
	stamps[nr++] = 0;
	stamps[nr++] = 1ull << 40;
	stamps[nr++] = ~0ull - 1;
	stamps[nr++] = ~0ull;
	qsort(stamps, nr, sizeof(*stamps), by_value);
	return nr;
}

static void check_clock(struct trace *t)
{
	struct stream *s = ktrace_trace_get_stream(t, 0xfffffff0u);
	__u64 stamps[3 * STAMPS + 4], before = 0, now;
	size_t nr = pick_stamps(&t->clock, stamps), i, round;

	REQUIRE(s);
	for (round = 0; round < 2; round++) {
		t->offset = round ? ~0ull / 2 : 0;
		s->clock.span = 0;
		for (i = 0, before = 0; i < nr; i++, before = now) {
			now = ktrace_stream_time(s, stamps[i]);
			REQUIRE(now >= before);
			REQUIRE(!stretch_has(&s->clock, stamps[i]) ||
				stretch_ns(&s->clock, stamps[i]) == now);
			ktrace_trace_wall(s->pub.trace, stamps[i]);
		}
	}
	for (i = 0; i < t->clock.nr; i++)
		REQUIRE(!i || t->clock.segments[i].raw > t->clock.segments[i - 1].raw);
}

static void check_names(const struct trace *t)
{
	const struct name *n;
	size_t i, threads = 0;
	__u32 k;

	for (i = 0; i < t->names.slot_nr; i++) {
		const struct thread *thread = &t->names.slots[i];

		threads += thread->nr > 0;
		for (k = 0; k < thread->nr; k++) {
			REQUIRE(memchr(thread->names[k].comm, 0, NAME_SIZE));
			REQUIRE(!k || thread->names[k].raw > thread->names[k - 1].raw);
			n = ktrace_names_find(&t->names, thread->tid, thread->names[k].raw);
			REQUIRE(n == &thread->names[k]);
		}
	}
	REQUIRE(threads == t->names.used);
}

static void check_streams(struct trace *t)
{
	size_t i;

	for (i = 0; i < t->stream_nr; i++) {
		const struct ktrace_trace_stream *pub = &t->streams[i]->pub;

		REQUIRE(!i || t->is_unordered || t->streams[i - 1]->pub.id < pub->id);
		REQUIRE(ktrace_trace_get_stream(t, pub->id) == t->streams[i]);
		REQUIRE(pub->cpu >= -1 && !(pub->block_size & (pub->block_size - 1)));
		REQUIRE(pub->block_size <= KTRACE_BLOCK_MAX && pub->policy <= KTRACE_POLICY_NR);
	}
}

static void check_types(const struct trace *t)
{
	__u32 kind, id;

	for (kind = 0; kind < 2; kind++)
		for (id = 0; id < t->types[kind].nr; id++) {
			const struct ktrace_event_type *type = type_of(&t->types[kind], id);

			REQUIRE(!type || (type->id == id && type->kind == kind && id >= 16));
		}
}

static struct trace *parse(const void *text, size_t size)
{
	struct trace *t = make_trace();
	char *copy = malloc(size + 1);

	REQUIRE(copy);
	memcpy(copy, text, size);
	ktrace_meta_parse(t, 0, copy, size);
	free(copy);
	REQUIRE(!t->error);
	return t;
}

/* What ktraced writes as a value is what the reader gets. */
static void check_value(const char *value)
{
	struct ktrace_text text = { 0 };
	struct trace *t;

	ktrace_text_line(&text, "trace");
	ktrace_text_u64(&text, "n", strlen(value));
	ktrace_text_str(&text, "cmd", value);
	ktrace_text_line(&text, "end");
	ktrace_text_str(&text, "reason", "last");
	REQUIRE(!text.error && text.len == strlen(text.buf));
	t = parse(text.buf, text.len);
	REQUIRE(t->fact_nr == 3);
	REQUIRE(!strcmp(ktrace_meta_fact(t, "trace", "cmd"), value));
	REQUIRE(!strcmp(ktrace_meta_fact(t, "end", "reason"), "last"));
	ktrace_text_free(&text);
	ktrace_trace_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };
	struct trace *t = parse(data, size);
	char *value = input_string(&in);

	check_clock(t);
	check_names(t);
	check_streams(t);
	check_types(t);
	ktrace_trace_free(t);
	check_value(value);
	free(value);
	return 0;
}
