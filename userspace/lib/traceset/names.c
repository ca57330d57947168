// SPDX-License-Identifier: LGPL-2.1
/*
 * names.c - thread names by thread and time
 *
 * A fact holds from its stamp until the next one; before the first fact, the first one holds as
 * well. A fact inherits unknown members from the one before. Facts may come in any order and more
 * than once, because events are read again after a seek.
 */
#include "names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/search.h"

/* Limit of names of one thread that may come in any order: each moves the later ones. */
#define NAMES_MAX 16384u

static size_t slot_of(const struct names *n, __u32 tid)
{
	size_t i = (tid * 0x9e3779b97f4a7c15ull >> 32) & (n->slot_nr - 1);

	while (n->slots[i].nr && n->slots[i].tid != tid)
		i = (i + 1) & (n->slot_nr - 1);
	return i;
}

static int grow_table(struct names *n)
{
	struct names bigger = { .slot_nr = n->slot_nr ? 2 * n->slot_nr : 256, .used = n->used };
	size_t i;

	bigger.slots = calloc(bigger.slot_nr, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	for (i = 0; i < n->slot_nr; i++)
		if (n->slots[i].nr)
			bigger.slots[slot_of(&bigger, n->slots[i].tid)] = n->slots[i];
	free(n->slots);
	*n = bigger;
	return 0;
}

/* Returns the number of facts at or before @raw. */
static __u32 facts_until(const struct thread *t, __u64 raw)
{
	return PARTITION_POINT(t->nr, i, t->names[i].raw <= raw);
}

/*
 * Takes unknown members from @before, also those inherited earlier: a fact in between may come
 * later.
 */
static void inherit(struct name *name, const struct name *before)
{
	name->inherited |= (name->pid ? 0 : NAME_PID) | (name->begin ? 0 : NAME_BEGIN) |
			   (name->comm[0] ? 0 : NAME_COMM);
	if (name->inherited & NAME_PID)
		name->pid = before->pid;
	if (name->inherited & NAME_BEGIN)
		name->begin = before->begin;
	if (name->inherited & NAME_COMM)
		memcpy(name->comm, before->comm, NAME_SIZE);
}

/* Passes fact @i on to later facts that were known before it: they inherit from it. */
static void bequeath(struct thread *t, __u32 i)
{
	struct name before;

	for (i++; i < t->nr; i++) {
		before = t->names[i];
		inherit(&t->names[i], &t->names[i - 1]);
		if (!memcmp(&before, &t->names[i], sizeof(before)))
			return;
	}
}

/* Remembers a fact about @tid. Returns 0; -E2BIG more than NAMES_MAX, not in order; -ENOMEM. */
int ktrace_names_add(struct names *n, __u32 tid, const struct name *name)
{
	struct name fact = *name;
	struct thread *t;
	__u32 i;
	int ret;

	if (2 * n->used >= n->slot_nr) {
		ret = grow_table(n);
		if (ret)
			return ret;
	}
	t = &n->slots[slot_of(n, tid)];
	i = facts_until(t, name->raw);
	if (i) {
		inherit(&fact, &t->names[i - 1]);
		if (fact.pid == t->names[i - 1].pid && fact.begin == t->names[i - 1].begin &&
		    !strcmp(fact.comm, t->names[i - 1].comm))
			return 0;
		if (t->names[i - 1].raw == name->raw) {
			fact.inherited &= t->names[i - 1].inherited;
			t->names[i - 1] = fact;
			bequeath(t, i - 1);
			return 0;
		}
	}
	if (t->nr >= NAMES_MAX && i < t->nr)
		return -E2BIG;
	if (!LIST_GROW(t->names, t->nr, t->cap))
		return -ENOMEM;
	memmove(&t->names[i + 1], &t->names[i], (t->nr - i) * sizeof(fact));
	t->names[i] = fact;
	n->used += !t->nr++;
	t->tid = tid;
	bequeath(t, i);
	return 0;
}

/* Returns what is known about @tid at @raw, NULL = nothing. */
const struct name *ktrace_names_find(const struct names *n, __u32 tid, __u64 raw)
{
	const struct thread *t;
	__u32 i;

	if (!n->slot_nr)
		return NULL;
	t = &n->slots[slot_of(n, tid)];
	if (!t->nr)
		return NULL;
	i = facts_until(t, raw);
	return &t->names[i ? i - 1 : 0];
}

/* Returns the stamp of the first fact about @tid after @raw, ~0 = none. */
__u64 ktrace_names_until(const struct names *n, __u32 tid, __u64 raw)
{
	const struct thread *t;
	__u32 i;

	if (!n->slot_nr)
		return ~0ull;
	t = &n->slots[slot_of(n, tid)];
	i = facts_until(t, raw);
	return i < t->nr ? t->names[i].raw : ~0ull;
}

void ktrace_names_free(struct names *n)
{
	size_t i;

	for (i = 0; i < n->slot_nr; i++)
		free(n->slots[i].names);
	free(n->slots);
}
