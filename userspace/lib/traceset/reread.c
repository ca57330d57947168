// SPDX-License-Identifier: LGPL-2.1
/*
 * reread.c - reads a traceset a second time, by what it already knows of its files
 *
 * Index, readings of clocks, types and facts grow with the files, so they are not loaded again, but
 * lent: the set that lends them must not be read, grow, be corrected or closed meanwhile. The other
 * one does not change them, does not look for more than they have, and learns nothing. What is
 * wrong with the files is left for the first one to tell.
 */
#include "base/grow.h"
#include "set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct stream *reread_stream(const struct stream *of, struct trace *t)
{
	struct stream *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->pub = of->pub;
	s->pub.trace = (const struct ktrace_trace *)t;
	s->trace = t;
	s->entries = of->entries;
	s->entry_nr = of->entry_nr;
	s->back = of->back;
	memcpy(s->base_lost, of->base_lost, sizeof(s->base_lost));
	memcpy(s->seen, of->base_lost, sizeof(s->seen));
	return s;
}

static int add_streams(struct trace *t, const struct trace *of)
{
	t->streams = calloc(of->stream_nr + 1, sizeof(*t->streams));
	if (!t->streams)
		return -ENOMEM;
	for (; t->stream_nr < of->stream_nr; t->stream_nr++) {
		t->streams[t->stream_nr] = reread_stream(of->streams[t->stream_nr], t);
		if (!t->streams[t->stream_nr])
			return -ENOMEM;
	}
	t->used_nr = of->used_nr;
	return 0;
}

/* Lets @t read the files of @of, which stay open as long as @of is. */
static int add_parts(struct trace *t, const struct trace *of)
{
	t->parts = calloc(of->part_nr, sizeof(*t->parts));
	if (!t->parts)
		return -ENOMEM;
	for (; t->part_nr < of->part_nr; t->part_nr++) {
		t->parts[t->part_nr] = of->parts[t->part_nr];
		t->parts[t->part_nr].report = NULL;
	}
	return 0;
}

static int add_trace(struct ktrace_traceset *set, const struct trace *of)
{
	struct trace *t = calloc(1, sizeof(*t));
	int ret;

	if (!t)
		return -ENOMEM;
	*t = (struct trace){
		.index = of->index, .is_lent = true, .ahead = set->ahead,
		.types = { of->types[0], of->types[1] }, .clock = of->clock,
		.offset = of->offset, .has_offset = of->has_offset, .fact_nr = of->fact_nr,
		.learns_nothing = true, .counts = of->counts, .counts_nr = of->counts_nr,
		.records = of->records, .has_lost = of->has_lost,
	};
	memcpy(t->facts, of->facts, sizeof(t->facts));
	set->traces[set->trace_nr++] = t;
	ret = add_parts(t, of);
	return ret ? ret : add_streams(t, of);
}

int ktrace_set_reread(const struct ktrace_traceset *set, struct ktrace_traceset **out)
{
	const struct ktrace_traceset_options opts = {
		.size = sizeof(opts), .cores = set->opts.cores,
	};
	struct ktrace_traceset *new;
	int ret = ktrace_traceset_open(&opts, &new);
	size_t i;

	if (ret)
		return ret;
	if (!LIST_RESIZE(new->traces, set->trace_nr + 1))
		ret = -ENOMEM;
	for (i = 0; i < set->trace_nr && !ret; i++)
		ret = add_trace(new, set->traces[i]);
	if (ret)
		ktrace_traceset_close(new);
	else
		*out = new;
	return ret;
}

void ktrace_trace_free_lent(struct trace *t)
{
	size_t i;

	for (i = 0; i < t->stream_nr; i++)
		ktrace_stream_free(t->streams[i]);
	free(t->streams);
	free(t->parts);
	free(t->interest);
	free(t);
}
