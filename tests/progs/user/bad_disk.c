// SPDX-License-Identifier: GPL-2.0
/*
 * bad_disk.c - preloaded into ktraced: kills it at one of its writes, or makes them slow
 *
 *   HOLD=FIFO	each write(2) to a file, as of chunks, begins when somebody has FIFO open for
 *		writing; from before on there is the file FIFO.held
 *   SYNCED=FILE	gets a byte for each fdatasync(2)
 *   HANG=FILE	no pwritev(2) begins while there is the file FILE; FILE.hangs tells that one waits
 *   SLOW_US=N	each pwritev(2) takes N microseconds longer
 *   DIE_AT=N	at the N-th pwritev(2) or rename(2), counted from 1
 *   DIE_HOW	before: nothing was written; torn: half of it; after: all of it;
 *		fail: nobody is killed, the disk is full from then on
 *
 * Before that it writes the folder of its session in shared memory to the file "session".
 * Only in ktraced, not in what it starts.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static int at = -1;
static useconds_t slow_us;
static const char *hang;

static void tell_session(void)
{
	FILE *maps = fopen("/proc/self/maps", "r"), *to = fopen("session", "w");
	char line[512], *dir;

	while (maps && to && fgets(line, sizeof(line), maps)) {
		dir = strstr(line, "/dev/shm/ktrace-");
		if (!dir)
			continue;
		*strrchr(dir, '/') = '\0';
		fprintf(to, "%s\n", dir);
		break;
	}
	if (to)
		fclose(to);
}

static void find_out(void)
{
	const char *n = getenv("DIE_AT"), *us = getenv("SLOW_US");

	at = 0;
	if (strcmp(program_invocation_short_name, "ktraced"))
		return;
	at = n ? atoi(n) : 0;
	slow_us = us ? (useconds_t)atoi(us) : 0;
	hang = getenv("HANG");
}

static void wait_while_it_hangs(void)
{
	char told[PATH_MAX];

	snprintf(told, sizeof(told), "%s.hangs", hang);
	while (!access(hang, F_OK)) {
		close(creat(told, 0666));
		usleep(10000);
	}
	unlink(told);
}

static void write_half(int fd, const struct iovec *iov, int nr, off_t offset)
{
	size_t left = 0;

	for (int i = 0; i < nr; i++)
		left += iov[i].iov_len;
	left /= 2;
	for (int i = 0; i < nr && left; i++) {
		size_t size = iov[i].iov_len < left ? iov[i].iov_len : left;

		if (pwrite(fd, iov[i].iov_base, size, offset) < 0)
			return;
		offset += (off_t)size;
		left -= size;
	}
}

ssize_t pwritev(int fd, const struct iovec *iov, int nr, off_t offset)
{
	static ssize_t (*real)(int fd, const struct iovec *iov, int nr, off_t offset);
	const char *how = getenv("DIE_HOW");

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "pwritev");
	if (at < 0)
		find_out();
	if (slow_us)
		usleep(slow_us);
	if (hang)
		wait_while_it_hangs();
	if (!at || --at)
		return real(fd, iov, nr, offset);
	if (how && !strcmp(how, "fail")) {
		at = 1;
		errno = ENOSPC;
		return -1;
	}
	if (how && !strcmp(how, "torn"))
		write_half(fd, iov, nr, offset);
	else if (how && !strcmp(how, "after") && real(fd, iov, nr, offset) < 0)
		abort();
	tell_session();
	kill(getpid(), SIGKILL);
	return -1;
}

int rename(const char *from, const char *to)
{
	static int (*real)(const char *from, const char *to);
	const char *how = getenv("DIE_HOW");

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "rename");
	if (at < 0)
		find_out();
	if (!at || --at)
		return real(from, to);
	if (how && !strcmp(how, "fail")) {
		at = 1;
		errno = ENOSPC;
		return -1;
	}
	if (how && !strcmp(how, "after") && real(from, to))
		abort();
	tell_session();
	kill(getpid(), SIGKILL);
	return -1;
}

static void wait_for_disk(int fd, const char *fifo)
{
	char held[PATH_MAX];
	struct stat st;
	int gate;

	if (fd <= STDERR_FILENO || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return;
	snprintf(held, sizeof(held), "%s.held", fifo);
	close(creat(held, 0666));
	gate = open(fifo, O_RDONLY | O_CLOEXEC);
	if (gate < 0)
		abort();
	close(gate);
}

ssize_t write(int fd, const void *data, size_t size)
{
	static ssize_t (*real)(int fd, const void *data, size_t size);
	const char *fifo = getenv("HOLD");

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "write");
	if (fifo && !strcmp(program_invocation_short_name, "ktraced"))
		wait_for_disk(fd, fifo);
	return real(fd, data, size);
}

int fdatasync(int fd)
{
	static int (*real)(int fd);
	const char *path = getenv("SYNCED");
	FILE *to = path ? fopen(path, "a") : NULL;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "fdatasync");
	if (to) {
		fputc('s', to);
		fclose(to);
	}
	return real(fd);
}

ssize_t pwritev64(int fd, const struct iovec *iov, int nr, off64_t offset)
	__attribute__((alias("pwritev")));
