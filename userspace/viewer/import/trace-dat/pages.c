// SPDX-License-Identifier: GPL-2.0
/*
 * pages.c - reads the events in the pages of a ring buffer, one CPU
 *
 *   page  = stamp of 8 bytes, long: number of bytes that follow, and flags; events
 *   event = 5 bits of type, 27 bits of time since the event before, data
 *
 * A page that is damaged is left out; each page has a full stamp, so the next ones are read.
 */
#include "pages.h"

#include <errno.h>
#include <stdlib.h>

#define COMMIT ((1u << 27) - 1)		/* bytes of events in a page */
#define LOST (1u << 31)			/* events were lost before it */
#define LOST_COUNT (1u << 30)		/* their number follows the events */
#define DELTA_BITS 27
#define STAMP_TOP 0xf800000000000000ull	/* bits that an absolute stamp lacks */

enum { TYPE_LONG_DATA = 0, TYPE_PADDING = 29, TYPE_EXTEND = 30, TYPE_STAMP = 31 };

void pages_open(struct pages *p, struct file *f, const struct file_buffer *buffer,
		const struct file_cpu *cpu, unsigned int page_long)
{
	const struct bytes *all = &f->all;

	*p = (struct pages){
		.f = f, .cpu = cpu, .page_size = buffer->page_size, .page_long = page_long,
		.is_packed = buffer->is_packed, .file.is_big = all->is_big,
	};
	if (!cpu->size)
		return;
	if (cpu->offset >= all->size || cpu->size > all->size - cpu->offset)
		file_damage(f, all->data + all->size, "data of a CPU");
	if (cpu->offset >= all->size)
		return;
	p->file.data = all->data + cpu->offset;
	p->file.size = (size_t)(all->size - cpu->offset);
	if (!p->is_packed && cpu->size < p->file.size)
		p->file.size = (size_t)cpu->size;
	if (p->is_packed)
		p->chunks = bytes_number(&p->file, 4);
	else
		p->rest = p->file;
}

/* Makes @rest pages of the next chunk. Return: 1, 0: there is none, -ENOMEM. */
static int next_chunk(struct pages *p)
{
	size_t size;
	int ret;

	free(p->chunk);
	p->chunk = NULL;
	if (!p->chunks)
		return 0;
	p->chunks--;
	ret = compress_read(&p->file, p->f->codec, &p->chunk, &size);
	if (ret == -EBADMSG) {
		file_damage(p->f, p->file.data + p->file.at, "compressed data of a CPU");
		if (p->file.is_short)
			p->chunks = 0;
		p->lost = p->lost ? p->lost : PAGES_LOST_SOME;
		return 1;
	}
	if (ret)
		return ret;
	p->rest = (struct bytes){ .data = p->chunk, .size = size, .is_big = p->f->all.is_big };
	return 1;
}

static void add_lost(struct pages *p, __u64 number)
{
	if (p->lost == PAGES_LOST_SOME || number == PAGES_LOST_SOME)
		p->lost = PAGES_LOST_SOME;
	else
		p->lost += number;
}

static void damage(struct pages *p, const char *what)
{
	file_damage(p->f, p->page.data + p->page.at, what);
	add_lost(p, PAGES_LOST_SOME);
	p->page.at = p->page.size;
}

/* Begins a page. */
static void open_page(struct pages *p)
{
	const size_t left = p->rest.size - p->rest.at;
	const size_t size = left < p->page_size ? left : p->page_size;
	__u32 commit;
	__u64 number;

	p->page = (struct bytes){
		.data = bytes_take(&p->rest, size), .size = size, .is_big = p->rest.is_big,
	};
	p->ts = bytes_number(&p->page, 8);
	commit = (__u32)bytes_number(&p->page, p->page_long);
	if (p->page.is_short || (commit & COMMIT) > p->page.size - p->page.at) {
		damage(p, "a page");
		return;
	}
	if (commit & LOST) {
		struct bytes after = p->page;

		after.at += commit & COMMIT;
		number = commit & LOST_COUNT ? bytes_number(&after, p->page_long) : 0;
		add_lost(p, number && !after.is_short ? number : PAGES_LOST_SOME);
	}
	p->page.size = p->page.at + (commit & COMMIT);
}

/* An absolute stamp lacks its 5 highest bits, which are those of the event before. */
static __u64 absolute(__u64 stamp, __u64 before)
{
	const __u64 ts = stamp | (before & STAMP_TOP);

	return before & STAMP_TOP && ts < before ? ts + (1ull << 59) : ts;
}

/* Reads an event of the page. Return: true: it has data. */
static bool read_event(struct pages *p)
{
	const __u32 word = (__u32)bytes_number(&p->page, 4);
	const bool is_big = p->page.is_big;
	const unsigned int type = is_big ? word >> DELTA_BITS : word & 31;
	const __u64 delta = is_big ? word & ((1u << DELTA_BITS) - 1) : word >> 5;
	__u64 more, size;

	if (type == TYPE_EXTEND || type == TYPE_STAMP) {
		more = (bytes_number(&p->page, 4) << DELTA_BITS) + delta;
		p->ts = type == TYPE_EXTEND ? p->ts + more : absolute(more, p->ts);
		return false;
	}
	p->ts += delta;
	if (type == TYPE_PADDING) {
		/* Without a time, it fills the rest of the page. */
		more = delta ? bytes_number(&p->page, 4) : 0;
		size = more >= 4 ? more - 4 : p->page.size - p->page.at;
	} else if (type == TYPE_LONG_DATA) {
		more = bytes_number(&p->page, 4);
		size = more >= 4 ? (more - 4 + 3) & ~3ull : ~0ull;
	} else {
		size = 4ull * type;
	}
	p->data = bytes_take(&p->page, size);
	p->size = (size_t)size;
	return type != TYPE_PADDING && p->data;
}

/* Goes to the next page with anything in it. Return: 1, 0: there is none, -ENOMEM. */
static int next_page(struct pages *p)
{
	while (p->rest.at >= p->rest.size) {
		const int ret = p->is_packed ? next_chunk(p) : 0;

		if (ret <= 0)
			return ret;
	}
	open_page(p);
	return 1;
}

/* Goes to the next event. Return: 1, 0: there is none, -ENOMEM. */
static int find_event(struct pages *p)
{
	bool has_data = false;

	while (!has_data) {
		const int ret = p->page.at >= p->page.size ? next_page(p) : 1;

		if (ret <= 0)
			return ret;
		if (p->page.at >= p->page.size)
			continue;
		has_data = read_event(p);
		if (p->page.is_short) {
			damage(p, "an event");
			has_data = false;
		}
	}
	return 1;
}

int pages_next(struct pages *p)
{
	int ret;

	p->lost = 0;
	ret = find_event(p);
	if (ret <= 0)
		p->data = NULL;
	p->events += ret > 0;
	p->counted += p->lost == PAGES_LOST_SOME ? 1 : p->lost;
	return ret < 0 ? ret : 0;
}

void pages_close(struct pages *p)
{
	free(p->chunk);
	p->chunk = NULL;
}
