// SPDX-License-Identifier: GPL-2.0
/*
 * chunk_send.c - chunks on their way to a sender process
 *
 *   QUEUED --next--> UNDER_WAY --end--> ENDED
 *      ^__sender gone, nobody waits__/    ^
 *      ^__not delivered to sender____/    |
 *      \______sender gone, or the waiting caller is killed
 *
 * A job's chunk is BUSY from the first state to the last. At the end the waiting caller gives the
 * chunk its new flags and frees the job; if no caller waits, the sender's report restores the flags
 * and frees the job. Jobs of FTrace_disk_writer(), for which no caller waits, stay until there is a
 * sender.
 *
 * send_lock protects everything here. It is taken inside a descriptor's lock, and in mmap().
 */
#include "chunk_send.h"
#include <linux/export.h>
#include <linux/fs.h>
#include <linux/ktrace_shark.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>
#include "chunk.h"
#include "compat.h"

#define ALL_KINDS (KTRACE_SHARK_TO_DISK | KTRACE_SHARK_TO_UDP)

enum job_state { QUEUED, UNDER_WAY, ENDED };

/**
 * struct job - a chunk that is to be sent
 * @node:	in jobs, until it has ended
 * @state:	see above; written under send_lock, read without it by the waiting caller
 * @is_waited:	a caller waits for the end
 * @error:	ENDED: 0 or -errno
 * @memory:	a reference to the chunk's memory
 * @told:	what the sender gets to know
 */
struct job {
	struct list_head node;
	enum job_state state;
	bool is_waited;
	int error;
	struct kt_chunk_memory *memory;
	struct ktrace_shark_job told;
};

/**
 * struct kt_chunk_sender - a process that sends
 * @kinds:	KTRACE_SHARK_TO_*
 * @node:	in senders
 * @wait:	wait queue of its poll()
 */
struct kt_chunk_sender {
	u32 kinds;
	struct list_head node;
	wait_queue_head_t wait;
};

static DEFINE_MUTEX(send_lock);
static LIST_HEAD(jobs);
static LIST_HEAD(senders);
static DECLARE_WAIT_QUEUE_HEAD(ended);
static u64 last_job;

/* The kind that was registered last, and the parameters of each kind. */
static u32 registered;
static char disk_name[KTRACE_SHARK_TEXT], udp_local[KTRACE_SHARK_TEXT],
	udp_target[KTRACE_SHARK_TEXT];

static struct kt_chunk_sender *find_sender(u32 kinds)
{
	struct kt_chunk_sender *s;

	lockdep_assert_held(&send_lock);
	list_for_each_entry(s, &senders, node)
		if (s->kinds & kinds)
			return s;
	return NULL;
}

/* ---- jobs ---- */

static void chunk_send_describe(struct ktrace_shark_job *told, const struct FTrace_Chunk *s)
{
	told->chunk = s->number;
	told->flags = s->flags;
	told->clk_per_msec = FTrace_clk_per_msec();
	told->first = s->first;
	told->events = s->events;
	told->normal_nr = s->size / sizeof(struct ktrace_shark_event);
	told->emergency_events = s->emergency_events;
	told->bytes = s->bytes;
	told->map_off = (u64)s->number << KTRACE_MAP_SHIFT;
	memcpy(told->lost, s->lost, sizeof(told->lost));
	if (told->kind == KTRACE_SHARK_TO_DISK) {
		memcpy(told->name, disk_name, sizeof(told->name));
	} else {
		memcpy(told->local, udp_local, sizeof(told->local));
		memcpy(told->target, udp_target, sizeof(told->target));
	}
}

/* Makes chunk @n BUSY and queues @job, which says how it is to be sent. */
static int chunk_send_queue(struct job *job, int n)
{
	struct kt_chunk_sender *sender = find_sender(job->told.kind);
	struct kt_shark_view view;
	int err;

	lockdep_assert_held(&send_lock);
	if (job->is_waited && !sender)
		return -ENOTCONN;
	err = kt_shark_hold(&kt_chunk_tracer, n, &view);
	if (err)
		return err;
	chunk_send_describe(&job->told, &view.status);
	job->memory = kt_chunk_memory_of(n);
	job->told.map_size = job->memory->bytes;
	job->told.job = ++last_job;
	list_add_tail(&job->node, &jobs);
	if (sender)
		wake_up(&sender->wait);
	return 0;
}

static void free_job(struct job *job)
{
	kt_chunk_memory_put(job->memory);
	kfree(job);
}

