// SPDX-License-Identifier: GPL-2.0
/*
 * import_type.c - types of events of another tool's trace
 *
 * A type is found by the text that describes it. Its description is written when it is made, so
 * it comes before its first event.
 */
#include "import_writer.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/session.h>
#include <ktrace/tracefile.h>

#include "import_map.h"

#define BUCKETS 1024u
#define IDS 65536u

/*
 * struct import_types - all types
 * next_id: of those without a number of ktrace's own
 * own: how the file describes the kernel's events that have one, NULL = not yet
 */
struct import_types {
	struct import_type *buckets[BUCKETS];
	__u32 next_id[IMPORT_WRITER_KINDS];
	char *own[KTRACE_EV_DYNAMIC];
};

int import_types_new(struct import_types **out)
{
	struct import_types *types = calloc(1, sizeof(*types));

	if (!types)
		return -ENOMEM;
	types->next_id[KTRACE_CHANNEL_KERNEL] = KTRACE_EV_DYNAMIC;
	types->next_id[KTRACE_CHANNEL_USER] = KTRACE_ID_FIRST;
	*out = types;
	return 0;
}

static void free_type(struct import_type *t)
{
	ktrace_event_type_free(t->parsed);
	import_map_free(t->plan);
	free(t->desc);
	free(t);
}

void import_types_free(struct import_types *types)
{
	struct import_type *t, *next;

	for (__u32 i = 0; types && i < BUCKETS; i++)
		for (t = types->buckets[i]; t; t = next) {
			next = t->next;
			free_type(t);
		}
	for (__u32 i = 0; types && i < KTRACE_EV_DYNAMIC; i++)
		free(types->own[i]);
	free(types);
}

static struct import_type **find(struct import_types *types, __u32 kind, const char *desc)
{
	struct import_type **at;
	__u32 hash = 2166136261u ^ kind;

	for (const char *s = desc; *s; s++)
		hash = (hash ^ (unsigned char)*s) * 16777619u;
	at = &types->buckets[hash % BUCKETS];
	while (*at && ((*at)->parsed->kind != kind || strcmp((*at)->desc, desc)))
		at = &(*at)->next;
	return at;
}

/* The number of the event of ktrace's own that is described so, 0 = it is none */
static __u16 own_id(const char *desc)
{
	const struct ktrace_kernel_event *event;

	for (__u32 i = 0; (event = ktrace_kernel_event(i)); i++)
		if (!strcmp(event->desc, desc))
			return event->id;
	return 0;
}

static int put_line(struct import_writer *f, const struct import_type *t, const char *desc)
{
	struct ktrace_text text = { 0 };
	int ret;

	ktrace_text_line(&text, "event");
	ktrace_text_str(&text, "kind",
			t->parsed->kind == KTRACE_CHANNEL_KERNEL ? "kernel" : "user");
	ktrace_text_u64(&text, "id", t->id);
	ktrace_text_str(&text, "desc", desc);
	ret = ktrace_text_flush(&text, import_writer_file(f));
	ktrace_text_free(&text);
	return ret;
}

/*
 * Takes the number of the event of ktrace's own that a type is, with fields behind it or not: the
 * first that is described so has it. *@is_new: it is to be described. Return: 0, -ENOMEM.
 */
static int take_own_id(struct import_types *types, struct import_type *t, const char *desc,
		       bool *is_new)
{
	const __u16 id = t->plan ? import_map_id(t->plan) : own_id(desc);

	if (!id || (types->own[id] && strcmp(types->own[id], desc)))
		return 0;
	t->id = id;
	*is_new = !types->own[id];
	if (*is_new)
		types->own[id] = strdup(desc);
	return types->own[id] ? 0 : -ENOMEM;
}

/* @desc: what its events are in the file */
static int describe(struct import_writer *f, struct import_type *t, const char *desc)
{
	struct import_types *types = import_types_of(f);
	const __u32 kind = t->parsed->kind;
	bool is_new = true;
	int ret = kind == KTRACE_CHANNEL_KERNEL ? take_own_id(types, t, desc, &is_new) : 0;

	if (ret || !is_new)
		return ret;
	/* The last one is for what has no type of its own. */
	if (!t->id && types->next_id[kind] >= (strcmp(desc, IMPORT_WRITER_TEXT) ? IDS - 1 : IDS))
		return -EOVERFLOW;
	if (!t->id)
		t->id = (__u16)types->next_id[kind]++;
	return put_line(f, t, desc);
}

static int describe_as_planned(struct import_writer *f, struct import_type *t)
{
	char *desc = import_map_desc(t->plan, t->parsed);
	int ret;

	if (!desc)
		return -ENOMEM;
	ret = describe(f, t, desc);
	free(desc);
	return ret;
}

static int make(struct import_writer *f, struct import_type **place, const char *desc,
		struct ktrace_event_type *parsed)
{
	struct import_type *t = calloc(1, sizeof(*t));
	int ret = 0;

	if (!t) {
		ktrace_event_type_free(parsed);
		return -ENOMEM;
	}
	t->parsed = parsed;
	t->desc = strdup(desc);
	if (!t->desc)
		ret = -ENOMEM;
	if (!ret && parsed->kind == KTRACE_CHANNEL_KERNEL)
		ret = import_map_make(f, parsed, &t->plan);
	if (!ret)
		ret = t->plan ? describe_as_planned(f, t) : describe(f, t, desc);
	if (ret)
		free_type(t);
	else
		*place = t;
	return ret;
}

int import_type(struct import_writer *f, __u32 kind, const char *desc,
		const struct import_type **out)
{
	struct import_type **place = find(import_types_of(f), kind, desc);
	struct ktrace_event_type *parsed;
	int ret = 0;

	if (!*place) {
		ret = ktrace_event_type_parse(desc, &parsed);
		if (ret)
			return ret;
		parsed->kind = (__u16)kind;
		ret = make(f, place, desc, parsed);
	}
	*out = *place;
	return ret;
}

void import_writer_name(struct ktrace_out *out, const char *s)
{
	if (!*s)
		ktrace_out_char(out, '_');
	for (; *s; s++) {
		const bool is_fine = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
				     (*s >= '0' && *s <= '9') || strchr("_.-+|", *s);

		ktrace_out_char(out, is_fine ? *s : '_');
	}
}
