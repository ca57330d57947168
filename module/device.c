// SPDX-License-Identifier: GPL-2.0
/*
 * device.c - /dev/ktrace: descriptors, ioctls, mappings
 *
 * A descriptor gets its role from its first request and keeps it:
 *
 *         CHANNEL, ADOPT                      ATTACH
 *   OWNER <----------- NONE (fresh) --------------------> WRITER
 *                           | SHARK_SENDER
 *                         SENDER
 *
 * Each ioctl: copy in and check, unlocked; act under the descriptor's lock; copy out,
 * unlocked. Only stacks and programs of filters are copied under the lock. mmap(), poll() and
 * page faults take no lock, except a sender's: the session of a descriptor, once set, stays
 * until release, and the vma holds the descriptor.
 */
#include "device.h"
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <uapi/linux/ktrace_exec.h>
#include <uapi/linux/ktrace_shark.h>
#include "account.h"
#include "chunk_send.h"
#include "compat.h"
#include "control.h"
#include "orphans.h"
#include "lend.h"
#include "session.h"
#include "event_filter.h"

/**
 * struct open_file - one open file description
 * @lock:	one ioctl at a time
 * @role:	written under @lock before @session is published
 * @session:	the session, with a reference; NULL unless it is an owner or a writer
 * @holder:	a writer's: the account of its user in the session
 * @thread_word: a writer's: as in struct ktrace_attach
 * @attached:	a writer's: memory that has these words; held, so that its address is not reused
 * @sender:	NULL unless it is a sender
 */
struct open_file {
	struct mutex lock;
	enum kt_role role;
	struct kt_session *session;
	struct kt_holder *holder;
	s32 thread_word;
	struct mm_struct *attached;
	struct kt_chunk_sender *sender;
};

/* The private copy of an ioctl's argument. */
union ioctl_arg {
	u32 size;
	struct ktrace_channel_spec channel;
	struct ktrace_enable enable;
	s32 pid;
	struct ktrace_info info;
	struct ktrace_attach attach;
	u32 keep;
	struct ktrace_kept kept;
	struct ktrace_adopt adopt;
	struct ktrace_kernel_filter filter;
	struct ktrace_context context;
	struct ktrace_counter counter;
	struct ktrace_stacks stacks;
	struct ktrace_tracepoint tracepoint;
	struct ktrace_missed missed;
	struct ktrace_exec exec;
	struct ktrace_shark_serve serve;
	struct ktrace_shark_job job;
	struct ktrace_shark_end end;
};

static struct kt_session *session_of(struct open_file *of)
{
	/* ORD(session_of:A) pairs ORD(take_role:A): session and role are complete */
	return smp_load_acquire(&of->session);
}

static struct kt_chunk_sender *sender_of(struct open_file *of)
{
	/* ORD(sender_of:A) pairs ORD(do_shark_sender:A): the sender is complete */
	return smp_load_acquire(&of->sender);
}

static void take_role(struct open_file *of, enum kt_role role, struct kt_session *s)
{
	lockdep_assert_held(&of->lock);
	of->role = role;
	/* ORD(take_role:A) pairs ORD(session_of:A): the role is set before the session */
	smp_store_release(&of->session, s);
}

/* ---- ioctls ---- */

static int do_channel(struct open_file *of, union ioctl_arg *arg)
{
	struct kt_session *s = of->session;
	int err;

	if (of->role == KT_ROLE_WRITER || of->role == KT_ROLE_SENDER)
		return -EPERM;
	if (s)
		return kt_session_add_channel(s, &arg->channel);
	err = kt_session_create(&s);
	if (err)
		return err;
	err = kt_session_add_channel(s, &arg->channel);
	if (err)
		kt_session_close(s);
	else
		take_role(of, KT_ROLE_OWNER, s);
	return err;
}

