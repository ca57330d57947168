// SPDX-License-Identifier: GPL-2.0
/*
 * event.c - converts events of the kernel's trace
 *
 * "name: text" is an event, whose text has fields; "function <-caller" one of the function tracer;
 * "sys_read(fd: 3, ...)" and "sys_read -> 0x1" are system calls. The fields in an event's text are
 * read as those of perf.
 */
#include "systrace.h"

#include "import/atrace.h"
#include "import/perf/perf_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct task *systrace_task(struct systrace *s, const struct line *l)
{
	struct task *task = hash_table_get(&s->tasks, &l->tid);
	size_t n = l->comm_size;

	if (!task)
		return NULL;
	if (l->tgid)
		task->tgid = l->tgid;
	if (n == 5 && !memcmp(l->comm, "<...>", 5))
		return task;
	n = n < sizeof(task->comm) ? n : sizeof(task->comm) - 1;
	if (n) {
		memset(task->comm, 0, sizeof(task->comm));
		memcpy(task->comm, l->comm, n);
	}
	return task;
}

int systrace_put(struct systrace *s, __u32 kind, const struct line *l)
{
	const struct task *task = systrace_task(s, l);
	struct spooled e = {
		.ts = l->ns, .cpu = l->cpu, .tid = l->tid, .flags = l->is_irq ? KTRACE_REC_IRQ : 0,
	};

	if (!task)
		return -ENOMEM;
	if (s->source)
		builder_text(s->b, "buffer", s->source->name, s->source->size - 1);
	e.pid = task->tgid;
	if (l->tid)
		memcpy(e.comm, task->comm, sizeof(e.comm));
	return builder_put(s->b, kind, e);
}

static void keep(struct ktrace_out *to, const char *text, size_t size)
{
	to->len = 0;
	for (size_t i = 0; i < size; i++)
		ktrace_out_char(to, text[i] ? text[i] : '?');
	ktrace_out_char(to, 0);
}

/* Begins an event: "sched_switch" is one of sched, a name without a prefix one of ftrace. */
static void begin_event(struct systrace *s, const char *name)
{
	const size_t n = strcspn(name, "_");
	char provider[32] = "ftrace";

	if (name[n] && n && n < sizeof(provider))
		snprintf(provider, sizeof(provider), "%.*s", (int)n, name);
	builder_begin_event(s->b, provider, name);
	s->b->text = s->whole.buf;
}

static int end_event(struct systrace *s, const struct line *l)
{
	return systrace_put(s, KTRACE_CHANNEL_KERNEL, l);
}

static void put_fields(struct systrace *s, const char *name, char *text)
{
	const bool is_call = !strncmp(name, "sys_enter", 9) || !strncmp(name, "sys_exit", 8);
	char event[128];

	s->has_calls |= is_call;
	/* The shared parser knows system calls by the names that perf gives them. */
	snprintf(event, sizeof(event), "%s%s", !is_call ? "ftrace:" : name[4] == 'e' &&
		 (!strcmp(name, "sys_enter") || !strcmp(name, "sys_exit")) ? "raw_syscalls:" :
		 "syscalls:", name);
	perf_text_parse(event, text, &s->b->desc, &s->b->payload);
}

/* Writes an event whose text is "key=value ..." or any other. */
static int put_event(struct systrace *s, const struct line *l, const char *name, const char *text,
		     size_t size)
{
	keep(&s->whole, text, size);
	keep(&s->copy, text, size);
	if (s->copy.error || s->whole.error)
		return -ENOMEM;
	begin_event(s, name);
	/* Parsing may have written some fields before it finds that the text is of another form. */
	put_fields(s, name, s->copy.buf);
	return end_event(s, l);
}

/* "sys_read(fd: 3, buf: 7ffc, count: 340)": hexadecimal without 0x */
static int put_call(struct systrace *s, const struct line *l, const char *name, const char *text,
		    size_t size)
{
	char event[96];
	const char *word = text, *end = text + size;

	s->copy.len = 0;
	for (const char *at = text; at < end; at++) {
		if (at - text > 1 && at[-2] == ':' && at[-1] == ' ') {
			word = at;
			while (word < end && ((*word >= '0' && *word <= '9') ||
					      (*word >= 'a' && *word <= 'f')))
				word++;
			if (word > at && (word == end || *word == ','))
				ktrace_out_str(&s->copy, "0x");
		}
		ktrace_out_char(&s->copy, *at ? *at : '?');
	}
	ktrace_out_char(&s->copy, 0);
	keep(&s->whole, text, size);
	if (s->copy.error || s->whole.error)
		return -ENOMEM;
	snprintf(event, sizeof(event), "sys_enter_%s", name);
	begin_event(s, event);
	put_fields(s, event, s->copy.buf);
	return end_event(s, l);
}

