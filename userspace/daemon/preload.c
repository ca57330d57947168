// SPDX-License-Identifier: GPL-2.0
/*
 * preload.c - puts libktrace-pthread in front of the C library of the command
 *
 * The library is beside libktraceset; the one for 32-bit programs is where their libraries are:
 * each dynamic linker replaces $LIB by its own folder. It comes before libraries that the user
 * preloads, which stay. So does libktrace, with functions of its own (libktrace.map): as a mere
 * dependency it would come after the C library.
 * Leaves commands alone that would not start with the library, or that it could not help. Programs
 * that the command starts inherit the variable, like the session. If one of them uses ASan, which
 * insists on being first, a variable turns that check off: the library steps aside.
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

#include "arch/programs.h"
#include "base/log.h"
#include "base/program.h"

#define LIBRARY "libktrace-pthread.so.0"
#define WRITER "libktrace.so.0"

/* Finds a dynamic linker's folder below / or /usr: "/lib/i386-linux-gnu/"; false: not found. */
static bool find_folder(const char *linker, char folder[PATH_MAX])
{
	const size_t usr = strlen("/usr");

	if (!realpath(linker, folder))
		return false;
	*(strrchr(folder, '/') + 1) = '\0';
	if (!strncmp(folder, "/usr/", usr + 1))
		memmove(folder, folder + usr, strlen(folder + usr) + 1);
	return true;
}

static bool is_there(const char *folder, int len, const char *below, const char *name)
{
	char path[PATH_MAX];

	errno = ENAMETOOLONG;
	return snprintf(path, sizeof(path), "%.*s%s%s", len, folder, below, name) < PATH_MAX &&
	       !access(path, R_OK);
}

/* True if the dynamic linker replaces $LIB by that folder: it finds the loaded library there. */
static bool is_expanded(const char *folder, int len, const char *name)
{
	char path[PATH_MAX];
	void *loaded = NULL;

	if (snprintf(path, sizeof(path), "%.*s/$LIB/%s", len, folder, name) < PATH_MAX)
		loaded = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
	if (loaded)
		dlclose(loaded);
	return loaded;
}

/*
 * If the 32-bit libraries are where 32-bit programs look, replaces @folder, of libktraceset @name,
 * by one that uses $LIB and so fits each program.
 */
static bool widen(char folder[PATH_MAX], const char *name)
{
	char own[PATH_MAX], narrow[PATH_MAX];
	int len;

	if (!find_folder(ARCH_LINKER, own) || !find_folder(ARCH_NARROW_LINKER, narrow))
		return false;
	len = (int)strlen(folder) - (int)strlen(own);
	if (len < 0 || strcmp(folder + len, own) || strlen(own) < strlen("/$LIB/") ||
	    !is_there(folder, len, narrow, LIBRARY) || !is_there(folder, len, narrow, WRITER) ||
	    !is_expanded(folder, len, name))
		return false;
	strcpy(folder + len, "/$LIB/");
	return true;
}

/* Finds the library. Return: 0 or -errno. */
static int find_library(char path[PATH_MAX], bool *has_narrow)
{
	char beside[PATH_MAX], name[NAME_MAX + 1];
	Dl_info info;
	char *slash;

	if (!dladdr((void *)(uintptr_t)ktrace_session_create, &info) ||
	    !realpath(info.dli_fname, beside))
		return -ENOENT;
	slash = strrchr(beside, '/');
	snprintf(name, sizeof(name), "%s", slash + 1);
	slash[1] = '\0';
	if (!is_there(beside, (int)strlen(beside), "", LIBRARY))
		return -errno;
	*has_narrow = widen(beside, name);
	if (snprintf(path, PATH_MAX, "%s" LIBRARY, beside) >= PATH_MAX)
		return -ENAMETOOLONG;
	/* LD_PRELOAD separates names by blanks and colons. */
	return path[strcspn(path, " :")] ? -EINVAL : 0;
}

/* Joins the library at @path and libktrace beside it for LD_PRELOAD: 0 or -ENOMEM. */
static int add_writer(const char *path, char **list)
{
	const int folder = (int)(strrchr(path, '/') + 1 - path);

	if (asprintf(list, "%s:%.*s" WRITER, path, folder, path) >= 0)
		return 0;
	*list = NULL;
	return -ENOMEM;
}

/* Joins @first and the value of the variable @name: 0 or -ENOMEM. */
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

	*p = (struct preload){ 0 };
	error = find_library(path, &p->has_narrow);
	reason = program_obstacle(command, p->has_narrow);
	p->is_unfit = reason;
	if (reason) {
		log_note("--pthread: %s %s: its threads and locks are not recorded",
			 command, reason);
		return -1;
	}
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
		  "a path with blanks or colons cannot be preloaded" : strerror(-error));
	preload_free(p);
	return EXIT_OWN;
}

int preload_print(void)
{
	char path[PATH_MAX] = LIBRARY, *list = NULL;
	bool has_narrow;
	int error = find_library(path, &has_narrow);

	if (!error)
		error = add_writer(path, &list);
	if (error) {
		log_error("--prepare: %s: %s", path, strerror(-error));
		return EXIT_OWN;
	}
	printf("LD_PRELOAD=%s\n", list);
	free(list);
	return log_output_end(0);
}

void preload_free(struct preload *p)
{
	free(p->libraries);
	free(p->asan);
}
