// SPDX-License-Identifier: GPL-2.0
/*
 * merge.c - reads the events of all CPUs and buffers in order of time
 *
 * A heap of streams; of events with the same time that of the first buffer and CPU comes first.
 * The order of a CPU is never changed, also where its time goes back.
 */
#include "merge.h"

#include <errno.h>
#include <stdlib.h>

#include "clock.h"

static bool is_before(const struct merge_stream *a, const struct merge_stream *b)
{
	return a->ns == b->ns ? a < b : a->ns < b->ns;
}

/* Moves a stream down to its place. */
static void sink(struct merge *m, __u32 i)
{
	struct merge_stream *s = m->heap[i];

	for (;;) {
		__u32 child = 2 * i + 1;

		if (child + 1 < m->heap_nr && is_before(m->heap[child + 1], m->heap[child]))
			child++;
		if (child >= m->heap_nr || !is_before(m->heap[child], s))
			break;
		m->heap[i] = m->heap[child];
		i = child;
	}
	m->heap[i] = s;
}

static int advance(struct merge_stream *s)
{
	const int ret = pages_next(&s->pages);

	if (!ret && s->pages.data)
		s->ns = clock_ns(s->pages.f, s->pages.cpu->cpu, s->pages.ts);
	return ret;
}

static int add_stream(struct merge *m, const struct file_buffer *buffer,
		      const struct file_cpu *cpu, struct file *f, unsigned int page_long)
{
	struct merge_stream *s = &m->all[m->nr++];
	int ret;

	s->buffer = buffer;
	pages_open(&s->pages, f, buffer, cpu, page_long);
	ret = advance(s);
	if (s->pages.data)
		m->heap[m->heap_nr++] = s;
	return ret;
}

int merge_open(struct merge *m, struct file *f, unsigned int page_long)
{
	size_t nr = 0;
	int ret = 0;

	for (__u32 i = 0; i < f->buffer_nr; i++)
		nr += f->buffers[i].cpu_nr;
	*m = (struct merge){
		.all = calloc(nr + 1, sizeof(*m->all)), .heap = calloc(nr + 1, sizeof(*m->heap)),
	};
	if (!m->all || !m->heap)
		return -ENOMEM;
	for (__u32 i = 0; i < f->buffer_nr; i++)
		for (__u32 k = 0; k < f->buffers[i].cpu_nr && !ret; k++)
			ret = add_stream(m, &f->buffers[i], &f->buffers[i].cpus[k], f, page_long);
	for (__u32 i = m->heap_nr / 2; i--;)
		sink(m, i);
	return ret;
}

int merge_next(struct merge *m)
{
	struct merge_stream *s = m->heap[0];
	int ret;

	s->last_ns = s->ns;
	s->has_last = true;
	ret = advance(s);
	if (!s->pages.data)
		m->heap[0] = m->heap[--m->heap_nr];
	if (m->heap_nr)
		sink(m, 0);
	return ret;
}

void merge_close(struct merge *m)
{
	for (__u32 i = 0; m->all && i < m->nr; i++)
		pages_close(&m->all[i].pages);
	free(m->all);
	free(m->heap);
}
