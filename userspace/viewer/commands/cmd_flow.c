// SPDX-License-Identifier: GPL-2.0
/* cmd_flow.c - ktrace flow: what each thread did over time */
#include "analysis/analysis.h"

#include "analysis/flow_class.h"
#include "analysis/message_marks.h"
#include "base/text_timeline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define BESIDE 38	/* columns beside the picture */

/* struct row - a thread */
struct row {
	struct thread_row thread;
	__u32 machine;
	__u64 *strip;
	__u64 run_ns;
	__u64 first;
	bool has_first;
};

/**
 * struct flow - one run of the command
 * @a:		common part of analyses
 * @strip:	the picture
 * @rows:	threads
 * @lists:	print spans instead of a picture
 * @messages:	between hosts, if there are several
 * @machine:	host of the last row that was printed, ~0 = there was none
 */
struct flow {
	struct analysis a;
	struct timeline strip;
	struct hash_table rows;
	bool lists;
	struct message_marks messages;
	__u32 machine;
};

static const char *sub_name(const struct analysis *a, const struct ktrace_process *p)
{
	const struct ktrace_mode_level *m = ktrace_process_mode(p);

	return ktrace_mode_sub_name(a->state, p->machine, m->mode, m->sub);
}

static void list_text(struct analysis *a, const struct ktrace_process *p, __u64 from, __u64 to)
{
	const struct ktrace_mode_level *m = ktrace_process_mode(p);
	char name[64], mode[96] = "", sub[KTRACE_MODE_SUB_SIZE] = "";

	analysis_name(a, p, name, sizeof(name));
	if (m->mode > KTRACE_MODE_USER)
		ktrace_mode_sub_text(a->state, p->machine, m->mode, m->sub, sub, sizeof(sub));
	snprintf(mode, sizeof(mode), "%s %s", ktrace_mode_name(m->mode), sub);
	out_seconds(a->out, analysis_since_start(a, from), 15);
	ktrace_out_char(a->out, ' ');
	out_duration(a->out, to - from);
	out_printf(a->out, "  %-28s %3d  %-9s %-8s %s\n", name, p->cpu,
		   ktrace_status_name(p->status),
		   p->status == KTRACE_STATUS_WAIT ? ktrace_wait_name(p->wait) : "", mode);
}

static void list_json(struct analysis *a, const struct ktrace_process *p, __u64 from, __u64 to)
{
	struct ktrace_out *out = a->out;
	__s64 number;
	const char *abi = analysis_sub(a, ktrace_process_mode(p), &number);

	ktrace_out_char(out, '{');
	json_u64(out, "from_ns", analysis_since_start(a, from));
	json_u64(out, "duration_ns", to - from);
	json_u64(out, "machine", p->machine);
	json_u64(out, "tid", p->tid);
	json_u64(out, "pid", ktrace_process_pid(a->state, p));
	json_str(out, "comm", ktrace_process_name(a->state, p));
	json_s64(out, "cpu", p->cpu);
	json_str(out, "status", ktrace_status_name(p->status));
	if (p->status == KTRACE_STATUS_WAIT)
		json_str(out, "wait", ktrace_wait_name(p->wait));
	json_str(out, "mode", ktrace_mode_name(ktrace_process_mode(p)->mode));
	json_s64(out, "sub", number);
	json_str(out, "abi", abi);
	json_str(out, "sub_name", sub_name(a, p));
	ktrace_out_str(out, "}\n");
}

static void json_end(struct ktrace_out *out, const char *name, const struct flow *f,
		     const struct ktrace_message_end *end)
{
	json_open(out, name, '{');
	json_u64(out, "machine", machine_of(f->a.set, end->trace));
	json_u64(out, "ns", analysis_since_start(&f->a, end->time));
	json_u64(out, "tid", end->tid);
	json_s64(out, "cpu", end->cpu);
	ktrace_out_char(out, '}');
}

