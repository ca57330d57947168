/* SPDX-License-Identifier: GPL-2.0 */
/*
 * contention.h - one run of ktrace contention, as its parts see it
 *
 *   cmd_contention.c   options, waits
 *   contention_held.c  what threads had, and whom that held up
 *   contention_show.c  tables, JSON, pictures
 */
#ifndef VIEWER_COMMANDS_CONTENTION_H
#define VIEWER_COMMANDS_CONTENTION_H

#include "analysis/analysis.h"

#include "base/histogram.h"
#include "events/object_names.h"
#include "pthread/model_name.h"
#include "symbols/symbols.h"

#define LONGEST_NR 10u
#define DEPTH_NR 4u

/* struct waited - an object, and what it was called and was when it was waited for */
struct waited {
	const struct model_object *object;	/* NULL: none, but a thread */
	const char *name;			/* may be NULL */
	__u32 kind;
	__u64 raw;				/* stamp of an event in @trace */
	const struct ktrace_trace *trace;
};

/* struct row - waits or holds of one key */
struct row {
	struct key {
		__u64 a;
		__u64 b;
	} key;
	const struct model_thread *thread;
	const struct model_thread *holder;	/* HELD_UP: who had the object meanwhile */
	const char *alias, *holder_alias;	/* what the program calls them, may be NULL */
	struct waited waited;
	struct histogram dist;
};

/* struct longest - the longest waits or holds, clipped; of a hold some members of @wait are 0 */
struct longest {
	__u32 nr;
	struct longest_row {
		struct model_wait wait;
		const char *alias;		/* of its thread */
		struct waited waited;
		__u64 ns;
	} rows[LONGEST_NR];
};

/*
 * Rows of waits are about a thread, an object, a thread and an object, a place, a kind; those of
 * holds about an object, or a place where it was taken; HELD_UP has those of a thread that waited,
 * one that had the object, and the object.
 */
enum { KINDS, THREADS, OBJECTS, PAIRS, PLACES, HELD, HELD_PLACES, HELD_UP, TABLES };

/**
 * struct contention - one run of the command
 * @a:		what analyses have in common
 * @sync:	the model
 * @kinds:	bits of enum model_kind that are asked for, 0 = all
 * @rows:	one table each
 * @longest:	waits
 * @longest_held: holds
 * @sum:	of all waits
 * @held:	of all holds
 * @object_sum:	of waits for objects
 * @held_up_sum: of waits while it is known who had the object
 * @nests:	waits inside of others, by thread
 * @waiting:	threads that wait for a lock, by thread
 * @heads:	the first of those that wait for a lock, by object
 * @shows_pairs: threads and objects together, too
 * @shows_holds: holds, too
 * @shows_holders: who held up whom, too
 * @is_ending:	waits are told that are not over
 * @aliases:	names of objects
 * @where:	of symbols
 * @symbols:	what is at an address
 */
struct contention {
	struct analysis a;
	struct model *sync;
	__u32 kinds;
	struct hash_table rows[TABLES];
	struct longest longest, longest_held;
	struct histogram sum, held;
	__u64 object_sum, held_up_sum;
	struct hash_table nests, waiting, heads;
	bool shows_pairs, shows_holds, shows_holders, is_ending;
	struct object_names *aliases;
	struct symbols_where where;
	struct symbols *symbols;
};

/* cmd_contention.c */
static inline bool contention_wants(const struct contention *c, __u32 kind)
{
	return !c->kinds || c->kinds & 1u << kind;
}

/* "mutex" and so on; "join" of a wait for a thread */
const char *contention_kind(__u32 kind);
/* The object as it is now, NULL = none, and as @t knows it */
struct waited contention_waited(const struct contention *c, const struct model_thread *t,
				const struct model_object *object);
/* Adds a duration to the row, or makes it. NULL: no memory, and @c->a.error says so */
struct row *contention_add(struct contention *c, int table, const struct key *key, __u64 ns);
/* Takes in a wait or hold if it is among the longest. */
void contention_keep(struct contention *c, struct longest *l, const struct model_wait *w, __u64 ns);

/* contention_held.c */
/* Watches of the model */
void contention_on_given(void *arg, const struct model_hold *h);
void contention_on_thread(void *arg, const struct model_thread *t,
			  const struct model_change *change);
void contention_held_init(struct contention *c);
void contention_held_free(struct contention *c);

/* contention_show.c */
void contention_show(struct analysis *a);
void contention_plot(struct analysis *a, const struct plot_note *note);

#endif
