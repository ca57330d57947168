// SPDX-License-Identifier: LGPL-2.1
/*
 * parts.c - the files of a trace that is split into parts
 *
 * Parts have the trace's uuid and a number each. Their sections are filed one part after the other,
 * at unique offsets, so that a stream continues from part to part as it does within a file: reading
 * on, seeking and going to a position do not depend on where a part ends.
 *
 *   offset of a section   0 .. 1 << 44    a whole file
 *                         n << 44 ..      part n, from its first byte on
 *
 * Adding a part that is not the last files all parts again; errors in the others have already been
 * reported.
 */
#include "trace.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/search.h"

/* Returns the number of the first part that is not before @part. */
static size_t place_of(const struct trace *t, __u32 part)
{
	return PARTITION_POINT(t->part_nr, i, t->parts[i].part < part);
}

/* Returns the file with the section at @offset; the last one if none contains it. */
const struct reader *ktrace_trace_part_at(const struct trace *t, __u64 offset)
{
	size_t i = place_of(t, (__u32)(offset >> READER_PART_SHIFT));

	return i < t->part_nr ? &t->parts[i] : trace_last(t);
}

/* True if the file is, or would be, a part of this trace, or is a copy of its only file. */
bool ktrace_trace_has_part(const struct trace *t, const struct reader *file)
{
	static const __u8 unnamed[sizeof(file->uuid)];

	return !file->part == !t->parts[0].part &&
	       !memcmp(t->parts[0].uuid, file->uuid, sizeof(file->uuid)) &&
	       (file->part || memcmp(file->uuid, unnamed, sizeof(unnamed)));
}

/* Makes a trace of the file, which the trace owns from now on. Returns 0, -errno. */
int ktrace_trace_new(const struct reader *file, struct trace **out)
{
	struct trace *t = calloc(1, sizeof(*t));
	int ret;

	if (!t)
		return -ENOMEM;
	ret = ktrace_trace_add_part(t, file);
	if (ret) {
		/* The file is still the caller's. */
		t->part_nr = 0;
		ktrace_trace_free(t);
		return ret;
	}
	*out = t;
	return 0;
}

/* Loads all parts from the beginning; reports errors of part number @news only. */
static int load_again(struct trace *t, size_t news)
{
	int ret = 0;
	size_t i;

	ktrace_trace_empty(t);
	for (i = 0; i < t->part_nr && !ret; i++) {
		struct reader *part = &t->parts[i];
		const report_fn report = part->report;

		part->next = part->base + sizeof(struct ktrace_file);
		part->searched = 0;
		part->is_lost = part->is_closed = part->is_newer = false;
		part->report = i == news ? report : NULL;
		ret = ktrace_trace_load(t, part);
		part->report = report;
	}
	return ret;
}

/*
 * Adds a part, which the trace owns from now on. Returns 0, -EEXIST if there is one with its
 * number, -errno.
 */
int ktrace_trace_add_part(struct trace *t, const struct reader *file)
{
	size_t i = place_of(t, file->part);
	struct reader *parts;
	int ret;

	if (i < t->part_nr && t->parts[i].part == file->part)
		return -EEXIST;
	if (!LIST_RESIZE(t->parts, t->part_nr + 1))
		return -ENOMEM;
	parts = t->parts;
	memmove(&parts[i + 1], &parts[i], (t->part_nr - i) * sizeof(*parts));
	parts[i] = *file;
	ktrace_reader_set_base(&parts[i]);
	t->part_nr++;
	ret = i + 1 == t->part_nr ? ktrace_trace_load(t, &parts[i]) : load_again(t, i);
	if (!ret)
		return 0;
	/* Without memory the set is no longer usable. */
	t->part_nr--;
	memmove(&parts[i], &parts[i + 1], (t->part_nr - i) * sizeof(*parts));
	return ret;
}
