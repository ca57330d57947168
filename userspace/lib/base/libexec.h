/* SPDX-License-Identifier: LGPL-2.1 */
/* libexec.h - finds programs that are installed with a library, for its own use */
#ifndef KTRACE_BASE_LIBEXEC_H
#define KTRACE_BASE_LIBEXEC_H

#include <dlfcn.h>
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
	Dl_info info;
	const char *slash = NULL;

	/* In a program linked statically with this library it is argv[0], chosen by the caller. */
	if (!getauxval(AT_SECURE) && dladdr(own, &info) && info.dli_fname)
		slash = strrchr(info.dli_fname, '/');
	for (int i = 0; slash && i < 2; i++) {
		snprintf(path, PATH_MAX, "%.*s%slibexec/ktrace/%s", (int)(slash - info.dli_fname),
			 info.dli_fname, above[i], name);
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
