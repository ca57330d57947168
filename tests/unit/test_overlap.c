// SPDX-License-Identifier: GPL-2.0
/*
 * test_overlap.c - an index that lists sections inside of each other costs no more than the file
 *
 * What broke: a section was loaded up to the size it claims, even where the index lists the next
 * one before that. With sections that begin every 64 bytes and all end at the same place,
 * reading took up to 10,000 times the file's size, and made up as much.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <ktrace/traceset.h>

#include "../../userspace/lib/tracefile/crc32c.h"
#include "make_trace.h"

#define NESTED 300u

struct image {
	char *bytes;
	size_t size;
};

static char path[64];
static __u32 damaged;

static void count_damaged(void *arg, const struct ktrace_damage *d)
{
	(void)arg;
	damaged += !!strstr(d->message, "damaged");
}

/* A file of two META sections, closed. */
static struct image make_image(void)
{
	struct ktrace_tracefile *tf = make_file(path, 1000);
	struct image im = { .bytes = calloc(1, 1 << 20) };
	struct maker m;
	int fd;

	make_stream(&m, tf, 0);
	im.size = (size_t)ktrace_tracefile_size(tf);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	fd = open(path, O_RDONLY);
	CHECK(read(fd, im.bytes, 1 << 20) > (ssize_t)im.size);
	close(fd);
	return im;
}

/* Puts @s before the @size bytes that are there already, which are its body. */
static void put_header(char *at, struct ktrace_section s, size_t size)
{
	s.magic = KTRACE_SECTION_MAGIC;
	s.size = size;
	s.raw_size = (__u32)size;
	s.crc = ktrace_crc32c(ktrace_crc32c(0, &s, sizeof(s)), at + sizeof(s), size);
	memcpy(at, &s, sizeof(s));
}

/* Sections of @type inside of each other; the index lists them behind those of @im. */
static void add_nested(struct image *im, __u16 type, __u32 stream)
{
	const size_t first = im->size, end = first + NESTED * sizeof(struct ktrace_section);
	struct ktrace_section s = { .type = type, .stream = stream, .pos = 8 };
	struct ktrace_index *index = malloc((2 + NESTED) * sizeof(*index));
	struct ktrace_section counts;
	size_t at = end, old = first;

	/* Two entries that are there: the index of the file follows the numbers of events. */
	memcpy(&counts, im->bytes + first, sizeof(counts));
	if (counts.type == KTRACE_SECTION_COUNTS)
		old += sizeof(counts) + (((size_t)counts.size + 7) & ~(size_t)7);
	memcpy(index, im->bytes + old + sizeof(s), 2 * sizeof(*index));
	memset(im->bytes + first, 0, (1 << 20) - first);
	for (__u32 i = NESTED; i--;) {
		at -= sizeof(s);
		put_header(im->bytes + at, s, end - at - sizeof(s));
		index[2 + i] = (struct ktrace_index){ .offset = at, .type = type, .pos = s.pos,
						      .stream = stream };
	}
	memcpy(im->bytes + end + sizeof(s), index, (2 + NESTED) * sizeof(*index));
	s = (struct ktrace_section){ .type = KTRACE_SECTION_INDEX };
	put_header(im->bytes + end, s, (2 + NESTED) * sizeof(*index));
	im->size = end + sizeof(s) + (2 + NESTED) * sizeof(*index);
	s = (struct ktrace_section){ .type = KTRACE_SECTION_END, .pos = end };
	put_header(im->bytes + im->size, s, 0);
	im->size += sizeof(s);
	free(index);
}

static void write_image(const struct image *im)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	CHECK_EQ(write(fd, im->bytes, im->size), (ssize_t)im->size);
	close(fd);
}

/* Only the innermost section ends before the next one begins. */
static void test_nested(__u16 type, __u32 stream)
{
	const struct ktrace_traceset_options opts = { .size = sizeof(opts),
						      .report = count_damaged };
	struct image im = make_image();
	struct ktrace_trace_event e;
	struct ktrace_traceset *set;

	add_nested(&im, type, stream);
	write_image(&im);
	damaged = 0;
	CHECK_EQ(ktrace_traceset_open(&opts, &set), 0);
	CHECK_EQ(ktrace_traceset_add(set, path), 0);
	CHECK_EQ(ktrace_traceset_next(set, &e), 0);
	CHECK_EQ(damaged, NESTED - 1);
	ktrace_traceset_close(set);
	free(im.bytes);
}

int main(void)
{
	temporary_file(path, sizeof(path), "test_overlap");
	test_nested(KTRACE_SECTION_META, 0);
	test_nested(KTRACE_SECTION_BLOCK, 0);
	test_nested(KTRACE_SECTION_LOST, 0);
	test_nested(KTRACE_SECTION_COUNTS, 0);
	test_nested(KTRACE_SECTION_BLOCK, 7);
	unlink(path);
	puts("ok");
	return 0;
}
