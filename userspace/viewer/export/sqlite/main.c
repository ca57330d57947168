// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - ktrace export --to sqlite: writes events, threads and states to a database
 *
 * A separate program, so that ktrace starts without loading SQLite. Inserts everything in one
 * transaction into a file that has no name yet, and creates indexes at the end.
 */
#include "sqlite.h"

#include "base/progress.h"
#include "events/context.h"
#include "events/line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Approximate bytes of an event in the file besides its payload, including indexes */
#define ROW_SIZE 256u

/* Returns the id of a thread under one name, inserted if new; -ENOMEM or -errno. */
static __s64 find_thread(struct db *d, const struct thread_key *key)
{
	const size_t nr = d->threads.nr;
	const char *row = hash_table_get(&d->threads, key);
	sqlite3_int64 id;

	if (!row)
		return d->error = -ENOMEM;
	id = (row - d->threads.at) / (__s64)d->threads.size + 1;
	if (d->threads.nr == nr)
		return id;
	sqlite3_bind_int64(d->thread, 1, id);
	sqlite3_bind_int64(d->thread, 2, key->machine);
	sqlite3_bind_int64(d->thread, 3, key->tid);
	if (key->pid || !key->tid)
		sqlite3_bind_int64(d->thread, 4, key->pid);
	if (key->comm[0]) {
		ktrace_out_utf8(&d->cell, key->comm, strnlen(key->comm, sizeof(key->comm)));
		db_bind_cell(d, d->thread, 5);
	}
	return db_step(d, d->thread) ? d->error : id;
}

static __s64 thread_of_event(struct db *d, const struct ktrace_trace_event *e,
			     const struct line_thread *thread)
{
	struct thread_key key = {
		.machine = ktrace_state_machine(d->states, e->stream->trace), .tid = e->tid,
		.pid = thread->pid,
	};

	strncpy(key.comm, thread->comm, sizeof(key.comm) - 1);
	return find_thread(d, &key);
}

static __s64 stream_of(const struct db *d, const struct ktrace_trace_stream *s)
{
	const char *row = hash_table_find(&d->streams, &s);

	return row ? (row - d->streams.at) / (__s64)d->streams.size + 1 : 0;
}

static void bind_rest(struct db *d, const struct ktrace_trace_event *e)
{
	line_put_flags(&d->cell, e->flags);
	if (d->cell.len)
		db_bind_cell(d, d->event, 6);
	if (e->flags & KTRACE_EVENT_CONTEXT) {
		context_put_json(&d->cell, e);
		db_bind_cell(d, d->event, 7);
	}
	if (!line_has_fields(e)) {
		line_put_bytes(&d->cell, e);
		db_bind_cell(d, d->event, 8);
	}
}

/* Return: 0, -errno. */
static int put_event(struct db *d, const struct ktrace_trace_event *e)
{
	struct line_thread thread = { .comm = NULL };
	const __s64 id = (__s64)++d->events, type = types_find(d, e);
	const int ret = output_room(STDOUT_FILENO, ROW_SIZE + e->len);
	const __u64 start = d->x->scope.start;
	__s64 thread_id = 0;

	if (ret)
		return ret;
	if (line_find_thread(e, &thread))
		thread_id = thread_of_event(d, e, &thread);
	if (type < 0 || thread_id < 0)
		return d->error;
	sqlite3_bind_int64(d->event, 1, id);
	sqlite3_bind_int64(d->event, 2, (sqlite3_int64)(e->time > start ? e->time - start : 0));
	sqlite3_bind_int64(d->event, 3, stream_of(d, e->stream));
	if (thread_id)
		sqlite3_bind_int64(d->event, 4, thread_id);
	sqlite3_bind_int64(d->event, 5, type);
	bind_rest(d, e);
	return db_step(d, d->event) ? d->error : types_insert(d, type, id, e);
}

static bool is_wanted(const struct db *d, const struct ktrace_process *p)
{
	const struct event_select *s = &d->x->scope.select;

	if (p->status == KTRACE_STATUS_UNNAMED || p->status == KTRACE_STATUS_DEAD)
		return false;
	return s->pid_nr ? event_select_thread(s, p->tid, ktrace_process_pid(d->states, p)) :
		p->tid != 0;
}

static __s64 thread_of_state(struct db *d, const struct ktrace_process *p)
{
	const char *name = ktrace_process_name(d->states, p);
	struct thread_key key = {
		.machine = p->machine, .tid = p->tid, .pid = ktrace_process_pid(d->states, p),
	};

	strncpy(key.comm, name ? name : "", sizeof(key.comm) - 1);
	return find_thread(d, &key);
}

