/* SPDX-License-Identifier: GPL-2.0 */
/*
 * object_names.h - readable names of addresses and threads
 *
 * They come from events name:object and name:thread, see ktrace/name.h, and from a file. Kept up
 * to date with each event, in order; then it is asked what an address of that event is called.
 *
 * A name is one process's. A child of fork(2) has those that its parent had; another program
 * (exec) has none but those of the file. It ends with the object: behind the event that says that
 * the object was destroyed, or at one that says that it is made although it was in use
 * since it was named. What is called so may be said before the object is made. Of threads, by what
 * identifies them: behind a join, or when another begins although this one has ended.
 */
#ifndef VIEWER_EVENTS_OBJECT_NAMES_H
#define VIEWER_EVENTS_OBJECT_NAMES_H

#include <ktrace/traceset.h>

struct object_names;

/* Return: 0, -ENOMEM. */
int object_names_new(struct object_names **out);
/* NULL is allowed. Names that were found are gone, too. */
void object_names_free(struct object_names *a);

/*
 * Names from a file, a line each: [PID] 0xADDRESS NAME; empty lines and those that begin with #
 * say nothing. Before anything is read. Returns what is wrong, "FILE:LINE: ...", valid until the
 * next call; NULL = nothing.
 */
const char *object_names_add_file(struct object_names *a, const char *path);

/*
 * The files that events come from; before the first event. Return: 1 = there can be names, 0 =
 * there cannot, and object_names_update() need not be called; -ENOMEM.
 */
int object_names_begin(struct object_names *a, const struct ktrace_traceset *set);
/* Takes the next event in. Return: 0, -ENOMEM. */
int object_names_update(struct object_names *a, const struct ktrace_trace_event *e);

/*
 * What an address is called at the event taken in last, by its process; @e is that event. NULL =
 * it has no name. Valid until object_names_free(). @a may be NULL.
 */
const char *object_names_object(const struct object_names *a, const struct ktrace_trace_event *e,
				__u64 address);
/* The same for the thread of the event. */
const char *object_names_thread(const struct object_names *a, const struct ktrace_trace_event *e);
/* The same for another process or thread of the same machine. */
const char *object_names_find_object(const struct object_names *a, const struct ktrace_trace *trace,
				     __u32 pid, __u64 address);
const char *object_names_find_thread(const struct object_names *a, const struct ktrace_trace *trace,
				     __u32 pid, __u32 tid);

/* Is it the address of an object? Pointers are, and what identifies a thread. */
bool object_name_is_address(const struct ktrace_value *v);
/* The process of an event; the thread, where it is not known. */
__u32 object_name_pid(const struct ktrace_trace_event *e);

#endif
