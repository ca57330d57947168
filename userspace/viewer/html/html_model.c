// SPDX-License-Identifier: GPL-2.0
/*
 * html_model.c - which rows events belong to, and how events change rows
 *
 * The models report changes before or while they make them. So the objects that change are
 * noted, and examined after the event has been taken in.
 *
 * Names of events tell which pairs of a program's events are spans: see slices.h. A thread's spans
 * nest; each depth has a row.
 */
#include "html_model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows of locks: this many of any, then only those that threads wait for, up to the maximum */
#define LOCKS_IDLE_MAX 4096u
#define LOCKS_MAX 16384u
#define SPAN_DEPTH 64u	/* rows of nested spans of a thread */

static bool wants(const struct html_model *f, __u32 tid, __u32 pid)
{
	return !f->select->pid_nr || event_select_thread(f->select, tid, pid);
}

/* Returns the row of a thread, HTML_NO_ROW if the options exclude it. */
static __u32 thread_row(struct html_model *f, const struct ktrace_process *p)
{
	const struct html_key key = { HTML_THREAD, p->machine, p->serial, 0 };
	struct html_row *row;
	__u32 i = html_row_find(f->rows, &key);

	if (i == HTML_NO_ROW) {
		if (!wants(f, p->tid, ktrace_process_pid(f->state, p)))
			return HTML_NO_ROW;
		i = html_row_get(f->rows, &key, NULL);
	}
	if (i == HTML_NO_ROW)
		return i;
	row = html_row_at(f->rows, i);
	thread_label_learn(&row->who, f->state, p);
	row->pid = row->who.pid;
	return i;
}

static void on_span(void *arg, const struct ktrace_process *p, __u64 until)
{
	struct html_model *f = arg;

	(void)until;
	if (f->thread_nr < HTML_TOUCHED_MAX)
		f->threads[f->thread_nr++] = (struct html_touched){ p, p->serial };
	else
		f->error = -EOVERFLOW;
}

static void on_resource(void *arg, const struct ktrace_resource *r, __u64 until)
{
	struct html_model *f = arg;

	(void)until;
	if (f->resource_nr < HTML_TOUCHED_MAX)
		f->resources[f->resource_nr++] = r;
	else
		f->error = -EOVERFLOW;
}

static void put_arrow(struct html_model *f, const struct html_link *link)
{
	if (f->rows->is_open && link->from != HTML_NO_ROW && link->to != HTML_NO_ROW)
		html_block_arrow(f->rows->blocks, link);
}

static void on_woken(void *arg, const struct ktrace_process *p, const struct ktrace_process *by,
		     __u64 time)
{
	struct html_model *f = arg;

	(void)time;
	if (!by)
		return;
	put_arrow(f, &(struct html_link){
		p->status == KTRACE_STATUS_WAIT_FORK ? HTML_FORK : HTML_WAKEUP,
		thread_row(f, by), thread_row(f, p), f->now, f->now });
}

static void name_resource(struct html_model *f, struct html_row *row,
			  const struct ktrace_resource *r)
{
	const char *sub = r->kind == KTRACE_RESOURCE_IRQ ? r->name : NULL;

	if (r->kind == KTRACE_RESOURCE_SOFTIRQ)
		sub = ktrace_mode_sub_name(f->state, r->machine, KTRACE_MODE_SOFTIRQ, r->number);
	if (r->kind == KTRACE_RESOURCE_BLOCK)
		snprintf(row->name, sizeof(row->name), "block %u:%u", r->number >> 20,
			 r->number & 0xfffff);
	else
		snprintf(row->name, sizeof(row->name), "%s %u%s%s",
			 ktrace_resource_kind_name(r->kind), r->number, sub && *sub ? " " : "",
			 sub ? sub : "");
}

