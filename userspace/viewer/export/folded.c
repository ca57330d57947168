// SPDX-License-Identifier: GPL-2.0
/*
 * folded.c - ktrace export --to folded: the time of threads, or that they wait for locks, as stacks
 *
 * A thread that is not running is still where it left its CPU, so all time until it runs again is
 * added to the stacks of that switch.
 *
 * Waits of programs are those of ktrace contention; a wait in a signal handler counts as part of
 * the wait it interrupts. A wait in the kernel lasts from lock:contended to the same thread's
 * lock:acquired of that lock, and belongs to the stacks of lock:contended. After a loss of kernel
 * events it is unknown which threads wait.
 */
#include "export.h"

#include "base/progress.h"
#include "events/fold.h"
#include "model/pthread_model.h"

#include <errno.h>
#include <ktrace/state.h>
#include <linux/ktrace_events.h>
#include <stdio.h>
#include <string.h>

#define DEPTH 4u	/* locks waited for at a time: own, and of interrupts */

/* struct off - where a thread left its CPU; @serial is the key */
struct off {
	__u64 serial;
	const struct ktrace_trace *trace;
	__u64 kernel;
	__u64 user;
	__u64 raw;
};

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
 * struct folded - one run
 * @x:		options and files
 * @states:	states of threads
 * @sync:	model of programs' objects
 * @fold:	sums of ns
 * @offs:	where threads left their CPUs
 * @waits:	threads waiting in the kernel
 * @is_known:	the state of some thread is known, or there are lock events of the kernel
 * @to:		latest time read so far
 * @error:	-errno from a watch callback
 */
struct folded {
	struct export *x;
	struct ktrace_states *states;
	struct model *sync;
	struct fold fold;
	struct hash_table offs;
	struct hash_table waits;
	bool is_known;
	__u64 to;
	int error;
};

static void put_process(const struct ktrace_states *states, struct fold_key *key,
			const struct ktrace_process *p, __u32 pid)
{
	const struct ktrace_process *leader = ktrace_state_find(states, p->machine, pid, -1);
	const char *name = leader ? ktrace_process_name(states, leader) : NULL;
	char frame[48];

	snprintf(frame, sizeof(frame), "%s (%u)", name && *name ? name : "?", pid);
	fold_frame(key, frame);
}

static void put_frames(const struct ktrace_states *states, struct fold_key *key,
		       const struct ktrace_process *p)
{
	const __u32 pid = ktrace_process_pid(states, p);
	const char *name = ktrace_process_name(states, p);
	char frame[48];

	if (!p->tid) {
		snprintf(frame, sizeof(frame), "swapper/%d", p->cpu);
		fold_frame(key, frame);
		return;
	}
	if (pid)
		put_process(states, key, p, pid);
	else
		fold_frame(key, "?");
	snprintf(frame, sizeof(frame), "%s (%u)", name && *name ? name : "?", p->tid);
	fold_frame(key, frame);
}

static void put_mode(const struct folded *f, struct fold_key *key, const struct ktrace_process *p,
		     const struct ktrace_mode_level *level)
{
	char sub[KTRACE_MODE_SUB_SIZE], frame[96];

	if (level->mode < KTRACE_MODE_SYSCALL)
		snprintf(frame, sizeof(frame), "%s", ktrace_mode_name(level->mode));
	else
		snprintf(frame, sizeof(frame), "%s:%s", ktrace_mode_name(level->mode),
			 ktrace_mode_sub_text(f->states, p->machine, level->mode, level->sub, sub,
					      sizeof(sub)));
	fold_frame(key, frame);
}

static bool is_off(const struct ktrace_process *p)
{
	return p->status == KTRACE_STATUS_WAIT || p->status == KTRACE_STATUS_WAIT_CPU;
}

