// SPDX-License-Identifier: GPL-2.0
/*
 * perf_text.c - fields of an event from the text that perf prints
 *
 * The kernel's format prints it: mostly "key=value", where values may contain blanks; "key: value,"
 * for a system call's own event; other formats only for the few events that tell the state of the
 * system.
 */
#include "perf_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/import_writer.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
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

void perf_text_string(struct ktrace_out *desc, struct ktrace_out *data, const char *name,
		      const char *value)
{
	struct fields f = { desc, data };

	put_string(&f, name, value);
}

void perf_text_number(struct ktrace_out *desc, struct ktrace_out *data, const char *type,
		      const char *name, __u64 value)
{
	struct fields f = { desc, data };

	put_u64(&f, type, name, value);
}
