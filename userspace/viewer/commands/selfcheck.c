// SPDX-License-Identifier: GPL-2.0
/*
 * selfcheck.c - whether states, statistics and moves are consistent
 *
 * Reads the files once more from the beginning, with state and statistics of the whole. At each
 * mark, a seek, which uses saved states, must lead to the same state. Statistics of parts, each
 * with a fresh state, must add up to those of the whole. They are compared without CPUs, because
 * time counts for the CPU where a thread was last.
 */
#include "selfcheck.h"

#include <errno.h>
#include <ktrace/hooks.h>
#include <ktrace/statistics.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/progress.h"
#include "model/pthread_model.h"

#define PARTS 4u
#define MOVES 8u
#define VALUES 6u

/**
 * struct row - values of a node of statistics
 * @key:	trace, thread, mode, sub-mode
 * @values:	events, and times
 * @is_part:	it belongs to a part, not to the whole
 */
struct row {
	__u64 key[4];
	__u64 values[VALUES];
	bool is_part;
};

/**
 * struct row_list - statistics of the whole and of its parts
 * @at:		the rows
 * @nr:		how many
 * @cap:	room for this many
 */
struct row_list {
	struct row *at;
	size_t nr;
	size_t cap;
};

static const char *path_of(const struct check *c)
{
	return ktrace_trace_path(ktrace_traceset_trace(c->set, 0));
}

static __u64 mix(__u64 h, __u64 value)
{
	h = (h ^ value) * 0x9e3779b97f4a7c15ull;
	return h ^ h >> 29;
}

static __u64 mix_text(__u64 h, const char *text)
{
	while (*text)
		h = mix(h, (unsigned char)*text++);
	return h;
}

static __u64 mix_process(__u64 h, const struct ktrace_process *p)
{
	const __u64 values[] = {
		p->serial, p->created, p->inserted, p->since, p->machine, p->tid, p->pid, p->ppid,
		(__u64)p->cpu, p->status, p->wait, p->is_woken, p->waker, p->waker_mode,
		p->is_reaped, p->depth, p->over,
	};
	__u32 i;

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		h = mix(h, values[i]);
	for (i = 0; i < p->depth; i++)
		h = mix(mix(mix(h, p->stack[i].since), p->stack[i].mode), p->stack[i].sub);
	return mix_text(h, p->comm);
}

static __u64 mix_resource(__u64 h, const struct ktrace_resource *r)
{
	const __u64 values[] = {
		r->since, r->machine, r->kind, r->number, r->tid, r->depth, r->over,
	};
	__u32 i;

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		h = mix(h, values[i]);
	for (i = 0; i < r->depth; i++)
		h = mix(h, r->modes[i]);
	return mix_text(h, r->name);
}

static __u64 digest(const struct ktrace_states *s)
{
	const struct ktrace_resource *r;
	const struct ktrace_process *p;
	__u64 h = 1;
	size_t i;

	for (i = 0; (p = ktrace_state_process(s, i)); i++)
		h = mix_process(h, p);
	for (i = 0; (r = ktrace_state_resource(s, i)); i++)
		h = mix_resource(h, r);
	return h;
}

static int add_row(struct row_list *rows, const struct row *row)
{
	if (!LIST_GROW(rows->at, rows->nr, rows->cap))
		return -ENOMEM;
	rows->at[rows->nr++] = *row;
	return 0;
}

/* Adds the nodes from threads downwards; @above: has the key of the parent. */
static int add_rows(struct row_list *rows, const struct ktrace_statistic *n,
		    const struct row *above)
{
	struct row row = *above;
	int ret = 0;
	__u32 i;

	if (n->level == KTRACE_STATISTIC_TRACE)
		row.key[0] = n->key;
	if (n->level >= KTRACE_STATISTIC_THREAD) {
		row.key[n->level - KTRACE_STATISTIC_THREAD + 1] = n->key;
		row.values[0] = n->events;
		row.values[1] = n->cpu_ns;
		row.values[2] = n->cumulative_ns;
		row.values[3] = n->elapsed_ns;
		row.values[4] = n->wait_ns;
		row.values[5] = n->wait_cpu_ns;
		ret = add_row(rows, &row);
	}
	for (i = 0; i < n->child_nr && !ret; i++)
		ret = add_rows(rows, n->children[i], &row);
	return ret;
}

