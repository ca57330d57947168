// SPDX-License-Identifier: LGPL-2.1
/*
 * real.c - find the functions that ours replace; start
 *
 * The first call of any function starts the library: it may come from a constructor that runs
 * before ours. Signals are blocked meanwhile. There is only one thread yet, because every thread is
 * made by one of these functions.
 *
 * If the program contains a sanitizer, whose own functions come before ours, nothing is recorded:
 * the calls are passed on. libktrace uses some of the functions while it records: the addresses of
 * its code tell its calls from the program's.
 */
#include "real.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <gnu/libc-version.h>

#define KTRACE_REGISTER_LATER
#include <ktrace/writer.h>

#include "writer/system.h"

struct real real;
uintptr_t real_ktrace_begin, real_ktrace_end;

/* A function: its name, its version (NULL = the default one), its offset in struct real. */
struct symbol {
	const char *name;
	const char *version;
	size_t offset;
};

#define USUAL_VERSION "GLIBC_2.3.2"	/* the default of functions with two versions */

#ifdef ARCH_GLIBC_OLD
#define SYMBOL_BOTH(function) \
	{ #function, USUAL_VERSION, offsetof(struct real, function) }, \
	{ #function, ARCH_GLIBC_OLD, offsetof(struct real, function##_old) },
#else
#define SYMBOL_BOTH(function) SYMBOL_PAIR(function)
#endif
#define SYMBOL_PAIR(function) { #function, NULL, offsetof(struct real, function) },
#define SYMBOL_AFTER(function) SYMBOL_PAIR(function)
#define SYMBOL_TRY(function) SYMBOL_PAIR(function)
#define SYMBOL_HAND(function) SYMBOL_PAIR(function)
#define SYMBOL_LOCK(way) SYMBOL_PAIR
#define SYMBOL_UNLOCK(way) SYMBOL_PAIR

static const struct symbol symbols[] = {
#define CALL(how, type, function, ...) SYMBOL_##how(function)
#include "base/pthread_calls.h"
};

_Static_assert(OWN_EAGAIN == EAGAIN && OWN_EBUSY == EBUSY && OWN_EOWNERDEAD == EOWNERDEAD,
	       "as in <errno.h>");

uint32_t real_gettid(void)
{
	return system_gettid();
}

static void tell(const char *text)
{
	syscall(SYS_write, STDERR_FILENO, text, strlen(text));
}

/*
 * Finds the function that the program's call would reach without us: a function without a version
 * precedes all versions of the C library's, but a search by version does not find it.
 */
static void *find_function(const struct symbol *s)
{
	void *usual = dlsym(RTLD_NEXT, s->name);

	if (!s->version || usual != dlvsym(RTLD_NEXT, s->name, USUAL_VERSION))
		return usual;
	return dlvsym(RTLD_NEXT, s->name, s->version);
}

/* The code of a library: where its only segment with functions is. */
struct code {
	uintptr_t known;	/* the address of one of them */
	uintptr_t begin, end;
};

static int find_segment(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct code *c = arg;
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		if (ph->p_type != PT_LOAD ||
		    c->known - info->dlpi_addr - ph->p_vaddr >= ph->p_memsz)
			continue;
		c->begin = info->dlpi_addr + ph->p_vaddr;
		c->end = c->begin + ph->p_memsz;
		return 1;
	}
	return 0;
}

/* Not by dladdr(): it compares the address with all functions of the C library, 5 us each time. */
static struct code code_with(uintptr_t function)
{
	struct code c = { .known = function };

	dl_iterate_phdr(find_segment, &c);
	return c;
}

static bool is_in(const struct code *c, const void *function)
{
	return (uintptr_t)function - c->begin < c->end - c->begin;
}

static void find_functions(void)
{
	const struct code libc = code_with((uintptr_t)gnu_get_libc_version);
	const struct code ktrace = code_with((uintptr_t)ktrace_events_register);
	size_t i;
	void *p;

	real_ktrace_begin = ktrace.begin;
	real_ktrace_end = ktrace.end;
	real.is_libc = true;
	for (i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		const struct symbol *s = &symbols[i];

		p = find_function(s);
		/* libktrace's pthread_setname_np() does what the C library's does. */
		if (!is_in(&libc, p) && !is_in(&ktrace, p))
			real.is_libc = false;
		memcpy((char *)&real + s->offset, &p, sizeof(p));
	}
}

/*
 * Marks of sanitizers, NULL unless the program has one. The dynamic linker finds them when it loads
 * us: dlsym() allocates memory for a symbol it does not find, and this may be a call that the
 * program's own malloc() makes while it starts.
 */
#define SANITIZER(mark) extern char mark[] __attribute__((weak))
SANITIZER(__asan_init);
SANITIZER(__hwasan_init);
SANITIZER(__lsan_init);
SANITIZER(__msan_init);
SANITIZER(__tsan_init);

static bool has_sanitizer(void)
{
	return __asan_init || __hwasan_init || __lsan_init || __msan_init || __tsan_init;
}

/*
 * Registers the events once a session can be used. It cannot be found before the C library has
 * its environment, nor used while libktrace is still attaching by functions of another library that
 * call ours. Our constructor comes later.
 */
static void register_events(void)
{
	static bool is_told;

	if (is_told || !environ)
		return;
	is_told = has_sanitizer();
	if (is_told && secure_getenv("KTRACE_SESSION"))
		tell("libktrace-pthread: this program has a sanitizer, which must be loaded first: "
		     "its threads and locks are not recorded\n");
	else if (!is_told)
		ktrace_events_add(__start_ktrace_events, __stop_ktrace_events);
}

/**
 * real_start - find the functions, attach, register the events
 *
 * Context: the first call of any of the functions; later ones do nothing.
 */
void real_start(void)
{
	static bool has_functions;
	struct system_signals signals;
	int saved = errno;

	system_block_signals(&signals);
	if (!has_functions) {
		find_functions();
		has_functions = true;
	}
	register_events();
	system_restore_signals(&signals);
	errno = saved;
}

static __attribute__((constructor(101))) void start_at_load(void)
{
	real_start();
}
