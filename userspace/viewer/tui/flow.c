// SPDX-License-Identifier: GPL-2.0
/*
 * flow.c - what CPUs and threads did in a window of time, computed in small steps
 *
 * Other parts may move the traceset between two steps, so each step first seeks to where the last
 * one ended. The state belongs to this picture, and goes on from there.
 */
#include "flow.h"

#include "base/clock.h"
#include "base/lost_events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPU_KEY (1ull << 63)
#define HOST_KEY (3ull << 62)
#define LOST_KEY (~0ull)
#define BATCH 512	/* events between two looks at the clock */

static struct flow_row *add(struct flow *f, __u64 key, int class, __u64 from, __u64 to)
{
	struct flow_row *row = hash_table_get(&f->rows, &key);

	if (!row || timeline_add(&f->strip, &row->strip, class, from, to)) {
		f->error = -ENOMEM;
		return NULL;
	}
	return row;
}

static bool clip(const struct flow *f, __u64 *from, __u64 *to)
{
	*from = *from > f->strip.from ? *from : f->strip.from;
	*to = *to < f->strip.to ? *to : f->strip.to;
	return *from < *to;
}

static void on_span(void *arg, const struct ktrace_process *p, __u64 until)
{
	const int class = flow_class(p);
	struct flow *f = arg;
	struct flow_row *row;
	__u64 from = p->since;

	if (!p->tid || class == FLOW_UNKNOWN || !clip(f, &from, &until))
		return;
	row = add(f, p->serial, class, from, until);
	if (!row)
		return;
	thread_label_learn(&row->who, f->state, p);
	row->machine = p->machine;
	if (p->status == KTRACE_STATUS_RUN || p->status == KTRACE_STATUS_EXIT)
		row->run_ns += until - from;
}

static void on_resource(void *arg, const struct ktrace_resource *r, __u64 until)
{
	static const int classes[KTRACE_RES_MODE_NR] = {
		[KTRACE_RES_IDLE] = FLOW_SLEEP, [KTRACE_RES_BUSY] = FLOW_RUN,
		[KTRACE_RES_IRQ] = FLOW_IRQ, [KTRACE_RES_SOFTIRQ] = FLOW_SOFTIRQ,
		[KTRACE_RES_TRAP] = FLOW_TRAP,
	};
	const int class = classes[ktrace_resource_mode(r)];
	struct flow *f = arg;
	struct flow_row *row;
	__u64 from = r->since;

	if (r->kind != KTRACE_RESOURCE_CPU || class == FLOW_UNKNOWN || !clip(f, &from, &until))
		return;
	row = add(f, CPU_KEY | (__u64)r->machine << 32 | r->number, class, from, until);
	if (!row)
		return;
	row->is_cpu = true;
	row->machine = r->machine;
	row->number = r->number;
	if (class != FLOW_SLEEP)
		row->run_ns += until - from;
}

int flow_begin(struct flow *f, struct ktrace_traceset *set)
{
	int ret = ktrace_state_new(set, &f->state);

	f->set = set;
	f->rows = (struct hash_table)HASH_TABLE_INIT(struct flow_row, key);
	f->watch = (struct ktrace_state_watch){
		.span = on_span, .resource = on_resource, .arg = f,
	};
	snprintf(f->letters, sizeof(f->letters), "%s+!", flow_letters);
	f->strip.letters = f->letters;
	f->phase = FLOW_READY;
	if (!ret)
		ret = ktrace_position_new(&f->at);
	return ret ? ret : ktrace_state_watch(f->state, &f->watch);
}

static void clear(struct flow *f)
{
	hash_table_free_with(&f->rows, offsetof(struct flow_row, strip));
	f->rows = (struct hash_table)HASH_TABLE_INIT(struct flow_row, key);
	f->order_nr = 0;
	memset(f->lost, 0, sizeof(f->lost));
	message_marks_end(&f->messages);
}

void flow_end(struct flow *f)
{
	clear(f);
	free(f->order);
	ktrace_position_free(f->at);
	ktrace_state_free(f->state);
}

void flow_show(struct flow *f, __u64 from, __u64 to, int width)
{
	clear(f);
	f->strip.from = from;
	f->strip.to = to > from ? to : from + 1;
	f->strip.width = width;
	f->phase = FLOW_BEGINS;
	f->reached = 0;
}

/* Adds a row for each host if there are several. Return: 0, -ENOMEM. */
static int begin_hosts(struct flow *f)
{
	int ret = message_marks_begin(&f->messages, f->set, &f->strip);
	struct flow_row *row;
	__u64 key;
	size_t i;

	for (i = 0; i < f->messages.nr && !ret; i++) {
		if (machine_of(f->set, ktrace_traceset_trace(f->set, i)) != i)
			continue;
		key = HOST_KEY | i;
		row = hash_table_get(&f->rows, &key);
		if (!row)
			return -ENOMEM;
		row->is_host = true;
		row->machine = (__u32)i;
	}
	return ret;
}

static void add_lost(struct flow *f, const struct ktrace_trace_event *e)
{
	struct flow_row *row = add(f, LOST_KEY, FLOW_LOST, e->time, e->time + 1);

	if (row)
		row->is_lost = true;
	lost_events_add(f->lost, e);
}

/* Marks an event: it shows that its thread exists, even if the thread's state is unknown. */
static void mark(struct flow *f, const struct ktrace_trace_event *e)
{
	const __u32 machine = ktrace_state_machine(f->state, e->stream->trace);
	const struct ktrace_process *p;
	struct flow_row *row;

	if (e->id == KTRACE_ID_LOST) {
		add_lost(f, e);
		return;
	}
	p = e->tid ? ktrace_state_find(f->state, machine, e->tid, e->stream->cpu) : NULL;
	row = p ? add(f, p->serial, FLOW_EVENTS, e->time, e->time + 1) : NULL;
	if (!row)
		return;
	thread_label_learn(&row->who, f->state, p);
	row->machine = machine;
	row->events++;
}

