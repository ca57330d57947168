// SPDX-License-Identifier: GPL-2.0
/* table.c - what tables of text are made of */
#include "table.h"

#include "pager.h"

#include <stdarg.h>
#include <stdio.h>

void out_printf(struct ktrace_out *out, const char *format, ...)
{
	char text[512];
	va_list ap;
	char *c;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	for (c = text; *c; c++)
		if (((unsigned char)*c < ' ' && *c != '\n') || (unsigned char)*c > '~')
			*c = '?';
	ktrace_out_str(out, text);
}

/* Three significant digits or more, in the largest unit that leaves 1 or more */
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
