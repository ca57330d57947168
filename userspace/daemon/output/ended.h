/* SPDX-License-Identifier: GPL-2.0 */
/* ended.h - writes which of the recording processes have ended */
#ifndef KTRACED_OUTPUT_ENDED_H
#define KTRACED_OUTPUT_ENDED_H

#include <stdbool.h>
#include <ktrace/session.h>
#include <ktrace/tracefile.h>

struct pids;

/**
 * struct ended - processes that existed at the last check; starts as all zero
 * @pids:	their ids
 * @known:	the same ids as a set, because programs may announce very many
 * @nr:		number of @pids
 * @cap:	capacity of @pids
 * @is_due:	a process has attached since: others may have ended before
 */
struct ended {
	__u32 *pids;
	struct pids *known;
	size_t nr;
	size_t cap;
	bool is_due;
};

/* Takes an entry of the registry; it may announce a process. */
void ended_see(struct ended *e, const struct ktrace_entry_copy *entry);
/* Checks if another process has attached, unless there are too many to check that often. */
void ended_follow(struct ended *e, struct ktrace_session *s, struct ktrace_text *meta);
/* Writes a line "exit" for each process that has ended since the last call. */
void ended_look(struct ended *e, struct ktrace_session *s, struct ktrace_text *meta);
void ended_free(struct ended *e);

#endif
