// SPDX-License-Identifier: LGPL-2.1
/*
 * rename.c - notice that a thread has another name
 *
 * A thread is renamed by prctl(PR_SET_NAME), see confined.c, or by pthread_setname_np(). A thread
 * that has not recorded yet announces its name with its first event; for one that has, the new name
 * becomes another entry. A name written to /proc/PID/task/TID/comm goes unnoticed here.
 */
#include "rename.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "ids.h"
#include "own.h"
#include "process.h"
#include "system.h"
#include "thread.h"

/* Sets the name of another thread of this process, as the C library does. Returns 0 or an errno. */
static kt_noinline int write_comm(__u32 tid, const char *name)
{
	char path[48];
	ssize_t n;
	int fd, error = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%u/comm", tid);
	fd = system_open(path, O_RDWR);
	if (fd < 0)
		return -fd;
	do
		n = syscall(SYS_write, fd, name, strlen(name));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		error = errno;
	else if ((size_t)n != strlen(name))
		error = EIO;
	system_close(fd);
	return error;
}

/* Finds the tid of a thread in its clock id: (~tid << 3) | 6 */
static int find_tid(pthread_t thread, __u32 *tid)
{
	clockid_t clock;
	const int error = pthread_getcpuclockid(thread, &clock);

	*tid = error ? 0 : ~((__u32)(clock >> 3));
	return error;
}

/**
 * rename_self - announce the new name of the calling thread
 * @name:	the name, the kernel has taken its first 15 bytes
 *
 * Context: any.
 */
void rename_self(const char *name)
{
	const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	const struct channel *ch;
	struct ktrace_thread *t;
	__u32 i = 0, tid;

	if (!own_is_there())
		return;
	own_enter(frame);
	while ((ch = own_each_held(&i, &t))) {
		tid = t->tid_flags ? thread_in(ch, t) : 0;
		if (tid)
			process_announce_name(ch, tid, name);
	}
	own_exit(frame);
}

/* Announces the new name of another thread. */
static kt_noinline void announce_other(__u32 tid, const char *name)
{
	const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	const struct channel *ch;
	struct ktrace_thread *t;
	__u32 i = 0;

	own_enter(frame);
	while ((ch = own_each(&i, frame, &t)))
		if (thread_in(ch, t))
			process_announce_name(ch, ids_of(tid), name);
	own_exit(frame);
}

/**
 * pthread_setname_np - replaces the C library's function, to notice the call
 * @thread:	the thread
 * @name:	its new name, of at most 15 bytes
 *
 * Return: 0 or an errno.
 */
KTRACE_API int pthread_setname_np(pthread_t thread, const char *name)
{
	const int saved = errno;
	__u32 tid;
	int error;

	if (strlen(name) > 15)
		return ERANGE;
	if (pthread_equal(thread, pthread_self())) {
		error = prctl(PR_SET_NAME, name) ? errno : 0;
	} else {
		error = find_tid(thread, &tid);
		if (!error)
			error = write_comm(tid, name);
		if (!error)
			announce_other(tid, name);
	}
	errno = saved;
	return error;
}
