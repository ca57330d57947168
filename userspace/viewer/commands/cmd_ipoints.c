// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_ipoints.c - ktrace ipoints: times between places in code
 *
 * An ipoint of S.Ha.R.K. is the number of a place. A pair A:B lasts from the latest A of a
 * thread to the first B after it; without pairs, times are from each ipoint of a thread to its
 * next.
 */
#include "analysis/analysis.h"

#include <errno.h>
#include <stdlib.h>

#include "base/histogram.h"
#include "events/shark.h"

#define PAIRS_MAX 64

/* struct pair - two numbers, and times from one to the other; the numbers are the key */
struct pair {
	__u32 from;
	__u32 to;
	struct histogram times;
};

/* struct begun - the place that a thread passed last; the first three are the key */
struct begun {
	__u32 trace;
	__u32 tid;
	__u32 wanted;		/* index of the pair asked for; 0 without pairs */
	__u32 number;
	__u64 since;
	bool is_open;
};

struct ipoints {
	struct analysis a;
	struct hash_table pairs;
	struct hash_table begun;
	struct pair wanted[PAIRS_MAX];
	__u32 nr;
};

static int add(struct ipoints *s, __u32 from, __u32 to, __u64 ns)
{
	const __u32 key[] = { from, to };
	struct pair *p = hash_table_get(&s->pairs, key);

	return p ? histogram_add(&p->times, ns) : -ENOMEM;
}

static struct begun *begun_of(struct ipoints *s, const struct ktrace_trace_event *e, __u32 wanted)
{
	const __u32 key[] = { (__u32)ktrace_trace_index(e->stream->trace), e->tid, wanted };

	return hash_table_get(&s->begun, key);
}

static int pass(struct ipoints *s, const struct ktrace_trace_event *e, __u32 number, __u32 i)
{
	const struct pair *wanted = s->nr ? &s->wanted[i] : NULL;
	struct begun *b = begun_of(s, e, i);
	int ret = 0;

	if (!b)
		return -ENOMEM;
	if (b->is_open && (!wanted || wanted->to == number)) {
		ret = add(s, b->number, number, e->time > b->since ? e->time - b->since : 0);
		b->is_open = false;
	}
	if (!wanted || wanted->from == number) {
		b->number = number;
		b->since = e->time;
		b->is_open = true;
	}
	return ret;
}

static int on_event(struct analysis *a, const struct ktrace_trace_event *e)
{
	struct ipoints *s = (struct ipoints *)a;
	struct shark_event event;
	int ret;
	__u32 i = 0;

	if (!shark_event_of(e, &event) || shark_code(&event) != FTrace_EVT_ipoint ||
	    !analysis_is_selected(a, e->tid, ktrace_trace_pid(e->stream->trace, e->tid, e->raw)))
		return 0;
	do {
		ret = pass(s, e, event.par1, i);
	} while (!ret && ++i < s->nr);
	return ret;
}

static int by_numbers(const void *x, const void *y)
{
	const struct pair *a = x, *b = y;

	return ORDER(a->from, b->from) ?: ORDER(a->to, b->to);
}

static __u64 mean(const struct pair *p)
{
	return p->times.nr ? p->times.sum / p->times.nr : 0;
}

static void put_head(struct analysis *a)
{
	out_printf(a->out, "\n%6s %6s %9s %9s %9s %9s %9s\n", "from", "to", "times", "shortest",
		   "mean", "99 %", "longest");
}

static void put_line(struct analysis *a, const void *row)
{
	const struct pair *p = row;
	const __u64 times[] = {
		p->times.min, mean(p), histogram_percentile(&p->times, 99), p->times.max,
	};

	out_printf(a->out, "%6u %6u %9llu", p->from, p->to, p->times.nr);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		ktrace_out_char(a->out, ' ');
		out_duration(a->out, times[i]);
	}
	ktrace_out_char(a->out, '\n');
}

static void put_json(struct analysis *a, const void *row)
{
	const struct pair *p = row;

	json_u64(a->out, "from", p->from);
	json_u64(a->out, "to", p->to);
	histogram_json(&p->times, a->out);
	json_u64(a->out, "mean_ns", mean(p));
}

static void show(struct analysis *a)
{
	static const struct sheet sheet = { "pairs", by_numbers, put_head, put_line, put_json };

	analysis_rows(a, &((struct ipoints *)a)->pairs, &sheet);
}

static bool parse_pair(const char *text, struct pair *p)
{
	unsigned long from, to;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	from = strtoul(text, &end, 10);
	if (*end != ':' || end[1] < '0' || end[1] > '9')
		return false;
	to = strtoul(end + 1, &end, 10);
	*p = (struct pair){ .from = (__u32)from, .to = (__u32)to };
	return !*end && from <= 0xffff && to <= 0xffff;
}

static const char *add_pair(void *to, const char *text)
{
	struct ipoints *s = to;

	if (s->nr == PAIRS_MAX)
		return "--pair: too many";
	return parse_pair(text, &s->wanted[s->nr++]) ? NULL :
		"--pair: not two numbers A:B, from 0 to 65535 each";
}

static const struct option_row rows[] = {
	{ .name = "pair", .value = "A:B", .set = add_pair,
	  .help = "only from ipoint A to B; may be given 64 times" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ rows, 0 },
	ANALYSIS_SETS,
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct ipoints s = {
		.a = { .event = on_event, .show = show,
		       .needs.providers = "log" },
		.pairs = HASH_TABLE_INIT(struct pair, to),
		.begun = HASH_TABLE_INIT(struct begun, wanted),
	};
	int status = analysis_main(&s.a, cmd, argc, argv);

	for (size_t i = 0; i < s.pairs.nr; i++)
		histogram_free(&((struct pair *)hash_table_at(&s.pairs, i))->times);
	hash_table_free(&s.pairs);
	hash_table_free(&s.begun);
	return status;
}

const struct command cmd_ipoints = {
	.name = "ipoints",
	.args = "[OPTION...] FILE...",
	.summary = "Show times between places in code",
	.options = sets,
	.needs_files = true,
	.run = run,
};
