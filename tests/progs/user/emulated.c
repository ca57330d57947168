// SPDX-License-Identifier: GPL-2.0
/*
 * emulated.c - what qemu-user lacks, to be preloaded: set_robust_list(2)
 *
 * Without that call no session can be begun. With this library it seems to succeed, so the kernel
 * does not show the end of a session's owner: tests of that need a virtual machine.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <sys/syscall.h>

#define VISIBLE __attribute__((visibility("default")))

VISIBLE long syscall(long nr, ...);

VISIBLE long syscall(long nr, ...)
{
	static long (*real)(long nr, ...);
	long arg[6];
	va_list ap;
	int i;

	if (nr == SYS_set_robust_list)
		return 0;
	va_start(ap, nr);
	for (i = 0; i < 6; i++)
		arg[i] = va_arg(ap, long);
	va_end(ap);
	if (!real)
		real = (long (*)(long nr, ...))dlsym(RTLD_NEXT, "syscall");
	return real(nr, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}
