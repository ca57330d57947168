// SPDX-License-Identifier: LGPL-2.1
/*
 * until.c - reads up to a limit
 *
 * Whether a record is before a position is decided by its own stream alone: records before the
 * position are before its place there. So the test costs the same however many streams there are,
 * and a position that was passed, or is never reached exactly, also ends the reading.
 */
#include "position.h"

#include <errno.h>

/* Compares the places of all streams. Returns 1 if @pos is here or passed, 0, -ENOMEM. */
static int is_at_all(struct ktrace_traceset *set, const struct ktrace_position *pos)
{
	struct ktrace_position *here;
	int ret = ktrace_position_new(&here);

	if (!ret)
		ret = ktrace_position_save(set, here);
	if (!ret)
		ret = ktrace_position_compare(here, pos) >= 0;
	ktrace_position_free(here);
	return ret;
}

/*
 * True if the next event is no longer before the position. One record, and the end, may release
 * several pending events; then all streams count. Returns 1, 0, -ENOMEM.
 */
int ktrace_set_is_at(struct ktrace_traceset *set, const struct ktrace_position *pos)
{
	const struct stream *top = merge_top(&set->merge);
	const struct place *p = top ? ktrace_position_find(pos, top) : NULL;
	struct place here;
	int order = 1;

	if (top && p) {
		ktrace_place_get(top, &here);
		order = place_order(here.section, here.off, p);
	}
	if (!top || (!order && set->fragments.nr > pos->pending_nr))
		return is_at_all(set, pos);
	return order >= 0;
}

static bool is_count_reached(const struct ktrace_until *until, __u64 time)
{
	if (until->count == KTRACE_COUNT_NONE || until->delivered < until->count)
		return false;
	return !until->completes_time || !until->delivered || time != until->last;
}

/* Sets @until->stop if the next record must not be taken. Returns 0, -ENOMEM. */
int ktrace_until_look(struct ktrace_traceset *set, struct ktrace_until *until)
{
	const struct ktrace_position *pos = until->position;
	const struct stream *top = merge_top(&set->merge);
	__u64 time = ktrace_set_time(set);
	int ret = 0;

	if (!top && (!set->fragments.nr || ktrace_set_may_grow(set))) {
		until->stop = KTRACE_STOP_END;
	} else if (is_count_reached(until, time)) {
		until->stop = KTRACE_STOP_COUNT;
	} else if (pos && pos->is_set && (ret = ktrace_set_is_at(set, pos))) {
		until->stop = KTRACE_STOP_POSITION;
	} else if (until->time != KTRACE_TIME_NONE && time >= until->time) {
		until->stop = KTRACE_STOP_TIME;
	}
	return ret < 0 ? ret : 0;
}

static int check(const struct ktrace_traceset *set, const struct ktrace_until *until)
{
	const struct ktrace_position *pos = until->position;

	if (until->size != sizeof(*until))
		return -EINVAL;
	if (until->delivered || !pos || !pos->is_set)
		return 0;
	return ktrace_position_check(set, pos) == -EINVAL ? -EINVAL : 0;
}

int ktrace_traceset_next_until(struct ktrace_traceset *set, struct ktrace_until *until,
			       struct ktrace_trace_event *event)
{
	int ret = ktrace_set_settle(set);

	if (!ret)
		ret = check(set, until);
	until->stop = KTRACE_STOP_NONE;
	while (!ret) {
		ret = ktrace_until_look(set, until);
		if (ret || until->stop)
			return ret;
		ret = ktrace_set_step(set, event);
		if (!ret)
			ret = ktrace_set_settle(set);
	}
	if (ret == 1) {
		until->delivered++;
		until->last = event->time;
	}
	return ret;
}
