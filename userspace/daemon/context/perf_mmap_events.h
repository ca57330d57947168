/* SPDX-License-Identifier: GPL-2.0 */
/* perf_mmap_events.h - code that processes map while a recording runs, told by the kernel */
#ifndef KTRACED_CONTEXT_PERF_MMAP_EVENTS_H
#define KTRACED_CONTEXT_PERF_MMAP_EVENTS_H

#include <stdbool.h>
#include <ktrace/session.h>
#include <ktrace/tracefile.h>

struct mmap_events;

/**
 * mmap_events_begin - have the kernel tell of all processes from now on
 * @out:	NULL if it does not
 * @start:	the session's clock now
 *
 * Return: 0; -EACCES, -EPERM: it takes CAP_PERFMON; -EXDEV: in a PID namespace; -errno.
 */
int mmap_events_begin(struct mmap_events **out, __u64 start);
/* There will soon be no room for more text. */
bool mmap_events_is_short(const struct mmap_events *w);
/* There is room again for all but @bytes: the others concern processes that are gone. */
void mmap_events_kept(struct mmap_events *w, __u64 bytes);
/* The same of a recording in one file, which has become so large: an eighth may be text. */
void mmap_events_written(struct mmap_events *w, __u64 size);
/*
 * META lines origin and map of what happened since. NULL is allowed, here and below.
 * false: there is no room for more text at present; what happens until there is is counted.
 */
bool mmap_events_drain(struct mmap_events *w, struct ktrace_session *s, struct ktrace_text *meta);
/* All code that this process has is told here, or soon will be. */
bool mmap_events_knows(const struct mmap_events *w, __u32 pid);

/**
 * struct mmap_events_loss - what there are no news of
 * @news:	pieces of news that the kernel had no room for
 * @cpus:	times that a CPU has come, of whose first moments nothing is known
 * @untold:	pieces of news that there was no room for in the file
 */
struct mmap_events_loss {
	__u64 news;
	__u32 cpus;
	__u64 untold;
};

struct mmap_events_loss mmap_events_loss(struct mmap_events *w);
void mmap_events_free(struct mmap_events *w);

#endif
