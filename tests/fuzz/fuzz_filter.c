// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_filter.c - hostile expressions, and hostile payloads for them
 *
 * The input is an expression, a NUL, and a payload. What is refused is refused with a place
 * in the text and a reason that can be printed. What is accepted says the same of an event
 * each time, in parentheses too; with "!" the opposite, joined to itself what logic says. It
 * is asked about the events of a golden file, and about these with the payload of the input;
 * the state is the one at their end.
 */
#include <errno.h>
#include <ktrace/kernel_filter.h>
#include <ktrace/state.h>

#include "fuzz.h"

#define GOLDEN "tests/data/golden/small-v1.bin"
#define EVENTS_MAX 64

static struct ktrace_trace_event events[EVENTS_MAX];
static int event_nr;
static __u64 start;
static struct ktrace_states *state;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct ktrace_traceset *set;
	struct ktrace_trace_event *e;
	char *copy;
	__u64 end;

	(void)argc;
	(void)argv;
	setenv("TZ", "UTC", 1);
	REQUIRE(!ktrace_traceset_open(NULL, &set) && !ktrace_traceset_add(set, GOLDEN));
	REQUIRE(!ktrace_traceset_span(set, &start, &end) && !ktrace_state_new(set, &state));
	for (e = events; event_nr < EVENTS_MAX && ktrace_traceset_next(set, e) == 1; e++) {
		copy = malloc(e->len + !e->len);
		REQUIRE(copy);
		memcpy(copy, e->payload, e->len);
		e->payload = copy;
		REQUIRE(!ktrace_state_update(state, e));
		event_nr++;
	}
	return 0;
}

static void check_error(const char *text, const struct ktrace_filter_error *error)
{
	const char *c;

	REQUIRE(error->at <= strlen(text) && error->column >= 1 && error->line >= 1);
	REQUIRE(error->column <= error->at + 1 && *error->message);
	for (c = error->message; *c; c++)
		REQUIRE(*c >= ' ' && *c <= '~');
}

static struct ktrace_filter *parse(const char *text)
{
	static struct ktrace_filter_source source;
	const struct ktrace_filter_source *const sources = &source;
	const struct ktrace_filter_options opts = {
		.size = sizeof(opts), .sources = &sources, .source_nr = 1,
	};
	struct ktrace_filter_error error;
	struct ktrace_filter *f = NULL;
	int ret;

	ktrace_state_source(state, &source);
	ret = ktrace_filter_parse(text, &opts, &f, &error);

	REQUIRE(!ret || ret == -EINVAL);
	if (ret)
		check_error(text, &error);
	else
		ktrace_filter_start(f, start);
	return ret ? NULL : f;
}

/* The expression in another one; NULL if the limits do not allow that. */
static struct ktrace_filter *parse_in(const char *format, const char *text)
{
	struct ktrace_filter *f;
	char *all;

	/* A comment may hide what follows it. */
	REQUIRE(asprintf(&all, format, text, text) > 0);
	f = parse(all);
	free(all);
	return f;
}

static void check_event(struct ktrace_filter *f, struct ktrace_filter *const more[4],
			const struct ktrace_trace_event *e)
{
	bool is_true = ktrace_filter_match(f, e);

	REQUIRE(is_true == ktrace_filter_match(f, e));
	REQUIRE(!more[0] || ktrace_filter_match(more[0], e) == !is_true);
	REQUIRE(!more[1] || ktrace_filter_match(more[1], e) == is_true);
	REQUIRE(!more[2] || !ktrace_filter_match(more[2], e));
	REQUIRE(!more[3] || ktrace_filter_match(more[3], e));
}

static void check_events(struct ktrace_filter *f, struct ktrace_filter *const more[4],
			 const char *payload, size_t len)
{
	struct ktrace_trace_event e;
	int i;

	for (i = 0; i < event_nr; i++) {
		check_event(f, more, &events[i]);
		e = events[i];
		e.payload = payload;
		e.len = (__u32)len;
		check_event(f, more, &e);
	}
}

/* As a program for the kernel: refused, with a place and a reason, or one that can be run. */
static void check_program(const char *text)
{
	static struct ktrace_program p;
	struct ktrace_filter_error error;
	struct ktrace_place *places;
	struct ktrace_filter *f = NULL;
	int i, nr, ret = ktrace_kernel_filter_parse(text, &f, &error);

	REQUIRE(!ret || ret == -EINVAL);
	for (i = 0; i < event_nr && !ret; i++) {
		if (!events[i].type)
			continue;
		nr = ktrace_places(events[i].type, &places);
		REQUIRE(nr >= 0);
		ktrace_program_init(&p, i & 1);
		ret = ktrace_program_join(&p, i & 1 ? KTRACE_JOIN_AND : KTRACE_JOIN_OR, f,
					  events[i].type, places, (__u32)nr, &error);
		REQUIRE(!ret || ret == -EINVAL);
		if (ret)
			check_error(text, &error);
		free(places);
	}
	ktrace_filter_free(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };
	char *text = input_string(&in), *payload;
	struct ktrace_filter *f = parse(text), *more[4];
	size_t len = input_left(&in), i;

	payload = malloc(len + !len);
	REQUIRE(payload);
	memcpy(payload, in.at, len);
	check_program(text);
	if (f) {
		more[0] = parse_in("!(%s\n)", text);
		more[1] = parse_in("(%s\n) && (%s\n)", text);
		more[2] = parse_in("(%s\n) ^ (%s\n)", text);
		more[3] = parse_in("(%s\n) || !(%s\n)", text);
		check_events(f, more, payload, len);
		for (i = 0; i < 4; i++)
			ktrace_filter_free(more[i]);
	}
	ktrace_filter_free(f);
	free(payload);
	free(text);
	return 0;
}
