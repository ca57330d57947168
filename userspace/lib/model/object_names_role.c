// SPDX-License-Identifier: LGPL-2.1
/*
 * object_names_role.c - roles of events in the life of named objects
 *
 * Events of libktrace-pthread follow one rule for all kinds of objects: NAME_init makes an object,
 * NAME_destroy removes it. An object exists from the beginning of the call that makes it, and is
 * gone at the end of the call that removes it, if that succeeded.
 */
#include "object_names_role.h"

#include <fnmatch.h>
#include <stdint.h>
#include <string.h>

#include "object_names.h"

static const struct {
	const char *glob;
	enum object_name_role role;
} roles[] = {
	{ "name:object", OBJECT_NAME_ROLE_NAME_OBJECT },
	{ "name:thread", OBJECT_NAME_ROLE_NAME_THREAD },
	{ "pthread:*_init_in", OBJECT_NAME_ROLE_BEGIN },
	{ "pthread:*_destroy_out", OBJECT_NAME_ROLE_END },
	{ "pthread:sem_close_out", OBJECT_NAME_ROLE_END },
	{ "pthread:*join_out", OBJECT_NAME_ROLE_END },
	{ "pthread:thread_start", OBJECT_NAME_ROLE_THREAD_START },
	{ "pthread:thread_end", OBJECT_NAME_ROLE_THREAD_END },
	{ "pthread:*", OBJECT_NAME_ROLE_USE },
	{ "*", OBJECT_NAME_ROLE_NONE },
};

enum object_name_role object_name_role(struct object_name_roles *r,
				       const struct ktrace_event_type *type)
{
	const size_t slot = ((uintptr_t)type >> 4) % OBJECT_NAME_ROLE_NR;
	size_t i = 0;

	if (r->known[slot].type != type) {
		while (fnmatch(roles[i].glob, type->full_name, 0))
			i++;
		r->known[slot].type = type;
		r->known[slot].role = roles[i].role;
	}
	return r->known[slot].role;
}

void object_name_role_args(struct object_name_roles *r, const struct ktrace_trace_event *e,
			   struct object_name_role_args *args)
{
	bool has_address = false, has_result = false;
	struct ktrace_values it;
	struct ktrace_value v;

	memset(args, 0, sizeof(*args));
	args->role = object_name_role(r, e->type);
	ktrace_values_init(&it, e->type, e->payload, e->len);
	while (!(e->flags & KTRACE_EVENT_NO_START) && ktrace_values_next(&it, &v)) {
		if (!has_address && object_name_is_address(&v)) {
			args->address = (__u64)ktrace_value_s64(&v, 0);
			has_address = true;
		} else if (v.field->shape == KTRACE_STRING) {
			args->text = v.data;
			args->size = strnlen(v.data, v.count);
		} else if (!strcmp(v.field->name, "result") && v.count) {
			args->result = ktrace_value_s64(&v, 0);
			has_result = true;
		}
	}
	args->is_whole = (has_address || args->role == OBJECT_NAME_ROLE_NAME_THREAD ||
			  args->role == OBJECT_NAME_ROLE_THREAD_END) &&
			 (has_result || args->role != OBJECT_NAME_ROLE_END) &&
			 (args->text || args->role > OBJECT_NAME_ROLE_NAME_THREAD);
}
