/* SPDX-License-Identifier: GPL-2.0 */
/* ftrace.h - converts bundles of the kernel's events: state and parts */
#ifndef VIEWER_IMPORT_PERFETTO_FTRACE_H
#define VIEWER_IMPORT_PERFETTO_FTRACE_H

#include "base/hash_table.h"

#include "perfetto.pb-c.h"

#include <linux/ktrace_events.h>
#include <stdbool.h>

struct conversion;
struct packet_field;

/**
 * struct ftrace - what is known about threads and CPUs
 * @threads:	threads named by process trees or events
 * @cpus:	CPUs with compact events, see ftrace_put_compact()
 * @has_wakeup:	wakeups are recorded, not only wakings
 * @has_newtask: new threads are recorded, so that forks tell whether the child is a thread
 */
struct ftrace {
	struct hash_table threads;
	struct hash_table cpus;
	bool has_wakeup;
	bool has_newtask;
};

/* struct ftrace_cpu - the thread that was switched to last, if known; cpu is the key */
struct ftrace_cpu {
	__u32 cpu;
	bool is_known;
	__s32 tid;
	__s32 prio;
	char comm[KTRACE_COMM_LEN];
};

/* struct ftrace_place - the bundle of an event, and what all events have */
struct ftrace_place {
	const Perfetto__Protos__FtraceEventBundle *bundle;
	__u64 stamp;
	__u32 tid;
	__u32 flags;
};

void ftrace_init(struct ftrace *f);
void ftrace_free(struct ftrace *f);

/* Learn before the conversion: threads from a process tree, and which events a bundle has */
int ftrace_learn_tree(struct conversion *c, const struct packet_field *f);
void ftrace_learn(struct conversion *c, const struct packet_field *f);

/* Puts an event with the fields of a message. Return: 0, -errno; likewise those below. */
int ftrace_put(struct conversion *c, const char *name, const ProtobufCMessage *m,
	       const struct ftrace_place *at);
/* Puts all events of a bundle that are stored in columns. */
int ftrace_put_compact(struct conversion *c, const Perfetto__Protos__FtraceEventBundle *b);

#endif
