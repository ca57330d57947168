// SPDX-License-Identifier: GPL-2.0
/*
 * stats.c - losses in the kernel's statistics of the CPUs of buffers
 *
 * Statistics of instances follow a line "Buffer: NAME", those of a CPU a line "CPU: N".
 */
#include "stats.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *key;
	size_t at;
} counts[] = {
	{ "overrun: ", offsetof(struct stats, overwritten) },
	{ "commit overrun: ", offsetof(struct stats, nested) },
	{ "dropped events: ", offsetof(struct stats, dropped) },
	{ "entries: ", offsetof(struct stats, left) },
	{ "read events: ", offsetof(struct stats, read) },
};

/* Returns what follows the key, NULL = the line has another key. */
static const char *value_of(const char *line, const char *key)
{
	const size_t n = strlen(key);

	return strncmp(line, key, n) ? NULL : line + n;
}

static void take_count(const char *line, struct stats *s)
{
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		const char *value = value_of(line, counts[i].key);
		const __u64 number = value ? strtoull(value, NULL, 10) : 0;

		if (value)
			memcpy((char *)s + counts[i].at, &number, sizeof(number));
	}
}

/* Returns the name of the buffer in a line, as the file's list has it; NULL = it has none. */
static const char *buffer_of(const struct file *f, const char *name)
{
	for (__u32 i = 0; i < f->buffer_nr; i++) {
		const size_t n = strlen(f->buffers[i].name);

		if (n && !strncmp(f->buffers[i].name, name, n) && (!name[n] || name[n] == '\n'))
			return f->buffers[i].name;
	}
	return NULL;
}

static int add(struct stats_list *list, const char *buffer, const char *cpu)
{
	struct stats *grown = list->all;

	/* Doubles the room at each power of two. */
	if (!(list->nr & (list->nr - 1)))
		grown = realloc(list->all, (list->nr ? list->nr * 2 : 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	list->all = grown;
	grown[list->nr++] = (struct stats){
		.buffer = buffer, .cpu = (__u32)strtoul(cpu, NULL, 10),
	};
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct stats *x = a, *y = b;
	const int order = strcmp(x->buffer, y->buffer);

	return order ? order : x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

/* Keeps one of several of the same CPU. */
static void sort(struct stats_list *list)
{
	size_t kept = 0;

	if (list->nr)
		qsort(list->all, list->nr, sizeof(*list->all), compare);
	for (size_t i = 0; i < list->nr; i++)
		if (!kept || compare(&list->all[i], &list->all[kept - 1]))
			list->all[kept++] = list->all[i];
	list->nr = kept;
}

int stats_read(struct stats_list *list, const struct file *f)
{
	const char *buffer = "", *line = f->stats;
	bool is_cpu = false;
	int ret = 0;

	*list = (struct stats_list){ 0 };
	for (; line && *line && !ret; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *name = value_of(line, "Buffer: "), *cpu = value_of(line, "CPU: ");

		if (name)
			buffer = buffer_of(f, name);
		if (name || cpu)
			is_cpu = cpu && buffer;
		if (cpu && buffer)
			ret = add(list, buffer, cpu);
		else if (is_cpu)
			take_count(line, &list->all[list->nr - 1]);
	}
	sort(list);
	return ret;
}

struct stats *stats_find(const struct stats_list *list, const char *buffer, __u32 cpu)
{
	const struct stats key = { .buffer = buffer, .cpu = cpu };

	return list->nr ? bsearch(&key, list->all, list->nr, sizeof(key), compare) : NULL;
}

void stats_free(struct stats_list *list)
{
	free(list->all);
}