/* Returns the state of a resource; for a CPU that runs a thread, the state names the thread. */
static __u32 work_of(struct html_model *f, const struct ktrace_resource *r)
{
	const __u32 mode = ktrace_resource_mode(r);
	const bool is_run = r->kind == KTRACE_RESOURCE_CPU && mode == KTRACE_RES_BUSY;
	const struct ktrace_process *p = !is_run ? NULL :
		ktrace_state_find(f->state, r->machine, r->tid, (__s32)r->number);
	struct thread_label who = { 0 };
	__u32 thread;

	if (!p)
		return f->working[mode];
	thread = thread_row(f, p);
	if (thread != HTML_NO_ROW)
		who = html_row_at(f->rows, thread)->who;
	else
		thread_label_learn(&who, f->state, p);
	if (!*who.comm)
		snprintf(who.comm, sizeof(who.comm), "%u", p->tid);
	return html_state_get_run(f->rows, thread, who.comm);
}

static void enter_resource(struct html_model *f, const struct ktrace_resource *r)
{
	static const __u32 kinds[KTRACE_RESOURCE_NR] = {
		[KTRACE_RESOURCE_CPU] = HTML_CPU, [KTRACE_RESOURCE_IRQ] = HTML_IRQ,
		[KTRACE_RESOURCE_SOFTIRQ] = HTML_SOFTIRQ, [KTRACE_RESOURCE_TRAP] = HTML_TRAP,
		[KTRACE_RESOURCE_BLOCK] = HTML_BLOCK_DEVICE,
	};
	const struct html_key key = { kinds[r->kind], r->machine, r->number, 0 };
	__u32 i = html_row_get(f->rows, &key, NULL);

	if (i == HTML_NO_ROW)
		return;
	name_resource(f, html_row_at(f->rows, i), r);
	html_row_enter(f->rows, i, work_of(f, r), f->now);
}

/* struct span_type - the state while a span that begins with the type, the key, is open */
struct span_type {
	const struct ktrace_event_type *type;
	__u32 state;
};

/* Finds the name: NAME of provider:NAME_begin, the provider of provider:begin. */
static void learn(struct html_model *f, struct span_type *t)
{
	const char *full = t->type->full_name, *name = strchr(full, ':');
	char text[56];
	__u32 stem;

	slices_role(f->event, &stem, NULL);
	name = name && name + 1 < full + stem ? name + 1 : full;
	snprintf(text, sizeof(text), "%.*s", (int)(full + stem - 1 - name), name);
	t->state = html_state_get(f->rows, "span", text);
}

/* Begins the span of the event, which has @depth others around it. */
static void begin_span(struct html_model *f, __u32 depth)
{
	const struct html_key key = { HTML_SPAN, 0, f->self, depth };
	const struct ktrace_event_type *type = f->event->type;
	const size_t known = f->spans.nr;
	struct span_type *t = hash_table_need(&f->spans, &type, &f->error);
	struct html_row *row;
	__u32 i;

	if (t && f->spans.nr > known)
		learn(f, t);
	i = t ? html_row_get(f->rows, &key, NULL) : HTML_NO_ROW;
	if (i == HTML_NO_ROW)
		return;
	row = html_row_at(f->rows, i);
	row->thread = f->self;
	snprintf(row->name, sizeof(row->name), "spans %u", depth + 1);
	html_row_enter(f->rows, i, t->state, f->now);
}

/* Ends spans of the event's thread: those with @first to @last others around them. */
static void end_spans_from(struct html_model *f, __u32 first, __u32 last)
{
	struct html_key key = { HTML_SPAN, 0, f->self, first };

	for (; key.depth <= last && key.depth < SPAN_DEPTH; key.depth++)
		html_row_enter(f->rows, html_row_find(f->rows, &key), 0, f->now);
}

/* Ends all spans of a thread that is gone. */
static void end_spans(struct html_model *f, __u32 thread)
{
	struct html_key key = { HTML_SPAN, 0, thread, 0 };

	for (; key.depth < SPAN_DEPTH; key.depth++)
		html_row_enter(f->rows, html_row_find(f->rows, &key), 0, f->now);
}

