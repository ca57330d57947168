// SPDX-License-Identifier: GPL-2.0
/*
 * parallel_format.c - formats lines of events, on two cores if there are many
 *
 * Most of the time of a listing goes into formatting its lines. The main thread reads events and
 * collects them on sheets, with everything needed to print them: the payload, and the name that the
 * thread had when the event was read. A helper formats full sheets; the main thread does so, too,
 * when all sheets are full, and it alone writes them out, in order. So the output is the same as
 * from one thread that prints line by line, which is how it begins: the helper starts only after
 * the first thousands of lines, see KTRACE_CORES.
 *
 *          main: filled         any: takes it        done             main: written
 *   FREE ---------------> FULL --------------> BUSY ------> DONE -------------------> FREE
 *
 * A BUSY sheet belongs to the thread that took it, a FREE or DONE one to the main thread.
 */
#include "parallel_format.h"

#include "base/viewer.h"

#include <ktrace/context.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define SHEETS 6u
#define SHEET_LINES 512u
#define SHEET_BYTES (1u << 17)	/* payload of a sheet */
#define ALONE 8192u		/* lines before a helper pays off */

enum sheet_state { SHEET_FREE, SHEET_FULL, SHEET_BUSY, SHEET_DONE };

/**
 * struct sheet_line - an event to be printed
 * @event:	its payload is on the sheet, too
 * @pid:	its process, 0 = not known
 * @comm:	name of its thread, empty = not known
 * @names:	names of thread and objects at the time of reading
 */
struct sheet_line {
	struct ktrace_trace_event event;
	__u32 pid;
	char comm[COMM_MAX];
	struct line_names names;
};

/**
 * struct sheet - some lines
 * @state:	see above; under the lock
 * @nr:		number of lines
 * @used:	bytes used of @bytes
 * @before:	the line before the first one
 * @out:	their text
 * @lines:	events
 * @bytes:	payload of the events
 */
struct sheet {
	enum sheet_state state;
	__u32 nr;
	__u32 used;
	struct line_before before;
	struct ktrace_out out;
	struct sheet_line lines[SHEET_LINES];
	char bytes[SHEET_BYTES];
};

/**
 * struct parallel_format - a listing
 * @lines:	formatting state of the main thread
 * @helper_lines: formatting state of the helper
 * @alone:	lines until the helper is started
 * @is_helped:	the helper was started
 * @helper:	the thread
 * @before:	the last collected line
 * @first:	the next sheet to write
 * @nr:		sheets from @first on that are not free; the one after them is being filled
 * @sheets:	a ring of them
 * @lock:	protects the members below, and the states of sheets
 * @full:	signalled when a sheet is full
 * @done:	signalled when a busy sheet is done
 * @is_ending:	tells the helper to end
 */
struct parallel_format {
	struct lines *lines;
	struct lines helper_lines;
	__u64 alone;
	bool is_helped;
	pthread_t helper;
	struct line_before before;
	__u32 first;
	__u32 nr;
	struct sheet *sheets;
	pthread_mutex_t lock;
	pthread_cond_t full;
	pthread_cond_t done;
	bool is_ending;
};

struct parallel_format *parallel_format_new(struct lines *lines)
{
	enum ktrace_cores cores = cores_wanted();
	struct parallel_format *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->lines = lines;
	/* Lookups of symbols and code are not thread-safe. */
	if (lines->symbols || lines->has_stacks)
		cores = KTRACE_CORES_ONE;
	p->alone = cores == KTRACE_CORES_ONE ? ~0ull : cores == KTRACE_CORES_TWO ? 0 : ALONE;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->full, NULL);
	pthread_cond_init(&p->done, NULL);
	return p;
}

/* Formats a sheet. */
static void print_sheet(struct sheet *s, struct lines *lines)
{
	struct ktrace_out *out = lines->out;
	struct sheet_line *line;

	lines->out = &s->out;
	lines->before = s->before;
	for (line = s->lines; line < s->lines + s->nr; line++)
		line_put_named(lines, &line->event, line->pid, line->comm, &line->names);
	lines->out = out;
}

/* Takes the first full sheet; NULL: there is none. */
static struct sheet *take_full(struct parallel_format *p)
{
	struct sheet *s;
	__u32 i;

	for (i = 0; i < SHEETS; i++) {
		s = &p->sheets[(p->first + i) % SHEETS];
		if (s->state == SHEET_FULL) {
			s->state = SHEET_BUSY;
			return s;
		}
	}
	return NULL;
}

