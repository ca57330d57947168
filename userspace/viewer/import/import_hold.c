// SPDX-License-Identifier: GPL-2.0
/* import_hold.c - a queue per CPU of events that wait for what later events tell */
#include "import_hold.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/ktrace_events.h>

#include "import_map.h"

#define UNKNOWN IMPORT_WRITER_TID_UNKNOWN

/**
 * struct held - an event or loss in a queue; the payload follows
 * @e:		the event; its type is NULL for a loss
 * @size:	bytes with the payload
 * @kind:	of a loss, enum ktrace_channel_kind
 * @lost:	of a loss
 * @has_comm:	@comm is the name of its thread
 */
struct held {
	struct import_writer_event e;
	size_t size;
	__u32 kind;
	struct ktrace_lost lost;
	bool has_comm;
	char comm[KTRACE_COMM_LEN];
};

/**
 * struct import_hold_cpu - a CPU
 * @running:	thread that was switched to last
 * @has_kernel:	it has events of the kernel, so that a switch may come
 * @gave_up:	its events do not wait before the next switch
 * @buf:	events that wait; @at: the first, @len: their end
 * @cap:	bytes of @buf
 * @before:	thread of events in @buf before @before_end
 * @before_end:	offset of the switch that told @before, or of the loss after which none can
 */
struct import_hold_cpu {
	__u32 running;
	bool has_kernel;
	bool gave_up;
	char *buf;
	size_t at;
	size_t len;
	size_t cap;
	__u32 before;
	size_t before_end;
};

static int get_cpu(struct import_hold *h, int cpu, struct import_hold_cpu **out)
{
	struct import_hold_cpu **place =
		&h->cpus[cpu < 0 || cpu >= IMPORT_WRITER_CPUS ? 0 : cpu + 1];

	if (!*place) {
		*place = calloc(1, sizeof(**place));
		if (*place)
			(*place)->running = UNKNOWN;
	}
	*out = *place;
	return *place ? 0 : -ENOMEM;
}

/* True if switches tell the thread of the CPU's events. */
static bool is_one_cpu(const struct import_hold *h, const struct import_hold_cpu *c)
{
	return c != h->cpus[0];
}

static bool is_unknown(const struct import_writer_event *e)
{
	return e->tid >= UNKNOWN;
}

static bool is_kernel(const struct import_writer_event *e)
{
	return e->type->parsed->kind == KTRACE_CHANNEL_KERNEL;
}

static bool is_numbering_known(const struct import_hold *h)
{
	return h->is_forced || task_states_is_known(&h->states);
}

/* True if the state of the switch can be read in several ways, and that may change. */
static bool is_ambiguous(const struct import_hold *h, const struct task_switch *s)
{
	return s->is_bits && !is_numbering_known(h) &&
	       !task_states_agree(&h->states, s->bits, s->prev_comm);
}

/* Writes an event with its thread; @s: NULL = it is no switch. */
static int write_event(struct import_hold *h, struct import_writer *f, struct import_hold_cpu *c,
		       const struct import_writer_event *e, const struct task_switch *s)
{
	struct import_writer_event out = *e;
	__u32 state = 0;

	if (s && is_unknown(e)) {
		out.tid = s->prev_tid;
		out.comm = e->comm || !*s->prev_comm ? e->comm : s->prev_comm;
	} else if (is_unknown(e)) {
		out.tid = c->at < c->before_end ? c->before : c->running;
	}
	if (s && s->is_bits)
		state = task_states_convert(&h->states, s->bits, s->prev_comm);
	if (s && is_one_cpu(h, c)) {
		c->running = s->next_tid;
		c->gave_up = false;
	}
	return import_writer_write(f, &out, s && s->is_bits ? &state : NULL);
}

static int write_lost(struct import_writer *f, struct import_hold_cpu *c, __u32 kind,
		      const struct import_writer_event *at, const struct ktrace_lost *lost)
{
	/* The lost events may include a switch. */
	if (kind == KTRACE_CHANNEL_KERNEL)
		c->running = UNKNOWN;
	return import_writer_write_lost(f, kind, at->cpu, at->ts, lost);
}

static const struct held *held_at(const struct import_hold_cpu *c, size_t at)
{
	return at < c->len ? (const struct held *)(c->buf + at) : NULL;
}

static struct import_writer_event event_of(const struct held *held)
{
	struct import_writer_event e = held->e;

	e.data = e.len ? (const char *)held + sizeof(*held) : NULL;
	e.comm = held->has_comm ? held->comm : NULL;
	return e;
}

/* Finds out what thread ran until the next switch or loss. False: neither is in the queue yet. */
static bool find_before(struct import_hold_cpu *c)
{
	struct import_writer_event e;
	const struct held *held;
	struct task_switch s;

	for (size_t at = c->at; (held = held_at(c, at)); at += held->size) {
		e = event_of(held);
		if (!e.type && held->kind != KTRACE_CHANNEL_KERNEL)
			continue;
		if (e.type && !import_map_switch(&e, &s))
			continue;
		c->before = e.type ? s.prev_tid : UNKNOWN;
		c->before_end = at;
		return true;
	}
	return false;
}

/* True if the first event of the queue has to wait longer. */
static bool must_wait(const struct import_hold *h, struct import_hold_cpu *c,
		      const struct import_writer_event *e, const struct task_switch *s)
{
	if (s)
		return is_ambiguous(h, s);
	return is_unknown(e) && c->running == UNKNOWN && is_one_cpu(h, c) &&
	       c->at >= c->before_end && !find_before(c);
}

