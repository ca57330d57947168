// SPDX-License-Identifier: GPL-2.0
/*
 * debug_server.c - limits on downloads from servers of debug information
 *
 * libdebuginfod accepts data as long as a server sends it, and stores it on disk. It compares
 * DEBUGINFOD_MAXSIZE with the size that the server announces, not with the size received. So the
 * limits are checked here, in the progress callback: libdebuginfod calls it at least each second,
 * and aborts if it returns non-zero. After a server has exceeded a limit, no server is asked again.
 *
 * With DEBUGINFOD_PROGRESS set, the library reports progress to the user itself; no callback is set
 * then.
 */
#include "debug_server.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <time.h>

#include "base/viewer.h"

#define SIZE_MAX_BYTES (sizeof(long) > 4 ? (long)(1ull << 32) : LONG_MAX)
#define TIME_MAX_S 1800

typedef int progress_fn(debuginfod_client *client, long done, long all);

/* Start of the current download, by CLOCK_MONOTONIC; 0 = none has begun */
static time_t begin_s;
static bool is_refused;

/* Returns the value of a variable, parsed as libdebuginfod does; @otherwise if it has none. */
static long limit(const char *text, long otherwise)
{
	const long value = text ? atol(text) : 0;

	return value > 0 ? value : otherwise;
}

static time_t now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* Checks the limits of a download. Return: non-zero to abort it. */
static int look(debuginfod_client *client, long done, long all)
{
	const long size = limit(getenv("DEBUGINFOD_MAXSIZE"), SIZE_MAX_BYTES);
	const long time = limit(getenv("DEBUGINFOD_MAXTIME"), TIME_MAX_S);
	const bool is_large = done > size || all > size;

	(void)client;
	begin_s = begin_s ? begin_s : now_s();
	if (!is_large && now_s() - begin_s <= time)
		return 0;
	if (!is_refused)
		complain_safely(is_large ? "ktrace: --debuginfod: a file of more than %ld bytes "
				"(DEBUGINFOD_MAXSIZE); no server is asked any more" :
				"ktrace: --debuginfod: a file takes more than %ld s "
				"(DEBUGINFOD_MAXTIME); no server is asked any more",
				is_large ? size : time);
	is_refused = true;
	return 1;
}

/* Finds the function in the library if libdw has loaded it; NULL if not. */
static void *find_setter(void)
{
	void *library = dlopen("libdebuginfod.so.1", RTLD_LAZY | RTLD_NOLOAD);

	return library ? dlsym(library, "debuginfod_set_progressfn") : NULL;
}

bool debug_server_begin(Dwfl *dwfl)
{
	debuginfod_client *client;
	void (*set)(debuginfod_client *c, progress_fn *fn);

	if (is_refused)
		return false;
	begin_s = 0;
	client = getenv("DEBUGINFOD_PROGRESS") ? NULL : dwfl_get_debuginfod_client(dwfl);
	*(void **)&set = client ? find_setter() : NULL;
	if (set)
		set(client, look);
	return true;
}
