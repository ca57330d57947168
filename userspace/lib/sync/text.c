// SPDX-License-Identifier: LGPL-2.1
/* text.c - messages of simulated hosts as text; LTTV's tests have that form */
#include "sync.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define HOSTS_MAX 4096u
#define MAX_RATE 0.5	/* simulated clocks may differ by more than real ones */

/* Takes in a line: numbers of two hosts, and two times. Returns 0, -EBADMSG, -ENOMEM. */
static int take_message(struct ktrace_sync *sync, const char *line)
{
	unsigned int from, to;
	double sent, received;
	int end = -1;

	sscanf(line, " %u %u %lf %lf %n", &from, &to, &sent, &received, &end);
	if (end < 0 || line[end] || from >= sync->machines.nr || to >= sync->machines.nr ||
	    from == to || !(sent >= 0) || !(received >= 0) || sent > 1e8 || received > 1e8)
		return -EBADMSG;
	sync->stats.messages++;
	sent *= (double)NS_PER_S;
	received *= (double)NS_PER_S;
	sync->e.hosts[from].end = fmax(sync->e.hosts[from].end, sent);
	sync->e.hosts[to].end = fmax(sync->e.hosts[to].end, received);
	return ktrace_estimate_message(&sync->e, from, to, sent, received);
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

static int take_line(struct ktrace_sync *sync, char *line)
{
	line[strcspn(line, "\r\n")] = '\0';
	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return 0;
	return sync->machines.nr ? take_message(sync, line) : take_hosts(sync, line);
}

static int take_text(struct ktrace_sync *sync, const char *text, size_t size, __u64 *nr)
{
	size_t at = 0, length;
	char line[256];
	int ret = 0;

	for (*nr = 0; at < size && !ret; at += length) {
		const char *end = memchr(text + at, '\n', size - at);

		length = end ? (size_t)(end - text) + 1 - at : size - at;
		++*nr;
		if (length >= sizeof(line) || memchr(text + at, '\0', length))
			return text[at] == '#' ? 0 : -EBADMSG;
		memcpy(line, text + at, length);
		line[length] = '\0';
		ret = take_line(sync, line);
	}
	return ret ? ret : sync->machines.nr ? 0 : -EBADMSG;
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
