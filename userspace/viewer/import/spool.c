// SPDX-License-Identifier: GPL-2.0
/*
 * spool.c - sorts events by time
 *
 * Packets are in the order in which the service received them, chunk by chunk; events in a stream
 * of a tracefile are in order of time.
 */
#include "spool.h"

#include "base/grow.h"
#include "base/temporary.h"
#include "base/viewer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Bytes of events in memory before they are written to the file */
#define SPOOL_MEMORY (32u << 20)

/* Bytes of a part released at a time after reading; at least a page. */
#define PASSED (1u << 20)

typedef int (*put_fn)(void *arg, const struct spooled *e, const char *data);

/*
 * struct spool_run - a sorted part: its rest in the file, and its first event
 * passed: bytes before this offset have been released
 */
struct spool_run {
	size_t at;
	size_t end;
	size_t passed;
	struct spooled head;
};

static int compare(const void *a, const void *b)
{
	const struct spooled *x = a, *y = b;

	/* Stamps before the clock's zero are negative. */
	if (x->ts != y->ts)
		return (__s64)x->ts < (__s64)y->ts ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void sort(struct spool *s)
{
	if (s->nr)
		qsort(s->events, s->nr, sizeof(*s->events), compare);
}

static int complain_file(int error)
{
	temporary_failed(error);
	return -ECANCELED;
}

static int open_file(struct spool *s)
{
	if (!s->file)
		s->file = temporary_stream();
	return s->file ? 0 : -ECANCELED;
}

/* Sorts the events in memory and writes them to the file. */
static int write_run(struct spool *s)
{
	struct spool_run *new = realloc(s->runs, (s->run_nr + 1) * sizeof(*new));
	int ret = new ? open_file(s) : -ENOMEM;

	if (new)
		s->runs = new;
	if (!ret)
		ret = output_room(fileno(s->file), s->nr * sizeof(*s->events) + s->payloads.len);
	if (ret)
		return ret;
	sort(s);
	new[s->run_nr].at = s->end;
	for (size_t i = 0; i < s->nr; i++) {
		fwrite(&s->events[i], sizeof(*s->events), 1, s->file);
		if (s->events[i].len)
			fwrite(s->payloads.buf + s->events[i].at, 1, s->events[i].len, s->file);
		s->end += sizeof(*s->events) + s->events[i].len;
	}
	new[s->run_nr++].end = s->end;
	s->nr = 0;
	s->payloads.len = 0;
	return fflush(s->file) || ferror(s->file) ? complain_file(errno) : 0;
}

int spool_add(struct spool *s, struct spooled e, const void *data)
{
	if (!LIST_GROW(s->events, s->nr, s->cap))
		return -ENOMEM;
	s->payloads.flush = output_grow;
	e.at = s->payloads.len;
	e.order = s->order++;
	if (e.len)
		ktrace_out_bytes(&s->payloads, data, e.len);
	s->events[s->nr++] = e;
	if (!s->payloads.error && s->nr * sizeof(e) + s->payloads.len >= SPOOL_MEMORY)
		return write_run(s);
	return s->payloads.error;
}

/* struct target - the spool and the tracefile that its events go to */
struct target {
	const struct spool *spool;
	struct import_writer *f;
};

static int put(void *arg, const struct spooled *e, const char *data)
{
	const struct import_writer_event event = {
		.type = e->type, .cpu = e->cpu, .ts = e->ts, .tid = e->tid, .pid = e->pid,
		.comm = *e->comm ? e->comm : NULL, .flags = e->flags, .len = e->len,
		.data = e->len ? data : NULL,
	};
	const struct target *to = arg;
	struct ktrace_lost lost = { 0 };

	if (e->is_mark)
		return to->spool->put_mark(to->spool->arg, e, data);
	if (e->type)
		return import_writer_put(to->f, &event);
	lost.count[e->reason] = e->lost;
	return import_writer_lost(to->f, e->cpu < 0 ? KTRACE_CHANNEL_USER : KTRACE_CHANNEL_KERNEL,
				  e->cpu, e->ts, &lost);
}

int spool_write_one(struct import_writer *f, const struct spooled *e,
		    const struct ktrace_out *payload)
{
	struct target to = { .f = f };
	struct spooled one = *e;

	one.len = (__u32)payload->len;
	return put(&to, &one, payload->buf);
}

/* Moves a run whose head is later now down the heap, until no run below it is earlier. */
static void sift(struct spool_run *heap, size_t nr, size_t at)
{
	const struct spool_run run = heap[at];
	size_t child;

	for (; (child = 2 * at + 1) < nr; at = child) {
		if (child + 1 < nr && compare(&heap[child + 1].head, &heap[child].head) < 0)
			child++;
		if (compare(&run.head, &heap[child].head) <= 0)
			break;
		heap[at] = heap[child];
	}
	heap[at] = run;
}

static void take_head(struct spool_run *run, char *file)
{
	while (run->at - run->passed > 2 * PASSED) {
		madvise(file + run->passed, PASSED, MADV_DONTNEED);
		run->passed += PASSED;
	}
	memcpy(&run->head, file + run->at, sizeof(run->head));
	run->at += sizeof(run->head);
}

static int merge(struct spool *s, char *file, put_fn to, void *arg)
{
	struct spool_run *heap = s->runs;
	size_t nr = s->run_nr;
	int ret = 0;

	for (size_t i = 0; i < nr; i++) {
		heap[i].passed = heap[i].at / PASSED * PASSED;
		take_head(&heap[i], file);
	}
	for (size_t i = nr / 2; i-- > 0;)
		sift(heap, nr, i);
	while (nr && !ret) {
		ret = to(arg, &heap->head, file + heap->at);
		heap->at += heap->head.len;
		if (heap->at == heap->end)
			*heap = heap[--nr];
		else
			take_head(heap, file);
		sift(heap, nr, 0);
	}
	return ret;
}

static int each_merged(struct spool *s, put_fn to, void *arg)
{
	int ret = s->nr ? write_run(s) : 0;
	char *file;

	if (ret)
		return ret;
	file = mmap(NULL, s->end, PROT_READ, MAP_SHARED, fileno(s->file), 0);
	if (file == MAP_FAILED)
		return complain_file(errno);
	ret = merge(s, file, to, arg);
	munmap(file, s->end);
	return ret;
}

int spool_each(struct spool *s, put_fn to, void *arg)
{
	int ret = 0;

	if (s->run_nr)
		return each_merged(s, to, arg);
	sort(s);
	for (size_t i = 0; i < s->nr && !ret; i++)
		ret = to(arg, &s->events[i], s->payloads.buf + s->events[i].at);
	return ret;
}

int spool_write(struct spool *s, struct import_writer *f)
{
	struct target to = { .spool = s, .f = f };

	return spool_each(s, put, &to);
}

void spool_free(struct spool *s)
{
	if (s->file)
		fclose(s->file);
	free(s->runs);
	free(s->events);
	free(s->payloads.buf);
	*s = (struct spool){ 0 };
}
