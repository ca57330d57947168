/* SPDX-License-Identifier: GPL-2.0 */
/* mapwatch.h - code that processes map while a recording runs, told by the kernel */
#ifndef KTRACED_CONTEXT_MAPWATCH_H
#define KTRACED_CONTEXT_MAPWATCH_H

#include <stdbool.h>
#include <ktrace/session.h>
#include <ktrace/tracefile.h>

struct mapwatch;

/**
 * mapwatch_begin - have the kernel tell of all processes from now on
 * @out:	NULL if it does not
 * @start:	the session's clock now
 *
 * Return: 0; -EACCES, -EPERM: it takes CAP_PERFMON; -EXDEV: in a PID namespace; -errno.
 */
int mapwatch_begin(struct mapwatch **out, __u64 start);
/* There will soon be no room for more text. */
bool mapwatch_is_short(const struct mapwatch *w);
/* There is room again for all but @bytes: the others concern processes that are gone. */
void mapwatch_kept(struct mapwatch *w, __u64 bytes);
/* The same of a recording in one file, which has become so large: an eighth may be text. */
void mapwatch_written(struct mapwatch *w, __u64 size);
/*
 * META lines origin and map of what happened since. NULL is allowed, here and below.
 * false: there is no room for more text at present; what happens until there is is counted.
 */
bool mapwatch_drain(struct mapwatch *w, struct ktrace_session *s, struct ktrace_text *meta);
/* All code that this process has is told here, or soon will be. */
bool mapwatch_knows(const struct mapwatch *w, __u32 pid);

/**
 * struct mapwatch_loss - what there are no news of
 * @news:	pieces of news that the kernel had no room for
 * @cpus:	times that a CPU has come, of whose first moments nothing is known
 * @untold:	pieces of news that there was no room for in the file
 */
struct mapwatch_loss {
	__u64 news;
	__u32 cpus;
	__u64 untold;
};

struct mapwatch_loss mapwatch_loss(struct mapwatch *w);
void mapwatch_free(struct mapwatch *w);

#endif
