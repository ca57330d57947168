// SPDX-License-Identifier: GPL-2.0
/*
 * html_block.c - blocks of events and of what changes with them
 *
 * A piece: number of events, base time, strings, a column for each of time, type, row, stream and
 * flags, bytes of all fields and the fields, the states that rows are in at its beginning, changes
 * of states, arrows. See Documentation/html.md.
 *
 * What a filter leaves out changes states, too: a block is full when it has many events, many
 * changes or many bytes.
 */
#include "html_block.h"

#include "context.h"
#include "html_rows.h"
#include "json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHANGES_MAX 65536u
#define FIELD_BYTES_MAX (1u << 22)

void html_blocks_init(struct html_blocks *b, struct html_store *store, struct html_rows *rows)
{
	*b = (struct html_blocks){
		.store = store, .rows = rows,
		.types = ROWS_INIT(struct html_type, flags),
		.streams = ROWS_INIT(struct html_stream, stream),
		.text = { .flush = output_grow },
	};
}

void html_blocks_free(struct html_blocks *b)
{
	int i;

	rows_free(&b->types);
	rows_free(&b->streams);
	free(b->entries);
	for (i = 0; i < HTML_COLUMN_NR; i++)
		bytes_free(&b->columns[i]);
	bytes_free(&b->fields);
	bytes_free(&b->begun);
	bytes_free(&b->changes);
	bytes_free(&b->arrows);
	bytes_free(&b->strings.text);
	free(b->strings.slots);
	free(b->strings.at);
	free(b->text.buf);
}

static void open_block(struct html_blocks *b, __u64 time)
{
	if (b->is_open)
		return;
	b->is_open = true;
	b->now = (struct html_entry){ .begin = time, .end = time, .first = b->events };
	b->last = b->changed = b->arrived = time;
	html_rows_put_states(b->rows, &b->begun);
}

static __u32 hash(const char *text, size_t size)
{
	__u64 h = size, word;

	for (; size >= sizeof(word); text += sizeof(word), size -= sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		h = (h ^ word) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 29;
	}
	for (; size; size--)
		h = (h ^ (unsigned char)*text++) * 0x100000001b3ull;
	return (__u32)(h ^ h >> 32);
}

/* The slot that has this string, + 1, or is free for it */
static __u32 *slot_of(const struct html_strings *s, const char *text, size_t size)
{
	__u32 i = hash(text, size) & (s->slot_nr - 1);

	for (; s->slots[i]; i = (i + 1) & (s->slot_nr - 1)) {
		const struct html_string *x = &s->at[s->slots[i] - 1];

		if (x->size == size && !memcmp(s->text.at + x->offset, text, size))
			break;
	}
	return &s->slots[i];
}

static int grow_strings(struct html_strings *s)
{
	__u32 cap = s->cap ? 2 * s->cap : 256, i;
	struct html_string *at = realloc(s->at, cap * sizeof(*at));

	if (!at)
		return -ENOMEM;
	s->at = at;
	s->cap = cap;
	free(s->slots);
	s->slot_nr = 2 * cap;
	s->slots = calloc(s->slot_nr, sizeof(*s->slots));
	if (!s->slots)
		return -ENOMEM;
	for (i = 0; i < s->nr; i++)
		*slot_of(s, (char *)s->text.at + at[i].offset, at[i].size) = i + 1;
	return 0;
}

/* Number of a string in the block's table */
static __u32 string_of(struct html_blocks *b, const char *text, size_t size)
{
	struct html_strings *s = &b->strings;
	__u32 *slot;

	if (s->nr == s->cap && !b->error)
		b->error = grow_strings(s);
	if (b->error)
		return 0;
	slot = slot_of(s, text, size);
	if (*slot)
		return *slot - 1;
	s->at[s->nr] = (struct html_string){ (__u32)s->text.nr, (__u32)size };
	bytes_add(&s->text, text, size);
	*slot = ++s->nr;
	return s->nr - 1;
}

/* What has been put together in @b->text becomes a field. */
static void put_text(struct html_blocks *b)
{
	if (b->text.error)
		b->error = b->text.error;
	bytes_u64(&b->fields, string_of(b, b->text.buf, b->text.len));
	b->text.len = 0;
}

enum html_field html_field_of(const struct ktrace_field *f, __u32 flags)
{
	if (flags & HTML_TYPE_TEXT || f->shape != KTRACE_ONE)
		return HTML_JSON;
	switch (f->scalar) {
	case KTRACE_S8:
	case KTRACE_S16:
	case KTRACE_S32:
	case KTRACE_S64:
		return HTML_SIGNED;
	case KTRACE_U8:
	case KTRACE_U16:
	case KTRACE_U32:
	case KTRACE_U64:
		return HTML_UNSIGNED;
	case KTRACE_F64:
		return HTML_F64;
	case KTRACE_F32:
		return HTML_F32;
	case KTRACE_CHAR:
		return HTML_JSON;
	default:
		return HTML_HEX;
	}
}

