// SPDX-License-Identifier: GPL-2.0
/*
 * listing.c - the attributes that a stream has by default, asked for the way a course teaches it
 *
 * The course's program makes a stream of itself with default attributes, has them copied to an
 * object that it never initialized, and prints them all. For the size of an event it gives the
 * same variable as length and as result. This one does what that is described to do; its text
 * was not to be had.
 *
 * PTRC-03, PTRC-29
 */
#include "suite.h"

#define PAGE "XSH posix_trace_get_attr"

static const char *policy_name(int policy)
{
	switch (policy) {
	case POSIX_TRACE_LOOP:
		return "POSIX_TRACE_LOOP";
	case POSIX_TRACE_UNTIL_FULL:
		return "POSIX_TRACE_UNTIL_FULL";
	case POSIX_TRACE_FLUSH:
		return "POSIX_TRACE_FLUSH";
	case POSIX_TRACE_APPEND:
		return "POSIX_TRACE_APPEND";
	}
	return "unknown";
}

static void names(const trace_attr_t *attr)
{
	char text[TRACE_NAME_MAX];
	struct timespec resolution;

	same(RETURNS, posix_trace_attr_getgenversion(attr, text), 0, "the version");
	note("version: %s", text);
	same(RETURNS, posix_trace_attr_getname(attr, text), 0, "the name");
	note("name: \"%s\"", text);
	same(RETURNS, posix_trace_attr_getclockres(attr, &resolution), 0, "the clock's resolution");
	note("clock resolution: %ld ns", (long)resolution.tv_nsec);
}

static void policies(const trace_attr_t *attr)
{
	int policy = 0;

	same(RETURNS, posix_trace_attr_getstreamfullpolicy(attr, &policy), 0,
	     "the stream's policy");
	note("stream full policy: %s", policy_name(policy));
	same("XSH posix_trace_attr_getinherited, DESCRIPTION", policy, POSIX_TRACE_LOOP,
	     "a stream without log loops");
	same(RETURNS, posix_trace_attr_getlogfullpolicy(attr, &policy), 0, "the log's policy");
	note("log full policy: %s", policy_name(policy));
	same("XSH posix_trace_attr_getinherited, DESCRIPTION", policy, POSIX_TRACE_LOOP,
	     "a log would loop");
}

static void sizes(const trace_attr_t *attr)
{
	size_t size = 0;

	same(RETURNS, posix_trace_attr_getmaxdatasize(attr, &size), 0, "the size of data");
	note("longest data: %zu", size);
	same(RETURNS, posix_trace_attr_getmaxusereventsize(attr, size, &size), 0,
	     "the size of a user event, with length and result in one variable");
	note("longest user event: %zu", size);
	check("XSH posix_trace_attr_getlogsize, DESCRIPTION", size > 0, "it has a size");
	same(RETURNS, posix_trace_attr_getmaxsystemeventsize(attr, &size), 0,
	     "the size of a system event");
	note("longest system event: %zu", size);
	same(RETURNS, posix_trace_attr_getstreamsize(attr, &size), 0, "the stream's size");
	note("stream: %zu bytes", size);
}

int main(void)
{
	trace_attr_t attr;	/* deliberately not initialized */
	trace_id_t trid;

	same("XSH posix_trace_create, RETURN VALUE", posix_trace_create(getpid(), NULL, &trid), 0,
	     "a stream of this process, by its number");
	choice(DESCRIPTION, posix_trace_get_attr(trid, &attr) == 0,
	       "an object that was never initialized takes its attributes");
	names(&attr);
	policies(&attr);
	sizes(&attr);
	same("XSH posix_trace_attr_init, RETURN VALUE", posix_trace_attr_destroy(&attr), 0,
	     "it can be destroyed");
	need(posix_trace_shutdown(trid));
	return done();
}
