// SPDX-License-Identifier: LGPL-2.1
/*
 * event_counts.c - the numbers of events that a trace says it has
 *
 * They are used only if they are those that reading would find: the files are closed, each part has
 * counts whose sum is that of its sections, nothing was lost, and no event consists of fragments,
 * which reading joins. They are a claim of the file all the same: ktrace check compares them with
 * the events.
 */
#include "trace.h"

#include "base/grow.h"
#include "tracefile/counts.h"
#include "tracefile/section.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* struct sum - entries of all parts, and the number of their records */
struct sum {
	struct ktrace_count *list;
	size_t nr;
	__u64 records;
};

/* Adds the entries of one section. Return: 0, -ENOENT if it cannot be used, -ENOMEM. */
static int add_section(const struct trace *t, const struct counts_at *at, struct sum *sum)
{
	struct ktrace_section s;
	char *body;
	size_t nr;
	int ret = ktrace_trace_load_once(t, at->offset, at->end, &s, &body);

	if (ret)
		return ret == -ENOMEM ? ret : -ENOENT;
	nr = (size_t)s.size / sizeof(*sum->list);
	if (s.type != KTRACE_SECTION_COUNTS || !ktrace_section_is_plain(&s) ||
	    s.size % sizeof(*sum->list))
		ret = -ENOENT;
	else if (!LIST_RESIZE(sum->list, sum->nr + nr + 1))
		ret = -ENOMEM;
	if (!ret) {
		memcpy(sum->list + sum->nr, body, nr * sizeof(*sum->list));
		if (!ktrace_counts_are_possible(sum->list + sum->nr, nr))
			ret = -ENOENT;
		sum->nr += nr;
	}
	free(body);
	return ret;
}

static int compare(const void *x, const void *y)
{
	const struct ktrace_count *a = x, *b = y;

	return a->stream != b->stream ? (a->stream > b->stream) - (a->stream < b->stream) :
	       (a->id > b->id) - (a->id < b->id);
}

/* Joins entries of several parts. Return: 0, -ENOENT: reading would find something else. */
static int join(struct sum *sum)
{
	struct ktrace_count *to = sum->list;
	size_t i, nr = 0;

	if (sum->nr)
		qsort(sum->list, sum->nr, sizeof(*to), compare);
	for (i = 0; i < sum->nr; i++) {
		if (to[i].flags || to[i].id == KTRACE_ID_LOST ||
		    to[i].records > ~0ull - sum->records)
			return -ENOENT;
		sum->records += to[i].records;
		if (to[i].id < KTRACE_ID_FIRST)
			continue;	/* readers skip these */
		if (nr && !compare(&to[nr - 1], &to[i]))
			to[nr - 1].records += to[i].records;
		else
			to[nr++] = to[i];
	}
	sum->nr = nr;
	return 0;
}

long ktrace_trace_counts(const struct ktrace_trace *trace, struct ktrace_count **out)
{
	const struct trace *t = (const struct trace *)trace;
	struct sum sum = { .nr = 0 };
	size_t i;
	int ret = 0;

	*out = NULL;
	if (!ktrace_trace_is_closed(trace) || t->has_lost || t->counts_nr != t->part_nr)
		return -ENOENT;
	for (i = 0; i < t->counts_nr && !ret; i++)
		ret = ktrace_trace_part_at(t, t->counts[i].offset) == &t->parts[i] ?
		      add_section(t, &t->counts[i], &sum) : -ENOENT;
	if (!ret)
		ret = join(&sum);
	if (!ret && sum.records != t->records)
		ret = -ENOENT;
	if (ret) {
		free(sum.list);
		return ret;
	}
	*out = sum.list;
	return (long)sum.nr;
}
