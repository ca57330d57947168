// SPDX-License-Identifier: MIT
/*
 * watch.c - show the events of another process, until it ends
 *
 *   watch PID [LOG]
 *
 * With a LOG they go there instead, and watch only waits. To try it:
 *
 *   build/examples/beat		in one terminal; watch its pid in another, and then
 *				press Enter here
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <trace.h>

static int fail(const char *what, int error)
{
	fprintf(stderr, "watch: %s: %s\n", what, strerror(error));
	return 1;
}

static int make_stream(pid_t pid, const char *log, trace_id_t *trid)
{
	int fd;

	if (!log)
		return posix_trace_create(pid, NULL, trid);
	fd = open(log, O_RDWR | O_CREAT | O_TRUNC, 0644);
	return fd < 0 ? EBADF : posix_trace_create_withlog(pid, NULL, fd, trid);
}

static void show(trace_id_t trid, const struct posix_trace_event_info *info,
		 const unsigned long *data, size_t len)
{
	char name[TRACE_EVENT_NAME_MAX + 1];

	if (posix_trace_eventid_get_name(trid, info->posix_event_id, name))
		strcpy(name, "?");
	printf("%ld.%09ld %d %s", (long)info->posix_timestamp.tv_sec,
	       info->posix_timestamp.tv_nsec, (int)info->posix_pid, name);
	if (info->posix_event_id >= POSIX_TRACE_UNNAMED_USEREVENT && len == sizeof(*data))
		printf(" %lu", *data);
	printf("\n");
}

/* Shows what there is. Return: errno. */
static int show_all(trace_id_t trid)
{
	struct posix_trace_event_info info;
	unsigned long data[64];
	int error, unavailable = 0;
	size_t len;

	for (;;) {
		error = posix_trace_trygetnext_event(trid, &info, data, sizeof(data), &len,
						     &unavailable);
		if (error || unavailable)
			return error;
		show(trid, &info, data, len);
	}
}

int main(int argc, char **argv)
{
	const pid_t pid = argc > 1 ? atoi(argv[1]) : 0;
	struct pollfd end = { .events = POLLIN };
	const char *log = argc > 2 ? argv[2] : NULL;
	trace_id_t trid;
	int error;

	setvbuf(stdout, NULL, _IOLBF, 0);
	end.fd = (int)syscall(SYS_pidfd_open, pid, 0);
	error = end.fd < 0 ? ESRCH : make_stream(pid, log, &trid);
	if (error)
		return fail("posix_trace_create", error);
	posix_trace_start(trid);
	printf("watching\n");
	while (!error && !poll(&end, 1, 20))
		error = log ? 0 : show_all(trid);
	if (!error && !log)
		error = show_all(trid);
	if (error)
		fail("posix_trace_trygetnext_event", error);
	error = posix_trace_shutdown(trid);
	return error ? fail("posix_trace_shutdown", error) : 0;
}
