// SPDX-License-Identifier: LGPL-2.1
/*
 * threads.c - the table of threads
 *
 * All events are read before the first row. A thread is a serial number of the state, so numbers
 * that are used again are different threads.
 */
#include "follow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/search.h"
#include "sql.h"

/**
 * struct thread - a row
 * @serial:	its number in the state
 * @last:	what was known about it last
 * @pid:	its process, 0 = unknown
 * @comm:	its name, empty = unknown
 * @end:	when it ended, 0 = it has not, or it is not known
 * @run_ns:	time on a CPU
 * @wait_ns:	time waiting for something else than a CPU
 * @wait_cpu_ns: time waiting for a CPU
 */
struct thread {
	__u64 serial;
	struct ktrace_process last;
	__u32 pid;
	char comm[16];
	__u64 end;
	__u64 run_ns;
	__u64 wait_ns;
	__u64 wait_cpu_ns;
};

/**
 * struct thread_cursor - rows
 * @f:		common part
 * @threads:	in order of the serial
 * @nr:		their number
 * @cap:	room
 * @at:		number of the next row
 * @is_read:	all events were read
 */
struct thread_cursor {
	struct follow_cursor f;
	struct thread *threads;
	size_t nr;
	size_t cap;
	size_t at;
	bool is_read;
};

/* Serials ascend, but a thread may be reported after younger ones. */
static struct thread *get(struct thread_cursor *c, __u64 serial)
{
	const size_t i = PARTITION_POINT(c->nr, k, c->threads[k].serial < serial);

	if (i < c->nr && c->threads[i].serial == serial)
		return &c->threads[i];
	if (!LIST_GROW(c->threads, c->nr, c->cap)) {
		c->f.error = -ENOMEM;
		return NULL;
	}
	memmove(&c->threads[i + 1], &c->threads[i], (c->nr - i) * sizeof(*c->threads));
	c->threads[i] = (struct thread){ .serial = serial };
	c->nr++;
	return &c->threads[i];
}

static void add_time(struct thread *t, const struct ktrace_process *p, __u64 until)
{
	const __u64 ns = until > p->since ? until - p->since : 0;

	if (p->status == KTRACE_STATUS_RUN || p->status == KTRACE_STATUS_EXIT)
		t->run_ns += ns;
	else if (p->status == KTRACE_STATUS_WAIT)
		t->wait_ns += ns;
	else if (p->status == KTRACE_STATUS_WAIT_CPU)
		t->wait_cpu_ns += ns;
}

static void on_span(void *arg, const struct ktrace_process *p, __u64 until)
{
	struct thread_cursor *c = arg;
	struct thread *t = p->tid ? get(c, p->serial) : NULL;
	const char *name;

	if (!t)
		return;
	add_time(t, p, until);
	t->last = *p;
	/* From here on it does nothing: the state's next report is of a zombie, or dead. */
	if (p->status == KTRACE_STATUS_EXIT)
		t->end = until;
	t->pid = ktrace_process_pid(c->f.state, p);
	name = ktrace_process_name(c->f.state, p);
	if (name)
		strncpy(t->comm, name, sizeof(t->comm) - 1);
}

static int filter(struct cursor *base)
{
	struct thread_cursor *c = (struct thread_cursor *)base;
	size_t i;
	int ret;

	/* In a join, once is enough. */
	c->at = 0;
	if (c->is_read)
		return 0;
	c->nr = 0;
	c->f.watch = (struct ktrace_state_watch){ .span = on_span, .arg = c };
	ret = ktrace_follow_begin(&c->f);
	if (ret)
		return ret;
	while ((ret = ktrace_follow_step(&c->f)) == 1)
		;
	/* At the end of the files it has not ended yet. */
	for (i = 0; i < c->nr; i++)
		if (c->threads[i].last.status == KTRACE_STATUS_EXIT)
			c->threads[i].end = 0;
	c->is_read = !ret;
	return ret;
}

