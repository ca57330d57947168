/* SPDX-License-Identifier: GPL-2.0 */
/*
 * calls_i386.c - a 32-bit program without a C library: system calls of the table of its own
 *
 * Numbers that mean something else in the 64-bit table, one that no table has, -1, and two
 * signals, whose handlers return by sigreturn() and rt_sigreturn() of the kernel's page.
 */
#define CALL(n, a, b, c, d) call(n, (long)(a), (long)(b), (long)(c), (long)(d))

static long call(long n, long a, long b, long c, long d)
{
	long ret;

	__asm__ volatile("int $0x80" : "=a" (ret) : "a" (n), "b" (a), "c" (b), "d" (c), "S" (d)
			 : "memory");
	return ret;
}

static void on_signal(int sig)
{
	(void)sig;
}

void _start(void)
{
	static struct { void *handler; unsigned long mask, flags; void *restorer; } old;
	static struct { void *handler; unsigned long flags; void *restorer, *mask[2]; } rt;
	long pid, fd;

	pid = CALL(20, 0, 0, 0, 0);			/* getpid; writev */
	CALL(64, 0, 0, 0, 0);				/* getppid; semget */
	CALL(122, 0, 0, 0, 0);				/* uname; setfsuid */
	fd = CALL(5, "/etc/passwd", 0, 0, 0);		/* open; fstat */
	CALL(6, fd, 0, 0, 0);				/* close; lstat */
	fd = CALL(295, -100, "/etc/passwd", 0, 0);	/* openat; preadv */
	CALL(6, fd, 0, 0, 0);
	CALL(4, -1, "x", 1, 0);				/* write; stat */
	CALL(1000, 1, 2, 3, 4);
	CALL(-1, 0, 0, 0, 0);
	old.handler = (void *)on_signal;
	CALL(67, 10, &old, 0, 0);			/* sigaction; shmdt */
	CALL(37, pid, 10, 0, 0);			/* kill; alarm */
	rt.handler = (void *)on_signal;
	rt.flags = 4;					/* SA_SIGINFO */
	CALL(174, 12, &rt, 0, 8);			/* rt_sigaction; -- */
	CALL(37, pid, 12, 0, 0);
	CALL(1, 0, 0, 0, 0);				/* exit; write */
	for (;;)
		;
}
