// SPDX-License-Identifier: GPL-2.0
/* draw.c - the screen of ktrace tui */
#include "tui.h"

#include "base/lost_events.h"
#include "base/table.h"
#include "base/viewer.h"
#include "base/when.h"
#include "term.h"

#include <string.h>

#define TEXT 1024

/* Appends text with control characters escaped. */
static void put_safe(struct ktrace_out *out, const char *text)
{
	ktrace_out_safe(out, text);
}

static struct ktrace_out text_in(char *buf)
{
	return (struct ktrace_out){ .buf = buf, .cap = TEXT - 1 };
}

static void draw_line(int y, enum term_look look, struct ktrace_out *out)
{
	out->buf[out->len] = '\0';
	term_text(y, 0, term_columns(), look, out->buf, 0);
}

static void draw_title(struct tui *t)
{
	char buf[TEXT];
	struct ktrace_out out = text_in(buf);
	const char *path = ktrace_trace_path(ktrace_traceset_trace(t->set, 0));
	const char *name = strrchr(path, '/');

	ktrace_out_str(&out, "now ");
	out_seconds(&out, tui_since_start(t, t->now), 0);
	ktrace_out_str(&out, "  window ");
	out_seconds(&out, tui_since_start(t, t->from), 0);
	ktrace_out_str(&out, " to ");
	out_seconds(&out, tui_since_start(t, t->to), 0);
	ktrace_out_str(&out, " of ");
	out_seconds(&out, t->feed.end - t->feed.start, 0);
	ktrace_out_str(&out, " s  ");
	put_safe(&out, name ? name + 1 : path);
	if (t->nr > 1)
		ktrace_out_str(&out, " ...");
	draw_line(0, TERM_TITLE, &out);
}

/* ---- the picture ---- */

/* Draws the line above the picture, with the meanings of its letters; @letters: a bit each. */
static void draw_scale(struct tui *t, int y, int name_width, __u32 letters)
{
	static const char *const meanings[FLOW_ALL_NR] = {
		[FLOW_RUN] = "R run", [FLOW_USER] = "U user", [FLOW_SYSCALL] = "S syscall",
		[FLOW_TRAP] = "T trap", [FLOW_IRQ] = "I irq", [FLOW_SOFTIRQ] = "i softirq",
		[FLOW_SLEEP] = ". sleep", [FLOW_DISK] = "D disk",
		[FLOW_WAIT_CPU] = "w wait for cpu", [FLOW_FORK] = "f fork",
		[FLOW_EXIT] = "x exit", [FLOW_ZOMBIE] = "z zombie",
		[FLOW_EVENTS] = "+ events", [FLOW_LOST] = "! LOST",
	};
	char buf[TEXT];
	struct ktrace_out out = text_in(buf);
	int i;

	if (t->flow.phase == FLOW_READY)
		ktrace_out_str(&out, t->in_flow ? "> threads" : "  threads");
	else
		ktrace_out_u64(&out, flow_percent(&t->flow));
	if (t->flow.phase != FLOW_READY)
		ktrace_out_str(&out, " % read");
	ktrace_out_pad(&out, 0, (size_t)name_width + 1);
	for (i = FLOW_RUN; i < FLOW_ALL_NR; i++) {
		if (!(letters & 1u << i))
			continue;
		ktrace_out_str(&out, meanings[i]);
		ktrace_out_char(&out, ' ');
	}
	if (t->flow.messages.hosts)
		ktrace_out_str(&out, "> sent < received x both ~ inexact ");
	draw_line(y, TERM_DIM, &out);
}

/* Draws the messages of a host. */
static void draw_messages(const struct flow *f, const struct flow_row *row, int y, int x, int now)
{
	int i;

	term_letter(y, x, 0, '|', false);
	for (i = 0; i < f->strip.width; i++)
		term_letter(y, x + 1 + i, 0, message_marks_letter(&f->messages, row->machine, i),
			    i == now);
	term_letter(y, x + 1 + f->strip.width, 0, '|', false);
}

/* Draws a row. Returns the letters in it: a bit each. */
static __u32 draw_strip(const struct timeline *s, const struct flow_row *row, int y, int x, int now)
{
	__u32 letters = 0;
	int i, class;

	term_letter(y, x, 0, '|', false);
	for (i = 0; i < s->width; i++) {
		class = timeline_most(s, row->strip, i);
		class = class < 0 ? FLOW_UNKNOWN : class;
		letters |= 1u << class;
		term_letter(y, x + 1 + i, class, s->letters[class], i == now);
	}
	term_letter(y, x + 1 + s->width, 0, '|', false);
	return letters;
}

