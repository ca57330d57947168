// SPDX-License-Identifier: GPL-2.0
/*
 * perf_line.c - parses lines of perf script
 *
 *   COMM PID/TID [CPU] SECONDS.FRACTION: [PERIOD] EVENT: TEXT
 *
 * COMM may contain blanks, so PID/TID and CPU are looked for in front of the first word that is a
 * time. TEXT is printed by the kernel's format: mostly "key=value", where values may contain
 * blanks; "key: value," for a system call's own event; other formats only for the few events that
 * tell the state of the system.
 */
#include "perf_line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import_writer.h"

#define FRACTION_DIGITS 9

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
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

/* Finds the first word that is a time; cuts @line in front of it. */
static const char *find_time(char *line, __u64 *ns)
{
	const char *end;

	for (char *s = strchr(line, ' '); s; s = strchr(s + 1, ' '))
		if (take_time(s + 1, ns, &end)) {
			*s = 0;
			return end;
		}
	return NULL;
}

/* Cuts off and returns the last word of @s; NULL if @s has fewer than two. */
static char *cut_word(char *s)
{
	char *end = s + strlen(s);

	while (end > s && end[-1] == ' ')
		*--end = 0;
	while (end > s && end[-1] != ' ')
		end--;
	if (end == s)
		return NULL;
	end[-1] = 0;
	return end;
}

static bool take_cpu(const char *word, int *cpu)
{
	const char *at = word + 1;
	__u64 n;

	if (*word != '[' || !take_number(&at, IMPORT_WRITER_CPUS - 1, &n) || strcmp(at, "]"))
		return false;
	*cpu = (int)n;
	return true;
}

/* Parses "TID" or "PID/TID"; perf writes -1 if unknown. */
static bool take_ids(const char *word, struct perf_line *out)
{
	__u64 n;

	out->pid = 0;
	out->tid = IMPORT_WRITER_TID_UNKNOWN;
	if (!strcmp(word, "-1") || !strncmp(word, "-1/", 3))
		return true;
	if (!take_number(&word, KTRACE_TID_MASK, &n))
		return false;
	out->tid = (__u32)n;
	if (*word == '/') {
		out->pid = out->tid;
		word++;
		if (!take_number(&word, KTRACE_TID_MASK, &n))
			return !strcmp(word, "-1");
		out->tid = (__u32)n;
	}
	return !*word;
}

static bool take_who(char *line, struct perf_line *out)
{
	char *word = cut_word(line);

	out->cpu = -1;
	if (word && take_cpu(word, &out->cpu))
		word = cut_word(line);
	if (!word || !take_ids(word, out))
		return false;
	while (*line == ' ')
		line++;
	for (char *end = line + strlen(line); end > line && end[-1] == ' '; end--)
		end[-1] = 0;
	out->comm = *line == ':' && is_digit(line[1]) ? "" : line;
	return true;
}

static void take_event(char *s, struct perf_line *out)
{
	size_t n;

	s += strspn(s, " ");
	n = strspn(s, "0123456789");
	if (n && s[n] == ' ')		/* the period */
		s += n + strspn(s + n, " ");
	n = strcspn(s, " ");
	out->event = "";
	out->text = s;
	if (!n || s[n - 1] != ':')
		return;
	out->event = s;
	out->text = s + n + strspn(s + n, " ");
	s[n - 1] = 0;
}

bool perf_line_parse(char *line, struct perf_line *out)
{
	char *rest = (char *)find_time(line, &out->ns);

	if (!rest || !take_who(line, out))
		return false;
	take_event(rest, out);
	return true;
}

/* struct fields - where fields are appended */
struct fields {
	struct ktrace_out *desc;
	struct ktrace_out *data;
};

static void put_name(struct fields *f, const char *type, const char *name)
{
	ktrace_out_str(f->desc, type);
	ktrace_out_char(f->desc, ' ');
	import_writer_name(f->desc, name);
	ktrace_out_char(f->desc, ';');
}

static void put_string(struct fields *f, const char *name, const char *value)
{
	put_name(f, "string", name);
	ktrace_out_bytes(f->data, value, strlen(value) + 1);
}

static void put_u64(struct fields *f, const char *type, const char *name, __u64 value)
{
	put_name(f, type, name);
	ktrace_out_bytes(f->data, (const char *)&value, sizeof(value));
}

/* Keys of names, whose values stay text even if numeric; keys of hexadecimal values without 0x */
static bool is_name_key(const char *key)
{
	const size_t n = strlen(key);

	return (n >= 4 && !strcmp(key + n - 4, "comm")) || (n >= 4 && !strcmp(key + n - 4, "name"));
}

static bool is_hex_key(const char *key)
{
	return !strcmp(key, "sa_handler") || !strcmp(key, "sa_flags");
}

/* Writes a number if the value is one, else text. */
static void put_value(struct fields *f, const char *key, const char *value)
{
	const bool is_hex = is_hex_key(key) || !strncmp(value, "0x", 2);
	char *end;
	__u64 n;

	errno = 0;
	n = *value == '-' ? (__u64)strtoll(value, &end, 10) :
	    strtoull(value, &end, is_hex ? 16 : 10);
	if (!*value || *end || errno || (is_name_key(key) && !is_hex) || strchr(" +\t", *value) ||
	    (*value == '-' && !is_digit(value[1])))
		put_string(f, key, value);
	else if (is_hex)
		put_u64(f, "x64", key, n);
	else
		put_u64(f, n >> 63 && *value != '-' ? "u64" : "s64", key, n);
}

