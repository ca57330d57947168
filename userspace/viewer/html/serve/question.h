/* SPDX-License-Identifier: GPL-2.0 */
/*
 * question.h - a statement that a page asks, answered by a process of ktrace sql
 *
 * A process of its own can be ended at any time, its memory is its own, and the server goes on
 * answering meanwhile. The statement is its standard input, so no text of it is taken for a file or
 * an option.
 */
#ifndef VIEWER_HTML_SERVE_QUESTION_H
#define VIEWER_HTML_SERVE_QUESTION_H

#include "base/bytes.h"
#include "base/query_limits.h"
#include "base/viewer.h"

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct question_opts - the same for all questions
 * @limits:	of a statement; those that were not given have a default
 * @clocks:	as for --clocks, NULL = not given
 * @nr:		number of files
 * @paths:	the files, and no others
 */
struct question_opts {
	struct query_limits limits;
	const char *clocks;
	int nr;
	char **paths;
};

/**
 * struct question - one statement
 * @pid:	the process, 0 = none runs
 * @out:	its standard output, -1 = closed
 * @messages:	its standard error, a file in memory
 * @rows:	what it has printed
 * @is_cut:	it would print more than is kept
 * @is_ended:	it was ended before it was done
 * @status:	its exit status, once @pid is 0
 */
struct question {
	pid_t pid;
	int out;
	int messages;
	struct bytes rows;
	bool is_cut;
	bool is_ended;
	int status;
};

/* Starts to ask. Return: 0, -errno. */
int question_start(struct question *q, const struct question_opts *opts, const char *text);
/* Reads what has been printed. Return: true if the process has ended. */
bool question_read(struct question *q);
/* Ends it. */
void question_end(struct question *q);
/* Writes the answer as JSON. */
void question_put(const struct question *q, struct ktrace_out *out);
void question_free(struct question *q);

#endif
