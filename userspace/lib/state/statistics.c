// SPDX-License-Identifier: LGPL-2.1
/*
 * statistics.c - the tree of counts and times
 *
 * An event is added to its sub-mode only; a span to its thread and to the modes on the thread's
 * stack. Modes below the top get the times that include others: cumulative and elapsed time.
 * Everything else is summed up at the end.
 *
 * If only few threads are to be kept, dead threads of a CPU are added to its @rest and freed as
 * soon as enough other threads rank before them: times and counts only grow, so they will never be
 * among the first again.
 */
#include <ktrace/statistics.h>

#include "statistics_node.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Size of the cache of recent threads, one entry for a thread on a CPU; a power of two */
#define RECENT_NR 256u

/* A CPU is swept when it has this many threads more than twice those kept by the last sweep. */
#define SWEEP_MIN 64u

/* struct place - a place in the tree: keys from trace to thread */
struct place {
	__u64 keys[KTRACE_STATISTIC_THREAD + 1];
	const struct ktrace_process *process;
};

/* struct recent - a thread's node with its keys, the first of which is the trace's */
struct recent {
	__u64 keys[KTRACE_STATISTIC_THREAD];
	struct inner *node;
};

/**
 * struct ktrace_statistics - the tree
 * @state:	the state it follows
 * @watch:	its watch in @state
 * @root:	the traceset
 * @from:	start of the time that counts
 * @until:	end of the time that counts
 * @has_begun:	an event at @from or later was met: from then on, events before @from count too
 * @depth:	deepest level with nodes: threads, or all
 * @threads:	number of threads to keep for each CPU even if they are dead
 * @recent:	recently used threads
 * @error:	-ENOMEM that could not be returned
 */
struct ktrace_statistics {
	struct ktrace_states *state;
	struct ktrace_state_watch watch;
	struct inner *root;
	__u64 from;
	__u64 until;
	bool has_begun;
	__u32 depth;
	__u64 threads;
	struct recent recent[RECENT_NR];
	int error;
};

static struct inner *inner_child(struct inner *n, __u64 key)
{
	return (struct inner *)ktrace_node_child(n, key);
}

/* Saves the data that is needed to name the thread at the end. */
static void see_thread(struct inner *n, const struct ktrace_process *p)
{
	struct ktrace_statistic *pub = &n->node.pub;

	pub->tid = p->tid;
	pub->pid = p->pid;
	memcpy(pub->comm, p->comm, sizeof(pub->comm));
	n->machine = p->machine;
	n->stamp = p->stamp;
}

static void name_thread(struct inner *n, const struct ktrace_states *s)
{
	struct ktrace_statistic *pub = &n->node.pub;
	struct ktrace_process p = {
		.machine = n->machine, .tid = pub->tid, .pid = pub->pid, .stamp = n->stamp,
	};
	const char *name;

	memcpy(p.comm, pub->comm, sizeof(p.comm));
	name = ktrace_process_name(s, &p);
	pub->pid = ktrace_process_pid(s, &p);
	memset(pub->comm, 0, sizeof(pub->comm));
	memcpy(pub->comm, name ? name : "", name ? strnlen(name, 15) : 0);
}

/* Returns 0 or -ENOMEM. */
static int sum_up(const struct ktrace_statistics *st, struct node *n)
{
	struct inner *rest = ktrace_node_is_cpu(n) ? ktrace_node_inner(n)->rest : NULL;
	struct node *child;
	__u32 i;
	int ret = 0;

	if (n->pub.level < st->depth)
		ktrace_node_clear(n);
	for (i = 0; i < n->pub.child_nr && !ret; i++) {
		child = (struct node *)n->pub.children[i];
		ret = sum_up(st, child);
		if (!ret)
			ret = ktrace_node_add(n, child);
	}
	return rest && !ret ? ktrace_node_add(n, &rest->node) : ret;
}

int ktrace_statistic_order(const void *a, const void *b)
{
	const struct ktrace_statistic *x = *(const struct ktrace_statistic *const *)a;
	const struct ktrace_statistic *y = *(const struct ktrace_statistic *const *)b;

	if (x->cpu_ns != y->cpu_ns)
		return x->cpu_ns < y->cpu_ns ? 1 : -1;
	if (x->events != y->events)
		return x->events < y->events ? 1 : -1;
	return x->key < y->key ? -1 : x->key > y->key;
}

