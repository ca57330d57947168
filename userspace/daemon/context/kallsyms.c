// SPDX-License-Identifier: GPL-2.0
/*
 * kallsyms.c - finds functions of the kernel by their addresses
 *
 * There are more than 100,000 of them, but a trace needs only some hundred: each is written
 * when it is first met. A function ends where the next symbol begins.
 */
#include "kallsyms.h"

#include "base/grow.h"
#include "base/search.h"
#include "kimages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An address further than this after a symbol belongs to code that was loaded later. */
#define SIZE_MAX_OF_ONE (1ull << 20)

/* struct symbol - @name is "function" or "function [module]" */
struct symbol {
	__u64 address;
	char *name;
	bool is_told;
};

struct kallsyms {
	struct symbol *list;
	size_t nr;
	size_t cap;
	struct kimages images;
};

static int compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static int add(struct kallsyms *k, __u64 address, const char *name)
{
	if (!LIST_GROW(k->list, k->nr, k->cap))
		return -ENOMEM;
	k->list[k->nr] = (struct symbol){ .address = address, .name = strdup(name) };
	if (!k->list[k->nr].name)
		return -ENOMEM;
	k->nr++;
	return 0;
}

/* Parses "ffffffff81000000 T startup_64\n", or with "\t[module]\n" after the name; ignores data. */
static int add_line(struct kallsyms *k, char *line)
{
	char *at, *tab;
	__u64 address = strtoull(line, &at, 16);

	if (at == line || *at != ' ' || !strchr("tTwW", at[1]) || at[2] != ' ' || !address)
		return 0;
	at += 3;
	at[strcspn(at, "\n")] = '\0';
	tab = strchr(at, '\t');
	if (tab)
		*tab = ' ';
	return add(k, address, at);
}

static int read_all(struct kallsyms *k)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char *line = NULL;
	size_t size = 0;
	int error = 0;

	if (!f)
		return -errno;
	while (!error && getline(&line, &size, f) > 0)
		error = add_line(k, line);
	free(line);
	fclose(f);
	qsort(k->list, k->nr, sizeof(*k->list), compare);
	return error ? error : k->nr ? 0 : -EPERM;
}

int kallsyms_read(struct kallsyms **out)
{
	struct kallsyms *k = calloc(1, sizeof(*k));
	int error = k ? read_all(k) : -ENOMEM;

	*out = k;
	if (error) {
		kallsyms_free(k);
		*out = NULL;
	}
	return error;
}

void kallsyms_free(struct kallsyms *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->nr; i++)
		free(k->list[i].name);
	free(k->list);
	kimages_free(&k->images);
	free(k);
}

/* Returns the index of the last symbol at or before @address (the first of equals), nr if none. */
static size_t find(const struct kallsyms *k, __u64 address)
{
	size_t low = PARTITION_POINT(k->nr, i, k->list[i].address <= address);

	if (!low)
		return k->nr;
	for (low--; low && k->list[low - 1].address == k->list[low].address;)
		low--;
	return low;
}

static __u64 end_of(const struct kallsyms *k, size_t i)
{
	const __u64 start = k->list[i].address;

	while (i < k->nr && k->list[i].address == start)
		i++;
	return i < k->nr && k->list[i].address - start < SIZE_MAX_OF_ONE ? k->list[i].address
		: start + SIZE_MAX_OF_ONE;
}

void kallsyms_tell(struct kallsyms *k, struct ktrace_text *meta, __u64 address)
{
	size_t i = k ? find(k, address) : 0;
	__u64 end;

	if (!k || i == k->nr || k->list[i].is_told)
		return;
	end = end_of(k, i);
	if (address >= end)
		return;
	k->list[i].is_told = true;
	kimages_tell(&k->images, meta, k->list[i].name);
	ktrace_text_line(meta, "symbol");
	ktrace_text_u64(meta, "start", k->list[i].address);
	ktrace_text_u64(meta, "end", end);
	ktrace_text_str(meta, "name", k->list[i].name);
}
