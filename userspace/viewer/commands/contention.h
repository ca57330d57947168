/* SPDX-License-Identifier: GPL-2.0 */
/*
 * contention.h - one run of ktrace contention, shared by its parts
 *
 *   cmd_contention.c   options, waits
 *   contention_held.c  holds, and the threads that they held up
 *   contention_show.c  tables, JSON, pictures
 */
#ifndef VIEWER_COMMANDS_CONTENTION_H
#define VIEWER_COMMANDS_CONTENTION_H

#include "analysis/analysis.h"

#include "base/histogram.h"
#include "events/alias_option.h"
#include "model/held_up.h"
#include "pthread/model_name.h"
#include "symbols/symbols.h"

#define LONGEST_NR 10u
#define DEPTH_NR 4u

/* struct waited - an object, with its name and kind at the time of the wait */
struct waited {
	const struct model_object *object;	/* NULL: it was a thread */
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
	const struct model_thread *holder;	/* HELD_UP: thread that had the object */
	const char *alias, *holder_alias;	/* their names in the program, may be NULL */
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
 * A row of waits is for a thread, an object, a thread and an object, a place or a kind. A row of
 * holds is for an object, or for a place where it was taken. A row of HELD_UP is for a thread that
 * waited, the thread that had the object, and the object.
 */
enum { KINDS, THREADS, OBJECTS, PAIRS, PLACES, HELD, HELD_PLACES, HELD_UP, TABLES };

/**
 * struct contention - one run of the command
 * @a:		common part of analyses
 * @sync:	the model
 * @kinds:	bits of enum model_kind that are asked for, 0 = all
 * @rows:	the tables
 * @longest:	waits
 * @longest_held: holds
 * @sum:	of all waits
 * @held:	of all holds
 * @object_sum:	of waits for objects
 * @held_up_sum: of waits while the thread that has the object is known
 * @nests:	nested waits, by thread
 * @held_up:	threads that wait for a lock
 * @shows_pairs: also show threads and objects together
 * @shows_holds: also show holds
 * @shows_holders: also show which thread held up which
 * @is_ending:	the model reports waits that are not over
 * @aliases:	names of objects
 * @where:	of symbols
 * @symbols:	finds the symbol at an address
 */
struct contention {
	struct analysis a;
	struct model *sync;
	__u32 kinds;
	struct hash_table rows[TABLES];
	struct longest longest, longest_held;
	struct histogram sum, held;
	__u64 object_sum, held_up_sum;
	struct hash_table nests;
	struct held_up held_up;
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

/* Returns "mutex" and so on; "join" for a wait for a thread. */
const char *contention_kind(__u32 kind);
/* Describes an object as it is now, and as @t knows it; @object may be NULL. */
struct waited contention_waited(const struct contention *c, const struct model_thread *t,
				const struct model_object *object);
/* Adds a duration to a row; makes the row if it is new. NULL: no memory; sets @c->a.error */
struct row *contention_add(struct contention *c, int table, const struct key *key, __u64 ns);
/* Keeps a wait or hold if it is among the longest. */
void contention_keep(struct contention *c, struct longest *l, const struct model_wait *w, __u64 ns);

/* contention_held.c */
/* Callbacks of the model */
void contention_on_given(void *arg, const struct model_hold *h);
void contention_on_thread(void *arg, const struct model_thread *t,
			  const struct model_change *change);
void contention_held_init(struct contention *c);
void contention_held_free(struct contention *c);

/* contention_show.c */
void contention_show(struct analysis *a);
void contention_plot(struct analysis *a, const struct plot_note *note);

#endif
