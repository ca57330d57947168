// SPDX-License-Identifier: GPL-2.0
/*
 * html_head.c - the head of a page, in JSON: everything except nodes and blocks
 *
 * Text of traces may be hostile. In a script element only "<" can do harm, so it is escaped.
 */
#include "html.h"

#include "base/clock_warnings.h"
#include "base/json.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAFE_NUMBER (1ull << 53)

static void put_number(struct ktrace_out *out, __u64 v)
{
	json_element(out);
	ktrace_out_u64(out, v);
}

static void put_text(struct ktrace_out *out, const char *text)
{
	json_element(out);
	ktrace_out_json(out, text, strlen(text));
}

static void put_ns(struct ktrace_out *out, const char *key, __u64 ns)
{
	json_key(out, key);
	ktrace_out_char(out, '"');
	ktrace_out_u64(out, ns);
	ktrace_out_char(out, '"');
}

static void put_title(const struct html *h, struct ktrace_out *out)
{
	const struct ktrace_trace *t;
	const char *path, *name;
	char text[256] = "";
	size_t i, n = 0;

	for (i = 0; !h->title && (t = ktrace_traceset_trace(h->set, i)); i++) {
		path = ktrace_trace_path(t);
		name = strrchr(path, '/');
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", i ? ", " : "",
				      name ? name + 1 : path);
		if (n >= sizeof(text))
			break;
	}
	json_str(out, "title", h->title ? h->title : text);
}

static __u64 lost_in(const struct html *h, size_t trace)
{
	const struct html_loss *loss;
	__u64 sum = 0;

	hash_table_for_each(loss, &h->losses)
		sum += loss->trace == trace ? loss->count : 0;
	return sum;
}

/* Times, and how much earlier and later the true time may be from there on, if that is known. */
static void put_errors(struct ktrace_out *out, const struct html_errors *errors)
{
	const struct html_error *e;

	json_open(out, "errors", '[');
	for (e = errors->at; e < errors->at + errors->nr; e++) {
		json_element(out);
		ktrace_out_char(out, '[');
		put_number(out, e->time);
		if (e->error.is_known) {
			put_number(out, e->error.early_ns);
			put_number(out, e->error.late_ns);
		}
		ktrace_out_char(out, ']');
	}
	ktrace_out_char(out, ']');
}

static void put_files(struct html *h, struct ktrace_out *out)
{
	const struct ktrace_trace *t;
	size_t i;

	json_open(out, "files", '[');
	for (i = 0; (t = ktrace_traceset_trace(h->set, i)); i++) {
		json_item(out);
		json_str(out, "name", ktrace_trace_path(t));
		json_str(out, "host", ktrace_trace_meta(t, "host", "name"));
		json_u64(out, "events", html_events(h, i));
		json_u64(out, "lost", lost_in(h, i));
		if (h->hosts.has_several)
			put_errors(out, &h->hosts.errors[i]);
		ktrace_out_char(out, '}');
	}
	ktrace_out_char(out, ']');
}

static void put_losses(const struct html *h, struct ktrace_out *out)
{
	const struct html_loss *loss;

	json_open(out, "loss", '[');
	hash_table_for_each(loss, &h->losses) {
		json_item(out);
		json_str(out, "reason", ktrace_lost_name(loss->reason));
		json_u64(out, "count", loss->count);
		json_u64(out, "file", loss->trace);
		ktrace_out_char(out, '}');
	}
	ktrace_out_char(out, ']');
}

__attribute__((format(printf, 2, 3)))
static void put_note(struct ktrace_out *out, const char *format, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	put_text(out, text);
}

static void put_trace_notes(const struct ktrace_trace *t, struct ktrace_out *out)
{
	struct ktrace_clock_info clock;
	struct ktrace_part part;
	size_t i;

	ktrace_trace_clock(t, &clock);
	put_note(out, "%s: clock %s, %llu Hz, %llu readings%s", ktrace_trace_path(t),
		 clock.clock ? clock.clock : "?", clock.hz, clock.readings,
		 clock.readings < 2 ? ": times are less exact" : "");
	for (i = 0; ktrace_trace_part(t, i, &part); i++)
		if (!part.is_closed)
			put_note(out, "%s: not closed: still being written, or truncated",
				 part.path);
}

static void put_quality(void *arg, const char *path, const char *text)
{
	put_note(arg, "%s%s%s", path ? path : "", path ? ": " : "", text);
}

