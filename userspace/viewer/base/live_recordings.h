/* SPDX-License-Identifier: GPL-2.0 */
/* live_recordings.h - live recordings of ktraced, found by their ports, and what they answer */
#ifndef VIEWER_BASE_LIVE_RECORDINGS_H
#define VIEWER_BASE_LIVE_RECORDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <ktrace/port.h>

/* struct live_recording - its port and its answer; @says is to be freed */
struct live_recording {
	struct ktrace_port port;
	char *says;
	int error;
};

/**
 * struct live_recordings - live recordings that the user may mean
 * @who:	the command that asks, for messages: "ktrace level"
 * @list:	the recordings, with their answers
 * @nr:		their number
 * @silent_nr:	how many did not answer, including those that are not in @list
 * @is_others:	the name belongs to a recording of another user
 */
struct live_recordings {
	const char *who;
	struct live_recording *list;
	size_t nr, silent_nr;
	bool is_others;
};

/* True if it has done what was asked. */
bool live_is_ok(const struct live_recording *r);
/* Returns a value of its answer, to be freed; NULL = it has none, or has refused. */
char *live_value(const struct live_recording *r, const char *key);
/* Asks one of them; replaces its answer. */
void live_ask(struct live_recording *r, const char *text);
/*
 * Asks those that this user may ask and may mean for a word of <ktrace/port.h>; @name: pid,
 * session, NULL = all. Return: false without memory.
 */
bool live_find(struct live_recordings *all, const char *name, const char *word);
/* Says why there is none with that name, or that several need one. Returns the exit status. */
int live_fail(const struct live_recordings *all, const char *name);
/* Says what a recording has refused, or its note. Returns the exit status. */
int live_say_answer(const struct live_recordings *all, const struct live_recording *r);
/* Says how many more did not answer. */
void live_say_silent(const struct live_recordings *all);
/*
 * Writes a mark into a recording that has answered: @program, which takes part in it, does so. Any
 * thread may call it. Return: 0; -EOPNOTSUPP: the recording takes no events of programs; -errno.
 */
int live_mark(const struct live_recording *r, const char *program, const char *text);
void live_free(struct live_recordings *all);

#endif
