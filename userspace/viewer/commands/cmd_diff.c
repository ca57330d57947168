// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_diff.c - ktrace diff: how two traces differ
 *
 * Reads both side by side, event by event. Counts are those of all events. Of differences in
 * order, only the first of each sort is shown: a different event, different fields.
 */
#include "base/table.h"
#include "base/viewer.h"

#include "base/json.h"
#include "base/paired_counts.h"
#include "base/progress.h"
#include "events/line.h"
#include "events/time_range.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_SIZE 8192u

/**
 * struct side - one of the two traces
 * @scope:	which events
 * @is_json:	--json was given; each side has its own options, as a filter belongs to one traceset
 * @lines:	how events are printed
 * @event:	the current one; NULL after the last
 * @events:	so far
 */
struct side {
	struct time_range scope;
	bool is_json;
	struct lines lines;
	const struct ktrace_trace_event *event;
	__u64 events;
};

/**
 * struct first - the first difference of a sort
 * @nr:		number of the event, from 1; 0 = no difference
 * @line:	the lines of both sides
 */
struct first {
	__u64 nr;
	char line[2][LINE_MAX_SIZE];
};

/**
 * struct diff - one run of the command
 * @sides:	the traces
 * @types:	events by name
 * @threads:	events by name of the thread
 * @event:	first event that differs
 * @fields:	first event with different fields
 */
struct diff {
	struct side sides[2];
	struct paired_counts types;
	struct paired_counts threads;
	struct first event;
	struct first fields;
};

/* Reads and counts the next event of a side that is not a loss. Return: 0, -errno. */
static int advance(struct diff *d, int side)
{
	const struct ktrace_trace_event *e;
	struct side *s = &d->sides[side];
	char name[KTRACE_OUT_MIN + 1];
	struct ktrace_out out = { .buf = name, .cap = KTRACE_OUT_MIN };
	const char *comm;
	int ret;

	do {
		ret = time_range_next(&s->scope, &s->event);
	} while (ret == 1 && s->event->id == KTRACE_ID_LOST);
	if (ret != 1) {
		s->event = NULL;
		return ret;
	}
	e = s->event;
	s->events++;
	if (!e->type)
		ktrace_event_name(&out, e);
	name[out.len] = '\0';
	comm = e->tid ? ktrace_trace_comm(e->stream->trace, e->tid, e->raw) : "swapper";
	ret = paired_counts_add(&d->types, e->type ? e->type->full_name : name, side);
	return ret ? ret : paired_counts_add(&d->threads, comm ? comm : "?", side);
}

static const char *name_of(const struct ktrace_trace_event *e, char *buf, size_t size)
{
	struct ktrace_out out = { .buf = buf, .cap = size - 1 };

	if (e->type)
		return e->type->full_name;
	ktrace_event_name(&out, e);
	buf[out.len] = '\0';
	return buf;
}

static void keep_line(struct side *s, char *line)
{
	struct ktrace_out out = { .buf = line, .cap = LINE_MAX_SIZE - 1 };

	if (s->event) {
		s->lines.out = &out;
		lines_begin(&s->lines, s->scope.set, s->scope.start);
		line_put(&s->lines, s->event);
		while (out.len && out.buf[out.len - 1] == '\n')
			out.len--;
	}
	line[out.len] = '\0';
}

static void keep(struct diff *d, struct first *f)
{
	f->nr = d->sides[0].event ? d->sides[0].events : d->sides[1].events;
	keep_line(&d->sides[0], f->line[0]);
	keep_line(&d->sides[1], f->line[1]);
}

static void compare(struct diff *d)
{
	const struct ktrace_trace_event *a = d->sides[0].event, *b = d->sides[1].event;
	char names[2][KTRACE_OUT_MIN + 1];

	if (d->event.nr)
		return;
	if (!a || !b || strcmp(name_of(a, names[0], sizeof(names[0])),
			       name_of(b, names[1], sizeof(names[1])))) {
		keep(d, &d->event);
		return;
	}
	if (!d->fields.nr && (a->len != b->len || memcmp(a->payload, b->payload, a->len)))
		keep(d, &d->fields);
}