static void put_notes(const struct html *h, struct ktrace_out *out)
{
	struct ktrace_traceset_stats stats;
	const struct ktrace_trace *t;
	size_t i;

	json_open(out, "notes", '[');
	for (i = 0; (t = ktrace_traceset_trace(h->set, i)); i++)
		put_trace_notes(t, out);
	clock_warnings_tell(h->set, put_quality, out);
	ktrace_traceset_stats(h->set, &stats);
	if (stats.damaged)
		put_note(out, "%llu places in the files are damaged and were skipped",
			 stats.damaged);
	if (h->follow.left_nr)
		put_note(out, "%llu locks have no row: a page has the first 4096, then those that "
			 "threads wait for, from the first wait on, up to 16384 in all",
			 h->follow.left_nr);
	if (h->follow.deep_nr || h->follow.slices.deeper)
		put_note(out, "%llu spans have no row: more than 64 others of their thread were "
			 "open", h->follow.deep_nr + h->follow.slices.deeper);
	if (h->hosts.nr)
		put_note(out, "%zu messages between hosts are arrows, shown when zoomed in far "
			 "enough", h->hosts.nr);
	if (h->hosts.left_out)
		put_note(out, "%llu further messages between hosts have no arrow",
			 h->hosts.left_out);
	if (stats.backwards)
		put_note(out, "stamps go backwards: see events flagged so");
	ktrace_out_char(out, ']');
}

static void put_enums(struct ktrace_out *out, const struct ktrace_field *f)
{
	const bool is_signed = html_field_of(f, 0) == HTML_SIGNED;
	__u32 i;

	json_open(out, "enums", '[');
	for (i = 0; i < f->enum_nr; i++) {
		const __s64 v = f->enums[i].value;
		const bool is_large = (is_signed && v < 0 ? -(__u64)v : (__u64)v) > SAFE_NUMBER;

		json_element(out);
		ktrace_out_str(out, is_large ? "[\"" : "[");
		if (is_signed)
			ktrace_out_s64(out, v);
		else
			ktrace_out_u64(out, (__u64)v);
		ktrace_out_str(out, is_large ? "\"," : ",");
		ktrace_out_json(out, f->enums[i].name, strlen(f->enums[i].name));
		ktrace_out_char(out, ']');
	}
	ktrace_out_char(out, ']');
}

static void put_field(struct ktrace_out *out, const struct ktrace_field *f, __u32 flags)
{
	const enum html_field field = html_field_of(f, flags);
	const char kind[] = { "uixfgj"[field], 0 };

	json_item(out);
	json_str(out, "name", f->name);
	json_str(out, "kind", kind);
	if (f->enum_nr && field != HTML_JSON)
		put_enums(out, f);
	ktrace_out_char(out, '}');
}

static void put_text_field(struct ktrace_out *out, const char *name)
{
	json_item(out);
	json_str(out, "name", name);
	json_str(out, "kind", "j");
	json_u64(out, "extra", 1);
	ktrace_out_char(out, '}');
}

static void put_type(struct ktrace_out *out, const struct html_type *t)
{
	struct ktrace_trace_stream stream = { .kind = t->kind };
	struct ktrace_trace_event e = { .type = t->type, .stream = &stream, .id = t->id };
	struct ktrace_out name = { .flush = output_grow };
	__u32 i;

	ktrace_event_name(&name, &e);
	json_item(out);
	json_key(out, "name");
	ktrace_out_json(out, name.buf, name.len);
	free(name.buf);
	json_open(out, "fields", '[');
	for (i = 0; i < t->fields; i++)
		put_field(out, !i && t->first ? t->first : &t->type->fields[i], t->flags);
	if (t->flags & HTML_TYPE_BYTES)
		put_text_field(out, "bytes");
	if (t->flags & HTML_TYPE_CONTEXT)
		put_text_field(out, "context");
	if (t->flags & HTML_TYPE_STACKS)
		put_text_field(out, "stacks");
	ktrace_out_str(out, "]}");
}

static void put_types(const struct html *h, struct ktrace_out *out)
{
	size_t i;

	json_open(out, "types", '[');
	for (i = 0; i < h->blocks.kinds.types.nr; i++)
		put_type(out, hash_table_at(&h->blocks.kinds.types, i));
	ktrace_out_char(out, ']');
}

static void put_streams(const struct html *h, struct ktrace_out *out)
{
	const struct ktrace_trace_stream *stream;
	size_t i;

	json_open(out, "streams", '[');
	for (i = 0; i < h->blocks.kinds.streams.nr; i++) {
		stream = ((const struct html_stream *)hash_table_at(&h->blocks.kinds.streams,
								    i))->stream;
		json_item(out);
		json_u64(out, "file", ktrace_trace_index(stream->trace));
		json_u64(out, "id", stream->id);
		json_u64(out, "machine", ktrace_state_machine(h->follow.state, stream->trace));
		json_key(out, "cpu");
		if (stream->cpu >= 0)
			ktrace_out_s64(out, stream->cpu);
		else
			ktrace_out_str(out, "null");
		ktrace_out_char(out, '}');
	}
	ktrace_out_char(out, ']');
}

static void put_states(const struct html *h, struct ktrace_out *out)
{
	const struct html_state *s;

	json_open(out, "states", '[');
	hash_table_for_each(s, &h->rows.states) {
		json_item(out);
		json_str(out, "name", s->name);
		json_str(out, "group", s->group);
		if (s->thread)
			json_u64(out, "row", s->thread - 1);
		ktrace_out_char(out, '}');
	}
	ktrace_out_char(out, ']');
}