/* True if a node is the sum of the nodes below it, except for times that stacked modes share. */
static bool is_sum(const struct ktrace_statistic *n)
{
	struct ktrace_statistic sum = { 0 };
	__u64 types = 0;
	__u32 i;

	for (i = 0; i < n->type_nr; i++)
		types += n->types[i].events;
	for (i = 0; i < n->child_nr; i++) {
		const struct ktrace_statistic *child = n->children[i];

		sum.events += child->events;
		sum.cpu_ns += child->cpu_ns;
		sum.cumulative_ns += child->cumulative_ns;
		sum.elapsed_ns += child->elapsed_ns;
		sum.wait_ns += child->wait_ns;
		sum.wait_cpu_ns += child->wait_cpu_ns;
		if (!is_sum(child))
			return false;
	}
	if (types != n->events || n->level == KTRACE_STATISTIC_SUB)
		return types == n->events;
	if (n->level < KTRACE_STATISTIC_THREAD &&
	    (sum.cumulative_ns != n->cumulative_ns || sum.elapsed_ns != n->elapsed_ns))
		return false;
	return sum.events == n->events && sum.cpu_ns == n->cpu_ns && sum.wait_ns == n->wait_ns &&
	       sum.wait_cpu_ns == n->wait_cpu_ns;
}

/* Ends statistics, checks sums, and adds the nodes as rows. Return: 0, -errno. */
static int take_tree(struct check *c, struct ktrace_statistics *tree, struct row_list *rows,
		     bool is_part)
{
	const struct ktrace_statistic *root = ktrace_statistics_root(tree);
	const struct row top = { .key = { 0, ~0ull, ~0ull, ~0ull }, .is_part = is_part };
	int ret = ktrace_statistics_end(tree);

	if (ret)
		return ret;
	if (!is_sum(root))
		check_complain(c, path_of(c), "statistics do not sum up");
	if (!is_part && root->events != c->events)
		check_complain(c, path_of(c), "statistics have %llu events, not %llu",
			       root->events, c->events);
	return add_rows(rows, root, &top);
}

/* Reads up to an event at @until or later; stores the digest of the state at marks. */
static int read_part(struct check *c, struct ktrace_states *state, struct ktrace_statistics *tree,
		     __u64 until, struct mark *noted)
{
	struct ktrace_trace_event e;
	__u64 last = 0;
	int ret;

	while ((ret = ktrace_traceset_next(c->set, &e)) == 1 && e.time < until) {
		progress_at(c->again++);
		while (noted && noted < c->marks + c->mark_nr && e.time >= noted->time)
			noted++->state = digest(state);
		ret = ktrace_state_update(state, &e);
		if (!ret)
			ret = ktrace_statistics_update(tree, &e);
		if (ret)
			return ret;
		last = e.time;
	}
	ktrace_state_flush(state, ret == 1 ? until : last);
	return ret < 0 ? ret : 0;
}

/* Adds the statistics from mark number @from to mark number @to, with a fresh state. */
static int add_part(struct check *c, __u32 from, __u32 to, struct row_list *rows)
{
	__u64 until = to < c->mark_nr ? c->marks[to].time : ~0ull;
	struct ktrace_statistics *tree = NULL;
	struct ktrace_states *state;
	int ret = ktrace_state_new(c->set, &state);

	if (ret)
		return ret;
	ret = ktrace_state_seek(state, c->marks[from].time);
	if (!ret)
		ret = ktrace_statistics_new(state, c->marks[from].time, until, &tree);
	if (!ret)
		ret = read_part(c, state, tree, until, NULL);
	if (!ret)
		ret = take_tree(c, tree, rows, true);
	ktrace_statistics_free(tree);
	ktrace_state_free(state);
	return ret;
}

static int by_key(const void *a, const void *b)
{
	return memcmp(((const struct row *)a)->key, ((const struct row *)b)->key,
		      sizeof(((const struct row *)a)->key));
}

/* Checks that statistics of the whole minus those of the parts are 0 for each thread and mode. */
static void compare_rows(struct check *c, struct row_list *rows)
{
	__u64 left[VALUES], any;
	size_t i, j;
	__u32 v;

	if (rows->nr)
		qsort(rows->at, rows->nr, sizeof(rows->at[0]), by_key);
	for (i = 0; i < rows->nr; i = j) {
		memset(left, 0, sizeof(left));
		for (j = i; j < rows->nr && !by_key(&rows->at[i], &rows->at[j]); j++)
			for (v = 0; v < VALUES; v++)
				left[v] += rows->at[j].is_part ? -rows->at[j].values[v] :
					   rows->at[j].values[v];
		for (v = 0, any = 0; v < VALUES; v++)
			any |= left[v];
		if (!any)
			continue;
		check_complain(c, path_of(c), "statistics of parts do not add up to the whole");
		return;
	}
}

static int check_parts(struct check *c, struct row_list *rows)
{
	__u32 parts = c->mark_nr < PARTS ? c->mark_nr : PARTS, i;
	int ret = 0;

	for (i = 0; i < parts && !ret; i++)
		ret = add_part(c, i * c->mark_nr / parts, (i + 1) * c->mark_nr / parts, rows);
	if (!ret)
		compare_rows(c, rows);
	c->parts = parts;
	return ret;
}