/* Writes from the front of the queue what can be written. @all: also what stays unknown. */
static int release(struct import_hold *h, struct import_writer *f, struct import_hold_cpu *c,
		   bool all)
{
	struct import_writer_event e;
	const struct held *held;
	struct task_switch s;
	bool is_switch;
	int ret = 0;

	while (!ret && (held = held_at(c, c->at))) {
		e = event_of(held);
		is_switch = e.type && import_map_switch(&e, &s);
		if (!all && e.type && must_wait(h, c, &e, is_switch ? &s : NULL))
			return 0;
		ret = e.type ? write_event(h, f, c, &e, is_switch ? &s : NULL) :
			       write_lost(f, c, held->kind, &e, &held->lost);
		c->at += held->size;
	}
	h->bytes -= c->len;
	c->at = c->len = c->before_end = 0;
	return ret;
}

static int release_all(struct import_hold *h, struct import_writer *f, bool all)
{
	int ret = 0;

	for (int i = 0; i <= IMPORT_WRITER_CPUS && !ret; i++)
		if (h->cpus[i])
			ret = release(h, f, h->cpus[i], all);
	return ret;
}

static int grow(struct import_hold_cpu *c, size_t size)
{
	size_t cap = c->cap ? c->cap : 4096;
	char *new;

	while (cap - c->len < size)
		cap *= 2;
	if (cap == c->cap)
		return 0;
	new = realloc(c->buf, cap);
	if (!new)
		return -ENOMEM;
	c->buf = new;
	c->cap = cap;
	return 0;
}

static int append(struct import_hold *h, struct import_hold_cpu *c,
		  const struct import_writer_event *e, __u32 kind, const struct ktrace_lost *lost)
{
	struct held held = { .e = *e, .kind = kind, .has_comm = e->comm };
	const size_t size = (sizeof(held) + e->len + sizeof(__u64) - 1) & ~(sizeof(__u64) - 1);
	int ret = grow(c, size);

	if (ret)
		return ret;
	held.size = size;
	if (lost)
		held.lost = *lost;
	if (e->comm)
		strncpy(held.comm, e->comm, sizeof(held.comm) - 1);
	memcpy(c->buf + c->len, &held, sizeof(held));
	if (e->len)
		memcpy(c->buf + c->len + sizeof(held), e->data, e->len);
	c->len += size;
	h->bytes += size;
	return 0;
}

/* Gives up on what cannot wait longer for lack of memory: the numbering, then the CPU's thread. */
static int give_up(struct import_hold *h, struct import_writer *f, struct import_hold_cpu *c)
{
	const bool was_known = is_numbering_known(h);
	int ret;

	h->is_forced = true;
	ret = was_known ? 0 : release_all(h, f, false);
	if (ret || h->bytes <= IMPORT_HOLD_MAX)
		return ret;
	c->gave_up = true;
	return release(h, f, c, true);
}

/* Learns from a switch or the end of a thread. True if the numbering has become known. */
static bool learn(struct import_hold *h, const struct import_writer_event *e,
		  const struct task_switch *s)
{
	const bool was_known = is_numbering_known(h);
	__u32 tid;

	if (s)
		task_states_switch(&h->states, s);
	else if (!was_known && import_map_exit(e, &tid))
		task_states_exit(&h->states, tid);
	return !was_known && is_numbering_known(h);
}

int import_hold_put(struct import_hold *h, struct import_writer *f,
		    const struct import_writer_event *e)
{
	struct import_hold_cpu *c;
	struct task_switch s;
	const bool is_switch = import_map_switch(e, &s);
	int ret = get_cpu(h, e->cpu, &c);
	bool waits;

	if (ret)
		return ret;
	c->has_kernel |= is_kernel(e);
	if (is_kernel(e) && learn(h, e, is_switch ? &s : NULL))
		ret = release_all(h, f, false);
	waits = is_switch ? is_ambiguous(h, &s) :
		is_unknown(e) && c->running == UNKNOWN && c->has_kernel && !c->gave_up &&
		is_one_cpu(h, c);
	if (ret)
		return ret;
	if (!waits && !c->len)
		return write_event(h, f, c, e, is_switch ? &s : NULL);
	ret = append(h, c, e, 0, NULL);
	if (!ret && is_switch)
		ret = release(h, f, c, false);
	return !ret && h->bytes > IMPORT_HOLD_MAX ? give_up(h, f, c) : ret;
}

int import_hold_lost(struct import_hold *h, struct import_writer *f, __u32 kind,
		     const struct import_writer_event *at, const struct ktrace_lost *lost)
{
	struct import_hold_cpu *c;
	int ret = get_cpu(h, at->cpu, &c);

	if (ret)
		return ret;
	if (!c->len)
		return write_lost(f, c, kind, at, lost);
	ret = append(h, c, at, kind, lost);
	return ret ? ret : release(h, f, c, false);
}

int import_hold_end(struct import_hold *h, struct import_writer *f)
{
	h->is_forced = true;
	return release_all(h, f, true);
}

void import_hold_free(struct import_hold *h)
{
	for (int i = 0; i <= IMPORT_WRITER_CPUS; i++) {
		if (h->cpus[i])
			free(h->cpus[i]->buf);
		free(h->cpus[i]);
	}
}
