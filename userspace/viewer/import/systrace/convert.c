// SPDX-License-Identifier: GPL-2.0
/* convert.c - converts text of the kernel's trace line by line */
#include "systrace.h"

#include "base/progress.h"
#include "base/viewer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LINE_SIZE_MAX (1u << 20)

void systrace_init(struct systrace *s, struct event_builder *b, struct foreign_threads *threads)
{
	*s = (struct systrace){
		.b = b, .threads = threads, .tasks = HASH_TABLE_INIT(struct task, tid),
		.copy.flush = output_grow, .whole.flush = output_grow, .name.flush = output_grow,
		.stack.flush = output_grow,
	};
	asyncs_init(&s->asyncs);
}

void systrace_free(struct systrace *s)
{
	asyncs_free(&s->asyncs);
	hash_table_free_with(&s->tasks, offsetof(struct task, slices.open));
	free(s->copy.buf);
	free(s->whole.buf);
	free(s->name.buf);
	free(s->stack.buf);
}

/*
 * Skips "NAME: " at the beginning of a line, which trace-cmd report writes for files and instances
 * if there are several.
 */
static const char *skip_source(struct systrace *s, const char *line, const char *end)
{
	const char *at = line;

	s->source = NULL;
	while (at < end && *at == ' ')
		at++;
	for (__u32 i = 0; i < s->source_nr; i++) {
		const size_t n = s->sources[i].size;

		if ((size_t)(end - at) <= n || memcmp(at, s->sources[i].name, n) || at[n] != ' ')
			continue;
		s->source = &s->sources[i];
		return at + n;
	}
	return line;
}

/* Passes each line to @take. Return: 0, -errno. */
static int each_line(struct systrace *s, const char *text, size_t size,
		     int (*take)(struct systrace *s, const struct line *l))
{
	const char *end = text + size, *next;
	struct line l;
	int ret = 0;

	s->nr = 0;
	for (const char *at = text; at < end && !ret; at = next + 1) {
		next = memchr(at, '\n', (size_t)(end - at));
		if (!next)
			next = end;
		s->nr++;
		progress_at((__u64)(at - text));
		at = skip_source(s, at, next);
		line_parse(at, (size_t)(next - at), &l);
		l.ns += s->shift;
		if (next - at > LINE_SIZE_MAX)
			l.kind = LINE_OTHER;
		ret = take(s, &l);
	}
	return ret;
}

/* Reads the number after @key in a line. */
static bool number_after(const struct line *l, const char *key, double *out)
{
	const char *at = memmem(l->text, l->size, key, strlen(key));
	char text[32] = "";
	size_t n;

	if (!at)
		return false;
	at += strlen(key);
	n = (size_t)(l->text + l->size - at);
	memcpy(text, at, n < sizeof(text) ? n : sizeof(text) - 1);
	*out = strtod(text, NULL);
	return *out > 0 && *out < 1e15;
}

/* "trace_event_clock_sync: realtime_ts=1700000000123", in ms, at the event's time */
static void learn_clock(struct systrace *s, const struct line *l)
{
	double ms;

	if (number_after(l, "realtime_ts=", &ms) && (__u64)ms * 1000000 > l->ns)
		s->real_ns = (__u64)ms * 1000000 - l->ns;
}

/* "entries-in-buffer/entries-written: 205/20500": the rest was overwritten. */
static void learn_overrun(struct systrace *s, const struct line *l)
{
	double kept, written;

	if (number_after(l, "entries-in-buffer/entries-written: ", &kept) &&
	    number_after(l, "/entries-written: ", &written)) {
		const char *slash = memrchr(l->text, '/', l->size);
		char text[32] = "";
		size_t n = (size_t)(l->text + l->size - slash - 1);

		memcpy(text, slash + 1, n < sizeof(text) ? n : sizeof(text) - 1);
		written = strtod(text, NULL);
		if (written > kept && written < 1e15)
			s->overrun = (__u64)(written - kept);
	}
}

/* Learns the name of a thread from the switch to it, in case its own lines lack it. */
static int learn_next(struct systrace *s, const struct line *l)
{
	const char *comm = memmem(l->text, l->size, "next_comm=", 10), *pid;
	const char *end = l->text + l->size;
	struct line next = { 0 };
	struct task *task;

	if (!comm)
		return 0;
	comm += 10;
	pid = memmem(comm, (size_t)(end - comm), " next_pid=", 10);
	if (!pid)
		return 0;
	for (const char *at = pid + 10; at < end && *at >= '0' && *at <= '9' &&
	     next.tid < 400000000;)
		next.tid = next.tid * 10 + (__u32)(*at++ - '0');
	task = hash_table_get(&s->tasks, &next.tid);
	if (!task)
		return -ENOMEM;
	next.comm = comm;
	next.comm_size = (size_t)(pid - comm);
	return !*task->comm && !systrace_task(s, &next) ? -ENOMEM : 0;
}

/* "NAME: cpus=4": trace-cmd report has this name in front of the lines of a file or instance. */
static void learn_source(struct systrace *s, const struct line *l)
{
	const char *cpus = memmem(l->text, l->size, "cpus=", 5);
	size_t n = cpus ? (size_t)(cpus - l->text) : 0;

	if (cpus == l->text)
		s->has_top = true;
	while (n && l->text[n - 1] == ' ')
		n--;
	if (s->source || n < 2 || n > sizeof(s->sources->name) || l->text[n - 1] != ':' ||
	    s->source_nr == SYSTRACE_SOURCES)
		return;
	s->sources[s->source_nr].size = n;
	memcpy(s->sources[s->source_nr++].name, l->text, n);
}

