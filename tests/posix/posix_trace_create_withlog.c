// SPDX-License-Identifier: GPL-2.0
#include "suite.h"

#include <fcntl.h>
#include <sys/socket.h>

#define PAGE "XSH posix_trace_create_withlog"

static int with(int fd, int policy, trace_id_t *trid)
{
	trace_attr_t a;
	int error;

	need(posix_trace_attr_init(&a));
	need(posix_trace_attr_setlogfullpolicy(&a, policy));
	error = posix_trace_create_withlog(0, &a, fd, trid);
	need(posix_trace_attr_destroy(&a));
	return error;
}

/* PTRC-03: What NULL instead of an object stands for */
static void by_default(trace_id_t trid)
{
	int inherited = -1, stream_policy = -1, log_policy = -1;
	size_t n[2] = { 1, 2 }, logs[2] = { 1, 2 }, data[2] = { 1, 2 };
	char name[TRACE_NAME_MAX + 1] = "x";
	trace_attr_t a[2];

	need(posix_trace_attr_init(&a[0]));
	need(posix_trace_attr_init(&a[1]));
	need(posix_trace_get_attr(trid, &a[1]));
	need(posix_trace_attr_getstreamfullpolicy(&a[1], &stream_policy));
	need(posix_trace_attr_getlogfullpolicy(&a[1], &log_policy));
	need(posix_trace_attr_getinherited(&a[1], &inherited));
	need(posix_trace_attr_getname(&a[1], name));
	for (int i = 0; i < 2; i++) {
		need(posix_trace_attr_getstreamsize(&a[i], &n[i]));
		need(posix_trace_attr_getlogsize(&a[i], &logs[i]));
		need(posix_trace_attr_getmaxdatasize(&a[i], &data[i]));
		need(posix_trace_attr_destroy(&a[i]));
	}
	same(DESCRIPTION, stream_policy, POSIX_TRACE_FLUSH, "without attributes it is flushed");
	same(DESCRIPTION, log_policy, POSIX_TRACE_LOOP, "its log loops");
	same(DESCRIPTION, inherited, POSIX_TRACE_CLOSE_FOR_CHILD, "it has no children");
	choice(DESCRIPTION, !name[0], "it has no name");
	check(DESCRIPTION, n[1] >= n[0] && logs[1] >= logs[0] && data[1] >= data[0],
	      "its sizes are the default ones, or more");
}

/* PTRC-20 */
static void as_made(void)
{
	int fd = new_file(), member = 1;
	trace_event_set_t filter;
	struct posix_trace_status_info s;
	trace_id_t trid;

	same(RETURNS, posix_trace_create_withlog(0, NULL, fd, &trid), 0,
	     "a stream with a log is made");
	s = status(trid);
	same(DESCRIPTION, s.posix_stream_status, POSIX_TRACE_SUSPENDED, "it is suspended");
	same("XSH 2.11.1", s.posix_stream_full_status, POSIX_TRACE_NOT_FULL, "it is not full");
	same("XSH 2.11.1", s.posix_stream_overrun_status, POSIX_TRACE_NO_OVERRUN,
	     "nothing is lost");
	same("XSH 2.11.1", s.posix_log_full_status, POSIX_TRACE_NOT_FULL, "its log is not full");
	same("XSH 2.11.1", s.posix_log_overrun_status, POSIX_TRACE_NO_OVERRUN,
	     "nothing is lost of its log");
	same("XSH 2.11.1", s.posix_stream_flush_error, 0, "no flush has failed");
	need(posix_trace_get_filter(trid, &filter));
	need(posix_trace_eventset_ismember(POSIX_TRACE_START, &filter, &member));
	same(DESCRIPTION, member, 0, "its filter is empty");
	by_default(trid);
	need(posix_trace_shutdown(trid));
	trid = reopened(fd);
	tells(DESCRIPTION, trid, RECORDED, "", "a log without events can be read");
	need(posix_trace_close(trid));
	close(fd);
}

static void whole_log(void)
{
	trace_id_t trid;
	int fd;

	trid = recorded(&fd);
	tells(DESCRIPTION, trid, RECORDED, "START a b STOP", "the log has what was recorded");
	need(posix_trace_close(trid));
	close(fd);
}

/* PTRC-23 */
static void descriptors(void)
{
	int fd = new_file(), read_only;
	char name[64];
	trace_id_t trid;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	read_only = open(name, O_RDONLY);
	same(ERRORS, with(read_only, POSIX_TRACE_LOOP, &trid), EBADF,
	     "open for reading only: EBADF");
	close(read_only);
	same(ERRORS, with(read_only, POSIX_TRACE_LOOP, &trid), EBADF, "a closed descriptor: EBADF");
	same(ERRORS, with(-1, POSIX_TRACE_LOOP, &trid), EBADF, "none: EBADF");
	read_only = open("/", O_RDONLY | O_DIRECTORY);
	same(ERRORS, with(read_only, POSIX_TRACE_APPEND, &trid), EBADF, "a directory: EBADF");
	close(read_only);
	close(fd);
}

/* What can only be appended to */
static void one_way(int fd, const char *what)
{
	static const int policies[] = { POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL };
	trace_id_t trid;

	for (int i = 0; i < 2; i++)
		choice(ERRORS, with(fd, policies[i], &trid) == EINVAL,
		       "%s cannot do policy %d: EINVAL", what, policies[i]);
	choice(ERRORS, with(fd, POSIX_TRACE_APPEND, &trid) == 0 && posix_trace_shutdown(trid) == 0,
	       "%s can be appended to", what);
}

/* PTRC-23 */
static void file_types(void)
{
	static const int policies[] = { POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL,
					POSIX_TRACE_APPEND };
	int fd, ends[2];
	trace_id_t trid;

	for (int i = 0; i < 3; i++) {
		fd = new_file();
		choice(DESCRIPTION, with(fd, policies[i], &trid) == 0 &&
		       posix_trace_shutdown(trid) == 0, "a file can do policy %d", policies[i]);
		close(fd);
	}
	need(pipe(ends) ? errno : 0);
	fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
	one_way(ends[1], "a pipe");
	close(ends[0]);
	close(ends[1]);
	need(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) ? errno : 0);
	one_way(ends[1], "a socket");
	close(ends[0]);
	close(ends[1]);
}

static void bad_arguments(void)
{
	int fd = new_file();
	trace_attr_t a;
	trace_id_t trid;

	memset(&a, 0, sizeof(a));
	choice(ERRORS, posix_trace_create_withlog(0, &a, fd, &trid) == EINVAL,
	       "no attributes object: EINVAL");
	same(ERRORS, posix_trace_create_withlog(0x7ffffff0, NULL, fd, &trid), ESRCH,
	     "a process that cannot be: ESRCH");
	close(fd);
	fd = open("/dev/full", O_WRONLY);
	if (fd >= 0) {
		int error = with(fd, POSIX_TRACE_APPEND, &trid);

		if (!error)
			error = posix_trace_shutdown(trid);
		same(ERRORS, error, ENOSPC, "a device without room: ENOSPC");
		close(fd);
	}
}

int main(void)
{
	as_made();
	whole_log();
	descriptors();
	file_types();
	bad_arguments();
	return done();
}
