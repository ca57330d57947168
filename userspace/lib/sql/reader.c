// SPDX-License-Identifier: LGPL-2.1
/*
 * reader.c - the events of a cursor
 *
 * The files are opened again, so cursors do not disturb each other. What opening reports was
 * reported for the traceset itself; damage that reading finds is reported once, whichever cursor
 * meets it.
 */
#include "reader.h"

#include <errno.h>
#include <string.h>

#include "base/fnv.h"
#include "base/grow.h"
#include "base/lost.h"
#include "sql.h"

#define SEEN_MAX 1024u

/* Identifies a damage: place, file, what. */
static __u64 key_of(const struct ktrace_damage *d)
{
	const __u64 key = fnv(FNV_BASIS, &d->offset, sizeof(d->offset));

	return fnv(fnv(key, d->path, strlen(d->path)), d->message, strlen(d->message));
}

static bool is_new(struct ktrace_sql *sql, const struct ktrace_damage *d)
{
	const __u64 key = key_of(d);
	size_t i;

	for (i = 0; i < sql->seen_nr; i++)
		if (sql->seen[i] == key)
			return false;
	if (sql->seen_nr < SEEN_MAX && LIST_RESIZE(sql->seen, sql->seen_nr + 1))
		sql->seen[sql->seen_nr++] = key;
	return true;
}

static void on_damage(void *arg, const struct ktrace_damage *d)
{
	struct event_reader *r = arg;

	if (!r->set || !is_new(r->sql, d))
		return;
	r->sql->stats.damaged++;
	if (r->sql->opts.report)
		r->sql->opts.report(r->sql->opts.arg, d);
}

static int open_again(struct event_reader *r)
{
	const struct ktrace_traceset_options opts = {
		.size = sizeof(opts), .report = on_damage, .arg = r, .cores = r->sql->opts.cores,
	};
	struct ktrace_traceset *set;
	int ret = ktrace_traceset_reopen(r->sql->set, &opts, &set);

	if (ret)
		return ret;
	ret = ktrace_traceset_correct_as(set, r->sql->set);
	if (ret)
		ktrace_traceset_close(set);
	else
		r->set = set;
	return ret;
}

/* Adds what was met to the statement's: of several cursors the one that met most counts. */
static void add_up(struct event_reader *r)
{
	struct ktrace_sql_stats *all = &r->sql->stats;
	struct ktrace_traceset_stats stats;

	if (lost_total(r->lost) > lost_total(all->lost))
		memcpy(all->lost, r->lost, sizeof(all->lost));
	ktrace_traceset_stats(r->set, &stats);
	if (stats.backwards - r->backwards > all->backwards)
		all->backwards = stats.backwards - r->backwards;
	r->backwards = stats.backwards;
	memset(r->lost, 0, sizeof(r->lost));
}

int ktrace_reader_begin(struct event_reader *r, struct ktrace_sql *sql, bool seeks)
{
	int ret;

	r->sql = sql;
	r->nr = r->at = 0;
	if (r->set)
		add_up(r);
	ret = r->set ? 0 : open_again(r);
	if (!ret)
		ret = ktrace_traceset_seek(r->set, seeks ? r->from : 0);
	return ret;
}

static void add_lost(struct event_reader *r, const struct ktrace_trace_event *e)
{
	struct ktrace_values it;
	struct ktrace_value reason, count;
	__u64 *sum;

	if (e->time < r->from || e->time > r->to)
		return;
	ktrace_values_init(&it, e->type, e->payload, e->len);
	if (!ktrace_values_next(&it, &reason) || !ktrace_values_next(&it, &count))
		return;
	sum = &r->lost[(__u32)ktrace_value_s64(&reason, 0) % KTRACE_LOST_NR];
	*sum = lost_sum(*sum, (__u64)ktrace_value_s64(&count, 0));
}

int ktrace_reader_fill(struct event_reader *r)
{
	const struct ktrace_sql_options *o = &r->sql->opts;
	const __u64 end = r->to < r->sql->end ? r->to : r->sql->end;
	int i;

	r->at = 0;
	r->nr = 0;
	if (ktrace_sql_is_over(r->sql))
		return -ETIME;
	r->nr = ktrace_traceset_read(r->set, r->events, READER_NR);
	if (r->nr <= 0)
		return r->nr;
	if (o->progress)
		o->progress(o->arg, r->from > r->sql->start ? r->from : r->sql->start, end,
			    r->events[0].time, (__u64)r->nr);
	for (i = 0; i < r->nr; i++)
		if (r->events[i].id == KTRACE_ID_LOST)
			add_lost(r, &r->events[i]);
	return 1;
}

void ktrace_reader_end(struct event_reader *r)
{
	if (!r->set)
		return;
	add_up(r);
	ktrace_traceset_close(r->set);
	r->set = NULL;
}
