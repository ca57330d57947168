// SPDX-License-Identifier: GPL-2.0
/*
 * perf_line.c - parses lines of perf script
 *
 *   COMM PID/TID [CPU] MISC SECONDS.FRACTION: PERIOD EVENT: TEXT
 *
 * perf prints each of these only if asked to. COMM is whatever the program chose: it may contain
 * blanks, colons, brackets, and what looks like the rest of such a line. The kernel cuts it to 15
 * bytes, so of several words that look like the time, the last one with at most that many bytes of
 * COMM in front of it is the time.
 */
#include "perf_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "import/import_writer.h"

#define FRACTION_DIGITS 9
#define FRACTION_MIN 6		/* perf never prints fewer */
#define COMM_MAX 16		/* bytes of a name with its end, TASK_COMM_LEN of the kernel */

/**
 * struct who - the beginning of a line
 * @comm:	name of the thread
 * @len:	its bytes
 * @pid:	process
 * @tid:	thread
 * @has_ids:	the line tells the thread
 * @cpu:	CPU, -1 = unknown
 */
struct who {
	const char *comm;
	size_t len;
	__u32 pid;
	__u32 tid;
	bool has_ids;
	int cpu;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool take_number(const char **at, __u64 max, __u64 *out)
{
	char *end;

	if (!is_digit(**at))
		return false;
	errno = 0;
	*out = strtoull(*at, &end, 10);
	*at = end;
	return !errno && *out <= max;
}

/* "12.345678:" */
static bool take_time(const char *s, __u64 *ns, const char **end)
{
	__u64 seconds;
	int digits = 0;

	if (!take_number(&s, 10000000000ull, &seconds) || *s++ != '.')
		return false;
	for (*ns = seconds; digits < FRACTION_DIGITS; digits++)
		*ns = *ns * 10 + (is_digit(*s) ? (__u64)(*s++ - '0') : 0);
	*end = s + 1;
	return *s == ':' && s[-1] != '.';
}

/* Cuts off the last word of the *@len bytes at @s. Return: it; its bytes in @n, 0 = none. */
static const char *cut_word(const char *s, size_t *len, size_t *n)
{
	size_t end;

	while (*len && is_blank(s[*len - 1]))
		--*len;
	end = *len;
	while (*len && !is_blank(s[*len - 1]))
		--*len;
	*n = end - *len;
	return s + *len;
}

/* "[003]", and "[-01]" for a sample without a CPU */
static bool take_cpu(const char *word, size_t len, int *cpu)
{
	const char *at = word + 1;
	const bool is_unknown = len > 2 && *at == '-';
	__u64 n;

	at += is_unknown;
	if (*word != '[' || !take_number(&at, IMPORT_WRITER_CPUS - 1, &n) || *at != ']' ||
	    at + 1 != word + len)
		return false;
	*cpu = is_unknown ? -1 : (int)n;
	return true;
}

/* Parses "TID" or "PID/TID"; perf writes -1 if unknown. */
static bool take_ids(const char *word, size_t len, struct who *out)
{
	const char *end = word + len;
	__u64 n;

	out->pid = 0;
	out->tid = IMPORT_WRITER_TID_UNKNOWN;
	if (!strncmp(word, "-1", 2) && (len == 2 || word[2] == '/'))
		return true;
	if (!take_number(&word, KTRACE_TID_MASK, &n))
		return false;
	out->tid = (__u32)n;
	if (*word == '/' && word < end) {
		out->pid = out->tid;
		word++;
		if (!take_number(&word, KTRACE_TID_MASK, &n))
			return !strncmp(word, "-1", 2) && word + 2 == end;
		out->tid = (__u32)n;
	}
	return word == end;
}

/* Removes "2026-01-31 12:00:00.123456", which perf prints in front of the time if asked to. */
static void cut_date(const char *s, size_t *len)
{
	size_t rest = *len, n;
	const char *word = cut_word(s, &rest, &n);

	if (n < 8 || word[2] != ':' || word[5] != ':')
		return;
	word = cut_word(s, &rest, &n);
	if (n == 10 && word[4] == '-' && word[7] == '-')
		*len = rest;
}

/* Removes letters such as K, U and Sp (-F misc), if a CPU or a thread is in front of them. */
static void cut_misc(const char *s, size_t *len)
{
	size_t rest = *len, before, n;
	const char *word = cut_word(s, &rest, &n);
	struct who who;

	if (!n || n > 3 || strspn(word, "KUHGgMESpF") < n)
		return;
	before = rest;
	word = cut_word(s, &before, &n);
	if (n && (take_cpu(word, n, &who.cpu) || take_ids(word, n, &who)))
		*len = rest;
}

/* Parses the @len bytes in front of the time. */
static void take_who(const char *s, size_t len, struct who *out)
{
	size_t rest, n;
	const char *word;

	*out = (struct who){ .tid = IMPORT_WRITER_TID_UNKNOWN, .cpu = -1 };
	cut_date(s, &len);
	cut_misc(s, &len);
	rest = len;
	word = cut_word(s, &rest, &n);
	if (n && take_cpu(word, n, &out->cpu)) {
		len = rest;
		word = cut_word(s, &rest, &n);
	}
	out->has_ids = n && take_ids(word, n, out);
	if (out->has_ids)
		len = rest;
	for (; len && is_blank(*s); len--)
		s++;
	while (len && is_blank(s[len - 1]))
		len--;
	out->comm = s;
	out->len = len;
}

/* Returns the length of the name of the event at the beginning of @s, 0 = there is none. */
static size_t event_len(const char *s)
{
	const size_t n = strcspn(s, " \t");
	const char *end;

	if (n > 1 && s[n - 1] == ':')
		return n - 1;
	/* "cpu/event=0x3c,name='two words'/:" */
	if (!memchr(s, '/', n))
		return 0;
	end = strstr(s, "/:");
	if (!end)
		end = strstr(s, ": ") ? strstr(s, ": ") - 1 : NULL;
	return end ? (size_t)(end + 1 - s) : 0;
}

static void take_event(char *s, struct perf_line *out)
{
	const char *at;
	__u64 period = 0;
	size_t n;

	s += strspn(s, " \t");
	at = s;
	if (take_number(&at, ~0ull, &period) && is_blank(*at)) {
		at += strspn(at, " \t");
		if (event_len(at)) {
			s = (char *)at;
			out->period = period;
		}
	}
	out->event = "";
	out->text = s;
	n = strncmp(s, "PERF_RECORD_", 12) ? event_len(s) : 0;
	if (!n)
		return;
	out->event = s;
	out->text = s + n + 1 + strspn(s + n + 1, " \t");
	s[n] = 0;
}

/*
 * struct found - where the time is
 * at, end: its first byte, and the one after its colon
 */
struct found {
	char *at;
	const char *end;
	__u64 ns;
	struct who who;
};

/* Finds the time; false if the line has none. */
static bool find_time(char *line, struct found *out)
{
	struct found f;
	bool has_any = false;

	for (char *s = line; *s; s++) {
		if ((s > line && !is_blank(s[-1])) || !take_time(s, &f.ns, &f.end))
			continue;
		f.at = s;
		take_who(line, (size_t)(s - line), &f.who);
		/* Without a thread, only a time as perf prints it is one. */
		if (!f.who.has_ids && f.end - strchr(s, '.') - 2 < FRACTION_MIN)
			continue;
		if (!has_any || (f.who.len < COMM_MAX &&
				 f.end - strchr(s, '.') - 2 >= FRACTION_MIN))
			*out = f;
		has_any = true;
		if (f.who.len >= COMM_MAX)
			break;
	}
	return has_any;
}

/* Without a time: COMM PID/TID [CPU] [PERIOD] EVENT: TEXT. Finds the period or event. */
static bool find_event(char *line, struct found *out)
{
	size_t len, n;
	const char *word;
	struct who who;

	for (char *s = line + 1; *line && *s; s++) {
		if (!is_blank(s[-1]) || !event_len(s))
			continue;
		take_who(line, (size_t)(s - line), &out->who);
		out->at = s;
		len = (size_t)(s - line);
		word = cut_word(line, &len, &n);
		take_who(line, len, &who);
		if (n && strspn(word, "0123456789") == n && (who.has_ids || who.cpu >= 0)) {
			out->who = who;
			out->at = line + (word - line);
		}
		return out->who.has_ids;
	}
	return false;
}

bool perf_line_parse(char *line, struct perf_line *out)
{
	struct found f = { 0 };

	*out = (struct perf_line){ .comm = "", .event = "", .text = "" };
	if (*line == '\t')
		return false;
	out->has_time = find_time(line, &f);
	if (!out->has_time && !find_event(line, &f))
		return false;
	take_event((char *)(out->has_time ? f.end : f.at), out);
	/* The first byte of what follows may be the byte after the name. */
	if (f.who.len && !(*f.who.comm == ':' && is_digit(f.who.comm[1]))) {
		line[f.who.comm - line + (ptrdiff_t)f.who.len] = 0;
		out->comm = f.who.comm;
	}
	out->ns = f.ns;
	out->pid = f.who.pid;
	out->tid = f.who.tid;
	out->cpu = f.who.cpu;
	return true;
}

bool perf_line_is_record(const struct perf_line *line)
{
	return !strncmp(line->event, "PERF_RECORD_", 12) ||
	       (!*line->event && !strncmp(line->text, "PERF_RECORD_", 12));
}

bool perf_line_is_tracepoint(const char *event)
{
	const char *colon = strchr(event, ':');

	if (!colon || !colon[1] || strpbrk(event, "/=") || strchr(colon + 1, ':'))
		return false;
	return colon[1 + strspn(colon + 1, "ukhpPGHSDWeIb")];
}
