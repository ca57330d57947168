// SPDX-License-Identifier: GPL-2.0
/* table.c - building blocks of text tables */
#include "table.h"

#include "pager.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Returns the length of the output of the format's first @n bytes. */
static size_t length_of(const char *format, size_t n, va_list ap)
{
	char head[512];
	int len;

	snprintf(head, sizeof(head), "%.*s", (int)n, format);
	len = vsnprintf(NULL, 0, head, ap);
	return len > 0 ? (size_t)len : 0;
}

/*
 * Names in a table can contain any bytes. Only newlines of the format end a row: formatting the
 * prefix up to each newline tells its position in the text.
 */
void out_printf(struct ktrace_out *out, const char *format, ...)
{
	const char *newline = strchr(format, '\n');
	size_t from = 0, at, len;
	char text[512];
	va_list ap, copy;
	bool is_row;
	int n;

	va_start(ap, format);
	va_copy(copy, ap);
	n = vsnprintf(text, sizeof(text), format, copy);
	va_end(copy);
	len = n < 0 ? 0 : (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1;
	for (; newline && newline[1]; newline = strchr(newline + 1, '\n')) {
		va_copy(copy, ap);
		at = length_of(format, (size_t)(newline - format), copy);
		va_end(copy);
		if (at >= len)
			break;
		text[at] = '\0';
		ktrace_out_safe(out, text + from);
		ktrace_out_char(out, '\n');
		from = at + 1;
	}
	va_end(ap);
	/* A truncated row still ends with its newline. */
	is_row = len && format[strlen(format) - 1] == '\n';
	text[len - is_row] = '\0';
	ktrace_out_safe(out, text + from);
	if (is_row)
		ktrace_out_char(out, '\n');
}

/* Prints at least three significant digits, in the largest unit that leaves 1 or more. */
static void out_scaled(struct ktrace_out *out, double v, int width, const char *unit)
{
	int digits = v < 9.995 ? 2 : v < 99.95 ? 1 : 0;

	out_printf(out, "%*.*f %s", width, digits, v, unit);
}

void out_duration(struct ktrace_out *out, __u64 ns)
{
	if (!ns)
		out_printf(out, "%*s", DURATION_WIDTH, "-");
	else if (ns < 1000)
		out_printf(out, "%6llu ns", ns);
	else if (ns < 999500)
		out_scaled(out, (double)ns / 1e3, 6, "us");
	else if (ns < 999500000)
		out_scaled(out, (double)ns / 1e6, 6, "ms");
	else
		out_scaled(out, (double)ns / 1e9, 7, "s");
}

void out_bytes(struct ktrace_out *out, __u64 bytes)
{
	if (!bytes)
		out_printf(out, "%10s", "-");
	else if (bytes < 1024)
		out_printf(out, "%8llu B", bytes);
	else if (bytes < 1024 * 1023)
		out_scaled(out, (double)bytes / 1024, 6, "KiB");
	else if (bytes < 1024ull * 1024 * 1023)
		out_scaled(out, (double)bytes / (1 << 20), 6, "MiB");
	else
		out_scaled(out, (double)bytes / (1 << 30), 6, "GiB");
}

void out_percent(struct ktrace_out *out, __u64 part, __u64 whole)
{
	if (part && whole)
		out_printf(out, "%6.1f", (double)part * 100 / (double)whole);
	else
		out_printf(out, "%6s", "-");
}

void out_title(struct ktrace_out *out, const char *title)
{
	ktrace_out_char(out, '\n');
	ktrace_out_str(out, colour_title());
	out_printf(out, "%s", title);
	ktrace_out_str(out, colour_end());
	ktrace_out_char(out, '\n');
}
