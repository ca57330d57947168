// SPDX-License-Identifier: GPL-2.0
/* twice.c - events that two of the files have both */
#include "twice.h"

#include "base/fnv.h"
#include "base/grow.h"
#include "viewer.h"

#include <stdlib.h>
#include <string.h>

#define TRACES_MAX 100u		/* with more, opening them once more would take too long */
#define MEMBERS_MAX 1000000u	/* processes that are compared, of all files together */
#define PAIRS_MAX 16u		/* pairs of recordings that are looked at */
#define SAMPLES 8u		/* places at which events are read for a pair */
#define SAMPLE 4000u		/* events that are read there */
#define SEEN_NR 1024u		/* the last events, by their hash */
#define HASHED 256u		/* bytes of a payload that are compared */
#define DISTANCE_NS 1000000u	/* the two records of one event are not further apart */

struct member {	/* a process takes part in a recording */
	__u32 pid;
	__u32 host;
	__u32 trace;
	__u64 time;
};

struct seen {
	__u64 hash;
	__u64 time;
	size_t trace;
};

struct pair {
	__u32 trace[2];
	__u64 time;	/* from here on, both have the process */
};

struct pairs {
	struct pair pair[PAIRS_MAX];
	size_t nr;
};

/* By process, then recording, then time. */
static int compare_members(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->trace != y->trace)
		return x->trace < y->trace ? -1 : 1;
	return (x->time > y->time) - (x->time < y->time);
}

/* Keeps the first entry of each process in each recording. */
static size_t drop_repeated(struct member *members, size_t nr)
{
	const struct member *last;
	size_t i, kept = 0;

	for (i = 0; i < nr; i++) {
		last = kept ? &members[kept - 1] : NULL;
		if (!last || last->host != members[i].host || last->pid != members[i].pid ||
		    last->trace != members[i].trace)
			members[kept++] = members[i];
	}
	return kept;
}

/*
 * Returns processes of all recordings, sorted; NULL if there is no memory. Of very many those that
 * the files name first, which were there when the recordings began.
 */
static struct member *find_members(const struct ktrace_traceset *set, size_t *nr)
{
	struct member *members = NULL;
	const struct ktrace_trace_process *p;
	const struct ktrace_trace *t;
	size_t traces = 0, most, i, k, n = 0, cap = 0;
	__u32 host;

	while (ktrace_traceset_trace(set, traces))
		traces++;
	most = MEMBERS_MAX / (traces + 1) + 1;
	for (i = 0; (t = ktrace_traceset_trace(set, i)); i++) {
		host = (__u32)ktrace_traceset_host(set, i);
		for (k = 0; k < most && (p = ktrace_trace_process(t, k)); k++) {
			if (!LIST_GROW(members, n, cap))
				goto out_free;
			members[n++] = (struct member){
				.pid = p->pid, .host = host, .trace = (__u32)i,
				.time = ktrace_trace_time(t, p->raw),
			};
		}
	}
	if (n)
		qsort(members, n, sizeof(*members), compare_members);
	*nr = drop_repeated(members, n);
	return members;
out_free:
	free(members);
	return NULL;
}

static bool has_pair(const struct pairs *pairs, __u32 a, __u32 b)
{
	size_t i;

	for (i = 0; i < pairs->nr; i++)
		if (pairs->pair[i].trace[0] == a && pairs->pair[i].trace[1] == b)
			return true;
	return false;
}

/* Adds the pairs that member @at makes with the recordings before it that have its process, too. */
static void add_pairs(struct pairs *pairs, const struct member *members, size_t at)
{
	const struct member *m = &members[at], *other;

	while (at-- && pairs->nr < PAIRS_MAX) {
		other = &members[at];
		if (other->host != m->host || other->pid != m->pid)
			break;
		if (!has_pair(pairs, other->trace, m->trace))
			pairs->pair[pairs->nr++] = (struct pair){
				.trace = { other->trace, m->trace },
				.time = m->time > other->time ? m->time : other->time,
			};
	}
}

static __u64 hash_event(const struct ktrace_trace_event *e)
{
	const char *name = e->type->full_name;
	const __u64 hash = fnv(fnv(FNV_BASIS, &e->tid, sizeof(e->tid)), name, strlen(name));

	return fnv(hash, e->payload, e->len < HASHED ? e->len : HASHED);
}

/* True if one of @pair recorded just now what @e is in the other one. */
static bool is_second(const struct pair *pair, const struct ktrace_trace_event *e,
		      struct seen *seen)
{
	const size_t trace = ktrace_trace_index(e->stream->trace);
	struct seen *s;
	__u64 hash;
	bool is;

	if (!e->type || (trace != pair->trace[0] && trace != pair->trace[1]))
		return false;
	hash = hash_event(e);
	s = &seen[hash % SEEN_NR];
	is = s->hash == hash && s->trace != trace && e->time - s->time <= DISTANCE_NS;
	*s = (struct seen){ .hash = hash, .time = e->time, .trace = trace };
	return is;
}

/* Reads on from @time. True if an event, now in @e, is the second of two. */
static bool sample(struct ktrace_traceset *set, const struct pair *pair, __u64 time,
		   struct ktrace_trace_event *e)
{
	struct seen seen[SEEN_NR] = { { 0 } };
	unsigned int nr = 0;
	bool is = false;

	if (ktrace_traceset_seek(set, time))
		return false;
	while (!is && nr++ < SAMPLE && ktrace_traceset_next(set, e) == 1)
		is = is_second(pair, e, seen);
	return is;
}

/* Tells of an event that both recordings have, if one is found. */
static void complain_pair(struct ktrace_traceset *set, const struct pair *pair, __u64 end)
{
	const __u64 step = end > pair->time ? (end - pair->time) / SAMPLES + 1 : 1;
	const char *path[2];
	struct ktrace_trace_event e;
	unsigned int i = 0;

	while (i < SAMPLES && !sample(set, pair, pair->time + i * step, &e))
		i++;
	if (i == SAMPLES)
		return;
	for (i = 0; i < 2; i++)
		path[i] = ktrace_trace_path(ktrace_traceset_trace(set, pair->trace[i]));
	complain_about(path[1], "has events that %s has, too, such as %s of thread %u: they count "
		       "twice", path[0], e.type->full_name, e.tid);
}

void twice_complain(const struct ktrace_traceset *set)
{
	const struct ktrace_traceset_options opts = { .size = sizeof(opts) };
	struct ktrace_traceset *again = NULL;
	struct pairs pairs = { .nr = 0 };
	struct member *members = NULL;
	size_t nr = 0, i;
	__u64 start, end;

	if (ktrace_traceset_trace(set, 1) && !ktrace_traceset_trace(set, TRACES_MAX))
		members = find_members(set, &nr);
	for (i = 0; i < nr; i++)
		add_pairs(&pairs, members, i);
	free(members);
	if (pairs.nr && (ktrace_traceset_reopen(set, &opts, &again) ||
			 ktrace_traceset_correct_as(again, set) ||
			 ktrace_traceset_span(again, &start, &end)))
		pairs.nr = 0;
	for (i = 0; i < pairs.nr; i++)
		complain_pair(again, &pairs.pair[i], end);
	ktrace_traceset_close(again);
}
