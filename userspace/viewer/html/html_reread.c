// SPDX-License-Identifier: GPL-2.0
/* html_reread.c - events of a block, read from the files again */
#include "html_reread.h"

#include "base/grow.h"
#include "base/search.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Number of events between two positions. A position takes some dozen bytes for each ring; reading
 * this many events takes some ms.
 */
#define MARK_EVENTS 65536u
#define READ_NR 64

/**
 * struct again - one block being put together
 * @marks:	positions
 * @set:	the files
 * @begin:	where the page begins
 * @stored:	the models' part, read up to @at
 * @at:		offset in it
 * @events:	as they were read
 * @first:	number of the first
 * @nr:		how many
 * @is_there:	the files are positioned at the event after @events
 */
struct again {
	const struct html_reread *marks;
	struct ktrace_traceset *set;
	__u64 begin;
	struct bytes stored;
	size_t at;
	struct ktrace_trace_event events[READ_NR];
	__u64 first;
	int nr;
	bool is_there;
};

void html_reread_free(struct html_reread *a)
{
	size_t i;

	for (i = 0; i < a->nr; i++)
		ktrace_position_free(a->marks[i].place);
	free(a->marks);
}

int html_reread_mark(struct html_reread *a, struct ktrace_traceset *set, __u64 number)
{
	struct html_mark *mark;
	int ret;

	if (a->nr && number - a->marks[a->nr - 1].number < MARK_EVENTS)
		return 0;
	if (!LIST_GROW(a->marks, a->nr, a->cap))
		return -ENOMEM;
	mark = &a->marks[a->nr];
	mark->number = number;
	ret = ktrace_position_new(&mark->place);
	if (ret)
		return ret;
	a->nr++;
	return ktrace_position_save(set, mark->place);
}

/* Reads the next number of the models' part; 0 at its end, which our own file never reaches. */
static __u64 next_u64(struct again *a)
{
	unsigned char byte;
	__u64 v = 0;
	__u32 shift = 0;

	do {
		byte = a->at < a->stored.nr ? a->stored.at[a->at++] : 0;
		v |= (__u64)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && shift < 64);
	return v;
}

/* Returns the last position before event @number. */
static const struct html_mark *mark_before(const struct html_reread *marks, __u64 number)
{
	const size_t nr = PARTITION_POINT(marks->nr, i, marks->marks[i].number <= number);

	return &marks->marks[nr ? nr - 1 : 0];
}

/* Reads until event @number is in @a->events. Return: 0, -EIO, -errno. */
static int go_to(struct again *a, __u64 number)
{
	const struct html_mark *mark = mark_before(a->marks, number);
	int ret;

	if (!a->is_there || mark->number > a->first + (__u64)a->nr) {
		ret = ktrace_traceset_seek_position(a->set, mark->place);
		if (ret)
			return ret;
		a->first = mark->number;
		a->nr = 0;
		a->is_there = true;
	}
	while (number >= a->first + (__u64)a->nr) {
		a->first += (__u64)a->nr;
		a->nr = ktrace_traceset_read(a->set, a->events, READ_NR);
		if (a->nr <= 0)
			return a->nr ? a->nr : -EIO;
	}
	return 0;
}

static int add_events(struct again *a, struct html_events *events, __u32 nr)
{
	const struct ktrace_trace_event *e;
	struct again owners = { .stored = a->stored, .at = a->at };
	__u64 number = 0;
	__u32 i;
	int ret = 0;

	/* The rows of all events precede their numbers. */
	for (i = 0; i < nr; i++)
		next_u64(a);
	for (i = 0; i < nr && !ret; i++) {
		number += next_u64(a);
		ret = go_to(a, number);
		if (ret)
			break;
		e = &a->events[number - a->first];
		html_events_add(events, e, (__u32)next_u64(&owners),
				e->time > a->begin ? e->time - a->begin : 0);
	}
	return ret;
}

static int put_block(struct again *a, struct html_blocks *b, __u32 id, struct bytes *to)
{
	const struct html_entry *entry = &b->entries[id];
	struct html_events events;
	__u32 nr;
	int ret;

	ret = html_store_inflate(b->store, HTML_BLOCK, id, &a->stored);
	if (ret)
		return ret;
	nr = (__u32)next_u64(a);
	html_events_init(&events, &b->kinds);
	html_events_begin(&events, entry->begin);
	ret = add_events(a, &events, nr);
	html_events_put(&events, to, entry->begin);
	html_events_free(&events);
	bytes_add(to, a->stored.at + a->at, a->stored.nr - a->at);
	return ret ? ret : to->error;
}

int html_reread_block(const struct html_reread *marks, struct ktrace_traceset *set,
		      struct html_blocks *b, __u32 id, __u64 begin, struct bytes *to)
{
	struct again a = { .marks = marks, .set = set, .begin = begin };
	struct ktrace_position *here;
	int ret, back;

	ret = ktrace_position_new(&here);
	if (ret)
		return ret;
	ret = ktrace_position_save(set, here);
	if (!ret)
		ret = put_block(&a, b, id, to);
	back = ktrace_traceset_seek_position(set, here);
	bytes_free(&a.stored);
	ktrace_position_free(here);
	return ret ? ret : back;
}
