// SPDX-License-Identifier: GPL-2.0
/*
 * folded.c - ktrace export --to folded: the time of threads, as stacks
 *
 * A thread that is not running is still where it left its CPU, so all time until it runs again is
 * added to the stacks of that switch.
 */
#include "folded.h"

#include "base/progress.h"
#include "base/thread_label.h"
#include "export.h"

#include <errno.h>
#include <linux/ktrace_events.h>
#include <stdio.h>

/* struct off - where a thread left its CPU; @serial is the key */
struct off {
	__u64 serial;
	const struct ktrace_trace *trace;
	__u64 kernel;
	__u64 user;
	__u64 raw;
};

/**
 * struct folded - one run
 * @x:		options and files
 * @states:	states of threads
 * @fold:	sums of ns
 * @offs:	where threads left their CPUs
 * @is_known:	the state of some thread is known
 * @to:		latest time read so far
 * @error:	-errno from the watch callback
 */
struct folded {
	struct export *x;
	struct ktrace_states *states;
	struct fold fold;
	struct hash_table offs;
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

void folded_thread(const struct ktrace_states *states, struct fold_key *key,
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
	folded_thread(f->states, &key, p);
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

static int take(void *arg, const struct ktrace_trace_event *e)
{
	struct folded *f = arg;
	int ret = ktrace_state_update(f->states, e);

	f->to = e->time > f->to ? e->time : f->to;
	if (!ret && e->stream->kind == KTRACE_CHANNEL_KERNEL && e->id == KTRACE_EV_SCHED_SWITCH)
		ret = take_switch(f, e);
	return ret ? ret : f->error;
}

static int read_time(struct folded *f)
{
	struct ktrace_state_watch watch = { .span = on_span, .arg = f };
	struct time_range *s = &f->x->scope;
	const struct ktrace_trace_event *e;
	int ret = ktrace_state_new(f->x->set, &f->states);

	if (!ret)
		ret = ktrace_state_watch(f->states, &watch);
	s->watch = take;
	s->watcher = f;
	if (!ret)
		ret = time_range_begin(s, f->x->set);
	while (!ret && (ret = time_range_next(s, &e)) > 0)
		ret = 0;
	progress_end();
	if (!ret)
		ktrace_state_flush(f->states, s->until.is_set && s->to <= s->end ? s->to : f->to);
	if (!ret && !f->is_known)
		fprintf(stderr, "ktrace: nothing is known of threads: record events of family "
			"sched\n");
	return ret ? ret : f->error;
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
	struct folded f = { .x = x, .offs = HASH_TABLE_INIT(struct off, serial) };
	int ret = 0;

	fold_init(&f.fold);
	f.fold.symbols = x->where.is_wanted ? symbols_new(&x->where) : NULL;
	if (x->where.is_wanted && !f.fold.symbols)
		ret = -ENOMEM;
	if (!ret)
		ret = x->by == EXPORT_BY_EVENTS ? read_events(&f) :
		      x->by == EXPORT_BY_LOCKS ? folded_locks(x, &f.fold) : read_time(&f);
	if (!ret)
		ret = fold_print(&f.fold);
	ktrace_state_free(f.states);
	fold_free(&f.fold);
	hash_table_free(&f.offs);
	return ret;
}

const struct export_format export_folded = {
	.name = "folded",
	.takes = EXPORT_BY | EXPORT_SYMBOLS,
	.write = write_folded,
};
