/* SPDX-License-Identifier: GPL-2.0 */
/*
 * paje.h - ktrace export --to paje, as its parts see it
 *
 *   paje_text.c   lines
 *   paje_show.c   containers, states, variables: what the model says, as lines
 *   paje_links.c  which event let a thread go on
 *   paje.c        the two readings: events, links
 */
#ifndef VIEWER_EXPORT_PAJE_H
#define VIEWER_EXPORT_PAJE_H

#include "base/hash_table.h"
#include "export.h"
#include "paje_links.h"
#include "paje_text.h"
#include "pthread/model_name.h"

/* struct paje_object - what was last written of an object */
struct paje_object {
	__u64 serial;
	bool is_made;
	__u8 kind;
	__u8 state;
	__u32 life;
	__u32 owner;
	__u32 waiters;
	__s64 level;
};

/**
 * struct paje_name - what the first reading has found of a thread, or of an object in one life
 * @key:	serial number of the thread; of an object, and its life
 * @raw:	thread: stamp of its latest event
 * @text:	what the program called it last, NULL = nothing
 */
struct paje_name {
	__u64 key;
	__u64 raw;
	const char *text;
};

/* struct paje_made - a container, there or gone, by serial number: of a thread, process, machine */
struct paje_made {
	__u64 serial;
	bool is_made;
	bool is_over;
};

/**
 * struct paje - one run
 * @x:		options, files
 * @out:	where to
 * @states:	for the model
 * @sync:	the model
 * @links:	of both readings
 * @machines:	of struct paje_made
 * @processes:	the same
 * @threads:	the same
 * @objects:	of struct paje_object
 * @aliases:	names that the program gives, during the first reading
 * @thread_names: of struct paje_name: containers have one name for good, the last one
 * @object_names: the same
 * @e:		event being taken in
 * @start:	time of the first event of all
 * @from:	first time of the window
 * @to:		first time behind it
 * @now:	time of what is written
 * @is_second:	of the two readings
 * @is_open:	the window has begun, and what was known then is written
 * @error:	-errno
 */
struct paje {
	struct export *x;
	struct ktrace_out *out;
	struct ktrace_states *states;
	struct model *sync;
	struct paje_links links;
	struct hash_table machines;
	struct hash_table processes;
	struct hash_table threads;
	struct hash_table objects;
	struct object_names *aliases;
	struct hash_table thread_names;
	struct hash_table object_names;
	const struct ktrace_trace_event *e;
	__u64 start;
	__u64 from;
	__u64 to;
	__u64 now;
	bool is_second;
	bool is_open;
	int error;
};

static inline __u64 paje_object_key(const struct model_object *o)
{
	return (__u64)o->life << 32 | o->serial;
}

/* Types of containers, states and so on, values */
void paje_show_types(struct ktrace_out *out);
/* Was this thread, or process, asked for? */
bool paje_wants(const struct paje *p, __u32 tid, __u32 pid);
/* States as they are now, in the window of the second reading; containers if there are none yet */
void paje_show_thread(struct paje *p, const struct model_thread *t);
void paje_show_object(struct paje *p, const struct model_object *o);
/* All threads and objects, as they are where the window begins */
void paje_show_all(struct paje *p);
/* The end of all containers */
void paje_show_end(struct paje *p);
/* The event as one of its thread */
void paje_show_event(struct paje *p, const struct model_thread *t);
/* A line about the thread begins, with its time: false = it is not asked for, or gone */
bool paje_show_begin(struct paje *p, const struct model_thread *t, enum paje_line line);

#endif
