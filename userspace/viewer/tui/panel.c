// SPDX-License-Identifier: GPL-2.0
/* panel.c - text over the screen: help, details of an event, losses and clocks, bookmarks */
#include "tui.h"

#include "base/hosts.h"
#include "base/table.h"
#include "base/viewer.h"
#include "base/when.h"
#include "events/context.h"
#include "term.h"

#include <curses.h>
#include <stdlib.h>
#include <string.h>

static const char *line_at(const char *text, int n)
{
	while (n-- && text) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return text && *text ? text : NULL;
}

static int count_lines(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* Returns the text with long lines continued on the next line, to be freed. NULL: no memory */
static char *wrap(const char *text, int columns)
{
	char *copy = malloc(2 * strlen(text) + 1), *to = copy;
	bool begins;
	int at = 0;

	for (; copy && *text; text++) {
		/* Bytes of a character stay together. */
		begins = (*text & 0xc0) != 0x80;
		if (begins && *text != '\n' && at == columns) {
			*to++ = '\n';
			at = 0;
		}
		*to++ = *text;
		at = *text == '\n' ? 0 : at + begins;
	}
	if (copy)
		*to = '\0';
	return copy;
}

static void draw(const char *title, const char *text, int top)
{
	const char *line = line_at(text, top);
	char *copy;
	int y;

	term_clear();
	term_text(0, 0, term_columns(), TERM_TITLE, title, 0);
	for (y = 1; line && y < term_lines() - 1; y++) {
		copy = strndup(line, strcspn(line, "\n"));
		term_text(y, 0, term_columns(), TERM_PLAIN, copy ? copy : "", 0);
		free(copy);
		line = line_at(line, 1);
	}
	term_text(term_lines() - 1, 0, term_columns(), TERM_DIM,
		  line ? "more below: arrows, PgDn; q goes back" : "q goes back", 0);
	term_cursor(0, -1);
	term_show();
}

/* Returns the line that is at the top after a key, -1 = the key closes the panel. */
static int scrolled(int key, int top)
{
	const int page = term_lines() - 3;

	switch (key) {
	case KEY_UP:
	case 'k':
		return top - 1;
	case KEY_DOWN:
	case 'j':
		return top + 1;
	case KEY_PPAGE:
		return top - page;
	case KEY_NPAGE:
	case ' ':
		return top + page;
	case KEY_HOME:
		return 0;
	case TERM_NONE:
	case KEY_RESIZE:
	case KEY_LEFT:
	case KEY_RIGHT:
		return top;
	default:
		return -1;
	}
}

void panel_show(struct tui *t, const char *title, const char *text)
{
	int top = 0, key, last, next;
	char *wrapped;

	while (!term_signal()) {
		wrapped = wrap(text, term_columns());
		last = count_lines(wrapped ? wrapped : text) - (term_lines() - 2);
		top = top < last ? top : last;
		top = top > 0 ? top : 0;
		draw(title, wrapped ? wrapped : text, top);
		free(wrapped);
		key = term_key(500);
		next = scrolled(key, top);
		if (next < 0 && (top || (key != KEY_UP && key != 'k' && key != KEY_PPAGE)))
			break;
		top = next;
	}
	tui_layout(t);
}

/* Shows the text in @out, and frees it. */
static void show(struct tui *t, const char *title, struct ktrace_out *out)
{
	ktrace_out_char(out, '\0');
	if (out->error)
		tui_say(t, "out of memory");
	else
		panel_show(t, title, out->buf);
	free(out->buf);
}

static void put_label(struct ktrace_out *out, const char *label, size_t width)
{
	const size_t from = out->len;

	ktrace_out_safe(out, label);
	ktrace_out_char(out, ' ');
	ktrace_out_pad(out, from, width);
}

static void put_number(struct ktrace_out *out, const char *label, __u64 value)
{
	put_label(out, label, 12);
	out_printf(out, "%llu\n", value);
}

static void put_text(struct ktrace_out *out, const char *label, const char *value)
{
	put_label(out, label, 12);
	ktrace_out_safe(out, value ? value : "?");
	ktrace_out_char(out, '\n');
}

/* ---- an event ---- */

static void put_times(struct tui *t, struct ktrace_out *out, const struct ktrace_trace_event *e)
{
	struct time_error error;

	put_label(out, "time", 12);
	out_seconds(out, tui_since_start(t, e->time), 0);
	ktrace_out_str(out, t->list.lines.has_hosts ? " s " : " s");
	error = time_error_of(e->stream->trace, e->raw);
	if (t->list.lines.has_hosts)
		out_time_error(out, &error);
	ktrace_out_char(out, '\n');
	put_label(out, "wall clock", 12);
	out_date(out, ktrace_trace_wall(e->stream->trace, e->raw));
	ktrace_out_char(out, '\n');
	put_number(out, "stamp", e->raw);
}

static void put_thread(struct ktrace_out *out, const struct ktrace_trace_event *e)
{
	__u32 pid = 0;
	const char *comm = ktrace_trace_thread(e->stream->trace, e->tid, e->raw, &pid);

	if (e->id == KTRACE_ID_LOST)
		return;
	put_number(out, "thread", e->tid);
	if (pid)
		put_number(out, "process", pid);
	put_text(out, "name", e->tid ? comm : "swapper");
}

static void put_fields(struct ktrace_out *out, const struct ktrace_trace_event *e)
{
	struct ktrace_values it;
	struct ktrace_value v;

	if (!e->type)
		return;
	ktrace_out_str(out, "\nfields\n");
	ktrace_values_init(&it, e->type, e->payload, e->len);
	while (ktrace_values_next(&it, &v)) {
		ktrace_out_str(out, "  ");
		put_label(out, v.field->name, 16);
		ktrace_value_text(out, &v);
		ktrace_out_str(out, v.is_cut ? "  (truncated)\n" : "\n");
	}
}

static void put_context(struct ktrace_out *out, const struct ktrace_trace_event *e)
{
	if (!(e->flags & KTRACE_EVENT_CONTEXT))
		return;
	ktrace_out_str(out, "\nrecorded with it\n ");
	context_put(out, e);
	ktrace_out_char(out, '\n');
	context_put_stacks(out, NULL, e);
}

static void put_host(struct tui *t, struct ktrace_out *out, const struct ktrace_trace_event *e)
{
	put_label(out, "host", 12);
	hosts_put_name(out, t->set, machine_of(t->set, e->stream->trace));
	ktrace_out_char(out, '\n');
}

static void put_event(struct tui *t, struct ktrace_out *out, const struct ktrace_trace_event *e)
{
	put_label(out, "event", 12);
	ktrace_event_name(out, e);
	ktrace_out_char(out, '\n');
	put_times(t, out, e);
	if (t->list.lines.has_hosts)
		put_host(t, out, e);
	put_text(out, "file", ktrace_trace_path(e->stream->trace));
	put_number(out, "stream", e->stream->id);
	if (e->stream->cpu >= 0)
		put_number(out, "cpu", (__u64)e->stream->cpu);
	put_thread(out, e);
	put_number(out, "id", e->id);
	put_number(out, "bytes", e->len);
	if (e->type && e->type->file)
		put_text(out, "recorded in", e->type->file);
	put_fields(out, e);
	put_context(out, e);
	ktrace_out_str(out, "\nline\n  ");
}

void panel_details(struct tui *t)
{
	struct ktrace_out out = { .flush = output_grow };
	const struct list_row *row = list_selected(&t->list);
	struct ktrace_trace_event e;
	int ret = output_grow(&out);

	if (!ret)
		ret = list_event(&t->list, &e);
	if (ret != 1) {
		tui_complain(t, ret);
		free(out.buf);
		return;
	}
	put_event(t, &out, &e);
	ktrace_out_str(&out, row->text);
	ktrace_out_char(&out, '\n');
	show(t, "the selected event", &out);
}

/* ---- losses and clocks ---- */

static void put_losses(struct ktrace_out *out, const __u64 *lost)
{
	bool has_any = false;
	__u32 i;

	for (i = 0; i < KTRACE_LOST_NR; i++) {
		if (!lost[i])
			continue;
		ktrace_out_str(out, "  ");
		put_label(out, ktrace_lost_name(i), 16);
		out_printf(out, "%llu\n", lost[i]);
		has_any = true;
	}
	if (!has_any)
		ktrace_out_str(out, "  none\n");
}

static void put_file(struct ktrace_out *out, const struct ktrace_trace *trace)
{
	const bool is_closed = ktrace_trace_is_closed(trace);
	struct ktrace_clock_info clock;

	ktrace_trace_clock(trace, &clock);
	ktrace_out_char(out, '\n');
	ktrace_out_safe(out, ktrace_trace_path(trace));
	ktrace_out_str(out, is_closed ? ": closed\n  clock " :
		       ": not closed: still being written, or truncated\n  clock ");
	ktrace_out_safe(out, clock.clock ? clock.clock : "?");
	out_printf(out, ", %llu Hz, %llu readings", clock.hz, clock.readings);
	if (!clock.readings)
		ktrace_out_str(out, ": times are raw stamps");
	else if (clock.readings == 1)
		ktrace_out_str(out, ": its frequency is what the header says, not measured");
	ktrace_out_char(out, '\n');
}

void panel_losses(struct tui *t)
{
	struct ktrace_out out = { .flush = output_grow };
	const struct ktrace_trace *trace;
	char *said = term_said();
	size_t i;

	if (output_grow(&out)) {
		free(said);
		return;
	}
	ktrace_out_str(&out, t->flow.phase == FLOW_READY ? "lost in the window\n" :
		       "lost in the window, as far as it was read\n");
	put_losses(&out, t->flow.lost);
	for (i = 0; (trace = ktrace_traceset_trace(t->set, i)); i++)
		put_file(&out, trace);
	if (said) {
		ktrace_out_str(&out, "\nwhat is wrong with the files\n");
		ktrace_out_str(&out, said);
	}
	free(said);
	show(t, "losses, clocks, damages", &out);
}

void panel_marks(struct tui *t)
{
	struct ktrace_out out = { .flush = output_grow };
	bool has_any = false;
	int i;

	if (output_grow(&out))
		return;
	for (i = 0; i < TUI_MARKS; i++) {
		if (!t->marks[i].pos)
			continue;
		ktrace_out_char(&out, (char)('a' + i));
		ktrace_out_char(&out, ' ');
		out_seconds(&out, tui_since_start(t, t->marks[i].time), 15);
		ktrace_out_char(&out, '\n');
		has_any = true;
	}
	if (!has_any)
		ktrace_out_str(&out, "none: m and a letter set one, ' and it go there\n");
	show(t, "bookmarks", &out);
}
