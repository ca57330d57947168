// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_contention.c - ktrace contention: how long threads waited for objects, from pthread events
 *
 * A wait lasts from the event "in" of a call to its "out", or to the thread's next event if the
 * call does not return. Time outside the window is not counted. A signal handler may wait inside
 * another wait: that time counts for the inner wait only, so a thread's sum never exceeds the time
 * that passed.
 */
#include "contention.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* struct nest - waits of a thread inside a wait that goes on, by depth */
struct nest {
	__u64 serial;
	__u64 ns[DEPTH_NR + 1];
};

const char *contention_kind(__u32 kind)
{
	return kind == MODEL_THREAD ? "join" : model_kind_name(kind);
}

/* Returns the name of the object now, as both may be gone later. NULL = none */
static const char *name_of(const struct contention *c, const struct model_thread *t,
			   const struct model_object *object)
{
	const struct model_process *p = t->process;
	const struct ktrace_trace *first = ktrace_traceset_trace(c->a.set, p->machine);

	return object ? object_names_find_object(c->aliases, first, p->pid ? p->pid : t->tid,
						 object->address) : NULL;
}

struct waited contention_waited(const struct contention *c, const struct model_thread *t,
				const struct model_object *object)
{
	return (struct waited){
		object, name_of(c, t, object), object ? object->kind : 0, t->raw, t->trace,
	};
}

struct row *contention_add(struct contention *c, int table, const struct key *key, __u64 ns)
{
	struct row *row = hash_table_get(&c->rows[table], key);

	if (!row || histogram_add(&row->dist, ns))
		c->a.error = -ENOMEM;
	return row;
}

static void add(struct contention *c, int table, const struct key key, const struct model_wait *w,
		__u64 ns)
{
	struct row *row = contention_add(c, table, &key, ns);

	if (!row)
		return;
	if (table != OBJECTS) {
		row->thread = w->thread;
		row->alias = model_name_alias(c->aliases, c->a.set, w->thread);
	}
	if (table != THREADS)
		row->waited = contention_waited(c, w->thread, w->object);
}

/* Returns the time of a wait without the waits inside it. */
static __u64 own_ns(struct contention *c, const struct model_wait *w, __u64 ns)
{
	const __u32 depth = w->depth < DEPTH_NR ? w->depth : DEPTH_NR - 1;
	const __u64 serial = w->thread->serial;
	struct nest *nest = hash_table_need(&c->nests, &serial, &c->a.error);
	__u64 inner;

	if (!nest)
		return 0;
	inner = w->is_cut && !c->is_ending ? 0 : nest->ns[depth + 1];
	nest->ns[depth + 1] = 0;
	nest->ns[depth] = depth ? nest->ns[depth] + ns : 0;
	return ns > inner ? ns - inner : 0;
}

void contention_keep(struct contention *c, struct longest *l, const struct model_wait *w, __u64 ns)
{
	__u32 i = l->nr;

	if (i == LONGEST_NR && l->rows[i - 1].ns >= ns)
		return;
	if (i < LONGEST_NR)
		l->nr++;
	else
		i--;
	for (; i && l->rows[i - 1].ns < ns; i--)
		l->rows[i] = l->rows[i - 1];
	l->rows[i] = (struct longest_row){
		*w, model_name_alias(c->aliases, c->a.set, w->thread),
		contention_waited(c, w->thread, w->object), ns,
	};
}

static void on_wait(void *arg, const struct model_wait *w)
{
	struct contention *c = arg;
	const __u32 kind = w->object ? w->object->kind : MODEL_THREAD;
	const __u64 object = w->object ? ((__u64)w->object->serial + 1) << 32 | kind : 0;
	__u64 from = w->from, until = w->until, ns;

	if (!analysis_is_selected(&c->a, w->thread->tid, w->thread->process->pid))
		return;
	if (!analysis_clip(&c->a, &from, &until) && (from != until || from >= c->a.until_ns))
		return;
	ns = own_ns(c, w, until - from);
	if (!contention_wants(c, kind))
		return;
	add(c, KINDS, (struct key){ kind, 0 }, w, ns);
	add(c, THREADS, (struct key){ w->thread->serial, 0 }, w, ns);
	if (w->object)
		add(c, OBJECTS, (struct key){ object, 0 }, w, ns);
	if (c->shows_pairs)
		add(c, PAIRS, (struct key){ w->thread->serial, object }, w, ns);
	if (w->caller)
		add(c, PLACES, (struct key){ w->thread->process->serial, w->caller }, w, ns);
	c->object_sum += w->object ? ns : 0;
	if (histogram_add(&c->sum, ns))
		c->a.error = -ENOMEM;
	contention_keep(c, &c->longest, w, ns);
}

