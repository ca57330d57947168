// SPDX-License-Identifier: GPL-2.0
/* PTRC-02, PTRC-03 */
#include "suite.h"

#define PAGE "XSH posix_trace_attr_init"

static void defaults(const trace_attr_t *a)
{
	char name[TRACE_NAME_MAX + 1] = "x", version[TRACE_NAME_MAX + 1] = "";
	struct timespec resolution = { -1, -1 };
	int policy = -1;

	same(DESCRIPTION, posix_trace_attr_getstreamfullpolicy(a, &policy), 0, "it has a policy");
	same("XSH posix_trace_attr_getinherited, DESCRIPTION", policy, POSIX_TRACE_LOOP,
	     "a stream without log loops by default");
	same(DESCRIPTION, posix_trace_attr_getlogfullpolicy(a, &policy), 0, "and one for its log");
	same("XSH posix_trace_attr_getinherited, DESCRIPTION", policy, POSIX_TRACE_LOOP,
	     "a log loops by default");
	same(DESCRIPTION, posix_trace_attr_getinherited(a, &policy), 0, "and one for children");
	same("XSH posix_trace_attr_getinherited, DESCRIPTION", policy, POSIX_TRACE_CLOSE_FOR_CHILD,
	     "children are not traced by default");
	same(DESCRIPTION, posix_trace_attr_getname(a, name), 0, "it has a name");
	choice("XSH posix_trace_attr_getname, DESCRIPTION", name[0] == '\0', "which is empty");
	same(DESCRIPTION, posix_trace_attr_getgenversion(a, version), 0,
	     "it has the version of the tracer at once");
	check(DESCRIPTION, version[0], "which is not empty");
	same(DESCRIPTION, posix_trace_attr_getclockres(a, &resolution), 0,
	     "it has the clock's resolution at once");
	check(DESCRIPTION, resolution.tv_sec > 0 || resolution.tv_nsec > 0, "which is not 0");
}

static void sizes(const trace_attr_t *a)
{
	size_t n = 0;

	same(DESCRIPTION, posix_trace_attr_getstreamsize(a, &n), 0, "it has a size of streams");
	check(DESCRIPTION, n > 0, "streams have room");
	n = 0;
	same(DESCRIPTION, posix_trace_attr_getlogsize(a, &n), 0, "it has a size of logs");
	check(DESCRIPTION, n > 0, "logs have room");
	n = 0;
	same(DESCRIPTION, posix_trace_attr_getmaxdatasize(a, &n), 0, "it has a size of data");
	check(DESCRIPTION, n > 0, "events have data");
}

/* What NULL instead of an object stands for */
static void same_as_null(trace_attr_t *a)
{
	size_t n[2] = { 1, 2 }, d[2] = { 1, 2 };
	int policy[2] = { 1, 2 };
	trace_id_t trid[2];
	trace_attr_t used;

	same(DESCRIPTION, posix_trace_create(0, a, &trid[0]), 0, "a stream can be made with it");
	need(posix_trace_create(0, NULL, &trid[1]));
	for (int i = 0; i < 2; i++) {
		need(posix_trace_attr_init(&used));
		need(posix_trace_get_attr(trid[i], &used));
		need(posix_trace_attr_getstreamsize(&used, &n[i]));
		need(posix_trace_attr_getmaxdatasize(&used, &d[i]));
		need(posix_trace_attr_getstreamfullpolicy(&used, &policy[i]));
		need(posix_trace_attr_destroy(&used));
		need(posix_trace_shutdown(trid[i]));
	}
	same("XSH posix_trace_create, DESCRIPTION", n[1], n[0], "NULL means the same size");
	same("XSH posix_trace_create, DESCRIPTION", d[1], d[0], "NULL means the same data size");
	same("XSH posix_trace_create, DESCRIPTION", policy[1], policy[0],
	     "NULL means the same policy");
}

int main(void)
{
	trace_attr_t a;

	memset(&a, 0xa5, sizeof(a));
	same(RETURNS, posix_trace_attr_init(&a), 0, "an object is initialized, whatever was in it");
	defaults(&a);
	sizes(&a);
	same_as_null(&a);
	need(posix_trace_attr_destroy(&a));
	same(DESCRIPTION, posix_trace_attr_init(&a), 0, "a destroyed object can be initialized");
	defaults(&a);
	need(posix_trace_attr_destroy(&a));
	return done();
}