static int put_call_end(struct systrace *s, const struct line *l, const char *name,
			const char *value)
{
	char event[96];

	s->has_calls = true;
	keep(&s->whole, value, strlen(value));
	if (s->whole.error)
		return s->whole.error;
	snprintf(event, sizeof(event), "sys_exit_%s", name);
	begin_event(s, event);
	builder_s64(s->b, "ret", (__s64)strtoull(value, NULL, 0));
	return end_event(s, l);
}

/* "sys_read(...)" or "sys_read -> 0x1". Return: 1, 0: something else, -errno. */
static int take_call(struct systrace *s, const struct line *l)
{
	char name[64], value[32] = "";
	size_t n = 4;
	int ret;

	if (l->size < 6 || memcmp(l->text, "sys_", 4))
		return 0;
	while (n < l->size && (l->text[n] == '_' || (l->text[n] >= '0' && l->text[n] <= '9') ||
			       (l->text[n] >= 'a' && l->text[n] <= 'z')))
		n++;
	if (n == l->size || n - 4 >= sizeof(name))
		return 0;
	snprintf(name, sizeof(name), "%.*s", (int)(n - 4), l->text + 4);
	if (l->text[n] == '(' && l->text[l->size - 1] == ')') {
		ret = put_call(s, l, name, l->text + n + 1, l->size - n - 2);
		return ret ? ret : 1;
	}
	if (l->size - n < 5 || memcmp(l->text + n, " -> ", 4))
		return 0;
	snprintf(value, sizeof(value), "%.*s", (int)(l->size - n - 4), l->text + n + 4);
	ret = put_call_end(s, l, name, value);
	return ret ? ret : 1;
}

/* Returns the length of the name in "name: text"; 0: something else */
static size_t name_length(const struct line *l)
{
	size_t n = 0;

	while (n < l->size && l->text[n] != ':' && l->text[n] != ' ' && l->text[n] != '(' &&
	       l->text[n] != '|')
		n++;
	return n && n < 96 && n < l->size && l->text[n] == ':' &&
	       (n + 1 == l->size || l->text[n + 1] == ' ' || l->text[n + 1] == '\t') ? n : 0;
}

/* True if an event of this name has a text of a program. */
static bool is_print(const char *name)
{
	return !strcmp(name, "tracing_mark_write") || !strcmp(name, "print") ||
	       !strcmp(name, "bprint") || !strcmp(name, "bputs") || !strcmp(name, "0") ||
	       !strncmp(name, "0x", 2) || !strncmp(name, "ffff", 4);
}

/* Writes a text of a program: a mark, or an event with the text. */
static int put_print(struct systrace *s, const struct line *l, const char *name, const char *text,
		     size_t size)
{
	const char *colon = memmem(text, size, ": ", 2);
	const char *blank = memchr(text, ' ', size);
	bool is_mark;
	int ret = systrace_mark(s, l, text, size, &is_mark);

	if (!is_mark && colon && blank == colon + 1)
		ret = systrace_mark(s, l, colon + 2, size - (size_t)(colon + 2 - text), &is_mark);
	if (ret || is_mark)
		return ret;
	s->bad_marks += atrace_is_like(text, size);
	keep(&s->whole, text, size);
	if (s->whole.error)
		return s->whole.error;
	begin_event(s, strcmp(name, "0") && strncmp(name, "0x", 2) && strncmp(name, "ffff", 4) ?
		    name : "tracing_mark_write");
	builder_text(s->b, "text", s->whole.buf, s->whole.len - 1);
	return end_event(s, l);
}

/* "function <-caller", and anything else as text */
static int put_function(struct systrace *s, const struct line *l)
{
	const char *arrow = memmem(l->text, l->size, " <-", 3);
	const char *name = arrow && !memchr(l->text, ' ', (size_t)(arrow - l->text)) ?
			   "function" : "text";
	size_t caller;

	keep(&s->whole, l->text, l->size);
	if (s->whole.error)
		return s->whole.error;
	begin_event(s, name);
	if (*name == 't') {
		builder_text(s->b, "text", s->whole.buf, s->whole.len - 1);
		return end_event(s, l);
	}
	builder_text(s->b, "function", l->text, (size_t)(arrow - l->text));
	for (arrow += 3; *arrow == '-' || *arrow == ' '; arrow++)
		;
	caller = (size_t)(l->text + l->size - arrow);
	builder_text(s->b, "caller", arrow, caller);
	return end_event(s, l);
}

int systrace_event(struct systrace *s, const struct line *l)
{
	const size_t n = name_length(l);
	const char *text = l->text + n + 1, *end = l->text + l->size;
	char name[96];
	int ret;

	if (!n) {
		ret = take_call(s, l);
		return ret < 0 ? ret : ret ? 0 : put_function(s, l);
	}
	snprintf(name, sizeof(name), "%.*s", (int)n, l->text);
	while (text < end && (*text == ' ' || *text == '\t'))
		text++;
	if (is_print(name))
		return put_print(s, l, name, text, (size_t)(end - text));
	return put_event(s, l, name, text, (size_t)(end - text));
}
