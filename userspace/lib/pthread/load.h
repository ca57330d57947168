/* SPDX-License-Identifier: LGPL-2.1 */
/* load.h - notice that the program has loaded or unloaded code */
#ifndef KTRACE_PTHREAD_LOAD_H
#define KTRACE_PTHREAD_LOAD_H

#include <stdbool.h>
#include <stdint.h>

/* A file that includes <ktrace/writer.h> has to choose before that when events are registered. */
#define KTRACE_REGISTER_LATER
#include <ktrace/writer.h>

/*
 * Calls of dlopen() and dlclose() so far, and their number at the last complete look; whether this
 * thread has made one since it last looked.
 */
extern uint32_t load_calls, load_seen;
extern __thread bool load_is_mine __attribute__((tls_model("initial-exec")));

void load_look(void);
void *load_before_dlopen(void);
void *load_before_dlclose(void);

/* Returns @caller; from then on the session knows the code at that address. */
static inline const void *load_caller(const void *caller)
{
	if (KTRACE_UNLIKELY(load_is_mine || __atomic_load_n(&load_calls, __ATOMIC_RELAXED) !=
			    __atomic_load_n(&load_seen, __ATOMIC_RELAXED)))
		load_look();
	return caller;
}

#endif
