// SPDX-License-Identifier: GPL-2.0
/* gone.c - forgets the code of processes that are gone */
#include "gone.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"

/* Whose line that is, and, if it says so, who it has its code from; 0 = nobody's */
static __u32 owner(const char *line, __u32 *parent)
{
	char *end;
	__u32 pid;

	*parent = 0;
	if (!line_is(line, "map") && !line_is(line, "origin"))
		return 0;
	line = strchr(line, ' ');
	if (strncmp(line, " pid=", 5))
		return 0;
	pid = (__u32)strtoul(line + 5, &end, 10);
	if (!strncmp(end, " ppid=", 6))
		*parent = (__u32)strtoul(end + 6, NULL, 10);
	return pid;
}

static bool is_there(__u32 pid)
{
	return !kill((pid_t)pid, 0) || errno != ESRCH;
}

/* From the last line on: a parent's stand before those of the processes that have its code. */
static void find_needed(const struct ktrace_text *facts, struct pids *needed)
{
	size_t end = facts->len, begin;

	for (; end; end = begin ? begin - 1 : 0) {
		const char *before = memrchr(facts->buf, '\n', end);
		__u32 pid, parent;

		begin = before ? (size_t)(before - facts->buf) + 1 : 0;
		pid = owner(facts->buf + begin, &parent);
		if (pid && !pids_has(needed, pid) && is_there(pid))
			pids_set(needed, pid, true);
		if (parent && pids_has(needed, pid))
			pids_set(needed, parent, true);
	}
}

static bool is_needed(const char *line, const void *needed)
{
	__u32 parent, pid = owner(line, &parent);

	return !pid || pids_has(needed, pid);
}

void gone_forget(struct ktrace_text *facts, const struct pids *stay)
{
	struct pids *needed = calloc(1, sizeof(*needed));

	if (!needed)
		return;
	if (stay)
		*needed = *stay;
	find_needed(facts, needed);
	lines_sieve(facts, is_needed, needed);
	free(needed);
}
