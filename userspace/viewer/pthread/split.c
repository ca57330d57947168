// SPDX-License-Identifier: GPL-2.0
/*
 * split.c - distributes lines to files by process or by thread
 *
 * There may be many thousands of files, so none stays open. Lines are kept in memory until they
 * exceed HELD_MAX in all; then each file in turn is opened and its lines are appended.
 *
 * A child's history is the beginning of its parent's file, which only grows: it is copied when the
 * child has its first line, so children without lines have no file. A child of a child that has no
 * lines yet begins with the same part of the same file.
 */
#include "split.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash_table.h"
#include "base/output_file.h"
#include "base/viewer.h"
#include "model/object_names.h"
#include "model/process_lifetimes.h"

#define HELD_MAX (8u << 20)

/**
 * struct part - one file
 * @machine:	key: number of the first file of the same boot
 * @pid:	key: process, 0 = lost events
 * @tid:	key: thread, 0 = all
 * @has_lines:	it has lines of its own, or is about to get the first
 * @raw:	stamp at which the process was forked
 * @history:	1 + number of the part whose file it begins with, 0 = none
 * @history_size: number of bytes of that file
 * @written:	bytes written to the file
 * @text:	text to be appended
 * @size:	bytes of @text
 * @cap:	room at @text
 */
struct part {
	__u32 machine;
	__u32 pid;
	__u32 tid;
	__u32 has_lines;
	__u64 raw;
	size_t history;
	__u64 history_size;
	__u64 written;
	char *text;
	size_t size;
	size_t cap;
};

/**
 * struct split - all files
 * @by:		what files are split by
 * @base:	prefix of their names
 * @inputs:	files that must not be written to
 * @input_nr:	number of these
 * @births:	starts of processes
 * @parts:	struct part
 * @held:	bytes of lines in memory
 * @lines:	lines of the current event
 */
struct split {
	enum split_by by;
	const char *base;
	char **inputs;
	int input_nr;
	struct lifetimes *births;
	struct hash_table parts;
	size_t held;
	struct ktrace_out lines;
};

const char *split_option(const char *text, enum split_by *by)
{
	static const char *const names[] = { "pid", "pidx", "tid", NULL };
	const char *wrong;
	const int i = command_choice("-s", text, names, &wrong);

	if (i < 0)
		return wrong;
	*by = (enum split_by)(SPLIT_PID + i);
	return NULL;
}

int split_new(enum split_by by, const char *base, const struct ktrace_traceset *set,
	      int nr, char **inputs, struct split **out)
{
	struct split *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->by = by;
	s->base = base;
	s->inputs = files_expand(nr, inputs, &s->input_nr);
	s->parts = (struct hash_table)HASH_TABLE_INIT(struct part, tid);
	s->lines.flush = output_grow;
	if (!s->inputs || lifetimes_new(set, &s->births) || output_grow(&s->lines)) {
		split_end(s);
		return -ENOMEM;
	}
	*out = s;
	return 0;
}

struct ktrace_out *split_lines(struct split *s)
{
	return &s->lines;
}

/* Lets a child that has no lines yet inherit its parent's history. */
static int take_birth(struct split *s, const struct lifetime *birth)
{
	const struct { __u32 machine, pid, tid; } parent_key = { birth->machine, birth->ppid, 0 },
						  key = { birth->machine, birth->pid, 0 };
	const struct part *parent;
	struct part *p = hash_table_get(&s->parts, &key);

	if (!p)
		return -ENOMEM;
	parent = hash_table_find(&s->parts, &parent_key);
	if (!parent || p->has_lines || birth->raw <= p->raw)
		return 0;
	p->raw = birth->raw;
	p->history = parent->history;
	p->history_size = parent->history_size;
	if (parent->has_lines) {
		p->history = (size_t)((const char *)parent - s->parts.at) / sizeof(*p) + 1;
		p->history_size = parent->written + parent->size;
	}
	return 0;
}

int split_see(struct split *s, const struct ktrace_trace_event *e)
{
	struct lifetime birth;
	int ret = 0;

	if (s->by != SPLIT_PIDX)
		return 0;
	while (!ret && lifetimes_next(s->births, e, &birth))
		if (birth.is_fork)
			ret = take_birth(s, &birth);
	return ret;
}

static char *path_of(const struct split *s, const struct part *p)
{
	char machine[16] = "", tid[16] = "", *path;
	int n;

	if (p->machine)
		snprintf(machine, sizeof(machine), ".%u", p->machine);
	if (p->tid)
		snprintf(tid, sizeof(tid), "-%u", p->tid);
	if (p->pid)
		n = asprintf(&path, "%s%s-%u%s", s->base, machine, p->pid, tid);
	else
		n = asprintf(&path, "%s%s-lost", s->base, machine);
	return n < 0 ? NULL : path;
}

