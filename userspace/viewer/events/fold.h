/* SPDX-License-Identifier: GPL-2.0 */
/* fold.h - folded stacks: lines "a;b;c NUMBER" for flame graphs */
#ifndef VIEWER_EVENTS_FOLD_H
#define VIEWER_EVENTS_FOLD_H

#include "base/hash_table.h"
#include "symbols/symbols.h"

#define FOLD_HEAD 192

/**
 * struct fold_key - key of a sum; all zero to begin with
 * @trace:	trace that has the stacks
 * @kernel:	number of the kernel stack, 0 = none
 * @user:	number of the user stack, 0 = none
 * @head:	frames outside both stacks: see fold_frame()
 */
struct fold_key {
	const struct ktrace_trace *trace;
	__u64 kernel;
	__u64 user;
	char head[FOLD_HEAD];
};

/**
 * struct fold - all sums
 * @symbols:	symbols of programs, NULL = not looked up
 * @is_json:	print one object a line
 * @no_kernel:	omit kernel stacks
 * @no_user:	omit user stacks
 * @without:	number of events without a stack: see fold_event()
 * @rows:	the sums, by key
 */
struct fold {
	struct symbols *symbols;
	bool is_json;
	bool no_kernel;
	bool no_user;
	__u64 without;
	struct hash_table rows;
};

void fold_init(struct fold *f);
/*
 * Adds the numbers of the event's stacks to the key. Returns false if it has none of the wanted
 * ones.
 */
bool fold_stacks(const struct fold *f, struct fold_key *key, const struct ktrace_trace_event *e);
/* Counts the event under the name of its thread and its stacks. Return: 0, -ENOMEM. */
int fold_event(struct fold *f, const struct ktrace_trace_event *e);
/* Reports how many events had no stack. */
void fold_complain(const struct fold *f);
/* Appends a frame to the head; truncates it if there is no room. */
void fold_frame(struct fold_key *key, const char *name);
/* Adds @number to the sum of a key. @raw: stamp of the event. Return: 0, -ENOMEM. */
int fold_add(struct fold *f, const struct fold_key *key, __u64 raw, __u64 number);
/*
 * Prints a line for each stack, the largest sum first; equal lines are merged. Return: 0, -ENOMEM.
 */
int fold_print(struct fold *f);
void fold_free(struct fold *f);

#endif
