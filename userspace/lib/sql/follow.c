// SPDX-License-Identifier: LGPL-2.1
/*
 * follow.c - states of threads, waits, wake-ups and system calls
 *
 * One event can end several states, each of which is a row: they wait in a queue, which is empty
 * before the next event is read.
 */
#include "follow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "interval.h"
#include "sql.h"

int ktrace_follow_begin(struct follow_cursor *c)
{
	int ret = ktrace_cell_init(&c->cell);

	ktrace_state_free(c->state);
	c->state = NULL;
	c->is_over = false;
	c->last = 0;
	c->error = 0;
	c->reader.from = 0;
	c->reader.to = ~0ull;
	if (!ret)
		ret = ktrace_reader_begin(&c->reader, c->base.table->sql, false);
	if (!ret)
		ret = ktrace_state_new(c->reader.set, &c->state);
	return ret ? ret : ktrace_state_watch(c->state, &c->watch);
}

int ktrace_follow_step(struct follow_cursor *c)
{
	const struct ktrace_trace_event *e;
	int ret;

	if (c->is_over)
		return 0;
	ret = ktrace_event_reader_next(&c->reader, &e);
	if (ret < 0)
		return ret;
	if (ret == 1) {
		c->last = e->time > c->last ? e->time : c->last;
		ret = c->take ? c->take(c, e) : 0;
		ret = ret ? ret : ktrace_state_update(c->state, e);
	} else {
		c->is_over = true;
		if (c->end)
			c->end(c);
		ktrace_state_flush(c->state, c->last);
	}
	ret = ret ? ret : c->error;
	return ret ? ret : 1;
}

int ktrace_follow_next(struct cursor *base)
{
	struct follow_cursor *c = (struct follow_cursor *)base;
	int ret;

	while (c->at == c->nr) {
		c->at = c->nr = 0;
		ret = ktrace_follow_step(c);
		if (ret != 1)
			return ret;
	}
	c->at++;
	return 1;
}

void ktrace_follow_end(struct follow_cursor *c)
{
	ktrace_state_free(c->state);
	free(c->cell.buf);
	ktrace_reader_end(&c->reader);
}

enum { STATE_STATUS = INTERVAL_COMMON, STATE_WAIT, STATE_MODE, STATE_WHAT };
enum { WAIT_WAIT = INTERVAL_COMMON, WAIT_WHAT, WAIT_WAKER, WAIT_WAKER_MODE };
enum { WAKE_WAKER = INTERVAL_COMMON, WAKE_WAKER_MODE };
enum { CALL_NAME = INTERVAL_COMMON, CALL_NUMBER, CALL_ABI, CALL_RET, CALL_ERROR };

/**
 * struct span - a row
 * @at:		columns of all intervals
 * @process:	the thread, at the end of the row
 * @level:	syscalls: the call
 * @value:	syscalls: what it returned
 */
struct span {
	struct interval at;
	struct ktrace_process process;
	struct ktrace_mode_level level;
	__s64 value;
};

/**
 * struct span_cursor - rows of intervals
 * @f:		common part
 * @spans:	queue
 * @cap:	room
 * @has_tid:	there are conditions on the thread
 */
struct span_cursor {
	struct follow_cursor f;
	struct span *spans;
	size_t cap;
	bool has_tid;
};

static const struct span *row_of(const struct span_cursor *c)
{
	return &c->spans[c->f.at - 1];
}

static const struct table_class state_class, wait_class, wake_class, call_class;

static bool is_table(const struct span_cursor *c, const struct table_class *class)
{
	return c->f.base.table->class == class;
}

/* Adds a row; returns NULL if it is not wanted or there is no memory. */
static struct span *add(struct span_cursor *c, const struct ktrace_process *p, __u64 from, __u64 to)
{
	struct span *s;

	if (c->has_tid && !ktrace_cursor_takes(&c->f.base, INTERVAL_TID, p->tid))
		return NULL;
	if (!LIST_GROW(c->spans, c->f.nr, c->cap)) {
		c->f.error = -ENOMEM;
		return NULL;
	}
	s = &c->spans[c->f.nr++];
	*s = (struct span){ .process = *p };
	s->at = (struct interval){ .from = from, .to = to, .tid = p->tid, .has_tid = true,
				   .machine = p->machine, .cpu = p->cpu };
	s->at.pid = ktrace_process_pid(c->f.state, p);
	ktrace_interval_name(&s->at, ktrace_process_name(c->f.state, p));
	return s;
}

/* A row of states, waits or wakeups: nothing of idle tasks, nor what is not known. */
static void on_span(void *arg, const struct ktrace_process *p, __u64 until)
{
	struct span_cursor *c = arg;

	if (!p->tid || p->since >= until || p->status == KTRACE_STATUS_UNNAMED ||
	    p->status == KTRACE_STATUS_DEAD)
		return;
	if (is_table(c, &wait_class) && p->status != KTRACE_STATUS_WAIT)
		return;
	if (is_table(c, &wake_class) && (p->status != KTRACE_STATUS_WAIT_CPU || !p->is_woken))
		return;
	add(c, p, p->since, until);
}

