// SPDX-License-Identifier: GPL-2.0
/*
 * ptt_line.c - prints events of the POSIX Threads Trace Toolkit as lines
 *
 * Raw lines have a fixed number of columns, none of them empty: time, CPU, process, thread, event,
 * PTT_ARGS_MAX arguments of which the last is the result; and the file, if there are several.
 *
 * Several lines come from one event of ours: their common beginning and its values are formatted
 * once.
 */
#include "ptt_line.h"

#include "base/viewer.h"

#define HEAD_NAME_MAX 100u	/* bytes of a thread's name */

/* Appends a few bytes; most of a line is written this way. */
static inline void add(struct ktrace_out *out, const char *text, size_t size)
{
	if (size > out->cap - out->len) {
		ktrace_out_bytes(out, text, size);
		return;
	}
	memcpy(out->buf + out->len, text, size);
	out->len += size;
}

static void put_number(struct ktrace_out *out, __u64 n)
{
	ktrace_out_char(out, ' ');
	if (n)
		ktrace_out_u64(out, n);
	else
		ktrace_out_char(out, '-');
}

/* The form for programs always has the number, in the last column. */
static void put_raw_file(struct ptt_lines *l, const struct ktrace_trace_event *e)
{
	if (!l->lines.has_many_files)
		return;
	ktrace_out_str(l->lines.out, " #");
	ktrace_out_u64(l->lines.out, ktrace_trace_index(e->stream->trace));
}

static void put_raw_head(struct ktrace_out *out, const struct ktrace_trace_event *e, __u32 pid)
{
	ktrace_out_char(out, ' ');
	if (e->stream->cpu >= 0)
		ktrace_out_u64(out, (__u64)e->stream->cpu);
	else
		ktrace_out_char(out, '-');
	put_number(out, pid);
	put_number(out, e->tid);
	ktrace_out_char(out, ' ');
}

static void put_text_head(struct ptt_lines *l, struct ktrace_out *out,
			  const struct ktrace_trace_event *e, __u32 pid)
{
	const char *name = NULL;

	line_put_error(&l->lines, e);
	line_put_file(&l->lines, e);
	if (e->id != KTRACE_ID_LOST) {
		ktrace_out_str(out, " thread");
		put_number(out, pid);
		ktrace_out_char(out, '/');
		ktrace_out_u64(out, e->tid);
		name = object_names_thread(l->lines.aliases, e);
	}
	if (name) {
		ktrace_out_char(out, ':');
		ktrace_out_quoted(out, name, strnlen(name, HEAD_NAME_MAX));
	}
	ktrace_out_char(out, ' ');
}

void ptt_line_begin(struct ptt_lines *l, const struct ptt *p)
{
	struct ktrace_out *const to = l->lines.out;
	struct ktrace_out out = { .buf = l->head, .cap = sizeof(l->head) };
	const struct ktrace_trace_event *e = p->event;
	__u32 pid, i;
	const char *comm = ktrace_trace_thread(e->stream->trace, e->tid, e->raw, &pid);

	l->event = e;
	l->lines.out = &out;
	if (l->form == PTT_JSON) {
		line_put_json_begin(&l->lines, e, pid, comm ? comm : "");
	} else {
		line_put_time(&l->lines, e);
		if (l->form == PTT_RAW)
			put_raw_head(&out, e, pid);
		else
			put_text_head(l, &out, e, pid);
	}
	l->lines.out = to;
	l->lines.before = line_before(e);
	l->head_size = out.len;
	for (i = 0; i < p->value_nr; i++)
		l->values[i].is_made = false;
}

/* Escapes blanks, which quoted text may contain, to keep columns apart. */
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

	ktrace_value_text(&text, v);
	flush_without_blanks(&text);
}

static void put_name(enum ptt_form form, struct ktrace_out *out, const char *name)
{
	char buf[KTRACE_OUT_MIN];
	struct ktrace_out text = {
		.buf = buf, .cap = sizeof(buf), .flush = flush_without_blanks, .arg = out,
	};

	if (form != PTT_RAW) {
		line_put_name(out, name);
		return;
	}
	line_put_name(&text, name);
	flush_without_blanks(&text);
}

/* Returns the name of the object at this address; NULL: it has no name, or @v is not an address. */
static const char *name_of(const struct ptt_lines *l, const struct ktrace_value *v)
{
	if (!l->lines.aliases || !object_name_is_address(v))
		return NULL;
	return object_names_object(l->lines.aliases, l->event, (__u64)ktrace_value_s64(v, 0));
}

static void put_new_value(const struct ptt_lines *l, struct ktrace_out *out,
			  const struct ktrace_value *v)
{
	const char *name = l->form == PTT_JSON ? NULL : name_of(l, v);

	if (l->form == PTT_JSON)
		ktrace_value_json(out, v);
	else if (l->form == PTT_RAW && v->field->shape != KTRACE_ONE)
		put_column(out, v);
	else
		ktrace_value_text(out, v);
	if (name)
		put_name(l->form, out, name);
}

