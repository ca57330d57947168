// SPDX-License-Identifier: GPL-2.0
/* exited_processes.c - forgets the code of processes that have ended */
#include "exited_processes.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"

/* Returns the process of the line, 0 = none; @parent: out: the one whose code it has, 0 = none. */
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

struct pids *exited_find(const struct ktrace_text *facts)
{
	struct pids *gone = calloc(1, sizeof(*gone));
	const char *line = facts->buf, *end;
	__u32 parent, pid, there = 0;

	for (; gone && line && line < facts->buf + facts->len; line = end + 1) {
		end = strchrnul(line, '\n');
		pid = owner(line, &parent);
		/* Lines of a process usually follow each other. */
		if (!pid || pid == there || pids_has(gone, pid))
			continue;
		if (is_there(pid))
			there = pid;
		else
			pids_set(gone, pid, true);
	}
	return gone;
}

/*
 * Goes from the last line to the first, because a parent's lines mostly precede those of processes
 * with its code: not always, as each CPU reports on its own. Returns true if another pass is
 * needed.
 */
static bool find_needed(const struct ktrace_text *facts, const struct pids *gone,
			struct pids *needed)
{
	size_t end = facts->len, begin;
	bool has_found = false;
	__u32 dead = 0;

	for (; end; end = begin ? begin - 1 : 0) {
		const char *before = memrchr(facts->buf, '\n', end);
		__u32 pid, parent;

		begin = before ? (size_t)(before - facts->buf) + 1 : 0;
		pid = owner(facts->buf + begin, &parent);
		/* Another process may have the pid of one that has ended. */
		if (pid && pid != dead && !pids_has(needed, pid)) {
			if (!pids_has(gone, pid) || is_there(pid))
				pids_set(needed, pid, true);
			else
				dead = pid;
		}
		if (parent && pids_has(needed, pid) && !pids_has(needed, parent)) {
			pids_set(needed, parent, true);
			/* Still false for an impossible process id. */
			has_found |= pids_has(needed, parent);
		}
	}
	return has_found;
}

static bool is_needed(const char *line, const void *needed)
{
	__u32 parent, pid = owner(line, &parent);

	return !pid || pids_has(needed, pid);
}

static __u64 bytes_of_code(const struct ktrace_text *facts)
{
	const char *line = facts->buf, *end;
	__u64 bytes = 0;
	__u32 parent;

	for (; line && line < facts->buf + facts->len; line = end + 1) {
		end = strchrnul(line, '\n');
		bytes += owner(line, &parent) ? (__u64)(end - line) + 1 : 0;
	}
	return bytes;
}

__u64 exited_forget(struct ktrace_text *facts, const struct pids *gone, const struct pids *stay)
{
	struct pids *needed = gone ? calloc(1, sizeof(*needed)) : NULL;

	if (!needed)
		return bytes_of_code(facts);
	if (stay)
		*needed = *stay;
	while (find_needed(facts, gone, needed))
		;
	lines_keep(facts, is_needed, needed);
	free(needed);
	return bytes_of_code(facts);
}
