// SPDX-License-Identifier: GPL-2.0
/*
 * ptt_learn.c - tracks barriers and mutexes for PTT's events
 *
 * Barriers: an arriving thread counts down to 0, and the last one does not wait; a leaving one
 * counts up again. Threads may arrive for the next round while others still leave, so both are
 * counted separately. A thread that leaves a round that is not full shows that arrivals were not
 * seen, such as those of another process; from then on the barrier is unknown.
 *
 * After lost events, only what follows them is known.
 */
#include "ptt_learn.h"

/* struct place - identity of an object: the key of rows */
struct place {
	__u64 address;
	__u32 pid;
	__u32 trace;
};

/**
 * struct barrier - a known barrier
 * @place:	the key
 * @asked:	count of an initialisation under way
 * @count:	threads in a round; 0 = not known
 * @arrived:	threads that have arrived in this round
 * @gone:	threads that have left the round that is being left
 * @full:	threads that have arrived in full rounds and not yet left
 */
struct barrier {
	struct place place;
	__u32 asked;
	__u32 count;
	__u32 arrived;
	__u32 gone;
	__u64 full;
};

/* struct mutex - a mutex that a thread has locked @count times */
struct mutex {
	struct place place;
	__u32 count;
};

/* struct arrival - a thread at a barrier; place.address is its id */
struct arrival {
	struct place place;
	bool is_last;
};

static void *row_of(struct ptt *p, struct hash_table *rows, __u64 address)
{
	const struct ktrace_trace_event *e = p->event;
	const struct place place = {
		address, ktrace_trace_pid(e->stream->trace, e->tid, e->raw),
		ktrace_trace_index(e->stream->trace),
	};
	return hash_table_need(rows, &place, &p->error);
}

void ptt_learn_barrier_init(struct ptt *p)
{
	struct barrier *b = row_of(p, &p->barriers, (__u64)ptt_number(p, 0, 0));

	if (!b)
		return;
	if (!p->recipe->is_out) {
		b->asked = (__u32)ptt_role(p, PTT_COUNT, 0);
		return;
	}
	b->count = ptt_role(p, PTT_RESULT, -1) ? 0 : b->asked;
	b->arrived = b->gone = 0;
	b->full = 0;
	p->is_known = b->count;
	p->left = b->count;
}

static void arrive(struct ptt *p, struct barrier *b)
{
	struct arrival *a;

	if (b->count) {
		p->is_known = true;
		p->left = b->count - ++b->arrived;
		p->is_last = !p->left;
	}
	if (p->is_last) {
		b->arrived = 0;
		b->full += b->count;
	}
	a = row_of(p, &p->arrivals, p->event->tid);
	if (a)
		a->is_last = p->is_last;
}

static void leave(struct ptt *p, struct barrier *b)
{
	struct arrival *a = row_of(p, &p->arrivals, p->event->tid);

	p->is_last = a && a->is_last;
	if (a)
		a->is_last = false;
	if (!b->full)
		b->count = 0;
	if (!b->count)
		return;
	b->full--;
	p->is_known = true;
	p->left = ++b->gone;
	if (b->gone == b->count)
		b->gone = 0;
}

void ptt_learn_barrier_wait(struct ptt *p)
{
	struct barrier *b = row_of(p, &p->barriers, (__u64)ptt_number(p, 0, 0));

	if (!b)
		return;
	if (p->recipe->is_out)
		leave(p, b);
	else
		arrive(p, b);
}

/* Tracks a mutex once any recursive one was seen. */
void ptt_learn_mutex(struct ptt *p)
{
	__u32 count = (__u32)ptt_role(p, PTT_COUNT, 0);
	struct mutex *m;

	if ((count <= 1 && !p->mutexes.nr) || ptt_role(p, PTT_RESULT, -1))
		return;
	m = row_of(p, &p->mutexes, (__u64)ptt_number(p, 0, 0));
	if (m)
		m->count = count;
}

void ptt_learn_cond_wait(struct ptt *p)
{
	const struct mutex *m;

	if (!p->mutexes.nr)
		return;
	m = row_of(p, &p->mutexes, (__u64)ptt_number(p, 1, 0));
	if (m)
		p->count = m->count;
}

static const struct hash_table no_barriers = HASH_TABLE_INIT(struct barrier, place);
static const struct hash_table no_mutexes = HASH_TABLE_INIT(struct mutex, place);
static const struct hash_table no_arrivals = HASH_TABLE_INIT(struct arrival, place);

void ptt_forget(struct ptt *p)
{
	hash_table_free(&p->barriers);
	hash_table_free(&p->mutexes);
	hash_table_free(&p->arrivals);
	p->barriers = no_barriers;
	p->mutexes = no_mutexes;
	p->arrivals = no_arrivals;
}