static void make_text(const struct ptt_lines *l, struct ptt_text *t, const struct ktrace_value *v)
{
	char buf[2 * KTRACE_OUT_MIN];
	struct ktrace_out out = { .buf = buf, .cap = sizeof(buf) };

	put_new_value(l, &out, v);
	t->is_made = true;
	t->size = !out.error && out.len <= sizeof(t->text) ? out.len : 0;
	memcpy(t->text, buf, t->size);
}

/* Writes a value; keeps its text for other lines if it is not too long. */
static void put_value(struct ptt_lines *l, const struct ptt *p, const struct ktrace_value *v)
{
	struct ptt_text *t = NULL;

	if (v >= p->values && v < p->values + PTT_VALUES_MAX)
		t = &l->values[v - p->values];
	if (t && !t->is_made)
		make_text(l, t, v);
	if (t && t->size)
		add(l->lines.out, t->text, t->size);
	else
		put_new_value(l, l->lines.out, v);
}

static void put_raw(struct ptt_lines *l, const struct ptt *p, const struct ptt_event *e)
{
	const bool has_result = e->nr && !strcmp(e->args[e->nr - 1]->field->name, "result");
	const __u32 nr = e->nr - has_result;
	struct ktrace_out *out = l->lines.out;
	__u32 i;

	add(out, e->kind->name, e->kind->name_size);
	for (i = 0; i < PTT_ARGS_MAX; i++) {
		if (i < nr) {
			add(out, e->args[i]->field->label, e->args[i]->field->label_size);
			put_value(l, p, e->args[i]);
		} else if (has_result && i == PTT_ARGS_MAX - 1) {
			ktrace_out_char(out, ' ');
			put_value(l, p, e->args[nr]);
		} else {
			add(out, " -", 2);
		}
	}
	put_raw_file(l, p->event);
}

/* Writes "initializes barrier 0x1234, left=2": labels are " barrier=", " left=". */
static void put_text(struct ptt_lines *l, const struct ptt *p, const struct ptt_event *e)
{
	struct ktrace_out *out = l->lines.out;
	const struct ktrace_field *field;
	__u32 i;

	add(out, e->kind->verb, e->kind->verb_size);
	for (i = 0; i < e->nr; i++) {
		field = e->args[i]->field;
		if (i)
			ktrace_out_char(out, ',');
		add(out, field->label, field->label_size - !i);
		if (!i)
			ktrace_out_char(out, ' ');
		put_value(l, p, e->args[i]);
	}
}

/* Writes the names of fields that have one, as ktrace list does. */
static void put_json_names(struct ptt_lines *l, const struct ptt_event *e)
{
	const char *thread = object_names_thread(l->lines.aliases, l->event), *name;
	struct ktrace_out *out = l->lines.out;
	char comma = '{';
	__u32 i;

	for (i = 0; i <= e->nr; i++) {
		name = i == e->nr ? thread : name_of(l, e->args[i]);
		if (!name)
			continue;
		if (comma == '{')
			ktrace_out_str(out, ",\"names\":");
		ktrace_out_char(out, comma);
		line_put_json_name(out, i == e->nr ? "tid" : e->args[i]->field->name, name);
		comma = ',';
	}
	if (comma == ',')
		ktrace_out_char(out, '}');
}

static void put_json(struct ptt_lines *l, const struct ptt *p, const struct ptt_event *e)
{
	static const char fields[] = "\",\"fields\":{";
	struct ktrace_out *out = l->lines.out;
	const struct ktrace_field *field;
	__u32 i;

	add(out, e->kind->name, e->kind->name_size);
	add(out, fields, sizeof(fields) - 1);
	for (i = 0; i < e->nr; i++) {
		field = e->args[i]->field;
		add(out, &",\""[!i], 2 - !i);
		add(out, field->label + 1, field->label_size - 2);
		add(out, "\":", 2);
		put_value(l, p, e->args[i]);
	}
	ktrace_out_char(out, '}');
	if (l->lines.aliases)
		put_json_names(l, e);
}

/* Writes where the call came from; only the first event has this. */
static void put_symbols(struct ptt_lines *l, const struct ptt *p)
{
	const struct ktrace_trace_event *e = p->event;

	if (l->lines.symbols && e->type)
		line_put_symbols(&l->lines, e,
				 ktrace_trace_pid(e->stream->trace, e->tid, e->raw));
}

void ptt_line_put(struct ptt_lines *l, const struct ptt *p, __u32 i)
{
	const struct ptt_event *e = &p->events[i];
	struct ktrace_out *out = l->lines.out;

	output_line_begin(out);
	add(out, l->head, l->head_size);
	if (l->form == PTT_JSON)
		put_json(l, p, e);
	else if (l->form == PTT_RAW)
		put_raw(l, p, e);
	else
		put_text(l, p, e);
	if (!i && l->form != PTT_RAW)
		put_symbols(l, p);
	if (l->form == PTT_JSON)
		ktrace_out_char(out, '}');
	ktrace_out_char(out, '\n');
}