static void draw_flow(struct tui *t, int y, int height)
{
	const int name_width = tui_name_width();
	const struct timeline *s = &t->flow.strip;
	const int now = t->now >= s->from && t->now < s->to ? timeline_column(s, t->now) : -1;
	const int nr = (int)t->flow.order_nr;
	__u32 letters = 0;
	char name[96];
	int i;

	if (t->flow_selected >= nr)
		t->flow_selected = nr ? nr - 1 : 0;
	if (t->flow_top > t->flow_selected)
		t->flow_top = t->flow_selected;
	if (t->flow_top <= t->flow_selected - height)
		t->flow_top = t->flow_selected - height + 1;
	for (i = 0; i < height && t->flow_top + i < nr; i++) {
		const struct flow_row *row = t->flow.order[t->flow_top + i];

		flow_name(&t->flow, row, name, sizeof(name));
		term_text(y + 1 + i, 0, name_width,
			  t->flow_top + i == t->flow_selected ? TERM_SELECTED : TERM_PLAIN, name,
			  0);
		if (row->is_host)
			draw_messages(&t->flow, row, y + 1 + i, name_width + 1, now);
		else
			letters |= draw_strip(s, row, y + 1 + i, name_width + 1, now);
	}
	draw_scale(t, y, name_width, letters);
	if (!nr && t->flow.phase == FLOW_READY)
		term_text(y + 1, 0, term_columns(), TERM_PLAIN,
			  "nothing is known of threads here", 0);
}

/* ---- the list ---- */

static void draw_list(struct tui *t, int y, int height)
{
	const struct list *l = &t->list;
	enum term_look look;
	int i;

	for (i = 0; i < height && i < l->nr; i++) {
		look = i == l->selected ? TERM_SELECTED :
		       l->rows[i].is_lost ? TERM_ALERT : TERM_PLAIN;
		term_text(y + i, 0, term_columns(), look, l->rows[i].text, l->left);
	}
	if (!l->nr)
		term_text(y, 0, term_columns(), TERM_PLAIN,
			  *t->feed.filter ? "no event passes the filter" : "no events", 0);
}

/* ---- the last two lines ---- */

static void put_losses(struct ktrace_out *out, const struct tui *t)
{
	const __u64 sum = lost_total(t->flow.lost);

	if (t->flow.phase == FLOW_READY)
		out_printf(out, "%s %llu in window", sum ? "LOST" : "lost", sum);
	else if (sum)
		out_printf(out, "LOST at least %llu", sum);
	else
		ktrace_out_str(out, "lost ?");
}

/* Appends the clock of the files, and whether it can be trusted; the panel shows more. */
static void put_clock(struct ktrace_out *out, const struct tui *t)
{
	const struct ktrace_trace *trace;
	struct ktrace_clock_info clock;
	size_t i;

	for (i = 0; (trace = ktrace_traceset_trace(t->set, i)); i++) {
		ktrace_trace_clock(trace, &clock);
		if (clock.readings < 2)
			break;
	}
	ktrace_trace_clock(trace ? trace : ktrace_traceset_trace(t->set, 0), &clock);
	ktrace_out_str(out, "  clock ");
	put_safe(out, clock.clock ? clock.clock : "?");
	if (trace)
		ktrace_out_str(out, clock.readings ? " read ONCE" : " NOT read");
}

static void draw_status(struct tui *t, int y)
{
	char buf[TEXT];
	struct ktrace_out out = text_in(buf);
	struct ktrace_traceset_stats stats;

	ktrace_traceset_stats(t->set, &stats);
	put_losses(&out, t);
	put_clock(&out, t);
	if (stats.damaged)
		ktrace_out_str(&out, "  DAMAGED");
	if (t->is_growing)
		ktrace_out_str(&out, t->follows ? "  following" : "  not closed");
	if (*t->feed.filter) {
		ktrace_out_str(&out, "  filter ");
		put_safe(&out, t->feed.filter);
	}
	draw_line(y, TERM_TITLE, &out);
}

static void draw_message(struct tui *t, int y)
{
	char buf[TEXT];
	struct ktrace_out out = text_in(buf);

	put_safe(&out, *t->message ? t->message :
		 "? help  q quit  TAB other view  / search  f filter  t time  + - 0 zoom  L lost");
	draw_line(y, *t->message ? TERM_TITLE : TERM_DIM, &out);
}

void tui_draw(struct tui *t)
{
	const int flow = tui_flow_height(t), list = tui_list_height(t);

	term_clear();
	draw_title(t);
	if (flow)
		draw_flow(t, 1, flow);
	if (list)
		draw_list(t, 1 + (flow ? flow + 1 : 0), list);
	draw_status(t, term_lines() - 2);
	draw_message(t, term_lines() - 1);
	term_cursor(0, -1);
	term_show();
}