/* Begins or ends a span of its thread if the current event does so. */
static void take_span(struct html_model *f)
{
	enum span_role role;
	__u32 depth;
	int above;

	if (f->event->stream->kind != KTRACE_CHANNEL_USER || !f->event->type ||
	    f->self == HTML_NO_ROW)
		return;
	above = slices_take(&f->slices, f->event, f->self, &role);
	if (above < 0)
		f->error = above;
	depth = slices_depth(&f->slices, f->self);
	if (role == SPAN_BEGIN && depth <= SPAN_DEPTH)
		begin_span(f, depth - 1);
	else if (role == SPAN_BEGIN)
		f->deep_nr++;
	else if (role == SPAN_END)
		end_spans_from(f, depth, depth + (__u32)above);
}

static void enter_thread(struct html_model *f, const struct html_touched *t)
{
	const struct ktrace_process *p = t->process;
	const struct html_key old = { HTML_THREAD, p->machine, t->serial, 0 };
	const __u32 before = html_row_find(f->rows, &old);

	if (p->serial != t->serial || p->status == KTRACE_STATUS_DEAD)
		end_spans(f, before);
	/* Another thread has its number by now. */
	if (p->serial != t->serial)
		html_row_enter(f->rows, before, 0, f->now);
	/* Idle tasks have no row: rows of CPUs show them. */
	if (p->tid)
		html_row_enter(f->rows, thread_row(f, p), f->doing[flow_class(p)], f->now);
}

static void enter_all(struct html_model *f)
{
	__u32 i;

	for (i = 0; i < f->thread_nr; i++)
		enter_thread(f, &f->threads[i]);
	for (i = 0; i < f->resource_nr; i++)
		enter_resource(f, f->resources[i]);
	f->thread_nr = f->resource_nr = 0;
}

/* Returns the row of a thread of the pthread model. */
static __u32 row_of(struct html_model *f, const struct model_thread *t)
{
	const struct ktrace_process *p;

	p = ktrace_state_find(f->state, t->process->machine, t->tid, -1);
	return p ? thread_row(f, p) : HTML_NO_ROW;
}

static __u32 make_wait_row(struct html_model *f, const struct html_key *key, __u32 thread)
{
	struct html_row *row;
	__u32 i = thread == HTML_NO_ROW ? thread : html_row_get(f->rows, key, NULL);

	if (i == HTML_NO_ROW)
		return i;
	row = html_row_at(f->rows, i);
	row->thread = thread;
	snprintf(row->name, sizeof(row->name), "waits");
	return i;
}

static void on_sync_thread(void *arg, const struct model_thread *t, const struct model_change *c)
{
	const struct html_key key = { HTML_WAIT, t->process->machine, t->serial, 0 };
	struct html_model *f = arg;
	const bool is_waiting = t->life == MODEL_WAITING;
	__u32 row = html_row_find(f->rows, &key), state = 0;

	(void)c;
	if (row == HTML_NO_ROW && is_waiting)
		row = make_wait_row(f, &key, row_of(f, t));
	if (is_waiting)
		state = html_state_get(f->rows, "wait",
				       model_kind_name(t->object ? t->object->kind : MODEL_THREAD));
	html_row_enter(f->rows, row, state, f->now);
}

/*
 * True if this lock gets no row; then counts it as left out. A program may have a million mutexes,
 * and each row costs space in each block and level. So if there are many locks, those without
 * waiting threads are left out; such a lock appears when a thread waits for it.
 */
static bool is_left_out(struct html_model *f, const struct model_object *o)
{
	const bool is_out = f->locks_nr >= (o->waits ? LOCKS_MAX : LOCKS_IDLE_MAX);
	size_t cap = f->left_cap ? f->left_cap : 4096;
	__u8 *bigger;

	while (cap <= o->serial)
		cap *= 2;
	if (is_out && cap > f->left_cap) {
		bigger = realloc(f->left_out, cap);
		if (!bigger) {
			f->error = -ENOMEM;
			return true;
		}
		memset(bigger + f->left_cap, 0, cap - f->left_cap);
		f->left_out = bigger;
		f->left_cap = cap;
	}
	if (o->serial < f->left_cap) {
		f->left_nr += (__u64)is_out - f->left_out[o->serial];
		f->left_out[o->serial] = is_out;
	}
	return is_out;
}

