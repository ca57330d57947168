/* SPDX-License-Identifier: GPL-2.0 */
/*
 * import_hold.h - holds events whose thread or task state only later events tell
 *
 * The first switch of a CPU names the thread that ran before it, and so does the first one after a
 * loss: events without a thread wait for it. A switch whose task state can be read in several ways
 * waits until one of them is left. Everything of that CPU waits behind it, so that order stays.
 *
 * What would need more than IMPORT_HOLD_MAX bytes is written as far as it is known.
 */
#ifndef VIEWER_IMPORT_IMPORT_HOLD_H
#define VIEWER_IMPORT_IMPORT_HOLD_H

#include "import_writer.h"
#include "task_state.h"

/** IMPORT_HOLD_MAX - bytes of events of all CPUs that wait */
#define IMPORT_HOLD_MAX (64u << 20)

struct import_hold_cpu;

/**
 * struct import_hold - events that wait
 * @states:	how task states are numbered
 * @is_forced:	no longer waits for the numbering
 * @cpus:	by CPU + 1, the first one for events without a CPU; NULL = no event yet
 * @bytes:	memory of all CPUs
 */
struct import_hold {
	struct task_states states;
	bool is_forced;
	struct import_hold_cpu *cpus[IMPORT_WRITER_CPUS + 1];
	size_t bytes;
};

/* Take an event or a loss; write it and what waited for it. Return: 0, -errno. */
int import_hold_put(struct import_hold *h, struct import_writer *f,
		    const struct import_writer_event *e);
int import_hold_lost(struct import_hold *h, struct import_writer *f, __u32 kind,
		     const struct import_writer_event *at, const struct ktrace_lost *lost);
/* Writes everything that still waits. Return: 0, -errno. */
int import_hold_end(struct import_hold *h, struct import_writer *f);
void import_hold_free(struct import_hold *h);

#endif
