/* SPDX-License-Identifier: LGPL-2.1 */
/* load.h - notice that the program has loaded or unloaded code */
#ifndef KTRACE_PTHREAD_LOAD_H
#define KTRACE_PTHREAD_LOAD_H

#include <stdbool.h>
#include <stdint.h>

/* A file that includes <ktrace/writer.h> decides first when events are registered. */
#define KTRACE_REGISTER_LATER
#include <ktrace/writer.h>

/*
 * Calls of dlopen() and dlclose() so far, and how many of them had been when somebody last
 * looked; whether this thread has made one since it last did.
 */
extern uint32_t load_calls, load_seen;
extern __thread bool load_is_mine __attribute__((tls_model("initial-exec")));

void load_look(void);
void *load_before_dlopen(void);
void *load_before_dlclose(void);

/* @caller, about which the session knows then what code it is in */
static inline const void *load_caller(const void *caller)
{
	if (KTRACE_UNLIKELY(load_is_mine || __atomic_load_n(&load_calls, __ATOMIC_RELAXED) !=
			    __atomic_load_n(&load_seen, __ATOMIC_RELAXED)))
		load_look();
	return caller;
}

#endif
