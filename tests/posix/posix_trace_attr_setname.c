// SPDX-License-Identifier: GPL-2.0
/* PTRC-06 */
#include "suite.h"

#define PAGE "XSH posix_trace_attr_setname"

/* Names of @length: short ones are kept, long ones cut. Never an error. */
static void length_of(trace_attr_t *a, size_t length)
{
	char *name = malloc(length + 1), got[TRACE_NAME_MAX + 1] = "";
	size_t kept = length < TRACE_NAME_MAX ? length : TRACE_NAME_MAX - 1;

	memset(name, 'x', length);
	name[length] = '\0';
	same(RETURNS, posix_trace_attr_setname(a, name), 0, "a name of %zu characters", length);
	need(posix_trace_attr_getname(a, got));
	check(DESCRIPTION, strlen(got) <= length && strncmp(name, got, strlen(got)) == 0,
	      "what is kept of it is its beginning");
	if (length < TRACE_NAME_MAX)
		same(DESCRIPTION, strlen(got), length, "it is kept whole");
	else
		choice(DESCRIPTION, strlen(got) == kept, "TRACE_NAME_MAX - 1 of them are kept");
	free(name);
}

int main(void)
{
	static const size_t lengths[] = { 0, 1, TRACE_NAME_MAX - 2, TRACE_NAME_MAX - 1,
					  TRACE_NAME_MAX, TRACE_NAME_MAX + 1, TRACE_NAME_MAX + 2,
					  1000000 };
	trace_attr_t a;

	need(posix_trace_attr_init(&a));
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		length_of(&a, lengths[i]);
	need(posix_trace_attr_destroy(&a));
	choice(ERRORS, posix_trace_attr_setname(&a, "x") == EINVAL, "a destroyed object: EINVAL");
	return done();
}
