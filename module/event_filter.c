// SPDX-License-Identifier: GPL-2.0
/*
 * event_filter.c - which events of a type a session wants: a filter program, and its inputs
 *
 * A program is copied from its owner once, checked as a whole, and constant from then on.
 * Its result depends only on what the record would reveal to the owner: for a thread that
 * the owner may not see, the program finds thread and process 0, and no user.
 */
#include "event_filter.h"
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/uidgid.h>
#include "compat.h"

static_assert(KTRACE_MATCH_COMM_LEN == TASK_COMM_LEN);

static int event_filter_copy_in(struct kt_event_filter *v, const struct ktrace_kernel_filter *from)
{
	const size_t step_bytes = array_size(from->step_nr, sizeof(v->steps[0]));
	char *texts = (char *)(v->steps + from->step_nr);

	if (copy_from_user(v->steps, u64_to_user_ptr(from->steps), step_bytes) ||
	    copy_from_user(texts, u64_to_user_ptr(from->texts), from->text_size))
		return -EFAULT;
	v->match = (struct kt_filter_vm){ v->steps, from->step_nr, texts };
	if (!kt_filter_vm_check(&v->match, from->text_size))
		return -EINVAL;
	v->asks_cgroup = kt_filter_vm_asks(&v->match, KTRACE_MATCH_CGROUP);
	return 0;
}

/**
 * kt_event_filter_make - copy a program from user space
 * @from:	where it is
 * @out:	the filter
 *
 * Context: process, sleeps.
 * Return: 0; -EINVAL no program, or too much work; -EFAULT; -ENOMEM.
 */
int kt_event_filter_make(const struct ktrace_kernel_filter *from, struct kt_event_filter **out)
{
	const u32 bytes = sizeof(struct kt_event_filter) + from->text_size +
			  from->step_nr * sizeof(struct ktrace_match_step);
	struct kt_event_filter *v;
	int err;

	if (!from->step_nr || from->step_nr > KTRACE_MATCH_STEPS_MAX ||
	    from->text_size > KTRACE_MATCH_TEXTS_MAX)
		return -EINVAL;
	v = kvzalloc(bytes, GFP_KERNEL_ACCOUNT);
	if (!v)
		return -ENOMEM;
	v->bytes = bytes;
	err = event_filter_copy_in(v, from);
	if (err)
		kt_event_filter_free(v);
	else
		*out = v;
	return err;
}

/** kt_event_filter_free - free a filter, or NULL, that is not in use */
void kt_event_filter_free(struct kt_event_filter *v)
{
	kvfree(v);
}

/** kt_event_filter_retire - free a filter, or NULL, that was just replaced, after a grace period */
void kt_event_filter_retire(struct kt_event_filter *v)
{
	if (v)
		kvfree_rcu(v, rcu);
}

/*
 * Fills in what a filter may ask about current. The idle tasks of all CPUs have one name, as in the
 * trace.
 */
static void describe_current(const struct kt_event_filter *v, struct kt_filter_vm_event *e)
{
	e->pid = current->tgid;
	if (e->pid)
		memcpy(e->comm, current->comm, sizeof(e->comm));
	e->uid = __kuid_val(current_real_cred()->uid);
	if (v->asks_cgroup)
		e->cgroup = kt_compat_cgroup_id(current);
	e->has_owner = true;
}

/**
 * kt_event_filter_passes - true if an event of current is wanted
 * @v:		the filter
 * @payload:	what the session's owner may see of the event
 * @len:	bytes of it
 * @tid_flags:	as in struct ktrace_record, as far as the owner may see them
 * @is_seen:	the owner may see current
 * @work:	as for kt_filter_vm_run()
 *
 * Context: any, preemption off.
 * Return: as kt_filter_vm_run().
 */
bool kt_event_filter_passes(const struct kt_event_filter *v, const void *payload, u32 len,
			    u32 tid_flags,
			    bool is_seen, s64 *work)
{
	struct kt_filter_vm_event e = {
		.payload = payload,
		.len = len,
		.flags = tid_flags & ~KTRACE_TID_MASK,
		.tid = tid_flags & KTRACE_TID_MASK,
		.cpu = raw_smp_processor_id(),
		.comm = "swapper",
	};

	if (is_seen)
		describe_current(v, &e);
	return kt_filter_vm_run(&v->match, &e, work);
}
