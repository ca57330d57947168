/* SPDX-License-Identifier: LGPL-2.1 */
/* read.h - sections of a tracefile that may be damaged, hostile, cut off or growing */
#ifndef KTRACE_TRACEFILE_READ_H
#define KTRACE_TRACEFILE_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/ktrace_file.h>

/* @offset: of a section, KTRACE_OFFSET_NONE = about the file as a whole */
typedef void (*report_fn)(void *arg, const char *path, __u64 offset, const char *message);

/**
 * struct reader - one tracefile being read
 * @fd:		the file
 * @path:	its name
 * @uuid:	from its header
 * @part:	from its header
 * @base:	added to offsets in the file: ktrace_reader_set_base()
 * @size:	its end when last checked: bytes plus @base
 * @next:	where walking continues
 * @searched:	bytes checked of alleged sections that were none
 * @is_lost:	walking is in a damaged place, already reported, and searches for the
 *		next section
 * @is_closed:	the end mark was found: walking is over
 * @is_newer:	walking ended at an unknown section that must not be ignored
 * @is_live:	a section that is cut off may still grow
 * @report:	called for each error found, NULL = not wanted
 * @arg:	for @report
 */
struct reader {
	int fd;
	char *path;
	__u8 uuid[16];
	__u32 part;
	__u64 base;
	__u64 size;
	__u64 next;
	__u64 searched;
	bool is_lost;
	bool is_closed;
	bool is_newer;
	bool is_live;
	report_fn report;
	void *arg;
};

/**
 * struct section_buf - memory for one section after the other; initially all 0
 * @offset:	of the loaded section, 0 = none
 * @section:	its header
 * @body:	its body as it was in the ring
 * @size:	bytes of @body
 * @bytes:	header and body as stored
 * @cap:	bytes allocated
 * @last_size:	bytes of the body as stored
 * @raw:	body of a compressed section
 * @raw_cap:	bytes allocated
 *
 * Each is used by one thread only, and for one file until it is freed.
 */
struct section_buf {
	__u64 offset;
	struct ktrace_section section;
	char *body;
	__u32 size;
	char *bytes;
	size_t cap;
	size_t last_size;
	char *raw;
	size_t raw_cap;
};

/*
 * The offset ranges of a trace's parts follow each other; a whole file has the offsets of the file.
 */
#define READER_PART_SHIFT 44

static inline __u64 reader_base(__u32 part)
{
	return (__u64)part << READER_PART_SHIFT;
}

__u32 ktrace_section_crc(const struct ktrace_section *s);
int ktrace_reader_open(struct reader *r, const char *path);
int ktrace_reader_open_fd(struct reader *r, int fd, const char *path);
void ktrace_reader_set_base(struct reader *r);
void ktrace_reader_close(struct reader *r);
int ktrace_reader_refresh(struct reader *r);
void ktrace_reader_report(const struct reader *r, __u64 offset, const char *message);
int ktrace_reader_walk(struct reader *r, struct ktrace_section *s, __u64 *offset);
int ktrace_reader_header(const struct reader *r, __u64 offset, struct ktrace_section *s);
int ktrace_reader_verify(const struct reader *r, __u64 offset,
			 const struct ktrace_section *s);
int ktrace_reader_bytes(const struct reader *r, __u64 offset, void *buf, size_t size);

/* load.c */
int ktrace_reader_load(const struct reader *r, __u64 offset, struct ktrace_section *s,
		       void *body, size_t cap);
int ktrace_reader_lost(const struct reader *r, __u64 offset, struct ktrace_lost *lost);
int ktrace_reader_load_next(const struct reader *r, __u64 offset, __u64 end,
			    struct section_buf *b);
const char *ktrace_load_error(int error);
void ktrace_section_buf_free(struct section_buf *b);

/* index.c */
typedef int (*index_fn)(void *arg, const struct ktrace_index *entry, __u64 end);
int ktrace_reader_index(struct reader *r, index_fn add, void *arg);

#endif