/* Names of modes are static; that of an interrupt needs a buffer. */
static void bind_mode(struct db *d, const struct ktrace_process *p)
{
	const struct ktrace_mode_level *level = ktrace_process_mode(p);
	char what[KTRACE_MODE_SUB_SIZE];

	sqlite3_bind_text(d->state, 6, ktrace_mode_name(level->mode), -1, SQLITE_STATIC);
	if (level->mode >= KTRACE_MODE_SYSCALL) {
		ktrace_mode_sub_text(d->states, p->machine, level->mode, level->sub, what,
				     sizeof(what));
		ktrace_out_utf8(&d->cell, what, strlen(what));
	}
	if (d->cell.len)
		db_bind_cell(d, d->state, 7);
}

static void on_span(void *arg, const struct ktrace_process *p, __u64 until)
{
	struct db *d = arg;
	const struct time_range *s = &d->x->scope;
	const __u64 from = p->since > s->from ? p->since : s->from;
	__s64 thread;

	until = until < s->to ? until : s->to;
	if (d->error || from >= until || !is_wanted(d, p))
		return;
	thread = thread_of_state(d, p);
	if (thread < 0)
		return;
	sqlite3_bind_int64(d->state, 1, thread);
	sqlite3_bind_int64(d->state, 2, (sqlite3_int64)(from - s->start));
	sqlite3_bind_int64(d->state, 3, (sqlite3_int64)(until - s->start));
	sqlite3_bind_text(d->state, 4, ktrace_status_name(p->status), -1, SQLITE_STATIC);
	if (p->status == KTRACE_STATUS_WAIT)
		sqlite3_bind_text(d->state, 5, ktrace_wait_name(p->wait), -1, SQLITE_STATIC);
	bind_mode(d, p);
	if (p->cpu >= 0)
		sqlite3_bind_int(d->state, 8, p->cpu);
	db_step(d, d->state);
}

static int take(void *arg, const struct ktrace_trace_event *e)
{
	struct db *d = arg;
	int ret = ktrace_state_update(d->states, e);

	d->to = e->time > d->to ? e->time : d->to;
	return ret ? ret : d->error;
}

static int put_events(struct db *d)
{
	const struct ktrace_state_watch watch = { .span = on_span, .arg = d };
	struct time_range *s = &d->x->scope;
	const struct ktrace_trace_event *e;
	int ret = ktrace_state_watch(d->states, &watch);

	s->watch = take;
	s->watcher = d;
	s->keeps_losses = true;
	if (!ret)
		ret = time_range_begin(s, d->x->set);
	while (!ret && (ret = time_range_next(s, &e)) > 0)
		ret = put_event(d, e);
	progress_end();
	if (!ret)
		ktrace_state_flush(d->states, s->until.is_set && s->to <= s->end ? s->to : d->to);
	return ret ? ret : d->error;
}

static void free_db(struct db *d)
{
	types_free(d);
	sqlite3_finalize(d->event);
	sqlite3_finalize(d->thread);
	sqlite3_finalize(d->state);
	sqlite3_finalize(d->type);
	sqlite3_close(d->db);
	ktrace_state_free(d->states);
	hash_table_free(&d->threads);
	hash_table_free(&d->streams);
	free(d->cell.buf);
}

static int write_sqlite(struct export *x)
{
	struct db d = {
		.x = x, .cell = { .flush = output_grow },
		.threads = { .size = sizeof(struct thread_key), .key = sizeof(struct thread_key) },
		.streams = { .size = sizeof(void *), .key = sizeof(void *) },
	};
	const char *path = output_path();
	int ret = output_grow(&d.cell);

	if (!path)
		fprintf(stderr, "ktrace: a database needs -o FILE\n");
	if (!ret && !path)
		ret = EXPORT_SAID;
	types_init(&d);
	if (!ret)
		ret = ktrace_state_new(x->set, &d.states);
	if (!ret)
		ret = db_check(&d, sqlite3_open(path, &d.db));
	if (!ret)
		ret = schema_begin(&d);
	if (!ret)
		ret = put_events(&d);
	if (!ret)
		ret = schema_end(&d);
	free_db(&d);
	return ret;
}

static const struct export_format format = {
	.name = "sqlite",
	.write = write_sqlite,
};

static int run(int argc, char **argv)
{
	return export_main(&format, argc, argv);
}

int main(int argc, char **argv)
{
	return command_main(run, argc, argv);
}
