/* SPDX-License-Identifier: GPL-2.0 */
/* html.h - finds the traces in a page that systrace has written */
#ifndef VIEWER_IMPORT_SYSTRACE_HTML_H
#define VIEWER_IMPORT_SYSTRACE_HTML_H

#include <stdbool.h>
#include <stddef.h>

/** struct html_part - text of a trace in a page; @is_escaped: written as a JavaScript string */
struct html_part {
	const char *at;
	size_t size;
	bool is_escaped;
};

bool html_is(const char *text, size_t size);
/*
 * Finds the next trace from offset *@at on, and moves *@at behind it. Return: false if there is
 * none; @is_cut: the page ends in it
 */
bool html_next(const char *text, size_t size, size_t *at, struct html_part *part, bool *is_cut);

#endif
