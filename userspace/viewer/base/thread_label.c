// SPDX-License-Identifier: GPL-2.0
/* thread_label.c - the thread a row of a result belongs to */
#include "thread_label.h"

#include "json.h"

#include <stdio.h>
#include <string.h>

void thread_label_learn(struct thread_label *w, const struct ktrace_states *state,
			const struct ktrace_process *p)
{
	const char *name;

	w->cpu = p->cpu;
	if (w->is_known && p->stamp < w->until && w->told_pid == p->pid &&
	    !memcmp(w->told_comm, p->comm, sizeof(p->comm)))
		return;
	name = ktrace_process_name(state, p);
	w->tid = p->tid;
	w->pid = ktrace_process_pid(state, p);
	w->told_pid = p->pid;
	memcpy(w->told_comm, p->comm, sizeof(p->comm));
	snprintf(w->comm, sizeof(w->comm), "%s", name ? name : "");
	w->is_known = true;
	w->until = ktrace_process_name_until(state, p);
}

void thread_label_name(const struct thread_label *w, char *text, size_t size)
{
	char number[16] = "-";

	if (w->pid)
		snprintf(number, sizeof(number), "%u", w->pid);
	if (!w->is_known)
		snprintf(text, size, "?");
	else if (!w->tid)
		snprintf(text, size, "0/0 swapper/%d", w->cpu);
	else
		snprintf(text, size, "%s/%u %s", number, w->tid, w->comm[0] ? w->comm : "?");
}

void thread_label_json(const struct thread_label *w, struct ktrace_out *out)
{
	json_u64(out, "tid", w->tid);
	json_u64(out, "pid", w->pid);
	json_str(out, "comm", w->comm);
}
