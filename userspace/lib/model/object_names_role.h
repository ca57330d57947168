/* SPDX-License-Identifier: LGPL-2.1 */
/* object_names_role.h - roles of events in the life of named objects: see object_names.h */
#ifndef KTRACE_MODEL_OBJECT_NAMES_ROLE_H
#define KTRACE_MODEL_OBJECT_NAMES_ROLE_H

#include <ktrace/traceset.h>

#define OBJECT_NAME_ROLE_NR 256u

enum object_name_role {
	OBJECT_NAME_ROLE_UNKNOWN,	/* not yet determined */
	OBJECT_NAME_ROLE_NONE,
	OBJECT_NAME_ROLE_NAME_OBJECT,
	OBJECT_NAME_ROLE_NAME_THREAD,
	OBJECT_NAME_ROLE_BEGIN,	/* an object is about to be made */
	OBJECT_NAME_ROLE_END,		/* an object is gone */
	OBJECT_NAME_ROLE_THREAD_START,
	OBJECT_NAME_ROLE_THREAD_END,
	OBJECT_NAME_ROLE_USE,		/* any other event about objects */
};

/* struct object_name_roles - cached roles of event types; all zero to begin with */
struct object_name_roles {
	struct {
		const struct ktrace_event_type *type;
		enum object_name_role role;
	} known[OBJECT_NAME_ROLE_NR];
};

/**
 * struct object_name_role_args - arguments of an event
 * @role:	its role
 * @is_whole:	all arguments of the role are present
 * @address:	address of the object
 * @result:	result of the call, 0 = success
 * @text:	the name, not terminated
 * @size:	bytes of @text
 */
struct object_name_role_args {
	enum object_name_role role;
	bool is_whole;
	__u64 address;
	__s64 result;
	const char *text;
	size_t size;
};

enum object_name_role object_name_role(struct object_name_roles *r,
				       const struct ktrace_event_type *type);
/* Reads the arguments of @e, which must have a type. */
void object_name_role_args(struct object_name_roles *r, const struct ktrace_trace_event *e,
			   struct object_name_role_args *args);

#endif
