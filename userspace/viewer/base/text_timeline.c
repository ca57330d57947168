// SPDX-License-Identifier: GPL-2.0
/* text_timeline.c - a row of characters over time: each column shows its dominant class */
#include "text_timeline.h"

#include "when.h"
#include "pager.h"
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

__u64 timeline_edge(const struct timeline *s, int column)
{
	__u64 span = s->to - s->from;

	if (column == s->width)
		return s->to;
	return s->from + (__u64)((double)span * column / s->width);
}

int timeline_column(const struct timeline *s, __u64 time)
{
	int column = (int)((double)(time - s->from) * s->width / (double)(s->to - s->from));

	return column < s->width ? column : s->width - 1;
}

int timeline_add(const struct timeline *s, __u64 **row, int class, __u64 from, __u64 to)
{
	size_t classes = strlen(s->letters);
	__u64 left, right;
	int i;

	if (!*row)
		*row = calloc((size_t)s->width * classes, sizeof(**row));
	if (!*row)
		return -ENOMEM;
	from = from > s->from ? from : s->from;
	to = to < s->to ? to : s->to;
	if (from >= to)
		return 0;
	for (i = timeline_column(s, from); i <= timeline_column(s, to - 1); i++) {
		left = from > timeline_edge(s, i) ? from : timeline_edge(s, i);
		right = to < timeline_edge(s, i + 1) ? to : timeline_edge(s, i + 1);
		(*row)[(size_t)i * classes + (size_t)class] += right > left ? right - left : 0;
	}
	return 0;
}

int timeline_most(const struct timeline *s, const __u64 *row, int column)
{
	size_t classes = strlen(s->letters), class, most = 0;

	if (!row)
		return -1;
	row += (size_t)column * classes;
	for (class = 0; class < classes; class++)
		most = row[class] > row[most] ? class : most;
	return row[most] ? (int)most : -1;
}

void timeline_show(const struct timeline *s, const __u64 *row, struct ktrace_out *out)
{
	int i, class;

	ktrace_out_char(out, '|');
	for (i = 0; i < s->width; i++) {
		class = timeline_most(s, row, i);
		ktrace_out_char(out, class < 0 ? ' ' : s->letters[class]);
	}
	ktrace_out_char(out, '|');
}

void timeline_scale(const struct timeline *s, __u64 start, int indent, struct ktrace_out *out)
{
	double from = (double)(s->from - start) / 1e9, to = (double)(s->to - start) / 1e9;

	out_printf(out, "%*s%-*.6f %*.6f s\n", indent, "", s->width / 2, from,
		   s->width - s->width / 2 - 1, to);
}

void timeline_fit(struct timeline *s, int beside)
{
	const int room = terminal_columns() - beside;

	if (s->width)
		return;
	s->width = room < TIMELINE_WIDTH_MIN ? TIMELINE_WIDTH_MIN :
		   room > TIMELINE_WIDTH_MAX ? TIMELINE_WIDTH_MAX : room;
	if (!terminal_columns())
		s->width = TIMELINE_WIDTH;
}

static const char *set_width(void *to, const char *text)
{
	__u64 v;

	if (!number_parse(text, TIMELINE_WIDTH_MIN, TIMELINE_WIDTH_MAX, &v))
		return "--width: not a number from 10 to 1000";
	*(int *)to = (int)v;
	return NULL;
}

const struct option_row width_options[] = {
	{ .name = "width", .value = "N", .set = set_width,
	  .help = "columns of the picture (default: those of the terminal,\n"
		  "or 60)" },
	{ .help = NULL },
};