static void put_row(struct html *h, struct ktrace_out *out, const struct html_row *row)
{
	static const char *const kinds[HTML_KIND_NR] = {
		"host", "cpu", "irq", "softirq", "trap", "block", "process", "lock", "thread",
		"wait", "span",
	};
	const bool is_thread = row->key.kind == HTML_THREAD;
	const struct ktrace_trace *t = ktrace_traceset_trace(h->set, row->key.machine);
	char swapper[32];

	snprintf(swapper, sizeof(swapper), "swapper/%d", row->who.cpu);
	json_item(out);
	json_str(out, "kind", kinds[row->key.kind]);
	json_str(out, "name", !is_thread ? row->name : row->who.tid ? row->who.comm : swapper);
	json_s64(out, "parent", (__s64)(__s32)html_row_parent(h, row));
	json_u64(out, "machine", row->key.machine);
	if (row->key.kind < HTML_PROCESS && row->key.kind != HTML_HOST)
		json_u64(out, "number", row->key.number);
	if (row->pid)
		json_u64(out, "pid", row->pid);
	if (is_thread)
		json_u64(out, "tid", row->who.tid);
	json_str(out, "host", t ? ktrace_trace_meta(t, "host", "name") : NULL);
	ktrace_out_char(out, '}');
}

static int put_rows(struct html *h, struct ktrace_out *out)
{
	const size_t others = h->rows.rows.nr;
	__u32 *order;
	size_t i;

	order = html_row_order(h);
	if (!order)
		return -ENOMEM;
	json_open(out, "rows", '[');
	for (i = 0; i < h->rows.rows.nr; i++)
		put_row(h, out, hash_table_at(&h->rows.rows, i));
	ktrace_out_char(out, ']');
	json_open(out, "order", '[');
	for (i = 0; i < h->rows.rows.nr; i++)
		put_number(out, order[i]);
	ktrace_out_char(out, ']');
	free(order);
	/* Until all other rows are known, rows of processes do not keep their numbers. */
	if (h->stage != HTML_WHOLE)
		hash_table_cut(&h->rows.rows, others);
	return 0;
}

static void put_nodes(const struct html *h, struct ktrace_out *out)
{
	const struct html_node *n;
	/* While the files are read, only the nodes that have begun */
	const __u32 nr = h->stage == HTML_WHOLE ? h->tree.nr : h->lanes.next;
	__u32 i;

	json_open(out, "nodes", '[');
	for (i = 0; i < nr; i++) {
		n = &h->tree.nodes[i];
		json_element(out);
		ktrace_out_char(out, '[');
		put_number(out, n->begin);
		put_number(out, n->end);
		put_number(out, n->first_block);
		put_number(out, n->end_block != HTML_OPEN ? n->end_block : h->blocks.nr);
		json_element(out);
		ktrace_out_s64(out, (__s64)(__s32)n->parent);
		put_number(out, n->events);
		ktrace_out_char(out, ']');
	}
	ktrace_out_char(out, ']');
}

static void put_blocks(const struct html *h, struct ktrace_out *out)
{
	const struct html_entry *e;
	__u32 i;

	json_open(out, "blocks", '[');
	for (i = 0; i < h->blocks.nr; i++) {
		e = &h->blocks.entries[i];
		json_element(out);
		ktrace_out_char(out, '[');
		put_number(out, e->begin);
		put_number(out, e->end);
		put_number(out, e->first);
		put_number(out, e->count);
		ktrace_out_char(out, ']');
	}
	ktrace_out_char(out, ']');
}

static int put_all(struct html *h, struct ktrace_out *out)
{
	int ret;

	ktrace_out_char(out, '{');
	json_u64(out, "version", 1);
	put_title(h, out);
	put_ns(out, "begin", h->begin);
	put_ns(out, "wall", h->begin);
	put_ns(out, "start", h->scope.start);
	json_u64(out, "span", h->span);
	if (h->is_served)
		json_u64(out, "serve", 1);
	if (h->answers_sql)
		json_u64(out, "sql", 1);
	if (h->stage != HTML_WHOLE)
		json_u64(out, "known", h->stage == HTML_READING ? h->latest : 0);
	put_files(h, out);
	put_losses(h, out);
	put_notes(h, out);
	put_types(h, out);
	put_streams(h, out);
	put_states(h, out);
	ret = put_rows(h, out);
	json_open(out, "arrows", '[');
	put_text(out, "wakeup");
	put_text(out, "fork");
	put_text(out, "unlock");
	if (h->hosts.has_several) {
		put_text(out, "message");
		put_text(out, "message sent several times");
		put_text(out, "broadcast");
	}
	ktrace_out_char(out, ']');
	put_nodes(h, out);
	put_blocks(h, out);
	ktrace_out_char(out, '}');
	return ret;
}

int html_put_head(struct html *h, struct ktrace_out *out)
{
	struct ktrace_out text = { .flush = output_grow };
	int ret = put_all(h, &text);
	size_t i;

	for (i = 0; i < text.len && !ret; i++) {
		if (text.buf[i] == '<')
			ktrace_out_str(out, "\\u003c");
		else
			ktrace_out_char(out, text.buf[i]);
	}
	ret = ret ? ret : text.error;
	free(text.buf);
	return ret;
}
