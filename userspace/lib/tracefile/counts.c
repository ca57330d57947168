// SPDX-License-Identifier: LGPL-2.1
/*
 * counts.c - counts the records of a file by stream and type
 *
 * A block is counted by id first, so the table is asked once for each type of a block. Blocks may
 * be hostile: with too many streams and ids, counting ends, and the file goes without.
 */
#include "counts.h"

#include "ring/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ID_NR 65536u
#define SLOTS_MIN 256u

static __u64 order_of(const struct ktrace_count *c)
{
	return (__u64)c->stream << 32 | (__u64)c->id << 16 | c->flags;
}

static struct ktrace_count *find(struct ktrace_count *slots, size_t cap, __u64 order)
{
	size_t i = (size_t)(order * 0x9e3779b97f4a7c15ull >> 32) & (cap - 1);

	while (slots[i].records && order_of(&slots[i]) != order)
		i = (i + 1) & (cap - 1);
	return &slots[i];
}

/* Makes room for another slot. Return: false = no memory, or too many. */
static bool grow(struct counts *c)
{
	const size_t cap = c->cap ? 2 * c->cap : SLOTS_MIN;
	struct ktrace_count *slots;
	size_t i;

	if (c->nr < c->cap / 2)
		return true;
	if (c->nr >= KTRACE_COUNTS_SIZE_MAX / sizeof(*slots))
		return false;
	slots = calloc(cap, sizeof(*slots));
	if (!slots)
		return false;
	for (i = 0; i < c->cap; i++)
		if (c->slots[i].records)
			*find(slots, cap, order_of(&c->slots[i])) = c->slots[i];
	free(c->slots);
	c->slots = slots;
	c->cap = cap;
	return true;
}

static void add(struct counts *c, const struct ktrace_count *what)
{
	struct ktrace_count *slot;

	if (!grow(c)) {
		c->is_void = true;
		return;
	}
	slot = find(c->slots, c->cap, order_of(what));
	c->nr += !slot->records;
	*slot = (struct ktrace_count){
		.stream = what->stream, .id = what->id, .flags = what->flags,
		.records = slot->records + what->records,
	};
}

static void count_record(struct counts *c, __u32 stream, const struct ktrace_record *rec)
{
	struct ktrace_count one = { .stream = stream, .id = rec->id, .records = 1 };

	if (rec->tid_flags & (KTRACE_REC_FRAG_FIRST | KTRACE_REC_FRAG_NEXT)) {
		one.flags = KTRACE_COUNT_FRAGMENTS;
		add(c, &one);
	} else if (!c->now[rec->id]++) {
		c->met[c->met_nr++] = rec->id;
	}
}

/* Moves the numbers of the current block to the table. */
static void settle(struct counts *c, __u32 stream)
{
	struct ktrace_count sum = { .stream = stream };

	while (c->met_nr) {
		sum.id = c->met[--c->met_nr];
		sum.records = c->now[sum.id];
		c->now[sum.id] = 0;
		add(c, &sum);
	}
}

static bool begin(struct counts *c)
{
	if (!c->now)
		c->now = calloc(ID_NR, sizeof(*c->now));
	if (!c->met)
		c->met = malloc(ID_NR * sizeof(*c->met));
	return c->now && c->met;
}

void ktrace_counts_block(struct counts *c, __u32 stream, __u64 pos, const void *body, size_t size)
{
	struct kt_cursor cur = { .base = body, .end = (__u32)size };
	struct ktrace_block header;
	struct ktrace_record rec;
	const char *payload;

	if (c->is_void || !begin(c)) {
		c->is_void = true;
		return;
	}
	if (size >= sizeof(header)) {
		memcpy(&header, body, sizeof(header));
		if (header.magic == KTRACE_BLOCK_MAGIC && header.pos == pos)
			cur.off = sizeof(header);
	}
	while (kt_cursor_next(&cur, &rec, &payload) == KT_CURSOR_RECORD)
		count_record(c, stream, &rec);
	settle(c, stream);
}

static int compare(const void *x, const void *y)
{
	const __u64 a = order_of(x), b = order_of(y);

	return (a > b) - (a < b);
}

long ktrace_counts_sorted(const struct counts *c, struct ktrace_count **out)
{
	struct ktrace_count *list;
	size_t i, nr = 0;

	if (c->is_void)
		return -ENOENT;
	list = malloc((c->nr + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (i = 0; i < c->cap; i++)
		if (c->slots[i].records)
			list[nr++] = c->slots[i];
	qsort(list, nr, sizeof(*list), compare);
	*out = list;
	return (long)nr;
}

bool ktrace_counts_are_possible(const struct ktrace_count *list, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!list[i].records || (i && order_of(&list[i - 1]) >= order_of(&list[i])))
			return false;
	return true;
}

void ktrace_counts_free(struct counts *c)
{
	free(c->now);
	free(c->met);
	free(c->slots);
	*c = (struct counts){ .is_void = true };
}