static int do_attach(struct open_file *of, union ioctl_arg *arg)
{
	struct kt_session *s;
	int err;

	if (of->role != KT_ROLE_NONE)
		return -EBUSY;
	err = kt_session_find(arg->attach.session, &s);
	if (err)
		return err;
	err = kt_session_user_channel(s, &arg->attach);
	if (!err)
		err = kt_account_hold(s, &of->holder);
	if (err) {
		kt_session_put(s);
		return err;
	}
	of->thread_word = arg->attach.thread_word;
	of->attached = current->mm;
	mmgrab(of->attached);
	take_role(of, KT_ROLE_WRITER, s);
	return 0;
}

static int do_start(struct open_file *of, union ioctl_arg *arg)
{
	return kt_control_start(of->session);
}

static int do_stop(struct open_file *of, union ioctl_arg *arg)
{
	return kt_control_stop(of->session);
}

static int do_enable(struct open_file *of, union ioctl_arg *arg)
{
	if (arg->enable.on > 1)
		return -EINVAL;
	return kt_control_enable(of->session, arg->enable.id, arg->enable.on);
}

static int do_filter(struct open_file *of, union ioctl_arg *arg)
{
	struct kt_event_filter *v = NULL;
	int err;

	if (arg->filter.reserved || (!arg->filter.step_nr && arg->filter.text_size))
		return -EINVAL;
	err = arg->filter.step_nr ? kt_event_filter_make(&arg->filter, &v) : 0;
	if (err)
		return err;
	err = kt_control_filter(of->session, arg->filter.id, v);
	if (err)
		kt_event_filter_free(v);
	return err;
}

static int do_follow(struct open_file *of, union ioctl_arg *arg)
{
	return kt_control_follow(of->session, arg->pid);
}

static int do_info(struct open_file *of, union ioctl_arg *arg)
{
	kt_session_info(of->session, &arg->info);
	kt_orphans_info(&arg->info);
	return 0;
}

static int do_keep(struct open_file *of, union ioctl_arg *arg)
{
	if (arg->keep > 1)
		return -EINVAL;
	of->session->keep = arg->keep;
	return 0;
}

static int do_kept(struct open_file *of, union ioctl_arg *arg)
{
	return kt_orphans_describe(&arg->kept);
}

static int do_adopt(struct open_file *of, union ioctl_arg *arg)
{
	struct kt_session *s;
	int err;

	if (arg->adopt.channels)
		return -EINVAL;
	if (of->role != KT_ROLE_NONE)
		return -EBUSY;
	err = kt_orphans_adopt(&arg->adopt, &s);
	if (!err)
		take_role(of, KT_ROLE_OWNER, s);
	return err;
}

static int do_context(struct open_file *of, union ioctl_arg *arg)
{
	return kt_control_context(of->session, arg->context.id, arg->context.bits);
}

static int do_counter(struct open_file *of, union ioctl_arg *arg)
{
	if (arg->counter.index || arg->counter.reserved)
		return -EINVAL;
	return kt_control_counter(of->session, &arg->counter);
}

static int do_stacks(struct open_file *of, union ioctl_arg *arg)
{
	return kt_control_stacks(of->session, &arg->stacks);
}

static int do_tracepoint(struct open_file *of, union ioctl_arg *arg)
{
	struct ktrace_tracepoint *t = &arg->tracepoint;

	if (t->id || t->reserved[0] || t->reserved[1] || t->reserved[2])
		return -EINVAL;
	return kt_control_map(of->session, t->number, &t->id);
}

static int do_missed(struct open_file *of, union ioctl_arg *arg)
{
	if (arg->missed.reserved)
		return -EINVAL;
	return kt_control_missed(of->session, arg->missed.id, &arg->missed.missed);
}

static int do_exec(struct open_file *of, union ioctl_arg *arg)
{
	if (arg->exec.reserved)
		return -EINVAL;
	return kt_control_exec(of->session, &arg->exec);
}