static int learn_line(struct systrace *s, const struct line *l)
{
	if (l->kind == LINE_HEADER)
		learn_overrun(s, l);
	if (l->kind == LINE_OTHER)
		learn_source(s, l);
	if (l->kind != LINE_EVENT)
		return 0;
	if (!s->has_time || l->ns < s->first_ns)
		s->first_ns = l->ns;
	s->has_time = true;
	if (memmem(l->text, l->size, "clock_sync", 10))
		learn_clock(s, l);
	return systrace_task(s, l) ? learn_next(s, l) : -ENOMEM;
}

int systrace_learn(struct systrace *s, const char *text, size_t size)
{
	return each_line(s, text, size, learn_line);
}

bool systrace_is_mixed(const struct systrace *s, const char *path)
{
	if (s->has_top || s->source_nr < 2)
		return false;
	complain_about(path, "has lines of several files, such as %.*s and %.*s, which may be of "
		       "several machines: import the files, or a text of each",
		       (int)s->sources[0].size - 1, s->sources[0].name,
		       (int)s->sources[1].size - 1, s->sources[1].name);
	return true;
}

/* Writes the stack that has been read. */
static int put_stack(struct systrace *s)
{
	if (!s->has_stack)
		return 0;
	s->has_stack = false;
	builder_begin_event(s->b, "ftrace", "kernel_stack");
	builder_text(s->b, "callchain", s->stack.buf, s->stack.len);
	return systrace_put(s, KTRACE_CHANNEL_KERNEL, &s->at);
}

static bool begins(const struct line *l, const char *with)
{
	return l->size >= strlen(with) && !memcmp(l->text, with, strlen(with));
}

static int take_event(struct systrace *s, const struct line *l)
{
	if (l->ns < s->ns)
		s->back_at = s->backwards++ ? s->back_at : s->nr;
	s->ns = l->ns;
	s->integers += l->is_integer;
	if (begins(l, "<stack trace") || begins(l, "kernel_stack:") || begins(l, "<user stack")) {
		s->has_stack = true;
		s->stack.len = 0;
		s->at = *l;
		return 0;
	}
	return systrace_event(s, l);
}

static void take_frame(struct systrace *s, const struct line *l)
{
	if (!s->has_stack) {
		s->other_at = s->other++ ? s->other_at : s->nr;
		return;
	}
	if (s->stack.len)
		ktrace_out_char(&s->stack, ';');
	ktrace_out_bytes(&s->stack, l->text, l->size);
}

/* Writes a line of function_graph as text, at the time of the last event if it has none. */
static int put_graph(struct systrace *s, const struct line *l)
{
	struct line at = *l;

	if (!l->has_time) {
		s->graph++;
		at.ns = s->ns;
	}
	s->ns = at.ns;
	builder_begin_event(s->b, "ftrace", "function_graph");
	builder_text(s->b, "text", l->text, strnlen(l->text, l->size));
	if (l->comm)
		return systrace_put(s, KTRACE_CHANNEL_KERNEL, &at);
	at.tid = IMPORT_WRITER_TID_UNKNOWN;
	return builder_put(s->b, KTRACE_CHANNEL_KERNEL, (struct spooled){
		.ts = at.ns, .cpu = l->cpu, .tid = at.tid });
}

static bool is_known_other(const struct line *l)
{
	static const char *const known[] = {
		"cpus=", "version = ", "TRACE:", "capturing trace", "Trace:", "CPU ", "----",
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (begins(l, known[i]))
			return true;
	return false;
}

static int convert_line(struct systrace *s, const struct line *l)
{
	int ret = l->kind != LINE_STACK ? put_stack(s) : 0;

	if (ret)
		return ret;
	switch (l->kind) {
	case LINE_EVENT:
		return take_event(s, l);
	case LINE_LOSS:
		return builder_lost(s->b, l->cpu, s->ns, KTRACE_LOST_OVERWRITTEN,
				    l->lost ? l->lost : 1);
	case LINE_STACK:
		take_frame(s, l);
		return 0;
	case LINE_GRAPH:
		return put_graph(s, l);
	case LINE_OTHER:
		if (!is_known_other(l))
			s->other_at = s->other++ ? s->other_at : s->nr;
		return 0;
	default:
		return 0;
	}
}

int systrace_convert(struct systrace *s, const char *text, size_t size)
{
	int ret = 0;

	s->ns = s->first_ns;
	if (s->overrun)
		ret = builder_lost(s->b, -1, s->first_ns, KTRACE_LOST_OVERWRITTEN, s->overrun);
	if (!ret)
		ret = each_line(s, text, size, convert_line);
	return ret ? ret : put_stack(s);
}

int systrace_complain(const struct systrace *s, const char *path)
{
	if (s->other)
		complain_about(path, "%llu lines are not events and are left out; the first is "
			       "line %llu", (unsigned long long)s->other,
			       (unsigned long long)s->other_at);
	if (s->bad_marks)
		complain_about(path, "%llu marks of programs are malformed, and are kept as text",
			       (unsigned long long)s->bad_marks);
	if (s->graph)
		complain_about(path, "%llu lines of function_graph have no time: they are at the "
			       "time of the event before them", (unsigned long long)s->graph);
	if (s->integers)
		complain_about(path, "%llu times have no fraction: they are taken as ns, whatever "
			       "the clock counts", (unsigned long long)s->integers);
	if (s->backwards)
		complain_about(path, "%llu events have an earlier time than the line before, the "
			       "first is line %llu: all are put in order of time",
			       (unsigned long long)s->backwards, (unsigned long long)s->back_at);
	return s->other || s->bad_marks ? STATUS_DAMAGED : 0;
}
