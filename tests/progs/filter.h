/* SPDX-License-Identifier: GPL-2.0 */
/* filter.h - a filter of seccomp(2) that kills for all but what the C library needs for threads */
#ifndef KTRACE_TESTS_FILTER_H
#define KTRACE_TESTS_FILTER_H

#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#define ALLOW(name) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 1), \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* What a tool needs that runs the program; a file that is run by one may define it. */
#ifndef FILTER_ALLOWS_MORE
#define FILTER_ALLOWS_MORE
#endif

/* Return: 0, or the calling process cannot have one. */
static inline int install_filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(read), ALLOW(write), ALLOW(exit), ALLOW(exit_group), ALLOW(futex),
		ALLOW(clone), ALLOW(clone3), ALLOW(mmap), ALLOW(munmap), ALLOW(mprotect),
		ALLOW(madvise), ALLOW(brk), ALLOW(rt_sigprocmask), ALLOW(rt_sigaction),
		ALLOW(set_robust_list), ALLOW(rseq), ALLOW(fstat), ALLOW(newfstatat),
		ALLOW(getrandom), ALLOW(gettid), ALLOW(wait4),
		FILTER_ALLOWS_MORE
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Where strace(1) sees that a test begins. */
static inline void mark(void)
{
	syscall(SYS_write, -1, "mark", 4);
}

/*
 * Runs @work in so many threads at once, to their end. Joined without a system call: whether there
 * is one would depend on who comes first. Return: 0; -1: one could not be made
 */
static inline int in_threads(int nr, void *(*work)(void *))
{
	pthread_t thread[8];
	int i, made = 0;

	while (made < nr && !pthread_create(&thread[made], NULL, work, NULL))
		made++;
	for (i = 0; i < made; i++)
		while (pthread_tryjoin_np(thread[i], NULL))
			;
	return made < nr ? -1 : 0;
}

#endif
