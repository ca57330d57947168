// SPDX-License-Identifier: GPL-2.0
/* html_options.c - the rows of a page and their states */
#include "html_rows.h"

#include <stdio.h>
#include <string.h>

void html_rows_init(struct html_options *r, struct html_lod *lanes, struct html_blocks *blocks)
{
	*r = (struct html_options){
		.rows = HASH_TABLE_INIT(struct html_row, key),
		.states = HASH_TABLE_INIT(struct html_state, thread),
		.lanes = lanes,
		.blocks = blocks,
	};
	lanes->states = &r->states;
}

void html_rows_free(struct html_options *r)
{
	hash_table_free(&r->rows);
	hash_table_free(&r->states);
}

struct html_row *html_row_at(struct html_options *r, __u32 i)
{
	return hash_table_at(&r->rows, i);
}

__u32 html_row_find(struct html_options *r, const struct html_key *key)
{
	const struct html_row *row = hash_table_find(&r->rows, key);

	return row ? (__u32)(row - (const struct html_row *)hash_table_at(&r->rows, 0)) :
		HTML_NO_ROW;
}

__u32 html_row_get(struct html_options *r, const struct html_key *key, bool *is_new)
{
	const size_t before = r->rows.nr;
	struct html_row *row = hash_table_need(&r->rows, key, &r->error);

	if (!row)
		return HTML_NO_ROW;
	if (r->rows.nr > before)
		row->thread = HTML_NO_ROW;
	if (is_new)
		*is_new = r->rows.nr > before;
	return (__u32)r->rows.last;
}

static __u32 get_state(struct html_options *r, const char *group, const char *name, __u32 thread)
{
	struct html_state key = { .thread = thread }, *state;

	snprintf(key.name, sizeof(key.name), "%s", name);
	snprintf(key.group, sizeof(key.group), "%s", group);
	state = hash_table_need(&r->states, &key, &r->error);
	if (!state)
		return 0;
	state->is_run = !strcmp(group, "run");
	return (__u32)r->states.last + 1;
}

__u32 html_state_get(struct html_options *r, const char *group, const char *name)
{
	return get_state(r, group, name, 0);
}

__u32 html_state_get_run(struct html_options *r, __u32 thread, const char *name)
{
	return get_state(r, "run", name, thread == HTML_NO_ROW ? 0 : thread + 1);
}

static void flush_row(struct html_options *r, __u32 i, __u64 time)
{
	struct html_row *row = html_row_at(r, i);

	if (row->state && row->since < time)
		html_lod_state(r->lanes, i, row->state, row->since, time);
	if (row->since < time)
		row->since = time;
}

void html_row_enter(struct html_options *r, __u32 i, __u32 state, __u64 time)
{
	struct html_row *row;

	if (i == HTML_NO_ROW || html_row_at(r, i)->state == state)
		return;
	if (r->is_open) {
		flush_row(r, i, time);
		html_block_change(r->blocks, i, state, time);
	}
	row = html_row_at(r, i);
	row->state = state;
	row->since = time > row->since ? time : row->since;
}

void html_rows_flush(struct html_options *r, __u64 time)
{
	__u32 i;

	for (i = 0; i < r->rows.nr; i++)
		if (html_row_at(r, i)->state)
			flush_row(r, i, time);
}

void html_rows_put_states(const struct html_options *r, struct bytes *b)
{
	const struct html_row *row = r->rows.nr ? hash_table_at(&r->rows, 0) : NULL;
	__u32 i, nr = 0, last = 0;

	for (i = 0; i < r->rows.nr; i++)
		nr += row[i].state != 0;
	bytes_u64(b, nr);
	for (i = 0; i < r->rows.nr; i++) {
		if (!row[i].state)
			continue;
		bytes_u64(b, i - last);
		bytes_u64(b, row[i].state);
		last = i;
	}
}
