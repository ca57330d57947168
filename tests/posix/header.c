// SPDX-License-Identifier: GPL-2.0
/*
 * header.c - what <trace.h> has when a program runs; header/declared.c: when it is compiled
 *
 * PTRC-01
 */
#include "suite.h"

#define PAGE "XBD <trace.h>"

typedef void (*address)(void);

static const struct {
	const char *name;
	address at;
} functions[] = {
#define FUNCTION(result, name, parameters) { #name, (address)name },
#include "functions.h"
#undef FUNCTION
};

#define FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

static void addresses(void)
{
	same(DESCRIPTION, FUNCTIONS, 50, "there are 50 functions");
	for (size_t i = 0; i < FUNCTIONS; i++) {
		size_t as_well = 0;

		for (size_t k = 0; k < FUNCTIONS; k++)
			as_well += functions[k].at == functions[i].at;
		check(DESCRIPTION, functions[i].at && as_well == 1, "%s() is a function of its own",
		      functions[i].name);
	}
}

/* Constants of one purpose differ from each other. */
static void differ(const char *what, const long long *values, int n)
{
	int alike = 0;

	for (int i = 0; i < n; i++)
		for (int k = 0; k < i; k++)
			alike += values[i] == values[k];
	same(DESCRIPTION, alike, 0, "%s: %d constants, all different", what, n);
}

#define DIFFER(what, ...) do { \
	static const long long values[] = { __VA_ARGS__ }; \
	differ(what, values, sizeof(values) / sizeof(values[0])); \
} while (0)

static void constants(void)
{
	DIFFER("status", POSIX_TRACE_RUNNING, POSIX_TRACE_SUSPENDED);
	DIFFER("full status", POSIX_TRACE_FULL, POSIX_TRACE_NOT_FULL);
	DIFFER("overrun status", POSIX_TRACE_OVERRUN, POSIX_TRACE_NO_OVERRUN);
	same("XSH 2.11.1", POSIX_TRACE_NO_OVERRUN, 0, "what it is reset to by reading is 0");
	DIFFER("flush status", POSIX_TRACE_FLUSHING, POSIX_TRACE_NOT_FLUSHING);
	DIFFER("truncation", POSIX_TRACE_NOT_TRUNCATED, POSIX_TRACE_TRUNCATED_RECORD,
	       POSIX_TRACE_TRUNCATED_READ);
	DIFFER("stream full policy", POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_FLUSH);
	DIFFER("log full policy", POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND);
	DIFFER("inheritance", POSIX_TRACE_CLOSE_FOR_CHILD, POSIX_TRACE_INHERITED);
	DIFFER("events", POSIX_TRACE_START, POSIX_TRACE_STOP, POSIX_TRACE_OVERFLOW,
	       POSIX_TRACE_RESUME, POSIX_TRACE_ERROR, POSIX_TRACE_FILTER, POSIX_TRACE_FLUSH_START,
	       POSIX_TRACE_FLUSH_STOP, POSIX_TRACE_UNNAMED_USEREVENT);
	DIFFER("sets of events", POSIX_TRACE_WOPID_EVENTS, POSIX_TRACE_SYSTEM_EVENTS,
	       POSIX_TRACE_ALL_EVENTS);
	DIFFER("changes of filters", POSIX_TRACE_SET_EVENTSET, POSIX_TRACE_ADD_EVENTSET,
	       POSIX_TRACE_SUB_EVENTSET);
	same("XSH 2.11.2", POSIX_TRACE_UNNAMED_USEREVENT, POSIX_TRACE_UNNAMED_USER_EVENT,
	     "the unnamed event has two names");
}

static void limits(void)
{
	static const struct {
		const char *what;
		int name;
		long value;
	} answers[] = {
		{ "_SC_TRACE", _SC_TRACE, _POSIX_TRACE },
		{ "_SC_TRACE_EVENT_FILTER", _SC_TRACE_EVENT_FILTER, _POSIX_TRACE_EVENT_FILTER },
		{ "_SC_TRACE_INHERIT", _SC_TRACE_INHERIT, _POSIX_TRACE_INHERIT },
		{ "_SC_TRACE_LOG", _SC_TRACE_LOG, _POSIX_TRACE_LOG },
		{ "_SC_TRACE_EVENT_NAME_MAX", _SC_TRACE_EVENT_NAME_MAX, TRACE_EVENT_NAME_MAX },
		{ "_SC_TRACE_NAME_MAX", _SC_TRACE_NAME_MAX, TRACE_NAME_MAX },
		{ "_SC_TRACE_SYS_MAX", _SC_TRACE_SYS_MAX, TRACE_SYS_MAX },
		{ "_SC_TRACE_USER_EVENT_MAX", _SC_TRACE_USER_EVENT_MAX, TRACE_USER_EVENT_MAX },
	};

	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		same("XSH sysconf, DESCRIPTION", sysconf(answers[i].name), answers[i].value,
		     "sysconf(%s) is what the header says", answers[i].what);
	check("XSH sysconf, DESCRIPTION", sysconf(_SC_PAGESIZE) > 0 &&
	      sysconf(_SC_NPROCESSORS_ONLN) > 0,
	      "other names are answered as ever");
}

int main(void)
{
	addresses();
	constants();
	limits();
	return done();
}
