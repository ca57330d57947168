// SPDX-License-Identifier: GPL-2.0
/* test_reopen.c - going on with a file that a killed ktraced left, though it is damaged */
#include <ktrace/traceset.h>

#include "make_trace.h"
#include "../../userspace/lib/tracefile/crc32c.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[64];

static void change(__u64 offset, __u64 value)
{
	int fd = open(path, O_WRONLY);

	CHECK(fd >= 0 && pwrite(fd, &value, sizeof(value), (off_t)offset) == sizeof(value));
	close(fd);
}

/* Gives the section at @offset a type that nobody knows, and the right checksum. */
static void make_unknown(int fd, __u64 offset)
{
	struct ktrace_section s;
	char body[4096];

	CHECK(pread(fd, &s, sizeof(s), (off_t)offset) == sizeof(s) && s.size <= sizeof(body));
	CHECK(pread(fd, body, s.size, (off_t)(offset + sizeof(s))) == (ssize_t)s.size);
	s.type = 77;
	s.crc = 0;
	s.crc = ktrace_crc32c(ktrace_crc32c(0, &s, sizeof(s)), body, (size_t)s.size);
	CHECK(pwrite(fd, &s, sizeof(s), (off_t)offset) == sizeof(s));
}

static struct ktrace_tracefile *reopen(void)
{
	struct ktrace_tracefile *tf;
	struct ktrace_file h;
	int fd = open(path, O_RDONLY);

	CHECK(fd >= 0 && read(fd, &h, sizeof(h)) == sizeof(h));
	close(fd);
	CHECK_EQ(ktrace_tracefile_reopen(path, h.uuid, &tf), 0);
	return tf;
}

static size_t count_events(void)
{
	struct ktrace_traceset_stats stats;
	struct ktrace_trace_event e;
	struct ktrace_traceset *set;

	CHECK_EQ(ktrace_traceset_open(NULL, &set), 0);
	CHECK_EQ(ktrace_traceset_add(set, path), 0);
	while (ktrace_traceset_next(set, &e) == 1)
		;
	ktrace_traceset_stats(set, &stats);
	ktrace_traceset_close(set);
	return (size_t)stats.events;
}

/* Its counts are no counts: the last ones that are whole hold. */
static void test_damaged_lost_section(void)
{
	struct ktrace_lost lost = { .count = { 5 } };
	struct ktrace_tracefile_stream have;
	struct ktrace_tracefile *tf = make_file(path, 0);
	struct maker m;
	__u64 second;

	make_stream(&m, tf, 0);
	CHECK_EQ(ktrace_tracefile_lost(tf, 0, 0, 1, &lost, 5), 0);
	second = ktrace_tracefile_size(tf);
	lost.count[KTRACE_LOST_OVERWRITTEN] = 7;
	CHECK_EQ(ktrace_tracefile_lost(tf, 0, 0, 2, &lost, 7), 0);
	make_event(&m, 10, 1);
	make_end_block(&m);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	change(second + sizeof(struct ktrace_section) + 8, 1000);
	tf = reopen();
	CHECK(ktrace_tracefile_stream(tf, 0, &have));
	CHECK_EQ(have.lost.count[KTRACE_LOST_FULL], 5);
	CHECK_EQ(have.lost.count[KTRACE_LOST_STOPPED], 0);
	CHECK_EQ(have.lost.count[KTRACE_LOST_OVERWRITTEN], 0);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
}

/* A section that claims to be longer than the file costs itself, not what follows it. */
static void test_damaged_length_in_the_middle(void)
{
	struct ktrace_tracefile *tf = make_file(path, 0);
	struct maker m;
	__u64 second;

	make_stream(&m, tf, 0);
	make_event(&m, 10, 1);
	make_end_block(&m);
	second = ktrace_tracefile_size(tf);
	make_event(&m, 20, 2);
	make_end_block(&m);
	make_event(&m, 30, 3);
	make_end_block(&m);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	change(second + offsetof(struct ktrace_section, size), 1u << 19);
	CHECK_EQ(ktrace_tracefile_close(reopen()), 0);
	CHECK_EQ(count_events(), 2);
}

/* A file of a later version stays as it is: what this one does not know is not cut off. */
static void test_unknown_section(void)
{
	struct ktrace_tracefile *tf = make_file(path, 0);
	struct ktrace_file h;
	struct maker m;
	struct stat before, after;
	__u64 second;
	int fd;

	make_stream(&m, tf, 0);
	make_event(&m, 10, 1);
	make_end_block(&m);
	second = ktrace_tracefile_size(tf);
	make_event(&m, 20, 2);
	make_end_block(&m);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	fd = open(path, O_RDWR);
	CHECK(fd >= 0);
	make_unknown(fd, second);
	CHECK(read(fd, &h, sizeof(h)) == sizeof(h) && !fstat(fd, &before));
	CHECK_EQ(ktrace_tracefile_reopen(path, h.uuid, &tf), -EPROTONOSUPPORT);
	CHECK(!fstat(fd, &after) && after.st_size == before.st_size);
	close(fd);
	CHECK_EQ(count_events(), 1);
}

int main(void)
{
	temporary_file(path, sizeof(path), "test_reopen");
	test_damaged_lost_section();
	test_damaged_length_in_the_middle();
	test_unknown_section();
	unlink(path);
	return 0;
}
