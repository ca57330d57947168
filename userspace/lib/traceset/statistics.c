// SPDX-License-Identifier: LGPL-2.1
/*
 * statistics.c - the tree of counts and times
 *
 * An event is added to its sub-mode only, a span to its thread, and to the modes on the thread's
 * stack: those below the one on top get what includes others, cumulative and elapsed time. All
 * else is summed up in the end.
 */
#include <ktrace/statistics.h>

#include "state.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Types of events that are looked for one by one */
#define TYPES_FEW 16u

/* Keys below find a child at once: all modes do. */
#define KEYS_SMALL 8u

/* Threads, on a CPU each, that are found without going down the tree; a power of two */
#define RECENT_NR 256u

/* struct node - a node; @pub is first, so that each is the other */
struct node {
	struct ktrace_statistic pub;
	struct node *small[KEYS_SMALL];	/* children by key */
	struct state_map by_key;	/* the others */
	struct node *last;		/* of them, found last */
	__u64 last_key;
	struct state_map by_type;	/* places of types, once there are more than TYPES_FEW */
	__u32 cap;
	__u32 last_type;
	__u32 machine;	/* of a thread, as the next, when it was seen last: for its name */
	__u64 stamp;
};

/* struct place - where in the tree something happens: keys from trace to thread */
struct place {
	__u64 keys[KTRACE_STATISTIC_THREAD + 1];
	const struct ktrace_process *process;
};

/* struct recent - the node of a thread; its keys, the first of which is the trace's */
struct recent {
	__u64 keys[KTRACE_STATISTIC_THREAD];
	struct node *node;
};

/**
 * struct ktrace_statistics - the tree
 * @state:	what it follows
 * @watch:	by which it is told
 * @root:	the traceset
 * @from:	time that counts
 * @until:	its end
 * @recent:	threads found last
 * @error:	-ENOMEM met where it could not be returned
 */
struct ktrace_statistics {
	struct ktrace_states *state;
	struct ktrace_state_watch watch;
	struct node *root;
	__u64 from;
	__u64 until;
	struct recent recent[RECENT_NR];
	int error;
};

static void free_node(struct node *n)
{
	__u32 i;

	if (!n)
		return;
	for (i = 0; i < n->pub.child_nr; i++)
		free_node((struct node *)n->pub.children[i]);
	free(n->pub.children);
	free(n->pub.types);
	ktrace_map_free(&n->by_key);
	ktrace_map_free(&n->by_type);
	free(n);
}

static struct node *add_child(struct node *n, __u64 key)
{
	struct node *child = calloc(1, sizeof(*child));
	struct ktrace_statistic **bigger = n->pub.children;

	if (n->pub.child_nr == n->cap) {
		bigger = realloc(bigger, (n->cap ? 2 * n->cap : 4) * sizeof(struct node *));
		if (bigger) {
			n->pub.children = bigger;
			n->cap = n->cap ? 2 * n->cap : 4;
		}
	}
	if (!bigger || !child || (key >= KEYS_SMALL && ktrace_map_reserve(&n->by_key, 1))) {
		free(child);
		return NULL;
	}
	child->pub.level = n->pub.level + 1;
	child->pub.key = key;
	n->pub.children[n->pub.child_nr] = &child->pub;
	if (key < KEYS_SMALL)
		n->small[key] = child;
	else
		ktrace_map_set(&n->by_key, key, n->pub.child_nr);
	n->pub.child_nr++;
	return child;
}

/* The child with @key; NULL: no memory, or no parent */
static struct node *child_of(struct node *n, __u64 key)
{
	__u32 at;

	if (!n)
		return NULL;
	if (key < KEYS_SMALL)
		return n->small[key] ? n->small[key] : add_child(n, key);
	if (n->last && n->last_key == key)
		return n->last;
	at = ktrace_map_get(&n->by_key, key);
	n->last = at == ~0u ? add_child(n, key) : (struct node *)n->pub.children[at];
	n->last_key = key;
	return n->last;
}

/* What is needed to name the thread in the end. */
static void see_thread(struct node *n, const struct ktrace_process *p)
{
	n->pub.tid = p->tid;
	n->pub.pid = p->pid;
	memcpy(n->pub.comm, p->comm, sizeof(n->pub.comm));
	n->machine = p->machine;
	n->stamp = p->stamp;
}

static void name_thread(struct node *n, const struct ktrace_states *s)
{
	struct ktrace_process p = {
		.machine = n->machine, .tid = n->pub.tid, .pid = n->pub.pid, .stamp = n->stamp,
	};
	const char *name;

	memcpy(p.comm, n->pub.comm, sizeof(p.comm));
	name = ktrace_process_name(s, &p);
	n->pub.pid = ktrace_process_pid(s, &p);
	memset(n->pub.comm, 0, sizeof(n->pub.comm));
	memcpy(n->pub.comm, name ? name : "", name ? strnlen(name, 15) : 0);
}

static struct node *go_down(struct node *n, const struct place *at)
{
	__u32 level;