static bool is_input(const struct split *s, int fd)
{
	struct stat file, input;
	int i;

	for (i = 0; i < s->input_nr && !fstat(fd, &file); i++)
		if (!stat(s->inputs[i], &input) && input.st_dev == file.st_dev &&
		    input.st_ino == file.st_ino)
			return true;
	return false;
}

/* Opens the file for appending; the first time, empties it. Return: its descriptor, -errno. */
static int open_part(const struct split *s, const struct part *p, const char *path)
{
	int fd = ktrace_output_file(path, O_RDWR | O_CREAT | O_APPEND);
	int ret = 0;

	if (fd < 0)
		return fd;
	if (!p->written && is_input(s, fd))
		ret = -EEXIST;
	else if (!p->written)
		ret = output_empty(fd);
	if (ret)
		close(fd);
	return ret ? ret : fd;
}

/* Copies the first @size bytes of the file @path. */
static int copy(int to, const char *path, __u64 size)
{
	int from = open(path, O_RDONLY | O_CLOEXEC), ret = from < 0 ? -errno : 0;
	char buf[1 << 16];
	ssize_t n;

	while (!ret && size) {
		n = read(from, buf, size < sizeof(buf) ? (size_t)size : sizeof(buf));
		ret = n > 0 ? output_write(to, buf, (size_t)n) : n ? -errno : -EIO;
		size -= n > 0 ? (__u64)n : 0;
	}
	if (from >= 0)
		close(from);
	return ret;
}

/*
 * Appends the lines held for a part, after the first @history_size bytes of the file @history, if
 * that is not NULL. Return: 0, -errno; errors are already reported.
 */
static int write_part(struct split *s, struct part *p, const char *history)
{
	char *path = path_of(s, p);
	int ret = -ENOMEM, fd = -1;

	if (path)
		ret = fd = open_part(s, p, path);
	if (fd >= 0) {
		ret = history ? copy(fd, history, p->history_size) : 0;
		if (!ret)
			ret = output_write(fd, p->text, p->size);
		close(fd);
	}
	if (ret)
		complain_about(path ? path : s->base, "%s",
			       ret == -EEXIST ? "is to be read" : output_error(ret));
	p->written += p->size + (history ? p->history_size : 0);
	s->held -= p->size;
	p->size = 0;
	free(path);
	return ret;
}

/* Prepares a part for its first line: writes its history. */
static int begin_part(struct split *s, struct part *p)
{
	struct part *parent;
	char *history;
	int ret;

	p->has_lines = 1;
	if (!p->history || !p->history_size)
		return 0;
	parent = hash_table_at(&s->parts, p->history - 1);
	ret = parent->size ? write_part(s, parent, NULL) : 0;
	if (ret)
		return ret;
	history = path_of(s, parent);
	ret = history ? write_part(s, p, history) : -ENOMEM;
	free(history);
	return ret;
}

static int append(struct split *s, struct part *p, const char *text, size_t size)
{
	size_t cap = p->cap ? p->cap : 512;
	char *bigger;

	while (cap < p->size + size)
		cap *= 2;
	if (cap != p->cap) {
		bigger = realloc(p->text, cap);
		if (!bigger)
			return -ENOMEM;
		p->text = bigger;
		p->cap = cap;
	}
	memcpy(p->text + p->size, text, size);
	p->size += size;
	s->held += size;
	return 0;
}

static int write_parts(struct split *s)
{
	struct part *p;
	int ret = 0;
	size_t i;

	for (i = 0; i < s->parts.nr && !ret; i++) {
		p = hash_table_at(&s->parts, i);
		if (p->size)
			ret = write_part(s, p, NULL);
		free(p->text);
		p->text = NULL;
		p->cap = 0;
	}
	return ret;
}

int split_take(struct split *s, const struct ktrace_trace_event *e)
{
	const bool is_lost = e->id == KTRACE_ID_LOST;
	const struct { __u32 machine, pid, tid; } key = {
		lifetimes_machine(s->births, e->stream->trace), is_lost ? 0 : object_name_pid(e),
		is_lost || s->by != SPLIT_TID ? 0 : e->tid,
	};
	struct part *p;
	int ret = s->lines.error;

	if (ret || !s->lines.len)
		return ret;
	p = hash_table_get(&s->parts, &key);
	if (!p)
		return -ENOMEM;
	if (!p->has_lines)
		ret = begin_part(s, p);
	if (!ret)
		ret = append(s, p, s->lines.buf, s->lines.len);
	s->lines.len = 0;
	return !ret && s->held > HELD_MAX ? write_parts(s) : ret;
}

int split_end(struct split *s)
{
	int ret;

	if (!s)
		return 0;
	ret = write_parts(s);
	hash_table_free_with(&s->parts, offsetof(struct part, text));
	lifetimes_free(s->births);
	files_free(s->inputs);
	free(s->lines.buf);
	free(s);
	return ret;
}
