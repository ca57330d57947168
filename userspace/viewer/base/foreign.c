// SPDX-License-Identifier: GPL-2.0
/*
 * foreign.c - recognizes files of other tools by their first bytes
 *
 * Binary formats begin with fixed bytes, or with a packet whose length fits. Text is recognized by
 * its lines: the first one of a known form decides.
 */
#include "foreign.h"

#include <linux/types.h>
#include <string.h>

static const struct {
	const char *begin;
	size_t size;
	const char *format;
} magics[] = {
	{ "\x17\x08\x44tracing", 10, "trace-dat" },
	{ "PERFILE2", 8, "perf" },
};

/*
 * True if @head begins with a Perfetto packet: the byte 0x0a, then its length in groups of 7 bits.
 */
static bool is_perfetto(const unsigned char *head, size_t nr)
{
	size_t at = 1, size = 0;

	if (nr < 3 || head[0] != 0x0a)
		return false;
	do {
		size |= (size_t)(head[at] & 0x7f) << 7 * (at - 1);
	} while (head[at++] & 0x80 && at < nr && at < 5);
	return size && (at + size == nr || (at + size < nr && head[at + size] == 0x0a));
}

static bool has(const char *text, size_t nr, const char *word)
{
	return memmem(text, nr, word, strlen(word));
}

/* True if it begins with a JSON object or array of Chrome's trace events. */
static bool is_chrome(const char *text, size_t nr)
{
	static const char *const keys[] = {
		"\"traceEvents\"", "\"displayTimeUnit\"", "\"systemTraceEvents\"",
		"\"stackFrames\"", "\"otherData\"",
	};

	if (nr && *text == '[')
		return has(text, nr, "\"ph\"");
	for (size_t i = 0; nr && *text == '{' && i < sizeof(keys) / sizeof(keys[0]); i++)
		if (has(text, nr, keys[i]))
			return true;
	return false;
}