	for (level = KTRACE_STATISTIC_TRACE; level <= KTRACE_STATISTIC_THREAD; level++)
		n = child_of(n, at->keys[level]);
	return n;
}

/* The node of the thread; NULL: no memory */
static struct node *thread_at(struct ktrace_statistics *st, const struct place *at)
{
	const __u64 *keys = &at->keys[KTRACE_STATISTIC_TRACE];
	const __u64 hash = keys[0] * 13 + keys[1] * 29 + keys[2];
	struct recent *r = &st->recent[hash & (RECENT_NR - 1)];

	if (!r->node || memcmp(r->keys, keys, sizeof(r->keys))) {
		r->node = go_down(st->root, at);
		memcpy(r->keys, keys, sizeof(r->keys));
	}
	if (r->node)
		see_thread(r->node, at->process);
	else
		st->error = -ENOMEM;
	return r->node;
}

/* struct span - some time of a thread, and what it did meanwhile */
struct span {
	__u64 ns;
	__u32 status;
};

static void add_top(struct node *n, const struct span *span)
{
	n->pub.cpu_ns += span->status == KTRACE_STATUS_RUN ||
			 span->status == KTRACE_STATUS_EXIT ? span->ns : 0;
	n->pub.wait_ns += span->status == KTRACE_STATUS_WAIT ? span->ns : 0;
	n->pub.wait_cpu_ns += span->status == KTRACE_STATUS_WAIT_CPU ||
			      span->status == KTRACE_STATUS_WAIT_FORK ? span->ns : 0;
}

static void add_whole(struct node *n, const struct span *span)
{
	n->pub.cumulative_ns += span->status == KTRACE_STATUS_RUN ||
				span->status == KTRACE_STATUS_EXIT ? span->ns : 0;
	n->pub.elapsed_ns += span->ns;
}

/* Is there the same mode, or with @has_sub the same sub-mode, further down the stack? */
static bool is_repeated(const struct ktrace_process *p, __u32 i, bool has_sub)
{
	__u32 j;

	for (j = 0; j < i; j++)
		if (p->stack[j].mode == p->stack[i].mode &&
		    (!has_sub || p->stack[j].sub == p->stack[i].sub))
			return true;
	return false;
}

static void add_level(struct ktrace_statistics *st, struct node *thread,
		      const struct ktrace_process *p, __u32 i, const struct span *span)
{
	struct node *mode = child_of(thread, p->stack[i].mode);
	struct node *sub = child_of(mode, p->stack[i].sub);

	if (!sub) {
		st->error = -ENOMEM;
		return;
	}
	if (!is_repeated(p, i, false))
		add_whole(mode, span);
	if (!is_repeated(p, i, true))
		add_whole(sub, span);
	if (i + 1 < p->depth)
		return;
	add_top(mode, span);
	add_top(sub, span);
}

/* The idle do not wait, and the dead are not there. */
static bool counts(const struct ktrace_process *p)
{
	return p->tid ? p->status != KTRACE_STATUS_ZOMBIE && p->status != KTRACE_STATUS_DEAD :
	       p->status == KTRACE_STATUS_RUN;
}

static void on_span(void *arg, const struct ktrace_process *p, __u64 until)
{
	struct ktrace_statistics *st = arg;
	struct place at = { { 0, p->machine, (__u64)(__s64)p->cpu, p->serial }, p };
	struct span span = { .status = p->status };
	__u64 from = p->since > st->from ? p->since : st->from;
	struct node *thread;
	__u32 i;

	until = until < st->until ? until : st->until;
	if (until <= from || !counts(p))
		return;
	span.ns = until - from;
	thread = thread_at(st, &at);
	if (!thread)
		return;
	add_top(thread, &span);
	add_whole(thread, &span);
	for (i = 0; i < p->depth; i++)
		add_level(st, thread, p, i, &span);
}

static __u32 find_type(const struct node *n, const struct ktrace_event_type *type)
{
	if (n->pub.type_nr > TYPES_FEW)
		return ktrace_map_get(&n->by_type, (__u64)(uintptr_t)type);
	for (__u32 i = 0; i < n->pub.type_nr; i++)
		if (n->pub.types[i].type == type)
			return i;
	return ~0u;
}

