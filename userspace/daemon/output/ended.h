/* SPDX-License-Identifier: GPL-2.0 */
/* ended.h - tells the file which of the processes that record have ended */
#ifndef KTRACED_OUTPUT_ENDED_H
#define KTRACED_OUTPUT_ENDED_H

#include <stdbool.h>
#include <ktrace/session.h>
#include <ktrace/tracefile.h>

struct pids;

/**
 * struct ended - processes that were there when last looked at; all zero to begin with
 * @pids:	their ids
 * @known:	the same: a program may tell of very many
 * @nr:		how many
 * @cap:	room for how many
 * @is_due:	one has come since: others may have ended before
 */
struct ended {
	__u32 *pids;
	struct pids *known;
	size_t nr;
	size_t cap;
	bool is_due;
};

/* Takes an entry of the registry, which may say that a process is there. */
void ended_see(struct ended *e, const struct ktrace_entry_copy *entry);
/* Looks if another process has come, unless there are too many for looking that often. */
void ended_follow(struct ended *e, struct ktrace_session *s, struct ktrace_text *meta);
/* Writes a line "exit" for each process that is gone since the last call. */
void ended_look(struct ended *e, struct ktrace_session *s, struct ktrace_text *meta);
void ended_free(struct ended *e);

#endif
