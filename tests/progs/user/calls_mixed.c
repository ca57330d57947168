/* SPDX-License-Identifier: GPL-2.0 */
/*
 * calls_mixed.c - a 64-bit program that makes calls of all tables of its kernel
 *
 * Linked so that its addresses have 32 bits. Ends with 0 if the kernel has calls of x32, else
 * with 1. With an argument it executes the program of that name afterwards, by the 32-bit table.
 */
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define X32 0x40000000

static const char path[] = "/etc/passwd";

static long int80(long n, long a, long b, long c)
{
	long ret;

	__asm__ volatile("int $0x80" : "=a" (ret) : "a" (n), "b" (a), "c" (b), "d" (c)
			 : "memory", "r8", "r9", "r10", "r11");
	return ret;
}

static void on_signal(int sig)
{
	(void)sig;
}

int main(int argc, char **argv)
{
	static char name[4096];
	static int args[2];		/* pointers of 32 bits */
	long fd;

	syscall(SYS_getppid);
	int80(64, 0, 0, 0);			/* getppid; semget */
	fd = syscall(SYS_openat, -100, path, 0);
	int80(6, fd, 0, 0);			/* close; lstat */
	fd = int80(295, -100, (long)path, 0);	/* openat; preadv */
	syscall(SYS_close, fd);
	int80(1000, 0, 0, 0);
	syscall(1000);
	syscall(-1);
	int80(-1, 0, 0, 0);
	signal(SIGUSR1, on_signal);
	syscall(SYS_kill, getpid(), SIGUSR1);
	fd = syscall(X32 | SYS_openat, -100, path, 0);
	syscall(X32 | SYS_close, fd);
	syscall(X32 | 1000);
	if (argc > 1) {
		strncpy(name, argv[1], sizeof(name) - 1);
		args[0] = (int)(long)name;
		int80(11, (long)name, (long)args, 0);	/* execve; munmap */
	}
	return syscall(X32 | SYS_getpid) != getpid();
}
