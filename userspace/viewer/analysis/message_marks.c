// SPDX-License-Identifier: GPL-2.0
/* message_marks.c - when hosts sent messages to each other, as a row of characters for each */
#include "message_marks.h"

#include <errno.h>
#include <stdlib.h>

enum { MARK_SENT = 1, MARK_RECEIVED = 2 };

int message_marks_begin(struct message_marks *m, const struct ktrace_traceset *set,
			const struct timeline *strip)
{
	int ret;

	*m = (struct message_marks){ .set = set, .strip = strip };
	if (hosts_count(set) < 2)
		return 0;
	while (ktrace_traceset_trace(set, m->nr))
		m->nr++;
	m->hosts = calloc(m->nr, sizeof(*m->hosts));
	ret = m->hosts ? ktrace_messages_open(set, &m->messages) : -ENOMEM;
	if (ret)
		message_marks_end(m);
	return ret;
}

/* Marks one end. Without memory the row stays empty, but the numbers are right. */
static void put_end(struct message_marks *m, const struct ktrace_message_end *end, int mark)
{
	const struct timeline *s = m->strip;
	const __u32 machine = machine_of(m->set, end->trace);
	struct message_host *host = m->hosts + machine;

	if (machine >= m->nr || end->time < s->from || end->time >= s->to)
		return;
	host->sent += mark == MARK_SENT;
	host->received += mark == MARK_RECEIVED;
	if (!host->marks)
		host->marks = calloc((size_t)s->width, 1);
	if (host->marks)
		host->marks[timeline_column(s, end->time)] |= (unsigned char)mark;
}

void message_marks_put(void *arg, const struct ktrace_message *message)
{
	const bool is_sent = message->kind != KTRACE_MESSAGE_BROADCAST;
	struct message_marks *m = arg;

	put_end(m, &message->from, is_sent ? MARK_SENT : MARK_RECEIVED);
	put_end(m, &message->to, MARK_RECEIVED);
}

int message_marks_add(struct message_marks *m, const struct ktrace_trace_event *e)
{
	return m->messages ? ktrace_messages_add(m->messages, e, message_marks_put, m) : 0;
}

void message_marks_finish(struct message_marks *m, ktrace_message_fn found, void *arg)
{
	if (m->messages)
		ktrace_messages_end(m->messages, found, arg);
	ktrace_messages_close(m->messages);
	m->messages = NULL;
}

char message_marks_letter(const struct message_marks *m, __u32 machine, int column)
{
	static const char letters[] = { ' ', '>', '<', 'x' };

	return machine < m->nr && m->hosts[machine].marks ?
	       letters[m->hosts[machine].marks[column]] : ' ';
}

void message_marks_end(struct message_marks *m)
{
	size_t i;

	for (i = 0; m->hosts && i < m->nr; i++)
		free(m->hosts[i].marks);
	free(m->hosts);
	ktrace_messages_close(m->messages);
	m->hosts = NULL;
	m->messages = NULL;
	m->nr = 0;
}

struct time_error message_trip_error(const struct ktrace_message *message)
{
	const struct time_error from = time_error_of(message->from.trace, message->from.raw);
	const struct time_error to = time_error_of(message->to.trace, message->to.raw);

	return time_error_between(&from, &to);
}

const char *message_kind_name(enum ktrace_message_kind kind)
{
	static const char *const names[] = {
		[KTRACE_MESSAGE_TCP] = "tcp", [KTRACE_MESSAGE_UDP] = "udp",
		[KTRACE_MESSAGE_BROADCAST] = "broadcast",
	};

	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "?";
}