enum { THREAD_TID, THREAD_PID, THREAD_PPID, THREAD_COMM, THREAD_HOST, THREAD_MACHINE,
       THREAD_CREATED, THREAD_SEEN, THREAD_END, THREAD_STATUS, THREAD_RUN, THREAD_WAIT,
       THREAD_WAIT_CPU };

static int next(struct cursor *base)
{
	struct thread_cursor *c = (struct thread_cursor *)base;

	while (c->at < c->nr)
		if (ktrace_cursor_takes(base, THREAD_TID, c->threads[c->at++].last.tid))
			return 1;
	return 0;
}

static void close_threads(struct cursor *base)
{
	struct thread_cursor *c = (struct thread_cursor *)base;

	free(c->threads);
	ktrace_follow_end(&c->f);
}

static const struct column columns[] = {
	{ "tid", "INTEGER", "the thread", PUSH_NUMBER },
	{ "pid", "INTEGER", "its process, NULL = unknown", 0 },
	{ "ppid", "INTEGER", "process that created it, NULL = unknown", 0 },
	{ "comm", "TEXT", "its last name, NULL = unknown", 0 },
	{ "host", "TEXT", "name of the host, NULL = not in the file", 0 },
	{ "machine", "INTEGER", "number of the first trace of the same boot", 0 },
	{ "created", "INTEGER", "when it began, ns since 1970; NULL = before, or unknown", 0 },
	{ "seen", "INTEGER", "time of the first event about it", 0 },
	{ "ended", "INTEGER", "when it ended; NULL = it has not, or unknown", 0 },
	{ "status", "TEXT", "its last status, as in states; unnamed = unknown", 0 },
	{ "run_ns", "INTEGER", "time on a CPU", 0 },
	{ "wait_ns", "INTEGER", "time waiting for something other than a CPU", 0 },
	{ "wait_cpu_ns", "INTEGER", "time waiting for a CPU", 0 },
};

static void result_known(sqlite3_context *to, __u64 value)
{
	if (value)
		ktrace_result_time(to, value);
}

static void column(struct cursor *base, sqlite3_context *to, int i)
{
	struct thread_cursor *c = (struct thread_cursor *)base;
	const struct thread *t = &c->threads[c->at - 1];
	const __u64 known[] = {
		[THREAD_PID] = t->pid, [THREAD_PPID] = t->last.ppid,
		[THREAD_CREATED] = t->last.created, [THREAD_SEEN] = t->last.inserted,
		[THREAD_END] = t->end,
	};

	switch (i) {
	case THREAD_TID:
		sqlite3_result_int64(to, t->last.tid);
		break;
	case THREAD_COMM:
		ktrace_result_string(to, &c->f.cell, t->comm[0] ? t->comm : NULL);
		break;
	case THREAD_HOST:
		ktrace_result_string(to, &c->f.cell,
				     base->table->sql->hosts[t->last.machine].name);
		break;
	case THREAD_MACHINE:
		sqlite3_result_int64(to, t->last.machine);
		break;
	case THREAD_STATUS:
		ktrace_result_string(to, &c->f.cell, ktrace_status_name(t->last.status));
		break;
	case THREAD_RUN:
		ktrace_result_time(to, t->run_ns);
		break;
	case THREAD_WAIT:
		ktrace_result_time(to, t->wait_ns);
		break;
	case THREAD_WAIT_CPU:
		ktrace_result_time(to, t->wait_cpu_ns);
		break;
	default:
		result_known(to, known[i]);
	}
}

static const struct table_class thread_class = {
	.cursor_size = sizeof(struct thread_cursor), .cost = COST_ALL, .time = -1, .ns = -1,
	.filter = filter, .next = next, .column = column, .close = close_threads,
};

const struct table ktrace_thread_tables[] = {
	{ .class = &thread_class, .name = "threads",
	  .doc = "a thread that an event was about; its times need sched:*", .columns = columns,
	  .nr = sizeof(columns) / sizeof(columns[0]) },
	{ .name = NULL },
};