/* Both ends of a message, and how long it took; the error is that of the difference. */
static void message_json(struct flow *f, const struct ktrace_message *m)
{
	const struct time_error error = message_trip_error(m);
	struct ktrace_out *out = f->a.out;

	ktrace_out_char(out, '{');
	json_str(out, "message", message_kind_name(m->kind));
	json_end(out, "from", f, &m->from);
	json_end(out, "to", f, &m->to);
	json_u64(out, "bytes", m->bytes);
	json_bool(out, "is_retransmitted", m->is_retransmitted);
	json_s64(out, "trip_ns", (__s64)(m->to.time - m->from.time));
	json_time_error(out, &error);
	ktrace_out_str(out, "}\n");
}

static void message_text(struct flow *f, const struct ktrace_message *m)
{
	const struct time_error error = message_trip_error(m);
	const bool is_broadcast = m->kind == KTRACE_MESSAGE_BROADCAST;
	struct ktrace_out *out = f->a.out;

	out_seconds(out, analysis_since_start(&f->a, m->from.time), 15);
	ktrace_out_char(out, ' ');
	if (m->to.time < m->from.time || m->is_retransmitted || is_broadcast)
		out_printf(out, "%9s", "-");
	else
		out_duration(out, m->to.time - m->from.time);
	ktrace_out_str(out, "  ");
	hosts_put_name(out, f->a.set, machine_of(f->a.set, m->from.trace));
	ktrace_out_str(out, is_broadcast ? " = " : " > ");
	hosts_put_name(out, f->a.set, machine_of(f->a.set, m->to.trace));
	out_printf(out, " %s %u bytes ", message_kind_name(m->kind), m->bytes);
	out_time_error(out, &error);
	ktrace_out_str(out, m->is_retransmitted ? " retransmitted\n" : "\n");
}

static void on_message(void *arg, const struct ktrace_message *m)
{
	struct flow *f = arg;

	if (!f->lists && !f->a.is_json) {
		message_marks_put(&f->messages, m);
		return;
	}
	if (m->from.time < f->a.from || m->from.time >= f->a.until_ns || !f->a.number)
		return;
	f->a.number--;
	output_line_begin(f->a.out);
	if (f->a.is_json)
		message_json(f, m);
	else
		message_text(f, m);
}

static int take_message(struct analysis *a, const struct ktrace_trace_event *e)
{
	struct flow *f = (struct flow *)a;

	if (!f->messages.messages)
		return 0;
	if (!f->lists && !a->is_json)
		message_marks_time(&f->messages, e);
	return ktrace_messages_add(f->messages.messages, e, on_message, f);
}

static void finish(struct analysis *a)
{
	struct flow *f = (struct flow *)a;

	message_marks_finish(&f->messages, on_message, f);
}

static void add_to_row(struct flow *f, const struct ktrace_process *p, __u64 from, __u64 to)
{
	struct row *row = analysis_thread(&f->a, &f->rows, p);

	if (!row || timeline_add(&f->strip, &row->strip, flow_class(p), from, to)) {
		f->a.error = -ENOMEM;
		return;
	}
	row->machine = p->machine;
	if (!row->has_first)
		row->first = from;
	row->has_first = true;
	if (p->status == KTRACE_STATUS_RUN || p->status == KTRACE_STATUS_EXIT)
		row->run_ns += to - from;
}

static void on_span(void *arg, const struct ktrace_process *p, __u64 until)
{
	struct flow *f = arg;
	__u64 from = p->since;

	if (!analysis_clip(&f->a, &from, &until) || !analysis_wants(&f->a, p) ||
	    p->status == KTRACE_STATUS_DEAD)
		return;
	if (!f->lists && !f->a.is_json) {
		add_to_row(f, p, from, until);
		return;
	}
	if (!f->a.number)
		return;
	f->a.number--;
	output_line_begin(f->a.out);
	if (f->a.is_json)
		list_json(&f->a, p, from, until);
	else
		list_text(&f->a, p, from, until);
}

