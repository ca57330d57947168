/* SPDX-License-Identifier: GPL-2.0 */
/* ptt_line.h - prints events of the POSIX Threads Trace Toolkit as lines */
#ifndef VIEWER_PTHREAD_PTT_LINE_H
#define VIEWER_PTHREAD_PTT_LINE_H

#include "events/line.h"
#include "ptt.h"

enum ptt_form { PTT_TEXT, PTT_RAW, PTT_JSON };

#define PTT_HEAD_MAX 512u
#define PTT_VALUE_MAX 128u

/* struct ptt_text - text of a value, if @is_made; @size 0: it does not fit */
struct ptt_text {
	bool is_made;
	size_t size;
	char text[PTT_VALUE_MAX];
};

/**
 * struct ptt_lines - how events are printed
 * @lines:	what all forms share
 * @form:	the form
 * @event:	the current event
 * @head_size:	bytes of @head
 * @head:	beginning of the current event's lines
 * @values:	text of its fields, which several lines share
 */
struct ptt_lines {
	struct lines lines;
	enum ptt_form form;
	const struct ktrace_trace_event *event;
	size_t head_size;
	char head[PTT_HEAD_MAX];
	struct ptt_text values[PTT_VALUES_MAX];
};

/* Called before the lines of the current event of @p. */
void ptt_line_begin(struct ptt_lines *l, const struct ptt *p);
/* Prints event number @i of those it stands for. */
void ptt_line_put(struct ptt_lines *l, const struct ptt *p, __u32 i);

#endif
