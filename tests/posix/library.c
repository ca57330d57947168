// SPDX-License-Identifier: GPL-2.0
/*
 * library.c - an event has the address of its call, also in a shared library that comes later
 *
 * PTRC-51
 */
#include "suite.h"

#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

#define PAGE "XSH 2.11.1"

static void __attribute__((noinline)) tell_here(trace_event_id_t id)
{
	posix_trace_event(id, "program", 7);
}

/* is_of - one result: the next event was told in the object that has this function */
static void is_of(trace_id_t trid, const void *function, const char *what)
{
	Dl_info want = { 0 }, got = { 0 };
	struct seen e = { .len = 0 };

	check(PAGE, try_next(trid, &e) && e.len == 7, "an event of %s", what);
	dladdr(function, &want);
	dladdr(e.info.posix_prog_address, &got);
	check(PAGE, got.dli_fbase && got.dli_fbase == want.dli_fbase,
	      "it has an address of %s: of the call, which is the last of its function", what);
	check(PAGE, (char *)e.info.posix_prog_address > (char *)function &&
	      (char *)e.info.posix_prog_address < (char *)function + 256,
	      "one in that function");
}

int main(void)
{
	void (*tell_there)(trace_event_id_t id) = NULL;
	trace_id_t trid = started(0, 0);
	trace_event_id_t id = event("told");
	char path[PATH_MAX + 32];
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
	void *library;

	need(n < 0 ? errno : 0);
	path[n] = '\0';
	strcpy(strrchr(path, '/'), "/shared/library.so");
	library = dlopen(path, RTLD_NOW);
	need(library ? 0 : ENOENT);
	*(void **)&tell_there = dlsym(library, "tell_in_library");
	need(tell_there ? 0 : ENOENT);
	tell_there(id);
	is_of(trid, *(void **)&tell_there, "a library");
	tell_here(id);
	is_of(trid, (void *)tell_here, "the program");
	need(posix_trace_shutdown(trid));
	dlclose(library);
	return done();
}