static int do_shark_sender(struct open_file *of, union ioctl_arg *arg)
{
	struct kt_chunk_sender *sender;
	int err;

	if (arg->serve.reserved)
		return -EINVAL;
	if (of->role != KT_ROLE_NONE)
		return -EBUSY;
	if (!kt_session_may_kernel())
		return -EPERM;
	err = kt_chunk_sender_open(arg->serve.kinds, &sender);
	if (err)
		return err;
	of->role = KT_ROLE_SENDER;
	/* ORD(do_shark_sender:A) pairs ORD(sender_of:A): the sender is complete */
	smp_store_release(&of->sender, sender);
	return 0;
}

static int do_shark_next(struct open_file *of, union ioctl_arg *arg)
{
	return of->sender ? kt_chunk_sender_next(of->sender, &arg->job) : -EINVAL;
}

static void undo_shark_next(struct open_file *of, const union ioctl_arg *arg)
{
	kt_chunk_sender_undo(of->sender, arg->job.job);
}

static int do_shark_end(struct open_file *of, union ioctl_arg *arg)
{
	return of->sender ? kt_chunk_sender_end(of->sender, &arg->end) : -EINVAL;
}

/*
 * One row:
 * @cmd:	number; its size part is the size at build time
 * @is_sized:	the argument begins with its size, which may differ from ours
 * @needs_owner: for descriptors that own a session only
 * @act:	executes it, under the descriptor's lock
 * @undo:	undoes it if the answer could not be copied out; NULL: nothing to do
 */
static const struct ioctl {
	unsigned int cmd;
	bool is_sized;
	bool needs_owner;
	int (*act)(struct open_file *of, union ioctl_arg *arg);
	void (*undo)(struct open_file *of, const union ioctl_arg *arg);
} ioctls[] = {
	{ KTRACE_IOC_CHANNEL, true, false, do_channel },
	{ KTRACE_IOC_START, false, true, do_start },
	{ KTRACE_IOC_STOP, false, true, do_stop },
	{ KTRACE_IOC_ENABLE, false, true, do_enable },
	{ KTRACE_IOC_FOLLOW, false, true, do_follow },
	{ KTRACE_IOC_INFO, true, false, do_info },
	{ KTRACE_IOC_ATTACH, true, false, do_attach },
	{ KTRACE_IOC_KEEP, false, true, do_keep },
	{ KTRACE_IOC_KEPT, true, false, do_kept },
	{ KTRACE_IOC_ADOPT, true, false, do_adopt },
	{ KTRACE_IOC_SHARK_SENDER, true, false, do_shark_sender },
	{ KTRACE_IOC_SHARK_NEXT, true, false, do_shark_next, undo_shark_next },
	{ KTRACE_IOC_SHARK_END, false, false, do_shark_end },
	{ KTRACE_IOC_FILTER, true, true, do_filter },
	{ KTRACE_IOC_CONTEXT, false, true, do_context },
	{ KTRACE_IOC_COUNTER, true, true, do_counter },
	{ KTRACE_IOC_STACKS, true, true, do_stacks },
	{ KTRACE_IOC_TRACEPOINT, true, true, do_tracepoint },
	{ KTRACE_IOC_MISSED, true, true, do_missed },
	{ KTRACE_IOC_EXEC, true, true, do_exec },
};

/* Finds a command's row. Sized arguments may grow: the size in their number is ignored. */
static const struct ioctl *find_ioctl(unsigned int cmd)
{
	const unsigned int size_bits = _IOC_SIZEMASK << _IOC_SIZESHIFT;
	const struct ioctl *row;

	for (row = ioctls; row < ioctls + ARRAY_SIZE(ioctls); row++)
		if (cmd == row->cmd ||
		    (row->is_sized && (cmd & ~size_bits) == (row->cmd & ~size_bits)))
			return row;
	return NULL;
}