/* Ends a job. Frees it if no caller waits for it. */
static void end_job(struct job *job, int error)
{
	lockdep_assert_held(&send_lock);
	list_del(&job->node);
	job->error = error;
	WRITE_ONCE(job->state, ENDED);
	if (job->is_waited) {
		wake_up_all(&ended);
		return;
	}
	kt_shark_restore(&kt_chunk_tracer, job->told.chunk);
	free_job(job);
}

static struct job *new_job(u32 kind, int osd_flags, bool is_waited)
{
	struct job *job = kzalloc(sizeof(*job), GFP_KERNEL_ACCOUNT);

	if (!job)
		return NULL;
	job->is_waited = is_waited;
	job->told.size = sizeof(job->told);
	job->told.kind = kind;
	job->told.osd_flags = osd_flags;
	return job;
}

/* Waits until the job has ended or current is killed; returns the job's error. */
static int wait_for(struct job *job)
{
	int killed = wait_event_killable(ended, READ_ONCE(job->state) == ENDED);

	mutex_lock(&send_lock);
	if (killed && job->state != ENDED)
		end_job(job, -EINTR);
	mutex_unlock(&send_lock);
	return job->error;
}

static int chunk_send_packet(int n, int osd_flags, FTrace_flags new_flags)
{
	struct job *job;
	int err = kt_shark_check_flags(new_flags);

	if (err)
		return err;
	job = new_job(0, osd_flags, true);
	if (!job)
		return -ENOMEM;
	mutex_lock(&send_lock);
	job->told.kind = registered;
	err = chunk_send_queue(job, n);
	mutex_unlock(&send_lock);
	if (err)
		goto out_free_job;
	err = wait_for(job);
	if (err)
		kt_shark_restore(&kt_chunk_tracer, n);
	else
		kt_shark_release(&kt_chunk_tracer, n, new_flags);
out_free_job:
	free_job(job);
	return err;
}

/**
 * FTrace_send_chunk - send a chunk and wait until it is sent (SHK-12)
 * @n:		its number
 * @osd_flags:	for the sender
 * @new_flags:	its flags after sending; with FREE it is deselected, and empty when it is used again
 *
 * Waits as long as the sender takes, but not longer than it lives. A caller that is killed
 * stops waiting.
 *
 * Context: process, sleeps.
 * Return: 0; -1 no such chunk, it is BUSY, invalid flags, neither FTrace_init_disk_writer() nor
 * FTrace_OSD_init_udp() was called, there is no sender, it could not send the chunk or is gone: the
 * chunk is then unchanged.
 */
int FTrace_send_chunk(int n, int osd_flags, FTrace_flags new_flags)
{
	return chunk_send_packet(n, osd_flags, new_flags) ? -1 : 0;
}
EXPORT_SYMBOL_GPL(FTrace_send_chunk);

/**
 * FTrace_disk_writer - queue a chunk to be written to its own file (SHK-14)
 * @c:		from FTrace_get_chunk_table()
 *
 * Does not wait: the chunk is BUSY until it is written, then gets its flags back. Without a process
 * that sends to disk it stays queued until there is one.
 *
 * Context: process, sleeps.
 */
void FTrace_disk_writer(FTrace_Chunk_Ptr c)
{
	struct job *job = c ? new_job(KTRACE_SHARK_TO_DISK, 0, false) : NULL;
	int err = -ENOMEM;

	if (job) {
		mutex_lock(&send_lock);
		err = chunk_send_queue(job, c->number);
		mutex_unlock(&send_lock);
	}
	if (err) {
		kfree(job);
		pr_warn_ratelimited("cannot queue a chunk for the disk: %d\n", err);
	}
}
EXPORT_SYMBOL_GPL(FTrace_disk_writer);

/* True if a text is not too long; false for NULL. */
static bool chunk_send_fits(const char *text)
{
	return text && strnlen(text, KTRACE_SHARK_TEXT) < KTRACE_SHARK_TEXT;
}

/**
 * FTrace_init_disk_writer - send chunks to disk from now on (SHK-13)
 * @fname:	base name of the files, shorter than KTRACE_SHARK_TEXT, without "/"
 * @flag:	ignored
 * @l_ip:	ignored
 * @t_ip:	ignored
 *
 * The sender may refuse names that it considers dangerous: then FTrace_send_chunk() fails.
 *
 * Context: process, sleeps.
 * Return: 0; -1 an invalid name.
 */
int FTrace_init_disk_writer(const char *fname, int flag, const char *l_ip, const char *t_ip)
{
	if (!chunk_send_fits(fname) || strchr(fname, '/'))
		return -1;
	mutex_lock(&send_lock);
	registered = KTRACE_SHARK_TO_DISK;
	strscpy_pad(disk_name, fname, sizeof(disk_name));
	mutex_unlock(&send_lock);
	return 0;
}
EXPORT_SYMBOL_GPL(FTrace_init_disk_writer);

