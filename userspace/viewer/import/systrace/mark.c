// SPDX-License-Identifier: GPL-2.0
/* mark.c - converts marks of programs to slices, instants and counters */
#include "systrace.h"

#include "import/atrace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PROVIDER "atrace"

static void keep(struct ktrace_out *to, const char *text, size_t size)
{
	to->len = 0;
	if (size)
		ktrace_out_bytes(to, text, size);
	ktrace_out_char(to, 0);
}

/* Names the mark in @name of @s; returns the number of the name. */
static int name_mark(struct systrace *s, const struct atrace_mark *m)
{
	keep(&s->name, m->name, m->name_size);
	return s->name.error ? s->name.error : builder_name(s->b, PROVIDER, s->name.buf);
}

static int begin_slice(struct systrace *s, const struct atrace_mark *m, struct open_slices *slices)
{
	const int number = name_mark(s, m);

	if (number < 0 || slices_open(slices, (__u32)number))
		return -ENOMEM;
	builder_begin(s->b, (__u32)number, "_begin", s->name.buf);
	return 0;
}

static int end_slice(struct systrace *s, const struct atrace_mark *m, struct open_slices *slices)
{
	const bool is_open = slices->depth;
	int number = (int)slices_close(slices, 0);

	if (!is_open)
		number = m->name_size ? name_mark(s, m) : builder_name(s->b, "track", "slice");
	if (number < 0)
		return number;
	builder_begin(s->b, (__u32)number, "_end", "");
	return 0;
}

static void put_text(struct systrace *s, const char *name, const char *text, size_t size)
{
	if (size)
		builder_text(s->b, name, text, size);
}

static int put_instant(struct systrace *s, const struct line *l, const struct atrace_mark *m)
{
	const int number = name_mark(s, m);

	if (number < 0)
		return number;
	builder_begin(s->b, (__u32)number, "", s->name.buf);
	put_text(s, "track", m->track, m->track_size);
	return systrace_put(s, KTRACE_CHANNEL_USER, l);
}

/* Writes a counter, which belongs to the process: its main thread. */
static int put_counter(struct systrace *s, const struct line *l, const struct atrace_mark *m)
{
	struct line main = *l;

	if (m->pid && m->pid != l->tid) {
		main.tid = main.tgid = m->pid;
		main.comm_size = 0;
	}
	keep(&s->name, m->name, m->name_size);
	if (s->name.error)
		return s->name.error;
	builder_begin_counter(s->b, s->name.buf);
	builder_s64(s->b, "value", m->value);
	return systrace_put(s, KTRACE_CHANNEL_USER, &main);
}

static __u64 digest(__u64 hash, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)text[i]) * 1099511628211ull;
	return (hash ^ 0xff) * 1099511628211ull;
}

/* Writes the beginning or end of a slice that belongs to an id, on a track of its own. */
static int put_async(struct systrace *s, const struct line *l, const struct atrace_mark *m)
{
	const bool is_begin = m->phase == 'S' || m->phase == 'G', has_track = m->track_size;
	const char *kind = has_track ? m->track : m->name;
	const size_t kind_size = has_track ? m->track_size : m->name_size;
	const struct async_key key = {
		.pid = m->pid, .id = (__u64)m->id,
		.kind = digest(has_track ? 1469598103934665603ull : 14695981039346656037ull, kind,
			       kind_size),
	};
	struct foreign_thread *track;
	struct spooled e;
	int ret;

	keep(&s->name, kind, kind_size);
	if (s->name.error)
		return s->name.error;
	track = asyncs_track(&s->asyncs, s->threads, &key, m->pid, s->name.buf);
	if (!track)
		return -ENOMEM;
	ret = is_begin ? begin_slice(s, m, &track->slices) : end_slice(s, m, &track->slices);
	if (ret)
		return ret;
	builder_u64(s->b, "x64", "id", (__u64)m->id);
	put_text(s, "track", m->track, m->track_size);
	e = (struct spooled){
		.ts = l->ns, .cpu = l->cpu, .tid = track->own_tid, .pid = m->pid,
	};
	memcpy(e.comm, track->comm, sizeof(e.comm));
	ret = builder_put(s->b, KTRACE_CHANNEL_USER, e);
	return ret ? ret : asyncs_done(&s->asyncs, &key, track);
}

static int put_slice(struct systrace *s, const struct line *l, const struct atrace_mark *m)
{
	struct task *task = systrace_task(s, l);
	int ret = task ? 0 : -ENOMEM;

	if (!ret)
		ret = m->phase == 'B' ? begin_slice(s, m, &task->slices) :
		      end_slice(s, m, &task->slices);
	return ret ? ret : systrace_put(s, KTRACE_CHANNEL_USER, l);
}

int systrace_mark(struct systrace *s, const struct line *l, const char *text, size_t size,
		  bool *is_mark)
{
	struct atrace_mark m;
	struct task *task;

	*is_mark = atrace_parse(text, size, &m);
	if (!*is_mark)
		return 0;
	task = systrace_task(s, l);
	if (!task)
		return -ENOMEM;
	if (m.pid && !task->tgid)
		task->tgid = m.pid;
	switch (m.phase) {
	case 'B':
	case 'E':
		return put_slice(s, l, &m);
	case 'C':
		return put_counter(s, l, &m);
	case 'I':
	case 'N':
		return put_instant(s, l, &m);
	default:
		return put_async(s, l, &m);
	}
}