/* Copies an argument in. @size: out: the argument's size as the caller knows it */
static int device_copy_in(const struct ioctl *row, union ioctl_arg *arg, const void __user *from,
			  u32 *size)
{
	const u32 our_size = _IOC_SIZE(row->cmd);
	int err;

	*size = our_size;
	if (!row->is_sized)
		return copy_from_user(arg, from, our_size) ? -EFAULT : 0;
	if (get_user(*size, (const u32 __user *)from))
		return -EFAULT;
	if (*size < our_size)
		return -EINVAL;
	if (*size > PAGE_SIZE)
		return -E2BIG;
	err = copy_struct_from_user(arg, our_size, from, *size);
	arg->size = *size;	/* it may have changed between the two reads */
	return err;
}

static int act_locked(struct open_file *of, const struct ioctl *row, union ioctl_arg *arg)
{
	lockdep_assert_held(&of->lock);
	if (row->needs_owner && of->role != KT_ROLE_OWNER)
		return of->role == KT_ROLE_NONE ? -EINVAL : -EPERM;
	return row->act(of, arg);
}

/*
 * Common errors: -ENOTTY unknown; -EFAULT; -EINTR killed; sized arguments: -EINVAL smaller than
 * ours, -E2BIG larger than a page, or unknown bytes that are not 0; for the owner only: -EINVAL on
 * a fresh descriptor, -EPERM on a writer's or sender's. The others are those of the request.
 */
static long device_ioctl(struct file *file, unsigned int cmd, unsigned long user)
{
	const struct ioctl *row = find_ioctl(cmd);
	struct open_file *of = file->private_data;
	void __user *where = (void __user *)user;
	union ioctl_arg arg = { };
	u32 size;
	int err;

	if (!row)
		return -ENOTTY;
	err = device_copy_in(row, &arg, where, &size);
	if (err)
		return err;
	/* Another thread's request may be allocating much memory. */
	if (mutex_lock_killable(&of->lock))
		return -EINTR;
	err = act_locked(of, row, &arg);
	mutex_unlock(&of->lock);
	if (err || !(_IOC_DIR(row->cmd) & _IOC_READ))
		return err;
	if (!copy_to_user(where, &arg, _IOC_SIZE(row->cmd)))
		return 0;
	if (row->undo)
		row->undo(of, &arg);
	return -EFAULT;
}

/* ---- mappings ---- */

static struct open_file *vma_file(const struct vm_area_struct *vma)
{
	return vma->vm_file->private_data;
}

static u64 vma_off(unsigned long pgoff)
{
	return ((u64)pgoff << PAGE_SHIFT) & (BIT_ULL(KTRACE_MAP_SHIFT) - 1);
}

static void device_mapping_open(struct vm_area_struct *vma)
{
	struct open_file *of = vma_file(vma);

	if (of->role != KT_ROLE_WRITER)
		return;
	kt_session_add_writer(of->session);
	kt_lend_inherit(vma->vm_mm, of->thread_word);
}

static void device_mapping_close(struct vm_area_struct *vma)
{
	struct open_file *of = vma_file(vma);

	if (of->role != KT_ROLE_WRITER)
		return;
	kt_lend_remove(vma->vm_mm, of->thread_word);
	kt_session_remove_writer(of->session);
}

static vm_fault_t device_mapping_fault(struct vm_fault *vmf)
{
	const struct kt_buffer *b = vmf->vma->vm_private_data;
	struct page *page = kt_buffer_page(b, vma_off(vmf->pgoff));

	if (!page)
		return VM_FAULT_SIGBUS;
	get_page(page);
	vmf->page = page;
	return 0;
}

/* Fork and a partial munmap() open and close mappings, by which writers are counted. */
static const struct vm_operations_struct mapping_ops = {
	.open = device_mapping_open,
	.close = device_mapping_close,
	.fault = device_mapping_fault,
};