/**
 * FTrace_OSD_init_udp - send chunks as UDP packets from now on (SHK-15)
 * @flag:	ignored: the network is up
 * @l_ip:	address to send from, NULL or "" = any
 * @t_ip:	address to send to; both shorter than KTRACE_SHARK_TEXT
 *
 * Context: process, sleeps.
 * Return: 0; -1 an address is too long, or @t_ip is NULL.
 */
int FTrace_OSD_init_udp(int flag, const char *l_ip, const char *t_ip)
{
	if (!l_ip)
		l_ip = "";
	if (!chunk_send_fits(l_ip) || !chunk_send_fits(t_ip))
		return -1;
	mutex_lock(&send_lock);
	registered = KTRACE_SHARK_TO_UDP;
	strscpy_pad(udp_local, l_ip, sizeof(udp_local));
	strscpy_pad(udp_target, t_ip, sizeof(udp_target));
	mutex_unlock(&send_lock);
	return 0;
}
EXPORT_SYMBOL_GPL(FTrace_OSD_init_udp);

/* ---- the sender's side ---- */

/**
 * kt_chunk_sender_open - become the sender for some kinds of jobs
 * @kinds:	KTRACE_SHARK_TO_*
 * @out:	the sender
 *
 * Context: process, sleeps.
 * Return: 0; -EINVAL invalid kinds; -EBUSY one of them has a sender; -ENOMEM.
 */
int kt_chunk_sender_open(u32 kinds, struct kt_chunk_sender **out)
{
	struct kt_chunk_sender *s;
	int err = 0;

	if (!kinds || kinds & ~ALL_KINDS)
		return -EINVAL;
	s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	if (!s)
		return -ENOMEM;
	s->kinds = kinds;
	init_waitqueue_head(&s->wait);
	mutex_lock(&send_lock);
	if (find_sender(kinds))
		err = -EBUSY;
	else
		list_add(&s->node, &senders);
	mutex_unlock(&send_lock);
	if (err)
		kfree(s);
	else
		*out = s;
	return err;
}

/** kt_chunk_sender_close - stop being a sender; waiting callers fail */
void kt_chunk_sender_close(struct kt_chunk_sender *s)
{
	struct job *job, *next;

	mutex_lock(&send_lock);
	list_del(&s->node);
	list_for_each_entry_safe(job, next, &jobs, node)
		if (job->told.kind & s->kinds) {
			if (job->is_waited)
				end_job(job, -EPIPE);
			else
				WRITE_ONCE(job->state, QUEUED);
		}
	mutex_unlock(&send_lock);
	kfree(s);
}

static struct job *find_job(const struct kt_chunk_sender *s, enum job_state state)
{
	struct job *job;

	lockdep_assert_held(&send_lock);
	list_for_each_entry(job, &jobs, node)
		if (job->told.kind & s->kinds && job->state == state)
			return job;
	return NULL;
}

/* Returns the job of that number if the sender has it under way. */
static struct job *find_taken(const struct kt_chunk_sender *s, u64 id)
{
	struct job *job;

	lockdep_assert_held(&send_lock);
	list_for_each_entry(job, &jobs, node)
		if (job->told.job == id && job->told.kind & s->kinds && job->state == UNDER_WAY)
			return job;
	return NULL;
}

/**
 * kt_chunk_sender_next - take the next job
 * @s:		the sender
 * @told:	the job; out
 *
 * Context: process, sleeps.
 * Return: 0; -EAGAIN no job is queued.
 */
int kt_chunk_sender_next(struct kt_chunk_sender *s, struct ktrace_shark_job *told)
{
	struct job *job;

	mutex_lock(&send_lock);
	job = find_job(s, QUEUED);
	if (job) {
		WRITE_ONCE(job->state, UNDER_WAY);
		*told = job->told;
	}
	mutex_unlock(&send_lock);
	return job ? 0 : -EAGAIN;
}

/**
 * kt_chunk_sender_undo - queue a job again that could not be delivered to the sender
 * @s:		the sender
 * @id:		the job
 *
 * Context: process, sleeps.
 */
void kt_chunk_sender_undo(struct kt_chunk_sender *s, u64 id)
{
	struct job *job;

	mutex_lock(&send_lock);
	job = find_taken(s, id);
	if (job) {
		WRITE_ONCE(job->state, QUEUED);
		wake_up(&s->wait);
	}
	mutex_unlock(&send_lock);
}

