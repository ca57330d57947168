// SPDX-License-Identifier: GPL-2.0
/*
 * test_own.c - addresses of a recording that a process has left
 *
 * What broke: they were unmapped, and a thread that had not recorded there, but was stopped between
 * the two instructions by which an event reads its byte, would have killed the program.
 */
#include <assert.h>
#include <stdio.h>
#include <sys/mman.h>

#include "../../userspace/lib/writer/own.h"

#define SIZE (1u << 16)
#define ENABLE_OFF 1024

/* Takes part in a recording with @size bytes of memory, and leaves it; returns its addresses. */
static char *take_part(size_t size)
{
	struct channel *ch = own_alloc();
	char *map;

	assert(ch);
	map = mmap(ch->map_size >= size ? ch->map : NULL, size, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_ANONYMOUS | (ch->map_size >= size ? MAP_FIXED : 0), -1, 0);
	assert(map != MAP_FAILED);
	if (ch->map_size < size)
		ch->map_size = size;
	ch->map = map;
	map[ENABLE_OFF] = 1;
	own_publish(ch);
	own_leave(ch);
	return map;
}

int main(void)
{
	char *first = take_part(SIZE), *second;

	assert(!*(volatile char *)(first + ENABLE_OFF));
	assert(take_part(SIZE) == first);
	second = take_part(2 * SIZE);
	assert(second != first);
	assert(!*(volatile char *)(first + ENABLE_OFF) && !*(volatile char *)(second + ENABLE_OFF));
	assert(take_part(SIZE) == second);
	puts("ok");
	return 0;
}
