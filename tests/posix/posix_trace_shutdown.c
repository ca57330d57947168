// SPDX-License-Identifier: GPL-2.0
/* PTRC-27 */
#include "suite.h"

#include <fcntl.h>
#include <sys/syscall.h>

#define PAGE "XSH posix_trace_shutdown"

static void over(trace_id_t trid)
{
	struct posix_trace_status_info s;
	trace_id_t next;

	same(DESCRIPTION, posix_trace_get_status(trid, &s), EINVAL, "its id is invalid then");
	same(ERRORS, posix_trace_shutdown(trid), EINVAL, "twice: EINVAL");
	next = stream(0, 0);
	choice(DESCRIPTION, next != trid, "the id is not given to the next stream at once");
	same(ERRORS, next == trid ? EINVAL : posix_trace_start(trid), EINVAL,
	     "nor is it one for that");
	need(posix_trace_shutdown(next));
}

/* How many areas of memory this process has mapped, of which a system has not too many */
static unsigned int areas(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned int n = 0;

	for (int c; f && (c = getc(f)) != EOF;)
		n += c == '\n';
	if (f)
		fclose(f);
	return n;
}

/* More often than there may be streams, and descriptors, and than memory has gaps to fill */
static void frees(void)
{
	const unsigned int many = 2 * TRACE_SYS_MAX;
	unsigned int made = 0, before = areas();
	trace_id_t trid;

	for (unsigned int i = 0; i < many; i++) {
		if (posix_trace_create(0, NULL, &trid))
			break;
		need(posix_trace_start(trid));
		tell(event("unread"), i);
		need(posix_trace_shutdown(trid));
		made++;
	}
	same(DESCRIPTION, made, many,
	     "what a stream had is free, whether it was read or not");
	check(DESCRIPTION, areas() < before + many / 2, "the process has no area more for each");
}

static void frees_with_log(void)
{
	int fd = new_file(), made = 0;
	trace_id_t trid;

	for (; made < 12; made++) {
		if (posix_trace_create_withlog(0, NULL, fd, &trid))
			break;
		need(posix_trace_shutdown(trid));
	}
	same(DESCRIPTION, made, 12, "so is what one with a log had");
	close(fd);
}

static void logged_whole(void)
{
	int fd = new_file();
	trace_id_t trid = logged(fd, 0, 0, 0);
	trace_event_id_t id = event("logged");
	uint64_t n = 0, wrong = 0;
	struct seen e;

	need(posix_trace_start(trid));
	for (uint64_t i = 0; i < 100; i++)
		tell(id, i);
	same(RETURNS, posix_trace_shutdown(trid), 0, "a running stream with a log");
	trid = reopened(fd);
	while (log_next(trid, &e))
		if (posix_trace_eventid_equal(trid, e.info.posix_event_id, id))
			wrong += number_of(&e) != n++;
	same(DESCRIPTION, n, 100, "its log is complete when it returns");
	same(DESCRIPTION, wrong, 0, "and in order");
	need(posix_trace_close(trid));
	same(DESCRIPTION, fcntl(fd, F_GETFD) >= 0, 1, "the caller's descriptor stays open");
	close(fd);
}

static pid_t reader_tid;

static void *blocked(void *argument)
{
	trace_id_t *trid = argument;
	struct seen e;

	__atomic_store_n(&reader_tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	return (void *)(intptr_t)posix_trace_getnext_event(*trid, &e.info, e.data, sizeof(e.data),
							  &e.len, &e.unavailable);
}

static void wakes(void)
{
	trace_id_t trid = stream(0, 0);
	pthread_t reader;
	void *got;

	need(pthread_create(&reader, NULL, blocked, &trid));
	while (!__atomic_load_n(&reader_tid, __ATOMIC_ACQUIRE))
		pause_ms(1);
	await_sleep(reader_tid);
	need(posix_trace_shutdown(trid));
	need(pthread_join(reader, &got));
	same(DESCRIPTION, (intptr_t)got, EINVAL, "a blocked reader is woken: EINVAL");
}

int main(void)
{
	trace_id_t trid = started(0, 0);

	tell(event("unread"), 1);
	same(RETURNS, posix_trace_shutdown(trid), 0, "a running stream without log");
	over(trid);
	logged_whole();
	wakes();
	few_descriptors();
	frees();
	frees_with_log();
	return done();
}