static bool is_html(const char *text, size_t nr)
{
	return (nr > 14 && !strncasecmp(text, "<!DOCTYPE html", 14)) ||
	       (nr > 5 && !strncasecmp(text, "<html", 5));
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Skips "12.345678:", or "12345:" if @has_whole. NULL: another word */
static const char *skip_time(const char *s, const char *end, bool has_whole)
{
	const char *at = s;

	while (at < end && is_digit(*at))
		at++;
	if (at == s)
		return NULL;
	if (at < end && *at != '.' && !has_whole)
		return NULL;
	if (at < end && *at == '.') {
		for (s = ++at; at < end && is_digit(*at);)
			at++;
		if (at == s)
			return NULL;
	}
	return at < end && *at == ':' ? at + 1 : NULL;
}

static const char *skip_blanks(const char *s, const char *end)
{
	while (s < end && *s == ' ')
		s++;
	return s;
}

/* Skips "[003]", or "[-01]", which perf prints without a CPU; NULL: another word */
static const char *skip_cpu(const char *s, const char *end)
{
	const char *at = s + 1;

	if (s >= end || *s != '[')
		return NULL;
	at += at < end && *at == '-';
	while (at < end && is_digit(*at))
		at++;
	return at > s + 1 && at < end && *at == ']' ? at + 1 : NULL;
}

/* Skips what follows a CPU: perhaps flags such as "d..1", then the time. */
static const char *skip_rest(const char *s, const char *end, bool has_flags)
{
	const char *at = skip_blanks(s, end), *time = skip_time(at, end, has_flags);

	if (time || !has_flags)
		return time;
	while (at < end && *at != ' ')
		at++;
	return skip_time(skip_blanks(at, end), end, has_flags);
}

/* True if "-PID" or "-PID (TGID)" ends at @s. */
static bool is_after_task(const char *line, const char *s)
{
	const char *at = s;

	while (at > line && at[-1] == ' ')
		at--;
	if (at > line && at[-1] == ')') {
		while (at > line && *at != '(')
			at--;
		while (at > line && at[-1] == ' ')
			at--;
	}
	s = at;
	while (at > line && is_digit(at[-1]))
		at--;
	return at < s && at > line + 1 && at[-1] == '-' && at[-2] != ' ';
}

/* True if a number, perhaps after another one and a slash, ends at @s. */
static bool is_after_number(const char *line, const char *s)
{
	const char *at;

	while (s > line && s[-1] == ' ')
		s--;
	for (at = s; at > line && (is_digit(at[-1]) || at[-1] == '/' || at[-1] == '-');)
		at--;
	return at < s && at > line && at[-1] == ' ';
}

/* Skips "3d..2. 12.345678:", the CPU with flags and the time in the latency format. */
static const char *skip_latency(const char *s, const char *end)
{
	const char *at = s;

	while (at < end && is_digit(*at))
		at++;
	/* Other words of digits have no flags behind them: the first is that of interrupts. */
	if (at == s || end - at < 3 || !strchr(".dDXbB?", *at) || at[1] == ' ' || at[2] == ' ')
		return NULL;
	while (at < end && *at != ' ')
		at++;
	return skip_time(skip_blanks(at, end), end, false);
}

const char *foreign_ftrace(const char *s, size_t size)
{
	const char *end = s + size, *after, *time;

	for (const char *at = s; at < end; at++) {
		after = *at == '[' && is_after_task(s, at) ? skip_cpu(at, end) : NULL;
		time = after ? skip_rest(after, end, true) : NULL;
		if (!time && is_digit(*at) && at > s && at[-1] == ' ' && is_after_task(s, at))
			time = skip_latency(at, end);
		if (time)
			return time;
	}
	return NULL;
}

const char *foreign_perf(const char *s, size_t size)
{
	const char *end = s + size, *after, *time;

	for (const char *at = s; at < end; at++) {
		after = *at == '[' ? skip_cpu(at, end) : NULL;
		if (!is_after_number(s, at) || !(after || is_digit(*at)))
			continue;
		time = skip_rest(after ? after : at, end, false);
		if (time)
			return time;
	}
	return NULL;
}

static bool begins(const char *line, size_t size, const char *text)
{
	return size >= strlen(text) && !memcmp(line, text, strlen(text));
}

static bool is_line(const char *line, size_t size, const char *text)
{
	return size == strlen(text) && !memcmp(line, text, size);
}

static const char *format_of_line(const char *line, size_t size)
{
	if (begins(line, size, "# tracer: ") || begins(line, size, "TRACE:") ||
	    begins(line, size, "# TASK-PID") || foreign_ftrace(line, size))
		return "systrace";
	/* The last two are simpleperf's. */
	if (begins(line, size, "# captured on") || foreign_perf(line, size) ||
	    is_line(line, size, "sample:") || is_line(line, size, "lost_situation:"))
		return "perf";
	return NULL;
}

static const char *format_of_lines(const char *text, size_t nr)
{
	const char *format = NULL, *end = text + nr, *next;

	if (memchr(text, 0, nr))
		return NULL;
	for (; text < end && !format; text = next + 1) {
		next = memchr(text, '\n', (size_t)(end - text));
		if (!next)
			next = end;
		format = format_of_line(text, (size_t)(next - text));
	}
	return format;
}

/*
 * True if the bytes are slots of S.Ha.R.K., among them an event that tells the ticks per
 * millisecond. Codes are below 256 apart from bit 15; stamps go back at most once, where a circular
 * chunk begins.
 */
static bool is_shark(const unsigned char *head, size_t nr)
{
	__u64 before = 0, tsc;
	unsigned int backwards = 0;
	bool has_ticks = false;

	if (nr % 16)
		return false;
	for (const unsigned char *at = head; at < head + nr; at += 16) {
		if (!at[0] && !at[1])
			continue;
		if (at[1] & 0x7f)
			return false;
		tsc = 0;
		for (int i = 0; i < 8; i++)
			tsc = tsc << 8 | at[i < 4 ? 7 - i : 15 - i];
		backwards += tsc < before;
		before = tsc;
		has_ticks |= !at[1] && (at[0] == 0x10 || at[0] == 0x20);
	}
	return has_ticks && backwards <= 1;
}

const char *foreign_format(const unsigned char *head, size_t nr)
{
	const char *text = (const char *)head, *end = text + nr;

	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (nr >= magics[i].size && !memcmp(head, magics[i].begin, magics[i].size))
			return magics[i].format;
	if (is_perfetto(head, nr))
		return "perfetto";
	if (is_shark(head, nr))
		return "shark";
	if (begins(text, nr, "\xef\xbb\xbf"))
		text += 3;
	while (text < end && strchr(" \t\r\n", *text) && *text)
		text++;
	if (is_chrome(text, (size_t)(end - text)))
		return "chrome";
	if (is_html(text, (size_t)(end - text)))
		return "systrace";
	return format_of_lines(text, (size_t)(end - text));
}
