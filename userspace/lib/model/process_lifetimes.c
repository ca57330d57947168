// SPDX-License-Identifier: LGPL-2.1
/*
 * process_lifetimes.c - starts of processes, and of programs in them, between the events of files
 *
 * They come from META lines, see ktrace_trace_process(), all of which are known once a file is
 * open. They are sorted by stamp, and returned as the events of the file go by.
 */
#include "process_lifetimes.h"

#include "machine.h"

#include <errno.h>
#include <stdlib.h>

/**
 * struct file - lifetimes of one file
 * @machine:	number of the first file of the same boot
 * @list:	ordered by stamp
 * @nr:		number of them
 * @at:		index of the next one
 */
struct file {
	__u32 machine;
	struct ktrace_trace_process *list;
	size_t nr;
	size_t at;
};

struct lifetimes {
	size_t nr;
	struct file files[];
};

static int by_raw(const void *x, const void *y)
{
	const struct ktrace_trace_process *a = x, *b = y;

	return (a->raw > b->raw) - (a->raw < b->raw);
}

static int read_file(struct file *f, const struct ktrace_trace *trace)
{
	const struct ktrace_trace_process *p;
	size_t nr = 0;

	while (ktrace_trace_process(trace, nr))
		nr++;
	f->list = calloc(nr + 1, sizeof(*f->list));
	if (!f->list)
		return -ENOMEM;
	while ((p = ktrace_trace_process(trace, f->nr)))
		f->list[f->nr++] = *p;
	qsort(f->list, f->nr, sizeof(*f->list), by_raw);
	return 0;
}

int lifetimes_new(const struct ktrace_traceset *set, struct lifetimes **out)
{
	struct lifetimes *b;
	size_t nr = 0;

	while (ktrace_traceset_trace(set, nr))
		nr++;
	b = calloc(1, sizeof(*b) + nr * sizeof(b->files[0]));
	if (!b)
		return -ENOMEM;
	for (; b->nr < nr; b->nr++) {
		b->files[b->nr].machine = machine_of(set, ktrace_traceset_trace(set, b->nr));
		if (read_file(&b->files[b->nr], ktrace_traceset_trace(set, b->nr))) {
			lifetimes_free(b);
			return -ENOMEM;
		}
	}
	*out = b;
	return 0;
}

void lifetimes_free(struct lifetimes *b)
{
	while (b && b->nr)
		free(b->files[--b->nr].list);
	free(b);
}

bool lifetimes_next(struct lifetimes *b, const struct ktrace_trace_event *e, struct lifetime *birth)
{
	const size_t i = ktrace_trace_index(e->stream->trace);
	const struct file *f = &b->files[i];

	return f->at < f->nr && f->list[f->at].raw < e->raw && lifetimes_rest(b, i, birth);
}

bool lifetimes_rest(struct lifetimes *b, size_t i, struct lifetime *birth)
{
	struct file *f = &b->files[i];
	const struct ktrace_trace_process *p = &f->list[f->at];

	if (i >= b->nr || f->at == f->nr)
		return false;
	*birth = (struct lifetime){ f->machine, p->pid, p->ppid, p->is_fork, p->raw };
	f->at++;
	return true;
}

__u32 lifetimes_machine(const struct lifetimes *b, const struct ktrace_trace *trace)
{
	return b->files[ktrace_trace_index(trace)].machine;
}