static int read_both(struct diff *d)
{
	int ret = advance(d, 0);

	if (!ret)
		ret = advance(d, 1);
	while (!ret && (d->sides[0].event || d->sides[1].event)) {
		compare(d);
		if (d->sides[0].event)
			ret = advance(d, 0);
		if (!ret && d->sides[1].event)
			ret = advance(d, 1);
	}
	return ret;
}

static void put_numbers(struct ktrace_out *out, const __u64 v[2])
{
	char text[32];
	int i;

	for (i = 0; i < 2; i++)
		out_printf(out, "%14llu", v[i]);
	if (!v[0] || v[0] == v[1])
		snprintf(text, sizeof(text), v[0] == v[1] ? "=" : "new");
	else
		snprintf(text, sizeof(text), "%+.1f %%",
			 ((double)v[1] - (double)v[0]) * 100 / (double)v[0]);
	out_printf(out, "%12s  ", text);
}

static __u64 ns_of(const struct time_range *s)
{
	__u64 to = s->until.is_set && s->to < s->end ? s->to : s->end;

	return to > s->from ? to - s->from : 0;
}

static double rate_of(const struct diff *d, int side, __u64 count)
{
	__u64 ns = ns_of(&d->sides[side].scope);

	return ns ? (double)count * 1e9 / (double)ns : 0;
}

static void put_rows(struct ktrace_out *out, const struct diff *d, const struct paired_counts *t,
		     const char *title)
{
	size_t i;
	int k;

	ktrace_out_char(out, '\n');
	ktrace_out_str(out, title);
	for (i = 0; i < t->nr; i++) {
		output_line_begin(out);
		put_numbers(out, t->rows[i].count);
		for (k = 0; k < 2; k++)
			out_printf(out, "%12.1f", rate_of(d, k, t->rows[i].count[k]));
		ktrace_out_str(out, "  ");
		ktrace_out_safe(out, t->rows[i].name);
		ktrace_out_char(out, '\n');
	}
}

static void put_first(struct ktrace_out *out, const struct first *f, const char *what)
{
	int i;

	if (!f->nr)
		return;
	out_printf(out, "\nfirst %s, event %llu\n", what, f->nr);
	for (i = 0; i < 2; i++) {
		output_line_begin(out);
		ktrace_out_str(out, i ? "B " : "A ");
		ktrace_out_str(out, *f->line[i] ? f->line[i] : "(the end)");
		ktrace_out_char(out, '\n');
	}
}

static void put_text(struct ktrace_out *out, const struct diff *d, char **paths)
{
	__u64 events[2], lost[2];
	int i;

	for (i = 0; i < 2; i++) {
		ktrace_out_str(out, i ? "B " : "A ");
		ktrace_out_safe(out, paths[i]);
		ktrace_out_str(out, ": ");
		out_seconds(out, ns_of(&d->sides[i].scope), 0);
		ktrace_out_str(out, " s\n");
		events[i] = d->sides[i].events;
		lost[i] = lost_total(d->sides[i].scope.lost);
	}
	ktrace_out_str(out, "\n             A             B      change\n");
	put_numbers(out, events);
	ktrace_out_str(out, "events\n");
	put_numbers(out, lost);
	ktrace_out_str(out, "lost\n");
	put_rows(out, d, &d->types,
		 "             A             B      change           A/s         B/s  event\n");
	put_rows(out, d, &d->threads,
		 "             A             B      change           A/s         B/s  thread\n");
	if (!d->event.nr && !d->fields.nr)
		ktrace_out_str(out, "\nthe same events in the same order, with the same fields\n");
	put_first(out, &d->fields, "other fields");
	put_first(out, &d->event, "other event");
}

static void put_pair(struct ktrace_out *out, const __u64 v[2])
{
	out_printf(out, "[%llu,%llu]", v[0], v[1]);
}

