// SPDX-License-Identifier: GPL-2.0
/* columns.c - a text table that fits the width of the terminal */
#include "columns.h"

#include "pager.h"
#include "when.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT_MAX 127	/* of a cell */

static int total(const struct columns *t)
{
	return columns_before(t, t->nr) - 1;
}

static void make_narrow(struct columns *t, int room)
{
	const int wish = t->all[0].width;
	int i, rank;

	for (i = 0; i < t->nr; i++)
		t->width[i] = t->all[i].narrow;
	for (rank = 1; rank <= t->nr && total(t) > room; rank++)
		for (i = 0; i < t->nr; i++)
			if (t->all[i].rank == rank)
				t->width[i] = 0;
	if (total(t) < room)
		t->width[0] += room - total(t);
	t->width[0] = t->width[0] < wish ? t->width[0] : wish;
}

void columns_begin(struct columns *t, struct ktrace_out *out, const struct column *all)
{
	const int room = terminal_columns();
	int i;

	*t = (struct columns){ .out = out, .all = all };
	for (i = 0; all[i].head; i++)
		t->width[i] = all[i].width;
	t->nr = i;
	t->spare = room ? room - total(t) : TEXT_MAX;
	if (t->spare < 0) {
		make_narrow(t, room);
		t->spare = 0;
	}
}

int columns_before(const struct columns *t, int column)
{
	int i, sum = 0;

	for (i = 0; i < column; i++)
		sum += t->width[i] ? t->width[i] + 1 : 0;
	return sum;
}

void cell(struct columns *t, const char *format, ...)
{
	const struct column *c = &t->all[t->at];
	const int width = t->width[t->at];
	const int cut = c->text_max < width + t->spare ? c->text_max : width + t->spare;
	char text[TEXT_MAX + 1];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (t->at++ && width)
		ktrace_out_char(t->out, ' ');
	if (!width)
		return;
	if (c->text_max)
		out_printf(t->out, "%-*.*s", t->at < t->nr ? width : 0, cut, text);
	else
		out_printf(t->out, "%*s", width, text);
}

/* Prints @text as a cell, without its leading blanks. */
static void put(struct columns *t, const struct ktrace_out *text)
{
	size_t blanks = strspn(text->buf, " ");

	cell(t, "%.*s", (int)(text->len - blanks), text->buf + blanks);
}

static void put_scaled(struct columns *t, __u64 value,
		       void (*scale)(struct ktrace_out *out, __u64 value))
{
	char buf[64] = "";
	struct ktrace_out text = { .buf = buf, .cap = sizeof(buf) };

	scale(&text, value);
	put(t, &text);
}

void cell_duration(struct columns *t, __u64 ns)
{
	put_scaled(t, ns, out_duration);
}

static void seconds(struct ktrace_out *out, __u64 ns)
{
	out_seconds(out, ns, 0);
}

void cell_seconds(struct columns *t, __u64 ns)
{
	put_scaled(t, ns, seconds);
}

void cell_bytes(struct columns *t, __u64 bytes)
{
	put_scaled(t, bytes, out_bytes);
}

void cell_percent(struct columns *t, __u64 part, __u64 whole)
{
	char buf[64] = "";
	struct ktrace_out text = { .buf = buf, .cap = sizeof(buf) };

	out_percent(&text, part, whole);
	put(t, &text);
}

void cells_end(struct columns *t)
{
	ktrace_out_char(t->out, '\n');
	t->at = 0;
}

void columns_head(struct columns *t)
{
	while (t->at < t->nr)
		cell(t, "%s", t->all[t->at].head);
	cells_end(t);
}

void columns_end(const struct columns *t)
{
	bool has_all = true;
	int i;

	for (i = 0; i < t->nr; i++) {
		if (t->width[i])
			continue;
		ktrace_out_str(t->out, has_all ? "\nNo room for: " : ", ");
		out_printf(t->out, "%s", t->all[i].head);
		has_all = false;
	}
	if (!has_all)
		ktrace_out_char(t->out, '\n');
}
