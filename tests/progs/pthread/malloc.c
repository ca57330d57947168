// SPDX-License-Identifier: GPL-2.0
/*
 * malloc.c - a program with a malloc() of its own that begins with calls of pthread functions, as
 * those of browsers do, before all constructors. Nobody may allocate memory while it begins: it
 * says so, and fails.
 */
#include "common.h"

static char memory[1 << 22] __attribute__((aligned(16)));
static volatile size_t used;
static pthread_key_t key;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int is_beginning;
static void *volatile first_memory;

static void begin(void)
{
	static const char text[] = "malloc is called by what it calls\n";

	if (is_beginning) {
		if (write(STDOUT_FILENO, text, sizeof(text) - 1) < 0)
			_exit(2);
		_exit(1);
	}
	is_beginning = 1;
	pthread_key_create(&key, NULL);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	is_beginning = 0;
}

void *malloc(size_t size)
{
	size_t at;

	if (!__atomic_load_n(&used, __ATOMIC_RELAXED))
		begin();
	at = __atomic_fetch_add(&used, (size + 31) & ~(size_t)15, __ATOMIC_RELAXED);
	if (size > sizeof(memory) || at > sizeof(memory) - size - 16)
		return NULL;
	*(size_t *)(memory + at) = size;
	return memory + at + 16;
}

void free(void *p)
{
	(void)p;
}

void *calloc(size_t nr, size_t size)
{
	/* Never used before */
	return malloc(nr * size);
}

void *realloc(void *p, size_t size)
{
	void *new = malloc(size);
	size_t old = p ? ((size_t *)p)[-2] : 0;

	if (new && p)
		memcpy(new, p, old < size ? old : size);
	return new;
}

/* What is in this section is called first of all. The C library finds the environment later. */
static void allocate(int argc, char **argv, char **env)
{
	(void)argc;
	(void)argv;
	environ = env;
	first_memory = malloc(1);
}
static void (*first)(int argc, char **argv, char **env)
	__attribute__((section(".preinit_array"), used)) = allocate;

static void *work(void *arg)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return arg;
}

int main(void)
{
	pthread_t thread;

	SAY(pthread_create(&thread, NULL, work, NULL));
	SAY(pthread_join(thread, NULL));
	return 0;
}
