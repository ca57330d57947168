// SPDX-License-Identifier: GPL-2.0
/*
 * log.c - messages on stderr, each line by one write so that output of the command cannot split it
 *
 * Names of programs and files are not under our control: characters that a terminal would obey
 * are shown as '?'.
 */
#include "log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/decode.h>

#include "base/journal.h"

#define HALF_MAX 512

static bool is_quiet;

void log_text(const char *text, size_t size)
{
	/* If stderr itself fails, nothing can be done. */
	if (write(STDERR_FILENO, text, size) < 0)
		return;
}

static void say(enum journal_priority priority, const char *format, va_list ap)
{
	char *text, line[2 * HALF_MAX + 32];
	struct ktrace_out out = { .buf = line, .cap = sizeof(line) };
	int len = vasprintf(&text, format, ap);

	if (len < 0)
		return;
	ktrace_out_str(&out, journal_prefix(priority));
	ktrace_out_str(&out, "ktraced: ");
	/* Keeps the error text after the name, however long the name is. */
	if (len > 2 * HALF_MAX) {
		text[HALF_MAX] = '\0';
		ktrace_out_safe(&out, text);
		ktrace_out_str(&out, "...");
	}
	ktrace_out_safe(&out, len > 2 * HALF_MAX ? text + len - HALF_MAX : text);
	ktrace_out_char(&out, '\n');
	free(text);
	log_text(out.buf, out.len);
}

void log_set_quiet(bool quiet)
{
	is_quiet = quiet;
}

void log_error(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	say(JOURNAL_ERROR, format, ap);
	va_end(ap);
}

void log_note(const char *format, ...)
{
	va_list ap;

	if (is_quiet)
		return;
	va_start(ap, format);
	say(JOURNAL_NOTICE, format, ap);
	va_end(ap);
}

int log_output_end(int status)
{
	/* Data that did not fit into the buffer was written earlier: ferror() shows a failure. */
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	log_error("standard output: %s", strerror(errno));
	return EXIT_OWN;
}
