// SPDX-License-Identifier: GPL-2.0
/* object.c - selects objects by address or name */
#include "object.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static const char *add(struct objects *o, const char *word)
{
	struct object *list = realloc(o->list, (o->nr + 1) * sizeof(*list));
	struct object *object;
	char *end = NULL;

	if (!list)
		return "out of memory";
	o->list = list;
	object = &list[o->nr];
	*object = (struct object){ .has_address = !strncmp(word, "0x", 2) };
	errno = 0;
	if (object->has_address)
		object->address = strtoull(word + 2, &end, 16);
	if (!*word || (end && (*end || errno || !word[2] || word[2] == '-' || word[2] == '+')))
		return "-n: neither an address such as 0x55ae0d796200 nor a name";
	object->name = strdup(word);
	o->nr += object->name != NULL;
	return object->name ? NULL : "out of memory";
}

const char *objects_add(struct objects *o, const char *list)
{
	char *copy = strdup(list), *rest = copy, *word;
	const char *wrong = copy ? NULL : "out of memory";

	while (!wrong && (word = strsep(&rest, ",")))
		wrong = add(o, word);
	free(copy);
	return wrong;
}

static bool matches(const struct objects *o, __u64 address, const char *name)
{
	const struct object *object;

	for (object = o->list; object < o->list + o->nr; object++)
		if (object->has_address ? object->address == address :
		    name && (!strcmp(object->name, name) || !fnmatch(object->name, name, 0)))
			return true;
	return false;
}

bool objects_match(const struct objects *o, const struct object_names *a,
		   const struct ktrace_trace_event *e)
{
	struct ktrace_values it;
	struct ktrace_value v;
	__u64 address;

	if (!o->nr || e->id == KTRACE_ID_LOST)
		return true;
	if (!e->type || e->flags & KTRACE_EVENT_NO_START)
		return false;
	ktrace_values_init(&it, e->type, e->payload, e->len);
	while (ktrace_values_next(&it, &v)) {
		if (!object_name_is_address(&v))
			continue;
		address = (__u64)ktrace_value_s64(&v, 0);
		if (matches(o, address, object_names_object(a, e, address)))
			return true;
	}
	return false;
}

void objects_free(struct objects *o)
{
	while (o->nr)
		free(o->list[--o->nr].name);
	free(o->list);
}