static int add_type(struct node *n, const struct ktrace_event_type *type)
{
	const __u32 nr = n->pub.type_nr;
	struct ktrace_statistic_type *bigger = realloc(n->pub.types, (nr + 1) * sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	n->pub.types = bigger;
	if (nr >= TYPES_FEW && ktrace_map_reserve(&n->by_type, TYPES_FEW + 1))
		return -ENOMEM;
	bigger[n->pub.type_nr++] = (struct ktrace_statistic_type){ .type = type };
	for (__u32 i = nr == TYPES_FEW ? 0 : nr; nr >= TYPES_FEW && i <= nr; i++)
		ktrace_map_set(&n->by_type, (__u64)(uintptr_t)bigger[i].type, i);
	return 0;
}

static int add_events(struct node *n, const struct ktrace_event_type *type, __u64 nr)
{
	__u32 at = n->last_type;

	if (at >= n->pub.type_nr || n->pub.types[at].type != type)
		at = find_type(n, type);
	if (at == ~0u) {
		at = n->pub.type_nr;
		if (add_type(n, type))
			return -ENOMEM;
	}
	n->last_type = at;
	n->pub.events += nr;
	n->pub.types[at].events += nr;
	return 0;
}

int ktrace_statistics_update(struct ktrace_statistics *st, const struct ktrace_trace_event *e)
{
	const struct ktrace_trace *trace = e->stream->trace;
	const struct ktrace_mode_level *mode;
	struct place at = { { 0, ktrace_trace_index(trace), (__u64)(__s64)e->stream->cpu }, NULL };
	struct node *leaf;

	if (e->id == KTRACE_ID_LOST || e->time < st->from || e->time >= st->until)
		return st->error;
	at.process = ktrace_state_find(st->state, ktrace_state_machine(st->state, trace), e->tid,
				       e->stream->cpu);
	if (!at.process)
		return -EINVAL;
	at.keys[KTRACE_STATISTIC_THREAD] = at.process->serial;
	mode = ktrace_process_mode(at.process);
	leaf = child_of(child_of(thread_at(st, &at), mode->mode), mode->sub);
	if (!leaf || add_events(leaf, e->type, 1))
		return -ENOMEM;
	return st->error;
}

static void add_times(struct node *n, const struct node *child)
{
	n->pub.cpu_ns += child->pub.cpu_ns;
	n->pub.cumulative_ns += child->pub.cumulative_ns;
	n->pub.elapsed_ns += child->pub.elapsed_ns;
	n->pub.wait_ns += child->pub.wait_ns;
	n->pub.wait_cpu_ns += child->pub.wait_cpu_ns;
}

/* What was summed up before begins anew. */
static void clear_sums(struct node *n)
{
	struct ktrace_statistic *pub = &n->pub;

	pub->events = pub->type_nr = 0;
	ktrace_map_clear(&n->by_type);
	if (pub->level < KTRACE_STATISTIC_THREAD)
		pub->cpu_ns = pub->cumulative_ns = pub->elapsed_ns = pub->wait_ns =
			pub->wait_cpu_ns = 0;
}

/* Return: 0, -ENOMEM. */
static int sum_up(const struct ktrace_statistics *st, struct node *n)
{
	struct node *child;
	__u32 i, k;
	int ret = 0;

	if (n->pub.level == KTRACE_STATISTIC_THREAD)
		name_thread(n, st->state);
	if (n->pub.level < KTRACE_STATISTIC_SUB)
		clear_sums(n);
	for (i = 0; i < n->pub.child_nr && !ret; i++) {
		child = (struct node *)n->pub.children[i];
		ret = sum_up(st, child);
		if (n->pub.level < KTRACE_STATISTIC_THREAD)
			add_times(n, child);
		for (k = 0; k < child->pub.type_nr && !ret; k++)
			ret = add_events(n, child->pub.types[k].type, child->pub.types[k].events);
	}
	return ret;
}

static int by_key(const void *a, const void *b)
{
	const struct ktrace_statistic *x = *(struct ktrace_statistic *const *)a;
	const struct ktrace_statistic *y = *(struct ktrace_statistic *const *)b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* Places change: nothing is to be found by key any more. */
static void sort(struct node *n)
{
	__u32 i;

	if (n->pub.child_nr)
		qsort(n->pub.children, n->pub.child_nr, sizeof(struct node *), by_key);
	ktrace_map_clear(&n->by_key);
	for (i = 0; i < n->pub.child_nr; i++) {
		if (n->pub.children[i]->key >= KEYS_SMALL)
			ktrace_map_set(&n->by_key, n->pub.children[i]->key, i);
		sort((struct node *)n->pub.children[i]);
	}
}

int ktrace_statistics_end(struct ktrace_statistics *st)
{
	if (!st->error)
		st->error = sum_up(st, st->root);
	sort(st->root);
	return st->error;
}

int ktrace_statistics_new(struct ktrace_states *state, __u64 from, __u64 until,
			  struct ktrace_statistics **out)
{
	struct ktrace_statistics *st = calloc(1, sizeof(*st));
	int ret = -ENOMEM;

	if (!st)
		return -ENOMEM;
	*st = (struct ktrace_statistics){ .state = state, .from = from, .until = until };
	st->watch = (struct ktrace_state_watch){ .span = on_span, .arg = st };
	st->root = calloc(1, sizeof(*st->root));
	if (st->root)
		ret = ktrace_state_watch(state, &st->watch);
	if (ret) {
		ktrace_statistics_free(st);
		return ret;
	}
	*out = st;
	return 0;
}

void ktrace_statistics_free(struct ktrace_statistics *st)
{
	if (!st)
		return;
	free_node(st->root);
	free(st);
}

const struct ktrace_statistic *ktrace_statistics_root(const struct ktrace_statistics *st)
{
	return &st->root->pub;
}
