// SPDX-License-Identifier: GPL-2.0
/*
 * html_block.c - blocks of events and of the changes they cause
 *
 * A piece: the events, the states of rows at its beginning, changes of states, arrows. See
 * Documentation/html.md. For a served page: number of events, their rows, their numbers among all
 * events; then the rest as above.
 *
 * Events that a filter drops change states, too. So a block is full when it has many events, many
 * changes or many bytes.
 */
#include "html_block.h"

#include "base/grow.h"

#include "html_rows.h"

#include <errno.h>
#include <stdlib.h>

#define EVENTS_MAX 16384u
#define CHANGES_MAX 65536u
#define FIELD_BYTES_MAX (1u << 22)

void html_blocks_init(struct html_blocks *b, struct html_store *store, struct html_options *rows)
{
	*b = (struct html_blocks){ .store = store, .rows = rows };
	html_kinds_init(&b->kinds);
	html_events_init(&b->events, &b->kinds);
}

void html_blocks_free(struct html_blocks *b)
{
	html_events_free(&b->events);
	html_kinds_free(&b->kinds);
	free(b->entries);
	bytes_free(&b->owners);
	bytes_free(&b->steps);
	bytes_free(&b->begun);
	bytes_free(&b->changes);
	bytes_free(&b->arrows);
}

static void open_block(struct html_blocks *b, __u64 time)
{
	if (b->is_open)
		return;
	b->is_open = true;
	b->now = (struct html_entry){ .begin = time, .end = time, .first = b->total };
	b->changed = b->arrived = time;
	b->number = 0;
	html_events_begin(&b->events, time);
	html_rows_put_states(b->rows, &b->begun);
}

void html_block_event(struct html_blocks *b, const struct ktrace_trace_event *e, __u32 row,
		      __u64 time, __u64 number)
{
	open_block(b, time);
	html_events_add(&b->events, e, row, time);
	if (b->has_models_only) {
		bytes_u64(&b->owners, row);
		bytes_u64(&b->steps, number - b->number);
		b->number = number;
	}
	b->now.end = time > b->now.end ? time : b->now.end;
	b->now.count++;
	b->total++;
}

void html_block_change(struct html_blocks *b, __u32 row, __u32 state, __u64 time)
{
	open_block(b, time);
	bytes_s64(&b->changes, (__s64)(time - b->changed));
	bytes_u64(&b->changes, row);
	bytes_u64(&b->changes, state);
	b->changed = time;
	b->now.end = time > b->now.end ? time : b->now.end;
	b->changes_nr++;
}

void html_block_arrow(struct html_blocks *b, const struct html_link *link)
{
	open_block(b, link->end);
	bytes_u64(&b->arrows, link->kind);
	bytes_s64(&b->arrows, (__s64)(link->begin - b->now.begin));
	bytes_u64(&b->arrows, link->from);
	bytes_s64(&b->arrows, (__s64)(link->end - b->arrived));
	bytes_u64(&b->arrows, link->to);
	b->arrived = link->end;
	b->arrows_nr++;
}

void html_block_check(struct html_blocks *b)
{
	if (b->now.count >= EVENTS_MAX || b->changes_nr >= CHANGES_MAX ||
	    html_events_size(&b->events) >= FIELD_BYTES_MAX)
		html_block_close(b);
}

static void move(struct bytes *to, struct bytes *from)
{
	bytes_append(to, from);
	from->nr = 0;
}

static void put_block(struct html_blocks *b, struct bytes *to)
{
	if (b->has_models_only) {
		bytes_u64(to, b->now.count);
		move(to, &b->owners);
		move(to, &b->steps);
	} else {
		html_events_put(&b->events, to, b->now.begin);
	}
	move(to, &b->begun);
	bytes_u64(to, b->changes_nr);
	move(to, &b->changes);
	bytes_u64(to, b->arrows_nr);
	move(to, &b->arrows);
}

static int add_entry(struct html_blocks *b)
{
	if (!LIST_GROW(b->entries, b->nr, b->cap))
		return -ENOMEM;
	b->entries[b->nr++] = b->now;
	return 0;
}

void html_block_close(struct html_blocks *b)
{
	struct bytes all = { 0 };

	if (!b->is_open)
		return;
	b->is_open = false;
	put_block(b, &all);
	if (!b->error)
		b->error = b->events.error;
	if (!b->error)
		b->error = html_store_add(b->store, HTML_BLOCK, b->nr, &all);
	if (!b->error)
		b->error = add_entry(b);
	bytes_free(&all);
	b->now.count = b->changes_nr = b->arrows_nr = 0;
}
