// SPDX-License-Identifier: GPL-2.0
/*
 * preload.c - put libktrace-pthread in front of the C library of the command
 *
 * The library lies beside libktraceset. It comes before what the user preloads, which stays. So
 * does libktrace, which has a vfork() and a prctl() of its own: as a dependency alone it would come
 * after the C library.
 * A command that would not start with it, or that it would not help, is left alone. The
 * programs that the command starts inherit the variable, as they do the session. Should one of
 * them have ASan, which insists on being first, it is told not to: the library steps aside.
 */
#include "preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/session.h>

#include "log.h"
#include "program.h"

#define LIBRARY "libktrace-pthread.so.0"
#define WRITER "libktrace.so.0"

/* Finds the library. Return: 0, -errno. */
static int find_library(char path[PATH_MAX])
{
	char beside[PATH_MAX];
	Dl_info info;
	char *slash;

	if (!dladdr((void *)(uintptr_t)ktrace_session_create, &info) ||
	    !realpath(info.dli_fname, beside))
		return -ENOENT;
	slash = strrchr(beside, '/');
	if (slash)
		*slash = '\0';
	if (snprintf(path, PATH_MAX, "%s/" LIBRARY, beside) >= PATH_MAX)
		return -ENAMETOOLONG;
	if (access(path, R_OK))
		return -errno;
	/* The variable's own separators */
	return path[strcspn(path, " :")] ? -EINVAL : 0;
}

/* The library at @path and libktrace beside it, as the variable has them: 0 or -ENOMEM. */
static int add_writer(const char *path, char **list)
{
	const int folder = (int)(strrchr(path, '/') + 1 - path);

	if (asprintf(list, "%s:%.*s" WRITER, path, folder, path) >= 0)
		return 0;
	*list = NULL;
	return -ENOMEM;
}

/* @first and what the variable @name holds: 0 or -ENOMEM. */
static int put_before(const char *first, const char *name, char **value)
{
	const char *before = getenv(name);

	if (asprintf(value, "%s%s%s", first, before && *before ? ":" : "",
		     before ? before : "") >= 0)
		return 0;
	*value = NULL;
	return -ENOMEM;
}

int preload_prepare(const char *command, struct preload *p)
{
	char path[PATH_MAX] = LIBRARY, *list = NULL;
	const char *reason;
	int error;

	*p = (struct preload){ NULL, NULL };
	reason = program_obstacle(command);
	if (reason) {
		log_note("--pthread: %s %s: what its threads do with each other is not recorded",
			 command, reason);
		return -1;
	}
	error = find_library(path);
	if (!error)
		error = add_writer(path, &list);
	if (!error)
		error = put_before(list, "LD_PRELOAD", &p->libraries);
	free(list);
	if (!error)
		error = put_before("verify_asan_link_order=0", "ASAN_OPTIONS", &p->asan);
	if (!error)
		return -1;
	log_error("--pthread: %s: %s", path, error == -EINVAL ?
		  "a name with blanks or colons cannot be preloaded" : strerror(-error));
	preload_free(p);
	return EXIT_OWN;
}

void preload_free(struct preload *p)
{
	free(p->libraries);
	free(p->asan);
}
