// SPDX-License-Identifier: GPL-2.0
/*
 * processes.c - reads lists of processes and threads, as ps prints them, in pages of systrace
 *
 * The first line names the columns: PID or TGID, TID, and NAME, CMD or COMMAND, which is the last
 * one. Columns before the name are separated by blanks.
 */
#include "systrace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 24

/* struct columns - numbers of the columns, from 1; 0 = there is none */
struct columns {
	int pid;
	int tid;
	int name;
};

/* Returns the next word before @end, NULL: none. */
static const char *next_word(const char **at, const char *end, size_t *size)
{
	const char *begin;

	while (*at < end && (**at == ' ' || **at == '\t' || **at == '\r'))
		(*at)++;
	for (begin = *at; *at < end && **at != ' ' && **at != '\t' && **at != '\r';)
		(*at)++;
	*size = (size_t)(*at - begin);
	return *size ? begin : NULL;
}

static bool is_word(const char *word, size_t size, const char *text)
{
	return size == strlen(text) && !memcmp(word, text, size);
}

static bool take_header(const char *at, const char *end, struct columns *c)
{
	const char *word;
	size_t size;

	*c = (struct columns){ 0 };
	for (int i = 1; i < COLUMNS && (word = next_word(&at, end, &size)); i++) {
		if (is_word(word, size, "PID") || is_word(word, size, "TGID"))
			c->pid = i;
		else if (is_word(word, size, "TID"))
			c->tid = i;
		else if (is_word(word, size, "NAME") || is_word(word, size, "CMD") ||
			 is_word(word, size, "COMMAND"))
			c->name = i;
	}
	return c->pid && c->name;
}

static __u32 number_of(const char *word, size_t size)
{
	__u32 n = 0;

	for (size_t i = 0; i < size && word[i] >= '0' && word[i] <= '9' && n < 0x400000; i++)
		n = n * 10 + (__u32)(word[i] - '0');
	return n < 0x400000 ? n : 0;
}

static int take_row(struct systrace *s, const char *at, const char *end, const struct columns *c)
{
	struct line l = { 0 };
	struct task *task;
	const char *word;
	size_t size;

	for (int i = 1; i <= c->name && (word = next_word(&at, end, &size)); i++) {
		if (i == c->pid)
			l.tgid = number_of(word, size);
		else if (i == c->tid)
			l.tid = number_of(word, size);
		else if (i == c->name)
			l.comm = word;
	}
	if (!c->tid)
		l.tid = l.tgid;
	if (!l.tid)
		return 0;
	task = hash_table_get(&s->tasks, &l.tid);
	if (!task)
		return -ENOMEM;
	/* Lines of the trace know the name better: that of ps may be a path. */
	if (l.comm && !*task->comm)
		l.comm_size = (size_t)(end - l.comm);
	return systrace_task(s, &l) ? 0 : -ENOMEM;
}

int systrace_processes(struct systrace *s, const char *text, size_t size, bool *is_known)
{
	const char *end = text + size, *next;
	struct columns columns;
	int ret = 0;

	*is_known = false;
	for (; text < end && !ret; text = next + 1) {
		next = memchr(text, '\n', (size_t)(end - text));
		next = next ? next : end;
		if (take_header(text, next, &columns))
			*is_known = true;
		else if (*is_known)
			ret = take_row(s, text, next, &columns);
	}
	return ret;
}
