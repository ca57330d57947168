/* SPDX-License-Identifier: GPL-2.0 */
/* ptt_line.h - events of the POSIX Threads Trace Toolkit as lines */
#ifndef VIEWER_PTHREAD_PTT_LINE_H
#define VIEWER_PTHREAD_PTT_LINE_H

#include "events/line.h"
#include "ptt.h"

enum ptt_form { PTT_TEXT, PTT_RAW, PTT_JSON };

#define PTT_HEAD_MAX 512u
#define PTT_VALUE_MAX 128u

/* struct ptt_text - a value as text, if it @is_made; @size 0: there is no room for it */
struct ptt_text {
	bool is_made;
	size_t size;
	char text[PTT_VALUE_MAX];
};

/**
 * struct ptt_lines - how events are printed
 * @lines:	what all forms have in common
 * @form:	the form
 * @event:	the event at hand
 * @head_size:	bytes of @head
 * @head:	what the lines of the event at hand begin with
 * @values:	its fields; they are part of several lines
 */
struct ptt_lines {
	struct lines lines;
	enum ptt_form form;
	const struct ktrace_trace_event *event;
	size_t head_size;
	char head[PTT_HEAD_MAX];
	struct ptt_text values[PTT_VALUES_MAX];
};

/* Before lines of the event that @p has at hand */
void ptt_line_begin(struct ptt_lines *l, const struct ptt *p);
/* Number @i of what it stands for */
void ptt_line_put(struct ptt_lines *l, const struct ptt *p, __u32 i);

#endif
