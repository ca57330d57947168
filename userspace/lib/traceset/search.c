// SPDX-License-Identifier: LGPL-2.1
/*
 * search.c - moves by a number of events, forward or back
 *
 * Back: reads and counts the events between an earlier time and here; if they are not enough, does
 * so again from a time twice as far back. Once they are enough, or the beginning was reached, the
 * same events are read again up to the wanted one. So no positions need to be kept on the way,
 * whatever the number.
 */
#include <ktrace/hooks.h>

#include "position.h"

#include <errno.h>

#define WINDOW_NS 1000000000ull

static const struct ktrace_search all_events = { .size = sizeof(all_events) };

static bool counts(const struct ktrace_search *search, const struct ktrace_trace_event *event)
{
	int i;

	for (i = 0; i < KTRACE_FILTERS_MAX; i++)
		if (search->filters[i] && !search->filters[i](search->args[i], event))
			return false;
	return true;
}

/* Counts up to @n events from here to @end, and stops after the last. */
static int scan(struct ktrace_traceset *set, __u64 n, const struct ktrace_search *search,
		const struct ktrace_position *end, __u64 *found)
{
	struct ktrace_until until = KTRACE_UNTIL_INIT;
	struct ktrace_trace_event event;
	int ret;

	until.position = end;
	for (*found = 0; *found < n; *found += counts(search, &event)) {
		if (search->is_stopped && search->is_stopped(search->stop_arg))
			return -ECANCELED;
		ret = ktrace_traceset_next_until(set, &until, &event);
		if (ret <= 0)
			return ret;
	}
	return 0;
}

int ktrace_traceset_forward(struct ktrace_traceset *set, __u64 n,
			    const struct ktrace_search *search, __u64 *found)
{
	search = search ? search : &all_events;
	*found = 0;
	return search->size == sizeof(*search) ? scan(set, n, search, NULL, found) : -EINVAL;
}

static int go_to(struct ktrace_traceset *set, const struct ktrace_search *search, __u64 time)
{
	return search->seek ? search->seek(search->seek_arg, set, time) :
	       ktrace_traceset_seek(set, time);
}

/* Finds the time to search back from: that of the next event, or else of the last. */
static int time_of(struct ktrace_traceset *set, const struct ktrace_position *here, __u64 *first,
		   __u64 *now)
{
	__u64 end;
	int ret = ktrace_traceset_span(set, first, &end);

	*now = ktrace_position_time(here);
	*now = *now > end ? end : *now;
	return ret;
}

/* Finds a time from which there are @n events up to @here, or all; and their number. */
static int find_start(struct ktrace_traceset *set, __u64 n, const struct ktrace_search *search,
		      const struct ktrace_position *here, __u64 *time, __u64 *found)
{
	__u64 first, now, window = search->window ? search->window : WINDOW_NS;
	int ret = time_of(set, here, &first, &now);

	while (!ret) {
		*time = now > window && now - window > first ? now - window : 0;
		ret = go_to(set, search, *time);
		if (!ret)
			ret = scan(set, KTRACE_COUNT_NONE, search, here, found);
		if (*found >= n || !*time)
			return ret;
		window = window > ~0ull / 2 ? ~0ull : 2 * window;
	}
	return ret;
}

/* Skips @nr events. */
static int skip(struct ktrace_traceset *set, __u64 nr)
{
	struct ktrace_trace_event event;
	int ret = 1;

	for (; nr && ret == 1; nr--)
		ret = ktrace_traceset_next(set, &event);
	return ret < 0 ? ret : 0;
}

/* Stops before the next event that counts, which must exist. */
static int go_before(struct ktrace_traceset *set, const struct ktrace_search *search,
		     struct ktrace_position *pos)
{
	struct ktrace_trace_event event;
	int ret = ktrace_position_save(set, pos);
	__u64 others = 0;

	while (!ret) {
		ret = ktrace_traceset_next(set, &event);
		if (ret <= 0)
			return ret;
		if (counts(search, &event))
			break;
		ret = 0;
		others++;
	}
	ret = ret < 0 ? ret : ktrace_traceset_seek_position(set, pos);
	return ret ? ret : skip(set, others);
}

static int back(struct ktrace_traceset *set, __u64 n, const struct ktrace_search *search,
		struct ktrace_position *here, __u64 *found)
{
	struct ktrace_position *pos;
	__u64 time, over;
	int ret = find_start(set, n, search, here, &time, found);

	if (ret || !*found)
		return ret;
	ret = ktrace_position_new(&pos);
	if (ret)
		return ret;
	ret = go_to(set, search, time);
	if (!ret)
		ret = scan(set, *found > n ? *found - n : 0, search, NULL, &over);
	if (!ret)
		ret = go_before(set, search, pos);
	*found = *found > n ? n : *found;
	ktrace_position_free(pos);
	return ret;
}

int ktrace_traceset_back(struct ktrace_traceset *set, __u64 n,
			 const struct ktrace_search *search, __u64 *found)
{
	struct ktrace_position *here;
	int ret, again;

	search = search ? search : &all_events;
	*found = 0;
	if (search->size != sizeof(*search))
		return -EINVAL;
	ret = n ? ktrace_position_new(&here) : 0;
	if (ret || !n)
		return ret;
	ret = ktrace_position_save(set, here);
	if (!ret)
		ret = back(set, n, search, here, found);
	if (ret || !*found) {
		again = ktrace_traceset_seek_position(set, here);
		ret = ret ? ret : again;
	}
	ktrace_position_free(here);
	return ret;
}
