// SPDX-License-Identifier: GPL-2.0
/* event_builder.c - builds events of other tools */
#include "event_builder.h"

#include "base/grow.h"
#include "base/viewer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Maximum number of names with a type of their own, as a tracefile's types are limited; later
 * events share a type and have the name as a field.
 */
#define NAMES_MAX 16384u
/* More than a description may have; bytes of a field's name */
#define DESC_MAX (64u << 10)
#define FIELD_NAME 256

void builder_init(struct event_builder *b)
{
	*b = (struct event_builder){
		.names = HASH_TABLE_INIT(struct event_name, name), .desc.flush = output_grow,
		.payload.flush = output_grow,
	};
}

void builder_free(struct event_builder *b)
{
	spool_free(&b->spool);
	hash_table_free(&b->names);
	free(b->desc.buf);
	free(b->payload.buf);
}

int builder_name(struct event_builder *b, const char *provider, const char *name)
{
	struct event_name key = { .provider = "track", .name = "slice" };
	const struct event_name *row;

	if (!b->names.nr && !hash_table_get(&b->names, &key))
		return -ENOMEM;
	memset(&key, 0, sizeof(key));
	snprintf(key.provider, sizeof(key.provider), "%s", *provider ? provider : "track");
	snprintf(key.name, sizeof(key.name), "%s", *name ? name : "unnamed");
	row = b->names.nr < NAMES_MAX ? hash_table_get(&b->names, &key) :
	      hash_table_find(&b->names, &key);
	if (!row)
		return b->names.nr < NAMES_MAX ? -ENOMEM : 0;
	return (int)((size_t)((const char *)row - b->names.at) / b->names.size);
}

/* True if a description can contain the name as it is. */
static bool is_plain(const char *name)
{
	const size_t n = strlen(name);

	return n < BUILDER_NAME && n == strspn(name, "abcdefghijklmnopqrstuvwxyz"
					       "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-+|");
}

static void begin(struct event_builder *b, const char *provider, const char *name,
		  const char *suffix)
{
	b->text = NULL;
	b->desc.len = b->payload.len = 0;
	import_writer_name(&b->desc, provider);
	ktrace_out_char(&b->desc, ':');
	import_writer_name(&b->desc, name);
	ktrace_out_str(&b->desc, suffix);
	ktrace_out_char(&b->desc, '{');
}

void builder_begin(struct event_builder *b, __u32 number, const char *suffix, const char *whole)
{
	const struct event_name *name = hash_table_at(&b->names, number);

	begin(b, name->provider, name->name, suffix);
	if (*whole && (!number || !is_plain(whole)))
		builder_text(b, "name", whole, strlen(whole));
}

void builder_begin_event(struct event_builder *b, const char *provider, const char *name)
{
	begin(b, *provider ? provider : "track", *name ? name : "unnamed", "");
}

void builder_begin_counter(struct event_builder *b, const char *name)
{
	const int number = builder_name(b, "counter", name);

	if (number < 0)
		b->payload.error = number;
	else
		builder_begin(b, (__u32)number, "", name);
}

/* Adds a field to the description, unless that is already too long. */
static void describe(struct event_builder *b, const char *type, const char *name)
{
	char start[FIELD_NAME];

	if (b->desc.len > DESC_MAX)
		return;
	snprintf(start, sizeof(start), "%s", *name ? name : "_");
	ktrace_out_str(&b->desc, type);
	ktrace_out_char(&b->desc, ' ');
	import_writer_name(&b->desc, start);
	ktrace_out_char(&b->desc, ';');
}

void builder_u64(struct event_builder *b, const char *type, const char *name, __u64 value)
{
	describe(b, type, name);
	ktrace_out_bytes(&b->payload, (const char *)&value,
			 strstr(type, "64") ? 8 : strstr(type, "32") ? 4 : 1);
}

void builder_s64(struct event_builder *b, const char *name, __s64 value)
{
	builder_u64(b, "s64", name, (__u64)value);
}

void builder_double(struct event_builder *b, const char *name, double value)
{
	describe(b, "f64", name);
	ktrace_out_bytes(&b->payload, (const char *)&value, sizeof(value));
}

void builder_text(struct event_builder *b, const char *name, const char *text, size_t size)
{
	describe(b, "string", name);
	if (size)
		ktrace_out_bytes(&b->payload, text, size);
	ktrace_out_char(&b->payload, 0);
}

/* Writes the fields as text: they are too many, or no type is left for them. */
static int describe_as_text(struct event_builder *b, __u32 kind, const struct import_type **type)
{
	const char *text = b->text ? b->text : "";

	b->as_text++;
	b->payload.len = 0;
	ktrace_out_bytes(&b->payload, b->desc.buf, strcspn(b->desc.buf, "{"));
	ktrace_out_char(&b->payload, 0);
	ktrace_out_bytes(&b->payload, text, strlen(text) + 1);
	/* The call chain */
	ktrace_out_char(&b->payload, 0);
	return b->payload.error ? b->payload.error :
	       import_type(b->f, kind, IMPORT_WRITER_TEXT, type);
}

int builder_put(struct event_builder *b, __u32 kind, struct spooled e)
{
	int ret;

	ktrace_out_bytes(&b->desc, "}", 2);
	ret = b->desc.error ? b->desc.error : b->payload.error;
	if (!ret)
		ret = import_type(b->f, kind, b->desc.buf, &e.type);
	if (ret == -EINVAL || ret == -EOVERFLOW)
		ret = describe_as_text(b, kind, &e.type);
	if (ret)
		return ret;
	e.len = (__u32)b->payload.len;
	return spool_add(&b->spool, e, b->payload.buf);
}

int builder_lost(struct event_builder *b, int cpu, __u64 ts, __u32 reason, __u64 nr)
{
	return spool_add(&b->spool, (struct spooled){ .ts = ts, .cpu = cpu, .reason = (int)reason,
						      .lost = nr }, NULL);
}

int builder_write(struct event_builder *b)
{
	return spool_write(&b->spool, b->f);
}

__u32 open_find(const __u32 *open, __u32 last, __u32 number)
{
	for (__u32 i = last + 1; i-- > 0;)
		if (open[i] == number)
			return i;
	return last;
}

int slices_open(struct open_slices *s, __u32 number)
{
	if (s->depth < BUILDER_DEPTH) {
		if (!LIST_GROW(s->open, s->depth, s->cap))
			return -ENOMEM;
		s->open[s->depth] = number;
	}
	s->depth += s->depth < UINT32_MAX;
	return 0;
}

__u32 slices_close(struct open_slices *s, __u32 number)
{
	__u32 i;

	if (!s->depth)
		return 0;
	s->depth--;
	if (s->depth >= BUILDER_DEPTH)
		return 0;
	i = open_find(s->open, s->depth, number);
	number = s->open[i];
	memmove(s->open + i, s->open + i + 1, (s->depth - i) * sizeof(*s->open));
	return number;
}
