// SPDX-License-Identifier: GPL-2.0
/* PTRC-43 */
#include "suite.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#define PAGE "XSH posix_trace_flush"

/* The room of what was flushed can be used again. */
static void makes_room(void)
{
	int fd = new_file();
	trace_id_t trid = logged(fd, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND, 0);
	trace_event_id_t id = event("flushed");
	uint64_t first, n;
	const char *marks;
	struct seen e;

	need(posix_trace_start(trid));
	n = fill(trid, id, 0);
	same(RETURNS, posix_trace_flush(trid), 0, "a full stream is flushed");
	same(DESCRIPTION, await_flushed(trid).posix_stream_flush_error, 0, "without an error");
	same(DESCRIPTION, status(trid).posix_stream_full_status, POSIX_TRACE_NOT_FULL,
	     "it is not full any more");
	status(trid);
	first = n;
	for (; n < first + 10; n++)
		tell(id, n);
	need(posix_trace_shutdown(trid));
	trid = reopened(fd);
	for (n = 0; log_next(trid, &e);)
		n += posix_trace_eventid_equal(trid, e.info.posix_event_id, id) &&
		     number_of(&e) >= first;
	same(DESCRIPTION, n, 10, "it records again");
	need(posix_trace_rewind(trid));
	marks = strstr(story(trid, RECORDED), "FLUSH_");
	check("XSH 2.11.2", marks && !strncmp(marks, "FLUSH_START ", 12) &&
	      strstr(marks, "FLUSH_STOP"),
	      "FLUSH_START and FLUSH_STOP mark the flush of a full stream");
	need(posix_trace_close(trid));
	close(fd);
}

/* A stream that has room for one of the largest events, and so for many small ones: one flush. */
static void all_of_it(void)
{
	int fd = new_file();
	trace_event_id_t id = event("small");
	unsigned int left = 0;
	trace_attr_t attr;
	trace_id_t trid;
	struct seen e;

	need(posix_trace_attr_init(&attr));
	need(posix_trace_attr_setmaxdatasize(&attr, 32768));
	need(posix_trace_attr_setstreamsize(&attr, 8192));
	need(posix_trace_attr_setstreamfullpolicy(&attr, POSIX_TRACE_UNTIL_FULL));
	need(posix_trace_attr_setlogfullpolicy(&attr, POSIX_TRACE_APPEND));
	need(posix_trace_create_withlog(0, &attr, fd, &trid));
	need(posix_trace_start(trid));
	for (int i = 0; i < 9000; i++)
		posix_trace_event(id, NULL, 0);
	need(posix_trace_flush(trid));
	await_flushed(trid);
	while (try_next(trid, &e))
		left += !!posix_trace_eventid_equal(trid, e.info.posix_event_id, id);
	same(DESCRIPTION, left, 0, "one flush takes all that there is, however much it is");
	need(posix_trace_shutdown(trid));
	close(fd);
}

static void in_order(void)
{
	int fd = new_file();
	trace_id_t trid = logged(fd, 0, POSIX_TRACE_APPEND, 0);
	trace_event_id_t id = event("kept");
	uint64_t wrong = 0, n = 0;
	struct seen e;

	need(posix_trace_start(trid));
	for (n = 0; n < 300; n++) {
		tell(id, n);
		if (n % 100 == 50) {
			need(posix_trace_flush(trid));
			await_flushed(trid);
		}
	}
	need(posix_trace_shutdown(trid));
	trid = reopened(fd);
	for (n = 0; log_next(trid, &e);)
		if (posix_trace_eventid_equal(trid, e.info.posix_event_id, id))
			wrong += number_of(&e) != n++;
	same(DESCRIPTION, n, 300, "the log has each event once");
	same(DESCRIPTION, wrong, 0, "in order");
	need(posix_trace_close(trid));
	close(fd);
}

static void marked(void)
{
	int fd = new_file();
	trace_id_t trid = logged(fd, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND, 0);
	char want[64] = "START a FLUSH_START FLUSH_STOP b STOP";
	const char *got;

	need(posix_trace_start(trid));
	tell(event("a"), 1);
	need(posix_trace_flush(trid));
	await_flushed(trid);
	tell(event("b"), 2);
	need(posix_trace_stop(trid));
	need(posix_trace_shutdown(trid));
	trid = reopened(fd);
	got = story(trid, RECORDED);
	check("XSH 2.11.2", strncmp(got, want, strlen("START a FLUSH_START")) == 0 &&
	      strstr(got, "FLUSH_STOP"), "FLUSH_START and FLUSH_STOP mark it: %s", got);
	need(posix_trace_close(trid));
	close(fd);
}

/*
 * A log that may not grow; what streams need for themselves may be files, too, smaller ones
 * PTRC-47
 */
