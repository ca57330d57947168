// SPDX-License-Identifier: LGPL-2.1
/*
 * merge.c - gives streams their leaves, and starts the tournament
 *
 * Initially all nodes have the key 0, below all others, and each leaf plays: it meets a 0 and takes
 * its place, or a stream that came before.
 */
#include "merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static int by_place(const void *left, const void *right)
{
	const struct stream *a = *(struct stream *const *)left;
	const struct stream *b = *(struct stream *const *)right;

	if (a->pub.id != b->pub.id)
		return a->pub.id < b->pub.id ? -1 : 1;
	return a->trace->index < b->trace->index ? -1 : a->trace->index > b->trace->index;
}

static int reserve(struct merge *m, size_t nr)
{
	size_t leaves = m->leaves ? m->leaves : 1;

	while (leaves < nr)
		leaves *= 2;
	if (leaves == m->leaves)
		return 0;
	if (!LIST_RESIZE(m->streams, leaves) || !LIST_RESIZE(m->losers, leaves))
		return -ENOMEM;
	m->leaves = leaves;
	return 0;
}

/*
 * Takes in all streams of @traces that have sections; call ktrace_merge_rebuild() next. Returns 0,
 * -ENOMEM.
 */
int ktrace_merge_init(struct merge *m, struct trace *const *traces, size_t nr)
{
	size_t streams = 0, i, j;
	int ret;

	for (i = 0; i < nr; i++)
		streams += traces[i]->used_nr;
	if (streams == m->nr && m->leaves)
		return 0;	/* streams are never removed */
	ret = reserve(m, streams);
	if (ret)
		return ret;
	m->nr = 0;
	for (i = 0; i < nr; i++)
		for (j = 0; j < traces[i]->stream_nr; j++)
			if (traces[i]->streams[j]->entry_nr)
				m->streams[m->nr++] = traces[i]->streams[j];
	if (m->nr)
		qsort(m->streams, m->nr, sizeof(struct stream *), by_place);
	return 0;
}

/* Starts again with the current events of the streams. */
void ktrace_merge_rebuild(struct merge *m)
{
	const struct stream *s;
	size_t i;

	memset(m->losers, 0, m->leaves * sizeof(*m->losers));
	for (i = 0; i < m->leaves; i++) {
		s = i < m->nr ? m->streams[i] : NULL;
		merge_replay(m, i, s && s->has_event ? merge_key_of(i, s->now.time) :
						       merge_key_none(i));
	}
	m->limit = (struct merge_key){ 0 };
}

void ktrace_merge_free(struct merge *m)
{
	free(m->streams);
	free(m->losers);
}
