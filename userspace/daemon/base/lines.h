/* SPDX-License-Identifier: GPL-2.0 */
/* lines.h - META text, line by line */
#ifndef KTRACED_BASE_LINES_H
#define KTRACED_BASE_LINES_H

#include <ktrace/tracefile.h>

/* Whether a line begins with that word. */
bool line_is(const char *line, const char *keyword);
/* Takes out lines that are not to stay. The last one need not have an end. */
void lines_keep(struct ktrace_text *t, bool (*stays)(const char *line, const void *arg),
		 const void *arg);

#endif
