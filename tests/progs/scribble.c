// SPDX-License-Identifier: GPL-2.0
/*
 * scribble.c - a hostile program of a session
 *
 *   scribble SEED MS [random|ones|zero|plausible|edges|mixed]
 *
 * Attaches like any other through libktrace, then writes over everything of the session
 * that it can write to, for MS milliseconds, and mixes in real events. With /dev/ktrace
 * that is registry and rings; a session in shared memory is a file that it opens again, so
 * there it is all of it, control page and tails included.
 *
 *   random     numbers of all magnitudes, anywhere and at words that matter
 *   ones zero  those
 *   plausible  numbers that could be there: positions of other blocks, other owners
 *   edges      around the ends of blocks, rings and number ranges
 *   mixed      all of these in turn
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <linux/ktrace.h>
#include <ktrace/ktrace.h>

KTRACE_EVENT(scribble, item, ktrace_u64(seq));

/**
 * struct session - what there is to write to
 * @map:	the channel
 * @from:	first byte that can be written
 * @end:	behind the last
 * @c:		its geometry, copied before it was spoilt
 */
struct session {
	char *map;
	size_t from;
	size_t end;
	struct ktrace_control c;
};

static uint64_t state;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint64_t below(uint64_t n)
{
	return next_random() % n;
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Where libktrace has the session mapped, and the file's name. */
static char *find_map(char path[256])
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512], *at = NULL;
	uintptr_t from;

	while (f && !at && fgets(line, sizeof(line), f))
		if (sscanf(line, "%" SCNxPTR "-%*s %*s %*s %*s %*s %255s", &from, path) == 2 &&
		    (!strncmp(path, "/dev/shm/ktrace-", 16) || !strcmp(path, "/dev/ktrace")))
			at = (char *)from;
	if (f)
		fclose(f);
	return at;
}

/* A file can be mapped once more, with all rights. */
static void map_all(struct session *s, const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	char *map;

	if (fd < 0)
		return;
	map = mmap(NULL, s->end, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map != MAP_FAILED) {
		s->map = map;
		s->from = 0;
	}
	close(fd);
}

static int find_session(struct session *s)
{
	char path[256];

	s->map = find_map(path);
	if (!s->map)
		return -1;
	memcpy(&s->c, s->map, sizeof(s->c));
	s->from = s->c.registry_off;
	s->end = s->c.map_size;
	if (strcmp(path, "/dev/ktrace"))
		map_all(s, path);
	return 0;
}

static size_t ring_off(const struct session *s, uint32_t i)
{
	if (i < s->c.cpu_nr)
		return s->c.rings_off + i * s->c.ring_stride;
	return s->c.threads_off + (i - s->c.cpu_nr) * s->c.thread_stride;
}

/* A place where a number decides something: words of rings, registry, block headers. */
static size_t find_place(const struct session *s, uint64_t *size)
{
	uint32_t i = (uint32_t)below(s->c.ring_nr);
	size_t ring = ring_off(s, i);

	*size = i < s->c.cpu_nr ? s->c.ring_size : s->c.thread_size;
	switch (below(6)) {
	case 0:
	case 1:
		return ring + below(sizeof(struct ktrace_ring) / 8) * 8;
	case 2:
		return ring;		/* head */
	case 3:
		return ring + s->c.data_off + below(*size / s->c.block_size) * s->c.block_size +
		       below(sizeof(struct ktrace_block) / 8) * 8;
	case 4:
		return s->c.registry_off + below(sizeof(struct ktrace_registry) / 8) * 8;
	default:
		return s->c.registry_off + sizeof(struct ktrace_registry) + below(512) * 8;
	}
}

static uint64_t plausible(const struct session *s, uint64_t old, uint64_t size)
{
	switch (below(7)) {
	case 0:
		return old + s->c.block_size;
	case 1:
		return old + size;
	case 2:
		return old - s->c.block_size;
	case 3:
		return old + 8 * below(64);
	case 4:
		return (uint64_t)getppid();
	case 5:
		return KTRACE_ENTRY_READY | (below(512) & ~7ull);
	default:
		return KTRACE_ENTRY_BUSY | (below(512) & ~7ull);
	}
}

static uint64_t edge(const struct session *s, uint64_t old, uint64_t size)
{
	const uint64_t edges[] = {
		old | (s->c.block_size - 1), size, 1ull << 31, 1ull << 32, 1ull << 44,
		1ull << 47, 1ull << 63, ~0ull, KTRACE_ENTRY_SIZE_MASK, KTRACE_ENTRY_READY,
		s->c.registry_size, 0xffff, old,
	};

	return edges[below(sizeof(edges) / sizeof(edges[0]))] + 8 * below(5) - 16;
}

static const char *const modes[] = { "random", "ones", "zero", "plausible", "edges", "mixed" };
enum { RANDOM, ONES, ZERO, PLAUSIBLE, EDGES, MIXED, MODE_NR };

static uint64_t choose(const struct session *s, unsigned int mode, uint64_t old, uint64_t size)
{
	switch (mode) {
	case ONES:
		return ~0ull;
	case ZERO:
		return 0;
	case PLAUSIBLE:
		return plausible(s, old, size);
	case EDGES:
		return edge(s, old, size);
	default:
		return next_random() >> (next_random() & 63);
	}
}

static void scribble(const struct session *s, unsigned int mode)
{
	uint64_t size, value;
	size_t at = find_place(s, &size);

	if (mode == MIXED)
		mode = (unsigned int)below(MIXED);
	/* Anywhere at all, now and then. */
	if (mode == RANDOM && below(2))
		at = s->from + (below(s->end - s->from) & ~7ull);
	if (s->from < s->c.registry_off && !below(16))
		at = below(s->c.registry_off) & ~7ull;
	if (at < s->from || at > s->end - 8)
		return;
	memcpy(&value, s->map + at, sizeof(value));
	value = choose(s, mode, value, size);
	memcpy(s->map + at, &value, below(4) ? 8 : 4);
}

static unsigned int mode_of(const char *name)
{
	unsigned int i = 0;

	while (i < MODE_NR && strcmp(name, modes[i]))
		i++;
	return i;
}

int main(int argc, char **argv)
{
	unsigned int mode = argc == 4 ? mode_of(argv[3]) : MIXED;
	struct session s;
	uint64_t end, seq = 0;

	if (argc < 3 || argc > 4 || mode == MODE_NR)
		return 2;
	state = strtoull(argv[1], NULL, 10) * 2654435761u + 1;
	end = now_ms() + strtoull(argv[2], NULL, 10);
	if (find_session(&s)) {
		puts("no session");
		return 1;
	}
	while (now_ms() < end) {
		for (int i = 0; i < 64; i++)
			scribble(&s, mode);
		ktrace(scribble, item, seq++);
	}
	puts("scribbled");
	return 0;
}
