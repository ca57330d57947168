// SPDX-License-Identifier: GPL-2.0
/* live_top.c - tables of events recorded and time run since the previous tables */
#include "live.h"

#include "base/json.h"
#include "base/table.h"
#include "base/viewer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const by_names[LIVE_BY_NR + 1] = {
	[LIVE_PROCESS] = "process", [LIVE_THREAD] = "thread", [LIVE_TYPE] = "type",
	[LIVE_CPU] = "cpu",
};

/**
 * struct live_row - one process, thread, type or CPU
 * @by:		enum live_by
 * @machine:	thread, process, CPU: number of the first trace of its boot; type: of its trace
 * @id:		identifies it within @machine
 * @events:	since the last tables
 * @total:	events in all
 * @run_ns:	time it ran since the last tables
 * @total_ns:	time it ran in all
 * @name:	its name
 */
struct live_row {
	__u32 by;
	__u32 machine;
	__u64 id;
	__u64 events;
	__u64 total;
	__u64 run_ns;
	__u64 total_ns;
	char name[64];
};

const char *live_take_by(struct live_top *top, const char *list)
{
	char *copy = strdup(list), *rest = copy, *word;
	const char *wrong = copy ? NULL : "out of memory";
	int i;

	memset(top->by, 0, sizeof(top->by));
	while (!wrong && (word = strsep(&rest, ","))) {
		i = command_choice("--by", word, by_names, &wrong);
		if (i >= 0)
			top->by[i] = true;
	}
	free(copy);
	return wrong;
}

/* Returns the row, for the caller to name. NULL: the table is not wanted, or no memory. */
static struct live_row *row_of(struct live_top *top, enum live_by by, __u32 machine, __u64 id)
{
	const struct live_row key = { .by = by, .machine = machine, .id = id };
	struct live_row *row = top->by[by] ? hash_table_get(&top->rows, &key) : NULL;

	if (top->by[by] && !row)
		top->error = -ENOMEM;
	return row;
}

/* Sets the name each time, as it may become known later than the thread. */
static void name_thread(struct live_row *row, __u32 pid, __u32 tid, const char *comm)
{
	char number[16] = "-";

	if (pid)
		snprintf(number, sizeof(number), "%u", pid);
	if (tid)
		snprintf(row->name, sizeof(row->name), "%s/%u %s", number, tid,
			 comm && *comm ? comm : "?");
	else
		snprintf(row->name, sizeof(row->name), "0/0 swapper");
}

static void name_process(struct live_row *row, __u32 pid, __u32 tid, const char *comm)
{
	if (!pid)
		snprintf(row->name, sizeof(row->name), "not known");
	else if (pid == tid || !row->name[0])
		snprintf(row->name, sizeof(row->name), "%u %s", pid, comm && *comm ? comm : "?");
}

static void name_type(struct live_row *row, const struct ktrace_trace_event *e)
{
	char text[KTRACE_OUT_MIN + 1];
	struct ktrace_out out = { .buf = text, .cap = KTRACE_OUT_MIN };

	ktrace_event_name(&out, e);
	text[out.len] = '\0';
	snprintf(row->name, sizeof(row->name), "%.63s", text);
}

static void name_cpu(struct live_row *row, __s32 cpu)
{
	if (cpu < 0)
		snprintf(row->name, sizeof(row->name), "no cpu");
	else
		snprintf(row->name, sizeof(row->name), "cpu %d", cpu);
}

static void count(struct live_row *row)
{
	row->events++;
	row->total++;
}

