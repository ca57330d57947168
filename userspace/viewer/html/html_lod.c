// SPDX-License-Identifier: GPL-2.0
/*
 * html_lod.c - what each row looks like in each bin of the open nodes
 *
 * A piece: HTML_BINS numbers of events, HTML_BINS of lost ones, number of rows, then for each row
 * the difference between its number and the previous one, runs of states, runs of events. All
 * runs: how many, then value and length of each. See Documentation/html.md.
 */
#include "html_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void end_run(struct html_runs *r)
{
	if (!r->nr)
		return;
	bytes_u64(&r->bytes, r->value);
	bytes_u64(&r->bytes, r->nr);
	r->nr = 0;
}

static void add_run(struct html_runs *r, __u64 value, __u32 bins)
{
	if (!bins)
		return;
	if (r->value != value)
		end_run(r);
	r->value = value;
	r->nr += bins;
	r->bins += bins;
}

/* Returns the state that lasts longest in the current bin so far, 0 = none. */
static __u32 longest(const struct html_lane *lane)
{
	const struct html_share *best[2] = { NULL, NULL }, *s;
	__u64 run = 0;
	__u32 i;

	for (i = 0; i < lane->share_nr; i++) {
		s = &lane->shares[i];
		run += s->is_run ? s->ns : 0;
		if (!best[s->is_run] || s->ns > best[s->is_run]->ns)
			best[s->is_run] = s;
	}
	if (best[1] && (!best[0] || run >= best[0]->ns))
		return best[1]->state;
	return best[0] ? best[0]->state : 0;
}

/* Ends the current bin: adds its longest state to the runs. */
static void end_states(struct html_lane *lane)
{
	if (lane->share_nr)
		add_run(&lane->states, longest(lane), 1);
	lane->share_nr = 0;
}

/* Returns the logarithm to base 2, rounded down, + 1; 0 for 0. */
static __u64 log2_of(__u64 count)
{
	__u64 log2 = 0;

	while (count >> log2)
		log2++;
	return log2;
}

static void end_counts(struct html_lane *lane)
{
	if (lane->count)
		add_run(&lane->counts, log2_of(lane->count), 1);
	lane->count = 0;
}

/* Ends all bins before @bin. */
static void go_to_state(struct html_lane *lane, __u32 bin)
{
	if (lane->states.bins < bin)
		end_states(lane);
	if (lane->states.bins < bin)
		add_run(&lane->states, 0, bin - lane->states.bins);
}

static void go_to_count(struct html_lane *lane, __u32 bin)
{
	if (lane->counts.bins < bin)
		end_counts(lane);
	if (lane->counts.bins < bin)
		add_run(&lane->counts, 0, bin - lane->counts.bins);
}

