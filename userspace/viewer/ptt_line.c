// SPDX-License-Identifier: GPL-2.0
/*
 * ptt_line.c - an event of the POSIX Threads Trace Toolkit as a line
 *
 * Raw lines have the same number of columns, none of them empty: time, CPU, process, thread,
 * event, PTT_ARGS_MAX arguments of which the last is the result; and the file, if there are
 * several.
 */
#include "ptt_line.h"

#include "viewer.h"

static void put_number(struct ktrace_out *out, __u64 n)
{
	ktrace_out_char(out, ' ');
	if (n)
		ktrace_out_u64(out, n);
	else
		ktrace_out_char(out, '-');
}

static void put_file(struct ptt_lines *l, const struct ktrace_trace_event *e)
{
	if (!l->lines.has_many_files)
		return;
	ktrace_out_str(l->lines.out, " #");
	ktrace_out_u64(l->lines.out, ktrace_trace_index(e->stream->trace));
}

static void put_raw_thread(struct ktrace_out *out, const struct ktrace_trace_event *e, __u32 pid)
{
	ktrace_out_char(out, ' ');
	if (e->stream->cpu >= 0)
		ktrace_out_u64(out, (__u64)e->stream->cpu);
	else
		ktrace_out_char(out, '-');
	put_number(out, pid);
	put_number(out, e->tid);
}

/* Time and thread, in front of what happened */
static void make_head(struct ptt_lines *l, const struct ktrace_trace_event *e)
{
	__u32 pid = ktrace_trace_pid(e->stream->trace, e->tid, e->raw);
	struct ktrace_out *out = l->lines.out;

	line_put_time(&l->lines, e);
	if (l->form == PTT_RAW) {
		put_raw_thread(out, e, pid);
	} else {
		put_file(l, e);
		if (e->id != KTRACE_ID_LOST) {
			ktrace_out_str(out, " thread");
			put_number(out, pid);
			ktrace_out_char(out, '/');
			ktrace_out_u64(out, e->tid);
		}
	}
	ktrace_out_char(out, ' ');
}

/* For columns: what is quoted may have blanks. */
static int flush_without_blanks(struct ktrace_out *text)
{
	struct ktrace_out *out = text->arg;
	size_t i;

	for (i = 0; i < text->len; i++) {
		if (text->buf[i] == ' ')
			ktrace_out_str(out, "\\040");
		else
			ktrace_out_char(out, text->buf[i]);
	}
	text->len = 0;
	return 0;
}

static void put_column(struct ktrace_out *out, const struct ktrace_value *v)
{
	char buf[KTRACE_OUT_MIN];
	struct ktrace_out text = {
		.buf = buf, .cap = sizeof(buf), .flush = flush_without_blanks, .arg = out,
	};

	ktrace_out_str(out, v->field->name);
	ktrace_out_char(out, '=');
	if (v->field->shape == KTRACE_ONE) {
		ktrace_value_text(out, v);
		return;
	}
	ktrace_value_text(&text, v);
	flush_without_blanks(&text);
}

static void put_raw(struct ktrace_out *out, const struct ptt_event *e)
{
	bool has_result = e->nr && !strcmp(e->args[e->nr - 1].field->name, "result");
	__u32 nr = e->nr - has_result, i;

	ktrace_out_str(out, e->kind->name);
	for (i = 0; i < PTT_ARGS_MAX; i++) {
		ktrace_out_char(out, ' ');
		if (i < nr)
			put_column(out, &e->args[i]);
		else if (has_result && i == PTT_ARGS_MAX - 1)
			ktrace_value_text(out, &e->args[nr]);
		else
			ktrace_out_char(out, '-');
	}
}

/* "initializes barrier 0x1234, left=2" */
static void put_text(struct ktrace_out *out, const struct ptt_event *e)
{
	__u32 i;

	ktrace_out_str(out, e->kind->verb);
	for (i = 0; i < e->nr; i++) {
		ktrace_out_str(out, i ? ", " : " ");
		ktrace_out_str(out, e->args[i].field->name);
		ktrace_out_char(out, i ? '=' : ' ');
		ktrace_value_text(out, &e->args[i]);
	}
}

static void put_json(struct ktrace_out *out, const struct ptt_event *e)
{
	__u32 i;

	ktrace_out_str(out, e->kind->name);
	ktrace_out_str(out, "\",\"fields\":{");
	for (i = 0; i < e->nr; i++) {
		ktrace_out_str(out, i ? ",\"" : "\"");
		ktrace_out_str(out, e->args[i].field->name);
		ktrace_out_str(out, "\":");
		ktrace_value_json(out, &e->args[i]);
	}
	ktrace_out_str(out, "}}");
}

static void put_object(struct ptt_lines *l, const struct ktrace_trace_event *e,
		       const struct ptt_event *event)
{
	const char *comm;
	__u32 pid;

	comm = ktrace_trace_thread(e->stream->trace, e->tid, e->raw, &pid);
	line_put_json_begin(&l->lines, e, pid, comm ? comm : "");
	put_json(l->lines.out, event);
}

void ptt_line_put(struct ptt_lines *l, const struct ptt *p, __u32 i)
{
	const struct ktrace_trace_event *e = p->event;
	struct ktrace_out *out = l->lines.out;

	output_line_begin(out);
	if (l->form == PTT_JSON) {
		put_object(l, e, &p->events[i]);
	} else {
		make_head(l, e);
		if (l->form == PTT_RAW)
			put_raw(out, &p->events[i]);
		else
			put_text(out, &p->events[i]);
		if (l->form == PTT_RAW)
			put_file(l, e);
	}
	ktrace_out_char(out, '\n');
	l->lines.before = e->time;
}
