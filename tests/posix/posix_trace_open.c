// SPDX-License-Identifier: GPL-2.0
#include "suite.h"

#include <fcntl.h>
#include <sys/stat.h>

#define PAGE "XSH posix_trace_open"

/* no_log - whether a copy of a log is refused, cut to @size, with byte @at changed */
static int opened(int fd, off_t size, off_t at)
{
	static char bytes[1 << 20];
	int copy = new_file(), error;
	ssize_t n = pread(fd, bytes, sizeof(bytes), 0);
	trace_id_t trid;

	need(n < 0 ? errno : 0);
	if (size < n)
		n = size;
	if (at < n)
		bytes[at] ^= 0xff;
	need(write(copy, bytes, n) == n ? 0 : EIO);
	need(lseek(copy, 0, SEEK_SET) < 0 ? errno : 0);
	error = posix_trace_open(copy, &trid);
	if (!error)
		need(posix_trace_close(trid));
	close(copy);
	return error;
}

/* PTRC-48 */
static void damaged(int fd)
{
	struct stat st;

	need(fstat(fd, &st) ? errno : 0);
	same(ERRORS, opened(fd, st.st_size, st.st_size), 0, "a copy of a log is one");
	same(ERRORS, opened(fd, 0, 0), EINVAL, "an empty file is none: EINVAL");
	same(ERRORS, opened(fd, 10, 10), EINVAL, "its first 10 bytes are none: EINVAL");
	same(ERRORS, opened(fd, st.st_size / 2, st.st_size), EINVAL,
	     "a half of it is none: EINVAL");
	for (off_t at = 0; at < 16; at += 3)
		same(ERRORS, opened(fd, st.st_size, at), EINVAL,
		     "with byte %d changed it is none: EINVAL", (int)at);
}

/* PTRC-77 */
static void in_another_process(void *argument)
{
	int *fd = argument;
	trace_id_t trid = reopened(*fd);

	tells(DESCRIPTION, trid, RECORDED, "START a b STOP", "another process reads the same");
	need(posix_trace_close(trid));
}

/* PTRC-77 */
static void several(int fd)
{
	trace_id_t first = reopened(fd), second;
	struct seen e;
	char name[64];
	int own;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	own = open(name, O_RDONLY);
	need(posix_trace_open(own, &second));
	check(DESCRIPTION, log_next(first, &e), "one reads");
	tells("posix_trace(7)", second, RECORDED, "START a b STOP", "another reads from the start");
	tells("posix_trace(7)", first, RECORDED, "a b STOP", "and the one goes on where it was");
	need(posix_trace_close(first));
	need(posix_trace_close(second));
	close(own);
}

/* What is refused leaves nothing behind: half of a log, more often than there are descriptors */
static void refused_often(int fd)
{
	struct stat st;
	unsigned int refused = 0;

	few_descriptors();
	need(fstat(fd, &st) ? errno : 0);
	for (int i = 0; i < 12; i++)
		refused += opened(fd, st.st_size / 2, st.st_size) == EINVAL;
	same(ERRORS, refused, 12, "what is no log is refused each time");
	need(posix_trace_close(reopened(fd)));
}

int main(void)
{
	static const char text[] = "This is no log, and never was one; it is text in a file.\n";
	int fd, other = new_file();
	trace_id_t trid = recorded(&fd), bad;
	struct seen e;

	check(RETURNS, log_next(trid, &e), "a log is opened");
	check(DESCRIPTION, posix_trace_eventid_equal(trid, e.info.posix_event_id,
						     POSIX_TRACE_START),
	      "the oldest event is the first");
	need(posix_trace_close(trid));
	in_good_child(in_another_process, &fd);
	several(fd);
	damaged(fd);
	need(write(other, text, sizeof(text)) < 0 ? errno : 0);
	lseek(other, 0, SEEK_SET);
	same(ERRORS, posix_trace_open(other, &bad), EINVAL, "a file of something else: EINVAL");
	same(ERRORS, posix_trace_open(-1, &bad), EINVAL, "no file: EINVAL");
	close(other);
	other = open("/", O_RDONLY | O_DIRECTORY);
	same(ERRORS, posix_trace_open(other, &bad), EINVAL, "a directory: EINVAL");
	close(other);
	refused_often(fd);
	close(fd);
	return done();
}
