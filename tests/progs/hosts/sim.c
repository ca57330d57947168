// SPDX-License-Identifier: GPL-2.0
/* sim.c - a heap of what is to come, and the records of CPUs */
#include "sim.h"

#include <linux/ktrace_events.h>

#include <stdlib.h>
#include <string.h>

#define NET_RX 3

static bool is_before(const struct sim_slot *a, const struct sim_slot *b)
{
	return a->t != b->t ? a->t < b->t : a->order < b->order;
}

static void grow(struct sim *s)
{
	const size_t cap = s->heap_cap ? 2 * s->heap_cap : 256;

	s->heap = realloc(s->heap, cap * sizeof(*s->heap));
	s->items = realloc(s->items, cap * sizeof(*s->items));
	s->free_items = realloc(s->free_items, cap * sizeof(*s->free_items));
	if (!s->heap || !s->items || !s->free_items)
		abort();
	for (size_t i = cap; i-- > s->heap_cap;)
		s->free_items[s->free_nr++] = (__u32)i;
	s->heap_cap = cap;
}

/* Adds an item at @t to the heap; the caller fills it. */
static struct sim_item *push(struct sim *s, __u64 t)
{
	struct sim_slot slot = { .t = t, .order = s->order++ };
	size_t i, up;

	if (s->heap_nr == s->heap_cap)
		grow(s);
	slot.item = s->free_items[--s->free_nr];
	for (i = s->heap_nr++; i && is_before(&slot, &s->heap[up = (i - 1) / 2]); i = up)
		s->heap[i] = s->heap[up];
	s->heap[i] = slot;
	return &s->items[slot.item];
}

static struct sim_slot pop(struct sim *s)
{
	const struct sim_slot first = s->heap[0], last = s->heap[--s->heap_nr];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < s->heap_nr) {
		if (child + 1 < s->heap_nr && is_before(&s->heap[child + 1], &s->heap[child]))
			child++;
		if (!is_before(&s->heap[child], &last))
			break;
		s->heap[i] = s->heap[child];
		i = child;
	}
	s->heap[i] = last;
	s->free_items[s->free_nr++] = first.item;
	return first;
}

void sim_at(struct sim *s, __u64 t, const struct sim_action *a)
{
	struct sim_item *item = push(s, t);

	item->is_record = false;
	item->action = *a;
}

void sim_record(struct sim *s, __u64 t, const struct sim_record *r)
{
	struct sim_item *item = push(s, t);

	item->is_record = true;
	item->record = *r;
}

static void write_record(struct sim *s, __u64 t, const struct sim_record *r)
{
	struct sim_host *host = &s->hosts[r->host];
	struct ktrace_record rec = { .ts = sim_clock_raw(&host->clock, t), .id = r->id,
				     .len = r->len, .tid_flags = r->tid };

	if (r->is_irq)
		rec.tid_flags |= KTRACE_REC_IRQ;
	sim_trace_record(&host->trace, r->cpu + (r->is_user ? host->cpu_nr : 0), &rec, r->payload);
}

/* Until the end; what would come later does not happen. */
void sim_run(struct sim *s)
{
	struct sim_slot slot;
	struct sim_item item;

	while (s->heap_nr && s->heap[0].t < s->end) {
		slot = pop(s);
		item = s->items[slot.item];
		if (item.is_record)
			write_record(s, slot.t, &item.record);
		else
			item.action.run(s, slot.t, &item.action);
	}
}

void sim_free(struct sim *s)
{
	for (int i = 0; i < s->host_nr; i++)
		free(s->hosts[i].clock.knots);
	free(s->heap);
	free(s->items);
	free(s->free_items);
}

static void record(struct sim *s, __u64 t, struct sim_record *r, const void *payload, size_t len)
{
	r->tid = s->hosts[r->host].cpus[r->cpu].tid;
	r->len = (__u16)len;
	memcpy(r->payload, payload, len);
	sim_record(s, t, r);
}

/* A softirq that receives packets, from @from to @to */
void sim_softirq(struct sim *s, __u32 host, __u32 cpu, __u64 from, __u64 to)
{
	struct sim_record r = { .host = host, .cpu = cpu, .id = KTRACE_EV_SOFTIRQ_ENTER,
				.is_irq = true };
	const struct ktrace_ev_softirq softirq = { .vec = NET_RX };

	if (!s->o.has_sched)
		return;
	record(s, from, &r, &softirq, sizeof(softirq));
	r.id = KTRACE_EV_SOFTIRQ_EXIT;
	record(s, to, &r, &softirq, sizeof(softirq));
}

/* The CPU goes on with thread @tid, 0 = idle; the one before it sleeps. */
void sim_switch(struct sim *s, __u32 host, __u32 cpu, __u64 t, __u32 tid, const char *comm)
{
	struct sim_record r = { .host = host, .cpu = cpu, .id = KTRACE_EV_SCHED_SWITCH };
	struct sim_cpu *c = &s->hosts[host].cpus[cpu];
	struct ktrace_ev_sched_switch sw = { .prev_tid = c->tid, .next_tid = tid,
					     .prev_prio = 120, .next_prio = 120 };
	const char *idle = "swapper";

	sw.prev_state = c->tid ? KTRACE_TASK_SLEEP : KTRACE_TASK_RUNNABLE;
	snprintf(sw.prev_comm, sizeof(sw.prev_comm), "%s", c->tid ? c->comm : idle);
	snprintf(sw.next_comm, sizeof(sw.next_comm), "%s", tid ? comm : idle);
	if (s->o.has_sched)
		record(s, t, &r, &sw, sizeof(sw));
	c->tid = tid;
	snprintf(c->comm, sizeof(c->comm), "%s", tid ? comm : idle);
}

/* An interrupt wakes thread @tid on its CPU. */
void sim_wakeup(struct sim *s, __u32 host, __u32 cpu, __u64 t, __u32 tid, const char *comm)
{
	struct sim_record r = { .host = host, .cpu = cpu, .id = KTRACE_EV_SCHED_WAKEUP,
				.is_irq = true };
	struct ktrace_ev_sched_wakeup wakeup = { .tid = tid, .prio = 120, .target_cpu = cpu };

	snprintf(wakeup.comm, sizeof(wakeup.comm), "%s", comm);
	if (s->o.has_sched)
		record(s, t, &r, &wakeup, sizeof(wakeup));
}
