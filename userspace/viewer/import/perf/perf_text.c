// SPDX-License-Identifier: GPL-2.0
/*
 * perf_text.c - fields of an event from the text that perf prints
 *
 * The kernel's format prints it: mostly "key=value", where values may contain blanks; "key: value,"
 * for a system call's own event; other formats only for the few events that tell the state of the
 * system. libtraceevent, which perf and trace-cmd use, has plugins that print some of these in a
 * form of their own.
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

/* Writes what is in front of the first key at @end, such as the address of a probe. */
static void put_prefix(struct fields *f, char *text, char *end)
{
	while (end > text && strchr(" ,[(", end[-1]))
		end--;
	if (end == text)
		return;
	*end = 0;
	put_string(f, "text", text);
}

/* "key=value key=value", perhaps after other text */
static bool take_pairs(struct fields *f, char *text)
{
	char *begin = text, *key, *value, *end = next_key(text, true, &begin);
	char before = begin > text ? begin[-1] : ' ', next = ' ';

	if (!end)
		return false;
	put_prefix(f, text, begin);
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

/*
 * struct task - a thread as the scheduler's events tell it
 * @comm:	its name, which may contain anything
 */
struct task {
	char *comm;
	__s64 pid;
	__s64 prio;
};

/* Cuts off "COMM:PID [PRIO]" at the end of @text. */
static bool cut_task(char *text, struct task *out)
{
	char *open = strrchr(text, '['), *colon, *end;

	if (!open || open == text)
		return false;
	out->prio = strtoll(open + 1, &end, 10);
	if (end == open + 1 || *end != ']')
		return false;
	open[-1] = 0;
	colon = strrchr(text, ':');
	if (!colon)
		return false;
	out->pid = strtoll(colon + 1, &end, 10);
	if (end == colon + 1 || *end)
		return false;
	*colon = 0;
	out->comm = text;
	return true;
}

static void put_task(struct fields *f, const char *prefix, const struct task *task)
{
	char name[16];

	snprintf(name, sizeof(name), "%scomm", prefix);
	put_string(f, name, task->comm);
	snprintf(name, sizeof(name), "%spid", prefix);
	put_u64(f, "s64", name, (__u64)task->pid);
	snprintf(name, sizeof(name), "%sprio", prefix);
	put_u64(f, "s64", name, (__u64)task->prio);
}

/*
 * Writes a state of libtraceevent's plugin, a letter for each bit: until 1.7 always the same ones,
 * so that what the bits mean depends on the kernel; since 1.8 those of the kernel's description,
 * among them P and I.
 */
static void put_state(struct fields *f, const char *letters)
{
	static const char names[] = "SDTtZXxW";
	const char *at;
	__u64 bits = 0;

	for (const char *c = letters; *c; c++) {
		at = strchr(names, *c);
		if (!at && *c != 'R' && *c != '+') {
			put_string(f, "prev_state", letters);
			return;
		}
		if (at)
			bits |= 1ull << (at - names);
	}
	put_u64(f, "s64", "prev_state", bits);
}

/* "bash:12 [120] S ==> swapper/0:0 [120]", sched_switch by the plugin */
static bool take_switch(struct fields *f, char *text)
{
	char *arrow = strstr(text, " ==> "), *state;
	struct task prev, next;

	if (!arrow)
		return false;
	*arrow = 0;
	state = strrchr(text, ' ');
	if (!state)
		return false;
	*state++ = 0;
	if (!cut_task(text, &prev) || !cut_task(arrow + 5, &next))
		return false;
	put_task(f, "prev_", &prev);
	put_state(f, state);
	put_task(f, "next_", &next);
	return true;
}

/* "bash:12 [120] success=1 CPU:001", sched_wakeup and others by the plugin */
static bool take_wakeup(struct fields *f, char *text)
{
	char *cpu = strstr(text, " CPU:"), *end;
	struct task task;

	if (!cpu)
		return false;
	*cpu = 0;
	end = strrchr(text, ']');
	if (!end)
		return false;
	end[1] = 0;
	if (!cut_task(text, &task))
		return false;
	put_task(f, "", &task);
	put_u64(f, "s64", "target_cpu", (__u64)strtoll(cpu + 5, NULL, 10));
	return true;
}

/* Takes the name of a thread, which ends before @next and may contain '='. */
static bool take_comm(struct fields *f, char **at, const char *key, const char *next)
{
	char *end, name[16];

	if (strncmp(*at, key, strlen(key)))
		return false;
	end = strstr(*at, next);
	if (!end)
		return false;
	*at += strlen(key);
	*end = 0;
	snprintf(name, sizeof(name), "%.*s", (int)strlen(key) - 1, key);
	put_string(f, name, *at);
	*at = end + 1;
	return true;
}

/* "prev_comm=a prev_pid=1 ... ==> next_comm=b next_pid=2 next_prio=3" */
static bool take_switch_pairs(struct fields *f, char *text)
{
	char *at = text, *arrow;

	if (!take_comm(f, &at, "prev_comm=", " prev_pid="))
		return false;
	arrow = strstr(at, " ==> next_comm=");
	if (arrow)
		*arrow = 0;
	take_pairs(f, at);
	if (!arrow)
		return true;
	at = arrow + 5;
	take_comm(f, &at, "next_comm=", " next_pid=");
	take_pairs(f, at);
	return true;
}

/* True if the text of an event of the scheduler is in one of these forms. */
static bool take_sched(struct fields *f, const char *name, char *text)
{
	const bool is_switch = !strcmp(name, "sched_switch");
	char *copy;
	bool ret;

	if (is_switch && take_switch_pairs(f, text))
		return true;
	if (take_comm(f, &text, "comm=", " pid="))
		return take_pairs(f, text);
	if (!is_switch && strcmp(name, "sched_wakeup") && strcmp(name, "sched_wakeup_new") &&
	    strcmp(name, "sched_waking"))
		return false;
	copy = strdup(text);
	ret = copy && (is_switch ? take_switch(f, copy) : take_wakeup(f, copy));
	free(copy);
	return ret;
}

/* Returns the kinds of a lock as the kernel numbers them: enum ktrace_lock_flags. */
static __u64 lock_flags_of(const char *text)
{
	static const char *const names[] = { "SPIN", "READ", "WRITE", "RT", "PERCPU", "MUTEX" };
	__u64 flags = 0;
	size_t n;

	if (!strncmp(text, "0x", 2))
		return strtoull(text, NULL, 16);
	for (; *text && *text != ')'; text += n + (text[n] == '|')) {
		n = strcspn(text, "|)");
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (strlen(names[i]) == n && !memcmp(text, names[i], n))
				flags |= 1ull << i;
	}
	return flags;
}

/* "0xffff8881 (flags=SPIN|READ)", "0xffff8881 (ret=0)" of locks that are waited for */
static bool take_contention(struct fields *f, char *text)
{
	char *at, *flags;
	__u64 lock;

	errno = 0;
	lock = strtoull(text, &at, 16);
	if (at == text || errno || strncmp(at, " (", 2))
		return false;
	flags = at + 2;
	if (strncmp(flags, "flags=", 6) && strncmp(flags, "ret=", 4))
		return false;
	put_u64(f, "x64", "lock_addr", lock);
	if (*flags == 'f')
		put_u64(f, "x64", "flags", lock_flags_of(flags + 6));
	else
		put_u64(f, "s64", "ret", (__u64)strtoll(flags + 4, NULL, 10));
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
	if (!strncmp(name, "sched_", 6) && take_sched(&f, name, text))
		return;
	if (!strncmp(name, "contention_", 11) && take_contention(&f, text))
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
