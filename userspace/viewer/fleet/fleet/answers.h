/* SPDX-License-Identifier: GPL-2.0 */
/* answers.h - asks recordings through the broker, and gathers their answers for a bounded time */
#ifndef VIEWER_FLEET_FLEET_ANSWERS_H
#define VIEWER_FLEET_FLEET_ANSWERS_H

#include "fleet/broker.h"
#include "fleet/command_message.h"

/**
 * struct answer - of a recording
 * @from:	the recording; the broker's accounts decide who may use its name
 * @text:	what it said, checked, to be freed; NULL = nothing
 * @sent_ns:	CLOCK_REALTIME here, before it was asked
 * @got_ns:	CLOCK_REALTIME here, when its answer was read
 */
struct answer {
	struct command_address from;
	char *text;
	__u64 sent_ns;
	__u64 got_ns;
};

/**
 * struct answers - of all
 * @list:	at most one of each recording
 * @nr:		of them
 * @others:	of those behind @nr, which are not meant
 * @cap:	room
 * @bytes:	of all texts
 * @bad:	messages that are no answers: dropped
 * @repeats:	answers of recordings that had answered: dropped
 * @too_many:	answers for which there was no room: dropped
 * @late:	the connection ended before the time was over
 */
struct answers {
	struct answer *list;
	size_t nr;
	size_t others;
	size_t cap;
	size_t bytes;
	__u64 bad;
	__u64 repeats;
	__u64 too_many;
	bool late;
};

/* Asks all recordings, and waits for @wait_ms. Return: false, having complained */
bool answers_ask(struct answers *a, struct broker *b, __u64 wait_ms);
/*
 * Sends a command to those of @to, each with a host and session, and waits until all have answered,
 * at most for @wait_ms. Return: false, having complained
 */
bool answers_command(struct answers *to, struct broker *b, const char *action, const char *value,
		     __u64 wait_ms);
void answers_free(struct answers *a);
/* Sorts by host, then session. */
void answers_sort(struct answers *a);

/* True if it has done what was asked. */
bool answer_is_ok(const struct answer *a);
/* Returns a value, to be freed; NULL = it has none. */
char *answer_value(const struct answer *a, const char *key);
/* Returns false if it has no such number. */
bool answer_u64(const struct answer *a, const char *key, __u64 *value);
/* True if it has this label. */
bool answer_has_label(const struct answer *a, const char *label);
/*
 * How far the host's wall clock is ahead of ours, from its time in the answer: it was read between
 * @sent_ns and @got_ns, so @error_ns is a limit. Returns false if the answer has no time.
 */
bool answer_offset(const struct answer *a, __s64 *offset_ns, __u64 *error_ns);

#endif
