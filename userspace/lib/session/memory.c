// SPDX-License-Identifier: LGPL-2.1
/*
 * memory.c - how much memory can be allocated without waking the OOM killer
 *
 * That is the minimum of what the machine has left and what the control groups of this process, and
 * those above them, allow. Memory that only caches files, including their names, counts as free.
 */
#include "internal.h"

#include <stdio.h>
#include <string.h>

#define GROUPS "/sys/fs/cgroup"
/* Left for the other needs of this process */
#define RESERVE (2u << 20)

/* struct version - the files and keys of one version of control groups; @keys: of memory.stat */
struct version {
	const char *controllers;	/* in /proc/self/cgroup */
	const char *folder;
	const char *limit;
	const char *usage;
	const char *keys[3];
};

static const struct version versions[] = {
	{ "memory", GROUPS "/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
	  { "total_inactive_file", "total_active_file" } },
	{ "", GROUPS, "memory.max", "memory.current",
	  { "inactive_file", "active_file", "slab_reclaimable" } },
	{ "", GROUPS "/unified", "memory.max", "memory.current",
	  { "inactive_file", "active_file", "slab_reclaimable" } },
};

#define VERSIONS (sizeof(versions) / sizeof(versions[0]))

/* Returns the number after @key in a file, with an empty key the first number; ~0: none. */
static __u64 number_in(const char *folder, const char *name, const char *key)
{
	const size_t len = strlen(key);
	unsigned long long value = ~0ull;
	char path[4352], line[256];
	FILE *f;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder, name) >= sizeof(path))
		return ~0ull;
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, len) && sscanf(line + len, " %llu", &value) == 1)
			break;
	if (f)
		fclose(f);
	return value;
}

/* Returns the memory that a group leaves; ~0: unknown or unlimited */
static __u64 room_in(const char *folder, const struct version *v)
{
	__u64 limit = number_in(folder, v->limit, ""), used = number_in(folder, v->usage, ""), n;

	if (limit == ~0ull || used == ~0ull)
		return ~0ull;
	for (size_t i = 0; i < sizeof(v->keys) / sizeof(v->keys[0]) && v->keys[i]; i++) {
		n = number_in(folder, "memory.stat", v->keys[i]);
		used -= n > used ? 0 : n;
	}
	return limit > used ? limit - used : 0;
}

/* Returns the minimum that the group at @path and those above it leave */
static __u64 room_below(const char *path, const struct version *v)
{
	__u64 least = ~0ull, room;
	char folder[4096];
	size_t root = strlen(v->folder);
	char *end;

	if ((size_t)snprintf(folder, sizeof(folder), "%s%s", v->folder, path) >= sizeof(folder))
		return ~0ull;
	do {
		room = room_in(folder, v);
		least = room < least ? room : least;
		end = strrchr(folder, '/');
		*end = '\0';
	} while ((size_t)(end - folder) >= root);
	return least;
}

/* Returns the same for a line "number:controllers:path" of /proc/self/cgroup */
static __u64 room_for(char *line, const struct version *v)
{
	const char *controllers = strchr(line, ':'), *path;

	path = controllers ? strchr(++controllers, ':') : NULL;
	if (!path || (size_t)(path - controllers) != strlen(v->controllers) ||
	    strncmp(controllers, v->controllers, strlen(v->controllers)))
		return ~0ull;
	line[strcspn(line, "\n")] = '\0';
	return room_below(path + 1, v);
}

__u64 ktrace_memory_available(void)
{
	const __u64 kib = number_in("/proc", "meminfo", "MemAvailable:");
	__u64 least = kib < ~0ull / 1024 ? kib * 1024 : ~0ull, room;
	FILE *f = fopen("/proc/self/cgroup", "re");
	char line[4096];

	while (f && fgets(line, sizeof(line), f))
		for (size_t i = 0; i < VERSIONS; i++) {
			room = room_for(line, &versions[i]);
			least = room < least ? room : least;
		}
	if (f)
		fclose(f);
	return least == ~0ull ? least : least > RESERVE ? least - RESERVE : 0;
}
