// SPDX-License-Identifier: GPL-2.0
/* message_marks.c - when hosts sent messages to each other, as a row of characters for each */
#include "message_marks.h"

#include <errno.h>
#include <stdlib.h>

enum { MARK_SENT = 1, MARK_RECEIVED = 2, MARK_INEXACT = 4 };

int message_marks_begin(struct message_marks *m, const struct ktrace_traceset *set,
			const struct timeline *strip)
{
	size_t i;
	int ret;

	*m = (struct message_marks){ .set = set, .strip = strip };
	if (hosts_count(set) < 2)
		return 0;
	while (ktrace_traceset_trace(set, m->nr))
		m->nr++;
	m->hosts = calloc(m->nr, sizeof(*m->hosts));
	for (i = 0; m->hosts && i < m->nr; i++)
		m->hosts[i].machine = machine_of(set, ktrace_traceset_trace(set, i));
	ret = m->hosts ? ktrace_messages_open(set, &m->messages) : -ENOMEM;
	if (ret)
		message_marks_end(m);
	return ret;
}

/* Marks a column. Without memory the row stays empty, but the numbers are right. */
static void mark(const struct timeline *s, struct message_host *host, __u64 time, int mark)
{
	if (!host->marks)
		host->marks = calloc((size_t)s->width, 1);
	if (host->marks)
		host->marks[timeline_column(s, time)] |= (unsigned char)mark;
}

static struct message_host *host_of(const struct message_marks *m, const struct ktrace_trace *trace)
{
	const size_t number = ktrace_trace_index(trace);

	return number < m->nr ? &m->hosts[m->hosts[number].machine] : NULL;
}

static void put_end(struct message_marks *m, const struct ktrace_message_end *end, int what)
{
	const struct timeline *s = m->strip;
	struct message_host *host = host_of(m, end->trace);

	if (!host || end->time < s->from || end->time >= s->to)
		return;
	host->sent += what == MARK_SENT;
	host->received += what == MARK_RECEIVED;
	mark(s, host, end->time, what);
}

void message_marks_time(struct message_marks *m, const struct ktrace_trace_event *e)
{
	const struct timeline *s = m->strip;
	struct message_host *host = m->hosts ? host_of(m, e->stream->trace) : NULL;
	struct time_error error;

	if (!host || e->time < s->from || e->time >= s->to ||
	    (host->marks && host->marks[timeline_column(s, e->time)] & MARK_INEXACT))
		return;
	error = time_error_of(e->stream->trace, e->raw);
	if (!error.is_known ||
	    error.early_ns + error.late_ns > (s->to - s->from) / (unsigned int)s->width)
		mark(s, host, e->time, MARK_INEXACT);
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
	if (!m->messages)
		return 0;
	message_marks_time(m, e);
	return ktrace_messages_add(m->messages, e, message_marks_put, m);
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
	static const char letters[] = { ' ', '>', '<', 'x', '~', '>', '<', 'x' };

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
