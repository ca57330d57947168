// SPDX-License-Identifier: GPL-2.0
/* confined.c - posix_trace_event() in threads of a program that most system calls would kill */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <trace.h>

#include "../filter.h"

static trace_event_id_t id;

static void *record(void *arg)
{
	for (int i = 0; i < 1000; i++)
		posix_trace_event(id, &i, sizeof(i));
	return arg;
}

int main(void)
{
	static const char text[] = "recorded\n";
	trace_event_id_t late;
	trace_id_t trid;

	if (posix_trace_eventid_open("confined", &id) || posix_trace_create(0, NULL, &trid) ||
	    posix_trace_start(trid))
		return 2;
	posix_trace_event(id, text, 1);	/* maps the stream */
	if (install_filter())
		return 2;
	if (posix_trace_eventid_open("late", &late) ||
	    late == POSIX_TRACE_UNNAMED_USEREVENT)
		return 2;
	posix_trace_event(late, text, 1);
	if (in_threads(2, record))
		return 2;
	record(NULL);
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		return 2;
	_exit(0);	/* what takes the stream away makes calls that are not in the filter */
}
