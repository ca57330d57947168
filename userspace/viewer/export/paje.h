/* SPDX-License-Identifier: GPL-2.0 */
/*
 * paje.h - shared by the parts of ktrace export --to paje
 *
 *   paje_text.c   lines
 *   paje_show.c   writes what the model says: containers, states, variables
 *   paje_links.c  which event let a thread go on
 *   paje.c	the two readings of the files: events, links
 */
#ifndef VIEWER_EXPORT_PAJE_H
#define VIEWER_EXPORT_PAJE_H

#include "base/hash_table.h"
#include "export.h"
#include "paje_links.h"
#include "paje_text.h"
#include "pthread/model_name.h"

/* struct paje_object - the last written state of an object */
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
 * struct paje_name - what the first reading learnt about a thread, or one life of an object
 * @key:	serial number of the thread; or of the object, with its life
 * @raw:	of a thread: stamp of its latest event
 * @text:	its latest name given by the program, NULL = none
 */
struct paje_name {
	__u64 key;
	__u64 raw;
	const char *text;
};

/* struct paje_made - a thread, process or machine: whether its container exists or has ended */
struct paje_made {
	__u64 serial;
	bool is_made;
	bool is_over;
};

/**
 * struct paje - one run
 * @x:		options and files
 * @out:	output stream
 * @states:	thread states, for the model
 * @sync:	the model
 * @links:	links, kept over both readings
 * @machines:	table of struct paje_made
 * @processes:	the same
 * @threads:	the same
 * @objects:	table of struct paje_object
 * @aliases:	names given by the program, during the first reading
 * @thread_names: table of struct paje_name: a container keeps one name, so the last one is used
 * @object_names: the same
 * @e:		the current event
 * @start:	time of the very first event
 * @from:	first time of the window
 * @to:		end of the window, exclusive
 * @now:	time of the lines being written
 * @is_second:	this is the second reading
 * @is_open:	the window has begun, and the states at its start are written
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

/* Writes the types of containers, states and so on, with their values. */
void paje_show_types(struct ktrace_out *out);
/* True if this thread or process is selected. */
bool paje_wants(const struct paje *p, __u32 tid, __u32 pid);
/*
 * Writes the current state of a thread or object, in the window of the second reading; creates its
 * container first if needed.
 */
void paje_show_thread(struct paje *p, const struct model_thread *t);
void paje_show_object(struct paje *p, const struct model_object *o);
/* Writes all threads and objects, as they are at the start of the window. */
void paje_show_all(struct paje *p);
/* Destroys all containers. */
void paje_show_end(struct paje *p);
/* Writes the current event on its thread. */
void paje_show_event(struct paje *p, const struct model_thread *t);
/* Begins a line about the thread, with its time; false if the thread is not selected or gone. */
bool paje_show_begin(struct paje *p, const struct model_thread *t, enum paje_line line);

#endif
