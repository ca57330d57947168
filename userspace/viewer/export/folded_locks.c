// SPDX-License-Identifier: GPL-2.0
/*
 * folded_locks.c - ktrace export --to folded --by locks: time that threads wait for locks, by
 * place
 *
 * Waits of programs are those of ktrace contention; a wait in a signal handler counts as part of
 * the wait it interrupts. A wait in the kernel lasts from lock:contended to the same thread's
 * lock:acquired of that lock, and belongs to the stacks of lock:contended. After a loss of kernel
 * events it is unknown which threads wait.
 */
#include "folded.h"

#include "base/progress.h"
#include "pthread/model.h"

#include <errno.h>
#include <linux/ktrace_events.h>
#include <stdio.h>
#include <string.h>

#define DEPTH 4u	/* locks waited for at a time: own, and of interrupts */

/* struct held_up - a thread waiting in the kernel; @machine, @tid, @cpu are the key */
struct held_up {
	struct thread_key {
		__u32 machine;
		__u32 tid;
		__s64 cpu;	/* only for thread 0, else -1 */
	} key;
	__u32 nr;
	struct kernel_wait {
		const struct ktrace_trace *trace;
		struct ktrace_ev_lock_contended lock;
		__u64 from;
		__u64 raw;
		__u64 kernel;
		__u64 user;
	} waits[DEPTH];
};

/**
 * struct locks - one run
 * @x:		options and files
 * @fold:	sums of ns
 * @states:	states of threads
 * @sync:	model of programs' objects
 * @rows:	threads waiting in the kernel
 * @to:		latest time read so far
 * @is_known:	there are lock events of the kernel
 * @error:	-errno from a watch callback
 */
struct locks {
	struct export *x;
	struct fold *fold;
	struct ktrace_states *states;
	struct model *sync;
	struct hash_table rows;
	__u64 to;
	bool is_known;
	int error;
};

/* Adds the frames of a thread; false if the thread is not selected. */
static bool put_thread(const struct locks *l, struct fold_key *key, __u32 machine, __u32 tid,
		       __s32 cpu)
{
	const struct ktrace_process *p = ktrace_state_find(l->states, machine, tid, cpu);
	const struct event_select *select = &l->x->scope.select;
	char frame[24];

	if (select->pid_nr &&
	    !event_select_thread(select, tid, p ? ktrace_process_pid(l->states, p) : 0))
		return false;
	if (p) {
		folded_thread(l->states, key, p);
		return true;
	}
	fold_frame(key, "?");
	snprintf(frame, sizeof(frame), "? (%u)", tid);
	fold_frame(key, frame);
	return true;
}

static void add(struct locks *l, const struct fold_key *key, __u64 raw, __u64 from, __u64 until)
{
	const struct time_range *s = &l->x->scope;

	from = from > s->from ? from : s->from;
	until = until < s->to ? until : s->to;
	if (from < until && fold_add(l->fold, key, raw, until - from))
		l->error = -ENOMEM;
}

/* ---- of programs ---- */

static void put_caller(const struct locks *l, struct fold_key *key, const struct model_wait *w)
{
	const struct model_thread *t = w->thread;
	const struct symbol *symbol = !l->fold->symbols || !w->caller ? NULL :
		symbols_find(l->fold->symbols, t->trace, t->process->pid, t->raw, w->caller, true);
	char frame[24];

	if (symbol && symbol->function) {
		fold_frame(key, symbol->function);
	} else if (w->caller) {
		snprintf(frame, sizeof(frame), "0x%llx", (unsigned long long)w->caller);
		fold_frame(key, frame);
	}
}

static void on_wait(void *arg, const struct model_wait *w)
{
	struct locks *l = arg;
	struct fold_key key = { .trace = NULL };
	char frame[48];

	if (w->depth || !put_thread(l, &key, w->thread->process->machine, w->thread->tid, -1))
		return;
	snprintf(frame, sizeof(frame), "%s 0x%llx",
		 model_kind_name(w->object ? w->object->kind : MODEL_THREAD),
		 (unsigned long long)(w->object ? w->object->address : w->joins));
	fold_frame(&key, frame);
	put_caller(l, &key, w);
	add(l, &key, 0, w->from, w->until);
}

/* ---- of the kernel ---- */

static const char *lock_name(__u64 flags)
{
	const bool is_rw = flags & (KTRACE_LOCK_READ | KTRACE_LOCK_WRITE);

	if (flags & KTRACE_LOCK_MUTEX)
		return "kernel-mutex";
	if (flags & KTRACE_LOCK_RT)
		return is_rw ? "kernel-rt-rwlock" : "kernel-rt-mutex";
	if (flags & KTRACE_LOCK_SPIN)
		return is_rw ? "kernel-rwlock" : "kernel-spinlock";
	return is_rw ? "kernel-rwsem" : "kernel-semaphore";
}