static void no_more(void *argument)
{
	struct rlimit limit = { 16 << 20, 16 << 20 };
	int fd = new_file(), error = 0, later = 0;
	static char data[1000];
	trace_event_id_t id = event("much");
	trace_id_t trid;

	(void)argument;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	trid = logged(fd, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND, 0);
	need(posix_trace_start(trid));
	for (size_t told = 0; told < 64 << 20 && !error && !later; told += 32 * sizeof(data)) {
		for (int i = 0; i < 32; i++)
			posix_trace_event(id, data, sizeof(data));
		error = posix_trace_flush(trid);
		later = await_flushed(trid).posix_stream_flush_error;
	}
	check(ERRORS, error == EFBIG || later == EFBIG,
	      "a file that may not grow: EFBIG (%d) or posix_stream_flush_error (%d)", error,
	      later);
	same("XSH 2.11.1", status(trid).posix_stream_flush_error, 0,
	     "the error is told once, and is 0 then");
	need(posix_trace_clear(trid));
	same("XSH posix_trace_clear", status(trid).posix_stream_flush_error, 0,
	     "a stream that was cleared has none");
	posix_trace_event(id, data, sizeof(data));
	same("XSH posix_trace_shutdown, ERRORS", posix_trace_shutdown(trid), EFBIG,
	     "what cannot be flushed at the end, as the file may not grow: EFBIG");
	close(fd);
}

/* small_disk - Return: a new file on a file system of 256 KiB, which has no other name, or -1 */
static int small_disk(void)
{
	char folder[] = "/tmp/posix-suite-XXXXXX", name[sizeof(folder) + sizeof("/log")];
	int fd = -1;

	if (!mkdtemp(folder))
		return -1;
	snprintf(name, sizeof(name), "%s/log", folder);
	if (!unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	    !mount("none", folder, "tmpfs", 0, "size=256k")) {
		fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
		umount2(folder, MNT_DETACH);
	}
	rmdir(folder);
	return fd;
}

/*
 * A disk that runs full: what was written is a log, and ends where there was no more room.
 * PTRC-47
 */
static void no_room(void *argument)
{
	static const int policies[] = { POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL };
	struct posix_trace_status_info s = { 0 };
	trace_event_id_t id = event("more");
	uint64_t n = 0, told = 0, wrong = 0;
	int fd = small_disk(), error = 0;
	trace_attr_t attr;
	trace_id_t trid;
	struct seen e;

	(void)argument;
	if (fd < 0) {
		note("no file system could be mounted: not tested on a disk that runs full");
		return;
	}
	need(posix_trace_attr_init(&attr));
	need(posix_trace_attr_setlogsize(&attr, 1 << 20));
	for (int i = 0; i < 2; i++) {
		need(posix_trace_attr_setlogfullpolicy(&attr, policies[i]));
		same("XSH posix_trace_create, ERRORS",
		     posix_trace_create_withlog(0, &attr, fd, &trid), ENOSPC,
		     "log-max-size is more than the disk has: ENOSPC");
	}
	trid = logged(fd, POSIX_TRACE_FLUSH, POSIX_TRACE_APPEND, 0);
	need(posix_trace_start(trid));
	while (told < 1 << 20 && !error && !s.posix_stream_flush_error) {
		for (int i = 0; i < 100; i++)
			tell(id, told++);
		error = posix_trace_flush(trid);
		s = await_flushed(trid);
	}
	check(ERRORS, error == ENOSPC || s.posix_stream_flush_error == ENOSPC,
	      "a disk that runs full: ENOSPC (%d) or posix_stream_flush_error (%d)", error,
	      s.posix_stream_flush_error);
	for (int i = 0; i < 100; i++)
		tell(id, told++);
	same("XSH posix_trace_shutdown, ERRORS", posix_trace_shutdown(trid), ENOSPC,
	     "what cannot be flushed at the end, as the disk is full: ENOSPC");
	trid = reopened(fd);
	while (log_next(trid, &e))
		if (posix_trace_eventid_equal(trid, e.info.posix_event_id, id))
			wrong += number_of(&e) != n++;
	check("posix_trace(7)", n > 0 && !wrong, "the log opens, and has the first %u events",
	      (unsigned int)n);
	same("posix_trace(7)", status(trid).posix_log_overrun_status,
	     n < told ? POSIX_TRACE_OVERRUN : POSIX_TRACE_NO_OVERRUN,
	     "it says whether events are missing");
	need(posix_trace_close(trid));
}

int main(void)
{
	trace_id_t trid = stream(0, 0);

	makes_room();
	all_of_it();
	in_order();
	marked();
	in_good_child(no_more, NULL);
	in_good_child(no_room, NULL);
	same(ERRORS, posix_trace_flush(trid), EINVAL, "a stream without log: EINVAL");
	need(posix_trace_shutdown(trid));
	return done();
}