static int add_share(struct html_lane *lane, struct html_share share, __u64 ns)
{
	struct html_share *bigger;
	__u32 i, cap = lane->share_cap ? 2 * lane->share_cap : 4;

	for (i = 0; i < lane->share_nr; i++) {
		if (lane->shares[i].state == share.state) {
			lane->shares[i].ns += ns;
			return 0;
		}
	}
	if (i == lane->share_cap) {
		bigger = realloc(lane->shares, cap * sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		lane->shares = bigger;
		lane->share_cap = cap;
	}
	share.ns = ns;
	lane->shares[lane->share_nr++] = share;
	return 0;
}

static struct html_lane *lane_of(struct html_level *level, __u32 row)
{
	__u32 nr = level->lane_nr ? level->lane_nr : 64;
	struct html_lane *bigger;

	while (nr <= row)
		nr *= 2;
	if (nr > level->lane_nr) {
		bigger = realloc(level->lanes, nr * sizeof(*bigger));
		if (!bigger)
			return NULL;
		memset(bigger + level->lane_nr, 0, (nr - level->lane_nr) * sizeof(*bigger));
		level->lanes = bigger;
		level->lane_nr = nr;
	}
	level->lanes[row].is_open = true;
	return &level->lanes[row];
}

/* Adds [@from, @to), counted from the node's beginning; bins have @bin ns. Return: 0, -ENOMEM. */
static int add_state(struct html_lane *lane, struct html_share share, __u64 from, __u64 to,
		     __u64 bin)
{
	const __u32 first = (__u32)(from / bin), last = (__u32)((to - 1) / bin);
	int ret;

	go_to_state(lane, first);
	if (first == last)
		return add_share(lane, share, to - from);
	ret = add_share(lane, share, (first + 1) * bin - from);
	end_states(lane);
	add_run(&lane->states, share.state, last - first - 1);
	return ret ? ret : add_share(lane, share, to - last * bin);
}

void html_lod_state(struct html_lod *l, __u32 row, __u32 state, __u64 from, __u64 to)
{
	const struct html_state *about = hash_table_at(l->states, state - 1);
	const struct html_share share = { .state = state, .is_run = about->is_run };
	const struct html_node *n;
	struct html_lane *lane;
	__u64 begin, end;
	__u32 i;

	for (i = 0; i < l->open_nr && !l->error; i++) {
		n = &l->tree->nodes[l->levels[i]->node];
		begin = from > n->begin ? from : n->begin;
		end = to < n->end ? to : n->end;
		if (begin >= end)
			continue;
		lane = lane_of(l->levels[i], row);
		l->error = !lane ? -ENOMEM :
			add_state(lane, share, begin - n->begin, end - n->begin, html_node_bin(n));
	}
}

void html_lod_event(struct html_lod *l, __u32 row, __u64 time)
{
	struct html_lane *lane;
	struct html_node *n;
	__u32 i, bin;

	for (i = 0; i < l->open_nr && !l->error; i++) {
		n = &l->tree->nodes[l->levels[i]->node];
		bin = (__u32)((time - n->begin) / html_node_bin(n));
		n->events++;
		l->levels[i]->events[bin]++;
		if (row == ~0u)
			continue;
		lane = lane_of(l->levels[i], row);
		if (!lane) {
			l->error = -ENOMEM;
			return;
		}
		go_to_count(lane, bin);
		lane->count++;
	}
}

void html_lod_lost(struct html_lod *l, __u64 count, __u64 time)
{
	const struct html_node *n;
	__u32 i;

	for (i = 0; i < l->open_nr; i++) {
		n = &l->tree->nodes[l->levels[i]->node];
		l->levels[i]->lost[(time - n->begin) / html_node_bin(n)] += count;
	}
}

/* Appends all runs: those so far, @value for the current bin if not 0, then 0 up to the last. */
static void put_runs(struct bytes *b, const struct html_runs *r, __u64 value)
{
	struct html_runs rest = { .value = r->value, .nr = r->nr, .bins = r->bins };
	size_t i, numbers = 0;

	if (value)
		add_run(&rest, value, 1);
	add_run(&rest, 0, HTML_BINS - rest.bins);
	end_run(&rest);
	for (i = 0; i < r->bytes.nr; i++)
		numbers += !(r->bytes.at[i] & 0x80);
	for (i = 0; i < rest.bytes.nr; i++)
		numbers += !(rest.bytes.at[i] & 0x80);
	bytes_u64(b, numbers / 2);
	bytes_append(b, &r->bytes);
	bytes_append(b, &rest.bytes);
	bytes_free(&rest.bytes);
}

static void put_level(struct bytes *b, const struct html_level *level)
{
	__u32 i, nr = 0, last = 0;

	for (i = 0; i < HTML_BINS; i++)
		bytes_u64(b, level->events[i]);
	for (i = 0; i < HTML_BINS; i++)
		bytes_u64(b, level->lost[i]);
	for (i = 0; i < level->lane_nr; i++)
		nr += level->lanes[i].is_open;
	bytes_u64(b, nr);
	for (i = 0; i < level->lane_nr; i++) {
		if (!level->lanes[i].is_open)
			continue;
		bytes_u64(b, i - last);
		put_runs(b, &level->lanes[i].states, longest(&level->lanes[i]));
		put_runs(b, &level->lanes[i].counts, log2_of(level->lanes[i].count));
		last = i;
	}
}

/* Clears a level for its next node; keeps its memory. */
static void clear_level(struct html_level *level)
{
	struct html_lane *lane;
	__u32 i;

	memset(level->events, 0, sizeof(level->events));
	memset(level->lost, 0, sizeof(level->lost));
	for (i = 0; i < level->lane_nr; i++) {
		lane = &level->lanes[i];
		bytes_free(&lane->states.bytes);
		bytes_free(&lane->counts.bytes);
		*lane = (struct html_lane){ .shares = lane->shares, .share_cap = lane->share_cap };
	}
}

bool html_lod_peek(const struct html_lod *l, __u32 node, struct bytes *b)
{
	__u32 i;

	for (i = 0; i < l->open_nr; i++) {
		if (l->levels[i]->node == node) {
			put_level(b, l->levels[i]);
			return true;
		}
	}
	return false;
}

void html_lod_close(struct html_lod *l, __u32 end_block)
{
	struct html_level *level = l->levels[--l->open_nr];
	struct bytes b = { 0 };

	l->tree->nodes[level->node].end_block = end_block;
	put_level(&b, level);
	clear_level(level);
	if (!l->error)
		l->error = html_store_add(l->store, HTML_NODE, level->node, &b);
	bytes_free(&b);
}

__u64 html_lod_end(const struct html_lod *l)
{
	return l->open_nr ? l->tree->nodes[l->levels[l->open_nr - 1]->node].end : ~0ull;
}

void html_lod_open(struct html_lod *l, __u32 block)
{
	struct html_level *level = l->levels[l->open_nr];

	if (!level)
		level = calloc(1, sizeof(*level));
	if (!level) {
		l->error = -ENOMEM;
		return;
	}
	l->levels[l->open_nr++] = level;
	level->node = l->next;
	l->tree->nodes[l->next].end_block = HTML_OPEN;
	l->tree->nodes[l->next++].first_block = block;
}

void html_lod_init(struct html_lod *l, struct html_tree *tree, struct html_store *store)
{
	*l = (struct html_lod){ .tree = tree, .store = store };
}

void html_lod_free(struct html_lod *l)
{
	struct html_level *level;
	__u32 i, k;

	for (i = 0; i < HTML_DEPTH_MAX; i++) {
		level = l->levels[i];
		for (k = 0; level && k < level->lane_nr; k++) {
			free(level->lanes[k].shares);
			bytes_free(&level->lanes[k].states.bytes);
			bytes_free(&level->lanes[k].counts.bytes);
		}
		if (level)
			free(level->lanes);
		free(level);
	}
}
