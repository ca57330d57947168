// SPDX-License-Identifier: LGPL-2.1
/* filter_error.c - says what is wrong with an expression */
#include "filter.h"

#include <errno.h>
#include <stdio.h>

/* The message may quote the expression or a file: it is made printable in any case. */
void ktrace_filter_say(struct ktrace_filter_error *error, const char *format, va_list ap)
{
	char *c;

	vsnprintf(error->message, sizeof(error->message), format, ap);
	for (c = error->message; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}

/* Says what is wrong with a comparison. Return: -EINVAL. */
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

/* The same, where the place is that of the value. */
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
