/* SPDX-License-Identifier: LGPL-2.1 */
/* libexec.h - finds programs that are installed with a library, for its own use */
#ifndef KTRACE_BASE_LIBEXEC_H
#define KTRACE_BASE_LIBEXEC_H

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Finds libexec/ktrace/@name; @path: PATH_MAX bytes; @own: a function of the library */
static inline bool libexec_find(char *path, const char *name, void *own)
{
	static const char *const above[] = { "/../", "/../../" };
	static const char *const places[] = { "/usr/local/", "/usr/" };
	char program[PATH_MAX];
	const char *file = NULL, *slash;
	Dl_info info;
	ssize_t n;

	if (!getauxval(AT_SECURE) && dladdr(own, &info))
		file = info.dli_fname;
	/* In a program linked statically with this library it is argv[0], chosen by the caller. */
	if (file && (!strchr(file, '/') || !strcmp(file, program_invocation_name))) {
		n = readlink("/proc/self/exe", program, sizeof(program) - 1);
		program[n < 0 ? 0 : n] = '\0';
		file = program;
	}
	slash = file ? strrchr(file, '/') : NULL;
	for (int i = 0; slash && i < 2; i++) {
		snprintf(path, PATH_MAX, "%.*s%slibexec/ktrace/%s", (int)(slash - file), file,
			 above[i], name);
		if (!access(path, X_OK))
			return true;
	}
	for (int i = 0; i < 2; i++) {
		snprintf(path, PATH_MAX, "%slibexec/ktrace/%s", places[i], name);
		if (!access(path, X_OK))
			return true;
	}
	return false;
}

#endif
