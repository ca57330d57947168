// SPDX-License-Identifier: LGPL-2.1
/*
 * ranges.c - packets of TCP that may still get another end, and lists of them
 *
 * All packets share one circle, so memory is bounded whatever the number of connections. A list
 * refers to packets by number, and finds out that one has lost its place when it looks.
 */
#include "match.h"

#include <errno.h>

#include "base/grow.h"

#define RANGES_MASK (KTRACE_MESSAGES_PENDING - 1)
/* A packet that comes so far out of order is not looked for a place for. */
#define DISORDER_MAX 1024u
#define LIST_CAP_FIRST 8u

_Static_assert((KTRACE_MESSAGES_PENDING & RANGES_MASK) == 0, "a power of two");

/* Counts what became of a packet that nobody can find any more. */
static void forget(struct ktrace_messages *m, const struct range *r)
{
	if (r->flags & RANGE_MATCHED)
		return;
	m->stats.waiting--;
	if (r->flags & RANGE_LOCAL)
		m->stats.local++;
	else
		m->stats.given_up++;
}

/* Adds the bytes of a packet; its number is the last one. The oldest packet is given up for it. */
struct range *ktrace_range_add(struct ktrace_messages *m, const struct range *range)
{
	const __u64 nr = m->ranges.nr++;
	struct range *r = &m->ranges.at[nr & RANGES_MASK];

	if (nr > RANGES_MASK)
		forget(m, r);
	*r = *range;
	return r;
}

/* Removes references to packets that have lost their places, and makes room for another one. */
static void compact(struct range_list *l, const struct ranges *ranges)
{
	__u32 to = l->first;

	for (__u32 i = l->first; i != l->last; i++)
		if (range_is_kept(ranges, range_ref_at(l, i)->nr))
			l->refs[to++ & (l->cap - 1)] = *range_ref_at(l, i);
	l->last = to;
	l->hint = l->first;
}

/* Doubles the circle: half of the places move into the new half, at the same distance. */
static int grow(struct range_list *l)
{
	const __u32 old = l->cap, cap = old ? 2 * old : LIST_CAP_FIRST;

	if (!LIST_RESIZE(l->refs, cap))
		return -ENOMEM;
	for (__u32 i = l->first; i != l->last; i++)
		if (i & old)
			l->refs[i & (cap - 1)] = l->refs[i & (old - 1)];
	l->cap = cap;
	return 0;
}

/* Makes room for one more reference. */
int ktrace_range_list_reserve(struct range_list *l, const struct ranges *ranges)
{
	if (l->last - l->first < l->cap)
		return 0;
	compact(l, ranges);
	return l->last - l->first > l->cap / 2 || !l->cap ? grow(l) : 0;
}

/*
 * Adds the packet that got the last number, in the place of its bytes; there is room. Leaves it out
 * if it comes very late: it is then given up in its time.
 */
void ktrace_range_list_add(struct range_list *l, const struct ranges *ranges,
			   const struct range *r)
{
	const __u32 mask = l->cap - 1, nr = (__u32)(ranges->nr - 1);
	__u32 i = l->last, steps = 0;

	while (i != l->first && seq_before(r->to, range_ref_at(l, i - 1)->to) &&
	       steps < DISORDER_MAX) {
		i--;
		steps++;
	}
	if (steps == DISORDER_MAX)
		return;
	for (__u32 n = l->last; n != i; n--)
		l->refs[n & mask] = l->refs[(n - 1) & mask];
	l->refs[i & mask] = (struct range_ref){ nr, r->to };
	l->last++;
}

/* Removes packets at the front that have lost their places or are too far from number @next. */
void ktrace_range_list_trim(struct range_list *l, const struct ranges *ranges, __u32 next)
{
	const struct range_ref *ref;

	if (l->last != l->first && seq_is_far(range_ref_at(l, l->last - 1)->to, next)) {
		range_list_empty(l);
		return;
	}
	while (l->first != l->last) {
		ref = range_ref_at(l, l->first);
		if (range_is_kept(ranges, ref->nr) && !seq_is_far(ref->to, next))
			break;
		l->first++;
	}
}

/* Returns the place of the first packet with bytes after @number, the end of the list if none. */
__u32 ktrace_range_list_above(struct range_list *l, __u32 number)
{
	__u32 low = l->first, high = l->last, step = 1, i;

	/* Searches near the packet found last: mostly it is the one after that. */
	i = l->hint - l->first < l->last - l->first ? l->hint : l->first;
	while (i != high && !seq_before(number, range_ref_at(l, i)->to)) {
		low = i + 1;
		i = high - low > step ? low + step : high;
		step *= 2;
	}
	high = i;
	while (low != high) {
		i = low + (high - low) / 2;
		if (seq_before(number, range_ref_at(l, i)->to))
			high = i;
		else
			low = i + 1;
	}
	l->hint = low;
	return low;
}
