/* SPDX-License-Identifier: GPL-2.0 */
/* lines.h - lines of META text */
#ifndef KTRACED_BASE_LINES_H
#define KTRACED_BASE_LINES_H

#include <ktrace/tracefile.h>

/* True if a line begins with the word @keyword. */
bool line_is(const char *line, const char *keyword);
/* Removes all lines for which @stays is false. The last line may lack its newline. */
void lines_keep(struct ktrace_text *t, bool (*stays)(const char *line, const void *arg),
		 const void *arg);

#endif
