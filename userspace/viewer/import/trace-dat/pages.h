/* SPDX-License-Identifier: GPL-2.0 */
/* pages.h - reads the events in the pages of a ring buffer, one CPU */
#ifndef VIEWER_IMPORT_TRACE_DAT_PAGES_H
#define VIEWER_IMPORT_TRACE_DAT_PAGES_H

#include "file.h"

/** PAGES_LOST_SOME - events were lost, but the kernel does not know how many */
#define PAGES_LOST_SOME (~0ull)

/**
 * struct pages - events of one CPU of a buffer
 * @f:		the file
 * @cpu:	its data
 * @page_size:	bytes of a page
 * @page_long:	bytes of a long of the kernel
 * @is_packed:	pages are in compressed chunks
 * @file:	the rest of its data in the file
 * @chunks:	number of compressed chunks left
 * @chunk:	the current chunk, NULL = none
 * @rest:	pages of it, or of @file, that are still to come
 * @page:	the rest of the current page
 * @ts:		stamp of the event, not converted
 * @data:	the current event, NULL = none is left
 * @size:	its bytes
 * @lost:	number of events lost right before it
 * @counted:	number of events lost so far; unknown numbers count as 1
 * @events:	number of events so far
 */
struct pages {
	struct file *f;
	const struct file_cpu *cpu;
	__u32 page_size;
	unsigned int page_long;
	bool is_packed;
	struct bytes file;
	__u64 chunks;
	void *chunk;
	struct bytes rest;
	struct bytes page;
	__u64 ts;
	const unsigned char *data;
	size_t size;
	__u64 lost;
	__u64 counted;
	__u64 events;
};

/** pages_open - begin to read; reports nothing, see @damaged of struct file */
void pages_open(struct pages *p, struct file *f, const struct file_buffer *buffer,
		const struct file_cpu *cpu, unsigned int page_long);
/** pages_next - go to the next event; after the last one @data is NULL. Return: 0, -ENOMEM */
int pages_next(struct pages *p);
void pages_close(struct pages *p);

#endif
