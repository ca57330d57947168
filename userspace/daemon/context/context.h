/* SPDX-License-Identifier: GPL-2.0 */
/* context.h - what is recorded beside payloads of kernel events, and what that means */
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
 * struct context - of one recording; all zero: nothing is recorded beside payloads
 * @has_stacks:	stacks are to be asked for
 * @has_cgroups: control groups are recorded
 * @has_read:	@symbols were looked for
 * @has_proc:	/proc has the processes that stacks are of
 * @is_short_said: that there was no room for text about code
 * @next_look:	when control groups are looked at again
 * @next_room:	when room for text about code may be looked for again
 * @pos:	stacks up to here are in the file
 * @dropped:	stacks that there was no room for, or that could not be read
 * @symbols:	of the kernel, NULL = not known
 * @cgroups:	those that were told
 * @maps:	code that was told
 * @watch:	tells of code that is mapped meanwhile, NULL = does not
 * @wishes:	what was asked for and can be had
 * @refused:	what cannot be had, KTRACE_CONTEXT_*
 * @counters:	by kind of item: bit for the session, 0 = there is none
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
 * Has the session record what is wished for, as far as that can be; says what cannot.
 * Return: 0, -errno.
 */
int context_begin(struct context *c, struct ktrace_session *s, const struct context_specs *wishes);
/* The same for one more event, which is no row of the table; named "family:name". */
int context_event(struct context *c, struct ktrace_session *s, __u16 id, const char *name);
/* Takes over what a session whose owner has died has met. */
void context_resume(struct context *c);
/* Adds META lines of what has been met since the last call; @c may be NULL. */
void context_drain(struct context *c, struct ktrace_session *s, struct ktrace_text *meta);
/* The same for the last time; says how many stacks are missing. */
void context_finish(struct context *c, struct ktrace_session *s, struct ktrace_text *meta);
/* There will soon be no room for text about code; true once a second. @c may be NULL. */
bool context_is_short(struct context *c);
/*
 * Of that text so many bytes are told again in the next part, ~0 = not known; @c may be NULL.
 * Or the one file has so many.
 */
void context_kept(struct context *c, __u64 bytes);
void context_written(struct context *c, __u64 size);
void context_exit(struct context *c);

#endif