static __u32 lock_row(struct html_model *f, const struct model_object *o)
{
	const struct html_key key = { HTML_LOCK, o->process->machine, o->serial, 0 };
	struct html_row *row;
	__u32 i;

	if (!o->waits && o->serial < f->left_cap && f->left_out[o->serial])
		return HTML_NO_ROW;
	i = html_row_find(f->rows, &key);
	if (i != HTML_NO_ROW)
		return i;
	if (!wants(f, 0, o->process->pid) || is_left_out(f, o))
		return HTML_NO_ROW;
	i = html_row_get(f->rows, &key, NULL);
	if (i == HTML_NO_ROW)
		return i;
	f->locks_nr++;
	row = html_row_at(f->rows, i);
	row->pid = o->process->pid;
	snprintf(row->name, sizeof(row->name), "%s 0x%llx", model_kind_name(o->kind), o->address);
	return i;
}

/* struct release - the latest two threads that changed an object; its row is the key */
struct release {
	__u32 row;
	__u32 by;
	__u64 time;
	__u32 by_before;
	__u64 before;
};

static void note_release(struct html_model *f, __u32 row, const struct model_thread *by)
{
	struct release *r = hash_table_need(&f->releases, &row, &f->error);
	const __u32 thread = row_of(f, by);

	if (!r)
		return;
	if (r->by != thread) {
		r->by_before = r->by;
		r->before = r->time;
	}
	r->by = thread;
	r->time = f->now;
}

static void on_sync_object(void *arg, const struct model_object *o, const struct model_change *c)
{
	struct html_model *f = arg;
	const __u32 row = lock_row(f, o);

	if (row == HTML_NO_ROW)
		return;
	html_row_enter(f->rows, row, f->locks[o->state], f->now);
	if (c->by && o->state != MODEL_UNKNOWN)
		note_release(f, row, c->by);
}

/* Draws an arrow to a thread that stops waiting, from the thread that changed the object. */
static void on_sync_wait(void *arg, const struct model_wait *w)
{
	struct html_model *f = arg;
	const struct release *r;
	__u32 row, by, to;
	__u64 time;

	if (!w->object || w->is_cut || w->depth)
		return;
	row = lock_row(f, w->object);
	r = row == HTML_NO_ROW ? NULL : hash_table_find(&f->releases, &row);
	to = r ? row_of(f, w->thread) : HTML_NO_ROW;
	if (!r)
		return;
	by = r->by != to ? r->by : r->by_before;
	time = r->by != to ? r->time : r->before;
	if (time && f->begin + time >= w->from)
		put_arrow(f, &(struct html_link){ HTML_UNLOCK, by, to, time, f->now });
}

static const char *const doing_names[FLOW_NR] = {
	[FLOW_UNKNOWN] = "unknown", [FLOW_RUN] = "run", [FLOW_USER] = "user",
	[FLOW_SYSCALL] = "syscall", [FLOW_TRAP] = "trap", [FLOW_IRQ] = "irq",
	[FLOW_SOFTIRQ] = "softirq", [FLOW_SLEEP] = "wait", [FLOW_DISK] = "wait-disk",
	[FLOW_WAIT_CPU] = "wait-cpu", [FLOW_FORK] = "wait-fork", [FLOW_EXIT] = "exit",
	[FLOW_ZOMBIE] = "zombie",
};