int live_top_add(struct live_top *top, const struct ktrace_trace_event *e)
{
	const struct ktrace_trace *trace = e->stream->trace;
	const __u32 machine = ktrace_state_machine(top->state, trace);
	struct live_row *row;
	const char *comm;
	__u32 pid = 0;

	if (e->id == KTRACE_ID_LOST)
		return 0;
	top->events++;
	top->total++;
	comm = ktrace_trace_thread(trace, e->tid, e->raw, &pid);
	row = row_of(top, LIVE_THREAD, machine, e->tid);
	if (row) {
		name_thread(row, pid, e->tid, comm);
		count(row);
	}
	row = e->tid ? row_of(top, LIVE_PROCESS, machine, pid) : NULL;
	if (row) {
		name_process(row, pid, e->tid, comm);
		count(row);
	}
	row = row_of(top, LIVE_TYPE, (__u32)ktrace_trace_index(trace),
		     (__u64)e->stream->kind << 32 | e->id);
	if (row) {
		name_type(row, e);
		count(row);
	}
	row = row_of(top, LIVE_CPU, machine, (__u64)(e->stream->cpu + 1));
	if (row) {
		name_cpu(row, e->stream->cpu);
		count(row);
	}
	return top->error;
}

static void add_run(struct live_row *row, __u64 ns)
{
	row->run_ns += ns;
	row->total_ns += ns;
}

/* Adds the time that a thread ran since the last tables; idle CPUs do not count. */
static void on_span(void *arg, const struct ktrace_process *p, __u64 until)
{
	struct live_top *top = arg;
	const __u64 since = p->since > top->from ? p->since : top->from;
	const __u32 pid = ktrace_process_pid(top->state, p);
	const char *comm = ktrace_process_name(top->state, p);
	struct live_row *row;

	if (p->status != KTRACE_STATUS_RUN || !p->tid || until <= since)
		return;
	row = row_of(top, LIVE_THREAD, p->machine, p->tid);
	if (row) {
		name_thread(row, pid, p->tid, comm);
		add_run(row, until - since);
	}
	row = row_of(top, LIVE_PROCESS, p->machine, pid);
	if (row) {
		name_process(row, pid, p->tid, comm);
		add_run(row, until - since);
	}
	row = p->cpu >= 0 ? row_of(top, LIVE_CPU, p->machine, (__u64)(p->cpu + 1)) : NULL;
	if (row) {
		name_cpu(row, p->cpu);
		add_run(row, until - since);
	}
}

int live_top_begin(struct live_top *top, struct time_range *scope, __u64 from)
{
	int ret = ktrace_state_new(scope->set, &top->state);

	top->scope = scope;
	top->begin = top->from = top->to = from;
	top->rows = (struct hash_table)HASH_TABLE_INIT(struct live_row, id);
	top->watch = (struct ktrace_state_watch){ .span = on_span, .arg = top };
	return ret ? ret : ktrace_state_watch(top->state, &top->watch);
}

int live_top_learn(struct live_top *top, const struct ktrace_trace_event *e)
{
	int ret = ktrace_state_update(top->state, e);

	top->to = e->time > top->to ? e->time : top->to;
	return ret ? ret : top->error;
}

/* Sorts by table, then the busiest first: by time on CPUs, then by events. */
static int by_use(const void *x, const void *y)
{
	const struct live_row *a = x, *b = y;

	return ORDER(a->by, b->by) ?: ORDER(b->run_ns, a->run_ns) ?: ORDER(b->events, a->events) ?:
	       strcmp(a->name, b->name);
}

static void put_rate(struct ktrace_out *out, __u64 events, __u64 ns)
{
	out_printf(out, "%11.0f", ns ? (double)events * 1e9 / (double)ns : 0.0);
}

static void put_lost(struct ktrace_out *out, const struct time_range *s)
{
	if (!lost_total(s->lost))
		return;
	out_printf(out, ", %llu LOST (", lost_total(s->lost));
	lost_events_text(out, s->lost);
	out_printf(out, " )");
}

static void put_head(const struct live_top *top, struct ktrace_out *out, bool is_last)
{
	const __u64 start = top->scope->start;

	out_printf(out, "%s from ", is_last ? "total" : "tables");
	out_seconds(out, top->from > start ? top->from - start : 0, 0);
	out_printf(out, " to ");
	out_seconds(out, top->to > start ? top->to - start : 0, 0);
	out_printf(out, ": %llu events, %llu in all", top->events, top->total);
	put_lost(out, top->scope);
	out_printf(out, "\n");
}

