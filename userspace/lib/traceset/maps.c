// SPDX-License-Identifier: LGPL-2.1
/*
 * maps.c - which code processes had where, and when
 *
 * Facts come in any order, and may be repeated. Of the facts about an address, the latest that is
 * not after the requested time holds. Facts from before the process began do not count, except that
 * a forked process starts with its parent's.
 *
 * So each fact makes a version of what its process has, from the version before it, or from its
 * parent's. A version is a tree over all addresses where code begins or ends, in order; it shares
 * unchanged parts with other versions, so building and querying one takes a number of steps
 * logarithmic in the number of addresses.
 */
#include "base/grow.h"
#include "base/search.h"
#include "trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A tree for a range of places: a node, or with this bit the same fact for all, 0 = nothing */
#define SAME 0x80000000u

/* struct range - places, as numbers; a place stands for the addresses up to the next one */
struct range {
	size_t begin;
	size_t end;
};

static void free_texts(struct map_fact *fact)
{
	free((char *)fact->map.path);
	free((char *)fact->map.build);
}

/* Keeps copies of @path and @build, which may be NULL, in @fact. Returns 0, -ENOMEM. */
int ktrace_maps_text(struct map_fact *fact, const char *path, const char *build)
{
	fact->map.path = path ? strdup(path) : NULL;
	fact->map.build = build ? strdup(build) : NULL;
	if ((!path || fact->map.path) && (!build || fact->map.build))
		return 0;
	free_texts(fact);
	return -ENOMEM;
}

/* Takes over @fact with its texts, also on failure. Returns 0, -ENOMEM. */
int ktrace_maps_add(struct maps *m, const struct map_fact *fact)
{
	struct map_fact copy = *fact;

	if (m->nr >= SAME - 1 || !LIST_GROW(m->facts, m->nr, m->cap)) {
		free_texts(&copy);
		return -ENOMEM;
	}
	copy.nr = m->nr;
	m->facts[m->nr++] = copy;
	m->is_ordered = false;
	return 0;
}

