// SPDX-License-Identifier: GPL-2.0
/* analysis.c - what commands share that follow the state of processes and CPUs */
#include "analysis.h"

#include "base/when.h"
#include "base/progress.h"
#include "events/time_range.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool analysis_clip(const struct analysis *a, __u64 *from, __u64 *to)
{
	*from = *from > a->from ? *from : a->from;
	*to = *to < a->until_ns ? *to : a->until_ns;
	return *from < *to;
}

__u64 analysis_ns(const struct analysis *a, __u64 since, __u64 until)
{
	return analysis_clip(a, &since, &until) ? until - since : 0;
}

bool analysis_is_selected(const struct analysis *a, __u32 tid, __u32 pid)
{
	return a->select.pid_nr ? event_select_thread(&a->select, tid, pid) : tid != 0;
}

bool analysis_wants(const struct analysis *a, const struct ktrace_process *p)
{
	if (!a->select.pid_nr)
		return p->tid != 0;
	return analysis_is_selected(a, p->tid, ktrace_process_pid(a->state, p));
}

__u64 analysis_since_start(const struct analysis *a, __u64 time)
{
	return time > a->start ? time - a->start : 0;
}

const char *analysis_sub(const struct analysis *a, const struct ktrace_mode_level *level,
			 __s64 *number)
{
	struct ktrace_mode_syscall call;

	*number = level->sub;
	if (level->mode != KTRACE_MODE_SYSCALL)
		return NULL;
	ktrace_mode_call(a->state, level->sub, &call);
	*number = call.nr;
	return ktrace_syscall_abi_name(call.abi);
}

void analysis_name(const struct analysis *a, const struct ktrace_process *p, char *text,
		   size_t size)
{
	struct thread_label who = { 0 };

	thread_label_learn(&who, a->state, p);
	thread_label_name(&who, text, size);
}

void analysis_resource_name(const struct analysis *a, const struct ktrace_resource *r, char *text,
			    size_t size)
{
	const char *sub = r->kind == KTRACE_RESOURCE_IRQ ? r->name : NULL;

	if (r->kind == KTRACE_RESOURCE_SOFTIRQ)
		sub = ktrace_mode_sub_name(a->state, r->machine, KTRACE_MODE_SOFTIRQ, r->number);
	if (r->kind == KTRACE_RESOURCE_BLOCK)
		snprintf(text, size, "block %u:%u", r->number >> 20, r->number & 0xfffff);
	else
		snprintf(text, size, "%s %u %s", ktrace_resource_kind_name(r->kind), r->number,
			 sub ? sub : "");
}

void *analysis_thread(struct analysis *a, struct hash_table *rows, const struct ktrace_process *p)
{
	struct thread_row *t = hash_table_get(rows, &p->serial);

	if (t)
		thread_label_learn(&t->who, a->state, p);
	else
		a->error = -ENOMEM;
	return t;
}

static void json_window(struct analysis *a)
{
	struct ktrace_out *out = a->out;

	json_seconds(out, "from", a->from);
	json_u64(out, "duration_ns", a->to > a->from ? a->to - a->from : 0);
	json_u64(out, "events", a->events);
	lost_events_json(out, a->lost);
}

static void text_window(struct analysis *a)
{
	__u64 lost = lost_total(a->lost);

	out_printf(a->out, "%llu events from ", a->events);
	out_seconds(a->out, analysis_since_start(a, a->from), 0);
	out_printf(a->out, " to ");
	out_seconds(a->out, analysis_since_start(a, a->to), 0);
	out_printf(a->out, "\n");
	if (!lost)
		return;
	out_printf(a->out, "%llu events were LOST here (", lost);
	lost_events_text(a->out, a->lost);
	out_printf(a->out, " ): what follows is incomplete\n");
}

static void json_rows(struct analysis *a, const struct hash_table *rows, const struct sheet *sheet)
{
	struct ktrace_out *out = a->out;
	size_t i;

	json_open(out, sheet->name, '[');
	for (i = 0; i < rows->nr && i < a->number; i++) {
		json_item(out);
		sheet->json(a, hash_table_at(rows, i));
		ktrace_out_char(out, '}');
	}
	ktrace_out_char(out, ']');
}

void analysis_rows(struct analysis *a, struct hash_table *rows, const struct sheet *sheet)
{
	size_t i;

	hash_table_sort(rows, sheet->order);
	a->sheet = sheet;
	if (a->is_json) {
		json_rows(a, rows, sheet);
		return;
	}
	sheet->head(a);
	for (i = 0; i < rows->nr && i < a->number; i++) {
		output_line_begin(a->out);
		sheet->text(a, hash_table_at(rows, i));
	}
}

void analysis_plot_rows(struct analysis *a, struct hash_table *rows, struct plot_rows *p,
			int (*order)(const void *x, const void *y),
			void (*fill)(struct analysis *a, struct plot_row *to, const void *row))
{
	const size_t max = a->number < PLOT_ROWS ? (size_t)a->number : PLOT_ROWS;
	size_t i;

	hash_table_sort(rows, order);
	for (i = 0; i < rows->nr && i < max; i++)
		fill(a, &p->rows[i], hash_table_at(rows, i));
	p->nr = i;
	p->more = rows->nr - i;
}

static void draw(struct analysis *a)
{
	const struct plot_note note = {
		.set = a->set, .events = a->events, .from = analysis_since_start(a, a->from),
		.to = analysis_since_start(a, a->to), .lost = a->lost,
	};

	a->plot(a, &note);
}

