/* SPDX-License-Identifier: GPL-2.0 */
/* painted.h - how much stack a function takes, seen by what it leaves on a painted signal stack */
#ifndef KTRACE_TESTS_PAINTED_H
#define KTRACE_TESTS_PAINTED_H

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "../arch/arch.h"

/* Volatile: <signal.h> says that raise() does not come back to this file. */
#define PAINT 0xa5
#define PAINTED_SIZE 65536
#define STACK_MAX (1024 + ARCH_STACK_MORE)
#define STACK_FIELD 40	/* of a field, where fields have no fixed size: pieces and values */

static volatile unsigned char painted_stack[PAINTED_SIZE] __attribute__((aligned(64)));
static void (*volatile painted_function)(void);
static volatile uintptr_t painted_top;
static size_t painted_max;
static int painted_status;

static __attribute__((noinline)) void painted_handler(int sig)
{
	(void)sig;
	painted_top = (uintptr_t)__builtin_frame_address(0);
	__asm__ volatile("" ::: "memory");
	painted_function();
}

static __attribute__((noinline)) void painted_nothing(void)
{
	__asm__ volatile("");
}

static inline size_t painted_raw(void (*f)(void))
{
	void *const begin = (void *)(uintptr_t)painted_stack;
	const stack_t stack = { .ss_sp = begin, .ss_size = PAINTED_SIZE };
	const stack_t none = { .ss_flags = SS_DISABLE };
	struct sigaction action = { .sa_handler = painted_handler, .sa_flags = SA_ONSTACK };
	size_t i = 0;

	memset(begin, PAINT, PAINTED_SIZE);
	__asm__ volatile("" ::: "memory");
	painted_function = f;
	sigaction(SIGUSR1, &action, NULL);
	sigaltstack(&stack, NULL);
	raise(SIGUSR1);
	sigaltstack(&none, NULL);
	while (i < PAINTED_SIZE && painted_stack[i] == PAINT)
		i++;
	return painted_top - (uintptr_t)(painted_stack + i);
}

/* Bytes of stack that @f takes in a signal handler, but for those that calling it takes. */
static inline size_t painted(void (*f)(void))
{
	const size_t used = painted_raw(f);

	return used - painted_raw(painted_nothing);
}

/* In a thread: its first event, then many, so that blocks of the buffer end meanwhile. */
static inline void *painted_thread(void *f)
{
	void (*function)(void) = (void (*)(void))(uintptr_t)f;
	size_t used = 0, n;

	printf(" first %zu", used = painted(function));
	for (int i = 0; i < 3000; i++) {
		n = painted(function);
		used = n > used ? n : used;
	}
	printf(" most %zu\n", used);
	if (used > painted_max)
		painted_status = 1;
	return NULL;
}

/* Prints what @f takes; painted_status becomes 1 if that is more than @max. */
static inline void painted_show(const char *name, void (*f)(void), size_t max)
{
	pthread_t thread;

	painted_max = max;
	printf("%s", name);
	if (pthread_create(&thread, NULL, painted_thread, (void *)(uintptr_t)f))
		painted_status = 2;
	else
		pthread_join(thread, NULL);
	fflush(stdout);
}

#endif