/* True for a call that the child of a fork inherited: it returns from it, too. */
static bool is_inherited(const struct ktrace_process *p, const struct ktrace_mode_level *level)
{
	return p->created && p->created == level->since;
}

static void add_call(struct span_cursor *c, const struct ktrace_process *p,
		     const struct ktrace_mode_level *level, __u64 until)
{
	struct span *s;

	if (level->mode != KTRACE_MODE_SYSCALL || !p->tid || is_inherited(p, level))
		return;
	s = add(c, p, level->since, until);
	if (s)
		s->level = *level;
}

static void on_left(void *arg, const struct ktrace_process *p,
		    const struct ktrace_mode_level *level, __u64 until, __s64 value)
{
	struct span_cursor *c = arg;
	const size_t nr = c->f.nr;

	add_call(c, p, level, until);
	if (c->f.nr > nr)
		c->spans[nr].value = value;
}

/* Adds the calls that have not returned. */
static void add_open_calls(struct follow_cursor *f)
{
	struct span_cursor *c = (struct span_cursor *)f;
	const struct ktrace_process *p;
	size_t i, first = c->f.nr;
	__u32 k;

	for (i = 0; (p = ktrace_state_process(c->f.state, i)); i++)
		for (k = 0; k < p->depth && p->status != KTRACE_STATUS_DEAD; k++)
			add_call(c, p, &p->stack[k], c->f.last);
	for (; first < c->f.nr; first++)
		c->spans[first].at.is_open = true;
}

static int filter(struct cursor *base)
{
	struct span_cursor *c = (struct span_cursor *)base;

	c->f.nr = c->f.at = 0;
	c->has_tid = ktrace_cursor_has(base, INTERVAL_TID);
	c->f.watch = (struct ktrace_state_watch){ .arg = c };
	if (is_table(c, &call_class)) {
		c->f.watch.left = on_left;
		c->f.end = add_open_calls;
	} else {
		c->f.watch.span = on_span;
	}
	return ktrace_follow_begin(&c->f);
}

static void close_spans(struct cursor *base)
{
	struct span_cursor *c = (struct span_cursor *)base;

	free(c->spans);
	ktrace_follow_end(&c->f);
}

static void common_column(struct span_cursor *c, sqlite3_context *to, int column)
{
	ktrace_result_interval(c->f.base.table->sql, &c->f.cell, to, &row_of(c)->at,
			       (enum interval_column)column);
}

/* The system call, interrupt or softirq of a mode, if it has one. */
static void result_sub(struct span_cursor *c, sqlite3_context *to,
		       const struct ktrace_mode_level *level)
{
	char text[KTRACE_MODE_SUB_SIZE];

	if (level->mode >= KTRACE_MODE_SYSCALL)
		ktrace_result_string(to, &c->f.cell,
				     ktrace_mode_sub_text(c->f.state, row_of(c)->process.machine,
							  level->mode, level->sub, text,
							  sizeof(text)));
}

static void result_waker(struct span_cursor *c, sqlite3_context *to, bool is_mode)
{
	const struct ktrace_process *p = &row_of(c)->process;

	if (!is_mode && p->waker)
		sqlite3_result_int64(to, p->waker);
	if (is_mode && p->waker_mode)
		ktrace_result_string(to, &c->f.cell, ktrace_mode_name(p->waker_mode));
}

static void state_column(struct cursor *base, sqlite3_context *to, int column)
{
	struct span_cursor *c = (struct span_cursor *)base;
	const struct ktrace_process *p = &row_of(c)->process;

	if (column < INTERVAL_COMMON)
		common_column(c, to, column);
	else if (column == STATE_STATUS)
		ktrace_result_string(to, &c->f.cell, ktrace_status_name(p->status));
	else if (column == STATE_MODE)
		ktrace_result_string(to, &c->f.cell,
				     ktrace_mode_name(ktrace_process_mode(p)->mode));
	else if (column == STATE_WHAT)
		result_sub(c, to, ktrace_process_mode(p));
	else if (p->status == KTRACE_STATUS_WAIT)
		ktrace_result_string(to, &c->f.cell, ktrace_wait_name(p->wait));
}

static void wait_column(struct cursor *base, sqlite3_context *to, int column)
{
	struct span_cursor *c = (struct span_cursor *)base;
	const struct ktrace_process *p = &row_of(c)->process;

	if (column < INTERVAL_COMMON)
		common_column(c, to, column);
	else if (column == WAIT_WAIT)
		ktrace_result_string(to, &c->f.cell, ktrace_wait_name(p->wait));
	else if (column == WAIT_WHAT)
		result_sub(c, to, ktrace_process_mode(p));
	else
		result_waker(c, to, column == WAIT_WAKER_MODE);
}