static void put_json_rows(struct ktrace_out *out, const struct paired_counts *t)
{
	size_t i;

	ktrace_out_char(out, '{');
	for (i = 0; i < t->nr; i++) {
		output_line_begin(out);
		json_key(out, t->rows[i].name);
		put_pair(out, t->rows[i].count);
	}
	ktrace_out_char(out, '}');
}

static void put_json(struct ktrace_out *out, const struct diff *d)
{
	__u64 pair[2];
	int i;

	ktrace_out_char(out, '{');
	for (i = 0; i < 2; i++)
		pair[i] = ns_of(&d->sides[i].scope);
	json_key(out, "duration_ns");
	put_pair(out, pair);
	for (i = 0; i < 2; i++)
		pair[i] = d->sides[i].events;
	json_key(out, "events");
	put_pair(out, pair);
	for (i = 0; i < 2; i++)
		pair[i] = lost_total(d->sides[i].scope.lost);
	json_key(out, "lost");
	put_pair(out, pair);
	json_key(out, "counts");
	put_json_rows(out, &d->types);
	json_key(out, "threads");
	put_json_rows(out, &d->threads);
	json_u64(out, "first_event", d->event.nr);
	json_u64(out, "first_fields", d->fields.nr);
	ktrace_out_str(out, "}\n");
}

static int begin(struct time_range *s, struct ktrace_traceset *set)
{
	__u64 start, end;
	int ret = files_span(set, &start, &end);

	if (!ret)
		ret = time_range_begin(s, set);
	s->end = end;
	return ret;
}

static int compare_files(struct diff *d, char **paths)
{
	struct ktrace_traceset *sets[2] = { NULL, NULL };
	int i, ret = 0, status = STATUS_OK, one;

	for (i = 0; i < 2; i++) {
		sets[i] = open_files(1, &paths[i], &one);
		status = one ? one : status;
		if (sets[i] && !ret)
			ret = begin(&d->sides[i].scope, sets[i]);
	}
	if (sets[0] && sets[1]) {
		ret = ret ? ret : read_both(d);
		progress_end();
		paired_counts_sort(&d->types);
		paired_counts_sort(&d->threads);
		if (ret)
			fprintf(stderr, "ktrace: %s\n", strerror(-ret));
		else if (d->sides[0].is_json)
			put_json(output(), d);
		else
			put_text(output(), d, paths);
	}
	if (sets[0] && sets[1])
		event_select_complain_fields(&d->sides[0].scope.select, sets[0], sets[1]);
	for (i = 0; i < 2; i++) {
		if (sets[i])
			complain_files(sets[i]);
		status = sets[i] ? files_status(sets[i], status) : status;
		ktrace_traceset_close(sets[i]);
	}
	return output_end(ret ? STATUS_DAMAGED : status);
}

static const struct option_set sets[] = {
	TIME_RANGE_SETS(offsetof(struct side, scope)),
	{ json_options, offsetof(struct side, is_json) },
	{ NULL, 0 },
};

static int diff(struct diff *d, const struct command *cmd, int argc, char **argv)
{
	int status = command_parse(cmd, &d->sides[0], argc, argv);

	optind = 0;
	if (status < 0)
		status = command_parse(cmd, &d->sides[1], argc, argv);
	if (status < 0)
		status = command_check(cmd, time_range_wrong(&d->sides[0].scope));
	if (status < 0)
		status = command_check(cmd, argc - optind != 2 ? "two files are needed" : NULL);
	return status < 0 ? compare_files(d, argv + optind) : status;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct diff *d = calloc(1, sizeof(*d));
	int status;

	if (!d) {
		fprintf(stderr, "ktrace: out of memory\n");
		return STATUS_DAMAGED;
	}
	status = diff(d, cmd, argc, argv);
	time_range_free(&d->sides[0].scope);
	time_range_free(&d->sides[1].scope);
	paired_counts_free(&d->types);
	paired_counts_free(&d->threads);
	free(d);
	return status;
}

const struct command cmd_diff = {
	.name = "diff",
	.args = "[OPTION...] A B",
	.summary = "Compare two traces: events, rates, threads, first difference",
	.options = sets,
	.run = run,
};
