// SPDX-License-Identifier: GPL-2.0
/*
 * html_events.c - events of a block of a page: see Documentation/html.md
 *
 * The order is: number of events, base time, strings, a column for each of time, type, row, stream
 * and flags, size of all fields in bytes, the fields.
 */
#include "html_events.h"

#include "base/json.h"
#include "base/viewer.h"
#include "events/context.h"
#include "events/line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void html_kinds_init(struct html_kinds *k)
{
	*k = (struct html_kinds){
		.types = HASH_TABLE_INIT(struct html_type, flags),
		.streams = HASH_TABLE_INIT(struct html_stream, stream),
	};
}

void html_kinds_free(struct html_kinds *k)
{
	hash_table_free(&k->types);
	hash_table_free(&k->streams);
}

void html_events_init(struct html_events *b, struct html_kinds *kinds)
{
	*b = (struct html_events){ .kinds = kinds, .text = { .flush = output_grow } };
}

void html_events_free(struct html_events *b)
{
	int i;

	for (i = 0; i < HTML_COLUMN_NR; i++)
		bytes_free(&b->columns[i]);
	bytes_free(&b->fields);
	bytes_free(&b->strings.text);
	free(b->strings.slots);
	free(b->strings.at);
	free(b->text.buf);
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

/* Returns the slot of this string, which has its number + 1, or a free slot with 0. */
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

/* Returns the number of a string in the block's table; adds the string if it is new. */
static __u32 string_of(struct html_events *b, const char *text, size_t size)
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

/* Appends the text collected in @b->text as a field. */
static void put_text(struct html_events *b)
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

static void put_value(struct html_events *b, const struct ktrace_value *v, __u32 flags)
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

/* Appends all values. Returns false if a value that is stored as a number is truncated. */
static bool put_values(struct html_events *b, const struct ktrace_trace_event *e,
		       struct html_type *key)
{
	struct ktrace_values it;
	struct ktrace_value v;

	key->fields = 0;
	line_for_each_value(v, it, e) {
		if (!key->fields && v.field != e->type->fields)
			key->first = v.field;
		if (v.field->shape == KTRACE_ONE && !v.count && !(key->flags & HTML_TYPE_TEXT))
			return false;
		put_value(b, &v, key->flags);
		key->fields++;
	}
	return true;
}

static void put_bytes(struct html_events *b, const struct ktrace_trace_event *e)
{
	ktrace_out_char(&b->text, '"');
	line_put_bytes(&b->text, e);
	ktrace_out_char(&b->text, '"');
	put_text(b);
}

/*
 * Appends the context of an event, and the functions of its stacks. Addresses in programs are not
 * looked up, which would need their files.
 */
static void put_context(struct html_events *b, const struct ktrace_trace_event *e,
			struct html_type *key)
{
	key->flags |= HTML_TYPE_CONTEXT;
	context_put_json(&b->text, e);
	put_text(b);
	context_put_stacks_json(&b->text, NULL, e);
	if (b->text.len > 2) {
		key->flags |= HTML_TYPE_STACKS;
		put_text(b);
	}
	b->text.len = 0;
}

/* Appends the fields of an event. Returns the number of its type. */
static __u64 put_fields(struct html_events *b, const struct ktrace_trace_event *e)
{
	struct html_type key = { .type = e->type };
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
	if (e->flags & KTRACE_EVENT_CONTEXT)
		put_context(b, e, &key);
	hash_table_need(&b->kinds->types, &key, &b->error);
	return b->kinds->types.last;
}

void html_events_add(struct html_events *b, const struct ktrace_trace_event *e, __u32 row,
		     __u64 time)
{
	const struct ktrace_trace_stream *stream = e->stream;

	if (!hash_table_get(&b->kinds->streams, &stream))
		b->error = -ENOMEM;
	bytes_s64(&b->columns[HTML_TIME], (__s64)(time - b->last));
	bytes_u64(&b->columns[HTML_TYPE], put_fields(b, e));
	bytes_u64(&b->columns[HTML_ROW], row);
	bytes_u64(&b->columns[HTML_STREAM], b->kinds->streams.last);
	bytes_u64(&b->columns[HTML_FLAGS], e->flags & (KTRACE_EVENT_CONTEXT - 1u));
	b->last = time;
	b->nr++;
}

size_t html_events_size(const struct html_events *b)
{
	return b->fields.nr + b->strings.text.nr;
}

static void forget_strings(struct html_strings *s)
{
	s->text.nr = 0;
	s->nr = 0;
	if (s->slot_nr)
		memset(s->slots, 0, s->slot_nr * sizeof(*s->slots));
}

void html_events_begin(struct html_events *b, __u64 base)
{
	int i;

	for (i = 0; i < HTML_COLUMN_NR; i++)
		b->columns[i].nr = 0;
	b->fields.nr = 0;
	forget_strings(&b->strings);
	b->last = base;
	b->nr = 0;
}

static void put_strings(struct bytes *to, const struct html_strings *s)
{
	__u32 i;

	bytes_u64(to, s->nr);
	for (i = 0; i < s->nr; i++) {
		bytes_u64(to, s->at[i].size);
		bytes_add(to, s->text.at + s->at[i].offset, s->at[i].size);
	}
	if (s->text.error)
		to->error = s->text.error;
}

void html_events_put(struct html_events *b, struct bytes *to, __u64 base)
{
	int i;

	bytes_u64(to, b->nr);
	bytes_u64(to, base);
	put_strings(to, &b->strings);
	for (i = 0; i < HTML_COLUMN_NR; i++)
		bytes_append(to, &b->columns[i]);
	bytes_u64(to, b->fields.nr);
	bytes_append(to, &b->fields);
	if (b->error)
		to->error = b->error;
}