static bool is_dead(const struct ktrace_process *p)
{
	return p->status == KTRACE_STATUS_ZOMBIE || p->status == KTRACE_STATUS_DEAD;
}

/* True if the thread will get no more time. */
static bool is_gone(const struct ktrace_statistics *st, const struct inner *cpu,
		    const struct inner *thread)
{
	const struct ktrace_statistic *pub = &thread->node.pub;
	const struct ktrace_process *p = ktrace_state_find(st->state, thread->machine, pub->tid,
							   (__s32)cpu->node.pub.key);

	return !p || p->serial != pub->key || is_dead(p);
}

static int add_to_rest(struct inner *cpu, struct inner *thread)
{
	if (!cpu->rest)
		cpu->rest = (struct inner *)ktrace_node_new(KTRACE_STATISTIC_THREAD);
	return cpu->rest ? ktrace_node_add(&cpu->rest->node, &thread->node) : -ENOMEM;
}

/* Frees the threads of a CPU that need not be kept. Returns 0 or -ENOMEM. */
static int sweep(struct ktrace_statistics *st, struct inner *cpu)
{
	struct ktrace_statistic *pub = &cpu->node.pub;
	__u32 i, kept = 0;
	int ret = 0;

	for (i = 0; i < pub->child_nr && !ret; i++)
		ret = sum_up(st, (struct node *)pub->children[i]);
	if (pub->child_nr)
		qsort(pub->children, pub->child_nr, sizeof(pub->children[0]),
		      ktrace_statistic_order);
	for (i = 0; i < pub->child_nr; i++) {
		struct inner *thread = (struct inner *)pub->children[i];

		pub->children[kept] = pub->children[i];
		if (ret || i < st->threads || !is_gone(st, cpu, thread)) {
			kept++;
			continue;
		}
		ret = add_to_rest(cpu, thread);
		ktrace_node_free(&thread->node);
	}
	pub->child_nr = kept;
	ktrace_node_index(cpu);
	cpu->sweep_at = 2ull * kept + SWEEP_MIN;
	memset(st->recent, 0, sizeof(st->recent));
	return ret;
}

/* Returns @cpu, after a sweep if it is due. */
static struct inner *swept(struct ktrace_statistics *st, struct inner *cpu)
{
	int ret = 0;

	if (cpu && st->threads != ~0ull && cpu->node.pub.child_nr >= cpu->sweep_at)
		ret = sweep(st, cpu);
	if (ret)
		st->error = ret;
	return cpu;
}

/* Returns the node of the thread; NULL without memory. */
static struct inner *thread_at(struct ktrace_statistics *st, const struct place *at)
{
	const __u64 *keys = &at->keys[KTRACE_STATISTIC_TRACE];
	const __u64 hash = keys[0] * 13 + keys[1] * 29 + keys[2];
	struct recent *r = &st->recent[hash & (RECENT_NR - 1)];
	struct inner *cpu;

	if (!r->node || memcmp(r->keys, keys, sizeof(r->keys))) {
		cpu = swept(st, inner_child(inner_child(st->root, keys[0]), keys[1]));
		r->node = inner_child(cpu, keys[2]);
		memcpy(r->keys, keys, sizeof(r->keys));
	}
	if (r->node)
		see_thread(r->node, at->process);
	else
		st->error = -ENOMEM;
	return r->node;
}

/* struct span - a period of a thread and its status */
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

/* True if the same mode, or with @has_sub the same sub-mode, is also further down the stack. */
static bool is_repeated(const struct ktrace_process *p, __u32 i, bool has_sub)
{
	__u32 j;

	for (j = 0; j < i; j++)
		if (p->stack[j].mode == p->stack[i].mode &&
		    (!has_sub || p->stack[j].sub == p->stack[i].sub))
			return true;
	return false;
}

static void add_level(struct ktrace_statistics *st, struct inner *thread,
		      const struct ktrace_process *p, __u32 i, const struct span *span)
{
	struct inner *mode = inner_child(thread, p->stack[i].mode);
	struct node *sub = ktrace_node_child(mode, p->stack[i].sub);

	if (!sub) {
		st->error = -ENOMEM;
		return;
	}
	if (!is_repeated(p, i, false))
		add_whole(&mode->node, span);
	if (!is_repeated(p, i, true))
		add_whole(sub, span);
	if (i + 1 < p->depth)
		return;
	add_top(&mode->node, span);
	add_top(sub, span);
}