static void put_status(struct fold_key *key, const struct ktrace_process *p)
{
	const char *why = NULL;
	char frame[48];

	if (p->status == KTRACE_STATUS_WAIT)
		why = ktrace_wait_name(p->wait);
	if (p->status == KTRACE_STATUS_WAIT_CPU)
		why = p->is_woken ? "woken" : "preempted";
	snprintf(frame, sizeof(frame), "%s%s%s", p->status == KTRACE_STATUS_UNNAMED ? "unknown" :
		 ktrace_status_name(p->status), why ? ":" : "", why ? why : "");
	fold_frame(key, frame);
}

/*
 * Skips the lowest mode, that of the program itself, unless the thread runs and it is the only
 * one.
 */
static void put_modes(const struct folded *f, struct fold_key *key, const struct ktrace_process *p)
{
	__u32 i;

	if (p->depth == 1 && p->status == KTRACE_STATUS_RUN)
		put_mode(f, key, p, &p->stack[0]);
	for (i = 1; i < p->depth; i++)
		put_mode(f, key, p, &p->stack[i]);
}

static bool is_wanted(const struct folded *f, const struct ktrace_process *p)
{
	if (p->status == KTRACE_STATUS_DEAD)
		return false;
	return f->x->scope.select.pid_nr ?
	       event_select_thread(&f->x->scope.select, p->tid, ktrace_process_pid(f->states, p)) :
	       p->tid != 0;
}

static void on_span(void *arg, const struct ktrace_process *p, __u64 until)
{
	struct folded *f = arg;
	const struct time_range *s = &f->x->scope;
	const __u64 from = p->since > s->from ? p->since : s->from;
	const struct off *off = is_off(p) ? hash_table_find(&f->offs, &p->serial) : NULL;
	struct fold_key key = { .trace = NULL };

	until = until < s->to ? until : s->to;
	if (from >= until || !is_wanted(f, p))
		return;
	f->is_known |= p->status != KTRACE_STATUS_UNNAMED;
	put_frames(f->states, &key, p);
	put_status(&key, p);
	put_modes(f, &key, p);
	if (off) {
		key.trace = off->trace;
		key.kernel = off->kernel;
		key.user = off->user;
	}
	if (fold_add(&f->fold, &key, off ? off->raw : 0, until - from))
		f->error = -ENOMEM;
}

/* Keeps the stacks of a thread that has left its CPU. Return: 0, -ENOMEM. */
static int take_switch(struct folded *f, const struct ktrace_trace_event *e)
{
	const struct ktrace_process *p;
	struct fold_key key = { .trace = NULL };
	struct off *off;

	p = ktrace_state_find(f->states, ktrace_state_machine(f->states, e->stream->trace), e->tid,
			      e->stream->cpu);
	if (!p || (!fold_stacks(&f->fold, &key, e) && !hash_table_find(&f->offs, &p->serial)))
		return 0;
	off = hash_table_get(&f->offs, &p->serial);
	if (!off)
		return -ENOMEM;
	off->trace = key.trace;
	off->kernel = key.kernel;
	off->user = key.user;
	off->raw = e->raw;
	return 0;
}

static int take_time(void *arg, const struct ktrace_trace_event *e)
{
	struct folded *f = arg;
	int ret = ktrace_state_update(f->states, e);

	f->to = e->time > f->to ? e->time : f->to;
	if (!ret && e->stream->kind == KTRACE_CHANNEL_KERNEL && e->id == KTRACE_EV_SCHED_SWITCH)
		ret = take_switch(f, e);
	return ret ? ret : f->error;
}

/* Reads the range. @end: its end, or that of the files. Return: 0, -errno. */
static int read_range(struct folded *f, int (*take)(void *arg, const struct ktrace_trace_event *e),
		      __u64 *end)
{
	struct time_range *s = &f->x->scope;
	const struct ktrace_trace_event *e;
	int ret;

	s->watch = take;
	s->watcher = f;
	ret = time_range_begin(s, f->x->set);
	while (!ret && (ret = time_range_next(s, &e)) > 0)
		ret = 0;
	progress_end();
	*end = s->until.is_set && s->to <= s->end ? s->to : f->to;
	return ret;
}

