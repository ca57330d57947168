// SPDX-License-Identifier: LGPL-2.1
/*
 * load.c - notice that the program has loaded or unloaded code
 *
 * dlopen() searches for files depending on its caller, which must be the program and not a wrapper.
 * So our function notes the call and jumps to the C library's, which returns to the program. The
 * change is reported before the next event, of any thread, that has a caller: in the same thread
 * the call is over by then, or has at least mapped the code whose constructors run. An event that
 * finds the dynamic linker half done leaves the rest to the next event.
 */
#include "load.h"

#include <dlfcn.h>
#include <link.h>

#include "arch/arch.h"

uint32_t load_calls, load_seen;
__thread bool load_is_mine;

/**
 * load_look - report changed mappings to the session
 *
 * Context: any.
 */
void load_look(void)
{
	const uint32_t calls = __atomic_load_n(&load_calls, __ATOMIC_RELAXED);
	const bool is_whole = __atomic_load_n(&_r_debug.r_state, __ATOMIC_RELAXED) == RT_CONSISTENT;

	if (!ktrace_maps_changed())
		return;
	load_is_mine = false;
	if (is_whole)
		__atomic_store_n(&load_seen, calls, __ATOMIC_RELAXED);
}

#ifdef ARCH_CALL_AND_JUMP

/* Notes the call. Returns the function that ours replaces. */
static void *before(const char *name, void **real)
{
	if (!*real)
		*real = dlsym(RTLD_NEXT, name);
	load_is_mine = true;
	__atomic_add_fetch(&load_calls, 1, __ATOMIC_RELAXED);
	return *real;
}

void *load_before_dlopen(void)
{
	static void *real;

	return before("dlopen", &real);
}

void *load_before_dlclose(void)
{
	static void *real;

	return before("dlclose", &real);
}

#define NOTE_AND_JUMP(function) ARCH_CALL_AND_JUMP(function, load_before_##function)
NOTE_AND_JUMP(dlopen);
NOTE_AND_JUMP(dlclose);

#endif
