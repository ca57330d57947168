/* SPDX-License-Identifier: GPL-2.0 */
/* fold.h - folded stacks: lines "a;b;c NUMBER", as flame graphs want them */
#ifndef VIEWER_EVENTS_FOLD_H
#define VIEWER_EVENTS_FOLD_H

#include "base/hash_table.h"
#include "symbols/symbols.h"

#define FOLD_HEAD 192

/**
 * struct fold_key - what has one sum; all zero to begin with
 * @trace:	whose stacks
 * @kernel:	number of a stack of the kernel, 0 = none
 * @user:	number of one of a program, 0 = none
 * @head:	frames outside of both: see fold_frame()
 */
struct fold_key {
	const struct ktrace_trace *trace;
	__u64 kernel;
	__u64 user;
	char head[FOLD_HEAD];
};

/**
 * struct fold - sums
 * @symbols:	of programs, NULL = they are not looked up
 * @is_json:	an object a line
 * @no_kernel:	leave stacks of the kernel out
 * @no_user:	leave those of programs out
 * @without:	events that had none: see fold_event()
 * @rows:	of sums, by key
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
/* Takes in the numbers of the event's stacks. False: it has none of those asked for. */
bool fold_stacks(const struct fold *f, struct fold_key *key, const struct ktrace_trace_event *e);
/* Counts the event by the name of its thread and its stacks. Return: 0, -ENOMEM. */
int fold_event(struct fold *f, const struct ktrace_trace_event *e);
/* Says which events have not been counted. */
void fold_complain(const struct fold *f);
/* Appends a frame to the head, as far as there is room. */
void fold_frame(struct fold_key *key, const char *name);
/* @raw: stamp of what has the stacks. Return: 0, -ENOMEM. */
int fold_add(struct fold *f, const struct fold_key *key, __u64 raw, __u64 number);
/* Prints a line a stack, the largest first; same text, same line. Return: 0, -ENOMEM. */
int fold_print(struct fold *f);
void fold_free(struct fold *f);

#endif