static void show(struct analysis *a)
{
	output_line_begin(a->out);
	if (a->svg) {
		draw(a);
		return;
	}
	if (!a->is_json) {
		if (!a->is_bare)
			text_window(a);
		a->show(a);
		return;
	}
	ktrace_out_char(a->out, '{');
	json_window(a);
	a->show(a);
	ktrace_out_str(a->out, "}\n");
}

static int take_event(void *arg, const struct ktrace_trace_event *e)
{
	struct analysis *a = arg;
	int ret = a->early ? a->early(a, e) : 0;

	progress_at(e->time);
	required_events_see(&a->needs, e);
	if (!ret)
		ret = ktrace_state_update(a->state, e);
	a->has_begun |= e->time >= a->from;
	if (ret || !a->has_begun)
		return ret;
	a->to = e->time > a->to ? e->time : a->to;
	/* Who is there is met, also if the analysis has nothing of it. */
	if (a->select.pid_nr)
		event_select_thread(&a->select, e->tid,
				    ktrace_trace_pid(e->stream->trace, e->tid, e->raw));
	if (e->id == KTRACE_ID_LOST)
		lost_events_add(a->lost, e);
	else if (!event_select_passes_filters(&a->select, e))
		return a->error;
	else
		a->events++;
	ret = a->event ? a->event(a, e) : 0;
	ret = ret ? ret : a->error;
	return ret ? ret : a->out->error != 0;
}

/* struct again - a part that is read again; @done: progress, as a time */
struct again {
	struct analysis *a;
	__u64 done;
};

static int take_again(void *arg, const struct ktrace_trace_event *e)
{
	const struct again *again = arg;
	struct analysis *a = again->a;
	int ret;

	progress_at(again->done);
	ret = a->early ? a->early(a, e) : 0;
	return ret ? ret : ktrace_state_update(a->state, e);
}

int analysis_repeat(struct analysis *a, __u64 from, __u64 until, __u64 end)
{
	struct again again = { a, a->start + (a->end > until ? a->end - until : 0) };
	int ret = ktrace_state_seek(a->state, from);

	if (!ret)
		ret = time_range_read(a->set, until, take_again, &again);
	if (!ret)
		ktrace_state_flush(a->state, end);
	return ret ? ret : a->error;
}

static int find_window(struct analysis *a)
{
	int ret = files_span(a->set, &a->start, &a->end);

	when_window(&a->since, &a->until, a->start, &a->from, &a->until_ns);
	when_complain(&a->since, &a->until, a->start, a->end);
	a->to = a->from;
	return ret;
}

/* Ends the window at its requested end, unless the trace ends before. */
static void end_window(struct analysis *a)
{
	if (a->until_ns <= a->end && a->until_ns > a->to)
		a->to = a->until_ns;
	progress_end();
	ktrace_state_flush(a->state, a->to);
	if (a->finish)
		a->finish(a);
}

static int analyse(struct analysis *a)
{
	int ret = find_window(a);

	if (!ret)
		ret = ktrace_state_new(a->set, &a->state);
	if (!ret)
		ret = ktrace_state_watch(a->state, &a->watch);
	event_select_begin(&a->select, a->start, a->state);
	if (!ret && a->begin)
		ret = a->begin(a);
	if (ret)
		return ret;
	progress_begin(a->start, a->until_ns < a->end ? a->until_ns : a->end);
	ret = time_range_read(a->set, a->until_ns, take_event, a);
	end_window(a);
	ret = ret ? ret : a->error;
	if (!ret)
		show(a);
	return ret ? ret : a->error;
}

static int analyse_files(struct analysis *a, int nr, char **paths)
{
	int status, ret;

	a->set = open_files(nr, paths, &status);
	if (!a->set)
		return status;
	a->out = output();
	if (a->svg && output_to(a->svg, nr, paths))
		return STATUS_DAMAGED;
	ret = analyse(a);
	if (ret) {
		fprintf(stderr, "ktrace: %s\n", strerror(-ret));
		output_void();
	} else if (a->until_ns > a->end) {	/* the trace was read to its end */
		required_events_complain(&a->needs);
	}
	event_select_complain(&a->select, a->set);
	event_select_complain_pids(&a->select);
	complain_files(a->set);
	status = ret ? STATUS_DAMAGED : files_status(a->set, status);
	return output_end(status);
}

const char *analysis_set_number(void *to, const char *text)
{
	struct analysis *a = to;

	return number_parse(text, 0, ~0ull, &a->number) ? NULL : "-n: not a number";
}

const struct option_row analysis_options[] = {
	{ .letter = 'n', .name = "number", .value = "N", .set = analysis_set_number,
	  .help = "print at most N rows" },
	{ .name = "json", .flag = OPTION_MEMBER(struct analysis, is_json),
	  .help = "print JSON objects" },
	{ .help = NULL },
};

int analysis_main(struct analysis *a, const struct command *cmd, int argc, char **argv)
{
	int status;

	a->number = ~0ull;
	status = command_parse(cmd, a, argc, argv);
	if (status < 0 && a->check)
		status = command_check(cmd, a->check(a));
	if (status < 0)
		status = command_check(cmd, when_wrong(&a->since, &a->until));
	if (status < 0)
		status = analyse_files(a, argc - optind, argv + optind);
	ktrace_state_free(a->state);
	ktrace_traceset_close(a->set);
	event_select_free(&a->select);
	return status;
}