static void *help(void *arg)
{
	struct parallel_format *p = arg;
	struct sheet *s;

	pthread_mutex_lock(&p->lock);
	while (!p->is_ending) {
		s = take_full(p);
		if (!s) {
			pthread_cond_wait(&p->full, &p->lock);
			continue;
		}
		pthread_mutex_unlock(&p->lock);
		print_sheet(s, &p->helper_lines);
		pthread_mutex_lock(&p->lock);
		s->state = SHEET_DONE;
		pthread_cond_signal(&p->done);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* Writes a done sheet and makes it free. */
static void write_sheet(struct parallel_format *p, struct sheet *s)
{
	output_text(s->out.buf, s->out.len, s->out.error);
	s->out.len = 0;
	s->nr = s->used = 0;
	pthread_mutex_lock(&p->lock);
	s->state = SHEET_FREE;
	p->first = (p->first + 1) % SHEETS;
	pthread_mutex_unlock(&p->lock);
	p->nr--;
}

/* Takes one step towards writing the first sheet: writes it, formats a full one, or waits. */
static void work(struct parallel_format *p)
{
	struct sheet *first = &p->sheets[p->first], *s = NULL;
	bool is_done;

	pthread_mutex_lock(&p->lock);
	is_done = first->state == SHEET_DONE;
	if (!is_done)
		s = take_full(p);
	if (!is_done && !s)
		pthread_cond_wait(&p->done, &p->lock);
	pthread_mutex_unlock(&p->lock);
	if (is_done)
		write_sheet(p, first);
	if (!s)
		return;
	print_sheet(s, p->lines);
	pthread_mutex_lock(&p->lock);
	s->state = SHEET_DONE;
	pthread_mutex_unlock(&p->lock);
}

/* Returns the sheet being filled. */
static struct sheet *open_sheet(struct parallel_format *p)
{
	return &p->sheets[(p->first + p->nr) % SHEETS];
}

/* Passes the sheet being filled on for formatting; afterwards the next one is free. */
static void close_sheet(struct parallel_format *p)
{
	struct sheet *s = open_sheet(p);

	if (!s->nr)
		return;
	pthread_mutex_lock(&p->lock);
	s->state = SHEET_FULL;
	pthread_cond_signal(&p->full);
	pthread_mutex_unlock(&p->lock);
	p->nr++;
	while (p->nr == SHEETS)
		work(p);
}

static void write_all(struct parallel_format *p)
{
	close_sheet(p);
	while (p->nr)
		work(p);
}

static void collect(struct parallel_format *p, const struct ktrace_trace_event *e)
{
	const __u32 size = e->len + ktrace_event_context_size(e);
	struct sheet *s = open_sheet(p);
	struct sheet_line *line;
	const char *comm;

	if (s->nr == SHEET_LINES || SHEET_BYTES - s->used < size) {
		close_sheet(p);
		s = open_sheet(p);
	}
	if (!s->nr)
		s->before = p->before;
	line = &s->lines[s->nr++];
	line->event = *e;
	line->event.payload = memcpy(s->bytes + s->used, e->payload, size);
	s->used += size;
	comm = ktrace_trace_thread(e->stream->trace, e->tid, e->raw, &line->pid);
	strncpy(line->comm, comm ? comm : "", sizeof(line->comm) - 1);
	line->comm[sizeof(line->comm) - 1] = '\0';
	line_find_names(p->lines, e, &line->names);
	p->before = line_before(e);
}

static bool has_second_core(void)
{
	cpu_set_t cpus;

	return !sched_getaffinity(0, sizeof(cpus), &cpus) && CPU_COUNT(&cpus) > 1;
}

/* Starts the helper if that helps and succeeds; otherwise there will be none. */
static void start(struct parallel_format *p)
{
	sigset_t all, before;
	__u32 i;

	p->alone = ~0ull;
	if (cores_wanted() == KTRACE_CORES_AUTO && !has_second_core())
		return;
	p->sheets = calloc(SHEETS, sizeof(*p->sheets));
	if (!p->sheets)
		return;
	for (i = 0; i < SHEETS; i++)
		p->sheets[i].out.flush = output_grow;
	p->helper_lines = *p->lines;
	p->before = p->lines->before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	p->is_helped = !pthread_create(&p->helper, NULL, help, p);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void parallel_format_put(struct parallel_format *p, const struct ktrace_trace_event *e)
{
	if (!p->alone)
		start(p);
	if (!p->is_helped) {
		p->alone--;
		line_put(p->lines, e);
	} else if (e->len + ktrace_event_context_size(e) <= SHEET_BYTES) {
		collect(p, e);
	} else {
		write_all(p);
		p->lines->before = p->before;
		line_put(p->lines, e);
		p->before = line_before(e);
	}
}

void parallel_format_end(struct parallel_format *p)
{
	__u32 i;

	if (!p)
		return;
	if (p->is_helped) {
		write_all(p);
		pthread_mutex_lock(&p->lock);
		p->is_ending = true;
		pthread_cond_signal(&p->full);
		pthread_mutex_unlock(&p->lock);
		pthread_join(p->helper, NULL);
	}
	for (i = 0; p->sheets && i < SHEETS; i++)
		free(p->sheets[i].out.buf);
	free(p->sheets);
	free(p);
}
