// SPDX-License-Identifier: LGPL-2.1
/* text.c - messages of simulated hosts as text; LTTV's tests have that form */
#include "sync.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"

#define HOSTS_MAX 256u	/* choosing the reference takes their number to the fourth */
#define MAX_RATE 0.5	/* simulated clocks may differ by more than real ones */

/* struct text_message - a line; times in ns */
struct text_message {
	__u32 from;
	__u32 to;
	double sent;
	double received;
};

/**
 * struct text - what is being read
 * @sync:	the result
 * @at:		messages
 * @nr:		how many
 * @cap:	room
 */
struct text {
	struct ktrace_sync *sync;
	struct text_message *at;
	size_t nr;
	size_t cap;
};

/* Takes in a line: numbers of two hosts, and two times. Returns 0, -EBADMSG, -ENOMEM. */
static int take_message(struct text *t, const char *line)
{
	const struct ktrace_sync *sync = t->sync;
	unsigned int from, to;
	double sent, received;
	int end = -1;

	sscanf(line, " %u %u %lf %lf %n", &from, &to, &sent, &received, &end);
	if (end < 0 || line[end] || from >= sync->machines.nr || to >= sync->machines.nr ||
	    from == to || !(sent >= 0) || !(received >= 0) || sent > 1e8 || received > 1e8)
		return -EBADMSG;
	if (!LIST_GROW(t->at, t->nr, t->cap))
		return -ENOMEM;
	t->at[t->nr++] = (struct text_message){
		from, to, sent * (double)NS_PER_S, received * (double)NS_PER_S,
	};
	sync->e.hosts[from].end = fmax(sync->e.hosts[from].end, sent * (double)NS_PER_S);
	sync->e.hosts[to].end = fmax(sync->e.hosts[to].end, received * (double)NS_PER_S);
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct text_message *m = a, *n = b;
	const double x = m->sent + m->received, y = n->sent + n->received;

	return (x > y) - (x < y);
}

/* Passes the messages on in about the order in which they happened: then there are round trips. */
static int pass_on(struct text *t)
{
	const struct text_message *m;
	int ret = 0;
	size_t i;

	if (t->nr)
		qsort(t->at, t->nr, sizeof(*t->at), by_time);
	for (i = 0; i < t->nr && !ret; i++) {
		m = &t->at[i];
		ret = ktrace_estimate_message(&t->sync->e, m->from, m->to, m->sent, m->received);
	}
	t->sync->stats.messages = t->nr;
	free(t->at);
	return ret;
}

static int take_hosts(struct ktrace_sync *sync, const char *line)
{
	unsigned int nr;
	int end = -1;
	char name[16];
	__u32 i;

	sscanf(line, " %u %n", &nr, &end);
	if (end < 0 || line[end] || !nr || nr > HOSTS_MAX)
		return -EBADMSG;
	sync->machines.at = calloc(nr, sizeof(*sync->machines.at));
	sync->offset = calloc(nr, sizeof(*sync->offset));
	if (!sync->machines.at || !sync->offset || ktrace_estimate_init(&sync->e, nr))
		return -ENOMEM;
	sync->machines.nr = nr;
	for (i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "%u", i);
		sync->machines.at[i].name = strdup(name);
		if (!sync->machines.at[i].name)
			return -ENOMEM;
	}
	return 0;
}

static int take_line(struct text *t, char *line)
{
	line[strcspn(line, "\r\n")] = '\0';
	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return 0;
	return t->sync->machines.nr ? take_message(t, line) : take_hosts(t->sync, line);
}

/* Reads all lines; @nr becomes the number of the last one. Returns 0, -EBADMSG, -ENOMEM. */
static int take_lines(struct text *t, const char *text, size_t size, __u64 *nr)
{
	size_t at = 0, length;
	char line[256];
	int ret = 0;

	for (*nr = 0; at < size && !ret; at += length) {
		const char *end = memchr(text + at, '\n', size - at);

		length = end ? (size_t)(end - text) + 1 - at : size - at;
		++*nr;
		if (text[at] == '#')
			continue;
		if (length >= sizeof(line) || memchr(text + at, '\0', length))
			return -EBADMSG;
		memcpy(line, text + at, length);
		line[length] = '\0';
		ret = take_line(t, line);
	}
	return ret ? ret : t->sync->machines.nr ? 0 : -EBADMSG;
}

static int take_text(struct ktrace_sync *sync, const char *text, size_t size, __u64 *nr)
{
	struct text t = { .sync = sync };
	const int ret = take_lines(&t, text, size, nr), passed = pass_on(&t);

	return ret ? ret : passed;
}

static int find_reference(struct ktrace_sync *sync, const char *name)
{
	__u32 i;

	for (i = 0; name && i < sync->machines.nr && sync->e.reference == HOST_NONE; i++)
		if (!strcmp(name, sync->machines.at[i].name))
			sync->e.reference = i;
	return name && sync->e.reference == HOST_NONE ? -ENOENT : 0;
}

int ktrace_sync_text(const char *text, size_t size, const struct ktrace_sync_options *opts,
		     struct ktrace_sync **out, __u64 *line)
{
	struct ktrace_sync *sync;
	int ret = ktrace_sync_new(opts, &sync);
	__u32 i;

	if (ret)
		return ret;
	sync->e.max_rate = MAX_RATE;
	ret = take_text(sync, text, size, line);
	if (!ret)
		ret = find_reference(sync, opts ? opts->reference : NULL);
	if (!ret)
		ret = ktrace_estimate_solve(&sync->e);
	for (i = 0; i < sync->machines.nr && !ret; i++) {
		const double x = sync->e.hosts[i].end / 2;

		sync->offset[i] = ktrace_estimate_time(&sync->e, i, x) - x;
	}
	if (ret) {
		ktrace_sync_close(sync);
		return ret;
	}
	*out = sync;
	return 0;
}
