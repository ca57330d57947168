// SPDX-License-Identifier: GPL-2.0
/* log.c - one line, one write: lines of the traced command do not get mixed in */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_quiet;

static void say(const char *format, va_list ap)
{
	char line[1024] = "ktraced: ";
	size_t len = strlen(line);
	int n = vsnprintf(line + len, sizeof(line) - len - 1, format, ap);

	if (n < 0)
		return;
	len = strlen(line);
	line[len++] = '\n';
	/* Nothing can be done where stderr itself fails. */
	if (write(STDERR_FILENO, line, len) < 0)
		return;
}

void log_set_quiet(bool quiet)
{
	is_quiet = quiet;
}

void log_error(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	say(format, ap);
	va_end(ap);
}

void log_note(const char *format, ...)
{
	va_list ap;

	if (is_quiet)
		return;
	va_start(ap, format);
	say(format, ap);
	va_end(ap);
}
