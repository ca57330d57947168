// SPDX-License-Identifier: GPL-2.0
/* cmd_resources.c - ktrace resources: what CPUs, interrupts and devices did over time */
#include "analysis/analysis.h"

#include "base/text_timeline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define BESIDE 55	/* columns beside the picture */

/* In the order of enum ktrace_resource_mode */
static const char letters[] = " .BIiTRW";

/* struct row - a resource, and its time by mode; the first three are the key */
struct row {
	__u32 machine;
	__u32 kind;
	__u32 number;
	struct ktrace_resource r;
	__u64 ns[KTRACE_RES_MODE_NR];
	__u64 begun;		/* how many times it left the idle state */
	bool was_active;	/* in the previous span */
	__u64 *strip;
};

/**
 * struct resources - one run of the command
 * @a:		common part of analyses
 * @strip:	the picture
 * @rows:	one for each resource
 * @lists:	print spans instead of a picture
 */
struct resources {
	struct analysis a;
	struct timeline strip;
	struct hash_table rows;
	bool lists;
};

static bool is_active(__u32 mode)
{
	return mode > KTRACE_RES_IDLE;
}

static void list(struct resources *s, const struct ktrace_resource *r, __u64 from, __u64 to)
{
	struct ktrace_out *out = s->a.out;
	char name[64];

	if (!s->a.number)
		return;
	s->a.number--;
	analysis_resource_name(&s->a, r, name, sizeof(name));
	output_line_begin(out);
	out_seconds(out, analysis_since_start(&s->a, from), 15);
	ktrace_out_char(out, ' ');
	out_duration(out, to - from);
	out_printf(out, "  %-26s %s\n", name, ktrace_resource_mode_name(ktrace_resource_mode(r)));
}

static void on_resource(void *arg, const struct ktrace_resource *r, __u64 until)
{
	struct resources *s = arg;
	__u32 mode = ktrace_resource_mode(r);
	const __u32 key[] = { r->machine, r->kind, r->number };
	__u64 from = r->since;
	struct row *row;

	if (!analysis_clip(&s->a, &from, &until))
		return;
	row = hash_table_get(&s->rows, key);
	if (!row || timeline_add(&s->strip, &row->strip, (int)mode, from, until)) {
		s->a.error = -ENOMEM;
		return;
	}
	row->r = *r;
	row->ns[mode] += until - from;
	row->begun += is_active(mode) && !row->was_active && from == r->since;
	row->was_active = is_active(mode);
	if (s->lists && !s->a.is_json)
		list(s, r, from, until);
}

static int begin(struct analysis *a)
{
	struct resources *s = (struct resources *)a;

	s->strip.from = a->from;
	s->strip.to = a->until_ns < a->end ? a->until_ns : a->end;
	s->strip.to += s->strip.to == s->strip.from;
	timeline_fit(&s->strip, BESIDE);
	return 0;
}

static __u64 active_ns(const struct row *row)
{
	__u64 sum = 0;
	__u32 i;

	for (i = KTRACE_RES_BUSY; i < KTRACE_RES_MODE_NR; i++)
		sum += row->ns[i];
	return sum;
}

/* Sorts CPUs by number, others by how long they were busy. */
static int by_kind(const void *x, const void *y)
{
	const struct row *a = x, *b = y;
	__u64 m = active_ns(a), n = active_ns(b);

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->kind != KTRACE_RESOURCE_CPU && m != n)
		return m < n ? 1 : -1;
	if (a->machine != b->machine)
		return a->machine < b->machine ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static void put_head(struct analysis *a)
{
	const struct resources *s = (const struct resources *)a;

	out_printf(a->out, "\nB busy  I irq  i softirq  T trap  R read  W write  . idle\n\n");
	timeline_scale(&s->strip, a->start, 25, a->out);
	out_printf(a->out, "%*s %8s %8s  %9s\n", 26 + s->strip.width, "", "busy", "times", "busy");
}

static void put_row(struct analysis *a, const void *x)
{
	const struct resources *s = (const struct resources *)a;
	const struct row *row = x;
	char name[64];

	analysis_resource_name(&s->a, &row->r, name, sizeof(name));
	out_printf(a->out, "%-24.24s ", name);
	timeline_show(&s->strip, row->strip, a->out);
	out_percent(a->out, active_ns(row), s->strip.to - s->strip.from);
	out_printf(a->out, " %% %8llu  ", row->begun);
	out_duration(a->out, active_ns(row));
	ktrace_out_char(a->out, '\n');
}

static void put_json(struct analysis *a, const void *x)
{
	struct ktrace_out *out = a->out;
	const struct row *row = x;
	__u32 mode;

	json_u64(out, "machine", row->machine);
	json_str(out, "kind", ktrace_resource_kind_name(row->kind));
	json_u64(out, "number", row->number);
	if (row->r.name[0])
		json_str(out, "name", row->r.name);
	json_u64(out, "busy_ns", active_ns(row));
	json_u64(out, "times", row->begun);
	json_open(out, "modes", '{');
	for (mode = 0; mode < KTRACE_RES_MODE_NR; mode++)
		if (row->ns[mode])
			json_u64(out, ktrace_resource_mode_name(mode), row->ns[mode]);
	ktrace_out_char(out, '}');
}

static void show(struct analysis *a)
{
	static const struct sheet sheet = { "resources", by_kind, put_head, put_row, put_json };
	struct resources *s = (struct resources *)a;

	if (a->is_json || !s->lists)
		analysis_rows(a, &s->rows, &sheet);
}

#define MEMBER(member) OPTION_MEMBER(struct resources, member)

static const struct option_row rows[] = {
	{ .name = "list", .flag = MEMBER(lists),
	  .help = "print each span of time in one mode, not a picture" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ rows, 0 },
	{ width_options, offsetof(struct resources, strip.width) },
	ANALYSIS_WINDOW_SETS,
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct resources s = {
		.a = { .begin = begin, .show = show,
		       .needs.providers = "sched,irq,softirq,block" },
		.strip.letters = letters,
		.rows = HASH_TABLE_INIT(struct row, number),
	};
	int status;
	size_t i;

	s.a.watch = (struct ktrace_state_watch){ .resource = on_resource, .arg = &s };
	status = analysis_main(&s.a, cmd, argc, argv);
	for (i = 0; i < s.rows.nr; i++)
		free(((struct row *)hash_table_at(&s.rows, i))->strip);
	hash_table_free(&s.rows);
	return status;
}

const struct command cmd_resources = {
	.name = "resources",
	.args = "[OPTION...] FILE...",
	.summary = "Show what CPUs, interrupts and block devices did over time",
	.options = sets,
	.needs_files = true,
	.run = run,
};