static void end_wait(struct locks *l, const struct held_up *h, const struct kernel_wait *w,
		     __u64 until)
{
	struct fold_key key = { .trace = w->trace, .kernel = w->kernel, .user = w->user };
	char frame[48];

	if (!put_thread(l, &key, h->key.machine, h->key.tid, (__s32)h->key.cpu))
		return;
	snprintf(frame, sizeof(frame), "%s 0x%llx", lock_name(w->lock.flags),
		 (unsigned long long)w->lock.lock);
	fold_frame(&key, frame);
	add(l, &key, w->raw, w->from, until);
}

/* Returns the number of the latest wait for that lock; @h->nr = none */
static __u32 find_wait(const struct held_up *h, __u64 lock)
{
	__u32 i;

	for (i = h->nr; i--;)
		if (h->waits[i].lock.lock == lock)
			return i;
	return h->nr;
}

static void begin_wait(const struct locks *l, struct held_up *h, const struct ktrace_trace_event *e)
{
	struct fold_key key = { .trace = NULL };
	struct ktrace_ev_lock_contended lock;
	struct kernel_wait *w;

	memcpy(&lock, e->payload, sizeof(lock));
	/* A thread that spins and then sleeps reports the same lock twice. */
	if (find_wait(h, lock.lock) < h->nr || h->nr == DEPTH)
		return;
	w = &h->waits[h->nr++];
	fold_stacks(l->fold, &key, e);
	*w = (struct kernel_wait){
		.trace = key.trace, .lock = lock, .from = e->time, .raw = e->raw,
		.kernel = key.kernel, .user = key.user,
	};
}

static int take_lock(struct locks *l, const struct ktrace_trace_event *e)
{
	const struct thread_key key = {
		.machine = ktrace_state_machine(l->states, e->stream->trace), .tid = e->tid,
		.cpu = e->tid ? -1 : e->stream->cpu,
	};
	struct ktrace_ev_lock_acquired lock;
	struct held_up *h = hash_table_get(&l->rows, &key);
	__u32 i;

	if (!h)
		return -ENOMEM;
	l->is_known = true;
	if (e->id == KTRACE_EV_LOCK_CONTENDED) {
		begin_wait(l, h, e);
		return 0;
	}
	memcpy(&lock, e->payload, sizeof(lock));
	i = find_wait(h, lock.lock);
	if (i == h->nr)
		return 0;
	end_wait(l, h, &h->waits[i], e->time);
	h->nr = i;
	return 0;
}

static bool is_lock(const struct ktrace_trace_event *e)
{
	return (e->id == KTRACE_EV_LOCK_CONTENDED &&
		e->len >= sizeof(struct ktrace_ev_lock_contended)) ||
	       (e->id == KTRACE_EV_LOCK_ACQUIRED &&
		e->len >= sizeof(struct ktrace_ev_lock_acquired));
}

static int take(void *arg, const struct ktrace_trace_event *e)
{
	struct locks *l = arg;
	int ret = ktrace_state_update(l->states, e);

	l->to = e->time > l->to ? e->time : l->to;
	if (!ret)
		ret = model_update(l->sync, e);
	if (ret || e->stream->kind != KTRACE_CHANNEL_KERNEL)
		return ret ? ret : l->error;
	if (e->id == KTRACE_ID_LOST)
		hash_table_cut(&l->rows, 0);
	else if (is_lock(e))
		ret = take_lock(l, e);
	return ret ? ret : l->error;
}

/* Ends open waits at the end of the range. */
static void flush(struct locks *l, __u64 until)
{
	const struct held_up *h;
	size_t i;

	model_flush(l->sync, until);
	for (i = 0; i < l->rows.nr; i++) {
		h = hash_table_at(&l->rows, i);
		if (h->nr)
			end_wait(l, h, &h->waits[0], until);
	}
}

static int read_all(struct locks *l)
{
	const struct model_watch watch = { .wait = on_wait, .arg = l };
	struct time_range *s = &l->x->scope;
	const struct ktrace_trace_event *e;
	int ret = ktrace_state_new(l->x->set, &l->states);

	if (!ret)
		ret = model_new(l->x->set, l->states, &watch, &l->sync);
	s->watch = take;
	s->watcher = l;
	if (!ret)
		ret = time_range_begin(s, l->x->set);
	while (!ret && (ret = time_range_next(s, &e)) > 0)
		ret = 0;
	progress_end();
	if (!ret)
		flush(l, s->until.is_set && s->to <= s->end ? s->to : l->to);
	return ret ? ret : l->error;
}

int folded_locks(struct export *x, struct fold *fold)
{
	struct locks l = { .x = x, .fold = fold, .rows = HASH_TABLE_INIT(struct held_up, key) };
	int ret = read_all(&l);

	if (!ret && !l.is_known && !model_events(l.sync))
		fprintf(stderr, "ktrace: nothing is known of locks: record with --pthread, or "
			"events of family lock\n");
	model_free(l.sync);
	ktrace_state_free(l.states);
	hash_table_free(&l.rows);
	return ret;
}
