/* SPDX-License-Identifier: GPL-2.0 */
/* ptt_line.h - an event of the POSIX Threads Trace Toolkit as a line */
#ifndef VIEWER_PTT_LINE_H
#define VIEWER_PTT_LINE_H

#include "line.h"
#include "ptt.h"

enum ptt_form { PTT_TEXT, PTT_RAW, PTT_JSON };

/**
 * struct ptt_lines - how events are printed
 * @lines:	what all forms have in common
 * @form:	the form
 */
struct ptt_lines {
	struct lines lines;
	enum ptt_form form;
};

/* Number @i of what @p has expanded */
void ptt_line_put(struct ptt_lines *l, const struct ptt *p, __u32 i);
#endif
