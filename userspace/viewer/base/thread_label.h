/* SPDX-License-Identifier: GPL-2.0 */
/* thread_label.h - the thread a row of a result belongs to */
#ifndef VIEWER_BASE_THREAD_LABEL_H
#define VIEWER_BASE_THREAD_LABEL_H

#include <ktrace/state.h>
#include "viewer.h"

/**
 * struct thread_label - names of a thread; all zero to begin with
 * @tid:	thread
 * @pid:	its process, 0 = not known
 * @cpu:	its last CPU
 * @is_known:	the members are filled in
 * @until:	stamp from which META may name it differently
 * @told_pid:	process id that an event gave
 * @told_comm:	name that an event gave
 * @comm:	its name, empty = not known
 */
struct thread_label {
	__u32 tid;
	__u32 pid;
	__s32 cpu;
	bool is_known;
	__u64 until;
	__u32 told_pid;
	char told_comm[16];
	char comm[16];
};

/* Fills in what is known of the thread by now; looks it up again only after a change. */
void thread_label_learn(struct thread_label *w, const struct ktrace_states *state,
			const struct ktrace_process *p);
/* Formats "100/101 name". */
void thread_label_name(const struct thread_label *w, char *text, size_t size);
/* Writes tid, pid, comm as members of a JSON object. */
void thread_label_json(const struct thread_label *w, struct ktrace_out *out);

#endif
