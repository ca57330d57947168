/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * object_names.h - readable names of addresses and threads
 *
 * Names come from events name:object and name:thread, see ktrace/name.h, and from a file. They are
 * updated with each event, in order; then the names of that event's addresses can be asked for.
 *
 * A name belongs to one process. A child of fork(2) inherits the names of its parent; after exec(2)
 * only those of the file are left. A name ends with its object: after the event that reports its
 * destruction, or at one that reports its initialisation if the object was used since it was named.
 * A program may name an object before initialising it. Threads are named by their handle, too: that
 * name ends after a join, or when another thread begins although this one has ended.
 */
#ifndef KTRACE_MODEL_OBJECT_NAMES_H
#define KTRACE_MODEL_OBJECT_NAMES_H

#include <ktrace/traceset.h>

struct object_names;

/* Return: 0, -ENOMEM. */
int object_names_new(struct object_names **out);
/* Frees it, with all returned names. NULL is allowed. */
void object_names_free(struct object_names *a);

/*
 * Adds the names in a file; makes @a if it is NULL. Returns an error, valid until the next call;
 * NULL = none.
 */
const char *object_names_read(struct object_names **a, const char *path);

/*
 * Sets the files that events come from; call it before the first event. Return: 1 = there can be
 * names; 0 = there cannot, and object_names_update() need not be called; -ENOMEM.
 */
int object_names_begin(struct object_names *a, const struct ktrace_traceset *set);
/* Updates the names with the next event. Return: 0, -ENOMEM. */
int object_names_update(struct object_names *a, const struct ktrace_trace_event *e);

/*
 * Returns the name of an address in the process of @e, the last event passed to
 * object_names_update(). NULL = it has none. Valid until object_names_free(). @a may be NULL.
 */
const char *object_names_object(const struct object_names *a, const struct ktrace_trace_event *e,
				__u64 address);
/* Returns the name of the event's thread in the same way. */
const char *object_names_thread(const struct object_names *a, const struct ktrace_trace_event *e);
/* Return the names of another process's object or thread on the same machine. */
const char *object_names_find_object(const struct object_names *a, const struct ktrace_trace *trace,
				     __u32 pid, __u64 address);
const char *object_names_find_thread(const struct object_names *a, const struct ktrace_trace *trace,
				     __u32 pid, __u32 tid);

/* True for the address of an object: pointers and thread handles. */
bool object_name_is_address(const struct ktrace_value *v);
/* Returns the process of an event; its thread id if the process is not known. */
__u32 object_name_pid(const struct ktrace_trace_event *e);

#endif
