/* SPDX-License-Identifier: GPL-2.0 */
/* perf_mmap_events.h - watches which code processes map while a recording runs */
#ifndef KTRACED_CONTEXT_PERF_MMAP_EVENTS_H
#define KTRACED_CONTEXT_PERF_MMAP_EVENTS_H

#include <stdbool.h>
#include <ktrace/session.h>
#include <ktrace/tracefile.h>

struct mmap_events;

/**
 * mmap_events_begin - watch all processes from now on
 * @out:	NULL on failure
 * @start:	the session's clock now
 *
 * Return: 0; -EACCES, -EPERM: it takes CAP_PERFMON; -EXDEV: in a PID namespace; -errno.
 */
int mmap_events_begin(struct mmap_events **out, __u64 start);
/* True if room for text is running out. */
bool mmap_events_is_short(const struct mmap_events *w);
/* Frees all room but @bytes: text about processes that have ended is not repeated. */
void mmap_events_kept(struct mmap_events *w, __u64 bytes);
/* Same for a recording in one file, whose size is @size now: an eighth may be text. */
void mmap_events_written(struct mmap_events *w, __u64 size);
/*
 * Adds META lines origin and map for records since the last call; counts them instead while there
 * is no room. Returns false if there is no room for more text at present. NULL is allowed, here and
 * below.
 */
bool mmap_events_drain(struct mmap_events *w, struct ktrace_session *s, struct ktrace_text *meta);
/* True if all code of this process has been written, or soon will be. */
bool mmap_events_knows(const struct mmap_events *w, __u32 pid);

/**
 * struct mmap_events_loss - records that are missing
 * @news:	records that the kernel had no room for
 * @cpus:	number of times a CPU came online, each with unknown first moments
 * @untold:	records that the file had no room for
 */
struct mmap_events_loss {
	__u64 news;
	__u32 cpus;
	__u64 untold;
};

struct mmap_events_loss mmap_events_loss(struct mmap_events *w);
void mmap_events_free(struct mmap_events *w);

#endif
