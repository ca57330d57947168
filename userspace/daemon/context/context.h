/* SPDX-License-Identifier: GPL-2.0 */
/* context.h - context recorded with kernel events beside their payloads, and its meaning */
#ifndef KTRACED_CONTEXT_CONTEXT_H
#define KTRACED_CONTEXT_CONTEXT_H

#include <stdbool.h>
#include <ktrace/session.h>
#include <ktrace/tracefile.h>

#include "cgroups.h"
#include "context_spec.h"
#include "kallsyms.h"
#include "perf_mmap_events.h"
#include "procmaps.h"

/**
 * struct context - state of one recording; all zero: no context is recorded
 * @has_stacks:	the session may have stacks
 * @has_cgroups: control groups are recorded
 * @has_read:	reading @symbols was tried
 * @has_proc:	/proc shows the process ids that stacks carry
 * @is_short_said: lack of room for text about code was reported
 * @next_look:	time of the next search for control groups
 * @next_room:	time of the next attempt to find room for text about code
 * @pos:	stacks up to this position are in the file
 * @dropped:	stacks lost for lack of room, or unreadable
 * @symbols:	the kernel's symbols, NULL = unknown
 * @cgroups:	control groups already written
 * @maps:	mapped code already written
 * @watch:	watches for newly mapped code, NULL = none
 * @wishes:	the clauses of --context
 * @refused:	context that is not available, KTRACE_CONTEXT_*
 * @counters:	by kind of item: the session's bit, 0 = none
 */
struct context {
	bool has_stacks;
	bool has_cgroups;
	bool has_read;
	bool has_proc;
	bool is_short_said;
	__u64 next_look;
	__u64 next_room;
	__u64 pos;
	__u64 dropped;
	struct kallsyms *symbols;
	struct cgroups cgroups;
	struct procmaps maps;
	struct mmap_events *watch;
	const struct context_specs *wishes;
	__u16 refused;
	__u16 counters[64];
};

/*
 * Makes the session record the requested context as far as possible; reports what is missing.
 * Return: 0 or -errno.
 */
int context_begin(struct context *c, struct ktrace_session *s, const struct context_specs *wishes);
/* Same for one more event that is not in the table of kernel events, named "family:name". */
int context_event(struct context *c, struct ktrace_session *s, __u16 id, const char *name);
/* Takes over the stacks of a session whose owner has died. */
void context_resume(struct context *c);
/* Adds META lines for the context seen since the last call; @c may be NULL. */
void context_drain(struct context *c, struct ktrace_session *s, struct ktrace_text *meta);
/* Same for the last time; reports how many stacks are missing. */
void context_finish(struct context *c, struct ktrace_session *s, struct ktrace_text *meta);
/* True at most once a second while room for text about code runs out. @c may be NULL. */
bool context_is_short(struct context *c);
/*
 * context_kept() sets how many bytes of that text the next part repeats, ~0 = unknown; @c may be
 * NULL. context_written() sets the size of the file of a recording that has only one.
 */
void context_kept(struct context *c, __u64 bytes);
void context_written(struct context *c, __u64 size);
void context_exit(struct context *c);

#endif
