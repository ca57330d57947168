// SPDX-License-Identifier: GPL-2.0
/*
 * line.c - parses lines of the kernel's trace
 *
 *   COMM-PID (TGID) [CPU] FLAGS SECONDS.FRACTION: TEXT
 *   COMM-PID CPUFLAGS USus: TEXT                        latency format; also with SECONDS.FRACTION
 *   CPU) DURATION | TEXT                                function_graph, perhaps after TIME |,
 *   CPU) COMM-PID | DURATION | TEXT                     and with funcgraph-proc
 *   CPU:N [LOST M EVENTS]
 *    => FUNCTION                                        a stack
 *
 * where (TGID) and FLAGS may be missing. COMM may contain anything, so the parts are looked for
 * from "[CPU]" on, in both directions.
 */
#include "line.h"

#include <stdint.h>
#include <string.h>

#define FRACTION_DIGITS 9
#define SECONDS_MAX 10000000000ull

/* struct text - a part of a line */
struct text {
	const char *at;
	const char *end;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool take_number(struct text *t, __u64 max, __u64 *out)
{
	const char *begin = t->at;
	__u64 n = 0;

	for (; t->at < t->end && is_digit(*t->at); t->at++) {
		if (n > max)
			return false;
		n = n * 10 + (__u64)(*t->at - '0');
	}
	*out = n;
	return t->at > begin && n <= max;
}

static void skip_blanks(struct text *t)
{
	while (t->at < t->end && (*t->at == ' ' || *t->at == '\t'))
		t->at++;
}

static void trim_blanks(struct text *t)
{
	while (t->end > t->at && (t->end[-1] == ' ' || t->end[-1] == '\t'))
		t->end--;
}

static bool begins(const struct text *t, const char *with)
{
	const size_t n = strlen(with);

	return (size_t)(t->end - t->at) >= n && !memcmp(t->at, with, n);
}

/* "12.345678:", or "12345:" */
static bool take_time(struct text *t, struct line *l)
{
	struct text at = *t;
	__u64 n;
	int digits;

	if (!take_number(&at, UINT64_MAX / 20, &n) || at.at == at.end)
		return false;
	l->is_integer = *at.at == ':';
	if (*at.at == '.') {
		if (n > SECONDS_MAX || ++at.at == at.end || !is_digit(*at.at))
			return false;
		for (digits = 0; digits < FRACTION_DIGITS; digits++)
			n = n * 10 + (at.at < at.end && is_digit(*at.at) ?
				      (__u64)(*at.at++ - '0') : 0);
		while (at.at < at.end && is_digit(*at.at))
			at.at++;
	}
	if (at.at == at.end || *at.at != ':')
		return false;
	l->ns = n;
	l->has_time = true;
	t->at = at.at + 1;
	return true;
}

/* Takes "COMM-PID" or "COMM-PID (TGID)" from the end. */
static bool take_task(struct text t, struct line *l)
{
	struct text number;
	const char *open;
	__u64 n;

	trim_blanks(&t);
	if (t.end > t.at && t.end[-1] == ')') {
		open = memrchr(t.at, '(', (size_t)(t.end - t.at));
		if (!open)
			return false;
		number = (struct text){ open + 1, t.end - 1 };
		skip_blanks(&number);
		l->tgid = take_number(&number, 0x3fffff, &n) ? (__u32)n : 0;
		t.end = open;
		trim_blanks(&t);
	}
	number.end = number.at = t.end;
	while (number.at > t.at && is_digit(number.at[-1]))
		number.at--;
	t.end = number.at - 1;
	if (t.end <= t.at || *t.end != '-' || !take_number(&number, 0x3fffff, &n))
		return false;
	l->tid = (__u32)n;
	skip_blanks(&t);
	l->comm = t.at;
	l->comm_size = (size_t)(t.end - t.at);
	return true;
}

/* The third flag: h, H, s and so on, '.' = not in an interrupt */
static bool is_of_irq(const struct text *flags)
{
	return flags->end - flags->at > 2 && strchr("hHsSzZ", flags->at[2]) && flags->at[2];
}

/* Takes the rest of a line, without the time since the event before: "(+12)". */
static void put_text(struct text *t, struct line *l)
{
	const char *end;

	skip_blanks(t);
	if (begins(t, "(+") && (end = memchr(t->at, ')', (size_t)(t->end - t->at)))) {
		t->at = end + 1;
		skip_blanks(t);
	}
	l->text = t->at;
	l->size = (size_t)(t->end - t->at);
}

/* Takes what follows "[CPU]": perhaps flags, then the time. */
static bool take_rest(struct text t, struct line *l)
{
	struct text flags;

	skip_blanks(&t);
	flags = t;
	if (!take_time(&t, l)) {
		while (t.at < t.end && *t.at != ' ')
			t.at++;
		flags.end = t.at;
		l->is_irq = is_of_irq(&flags);
		skip_blanks(&t);
		if (!take_time(&t, l))
			return false;
	}
	put_text(&t, l);
	return true;
}

static bool take_event(const struct text *whole, struct line *l)
{
	struct text t = *whole;
	__u64 cpu;

	for (; (t.at = memchr(t.at, '[', (size_t)(t.end - t.at))); t.at++) {
		struct text after = { t.at + 1, t.end };

		if (!take_number(&after, 4095, &cpu) || after.at == t.end || *after.at != ']')
			continue;
		after.at++;
		if (take_rest(after, l) && take_task((struct text){ whole->at, t.at }, l)) {
			l->cpu = (int)cpu;
			return true;
		}
	}
	return false;
}

/* "5us+:", with a mark for long times, or "12.345678:" */
static bool take_latency_time(struct text *t, struct line *l)
{
	struct text at = *t;
	__u64 us;

	if (take_time(t, l))
		return !l->is_integer;
	if (!take_number(&at, SECONDS_MAX, &us) || !begins(&at, "us"))
		return false;
	for (at.at += 2; at.at < at.end && strchr("+!#*@$ ", *at.at) && *at.at;)
		at.at++;
	if (at.at == at.end || *at.at != ':')
		return false;
	t->at = at.at + 1;
	l->ns = us * 1000;
	l->has_time = true;
	return true;
}

/* Takes what follows a task: "    0d..2    5us : TEXT" */
static bool take_latency_rest(struct text at, struct line *l)
{
	struct text flags;
	__u64 cpu;

	skip_blanks(&at);
	if (!take_number(&at, 4095, &cpu))
		return false;
	flags.at = at.at;
	while (at.at < at.end && *at.at != ' ')
		at.at++;
	flags.end = at.at;
	skip_blanks(&at);
	if (flags.end - flags.at < 3 || !take_latency_time(&at, l))
		return false;
	l->cpu = (int)cpu;
	l->is_irq = is_of_irq(&flags);
	put_text(&at, l);
	return true;
}

/* "bash-1234    0d..2    5us+: TEXT", the latency format */
static bool take_latency(const struct text *whole, struct line *l)
{
	const char *dash = whole->at;
	__u64 tid;

	while ((dash = memchr(dash, '-', (size_t)(whole->end - dash)))) {
		struct text at = { ++dash, whole->end };

		if (take_number(&at, 0x3fffff, &tid) && at.at < at.end && *at.at == ' ' &&
		    take_latency_rest(at, l) && take_task((struct text){ whole->at, at.at }, l))
			return true;
	}
	return false;
}

/* "CPU:1 [LOST 12 EVENTS]", "CPU:1 [12 EVENTS DROPPED]", "CPU:1 [EVENTS DROPPED]" */
static bool take_loss(struct text t, struct line *l)
{
	__u64 cpu;

	skip_blanks(&t);
	if (!begins(&t, "CPU:"))
		return false;
	t.at += 4;
	if (!take_number(&t, 4095, &cpu))
		return false;
	skip_blanks(&t);
	if (!begins(&t, "["))
		return false;
	t.at++;
	if (begins(&t, "LOST "))
		t.at += 5;
	l->lost = 0;
	take_number(&t, UINT64_MAX / 20, &l->lost);
	skip_blanks(&t);
	if (!begins(&t, "EVENTS"))
		return false;
	l->cpu = (int)cpu;
	return true;
}

/* " 1)   0.123 us    |  func();", with "12.345678 |" before it, or "bash-12 |" after the CPU */
static bool take_graph(const struct text *whole, struct line *l)
{
	struct text t = *whole, time;
	const char *bar;
	__u64 cpu;

	skip_blanks(&t);
	bar = memchr(t.at, '|', (size_t)(t.end - t.at));
	time = t;
	if (bar && take_number(&time, SECONDS_MAX, &cpu) && time.at < t.end && *time.at == '.') {
		/* A time ends with a colon in all other lines. */
		char text[40];
		struct text copy = { text, text };

		while (copy.end < text + sizeof(text) - 1 && t.at < bar &&
		       (is_digit(*t.at) || *t.at == '.'))
			*(char *)copy.end++ = *t.at++;
		*(char *)copy.end++ = ':';
		if (!take_time(&copy, l))
			return false;
		t.at = bar + 1;
		skip_blanks(&t);
		bar = memchr(t.at, '|', (size_t)(t.end - t.at));
	}
	if (!take_number(&t, 4095, &cpu) || !begins(&t, ")") || !bar)
		return false;
	l->cpu = (int)cpu;
	t.at++;
	skip_blanks(&t);
	if (take_task((struct text){ t.at, bar }, l)) {
		t.at = bar + 1;
		skip_blanks(&t);
	}
	l->text = t.at;
	l->size = (size_t)(t.end - t.at);
	return true;
}

static enum line_kind kind_of(const struct text *t, struct line *l)
{
	if (t->at == t->end)
		return LINE_EMPTY;
	/* The name of a thread may begin with it, too. */
	if (*t->at == '#' && (t->end - t->at < 2 || t->at[1] == ' ' || !take_event(t, l)))
		return LINE_HEADER;
	if (begins(t, "=> ")) {
		l->text = t->at + 3;
		l->size = (size_t)(t->end - l->text);
		return LINE_STACK;
	}
	if (take_loss(*t, l))
		return LINE_LOSS;
	if (take_event(t, l) || take_latency(t, l))
		return LINE_EVENT;
	return take_graph(t, l) ? LINE_GRAPH : LINE_OTHER;
}

void line_parse(const char *s, size_t size, struct line *l)
{
	struct text t = { s, s + size };

	if (t.end > t.at && t.end[-1] == '\r')
		t.end--;
	skip_blanks(&t);
	*l = (struct line){ .cpu = -1, .text = t.at, .size = (size_t)(t.end - t.at) };
	l->kind = kind_of(&t, l);
}