/* Seeks from the last mark to the first, so that each seek needs a saved state. */
static int seek_states(struct check *c, struct ktrace_states *state)
{
	const struct mark *m;
	__u32 i;
	int ret = 0;

	for (i = c->mark_nr; i-- && !ret;) {
		m = &c->marks[i];
		ret = ktrace_state_seek(state, m->time);
		if (!ret && digest(state) != m->state)
			check_complain(c, path_of(c), "@%llu.%09llu: a seek leads to another state",
				       m->time / 1000000000, m->time % 1000000000);
	}
	c->states = c->mark_nr;
	return ret;
}

static int check_whole(struct check *c, struct row_list *rows)
{
	struct ktrace_statistics *tree = NULL;
	struct ktrace_states *state;
	int ret = ktrace_state_new(c->set, &state);

	if (ret)
		return ret;
	ret = ktrace_traceset_seek(c->set, 0);
	if (!ret)
		ret = ktrace_statistics_new(state, 0, ~0ull, &tree);
	if (!ret)
		ret = read_part(c, state, tree, ~0ull, c->marks);
	if (!ret)
		ret = take_tree(c, tree, rows, false);
	if (!ret)
		ret = seek_states(c, state);
	ktrace_statistics_free(tree);
	ktrace_state_free(state);
	return ret;
}

/* True if an event counts; keeps it in *@arg as the last such event. */
static bool counts(void *arg, const struct ktrace_trace_event *e)
{
	if (check_is_countable(e))
		*(struct ktrace_trace_event *)arg = *e;
	return check_is_countable(e);
}

/* Checks that the @n-th countable event from here on is the mark. Return: 1, 0, -errno. */
static int is_forward(struct check *c, __u64 n, const struct ktrace_search *search,
		      const struct mark *wanted)
{
	const struct ktrace_trace_event *last = search->args[0];
	__u64 found;
	int ret = ktrace_traceset_forward(c->set, n, search, &found);

	return ret ? ret : found == n && check_is_mark(wanted, last);
}

/* Moves from one mark to the next, back by as many events, and forward again. */
static int move(struct check *c, const struct mark *from, const struct mark *to)
{
	struct ktrace_trace_event last = { 0 };
	struct ktrace_search search = {
		.size = sizeof(search), .filters = { counts }, .args = { &last },
		.window = to->time - from->time,
	};
	__u64 n = to->before - from->before, found;
	int ret = ktrace_traceset_seek_position(c->set, from->behind), is_there = 0;

	if (!ret)
		ret = is_there = is_forward(c, n, &search, to);
	if (ret == 1)
		ret = ktrace_traceset_back(c->set, n, &search, &found);
	if (!ret && is_there)
		ret = is_there = found == n ? is_forward(c, n, &search, to) : 0;
	if (ret >= 0 && !is_there)
		check_complain(c, path_of(c), "event %llu: forward by %llu events and back leads "
			       "elsewhere", from->before + 1, n);
	return ret < 0 ? ret : 0;
}

static int check_moves(struct check *c)
{
	__u32 pairs = c->mark_nr ? c->mark_nr - 1 : 0, i;
	__u32 nr = pairs < MOVES ? pairs : MOVES;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++)
		ret = move(c, &c->marks[i * pairs / nr], &c->marks[i * pairs / nr + 1]);
	c->moves = nr;
	return ret;
}

int check_states(struct check *c)
{
	struct row_list rows = { .at = NULL };
	int ret;

	if (c->goes_back || c->is_torn || c->is_scattered)
		return 0;
	/* Read the whole, then its parts. */
	c->again = 0;
	progress_begin(0, 2 * c->events);
	ret = check_whole(c, &rows);
	if (!ret)
		ret = check_parts(c, &rows);
	progress_end();
	if (!ret)
		ret = check_moves(c);
	free(rows.at);
	return ret;
}

/* ---- impossible transitions in pthread events ---- */

int check_sync_begin(struct check *c)
{
	int ret = ktrace_state_new(c->set, &c->sync_states);

	return ret ? ret : model_new(c->set, c->sync_states, NULL, &c->sync);
}

static void complain(struct check *c, const struct model_trouble *t)
{
	char object[48] = "";

	if (t->address)
		snprintf(object, sizeof(object), ", %s 0x%llx", model_kind_name(t->kind),
			 t->address);
	check_complain(c, ktrace_trace_path(t->trace), "event %s of %u/%u, @%llu.%09llu%s: %s",
		       t->name, t->pid, t->tid, t->time / 1000000000, t->time % 1000000000, object,
		       t->text);
}

void check_sync_end(struct check *c, int ret)
{
	const struct model_trouble *t;
	size_t i;

	for (i = 0; !ret && (t = model_trouble(c->sync, i)); i++)
		if (!t->is_misuse)
			complain(c, t);
	model_free(c->sync);
	ktrace_state_free(c->sync_states);
}
