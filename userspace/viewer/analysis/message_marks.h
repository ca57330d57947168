/* SPDX-License-Identifier: GPL-2.0 */
/* message_marks.h - when hosts sent messages to each other, as a row of characters for each */
#ifndef VIEWER_ANALYSIS_MESSAGE_MARKS_H
#define VIEWER_ANALYSIS_MESSAGE_MARKS_H

#include <ktrace/messages.h>

#include "base/hosts.h"
#include "base/text_timeline.h"

/**
 * struct message_host - one host
 * @machine:	of the trace of this number: the place of its host
 * @marks:	for each column, see message_marks_letter()
 * @sent:	messages it sent in the window
 * @received:	messages it received in the window
 */
struct message_host {
	__u32 machine;
	unsigned char *marks;
	__u64 sent;
	__u64 received;
};

/**
 * struct message_marks - messages between hosts
 * @set:	the files
 * @messages:	pairs packets; NULL = there is one host only, or reading has ended
 * @strip:	window and width
 * @hosts:	by machine, the number of the host's first trace; NULL = there is one host only
 * @nr:		number of traces
 */
struct message_marks {
	const struct ktrace_traceset *set;
	struct ktrace_messages *messages;
	const struct timeline *strip;
	struct message_host *hosts;
	size_t nr;
};

/* Begins a picture; without several hosts there will be none. Return: 0, -ENOMEM. */
int message_marks_begin(struct message_marks *m, const struct ktrace_traceset *set,
			const struct timeline *strip);
/* Takes an event: the packet, and whether its time is exact. Return: 0, -ENOMEM. */
int message_marks_add(struct message_marks *m, const struct ktrace_trace_event *e);
/* Marks the column of an event whose time may be that of another column. */
void message_marks_time(struct message_marks *m, const struct ktrace_trace_event *e);
/*
 * Takes the messages that are certain only after the last event; to be called before the set is
 * closed. @found is message_marks_put() or calls it.
 */
void message_marks_finish(struct message_marks *m, ktrace_message_fn found, void *arg);
/* Marks a message; has the type ktrace_message_fn, @arg is a struct message_marks. */
void message_marks_put(void *arg, const struct ktrace_message *message);
/*
 * Returns '>' for sent, '<' for received, 'x' for both; '~' for none of these in a column of whose
 * events the error is larger than a column, or unknown; else ' '.
 */
char message_marks_letter(const struct message_marks *m, __u32 machine, int column);
void message_marks_end(struct message_marks *m);

/* Returns the error of the time from a message's sending to its reception. */
struct time_error message_trip_error(const struct ktrace_message *message);
/* Returns "tcp", "udp" or "broadcast". */
const char *message_kind_name(enum ktrace_message_kind kind);

#endif
