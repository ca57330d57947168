// SPDX-License-Identifier: GPL-2.0
/* PTRC-29 */
#include "suite.h"

#define PAGE "XSH posix_trace_get_attr"

static void of(trace_id_t trid, const char *what, const char *want)
{
	char name[TRACE_NAME_MAX + 1] = "";
	trace_attr_t a;
	int inherited = -1;

	need(posix_trace_attr_init(&a));
	same(RETURNS, posix_trace_get_attr(trid, &a), 0, "attributes of %s", what);
	need(posix_trace_attr_getname(&a, name));
	check(DESCRIPTION, strcmp(name, want) == 0, "they have its name");
	need(posix_trace_attr_getinherited(&a, &inherited));
	same(DESCRIPTION, inherited, POSIX_TRACE_INHERITED, "and its policies");
	same(DESCRIPTION, posix_trace_attr_setname(&a, "changed"), 0, "they are a copy");
	need(posix_trace_attr_destroy(&a));
	need(posix_trace_attr_init(&a));
	need(posix_trace_get_attr(trid, &a));
	need(posix_trace_attr_getname(&a, name));
	check(DESCRIPTION, strcmp(name, want) == 0, "a change leaves the stream as it is");
	need(posix_trace_attr_destroy(&a));
}

/* size_in_use - of a stream that is made with these attributes; they are its own then */
static size_t size_in_use(trace_attr_t *a)
{
	trace_id_t trid;
	size_t size;

	need(posix_trace_create(0, a, &trid));
	need(posix_trace_get_attr(trid, a));
	need(posix_trace_attr_getstreamsize(a, &size));
	need(posix_trace_shutdown(trid));
	return size;
}

/* What was asked for is the least; noloss.c fills what a stream says that it has. */
static void sizes(void)
{
	trace_attr_t a;
	size_t size;

	need(posix_trace_attr_init(&a));
	need(posix_trace_attr_setstreamsize(&a, 20001));
	size = size_in_use(&a);
	check("XSH posix_trace_attr_getlogsize, DESCRIPTION", size >= 20001,
	      "the stream has what was asked for, at least: %zu", size);
	choice(DESCRIPTION, size > 20001, "its attributes say what it really has");
	choice(DESCRIPTION, size_in_use(&a) == size,
	       "another one that is made with them is as large");
	need(posix_trace_attr_destroy(&a));
}

int main(void)
{
	int fd = new_file();
	trace_attr_t a;
	trace_id_t trid;

	sizes();
	need(posix_trace_attr_init(&a));
	need(posix_trace_attr_setname(&a, "of a name"));
	need(posix_trace_attr_setinherited(&a, POSIX_TRACE_INHERITED));
	need(posix_trace_create(0, &a, &trid));
	of(trid, "a stream without log", "of a name");
	need(posix_trace_shutdown(trid));
	need(posix_trace_create_withlog(0, &a, fd, &trid));
	of(trid, "a stream with log", "of a name");
	need(posix_trace_shutdown(trid));
	same(ERRORS, posix_trace_get_attr(trid, &a), EINVAL, "a stream that was shut down: EINVAL");
	trid = reopened(fd);
	of(trid, "a log", "of a name");
	memset(&a, 0xa5, sizeof(a));
	choice(DESCRIPTION, posix_trace_get_attr(trid, &a) == 0,
	       "an object that was never initialized takes them, too");
	need(posix_trace_close(trid));
	same(ERRORS, posix_trace_get_attr(trid, &a), EINVAL, "a log that was closed: EINVAL");
	close(fd);
	return done();
}