static int compare_times(const struct map_fact *x, const struct map_fact *y)
{
	if (x->raw != y->raw)
		return x->raw < y->raw ? -1 : 1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

static int by_process(const void *a, const void *b)
{
	const struct map_fact *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return compare_times(x, y);
}

static int by_time(const void *a, const void *b)
{
	return compare_times(*(struct map_fact *const *)a, *(struct map_fact *const *)b);
}

static int by_place(const void *a, const void *b)
{
	const __u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return x < y ? -1 : x > y;
}

static size_t places_until(const struct maps *m, __u64 address)
{
	return PARTITION_POINT(m->place_nr, i, m->places[i] <= address);
}

/* Returns what @pid had at @raw; @nr: up to which fact, if there are several at that time */
static __u32 version_at(const struct maps *m, __u32 pid, __u64 raw, __u64 nr)
{
	const struct map_fact key = { .pid = pid, .raw = raw, .nr = nr };
	const size_t i = PARTITION_POINT(m->nr, at, by_process(&m->facts[at], &key) <= 0);

	return i && m->facts[i - 1].pid == pid ? m->facts[i - 1].version : SAME;
}

static __u32 half_of(const struct maps *m, __u32 tree, int half)
{
	return tree & SAME ? tree : m->nodes[tree].half[half];
}

static const struct ktrace_map *map_of(const struct maps *m, __u32 tree)
{
	return tree == SAME ? NULL : &m->facts[(tree & ~SAME) - 1].map;
}

/*
 * True if code of a file begins in the range at place @begin. The rest of removed code does not
 * count.
 */
static bool has_begin(const struct maps *m, __u32 tree, size_t begin)
{
	const struct ktrace_map *map;

	if (!(tree & SAME))
		return m->nodes[tree].has_begin;
	map = map_of(m, tree);
	return map && map->path && map->start == m->places[begin];
}

static size_t middle_of(struct range at)
{
	return at.begin + (at.end - at.begin) / 2;
}

/*
 * Returns @tree of @at with everything in @to changed to @same; meaningless once @m->error is set.
 */
static __u32 change(struct maps *m, __u32 tree, struct range at, struct range to, __u32 same)
{
	const size_t middle = middle_of(at);
	struct map_node node;

	if (to.end <= at.begin || at.end <= to.begin)
		return tree;
	if (to.begin <= at.begin && at.end <= to.end)
		return same;
	node.half[0] = change(m, half_of(m, tree, 0), (struct range){ at.begin, middle }, to, same);
	node.half[1] = change(m, half_of(m, tree, 1), (struct range){ middle, at.end }, to, same);
	node.has_begin = has_begin(m, node.half[0], at.begin) || has_begin(m, node.half[1], middle);
	if (m->node_nr >= SAME || !LIST_GROW(m->nodes, m->node_nr, m->node_cap)) {
		m->error = -ENOMEM;
		return SAME;
	}
	m->nodes[m->node_nr] = node;
	return (__u32)m->node_nr++;
}

/* Sets what the process of @f has from then on, starting with what it, or its parent, had before */
static void make_version(struct maps *m, struct map_fact *f)
{
	const bool is_first = f == m->facts || f[-1].pid != f->pid;
	struct range to;

	f->version = is_first || f->kind == MAP_OWN ? SAME : f[-1].version;
	if (f->kind == MAP_PARENT)
		f->version = version_at(m, f->parent, f->raw, f->nr);
	if (f->kind != MAP_CODE)
		return;
	to.begin = places_until(m, f->map.start) - 1;
	to.end = places_until(m, f->map.end) - 1;
	f->version = change(m, f->version, (struct range){ 0, m->place_nr - 1 }, to,
			    SAME | (__u32)(f - m->facts + 1));
}

static void find_places(struct maps *m)
{
	size_t i, nr = 0;

	for (i = 0; i < m->nr; i++) {
		m->places[nr++] = m->facts[i].map.start;
		m->places[nr++] = m->facts[i].map.end;
	}
	qsort(m->places, nr, sizeof(*m->places), by_place);
	for (m->place_nr = i = 0; i < nr; i++)
		if (!i || m->places[i] != m->places[i - 1])
			m->places[m->place_nr++] = m->places[i];
}

/* Makes the versions of all facts again after new ones. Returns false without memory. */
static bool order(struct maps *m)
{
	struct map_fact **facts = malloc(m->nr * sizeof(*facts));
	size_t i;

	m->error = facts && LIST_RESIZE(m->places, 2 * m->nr) ? 0 : -ENOMEM;
	m->node_nr = 0;
	if (!m->error) {
		qsort(m->facts, m->nr, sizeof(*m->facts), by_process);
		find_places(m);
		for (i = 0; i < m->nr; i++)
			facts[i] = &m->facts[i];
		qsort(facts, m->nr, sizeof(*facts), by_time);
	}
	for (i = 0; i < m->nr && !m->error; i++)
		make_version(m, facts[i]);
	free(facts);
	m->is_ordered = !m->error;
	return m->is_ordered;
}

static const struct ktrace_map *find(struct maps *m, __u32 pid, __u64 raw, __u64 address)
{
	const struct ktrace_map *map;
	struct range at;
	size_t place;
	__u32 tree;
	int half;

	if (!m->nr || (!m->is_ordered && !order(m)))
		return NULL;
	place = places_until(m, address);
	if (!place-- || place + 1 == m->place_nr)
		return NULL;
	at = (struct range){ 0, m->place_nr - 1 };
	for (tree = version_at(m, pid, raw, ~0ull); !(tree & SAME); tree = half_of(m, tree, half)) {
		half = place >= middle_of(at);
		*(half ? &at.begin : &at.end) = middle_of(at);
	}
	map = map_of(m, tree);
	return map && map->path ? map : NULL;
}

/* Returns the last code that begins in @at, up to @place; @tree is of @at. */
static const struct ktrace_map *last_begin(const struct maps *m, __u32 tree, struct range at,
					   size_t place)
{
	const struct ktrace_map *map;
	size_t middle;

	if (at.begin > place || !has_begin(m, tree, at.begin))
		return NULL;
	if (tree & SAME)
		return map_of(m, tree);
	middle = middle_of(at);
	map = last_begin(m, half_of(m, tree, 1), (struct range){ middle, at.end }, place);
	return map ? map : last_begin(m, half_of(m, tree, 0), (struct range){ at.begin, middle },
				      place);
}

static const struct ktrace_map *find_below(struct maps *m, __u32 pid, __u64 raw, __u64 address)
{
	size_t place;

	if (!m->nr || (!m->is_ordered && !order(m)))
		return NULL;
	place = places_until(m, address);
	return place ? last_begin(m, version_at(m, pid, raw, ~0ull),
				  (struct range){ 0, m->place_nr - 1 }, place - 1) : NULL;
}

void ktrace_maps_free(struct maps *m)
{
	size_t i;

	for (i = 0; i < m->nr; i++)
		free_texts(&m->facts[i]);
	free(m->facts);
	free(m->places);
	free(m->nodes);
}

const struct ktrace_map *ktrace_trace_map(const struct ktrace_trace *trace, __u32 pid, __u64 raw,
					  __u64 address)
{
	struct trace *t = (struct trace *)trace;

	return find(&t->maps, pid, raw, address);
}

const struct ktrace_map *ktrace_trace_map_below(const struct ktrace_trace *trace, __u32 pid,
						__u64 raw, __u64 address)
{
	struct trace *t = (struct trace *)trace;

	return find_below(&t->maps, pid, raw, address);
}