static void put_row(struct ktrace_out *out, const struct live_row *row, __u64 ns)
{
	char name[sizeof(row->name) * 4];
	struct ktrace_out safe = { .buf = name, .cap = sizeof(name) - 1 };

	ktrace_out_safe(&safe, row->name);
	name[safe.len] = '\0';
	output_line_begin(out);
	put_rate(out, row->events, ns);
	out_printf(out, " %11llu %11llu", row->events, row->total);
	out_percent(out, row->run_ns, ns);
	ktrace_out_str(out, "  ");
	ktrace_out_str(out, name);
	ktrace_out_char(out, '\n');
}

static void put_text(struct live_top *top, struct ktrace_out *out, bool is_last)
{
	const __u64 ns = top->to - top->from;
	const struct live_row *row;
	__u64 shown = 0;
	int by = -1;

	if (isatty(STDOUT_FILENO))
		ktrace_out_str(out, "\033[H\033[J");
	put_head(top, out, is_last);
	hash_table_for_each(row, &top->rows) {
		if ((int)row->by != by) {
			by = (int)row->by;
			shown = 0;
			out_printf(out, "\n%11s %11s %11s%6s  %s\n", "events/s", "events",
				   "total", "cpu%", by_names[by]);
		}
		if (shown++ < top->number && (row->events || row->run_ns))
			put_row(out, row, ns);
	}
	out_printf(out, "\n");
}

static void put_json(struct live_top *top, struct ktrace_out *out)
{
	const __u64 start = top->scope->start;
	const struct live_row *row;

	ktrace_out_char(out, '{');
	json_u64(out, "from_ns", top->from > start ? top->from - start : 0);
	json_u64(out, "duration_ns", top->to - top->from);
	json_u64(out, "events", top->events);
	json_u64(out, "total", top->total);
	lost_events_json(out, top->scope->lost);
	json_open(out, "rows", '[');
	hash_table_for_each(row, &top->rows) {
		json_item(out);
		json_str(out, "by", by_names[row->by]);
		json_str(out, "name", row->name);
		json_u64(out, "events", row->events);
		json_u64(out, "total", row->total);
		json_u64(out, "run_ns", row->run_ns);
		ktrace_out_char(out, '}');
	}
	ktrace_out_str(out, "]}\n");
}

/* Adds the time of threads that run now, since they were switched to. */
static void add_running(struct live_top *top)
{
	const struct ktrace_process *p;
	size_t i;

	for (i = 0; (p = ktrace_state_process(top->state, i)); i++)
		on_span(top, p, top->to);
}

/* Sorts a copy, because rows are found by their key. */
static void show_sorted(struct live_top *top, bool is_last)
{
	struct hash_table rows = top->rows;
	struct ktrace_out *out = output();

	top->rows.at = malloc(rows.nr * rows.size + 1);
	if (top->rows.at && rows.nr)
		memcpy(top->rows.at, rows.at, rows.nr * rows.size);
	if (!top->rows.at)
		top->error = -ENOMEM;
	else if (rows.nr)
		qsort(top->rows.at, rows.nr, rows.size, by_use);
	if (!top->error && top->is_json)
		put_json(top, out);
	else if (!top->error)
		put_text(top, out, is_last);
	free(top->rows.at);
	top->rows = rows;
}

void live_top_show(struct live_top *top, bool is_last)
{
	struct live_row *row;
	size_t i;

	add_running(top);
	for (i = 0; is_last && i < top->rows.nr; i++) {
		row = hash_table_at(&top->rows, i);
		row->events = row->total;
		row->run_ns = row->total_ns;
	}
	if (is_last) {
		top->from = top->begin;
		top->events = top->total;
	}
	show_sorted(top, is_last);
	hash_table_for_each(row, &top->rows)
		row->events = row->run_ns = 0;
	top->events = 0;
	top->from = top->to;
}

void live_top_free(struct live_top *top)
{
	ktrace_state_free(top->state);
	hash_table_free(&top->rows);
}
