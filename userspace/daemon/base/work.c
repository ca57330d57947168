// SPDX-License-Identifier: GPL-2.0
/* work.c - runs jobs of unbounded length step by step, a few ms in each turn of the loop */
#include "work.h"

#include "clocks.h"

/* Time for one work before the next in the queue has its turn; one step can be shorter or longer */
#define SLICE_NS 1000000u

/* Takes the next work of the other kind of owner, else of the same kind. NULL: there is none */
static struct work *take(struct works *all)
{
	struct work *w = NULL;

	for (int i = 0; i < WORK_OWNERS && !w; i++) {
		all->latest = (all->latest + 1) % WORK_OWNERS;
		w = TAILQ_FIRST(&all->queues[all->latest]);
	}
	if (w)
		work_stop(all, w);
	return w;
}

static void queue(struct works *all, struct work *w)
{
	w->is_waiting = true;
	TAILQ_INSERT_TAIL(&all->queues[w->owner], w, link);
}

static void take_turn(void *arg)
{
	struct works *all = arg;
	uint64_t now = clocks_boot_ns();
	const uint64_t end_ns = now + TURN_NS;
	struct work *w;

	all->is_at_it = true;
	while (now < end_ns && (w = take(all))) {
		const uint64_t slice_end_ns = now + SLICE_NS;
		bool has_more;

		do {
			has_more = w->step(w->arg);
			now = clocks_boot_ns();
		} while (has_more && now < slice_end_ns);
		if (has_more)
			queue(all, w);
	}
	all->is_at_it = false;
	for (int i = 0; i < WORK_OWNERS; i++)
		if (!TAILQ_EMPTY(&all->queues[i]))
			timer_set(all->timers, &all->turn, 0);
}

void works_init(struct works *all, struct timers *timers)
{
	*all = (struct works) { .timers = timers, .turn = { .fire = take_turn, .arg = all } };
	for (int i = 0; i < WORK_OWNERS; i++)
		TAILQ_INIT(&all->queues[i]);
}

void work_begin(struct works *all, struct work *w)
{
	if (w->is_waiting)
		return;
	queue(all, w);
	if (!all->is_at_it && !all->turn.is_set)
		take_turn(all);
}

void work_stop(struct works *all, struct work *w)
{
	if (!w->is_waiting)
		return;
	w->is_waiting = false;
	TAILQ_REMOVE(&all->queues[w->owner], w, link);
}

void works_finish(struct works *all)
{
	struct work *w;

	while ((w = take(all)))
		while (w->step(w->arg))
			;
}
