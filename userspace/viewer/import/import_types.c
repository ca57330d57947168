// SPDX-License-Identifier: GPL-2.0
/* import_types.c - types of events of another tool's trace, and their numbers in the tracefile */
#include "import_types.h"

#include <errno.h>
#include <ktrace/session.h>
#include <ktrace/tracefile.h>
#include <stdlib.h>
#include <string.h>

#include "import_map.h"

#define IDS 65536u

void import_types_init(struct import_types *types)
{
	types->next_id[KTRACE_CHANNEL_KERNEL] = KTRACE_EV_DYNAMIC;
	types->next_id[KTRACE_CHANNEL_USER] = KTRACE_ID_FIRST;
}

static void free_type(struct import_type *t)
{
	if (!t)
		return;
	ktrace_event_type_free(t->parsed);
	import_map_free(t->plan);
	free(t->desc);
	free(t);
}

void import_types_free(struct import_types *types)
{
	struct import_type *t, *next;

	for (__u32 i = 0; i < IMPORT_TYPES_BUCKETS; i++)
		for (t = types->buckets[i]; t; t = next) {
			next = t->next;
			free_type(t);
		}
	for (__u32 i = 0; i < KTRACE_EV_DYNAMIC; i++)
		free(types->own[i]);
}

static struct import_type **find(struct import_types *types, __u32 kind, const char *desc)
{
	struct import_type **at;
	__u32 hash = 2166136261u ^ kind;

	for (const char *s = desc; *s; s++)
		hash = (hash ^ (unsigned char)*s) * 16777619u;
	at = &types->buckets[hash % IMPORT_TYPES_BUCKETS];
	while (*at && ((*at)->parsed->kind != kind || strcmp((*at)->desc, desc)))
		at = &(*at)->next;
	return at;
}

/* Returns the number of ktrace's own event with this description, 0 = none */
static __u16 own_id(const char *desc)
{
	const struct ktrace_kernel_event *event;

	for (__u32 i = 0; (event = ktrace_kernel_event(i)); i++)
		if (!strcmp(event->desc, desc))
			return event->id;
	return 0;
}

static int put_line(struct ktrace_tracefile *tf, const struct import_type *t, const char *desc)
{
	struct ktrace_text text = { 0 };
	int ret;

	ktrace_text_line(&text, "event");
	ktrace_text_str(&text, "kind",
			t->parsed->kind == KTRACE_CHANNEL_KERNEL ? "kernel" : "user");
	ktrace_text_u64(&text, "id", t->id);
	ktrace_text_str(&text, "desc", desc);
	ret = ktrace_text_flush(&text, tf);
	ktrace_text_free(&text);
	return ret;
}

/*
 * Gives a type the number of ktrace's own event that it is, perhaps with fields appended; only the
 * first description of a number gets it. *@is_new: it still needs a description. Return: 0,
 * -ENOMEM.
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

/* @desc: describes its events in the file */
static int describe(struct import_types *types, struct ktrace_tracefile *tf,
		    struct import_type *t, const char *desc)
{
	const __u32 kind = t->parsed->kind;
	bool is_new = true;
	int ret = kind == KTRACE_CHANNEL_KERNEL ? take_own_id(types, t, desc, &is_new) : 0;

	if (ret || !is_new)
		return ret;
	/* Reserves the last number for IMPORT_WRITER_TEXT. */
	if (!t->id && types->next_id[kind] >= (strcmp(desc, IMPORT_WRITER_TEXT) ? IDS - 1 : IDS))
		return -EOVERFLOW;
	if (!t->id)
		t->id = (__u16)types->next_id[kind]++;
	return put_line(tf, t, desc);
}

static int describe_as_planned(struct import_types *types, struct ktrace_tracefile *tf,
			       struct import_type *t)
{
	char *desc = import_map_desc(t->plan, t->parsed);
	int ret;

	if (!desc)
		return -ENOMEM;
	ret = describe(types, tf, t, desc);
	free(desc);
	return ret;
}

static int make(struct import_writer *f, const char *desc, struct ktrace_event_type *parsed,
		struct import_type **out)
{
	struct import_type *t = calloc(1, sizeof(*t));
	int ret = 0;

	*out = t;
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
	return ret;
}

int import_types_get(struct import_types *types, struct import_writer *f,
		     struct ktrace_tracefile *tf, __u32 kind, const char *desc,
		     const struct import_type **out)
{
	struct import_type **place = find(types, kind, desc), *t;
	struct ktrace_event_type *parsed;
	int ret;

	*out = *place;
	if (*place)
		return 0;
	ret = ktrace_event_type_parse(desc, &parsed);
	if (ret)
		return ret;
	parsed->kind = (__u16)kind;
	ret = make(f, desc, parsed, &t);
	if (!ret)
		ret = t->plan ? describe_as_planned(types, tf, t) : describe(types, tf, t, desc);
	if (ret)
		free_type(t);
	else
		*out = *place = t;
	return ret;
}
