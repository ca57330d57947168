// SPDX-License-Identifier: LGPL-2.1
/*
 * sysconf.c - a sysconf() that knows the options and limits of tracing (PTRC-01)
 *
 * The C library of Debian 12 returns -1 for these eight names. A program that is linked with this
 * library, or has it preloaded, calls the sysconf() of this file, which passes all other names on.
 * A program bound to another sysconf() can call ktrace_posix_sysconf().
 */
#include <trace.h>

#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>

static const struct {
	int name;
	long value;
} known[] = {
	{ _SC_TRACE, _POSIX_TRACE },
	{ _SC_TRACE_EVENT_FILTER, _POSIX_TRACE_EVENT_FILTER },
	{ _SC_TRACE_INHERIT, _POSIX_TRACE_INHERIT },
	{ _SC_TRACE_LOG, _POSIX_TRACE_LOG },
	{ _SC_TRACE_EVENT_NAME_MAX, TRACE_EVENT_NAME_MAX },
	{ _SC_TRACE_NAME_MAX, TRACE_NAME_MAX },
	{ _SC_TRACE_SYS_MAX, TRACE_SYS_MAX },
	{ _SC_TRACE_USER_EVENT_MAX, TRACE_USER_EVENT_MAX },
};

static long next_sysconf(int name)
{
	static long (*next)(int name);
	long (*real)(int name) = __atomic_load_n(&next, __ATOMIC_RELAXED);

	if (!real) {
		real = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");
		/* Other threads store the same value. */
		__atomic_store_n(&next, real, __ATOMIC_RELAXED);
	}
	if (real)
		return real(name);
	errno = ENOSYS;
	return -1;
}

/**
 * ktrace_posix_sysconf - like sysconf(), independent of which sysconf() the program calls
 * @name:	_SC_TRACE and so on, or any other
 *
 * Return: the value, or -1 as from the C library.
 */
long ktrace_posix_sysconf(int name)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].name == name)
			return known[i].value;
	return next_sysconf(name);
}

/**
 * sysconf - replace the C library's function, declared in <unistd.h>
 *
 * Return: as ktrace_posix_sysconf().
 */
__attribute__((visibility("default"))) long sysconf(int name)
{
	return ktrace_posix_sysconf(name);
}
