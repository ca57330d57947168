// SPDX-License-Identifier: GPL-2.0
/*
 * ended.c - writes which of the recording processes have ended
 *
 * A process announces its start, but a killed one cannot announce its end. So ktraced checks once a
 * second, when another process has attached, and at the end: the stamp of a line "exit" is the time
 * of the check, after all that the process has recorded. A process whose pid has been reused
 * meanwhile gets no such line: its end is clear once the new process records. A process gets none
 * either without memory for it, or in another pid namespace: nothing is known about those.
 */
#include "ended.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/pids.h"
#include "meta.h"

/* If there are more processes than this, they are checked only once a second. */
#define FOLLOW_MAX 1000u

void ended_see(struct ended *e, const struct ktrace_entry_copy *entry)
{
	const __u32 pid = entry->pid;

	if (entry->type != KTRACE_ENTRY_PROCESS || !pid || pid >= PIDS_MAX)
		return;
	e->is_due = true;
	if (!e->known)
		e->known = calloc(1, sizeof(*e->known));
	if (!e->known || pids_has(e->known, pid))
		return;
	if (!LIST_GROW(e->pids, e->nr, e->cap))
		return;
	e->pids[e->nr++] = pid;
	pids_set(e->known, pid, true);
}

static bool is_gone(__u32 pid)
{
	return kill((pid_t)pid, 0) && errno == ESRCH;
}

void ended_follow(struct ended *e, struct ktrace_session *s, struct ktrace_text *meta)
{
	if (e->is_due && e->nr <= FOLLOW_MAX)
		ended_look(e, s, meta);
}

void ended_look(struct ended *e, struct ktrace_session *s, struct ktrace_text *meta)
{
	struct ktrace_reading now;
	size_t i, stay = 0;
	__u32 pid;

	e->is_due = false;
	for (i = 0; i < e->nr; i++) {
		pid = e->pids[i];
		if (is_gone(pid))
			continue;
		e->pids[i] = e->pids[stay];
		e->pids[stay++] = pid;
	}
	if (stay == e->nr)
		return;
	/*
	 * The clock is read after all checks: a process may have recorded until just before its
	 * own.
	 */
	ktrace_session_clock(s, &now);
	while (e->nr > stay) {
		pid = e->pids[--e->nr];
		pids_set(e->known, pid, false);
		meta_exit(meta, pid, now.raw);
	}
}

void ended_free(struct ended *e)
{
	free(e->known);
	free(e->pids);
	*e = (struct ended){ .nr = 0 };
}
