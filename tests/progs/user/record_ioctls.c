// SPDX-License-Identifier: GPL-2.0
/*
 * record_ioctls.c - preloaded into any program: writes down what it asks of /dev/ktrace
 *
 *   IOCTLS=FILE	gets a line for each call, for dev_mutate.c. All processes append to it
 *
 *   PID fork PARENT
 *   PID ioctl FD REQUEST RESULT BEFORE AFTER [NESTED]...
 *   PID mmap FD OFFSET LENGTH PROT FLAGS
 *   PID dup FD NEW
 *   PID close FD
 *
 * RESULT is 0 or the errno; BEFORE and AFTER are the argument's bytes in hexadecimal digits, "-"
 * for none; NESTED are those that pointers in it name, in the order of the table in dev_nested.h.
 * A descriptor of which nothing was said before has just been opened.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../dev_nested.h"

#define ARG_MAX_BYTES 4096ul
#define LINE_BYTES (4 * NESTED_BYTES_MAX + 4 * ARG_MAX_BYTES + 256)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;	/* of @line */
static char line[LINE_BYTES];

static int is_device(int fd)
{
	struct stat device, st;

	return !fstat(fd, &st) && S_ISCHR(st.st_mode) && !stat("/dev/ktrace", &device) &&
	       st.st_rdev == device.st_rdev;
}

/* One write(2) a line: lines of several processes do not mix. */
static void put_line(size_t length)
{
	const char *file = getenv("IOCTLS");
	int fd = file ? open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;

	line[length] = '\n';
	if (fd >= 0 && write(fd, line, length + 1) < 0)
		perror(file);
	if (fd >= 0)
		close(fd);
}

static void put_call(const char *what, long a, long b)
{
	const int saved = errno;

	pthread_mutex_lock(&lock);
	put_line((size_t)sprintf(line, "%d %s %ld %ld", getpid(), what, a, b));
	pthread_mutex_unlock(&lock);
	errno = saved;
}

static size_t put_bytes(char *to, const unsigned char *from, size_t size)
{
	size_t i;

	if (!from || !size)
		return (size_t)sprintf(to, " -");
	*to = ' ';
	for (i = 0; i < size; i++)
		sprintf(to + 1 + 2 * i, "%02x", from[i]);
	return 1 + 2 * size;
}

/* Copies what may not be there, as a test of bad addresses has it; NULL: it is not. */
static unsigned char *copy(const void *from, size_t size)
{
	unsigned char *to = malloc(size + 1);
	int ends[2] = { -1, -1 };
	ssize_t got = -1;

	if (to && size && size <= 65536 && !pipe2(ends, O_CLOEXEC | O_NONBLOCK) &&
	    write(ends[1], from, size) == (ssize_t)size)
		got = read(ends[0], to, size);
	close(ends[0]);
	close(ends[1]);
	if (got == (ssize_t)size)
		return to;
	free(to);
	return NULL;
}

static size_t put_nested(char *to, unsigned long request, const unsigned char *arg)
{
	size_t length = 0, i, size;
	unsigned char *bytes;
	void *from;

	for (i = 0; i < NESTED_NR; i++) {
		if (nested[i].request != request)
			continue;
		memcpy(&from, arg + nested[i].at, sizeof(from));
		size = nested_bytes(&nested[i], arg);
		bytes = copy(from, size);
		length += put_bytes(to + length, bytes, size);
		free(bytes);
	}
	return length;
}

/* As ioctl(2), written down. */
int ioctl(int fd, unsigned long request, ...)
{
	static int (*real)(int, unsigned long, void *);
	unsigned char *before = NULL, *after = NULL;
	const size_t size = _IOC_SIZE(request);
	size_t length;
	va_list ap;
	void *arg;
	int ret, err;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "ioctl");
	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (_IOC_TYPE(request) != 'k' || size > ARG_MAX_BYTES || !is_device(fd))
		return real(fd, request, arg);
	if (size)
		before = copy(arg, size);
	ret = real(fd, request, arg);
	err = errno;
	if (before)
		after = copy(arg, size);
	pthread_mutex_lock(&lock);
	length = (size_t)sprintf(line, "%d ioctl %d %#lx %d", getpid(), fd, request,
				 ret < 0 ? err : 0);
	length += put_bytes(line + length, before, size);
	length += put_bytes(line + length, after, size);
	if (before)
		length += put_nested(line + length, request, before);
	put_line(length);
	pthread_mutex_unlock(&lock);
	free(before);
	free(after);
	errno = err;
	return ret;
}

/* As mmap(2), written down. */
void *mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset)
{
	static void *(*real)(void *, size_t, int, int, int, off_t);
	void *ret;
	int saved;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "mmap");
	ret = real(addr, length, prot, flags, fd, offset);
	saved = errno;
	if (fd >= 0 && is_device(fd)) {
		pthread_mutex_lock(&lock);
		put_line((size_t)sprintf(line, "%d mmap %d %#lx %#zx %#x %#x", getpid(), fd,
					 (long)offset, length, (unsigned int)prot,
					 (unsigned int)(flags & ~MAP_FIXED)));
		pthread_mutex_unlock(&lock);
	}
	errno = saved;
	return ret;
}

/* As close(2), written down. */
int close(int fd)
{
	static int (*real)(int);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "close");
	if (fd >= 0 && is_device(fd))
		put_call("close", fd, 0);
	return real(fd);
}

/* As dup(2), written down. */
int dup(int fd)
{
	static int (*real)(int);
	int new;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "dup");
	new = real(fd);
	if (new >= 0 && is_device(fd))
		put_call("dup", fd, new);
	return new;
}

static void in_child(void)
{
	pthread_mutex_init(&lock, NULL);
	put_call("fork", getppid(), 0);
}

static __attribute__((constructor)) void begin(void)
{
	pthread_atfork(NULL, NULL, in_child);
}
