/* SPDX-License-Identifier: GPL-2.0 */
/* alias_role.h - what events mean for names: see alias.h */
#ifndef VIEWER_ALIAS_ROLE_H
#define VIEWER_ALIAS_ROLE_H

#include <ktrace/traceset.h>

#define ALIAS_ROLE_NR 256u

enum alias_role {
	ALIAS_ROLE_UNKNOWN,	/* not looked at yet */
	ALIAS_ROLE_NONE,
	ALIAS_ROLE_NAME_OBJECT,
	ALIAS_ROLE_NAME_THREAD,
	ALIAS_ROLE_BEGIN,	/* an object is to be made */
	ALIAS_ROLE_END,		/* an object is gone */
	ALIAS_ROLE_THREAD_START,
	ALIAS_ROLE_THREAD_END,
	ALIAS_ROLE_USE,		/* any other event about objects */
};

/* struct alias_roles - roles of event types, remembered by address; all zero to begin with */
struct alias_roles {
	struct {
		const struct ktrace_event_type *type;
		enum alias_role role;
	} known[ALIAS_ROLE_NR];
};

/**
 * struct alias_role_args - what an event says
 * @role:	what it means
 * @is_whole:	all that is needed for it is there
 * @address:	of the object
 * @result:	of the call, 0 = it succeeded
 * @text:	the name, not terminated
 * @size:	bytes of it
 */
struct alias_role_args {
	enum alias_role role;
	bool is_whole;
	__u64 address;
	__s64 result;
	const char *text;
	size_t size;
};

enum alias_role alias_role(struct alias_roles *r, const struct ktrace_event_type *type);
/* @e has a type. */
void alias_role_args(struct alias_roles *r, const struct ktrace_trace_event *e,
		     struct alias_role_args *args);

#endif
