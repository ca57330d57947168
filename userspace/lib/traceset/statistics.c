// SPDX-License-Identifier: LGPL-2.1
/*
 * statistics.c - the tree of counts and times
 *
 * What happens is added to all nodes from the root to the leaf, so nothing is summed up
 * afterwards. The modes below the one on top get what includes others: cumulative and
 * elapsed time.
 */
#include <ktrace/statistics.h>

#include "state.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Types of events that are looked for one by one */
#define TYPES_FEW 16u

/* struct node - a node; @pub is first, so that each is the other */
struct node {
	struct ktrace_statistic pub;
	struct state_map by_key;
	struct state_map by_type;	/* places of types, once there are more than TYPES_FEW */
	__u32 cap;
	__u32 last;	/* child found last */
};

/**
 * struct ktrace_statistics - the tree
 * @state:	what it follows
 * @watch:	by which it is told
 * @root:	the traceset
 * @from:	time that counts
 * @until:	its end
 * @error:	-ENOMEM met where it could not be returned
 */
struct ktrace_statistics {
	struct ktrace_states *state;
	struct ktrace_state_watch watch;
	struct node *root;
	__u64 from;
	__u64 until;
	int error;
};

/* struct place - where in the tree something happens: keys from trace to thread */
struct place {
	__u64 keys[KTRACE_STATISTIC_THREAD + 1];
	const struct ktrace_process *process;
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
	if (!bigger || !child || ktrace_map_reserve(&n->by_key, 1)) {
		free(child);
		return NULL;
	}
	child->pub.level = n->pub.level + 1;
	child->pub.key = key;
	n->pub.children[n->pub.child_nr] = &child->pub;
	ktrace_map_set(&n->by_key, key, n->pub.child_nr++);
	return child;
}

/* The child with @key; NULL: no memory, or no parent */
static struct node *child_of(struct node *n, __u64 key)
{
	if (!n)
		return NULL;
	if (n->last < n->pub.child_nr && n->pub.children[n->last]->key == key)
		return (struct node *)n->pub.children[n->last];
	n->last = ktrace_map_get(&n->by_key, key);
	if (n->last == ~0u)
		return add_child(n, key);
	return (struct node *)n->pub.children[n->last];
}

static void name_thread(struct node *n, const struct ktrace_states *s,
			const struct ktrace_process *p)
{
	const char *name = ktrace_process_name(s, p);

	n->pub.tid = p->tid;
	n->pub.pid = ktrace_process_pid(s, p);
	memset(n->pub.comm, 0, sizeof(n->pub.comm));
	memcpy(n->pub.comm, name ? name : "", name ? strnlen(name, 15) : 0);
}

/* Adds @what to the nodes from the root to the thread. Return: the thread's, or NULL. */
static struct node *add_down(struct ktrace_statistics *st, const struct place *at,
			     void (*add)(struct node *n, const void *what), const void *what)
{
	struct node *n = st->root;
	__u32 level;

	for (level = KTRACE_STATISTIC_TRACE; n; level++) {
		add(n, what);
		if (level > KTRACE_STATISTIC_THREAD)
			break;
		n = child_of(n, at->keys[level]);
	}
	if (!n)
		st->error = -ENOMEM;
	else
		name_thread(n, st->state, at->process);
	return n;
}

/* struct span - some time of a thread, and what it did meanwhile */
struct span {
	__u64 ns;
	__u32 status;
};

static void add_top(struct node *n, const void *what)
{
	const struct span *span = what;

	n->pub.cpu_ns += span->status == KTRACE_STATUS_RUN ||
			 span->status == KTRACE_STATUS_EXIT ? span->ns : 0;
	n->pub.wait_ns += span->status == KTRACE_STATUS_WAIT ? span->ns : 0;
	n->pub.wait_cpu_ns += span->status == KTRACE_STATUS_WAIT_CPU ||
			      span->status == KTRACE_STATUS_WAIT_FORK ? span->ns : 0;
}

static void add_whole(struct node *n, const void *what)
{
	const struct span *span = what;

	n->pub.cumulative_ns += span->status == KTRACE_STATUS_RUN ||
				span->status == KTRACE_STATUS_EXIT ? span->ns : 0;
	n->pub.elapsed_ns += span->ns;
}

static void add_both(struct node *n, const void *what)
{
	add_top(n, what);
	add_whole(n, what);
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
	thread = add_down(st, &at, add_both, &span);
	for (i = 0; thread && i < p->depth; i++)
		add_level(st, thread, p, i, &span);
}

/* struct counted - an event being counted */
struct counted {
	struct ktrace_statistics *st;
	const struct ktrace_trace_event *event;
};

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

static void add_event(struct node *n, const void *what)
{
	const struct counted *counted = what;
	const struct ktrace_event_type *type = counted->event->type;
	__u32 at = find_type(n, type);

	n->pub.events++;
	if (at == ~0u) {
		at = n->pub.type_nr;
		if (add_type(n, type)) {
			counted->st->error = -ENOMEM;
			return;
		}
	}
	n->pub.types[at].events++;
}

int ktrace_statistics_update(struct ktrace_statistics *st, const struct ktrace_trace_event *e)
{
	const struct ktrace_trace *trace = e->stream->trace;
	const struct ktrace_mode_level *mode;
	struct place at = { { 0, ktrace_trace_index(trace), (__u64)(__s64)e->stream->cpu }, NULL };
	struct counted what = { st, e };
	struct node *thread, *leaf;

	if (e->id == KTRACE_ID_LOST || e->time < st->from || e->time >= st->until)
		return st->error;
	at.process = ktrace_state_find(st->state, ktrace_state_machine(st->state, trace), e->tid,
				       e->stream->cpu);
	if (!at.process)
		return -EINVAL;
	at.keys[KTRACE_STATISTIC_THREAD] = at.process->serial;
	mode = ktrace_process_mode(at.process);
	thread = add_down(st, &at, add_event, &what);
	leaf = child_of(child_of(thread, mode->mode), mode->sub);
	if (!leaf)
		return -ENOMEM;
	add_event(child_of(thread, mode->mode), &what);
	add_event(leaf, &what);
	return st->error;
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
		ktrace_map_set(&n->by_key, n->pub.children[i]->key, i);
		sort((struct node *)n->pub.children[i]);
	}
}

int ktrace_statistics_end(struct ktrace_statistics *st)
{
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
