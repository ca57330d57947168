// SPDX-License-Identifier: GPL-2.0
/*
 * test_forged.c - a session whose shared memory a traced program writes to as it likes
 *
 * Shared memory gives every program of the session all rights to its file. The owner must
 * come through whatever is done to it.
 */
#undef NDEBUG
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../userspace/lib/session/internal.h"

static const struct ktrace_session_options options = {
	.size = sizeof(options),
	.backend = KTRACE_BACKEND_SHM,
	.policy = KTRACE_POLICY_DROP,
	.ring_size = 65536,
	.thread_size = 65536,
	.registry_size = 65536,
	.block_size = 4096,
	.thread_nr = 4,
	.timeout_ms = 1000,
};

static struct ktrace_session *make(void)
{
	struct ktrace_session *s;

	assert(!ktrace_session_create(&options, &s, NULL));
	return s;
}

/* All of the session as a hostile program has it. */
static char *map_of(const struct ktrace_session *s, int *fd)
{
	char *map;

	*fd = open(s->env + 4, O_RDWR);
	assert(*fd >= 0);
	map = mmap(NULL, s->user.map_size, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	assert(map != MAP_FAILED);
	return map;
}

/* A C library's mutex would have its list there and follow what it finds. */
static void test_forged_owner_word(void)
{
	struct ktrace_session *s = make();
	size_t size = s->user.map_size;
	int fd;
	char *map = map_of(s, &fd);

	/* __list of struct __pthread_mutex_s */
	memset(((struct ktrace_control *)map)->reserved2 + 5, 0x41, 16);
	ktrace_session_destroy(s);
	munmap(map, size);
	close(fd);
}

int main(void)
{
	test_forged_owner_word();
	puts("forged: all passed");
	return 0;
}