/**
 * kt_chunk_sender_end - end a job
 * @s:		the sender
 * @end:	which job, and its error
 *
 * Context: process, sleeps.
 * Return: 0; -EINVAL an invalid error; -ENOENT no such job is under way.
 */
int kt_chunk_sender_end(struct kt_chunk_sender *s, const struct ktrace_shark_end *end)
{
	struct job *job;

	if (end->error > 0 || end->error < -MAX_ERRNO || end->reserved)
		return -EINVAL;
	mutex_lock(&send_lock);
	job = find_taken(s, end->job);
	if (job)
		end_job(job, end->error);
	mutex_unlock(&send_lock);
	return job ? 0 : -ENOENT;
}

/** kt_chunk_sender_poll - EPOLLIN when a job is queued */
__poll_t kt_chunk_sender_poll(struct kt_chunk_sender *s, struct file *file, poll_table *wait)
{
	bool has_job;

	poll_wait(file, &s->wait, wait);
	mutex_lock(&send_lock);
	has_job = find_job(s, QUEUED);
	mutex_unlock(&send_lock);
	return has_job ? EPOLLIN | EPOLLRDNORM : 0;
}

/** kt_chunk_sender_exit - free the jobs that no sender took */
void kt_chunk_sender_exit(void)
{
	struct job *job, *next;

	mutex_lock(&send_lock);
	list_for_each_entry_safe(job, next, &jobs, node)
		end_job(job, -ENOTCONN);
	mutex_unlock(&send_lock);
}

/* ---- mappings: each holds the chunk's memory, not the chunk ---- */

static void chunk_send_mapping_open(struct vm_area_struct *vma)
{
	kt_chunk_memory_get(vma->vm_private_data);
}

static void chunk_send_mapping_close(struct vm_area_struct *vma)
{
	kt_chunk_memory_put(vma->vm_private_data);
}

static vm_fault_t chunk_send_mapping_fault(struct vm_fault *vmf)
{
	const u64 mask = BIT_ULL(KTRACE_MAP_SHIFT - PAGE_SHIFT) - 1;
	const struct kt_chunk_memory *m = vmf->vma->vm_private_data;
	const u64 off = (vmf->pgoff & mask) << PAGE_SHIFT;

	if (off >= m->bytes)
		return VM_FAULT_SIGBUS;
	vmf->page = vmalloc_to_page(m->data + off);
	get_page(vmf->page);
	return 0;
}

static const struct vm_operations_struct mapping_ops = {
	.open = chunk_send_mapping_open,
	.close = chunk_send_mapping_close,
	.fault = chunk_send_mapping_fault,
};

/* Takes a reference to the memory of chunk @n if the sender has it under way; NULL: it has not. */
static struct kt_chunk_memory *get_memory(const struct kt_chunk_sender *s, u64 n)
{
	struct kt_chunk_memory *m = NULL;
	struct job *job;

	mutex_lock(&send_lock);
	list_for_each_entry(job, &jobs, node)
		if (job->told.chunk == n && job->told.kind & s->kinds && job->state == UNDER_WAY)
			m = kt_chunk_memory_get(job->memory);
	mutex_unlock(&send_lock);
	return m;
}

/**
 * kt_chunk_sender_mmap - map a chunk that is under way, read-only
 * @s:		the sender
 * @vma:	where
 *
 * Context: mmap(), sleeps.
 * Return: 0; -ENXIO no such chunk is under way; -EINVAL beyond its end, or private; -EPERM writable
 * or executable.
 */
int kt_chunk_sender_mmap(struct kt_chunk_sender *s, struct vm_area_struct *vma)
{
	const u64 shift = KTRACE_MAP_SHIFT - PAGE_SHIFT;
	const u64 first = vma->vm_pgoff & (BIT_ULL(shift) - 1);
	struct kt_chunk_memory *m = get_memory(s, (u64)vma->vm_pgoff >> shift);
	int err = 0;

	if (!m)
		return -ENXIO;
	if (first + vma_pages(vma) > m->bytes >> PAGE_SHIFT || !(vma->vm_flags & VM_MAYSHARE))
		err = -EINVAL;
	else if (vma->vm_flags & (VM_EXEC | VM_WRITE))
		err = -EPERM;
	if (err) {
		kt_chunk_memory_put(m);
		return err;
	}
	kt_compat_vma_flags(vma, VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY,
			    VM_MAYEXEC | VM_MAYWRITE);
	vma->vm_private_data = m;
	vma->vm_ops = &mapping_ops;
	return 0;
}
