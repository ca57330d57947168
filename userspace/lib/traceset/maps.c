// SPDX-License-Identifier: LGPL-2.1
/*
 * maps.c - which code processes had where, and when
 *
 * Facts come in any order, and the same ones may come again. Of those about an address, the
 * latest that is not behind the time in question holds; none before the process began, but
 * where it is a fork: then what its parent had.
 */
#include "trace.h"
#include "tracefile/grow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A process whose ancestors are more than so many forks away has no code that is known. */
#define FORKS_MAX 1000

static void free_texts(struct map_fact *fact)
{
	free((char *)fact->map.path);
	free((char *)fact->map.build);
}

/* Keeps copies of @path and @build, which may be NULL, in @fact. Return: 0, -ENOMEM. */
int ktrace_maps_text(struct map_fact *fact, const char *path, const char *build)
{
	fact->map.path = path ? strdup(path) : NULL;
	fact->map.build = build ? strdup(build) : NULL;
	if ((!path || fact->map.path) && (!build || fact->map.build))
		return 0;
	free_texts(fact);
	return -ENOMEM;
}

/* Takes @fact with its texts, also when it fails. Return: 0, -ENOMEM. */
int ktrace_maps_add(struct maps *m, const struct map_fact *fact)
{
	struct map_fact copy = *fact, *facts;

	facts = ktrace_grow(m->facts, m->nr, &m->cap, sizeof(*facts));
	if (!facts) {
		free_texts(&copy);
		return -ENOMEM;
	}
	m->facts = facts;
	copy.nr = m->nr;
	m->facts[m->nr++] = copy;
	m->is_ordered = false;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct map_fact *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->raw != y->raw)
		return x->raw < y->raw ? -1 : 1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

/* Number of facts about processes before @pid, or about it and not behind @raw. */
static size_t facts_until(const struct maps *m, __u32 pid, __u64 raw)
{
	size_t low = 0, high = m->nr, middle;

	while (low < high) {
		const struct map_fact *f = &m->facts[middle = low + (high - low) / 2];

		if (f->pid < pid || (f->pid == pid && f->raw <= raw))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* struct walk - what is known of a process's code, the latest first; @forks: parents so far */
struct walk {
	const struct maps *maps;
	__u32 pid;
	size_t left;
	int forks;
};

static struct walk begin(struct maps *m, __u32 pid, __u64 raw)
{
	if (!m->is_ordered && m->nr)
		qsort(m->facts, m->nr, sizeof(*m->facts), compare);
	m->is_ordered = true;
	return (struct walk){ m, pid, facts_until(m, pid, raw), 0 };
}

static const struct map_fact *next(struct walk *w)
{
	const struct map_fact *f;

	while (w->left && w->maps->facts[w->left - 1].pid == w->pid) {
		f = &w->maps->facts[--w->left];
		if (f->kind == MAP_CODE)
			return f;
		if (f->kind == MAP_OWN || w->forks++ == FORKS_MAX)
			return NULL;
		w->pid = f->parent;
		w->left = facts_until(w->maps, w->pid, f->raw);
	}
	return NULL;
}

const struct ktrace_map *ktrace_maps_find(struct maps *m, __u32 pid, __u64 raw, __u64 address)
{
	struct walk w = begin(m, pid, raw);
	const struct map_fact *f;

	while ((f = next(&w)))
		if (address >= f->map.start && address < f->map.end)
			return f->map.path ? &f->map : NULL;
	return NULL;
}

const struct ktrace_map *ktrace_maps_find_below(struct maps *m, __u32 pid, __u64 raw,
						__u64 address)
{
	struct walk w = begin(m, pid, raw);
	const struct ktrace_map *best = NULL;
	const struct map_fact *f;

	while ((f = next(&w)))
		if (f->map.start <= address && (!best || f->map.start > best->start) &&
		    ktrace_maps_find(m, pid, raw, f->map.start) == &f->map)
			best = &f->map;
	return best;
}

void ktrace_maps_free(struct maps *m)
{
	size_t i;

	for (i = 0; i < m->nr; i++)
		free_texts(&m->facts[i]);
	free(m->facts);
}

const struct ktrace_map *ktrace_trace_map(const struct ktrace_trace *trace, __u32 pid, __u64 raw,
					  __u64 address)
{
	struct trace *t = (struct trace *)trace;

	return ktrace_maps_find(&t->maps, pid, raw, address);
}

const struct ktrace_map *ktrace_trace_map_below(const struct ktrace_trace *trace, __u32 pid,
						__u64 raw, __u64 address)
{
	struct trace *t = (struct trace *)trace;

	return ktrace_maps_find_below(&t->maps, pid, raw, address);
}
