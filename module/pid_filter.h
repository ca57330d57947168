/* SPDX-License-Identifier: GPL-2.0 */
/* pid_filter.h - which processes a session follows */
#ifndef KT_PID_FILTER_H
#define KT_PID_FILTER_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/cred.h>
#include <linux/sched.h>
#include <linux/uidgid.h>

/**
 * struct kt_pid_filter - a set of processes that grows with fork
 * @followed:	bit per process id. Written when a process is followed and, for every new process,
 *		by fork; so a bit that a dead process has left is corrected before its id is used
 *		again
 * @alive:	bit per process id: counted in @alive_nr
 * @all:	everything passes
 * @any_user:	processes of any user may be followed; never changes
 * @had_any:	@alive_nr has been above 0
 * @owner:	user whose processes may be followed without @any_user; never changes
 * @cred:	credentials of the channel's creator: the most capabilities that such processes may
 *		have
 * @alive_nr:	live followed processes
 *
 * Bitmaps, because fork has to add to the set with preemption off, where not even an atomic
 * allocation is allowed under PREEMPT_RT, and the test is one load.
 */
struct kt_pid_filter {
	unsigned long *followed;
	unsigned long *alive;
	bool all;
	bool any_user;
	bool had_any;
	kuid_t owner;
	const struct cred *cred;
	atomic_t alive_nr;
};

/* Memory that a filter takes, to be charged to the session. */
#define KT_PID_FILTER_BYTES (2 * BITS_TO_LONGS(PID_MAX_LIMIT) * sizeof(long))

/** kt_pid_filter_passes - true if @task is followed. Context: any */
static inline bool kt_pid_filter_passes(const struct kt_pid_filter *f,
					const struct task_struct *task)
{
	return READ_ONCE(f->all) || test_bit(task->tgid, f->followed);
}

bool kt_pid_filter_shows(const struct kt_pid_filter *f, const struct task_struct *task);

int kt_pid_filter_init(struct kt_pid_filter *f, kuid_t owner, bool any_user);
void kt_pid_filter_exit(struct kt_pid_filter *f);

int kt_pid_filter_follow_all(struct kt_pid_filter *f);
int kt_pid_filter_follow(struct kt_pid_filter *f, pid_t pid);

void kt_pid_filter_fork(struct kt_pid_filter *f, const struct task_struct *parent,
			const struct task_struct *child);
bool kt_pid_filter_exec(struct kt_pid_filter *f, const struct task_struct *task);
bool kt_pid_filter_leave(struct kt_pid_filter *f, const struct task_struct *task);

#endif
