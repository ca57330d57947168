// SPDX-License-Identifier: LGPL-2.1
/* filter_error.c - report errors in an expression */
#include "filter.h"

#include <errno.h>
#include <stdio.h>

/* Formats the message; makes it printable, as it may quote the expression or a file. */
void ktrace_filter_say(struct ktrace_filter_error *error, const char *format, va_list ap)
{
	char *c;

	vsnprintf(error->message, sizeof(error->message), format, ap);
	for (c = error->message; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}

/* Reports an error in a comparison, at its field. Returns -EINVAL. */
int ktrace_filter_refuse(struct ktrace_filter_error *error, const struct test *t,
			 const char *format, ...)
{
	va_list ap;

	*error = (struct ktrace_filter_error){ .at = t->at, .line = t->line, .column = t->column };
	va_start(ap, format);
	ktrace_filter_say(error, format, ap);
	va_end(ap);
	return -EINVAL;
}

/* Reports an error in a comparison, at its value. Returns -EINVAL. */
int ktrace_filter_refuse_value(struct ktrace_filter_error *error, const struct test *t,
			       const char *format, ...)
{
	va_list ap;

	*error = (struct ktrace_filter_error){
		.at = t->value_at, .line = t->value_line, .column = t->value_column,
	};
	va_start(ap, format);
	ktrace_filter_say(error, format, ap);
	va_end(ap);
	return -EINVAL;
}