/* Takes in an event. Return: 1, 0 at the end of the window, -errno. */
static int take(struct flow *f, const struct ktrace_trace_event *e)
{
	int ret;

	if (e->time >= f->strip.to)
		return 0;
	ret = ktrace_state_update(f->state, e);
	f->reached = e->time > f->reached ? e->time : f->reached;
	if (!ret && e->time >= f->strip.from) {
		mark(f, e);
		ret = message_marks_add(&f->messages, e);
	}
	ret = ret ? ret : f->error;
	return ret ? ret : 1;
}

/* Seeks to the nearest state that needs little reading. Return: 0, -errno. */
static int begin(struct flow *f)
{
	const __u64 time = f->strip.from < f->known ? f->strip.from : f->known;
	int ret = begin_hosts(f);

	if (!ret)
		ret = ktrace_state_seek(f->state, time);
	f->phase = FLOW_READS;
	f->reached = time;
	return ret ? ret : ktrace_position_save(f->set, f->at);
}

static int read_on(struct flow *f, unsigned int ms)
{
	const __s64 until = now_ms() + ms;
	struct ktrace_trace_event e;
	int ret = ktrace_traceset_seek_position(f->set, f->at), i;

	if (ret)
		return ret;
	do {
		for (i = 0, ret = 1; i < BATCH && ret == 1; i++) {
			ret = ktrace_traceset_next(f->set, &e);
			ret = ret == 1 ? take(f, &e) : ret;
		}
	} while (ret == 1 && now_ms() < until);
	f->known = f->reached > f->known ? f->reached : f->known;
	if (ret == 1)
		return ktrace_position_save(f->set, f->at) ? -ENOMEM : 1;
	if (!ret) {
		ktrace_state_flush(f->state, f->strip.to);
		message_marks_finish(&f->messages, message_marks_put, &f->messages);
		f->phase = FLOW_READY;
	}
	return ret ? ret : f->error;
}

int flow_work(struct flow *f, unsigned int ms)
{
	int ret = f->phase == FLOW_BEGINS ? begin(f) : 0;

	if (!ret && f->phase == FLOW_READS)
		ret = read_on(f, ms);
	if (ret < 0)
		f->phase = FLOW_READY;
	return ret;
}

unsigned int flow_percent(const struct flow *f)
{
	if (f->phase == FLOW_READY)
		return 100;
	if (f->reached <= f->strip.from)
		return 0;
	return (unsigned int)((double)(f->reached - f->strip.from) * 100 /
			      (double)(f->strip.to - f->strip.from));
}

static int by_name(const void *x, const void *y)
{
	const struct flow_row *a = *(struct flow_row *const *)x;
	const struct flow_row *b = *(struct flow_row *const *)y;
	const int kind = ORDER(b->is_lost, a->is_lost) ?: ORDER(a->machine, b->machine) ?:
			 ORDER(b->is_host, a->is_host) ?: ORDER(b->is_cpu, a->is_cpu);

	if (kind || a->is_cpu)
		return kind ?: ORDER(a->number, b->number);
	return ORDER(a->who.pid, b->who.pid) ?: ORDER(a->who.tid, b->who.tid) ?:
	       ORDER(a->key, b->key);
}

static int by_run(const void *x, const void *y)
{
	const struct flow_row *a = *(struct flow_row *const *)x;
	const struct flow_row *b = *(struct flow_row *const *)y;

	if (a->machine != b->machine || a->is_cpu || b->is_cpu || a->is_lost || b->is_lost ||
	    a->is_host || b->is_host)
		return by_name(x, y);
	return ORDER(b->run_ns, a->run_ns) ?: ORDER(b->events, a->events) ?: by_name(x, y);
}

int flow_sort(struct flow *f)
{
	struct flow_row **order = realloc(f->order, (f->rows.nr + 1) * sizeof(struct flow_row *));
	size_t i;

	if (!order)
		return -ENOMEM;
	f->order = order;
	f->order_nr = f->rows.nr;
	for (i = 0; i < f->rows.nr; i++)
		order[i] = hash_table_at(&f->rows, i);
	qsort(order, f->order_nr, sizeof(struct flow_row *), f->by_run ? by_run : by_name);
	return 0;
}

int flow_find(const struct flow *f, __u32 machine, __u32 tid, __s32 cpu)
{
	const struct flow_row *row;
	size_t i;

	for (i = 0; i < f->order_nr; i++) {
		row = f->order[i];
		if (row->is_host || row->machine != machine || row->is_cpu != !tid)
			continue;
		if (tid ? row->who.tid == tid : (__s32)row->number == cpu)
			return (int)i;
	}
	return -1;
}

static void host_name(const struct flow *f, __u32 machine, char *text, size_t size)
{
	char buf[KTRACE_OUT_MIN];
	struct ktrace_out out = { .buf = buf, .cap = sizeof(buf) };
	const struct message_host *host = f->messages.hosts + machine;

	hosts_put_name(&out, f->set, machine);
	snprintf(text, size, "%.*s: %llu > %llu <", (int)out.len, buf, host->sent,
		 host->received);
}

void flow_name(const struct flow *f, const struct flow_row *row, char *text, size_t size)
{
	if (row->is_host)
		host_name(f, row->machine, text, size);
	else if (row->is_lost)
		snprintf(text, size, "events LOST");
	else if (row->is_cpu)
		snprintf(text, size, "cpu %u", row->number);
	else
		thread_label_name(&row->who, text, size);
}