static int read_time(struct folded *f)
{
	const struct ktrace_state_watch watch = { .span = on_span, .arg = f };
	int ret = ktrace_state_watch(f->states, &watch);
	__u64 end;

	if (!ret)
		ret = read_range(f, take_time, &end);
	if (!ret)
		ktrace_state_flush(f->states, end);
	if (!ret && !f->is_known)
		fprintf(stderr, "ktrace: nothing is known of threads: record events of family "
			"sched\n");
	return ret ? ret : f->error;
}

/* Adds the frames of a thread; false if the thread is not selected. */
static bool put_thread(const struct folded *f, struct fold_key *key, __u32 machine, __u32 tid,
		       __s32 cpu)
{
	const struct ktrace_process *p = ktrace_state_find(f->states, machine, tid, cpu);
	const struct event_select *select = &f->x->scope.select;
	char frame[24];

	if (select->pid_nr &&
	    !event_select_thread(select, tid, p ? ktrace_process_pid(f->states, p) : 0))
		return false;
	if (p) {
		put_frames(f->states, key, p);
		return true;
	}
	fold_frame(key, "?");
	snprintf(frame, sizeof(frame), "? (%u)", tid);
	fold_frame(key, frame);
	return true;
}

static void add(struct folded *f, const struct fold_key *key, __u64 raw, __u64 from, __u64 until)
{
	const struct time_range *s = &f->x->scope;

	from = from > s->from ? from : s->from;
	until = until < s->to ? until : s->to;
	if (from < until && fold_add(&f->fold, key, raw, until - from))
		f->error = -ENOMEM;
}

/* ---- of programs ---- */