static void wake_column(struct cursor *base, sqlite3_context *to, int column)
{
	struct span_cursor *c = (struct span_cursor *)base;

	if (column < INTERVAL_COMMON)
		common_column(c, to, column);
	else
		result_waker(c, to, column == WAKE_WAKER_MODE);
}

#define ERRNO_MAX 4095

/* The name of the error that a call returned; one without a name restarts the call. */
static void result_errno(struct span_cursor *c, sqlite3_context *to, __s64 value)
{
	const char *name = value < 0 && value >= -ERRNO_MAX ? strerrorname_np((int)-value) : NULL;

	if (name)
		ktrace_result_string(to, &c->f.cell, name);
	else if (value < 0 && value >= -ERRNO_MAX)
		sqlite3_result_text(to, "restart", -1, SQLITE_STATIC);
}

static void call_column(struct cursor *base, sqlite3_context *to, int column)
{
	struct span_cursor *c = (struct span_cursor *)base;
	const struct span *s = row_of(c);
	struct ktrace_mode_syscall call;

	if (column < INTERVAL_COMMON) {
		common_column(c, to, column);
		return;
	}
	ktrace_mode_call(c->f.state, s->level.sub, &call);
	if (column == CALL_NAME)
		result_sub(c, to, &s->level);
	else if (column == CALL_NUMBER)
		sqlite3_result_int64(to, call.nr);
	else if (column == CALL_ABI)
		ktrace_result_string(to, &c->f.cell, ktrace_syscall_abi_name(call.abi));
	else if (column == CALL_RET && !s->at.is_open)
		sqlite3_result_int64(to, s->value);
	else if (column == CALL_ERROR && !s->at.is_open)
		result_errno(c, to, s->value);
}

#define SPAN_COLUMNS INTERVAL_COLUMNS("CPU where it runs, ran or will run, NULL = unknown")

static const struct column state_columns[] = {
	SPAN_COLUMNS,
	{ "status", "TEXT", "run, wait, wait-cpu, wait-fork, exit or zombie", 0 },
	{ "wait", "TEXT", "waiting: the reason", 0 },
	{ "mode", "TEXT", "unknown, user, syscall, trap, irq or softirq", 0 },
	{ "what", "TEXT", "system call, trap, interrupt or softirq", 0 },
};

static const struct column wait_columns[] = {
	SPAN_COLUMNS,
	{ "wait", "TEXT", "the reason", 0 },
	{ "what", "TEXT", "system call in which it waits", 0 },
	{ "waker_tid", "INTEGER", "thread that ended it; NULL = an interrupt, or unknown", 0 },
	{ "waker_mode", "TEXT", "irq or softirq if one of these did", 0 },
};

static const struct column wake_columns[] = {
	SPAN_COLUMNS,
	{ "waker_tid", "INTEGER", "thread that woke it; NULL = an interrupt, or unknown", 0 },
	{ "waker_mode", "TEXT", "irq or softirq if one of these woke it", 0 },
};

static const struct column call_columns[] = {
	SPAN_COLUMNS,
	{ "name", "TEXT", "name of the call, or its number; of another ABI \"i386:read\"", 0 },
	{ "number", "INTEGER", "number of the call", 0 },
	{ "abi", "TEXT", "native, i386 or x32", 0 },
	{ "ret", "INTEGER", "what it returned; NULL = it has not returned", 0 },
	{ "error", "TEXT", "name of the error it returned: ENOENT; restart = the kernel repeats it",
	  0 },
};

#define SPAN_CLASS(thing) { \
	.cursor_size = sizeof(struct span_cursor), .cost = COST_ALL, .time = -1, .ns = -1, \
	.filter = filter, .next = ktrace_follow_next, \
	.column = thing##_column, .close = close_spans }
#define COLUMNS(list) .columns = list, .nr = sizeof(list) / sizeof((list)[0])

static const struct table_class state_class = SPAN_CLASS(state);
static const struct table_class wait_class = SPAN_CLASS(wait);
static const struct table_class wake_class = SPAN_CLASS(wake);
static const struct table_class call_class = SPAN_CLASS(call);

const struct table ktrace_follow_tables[] = {
	{ .class = &state_class, .name = "states",
	  .doc = "what a thread did from one change to the next, in order of the end; needs "
	  "sched:*",
	  COLUMNS(state_columns) },
	{ .class = &wait_class, .name = "waits",
	  .doc = "a thread waited for something other than a CPU; needs sched:*",
	  COLUMNS(wait_columns) },
	{ .class = &wake_class, .name = "wakeups",
	  .doc = "a thread from being woken until it ran; needs sched:*", COLUMNS(wake_columns) },
	{ .class = &call_class, .name = "syscalls",
	  .doc = "a system call, enter and exit joined; those that have not returned are last; "
	  "needs syscall:*", COLUMNS(call_columns) },
	{ .name = NULL },
};