static bool is_key_char(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/*
 * Finds the next "key=" at the beginning of a word; @begin: start of the key. Return: its '=', or
 * NULL
 */
static char *next_key(char *s, bool is_start, char **begin)
{
	for (char *at = s; *at; at++) {
		char *end = at;

		if (at == s ? !is_start : !strchr(" [(,", at[-1]))
			continue;
		while (is_key_char(*end))
			end++;
		if (end > at && *end == '=' && end[1] != '=') {
			*begin = at;
			return end;
		}
	}
	return NULL;
}

/* Removes units, and what separates the value from the next key. */
static void trim(char *value, bool is_bracketed)
{
	char *end = value + strlen(value);

	if (end - value > 5 && !strcmp(end - 5, " [ns]"))
		*(end -= 5) = 0;
	if (end - value > 4 && !strcmp(end - 4, " ==>"))
		*(end -= 4) = 0;
	while (end > value && strchr(is_bracketed ? " ,[(])" : " ,[(", end[-1]))
		*--end = 0;
}

/* "key=value key=value" */
static bool take_pairs(struct fields *f, char *text)
{
	char *begin = text, *key, *value, *end = next_key(text, true, &begin);
	char before = begin > text ? begin[-1] : ' ', next = ' ';

	if (!end)
		return false;
	while (end) {
		key = begin;
		*end = 0;
		value = end + 1;
		end = next_key(value, false, &begin);
		if (end) {
			next = begin[-1];
			begin[-1] = 0;
		}
		trim(value, before == '[' || before == '(');
		put_value(f, key, value);
		before = next;
	}
	return true;
}

/* "key: value, key: value" */
static bool take_arguments(struct fields *f, char *text)
{
	char *part, *colon;

	if (!strstr(text, ": "))
		return false;
	while ((part = strsep(&text, ","))) {
		part += strspn(part, " ");
		colon = strstr(part, ": ");
		if (!colon)
			continue;
		*colon = 0;
		put_value(f, part, colon + 2);
	}
	return true;
}

/* "NR 1 (1, 2, 3, 4, 5, 6)" of system calls, hexadecimal; "NR 1 = 0" */
static bool take_call(struct fields *f, char *text)
{
	__u64 args[6];
	char *at;
	int i;

	if (strncmp(text, "NR ", 3))
		return false;
	put_u64(f, "s64", "id", strtoull(text + 3, &at, 10));
	if (!strncmp(at, " = ", 3)) {
		put_u64(f, "s64", "ret", (__u64)strtoll(at + 3, NULL, 10));
		return true;
	}
	at += strspn(at, " (");
	for (i = 0; i < 6; i++) {
		args[i] = strtoull(at, &at, 16);
		at += strspn(at, ", ");
	}
	put_name(f, "x64[6]", "args");
	ktrace_out_bytes(f->data, (const char *)args, sizeof(args));
	return true;
}

/* "254,0 W 4096 () 2048 + 8 [comm]" when issued, "254,0 W () 2048 + 8 [0]" when done */
static bool take_block(struct fields *f, const char *text)
{
	unsigned int major, minor, bytes = 0;
	unsigned long long sector, nr;
	char rwbs[16];
	int error = 0;
	bool is_done;

	if (sscanf(text, "%u,%u %15s %u (%*[^)]) %llu + %llu", &major, &minor, rwbs, &bytes,
		   &sector, &nr) != 6 &&
	    sscanf(text, "%u,%u %15s %u () %llu + %llu", &major, &minor, rwbs, &bytes, &sector,
		   &nr) != 6) {
		is_done = sscanf(text, "%u,%u %15s () %llu + %llu", &major, &minor, rwbs, &sector,
				 &nr) == 5;
		if (!is_done)
			return false;
		sscanf(strchr(text, '[') ? strchr(text, '[') : "", "[%d]", &error);
		put_u64(f, "s64", "error", (__u64)(__s64)error);
	} else {
		put_u64(f, "u64", "bytes", bytes);
	}
	put_u64(f, "u64", "dev", (__u64)major << 20 | minor);
	put_u64(f, "u64", "sector", sector);
	put_u64(f, "u64", "nr_sector", nr);
	put_string(f, "rwbs", rwbs);
	return true;
}

static const char *name_of(const char *event)
{
	const char *colon = strchr(event, ':');

	return colon ? colon + 1 : event;
}

void perf_text_parse(const char *event, char *text, struct ktrace_out *desc,
		     struct ktrace_out *data)
{
	struct fields f = { desc, data };
	const char *name = name_of(event);

	for (size_t n = strlen(text); n && text[n - 1] == ' '; n--)
		text[n - 1] = 0;
	if (!*text)
		return;
	if (!strncmp(event, "raw_syscalls:", 13) && take_call(&f, text))
		return;
	if (!strncmp(event, "syscalls:sys_exit_", 18)) {
		put_value(&f, "ret", text);
		return;
	}
	if (!strncmp(event, "syscalls:", 9) && take_arguments(&f, text))
		return;
	if (!strncmp(name, "block_rq_", 9) && take_block(&f, text))
		return;
	if (!take_pairs(&f, text))
		put_string(&f, "text", text);
}
