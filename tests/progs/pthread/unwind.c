// SPDX-License-Identifier: GPL-2.0
/*
 * unwind.c - threads that lock and unlock all the time are cancelled asynchronously
 *
 * Wherever they are, the stack is unwound through whatever stands between their calls and the C
 * library's: the clean-up of a function further out is done. It is one of the compiler's, as
 * destructors of C++ are; the function is called by a pointer, as the compiler must not know
 * that it throws nothing.
 */
#include "common.h"

#define THREADS 30
#define TURNS 3000

static pthread_spinlock_t spin;
static unsigned int turns, cleaned;

static void clean_up(const int *unused)
{
	(void)unused;
	__atomic_add_fetch(&cleaned, 1, __ATOMIC_RELAXED);
}

/* Should nobody come for a while, it goes on without. */
static void lock_and_unlock(void)
{
	for (;;) {
		if (__atomic_load_n(&turns, __ATOMIC_RELAXED) == TURNS)
			continue;
		pthread_spin_lock(&spin);
		pthread_spin_unlock(&spin);
		__atomic_add_fetch(&turns, 1, __ATOMIC_RELAXED);
	}
}

static void *routine(void *arg)
{
	__attribute__((cleanup(clean_up))) int unused = 0;
	void (*volatile work)(void) = lock_and_unlock;

	/* All functions are found, the thread is known: neither bears being cancelled. */
	pthread_spin_lock(&spin);
	pthread_spin_unlock(&spin);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	work();
	return arg;
}

int main(void)
{
	pthread_t thread;

	for (unsigned int i = 0; i < THREADS; i++) {
		pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
		turns = 0;
		if (pthread_create(&thread, NULL, routine, NULL))
			return 1;
		while (__atomic_load_n(&turns, __ATOMIC_RELAXED) < 10 * i + 1)
			sched_yield();
		pthread_cancel(thread);
		pthread_join(thread, NULL);
	}
	printf("%u threads, %u cleaned up\n", THREADS, cleaned);
	return cleaned != THREADS;
}
