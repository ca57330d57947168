/* SPDX-License-Identifier: GPL-2.0 */
/* live_recordings.h - live recordings that the user means, and messages about them */
#ifndef VIEWER_BASE_LIVE_RECORDINGS_H
#define VIEWER_BASE_LIVE_RECORDINGS_H

#include <stdbool.h>
#include <ktrace/live.h>

/**
 * struct live_recordings - live recordings that the user may mean
 * @who:	the command that asks, for messages: "ktrace level"
 * @is_without_sessions: sessions of the service are none of them
 * @list:	the recordings, with their answers
 */
struct live_recordings {
	const char *who;
	bool is_without_sessions;
	struct ktrace_live_list *list;
};

/* Calls ktrace_live_find(). Return: false without memory. */
bool live_find(struct live_recordings *all, const char *name, const char *word);
/* Returns a recording, NULL after the last one. */
struct ktrace_live *live_at(const struct live_recordings *all, size_t i);
/* Says why there is none with that name, or that several need one. Returns the exit status. */
int live_fail(const struct live_recordings *all, const char *name);
/* Says what a recording has refused, or its note. Returns the exit status. */
int live_say_answer(const struct live_recordings *all, const struct ktrace_live *r);
/* Says how many more did not answer. */
void live_say_silent(const struct live_recordings *all);
void live_free(struct live_recordings *all);

#endif