static int begin(struct analysis *a)
{
	struct contention *c = (struct contention *)a;
	const struct model_watch watch = { .wait = on_wait, .given = contention_on_given,
					.thread = contention_on_thread, .arg = c };

	int ret = c->aliases ? 0 : object_names_new(&c->aliases);

	if (!ret)
		ret = object_names_begin(c->aliases, a->set);
	c->symbols = c->where.is_wanted ? symbols_new(&c->where) : NULL;
	return ret < 0 ? ret : model_new(a->set, a->state, &watch, &c->sync);
}

static int take(struct analysis *a, const struct ktrace_trace_event *e)
{
	struct contention *c = (struct contention *)a;
	int ret = object_names_update(c->aliases, e);

	return ret ? ret : model_update(c->sync, e);
}

static const char *set_kinds(void *to, const char *list)
{
	struct contention *c = to;
	const char *names[MODEL_KIND_NR + 1] = { NULL }, *wrong = NULL;
	char *copy = strdup(list), *word, *rest = NULL;
	int i;

	for (i = 0; i < MODEL_KIND_NR; i++)
		names[i] = contention_kind((__u32)i);
	if (!copy)
		return strerror(ENOMEM);
	for (word = strtok_r(copy, ",", &rest); word && !wrong; word = strtok_r(NULL, ",", &rest)) {
		i = command_choice("--kind", word, names, &wrong);
		c->kinds |= i < 0 ? 0 : 1u << i;
	}
	free(copy);
	return wrong || c->kinds ? wrong : "--kind: which kinds?";
}

#define MEMBER(member) OPTION_MEMBER(struct contention, member)

static const struct option_row rows[] = {
	{ .name = "kind", .value = "KIND[,KIND...]", .set = set_kinds,
	  .help = "only waits and holds of mutex, cond, barrier, sem,\n"
		  "rwlock, spin, once; join: waits for threads to end" },
	{ .letter = 'c', .name = "pairs", .flag = MEMBER(shows_pairs),
	  .help = "also by thread and object together" },
	{ .name = "hold-times", .flag = MEMBER(shows_holds),
	  .help = "also how long locks were held: by object, by the place\n"
		  "where they were taken, and the longest holds" },
	{ .name = "holders", .flag = MEMBER(shows_holders),
	  .help = "also which thread held up which one, with which lock" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ rows, 0 },
	{ alias_options, offsetof(struct contention, aliases) },
	{ symbols_options, offsetof(struct contention, where) },
	ANALYSIS_SVG_SET,
	ANALYSIS_SETS,
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct contention c = {
		.a = { .begin = begin, .early = take,
		       .show = contention_show, .plot = contention_plot,
		       .needs.providers = "pthread" },
		.nests = HASH_TABLE_INIT(struct nest, serial),
	};
	int status, i;
	size_t at;

	for (i = 0; i < TABLES; i++)
		c.rows[i] = (struct hash_table)HASH_TABLE_INIT(struct row, key);
	contention_held_init(&c);
	status = analysis_main(&c.a, cmd, argc, argv);
	for (i = 0; i < TABLES; i++) {
		for (at = 0; at < c.rows[i].nr; at++)
			histogram_free(&((struct row *)hash_table_at(&c.rows[i], at))->dist);
		hash_table_free(&c.rows[i]);
	}
	hash_table_free(&c.nests);
	contention_held_free(&c);
	histogram_free(&c.sum);
	histogram_free(&c.held);
	symbols_free(c.symbols);
	object_names_free(c.aliases);
	model_free(c.sync);
	return status;
}

const struct command cmd_contention = {
	.name = "contention",
	.args = "[OPTION...] FILE...",
	.summary = "Show how long threads waited for mutexes and other objects",
	.options = sets,
	.needs_files = true,
	.run = run,
};