static void put_value(struct html_blocks *b, const struct ktrace_value *v, __u32 flags)
{
	switch (html_field_of(v->field, flags)) {
	case HTML_SIGNED:
		bytes_s64(&b->fields, ktrace_value_s64(v, 0));
		break;
	case HTML_UNSIGNED:
	case HTML_HEX:
		bytes_u64(&b->fields, (__u64)ktrace_value_s64(v, 0));
		break;
	case HTML_F64:
	case HTML_F32:
		bytes_add(&b->fields, v->data, v->field->size);
		break;
	case HTML_JSON:
		json_exact(&b->text, v);
		put_text(b);
	}
}

/* Return: false, a value of a type that is stored as a number is not all there. */
static bool put_values(struct html_blocks *b, const struct ktrace_trace_event *e,
		       struct html_type *key)
{
	struct ktrace_values it;
	struct ktrace_value v;

	key->fields = 0;
	ktrace_values_init(&it, e->type, e->payload, e->len);
	while (ktrace_values_next(&it, &v)) {
		if (v.field->shape == KTRACE_ONE && !v.count && !(key->flags & HTML_TYPE_TEXT))
			return false;
		put_value(b, &v, key->flags);
		key->fields++;
	}
	return true;
}

static void put_bytes(struct html_blocks *b, const struct ktrace_trace_event *e)
{
	__u32 i;

	ktrace_out_char(&b->text, '"');
	for (i = 0; i < e->len; i++)
		ktrace_out_hex(&b->text, (unsigned char)e->payload[i], 2);
	ktrace_out_char(&b->text, '"');
	put_text(b);
}

/* Appends the fields of an event. Return: number of its type. */
static __u64 put_fields(struct html_blocks *b, const struct ktrace_trace_event *e)
{
	struct html_type key = { .type = e->type }, *type;
	const size_t before = b->fields.nr;

	if (!e->type) {
		key.kind = e->stream->kind;
		key.id = e->id;
	}
	if (!e->type || e->flags & KTRACE_EVENT_NO_START) {
		key.flags = HTML_TYPE_BYTES;
		put_bytes(b, e);
	} else if (!put_values(b, e, &key)) {
		b->fields.nr = before;
		key.flags = HTML_TYPE_TEXT;
		put_values(b, e, &key);
	}
	if (e->flags & KTRACE_EVENT_CONTEXT) {
		key.flags |= HTML_TYPE_CONTEXT;
		context_put_json(&b->text, e);
		put_text(b);
	}
	type = rows_get(&b->types, &key);
	if (!type)
		b->error = -ENOMEM;
	return b->types.last;
}

void html_block_event(struct html_blocks *b, const struct ktrace_trace_event *e, __u32 row,
		      __u64 time)
{
	const struct ktrace_trace_stream *stream = e->stream;

	open_block(b, time);
	if (!rows_get(&b->streams, &stream))
		b->error = -ENOMEM;
	bytes_s64(&b->columns[HTML_TIME], (__s64)(time - b->last));
	bytes_u64(&b->columns[HTML_TYPE], put_fields(b, e));
	bytes_u64(&b->columns[HTML_ROW], row);
	bytes_u64(&b->columns[HTML_STREAM], b->streams.last);
	bytes_u64(&b->columns[HTML_FLAGS], e->flags & (KTRACE_EVENT_CONTEXT - 1u));
	b->last = time;
	b->now.end = time > b->now.end ? time : b->now.end;
	b->now.count++;
	b->events++;
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
	if (b->now.count >= HTML_BLOCK_EVENTS || b->changes_nr >= CHANGES_MAX ||
	    b->fields.nr + b->strings.text.nr >= FIELD_BYTES_MAX)
		html_block_close(b);
}

static void put_strings(struct bytes *to, struct html_strings *s)
{
	__u32 i;

	bytes_u64(to, s->nr);
	for (i = 0; i < s->nr; i++) {
		bytes_u64(to, s->at[i].size);
		bytes_add(to, s->text.at + s->at[i].offset, s->at[i].size);
	}
	if (s->text.error)
		to->error = s->text.error;
	s->text.nr = 0;
	s->nr = 0;
	if (s->slot_nr)
		memset(s->slots, 0, s->slot_nr * sizeof(*s->slots));
}

static void move(struct bytes *to, struct bytes *from)
{
	bytes_append(to, from);
	from->nr = 0;
}

static void put_block(struct html_blocks *b, struct bytes *to)
{
	int i;

	bytes_u64(to, b->now.count);
	bytes_u64(to, b->now.begin);
	put_strings(to, &b->strings);
	for (i = 0; i < HTML_COLUMN_NR; i++)
		move(to, &b->columns[i]);
	bytes_u64(to, b->fields.nr);
	move(to, &b->fields);
	move(to, &b->begun);
	bytes_u64(to, b->changes_nr);
	move(to, &b->changes);
	bytes_u64(to, b->arrows_nr);
	move(to, &b->arrows);
}

static int add_entry(struct html_blocks *b)
{
	__u32 cap = b->cap ? 2 * b->cap : 64;
	struct html_entry *bigger;

	if (b->nr == b->cap) {
		bigger = realloc(b->entries, cap * sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		b->entries = bigger;
		b->cap = cap;
	}
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
		b->error = html_store_add(b->store, HTML_BLOCK, b->nr, &all);
	if (!b->error)
		b->error = add_entry(b);
	bytes_free(&all);
	b->now.count = b->changes_nr = b->arrows_nr = 0;
}