static int begin(struct analysis *a)
{
	struct flow *f = (struct flow *)a;

	f->strip.from = a->from;
	f->strip.to = a->until_ns < a->end ? a->until_ns : a->end;
	f->strip.to += f->strip.to == f->strip.from;
	timeline_fit(&f->strip, BESIDE);
	f->machine = ~0u;
	return message_marks_begin(&f->messages, a->set, &f->strip);
}

static int by_run(const void *x, const void *y)
{
	const struct row *a = x, *b = y;

	return ORDER(a->machine, b->machine) ?: ORDER(b->run_ns, a->run_ns) ?:
	       ORDER(a->first, b->first);
}

static void put_head(struct analysis *a)
{
	const struct flow *f = (const struct flow *)a;

	out_printf(a->out, "\nR run  U user  S syscall  T trap  I irq  i softirq  "
		   "w wait for cpu\n");
	out_printf(a->out, ". sleep  D wait for disk  f fork  x exit  z zombie\n\n");
	if (f->messages.hosts)
		out_printf(a->out, "hosts: > sent a message to another host  < received one  "
			   "x both  ~ times are inexact\n\n");
	timeline_scale(&f->strip, a->start, 28, a->out);
}

/* Begins the rows of a host. */
static void put_host(struct flow *f, __u32 machine)
{
	const struct message_host *host = f->messages.hosts + machine;
	struct ktrace_out *out = f->a.out;
	const size_t from = out->len;
	int i;

	hosts_put_name(out, f->a.set, machine);
	ktrace_out_pad(out, from, 28);
	ktrace_out_char(out, '|');
	for (i = 0; i < f->strip.width; i++)
		ktrace_out_char(out, message_marks_letter(&f->messages, machine, i));
	out_printf(out, "| %llu sent, %llu received\n", host->sent, host->received);
}

static void put_row(struct analysis *a, const void *x)
{
	struct flow *f = (struct flow *)a;
	const struct row *row = x;
	char name[48];

	if (f->messages.hosts && f->machine != row->machine)
		put_host(f, row->machine);
	f->machine = row->machine;
	thread_label_name(&row->thread.who, name, sizeof(name));
	out_printf(a->out, "%-27.27s ", name);
	timeline_show(&f->strip, row->strip, a->out);
	out_percent(a->out, row->run_ns, f->strip.to - f->strip.from);
	out_printf(a->out, " %%\n");
}

static void show(struct analysis *a)
{
	static const struct sheet sheet = { NULL, by_run, put_head, put_row, NULL };
	struct flow *f = (struct flow *)a;

	if (!a->is_json && !f->lists)
		analysis_rows(a, &f->rows, &sheet);
}

#define MEMBER(member) OPTION_MEMBER(struct flow, member)

static const struct option_row rows[] = {
	{ .name = "list", .flag = MEMBER(lists),
	  .help = "print each span of time in one state, not a picture" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ rows, 0 },
	{ width_options, offsetof(struct flow, strip.width) },
	ANALYSIS_SETS,
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct flow f = {
		.a = { .early = take_message, .begin = begin, .finish = finish,
		       .show = show,
		       .needs.providers = "sched" },
		.strip.letters = flow_letters,
		.rows = HASH_TABLE_INIT(struct row, thread.serial),
	};
	int status;
	size_t i;

	f.a.watch = (struct ktrace_state_watch){ .span = on_span, .arg = &f };
	status = analysis_main(&f.a, cmd, argc, argv);
	for (i = 0; i < f.rows.nr; i++)
		free(((struct row *)hash_table_at(&f.rows, i))->strip);
	hash_table_free(&f.rows);
	message_marks_end(&f.messages);
	return status;
}

const struct command cmd_flow = {
	.name = "flow",
	.args = "[OPTION...] FILE...",
	.summary = "Show what each thread did over time",
	.options = sets,
	.needs_files = true,
	.run = run,
};
