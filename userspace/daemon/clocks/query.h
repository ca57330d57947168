/* SPDX-License-Identifier: GPL-2.0 */
/*
 * query.h - runs a program and takes in what it prints, without waiting for it
 *
 *   IDLE --query_begin()--> RUNNING --it closed its output--> IDLE, done() with the text
 *                              |
 *                              `--time is up--> killed --> IDLE, done() without
 *
 * The program has no input, no error output, a fixed environment, usual signals and a process group
 * of its own. The loop that reaps all children reaps it.
 */
#ifndef KTRACED_CLOCKS_QUERY_H
#define KTRACED_CLOCKS_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/loop.h"
#include "base/timer.h"

/* Limit of the output, and of the time until the program is killed */
#define QUERY_TEXT_MAX 16384u
#define QUERY_MS 2000u

/**
 * struct query - one program at a time
 * @loop:	the loop
 * @timers:	of the loop
 * @done:	called once for each successful query_begin(). @text: what the program printed; NULL
 *		if nothing is usable, for the reason @why
 * @arg:	for @done
 * @pid:	of the program, 0 = none is running
 * @pidfd:	the same: its number may be in use again
 * @out:	its output
 * @limit:	fires when its time is up
 * @text:	its output so far
 * @size:	bytes in @text
 */
struct query {
	struct loop *loop;
	struct timers *timers;
	void (*done)(void *arg, const char *text, const char *why);
	void *arg;
	pid_t pid;
	int pidfd;
	struct loop_source out;
	struct timer limit;
	char text[QUERY_TEXT_MAX + 1];
	size_t size;
};

/**
 * query_begin - start the program
 * @q:		with loop, timers, done and arg filled in; nothing is running
 * @argv:	absolute path, arguments, NULL
 *
 * Return: 0 or -errno; @done is not called then.
 */
int query_begin(struct query *q, const char *const *argv);
/* Kills the program if one is running; does not call @done. */
void query_end(struct query *q);

#endif