/* "Unknown" is not among them: rows are then in no state. */
static void name_states(struct html_model *f)
{
	__u32 i;

	for (i = FLOW_RUN; i < FLOW_NR; i++)
		f->doing[i] = html_state_get(f->rows, "thread", doing_names[i]);
	for (i = KTRACE_RES_IDLE; i < KTRACE_RES_MODE_NR; i++)
		f->working[i] = html_state_get(f->rows, "cpu", ktrace_resource_mode_name(i));
	for (i = MODEL_FREE; i < MODEL_GONE; i++)
		f->locks[i] = html_state_get(f->rows, "lock", model_state_name(i));
}

int html_model_init(struct html_model *f, struct html_options *rows, struct ktrace_traceset *set)
{
	int ret;

	f->rows = rows;
	f->watch = (struct ktrace_state_watch){ .span = on_span, .woken = on_woken,
						.resource = on_resource, .arg = f };
	f->sync_watch = (struct model_watch){ .thread = on_sync_thread, .object = on_sync_object,
					     .wait = on_sync_wait, .arg = f };
	f->releases = (struct hash_table)HASH_TABLE_INIT(struct release, row);
	f->self = HTML_NO_ROW;
	f->spans = (struct hash_table)HASH_TABLE_INIT(struct span_type, type);
	slices_init(&f->slices);
	name_states(f);
	ret = ktrace_state_new(set, &f->state);
	if (!ret)
		ret = ktrace_state_watch(f->state, &f->watch);
	if (!ret)
		ret = model_new(set, f->state, &f->sync_watch, &f->sync);
	return ret;
}

void html_model_free(struct html_model *f)
{
	model_free(f->sync);
	ktrace_state_free(f->state);
	hash_table_free(&f->releases);
	free(f->left_out);
	hash_table_free(&f->spans);
	slices_free(&f->slices);
}

static __u32 cpu_row(struct html_model *f, __u32 machine, __s32 cpu)
{
	const struct html_key key = { HTML_CPU, machine, (__u64)cpu, 0 };
	__u32 i = cpu < 0 ? HTML_NO_ROW : html_row_get(f->rows, &key, NULL);

	if (i != HTML_NO_ROW)
		snprintf(html_row_at(f->rows, i)->name, sizeof(html_row_at(f->rows, i)->name),
			 "cpu %d", cpu);
	return i;
}

/*
 * Returns the row of one end of a message: the thread that sent it. Packets are received in
 * interrupts, by a CPU, whatever thread it interrupted there.
 */
static __u32 end_row(struct html_model *f, const struct ktrace_message_end *end, bool is_sent)
{
	const __u32 machine = ktrace_state_machine(f->state, end->trace);
	const struct ktrace_process *p = !end->tid || (!is_sent && end->cpu >= 0) ? NULL :
		ktrace_state_find(f->state, machine, end->tid, end->cpu);

	return p ? thread_row(f, p) : cpu_row(f, machine, end->cpu);
}

void html_model_message(struct html_model *f, const struct ktrace_message *m)
{
	const bool is_sent = m->kind != KTRACE_MESSAGE_BROADCAST;
	const enum html_arrow kind = !is_sent ? HTML_BROADCAST :
		m->is_retransmitted ? HTML_RESENT : HTML_MESSAGE;

	put_arrow(f, &(struct html_link){
		kind, end_row(f, &m->from, is_sent), end_row(f, &m->to, false),
		m->from.time - f->begin, m->to.time - f->begin });
}

int html_model_event(struct html_model *f, const struct ktrace_trace_event *e, __u64 now)
{
	const struct ktrace_process *p;
	int ret;

	f->event = e;
	f->now = now;
	f->self = HTML_NO_ROW;
	ret = ktrace_state_update(f->state, e);
	if (ret)
		return ret;
	enter_all(f);
	if (e->id != KTRACE_ID_LOST) {
		p = ktrace_state_find(f->state, ktrace_state_machine(f->state, e->stream->trace),
				      e->tid, e->stream->cpu);
		f->self = p ? thread_row(f, p) : HTML_NO_ROW;
		take_span(f);
	}
	ret = model_update(f->sync, e);
	return ret ? ret : f->error ? f->error : f->rows->error;
}
