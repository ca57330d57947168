// SPDX-License-Identifier: GPL-2.0
/*
 * late.c - an event that is on its way when somebody stops the stream is not lost
 *
 * Here that happens for certain: the event's data lies in memory that cannot be read until the
 * handler of that fault has stopped the stream. The event may be recorded or not; as it is not
 * the stream that had no room for it, nothing was overrun. Ends with 0 if all is so.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <trace.h>

#define SIZE 4096

static trace_id_t trid;
static char *page;

static void stop(int number)
{
	(void)number;
	mprotect(page, SIZE, PROT_READ | PROT_WRITE);
	posix_trace_stop(trid);
}

/* Return: how many events there were, -1 = an error */
static int read_all(void)
{
	struct posix_trace_event_info info;
	int none = 0, nr = -1;
	char data[256];
	size_t len;

	for (; !none; nr++)
		if (posix_trace_trygetnext_event(trid, &info, data, sizeof(data), &len, &none))
			return -1;
	return nr;
}

static bool is_well(trace_event_id_t id, int policy)
{
	struct posix_trace_status_info info;
	trace_attr_t attr;
	int nr;

	mprotect(page, SIZE, PROT_NONE);
	if (posix_trace_attr_init(&attr) || posix_trace_attr_setstreamfullpolicy(&attr, policy) ||
	    posix_trace_create(0, &attr, &trid) || posix_trace_start(trid))
		return false;
	/* The first one finds the stream; then it is quick. */
	posix_trace_event(id, "first", 5);
	posix_trace_event(id, page, 8);
	nr = read_all();
	if (posix_trace_get_status(trid, &info) || posix_trace_shutdown(trid))
		return false;
	printf("%d events, %d, overrun %d\n", nr, info.posix_stream_status,
	       info.posix_stream_overrun_status);
	/* START, the first, STOP */
	return (nr == 3 || nr == 4) && info.posix_stream_status == POSIX_TRACE_SUSPENDED &&
	       info.posix_stream_overrun_status == POSIX_TRACE_NO_OVERRUN;
}

int main(void)
{
	const struct sigaction action = { .sa_handler = stop };
	trace_event_id_t id;

	page = mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED || sigaction(SIGSEGV, &action, NULL) ||
	    posix_trace_eventid_open("late", &id))
		return 2;
	return !is_well(id, POSIX_TRACE_LOOP) || !is_well(id, POSIX_TRACE_UNTIL_FULL);
}
