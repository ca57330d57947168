// SPDX-License-Identifier: GPL-2.0
/* work.c - what others' wishes can make long: step by step, a few ms each time round the loop */
#include "work.h"

#include "clocks.h"

/* Of all work together, before everybody else has his turn */
#define TURN_NS 5000000u

static void take_turn(void *arg)
{
	struct works *all = arg;
	const uint64_t end_ns = clocks_boot_ns() + TURN_NS;
	struct work *w;

	all->is_at_it = true;
	do {
		w = TAILQ_FIRST(&all->queue);
		if (!w)
			break;
		work_stop(all, w);
		if (w->step(w->arg)) {
			w->is_waiting = true;
			TAILQ_INSERT_TAIL(&all->queue, w, link);
		}
	} while (clocks_boot_ns() < end_ns);
	all->is_at_it = false;
	if (!TAILQ_EMPTY(&all->queue))
		timer_set(all->timers, &all->turn, 0);
}

void works_init(struct works *all, struct timers *timers)
{
	*all = (struct works) { .timers = timers, .turn = { .fire = take_turn, .arg = all } };
	TAILQ_INIT(&all->queue);
}

void work_begin(struct works *all, struct work *w)
{
	if (w->is_waiting)
		return;
	w->is_waiting = true;
	TAILQ_INSERT_TAIL(&all->queue, w, link);
	if (!all->is_at_it && !all->turn.is_set)
		take_turn(all);
}

void work_stop(struct works *all, struct work *w)
{
	if (!w->is_waiting)
		return;
	w->is_waiting = false;
	TAILQ_REMOVE(&all->queue, w, link);
}