/* Idle threads count only while they run, dead ones never. */
static bool counts(const struct ktrace_process *p)
{
	return p->tid ? !is_dead(p) : p->status == KTRACE_STATUS_RUN;
}

static void on_span(void *arg, const struct ktrace_process *p, __u64 until)
{
	struct ktrace_statistics *st = arg;
	struct place at = { { 0, p->machine, (__u64)(__s64)p->cpu, p->serial }, p };
	struct span span = { .status = p->status };
	__u64 from = p->since > st->from ? p->since : st->from;
	struct inner *thread;
	__u32 i;

	until = until < st->until ? until : st->until;
	if (until <= from || !counts(p))
		return;
	span.ns = until - from;
	thread = thread_at(st, &at);
	if (!thread)
		return;
	add_top(&thread->node, &span);
	add_whole(&thread->node, &span);
	for (i = 0; i < p->depth && st->depth > KTRACE_STATISTIC_THREAD; i++)
		add_level(st, thread, p, i, &span);
}

int ktrace_statistics_update(struct ktrace_statistics *st, const struct ktrace_trace_event *e)
{
	const struct ktrace_trace *trace = e->stream->trace;
	const struct ktrace_mode_level *mode;
	struct place at = { { 0, ktrace_trace_index(trace), (__u64)(__s64)e->stream->cpu }, NULL };
	struct inner *thread;
	struct node *leaf;

	st->has_begun |= e->time >= st->from;
	if (e->id == KTRACE_ID_LOST || !st->has_begun || e->time >= st->until)
		return st->error;
	at.process = ktrace_state_find(st->state, ktrace_state_machine(st->state, trace), e->tid,
				       e->stream->cpu);
	if (!at.process)
		return -EINVAL;
	at.keys[KTRACE_STATISTIC_THREAD] = at.process->serial;
	mode = ktrace_process_mode(at.process);
	thread = thread_at(st, &at);
	if (!thread)
		return -ENOMEM;
	leaf = st->depth > KTRACE_STATISTIC_THREAD ?
	       ktrace_node_child(inner_child(thread, mode->mode), mode->sub) : &thread->node;
	if (!leaf || ktrace_node_count(leaf, e->type, 1))
		return -ENOMEM;
	return st->error;
}

static int by_key(const void *a, const void *b)
{
	const struct ktrace_statistic *x = *(struct ktrace_statistic *const *)a;
	const struct ktrace_statistic *y = *(struct ktrace_statistic *const *)b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* Sorts the children and names the threads. */
static void settle(const struct ktrace_statistics *st, struct node *n)
{
	struct inner *inner = ktrace_node_inner(n);
	__u32 i;

	if (n->pub.level == KTRACE_STATISTIC_THREAD)
		name_thread(inner, st->state);
	if (n->pub.child_nr)
		qsort(n->pub.children, n->pub.child_nr, sizeof(n->pub.children[0]), by_key);
	if (inner)
		ktrace_node_index(inner);
	for (i = 0; i < n->pub.child_nr; i++)
		settle(st, (struct node *)n->pub.children[i]);
}

int ktrace_statistics_end(struct ktrace_statistics *st)
{
	if (!st->error)
		st->error = sum_up(st, &st->root->node);
	settle(st, &st->root->node);
	return st->error;
}

void ktrace_statistics_keep(struct ktrace_statistics *st, __u32 depth, __u64 threads)
{
	st->depth = depth > KTRACE_STATISTIC_THREAD ? KTRACE_STATISTIC_SUB :
		    KTRACE_STATISTIC_THREAD;
	st->threads = threads;
}

int ktrace_statistics_new(struct ktrace_states *state, __u64 from, __u64 until,
			  struct ktrace_statistics **out)
{
	struct ktrace_statistics *st = calloc(1, sizeof(*st));
	int ret = -ENOMEM;

	if (!st)
		return -ENOMEM;
	*st = (struct ktrace_statistics){ .state = state, .from = from, .until = until,
					  .depth = KTRACE_STATISTIC_SUB, .threads = ~0ull };
	st->watch = (struct ktrace_state_watch){ .span = on_span, .arg = st };
	st->root = (struct inner *)ktrace_node_new(KTRACE_STATISTIC_TRACESET);
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
	ktrace_node_free(st->root ? &st->root->node : NULL);
	free(st);
}

const struct ktrace_statistic *ktrace_statistics_root(const struct ktrace_statistics *st)
{
	return &st->root->node.pub;
}
