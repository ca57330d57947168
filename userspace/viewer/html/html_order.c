// SPDX-License-Identifier: GPL-2.0
/*
 * html_order.c - the order of rows on a page
 *
 * By machine, below its host if there are several: CPUs and interrupts, then processes; below a
 * process its locks, then its threads; below a thread its waits and its spans. Processes and hosts
 * have no states of their own, so their rows are made when all others are known.
 */
#include "html.h"

#include <stdio.h>
#include <stdlib.h>

#define PARTS 6

/* struct place - sort key of a row, the most significant number first */
struct place {
	__u64 part[PARTS];
	__u32 row;
};

static struct html_key process_key(const struct html_row *row)
{
	return (struct html_key){ HTML_PROCESS, row->key.machine, row->pid, 0 };
}

static struct html_key host_key(__u32 machine)
{
	return (struct html_key){ HTML_HOST, machine, 0, 0 };
}

__u32 html_row_parent(struct html *h, const struct html_row *row)
{
	const bool is_of_process = row->key.kind == HTML_THREAD || row->key.kind == HTML_LOCK;
	const struct html_key process = process_key(row), host = host_key(row->key.machine);

	if (row->thread != HTML_NO_ROW)
		return row->thread;
	if (is_of_process && row->pid)
		return html_row_find(&h->rows, &process);
	return row->key.kind != HTML_HOST && h->hosts.has_several ?
	       html_row_find(&h->rows, &host) : HTML_NO_ROW;
}

/* Makes the row of a row's host, if there are several. */
static void make_host(struct html *h, __u32 machine)
{
	const struct html_key key = host_key(machine);
	char text[KTRACE_OUT_MIN];
	struct ktrace_out out = { .buf = text, .cap = sizeof(text) };
	struct html_row *row;
	bool is_new;
	__u32 i;

	i = h->hosts.has_several ? html_row_get(&h->rows, &key, &is_new) : HTML_NO_ROW;
	if (i == HTML_NO_ROW || !is_new)
		return;
	row = html_row_at(&h->rows, i);
	hosts_put_name(&out, h->set, machine);
	snprintf(row->name, sizeof(row->name), "%.*s", (int)out.len, text);
}

/* Makes the row of a row's process, named after its first thread, or else after any thread. */
static void make_process(struct html *h, __u32 i)
{
	const struct html_row *row = html_row_at(&h->rows, i);
	struct html_key key = process_key(row);
	struct thread_label who = row->who;
	__u32 pid = row->pid, process;
	bool is_new;

	process = html_row_get(&h->rows, &key, &is_new);
	if (process == HTML_NO_ROW)
		return;
	html_row_at(&h->rows, process)->pid = pid;
	if (*who.comm && (who.tid == pid || !*html_row_at(&h->rows, process)->name))
		snprintf(html_row_at(&h->rows, process)->name, sizeof(who.comm), "%s", who.comm);
}

static struct place place_of(struct html *h, __u32 i)
{
	const struct html_row *row = html_row_at(&h->rows, i), *about = row;
	struct place p = { .row = i };

	if (row->thread != HTML_NO_ROW)
		about = html_row_at(&h->rows, row->thread);
	p.part[0] = about->key.machine;
	if (row->key.kind < HTML_PROCESS) {
		p.part[1] = row->key.kind;
		p.part[2] = row->key.number;
		return p;
	}
	p.part[1] = HTML_PROCESS;
	p.part[2] = about->pid ? about->pid : ~0ull;
	p.part[3] = about->key.kind;
	p.part[4] = about->key.kind == HTML_THREAD ?
		(__u64)about->who.tid << 32 | (__u32)about->key.number : about->key.number;
	p.part[5] = about == row ? 0 : (__u64)row->key.kind << 8 | row->key.depth;
	return p;
}

static int by_place(const void *x, const void *y)
{
	const struct place *a = x, *b = y;
	int i;

	for (i = 0; i < PARTS; i++)
		if (a->part[i] != b->part[i])
			return a->part[i] < b->part[i] ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

__u32 *html_row_order(struct html *h)
{
	const size_t others = h->rows.rows.nr;
	struct place *places;
	__u32 *order;
	size_t i;

	for (i = 0; i < others; i++) {
		if (html_row_at(&h->rows, (__u32)i)->pid)
			make_process(h, (__u32)i);
		if (html_row_at(&h->rows, (__u32)i)->thread == HTML_NO_ROW)
			make_host(h, html_row_at(&h->rows, (__u32)i)->key.machine);
	}
	places = calloc(h->rows.rows.nr + 1, sizeof(*places));
	order = calloc(h->rows.rows.nr + 1, sizeof(*order));
	for (i = 0; places && order && i < h->rows.rows.nr; i++)
		places[i] = place_of(h, (__u32)i);
	if (places && order)
		qsort(places, h->rows.rows.nr, sizeof(*places), by_place);
	for (i = 0; places && order && i < h->rows.rows.nr; i++)
		order[i] = places[i].row;
	if (!places) {
		free(order);
		order = NULL;
	}
	free(places);
	return order;
}