static int check_rights(const struct open_file *of, const struct kt_buffer *b,
			const struct vm_area_struct *vma)
{
	const u64 off = vma_off(vma->vm_pgoff);
	const u64 end = off + (vma->vm_end - vma->vm_start);

	if (end > b->l.map_size || !(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	if (vma->vm_flags & VM_EXEC)
		return -EPERM;
	if (of->role == KT_ROLE_WRITER && b->l.kind == KTRACE_CHANNEL_KERNEL)
		return -EPERM;
	if (vma->vm_flags & VM_WRITE && !kt_buffer_may_write(b, of->role, off, end))
		return -EPERM;
	return 0;
}

/*
 * Maps a channel. A mapping keeps the rights it was made with for ever. The owner's mappings are
 * not inherited by fork: its children have to be writers like all other processes.
 *
 * Errors: -ENXIO no session, or no such channel; -EINVAL beyond the channel's end, or private;
 * -EPERM executable, writable where the role may only read, or a kernel channel for a writer.
 */
static int device_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct open_file *of = file->private_data;
	struct kt_chunk_sender *sender = sender_of(of);
	struct kt_session *s = session_of(of);
	vm_flags_t set = VM_DONTEXPAND | VM_DONTDUMP, clear = VM_MAYEXEC;
	struct kt_buffer *b;
	int err;

	if (sender)
		return kt_chunk_sender_mmap(sender, vma);
	b = s ? kt_session_channel(s, (u64)vma->vm_pgoff >> (KTRACE_MAP_SHIFT - PAGE_SHIFT)) :
		NULL;
	if (!b)
		return -ENXIO;
	err = check_rights(of, b, vma);
	if (err)
		return err;
	if (of->role == KT_ROLE_OWNER)
		set |= VM_DONTCOPY;
	if (!(vma->vm_flags & VM_WRITE))
		clear |= VM_MAYWRITE;
	kt_compat_vma_flags(vma, set, clear);
	vma->vm_private_data = b;
	vma->vm_ops = &mapping_ops;
	if (of->role == KT_ROLE_WRITER)
		kt_session_add_writer(s);
	if (of->role == KT_ROLE_WRITER && of->attached == current->mm) {
		kt_lend_add(vma->vm_mm, of->thread_word);
		if (vma->vm_flags & VM_WRITE)
			kt_control_attached(s);
	}
	return 0;
}

/* ---- poll, open, release ---- */

static __poll_t device_poll(struct file *file, poll_table *wait)
{
	struct open_file *of = file->private_data;
	struct kt_chunk_sender *sender = sender_of(of);
	struct kt_session *s = session_of(of);

	if (sender)
		return kt_chunk_sender_poll(sender, file, wait);
	return s && of->role == KT_ROLE_OWNER ? kt_session_poll(s, file, wait) : EPOLLERR;
}

static int device_open(struct inode *inode, struct file *file)
{
	struct open_file *of = kzalloc(sizeof(*of), GFP_KERNEL_ACCOUNT);

	if (!of)
		return -ENOMEM;
	mutex_init(&of->lock);
	file->private_data = of;
	return nonseekable_open(inode, file);
}

static int device_release(struct inode *inode, struct file *file)
{
	struct open_file *of = file->private_data;

	if (of->role == KT_ROLE_OWNER)
		kt_orphans_close(of->session);
	else if (of->role == KT_ROLE_WRITER)
		kt_account_unhold(of->session, of->holder);
	else if (of->role == KT_ROLE_SENDER)
		kt_chunk_sender_close(of->sender);
	if (of->attached)
		mmdrop(of->attached);
	kfree(of);
	return 0;
}

static const struct file_operations device_ops = {
	.owner = THIS_MODULE,
	.open = device_open,
	.release = device_release,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = device_mmap,
	.poll = device_poll,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "ktrace",
	.mode = 0660,
	.fops = &device_ops,
};

/** kt_device_init - make /dev/ktrace */
int kt_device_init(void)
{
	return misc_register(&device);
}

/** kt_device_exit - remove /dev/ktrace; no descriptor is open */
void kt_device_exit(void)
{
	misc_deregister(&device);
}