static void put_caller(const struct folded *f, struct fold_key *key, const struct model_wait *w)
{
	const struct model_thread *t = w->thread;
	const struct symbol *symbol = !f->fold.symbols || !w->caller ? NULL :
		symbols_find(f->fold.symbols, t->trace, t->process->pid, t->raw, w->caller, true);
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
	struct folded *f = arg;
	struct fold_key key = { .trace = NULL };
	char frame[48];

	if (w->depth || !put_thread(f, &key, w->thread->process->machine, w->thread->tid, -1))
		return;
	snprintf(frame, sizeof(frame), "%s 0x%llx",
		 model_kind_name(w->object ? w->object->kind : MODEL_THREAD),
		 (unsigned long long)(w->object ? w->object->address : w->joins));
	fold_frame(&key, frame);
	put_caller(f, &key, w);
	add(f, &key, 0, w->from, w->until);
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

static void end_wait(struct folded *f, const struct held_up *h, const struct kernel_wait *w,
		     __u64 until)
{
	struct fold_key key = { .trace = w->trace, .kernel = w->kernel, .user = w->user };
	char frame[48];

	if (!put_thread(f, &key, h->key.machine, h->key.tid, (__s32)h->key.cpu))
		return;
	snprintf(frame, sizeof(frame), "%s 0x%llx", lock_name(w->lock.flags),
		 (unsigned long long)w->lock.lock);
	fold_frame(&key, frame);
	add(f, &key, w->raw, w->from, until);
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

static void begin_wait(const struct folded *f, struct held_up *h,
		       const struct ktrace_trace_event *e)
{
	struct fold_key key = { .trace = NULL };
	struct ktrace_ev_lock_contended lock;
	struct kernel_wait *w;

	memcpy(&lock, e->payload, sizeof(lock));
	/* A thread that spins and then sleeps reports the same lock twice. */
	if (find_wait(h, lock.lock) < h->nr || h->nr == DEPTH)
		return;
	w = &h->waits[h->nr++];
	fold_stacks(&f->fold, &key, e);
	*w = (struct kernel_wait){
		.trace = key.trace, .lock = lock, .from = e->time, .raw = e->raw,
		.kernel = key.kernel, .user = key.user,
	};
}

static int take_lock(struct folded *f, const struct ktrace_trace_event *e)
{
	const struct thread_key key = {
		.machine = ktrace_state_machine(f->states, e->stream->trace), .tid = e->tid,
		.cpu = e->tid ? -1 : e->stream->cpu,
	};
	struct ktrace_ev_lock_acquired lock;
	struct held_up *h = hash_table_get(&f->waits, &key);
	__u32 i;

	if (!h)
		return -ENOMEM;
	f->is_known = true;
	if (e->id == KTRACE_EV_LOCK_CONTENDED) {
		begin_wait(f, h, e);
		return 0;
	}
	memcpy(&lock, e->payload, sizeof(lock));
	i = find_wait(h, lock.lock);
	if (i == h->nr)
		return 0;
	end_wait(f, h, &h->waits[i], e->time);
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

static int take_locks(void *arg, const struct ktrace_trace_event *e)
{
	struct folded *f = arg;
	int ret = ktrace_state_update(f->states, e);

	f->to = e->time > f->to ? e->time : f->to;
	if (!ret)
		ret = model_update(f->sync, e);
	if (ret || e->stream->kind != KTRACE_CHANNEL_KERNEL)
		return ret ? ret : f->error;
	if (e->id == KTRACE_ID_LOST)
		hash_table_cut(&f->waits, 0);
	else if (is_lock(e))
		ret = take_lock(f, e);
	return ret ? ret : f->error;
}

/* Ends open waits at the end of the range. */
static void flush_locks(struct folded *f, __u64 until)
{
	const struct held_up *h;

	model_flush(f->sync, until);
	hash_table_for_each(h, &f->waits)
		if (h->nr)
			end_wait(f, h, &h->waits[0], until);
}

static int read_locks(struct folded *f)
{
	const struct model_watch watch = { .wait = on_wait, .arg = f };
	int ret = model_new(f->x->set, f->states, &watch, &f->sync);
	__u64 end;

	if (!ret)
		ret = read_range(f, take_locks, &end);
	if (!ret)
		flush_locks(f, end);
	ret = ret ? ret : f->error;
	if (!ret && !f->is_known && !model_events(f->sync))
		fprintf(stderr, "ktrace: nothing is known of locks: record with --pthread, or "
			"events of family lock\n");
	return ret;
}

static int read_events(struct folded *f)
{
	const struct ktrace_trace_event *e;
	int ret = time_range_begin(&f->x->scope, f->x->set);

	while (!ret && (ret = time_range_next(&f->x->scope, &e)) > 0)
		ret = fold_event(&f->fold, e);
	progress_end();
	if (!ret)
		fold_complain(&f->fold);
	return ret;
}

static int write_folded(struct export *x)
{
	struct folded f = {
		.x = x, .offs = HASH_TABLE_INIT(struct off, serial),
		.waits = HASH_TABLE_INIT(struct held_up, key),
	};
	int ret = ktrace_state_new(x->set, &f.states);

	fold_init(&f.fold);
	f.fold.symbols = x->where.is_wanted ? symbols_new(&x->where) : NULL;
	if (x->where.is_wanted && !f.fold.symbols)
		ret = -ENOMEM;
	if (!ret)
		ret = x->by == EXPORT_BY_EVENTS ? read_events(&f) :
		      x->by == EXPORT_BY_LOCKS ? read_locks(&f) : read_time(&f);
	if (!ret)
		ret = fold_print(&f.fold);
	model_free(f.sync);
	ktrace_state_free(f.states);
	fold_free(&f.fold);
	hash_table_free(&f.offs);
	hash_table_free(&f.waits);
	return ret;
}

const struct export_format export_folded = {
	.name = "folded",
	.takes = EXPORT_BY | EXPORT_SYMBOLS,
	.write = write_folded,
};
