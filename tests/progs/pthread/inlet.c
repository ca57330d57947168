// SPDX-License-Identifier: GPL-2.0
/*
 * inlet.c - a library that takes a mutex in each function of the C library by which libktrace
 * attaches, as allocators and libraries that fake the time do
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static __thread int depth __attribute__((tls_model("initial-exec")));

/* Once: taking it may lead to another of these functions. */
static void take_mutex(void)
{
	if (!depth++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	}
	depth--;
}

static char *find(const char *name)
{
	const size_t length = strlen(name);

	for (char **at = environ; at && *at; at++)
		if (!strncmp(*at, name, length) && (*at)[length] == '=')
			return *at + length + 1;
	return NULL;
}

char *getenv(const char *name)
{
	take_mutex();
	return find(name);
}

char *secure_getenv(const char *name)
{
	take_mutex();
	return find(name);
}

long syscall(long number, ...)
{
	static long (*real)(long number, ...);
	long arg[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		arg[i] = va_arg(list, long);
	va_end(list);
	take_mutex();
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "syscall");
	return real(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}

void *mmap(void *at, size_t size, int rights, int flags, int fd, off_t offset)
{
	take_mutex();
	return (void *)syscall(SYS_mmap, at, size, rights, flags, fd, offset);
}

int munmap(void *at, size_t size)
{
	take_mutex();
	return (int)syscall(SYS_munmap, at, size);
}

int madvise(void *at, size_t size, int advice)
{
	take_mutex();
	return (int)syscall(SYS_madvise, at, size, advice);
}

int fstat(int fd, struct stat *st)
{
	take_mutex();
	return (int)syscall(SYS_newfstatat, fd, "", st, 0x1000 /* AT_EMPTY_PATH */);
}

pid_t getpid(void)
{
	take_mutex();
	return (pid_t)syscall(SYS_getpid);
}

pid_t getppid(void)
{
	take_mutex();
	return (pid_t)syscall(SYS_getppid);
}

uid_t geteuid(void)
{
	take_mutex();
	return (uid_t)syscall(SYS_geteuid);
}

ssize_t readlink(const char *path, char *to, size_t size)
{
	take_mutex();
	return syscall(SYS_readlinkat, -100 /* AT_FDCWD */, path, to, size);
}
