// SPDX-License-Identifier: GPL-2.0
/*
 * html_page.c - the page itself, as the build has put it together
 *
 * userspace/viewer/html/ has its parts; HTML_PAGE is the file that the Makefile makes of them.
 */
#include "html.h"

#include <string.h>

__asm__(".section .rodata\n"
	"html_page_begin: .incbin \"" HTML_PAGE "\"\n"
	"html_page_end:\n"
	".previous\n");

extern const char html_page_begin[], html_page_end[];

/* A line of its own, instead of which the data are to be written */
static const char mark[] = "@DATA@\n";

static const char *find_mark(void)
{
	return memmem(html_page_begin, (size_t)(html_page_end - html_page_begin), mark,
		      strlen(mark));
}

void html_put_top(struct ktrace_out *out)
{
	ktrace_out_bytes(out, html_page_begin, (size_t)(find_mark() - html_page_begin));
}

void html_put_bottom(struct ktrace_out *out)
{
	const char *rest = find_mark() + strlen(mark);

	ktrace_out_bytes(out, rest, (size_t)(html_page_end - rest));
}
