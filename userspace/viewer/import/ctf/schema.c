// SPDX-License-Identifier: GPL-2.0
/* schema.c - what the metadata of a CTF trace says */
#include "schema.h"

#include <stdlib.h>
#include <string.h>

#define NS 1000000000

bool ctf_clock_ns(const struct ctf_clock *clock, __u64 value, __s64 *ns)
{
	const __int128 cycles = (__int128)clock->cycles + value;
	const __int128 all = (__int128)clock->seconds * NS + cycles / clock->hz * NS +
			     cycles % clock->hz * NS / clock->hz;

	*ns = (__s64)all;
	return all == *ns;
}

static bool is_equal(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

bool ctf_clock_is_same(const struct ctf_clock *a, const struct ctf_clock *b)
{
	return a == b || (a && b && is_equal(a->name, b->name) && is_equal(a->uid, b->uid) &&
			  a->hz == b->hz);
}

struct ctf_class *ctf_schema_class(struct ctf_schema *schema, enum ctf_kind kind)
{
	struct ctf_class *class = ctf_class_new(&schema->pool, kind);

	if (!class)
		return NULL;
	class->layout = calloc(1, sizeof(*class->layout));
	if (!class->layout)
		return NULL;
	class->layout->align = 1;
	class->layout->where.scope = CTF_SCOPES;
	return class;
}

static void take_part(struct ctf_class *class, const struct ctf_class *part)
{
	const bool is_aligned = class->kind == CTF_STRUCT || class->kind == CTF_ARRAY;

	if (is_aligned && part->layout->align > class->layout->align)
		class->layout->align = part->layout->align;
	if (part->layout->depth >= class->layout->depth)
		class->layout->depth = part->layout->depth + 1;
}

bool ctf_schema_end_class(struct ctf_class *class)
{
	if (class->inner)
		take_part(class, class->inner);
	for (__u32 i = 0; i < class->member_nr; i++)
		if (class->members[i].class)
			take_part(class, class->members[i].class);
	return class->layout->depth < CTF_DEPTH_MAX;
}

static bool copy_text(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return *to || !from;
}

static bool copy_members(struct ctf_class *to, const struct ctf_class *from)
{
	if (!from->members)
		return true;
	if (!ctf_class_members(to, from->member_nr))
		return false;
	for (__u32 i = 0; i < from->member_nr; i++) {
		to->members[i].class = from->members[i].class;
		if (!copy_text(&to->members[i].name, from->members[i].name) ||
		    !copy_text(&to->members[i].key, from->members[i].key) ||
		    !ctf_ranges_copy(&to->members[i].ranges, &from->members[i].ranges))
			return false;
	}
	return true;
}

static bool copy_path(struct ctf_location *to, const struct ctf_location *from)
{
	*to = *from;
	to->nr = 0;
	to->path = from->nr ? calloc(from->nr, sizeof(*to->path)) : NULL;
	for (; to->path && to->nr < from->nr; to->nr++)
		if (!copy_text(&to->path[to->nr], from->path[to->nr]))
			return false;
	return to->nr == from->nr;
}

struct ctf_class *ctf_schema_copy(struct ctf_schema *schema, const struct ctf_class *class)
{
	struct ctf_class *copy = ctf_schema_class(schema, class->kind);
	struct ctf_layout layout = *class->layout;

	if (!copy)
		return NULL;
	copy->bits = class->bits;
	copy->is_hex = class->is_hex;
	copy->is_fixed = class->is_fixed;
	copy->inner = class->inner;
	layout.clock = NULL;
	layout.ranges = (struct ctf_ranges){ 0 };
	layout.where = (struct ctf_location){ 0 };
	*copy->layout = layout;
	return copy_path(&copy->layout->where, &class->layout->where) &&
	       ctf_ranges_copy(&copy->layout->ranges, &class->layout->ranges) &&
	       copy_text(&copy->layout->clock, class->layout->clock) &&
	       copy_text(&copy->labels, class->labels) && copy_members(copy, class) ?
	       copy : NULL;
}

struct ctf_stream_class *ctf_schema_stream(const struct ctf_schema *schema, __u64 id)
{
	struct ctf_stream_class *s = schema->streams;

	while (s && s->id != id)
		s = s->next;
	return s;
}

static __u32 bucket_of(__u64 stream, __u64 id)
{
	return (__u32)((stream * 31 + id) % CTF_BUCKETS);
}

const struct ctf_event_class *ctf_schema_event(const struct ctf_schema *schema, __u64 stream,
					       __u64 id)
{
	const struct ctf_event_class *e = schema->events[bucket_of(stream, id)];

	while (e && (e->id != id || e->stream != stream))
		e = e->next;
	return e;
}

void ctf_schema_add_event(struct ctf_schema *schema, struct ctf_event_class *event)
{
	struct ctf_event_class **at = &schema->events[bucket_of(event->stream, event->id)];

	event->next = *at;
	*at = event;
}

const struct ctf_env *ctf_schema_env(const struct ctf_schema *schema, const char *key)
{
	const struct ctf_env *e = schema->env;

	while (e && strcmp(e->key, key))
		e = e->next;
	return e;
}

const char *ctf_schema_env_text(const struct ctf_schema *schema, const char *key)
{
	const struct ctf_env *e = ctf_schema_env(schema, key);

	return e ? e->text : NULL;
}

static void free_layouts(struct ctf_class *class)
{
	for (; class; class = class->next) {
		if (!class->layout)
			continue;
		for (__u32 i = 0; i < class->layout->where.nr; i++)
			free(class->layout->where.path[i]);
		free(class->layout->where.path);
		free(class->layout->clock);
		free(class->layout->ranges.at);
	}
}

static void free_clocks(struct ctf_clock *c)
{
	struct ctf_clock *next;

	for (; c; c = next) {
		next = c->next;
		free(c->id);
		free(c->name);
		free(c->uid);
		free(c);
	}
}

static void free_events(struct ctf_event_class *e)
{
	struct ctf_event_class *next;

	for (; e; e = next) {
		next = e->next;
		free(e->name);
		free(e);
	}
}

void ctf_schema_free(struct ctf_schema *schema)
{
	struct ctf_stream_class *stream;
	struct ctf_env *env;

	free_layouts(schema->pool);
	ctf_class_free(schema->pool);
	free_clocks(schema->clocks);
	for (__u32 i = 0; i < CTF_BUCKETS; i++)
		free_events(schema->events[i]);
	while ((stream = schema->streams)) {
		schema->streams = stream->next;
		free(stream);
	}
	while ((env = schema->env)) {
		schema->env = env->next;
		free(env->key);
		free(env->text);
		free(env);
	}
}

bool ctf_ranges_have(const struct ctf_ranges *ranges, __s64 value, bool is_signed)
{
	for (__u32 i = 0; i < ranges->nr; i++) {
		const struct ctf_range *r = &ranges->at[i];

		if (is_signed ? value >= r->low && value <= r->high :
				(__u64)value >= (__u64)r->low && (__u64)value <= (__u64)r->high)
			return true;
	}
	return false;
}

bool ctf_ranges_copy(struct ctf_ranges *to, const struct ctf_ranges *from)
{
	for (__u32 i = 0; i < from->nr; i++)
		if (!ctf_ranges_add(to, from->at[i]))
			return false;
	return true;
}

bool ctf_ranges_add(struct ctf_ranges *ranges, struct ctf_range range)
{
	struct ctf_range *at = ranges->nr & (ranges->nr + 1) ? ranges->at :
		realloc(ranges->at, (2 * (size_t)ranges->nr + 2) * sizeof(*at));

	if (!at || ranges->nr == 0x7fffffff)
		return false;
	ranges->at = at;
	at[ranges->nr++] = range;
	return true;
}

static int digit_of(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
	       c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool ctf_uuid_parse(const char *text, unsigned char uuid[16])
{
	int nr = 0;

	for (; *text && nr < 32; text++) {
		const int digit = digit_of(*text);

		if (digit < 0 && *text != '-')
			return false;
		if (digit < 0)
			continue;
		uuid[nr / 2] = (unsigned char)(nr % 2 ? uuid[nr / 2] | digit : digit << 4);
		nr++;
	}
	return nr == 32 && !*text;
}
