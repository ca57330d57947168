// SPDX-License-Identifier: GPL-2.0
/*
 * test_posix_damage.c - logs that are damaged, cut off, or of another kind of machine (PTRC-48)
 *
 * A log is refused, or gives the events that were written: whatever byte changes, wherever it
 * ends.
 */
#include "make_log.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <linux/ktrace_file.h>

#include "../../userspace/lib/posix/log/recorded_meta.h"
#include "../../userspace/lib/tracefile/crc32c.h"

#define EVENTS 6u
#define FILE_MAX (1u << 17)

static int file;
static char bytes[FILE_MAX];
static size_t size;

static void put(const char *data, size_t n)
{
	CHECK_EQ(ftruncate(file, (off_t)n), 0);
	CHECK_EQ(pwrite(file, data, n, 0), (ssize_t)n);
}

/* A small one, of which @round tells whether blocks were overwritten. */
static void make(int policy, bool goes_round)
{
	struct posix_attr a = make_attr(policy, 8192, 4);
	struct posix_log *log;
	struct stat st;
	__u32 skip = goes_round ? 300 : 0;

	CHECK_EQ(ftruncate(file, 0), 0);
	log = make_log(file, &a);
	for (__u32 n = 0; n < EVENTS + skip; n++)
		CHECK_EQ(make_work(log, n), 0);
	CHECK_EQ(make_end(log, 100000), 0);
	CHECK(!fstat(file, &st) && st.st_size <= FILE_MAX);
	size = (size_t)st.st_size;
	CHECK_EQ(pread(file, bytes, size, 0), (ssize_t)size);
}

/* How many events there are, and of what; 0 = the log is refused. */
static __u64 digest(void)
{
	struct posix_trace_event_info info;
	struct posix_recorded *r;
	__u64 sum = 1;
	char data[64];
	size_t len;
	int none, ret = ktrace_posix_recorded_open(file, &r);

	if (ret) {
		CHECK_EQ(ret, EINVAL);
		return 0;
	}
	for (;;) {
		CHECK_EQ(ktrace_posix_recorded_next(r, &info, data, sizeof(data), &len, &none), 0);
		if (none)
			break;
		sum = sum * 31 + info.posix_event_id;
		sum = sum * 31 + (__u64)info.posix_timestamp.tv_nsec;
		for (size_t i = 0; i < len; i++)
			sum = sum * 31 + (unsigned char)data[i];
	}
	ktrace_posix_recorded_close(r);
	return sum;
}

/* @step: every so many bytes; the flips are all there are of a bit, in turn. */
static void test_flips(size_t step)
{
	__u64 right = digest();
	size_t refused = 0, tried = 0;

	CHECK(right);
	step *= (size_t)unit_step();
	for (size_t i = 0; i < size; i += step, tried++) {
		char flipped = bytes[i] ^ (char)(1 << i / step % 8);
		__u64 is;

		CHECK_EQ(pwrite(file, &flipped, 1, (off_t)i), 1);
		is = digest();
		CHECK(!is || is == right);
		refused += !is;
		CHECK_EQ(pwrite(file, bytes + i, 1, (off_t)i), 1);
	}
	CHECK_EQ(digest(), right);
	/* Only padding, and what is reserved or random, does not matter. */
	CHECK(refused * 10 > tried * 9);
}

static void test_cuts(size_t step)
{
	for (size_t n = 0; n < size; n += step * (size_t)unit_step()) {
		put(bytes, n);
		CHECK_EQ(digest(), 0);
	}
	put(bytes, size);
	CHECK(digest());
}

/* More behind the end mark is no log either. */
static void test_more_behind(void)
{
	put(bytes, size);
	CHECK_EQ(pwrite(file, "12345678", 8, (off_t)size), 8);
	CHECK_EQ(digest(), 0);
	put(bytes, size);
}

/* Writes a value over another one in META, of the same length, and makes the checksum right. */
static void forge(const char *from, const char *to)
{
	struct ktrace_section s;
	char *at = memmem(bytes, size, from, strlen(from));
	size_t off;

	CHECK(at && strlen(from) == strlen(to));
	put(bytes, size);
	for (off = sizeof(struct ktrace_file);; off += (sizeof(s) + s.size + 7) & ~7ull) {
		memcpy(&s, bytes + off, sizeof(s));
		CHECK_EQ(s.magic, KTRACE_SECTION_MAGIC);
		if ((size_t)(at - bytes) < off + sizeof(s) + s.size)
			break;
	}
	memcpy(at, to, strlen(to));
	s.crc = 0;
	s.crc = ktrace_crc32c(ktrace_crc32c(0, &s, sizeof(s)), bytes + off + sizeof(s),
			      (size_t)s.size);
	memcpy(bytes + off, &s, sizeof(s));
	put(bytes, size);
}

static void test_other_machine(const char *from, const char *to)
{
	make(POSIX_TRACE_LOOP, false);
	forge(from, to);
	CHECK_EQ(digest(), 0);
	forge(to, from);
	CHECK(digest());
}

static void test_byte_order(void)
{
	__u32 order = __builtin_bswap32(KTRACE_FILE_BYTE_ORDER);

	make(POSIX_TRACE_LOOP, false);
	memcpy(bytes + offsetof(struct ktrace_file, byte_order), &order, sizeof(order));
	put(bytes, size);
	CHECK_EQ(digest(), 0);
}

static void test_no_log(void)
{
	struct posix_recorded *r;
	int write_only = open("/dev/null", O_WRONLY), null = open("/dev/null", O_RDONLY);

	put("", 0);
	CHECK_EQ(digest(), 0);
	put("a letter", 8);
	CHECK_EQ(digest(), 0);
	CHECK_EQ(ktrace_posix_recorded_open(-1, &r), EINVAL);
	CHECK_EQ(ktrace_posix_recorded_open(write_only, &r), EINVAL);
	CHECK_EQ(ktrace_posix_recorded_open(null, &r), EINVAL);
	close(write_only);
	close(null);
}

/* A log that is not closed is not whole yet. */
static void test_unfinished(int policy)
{
	struct posix_attr a = make_attr(policy, 8192, 4);
	struct posix_log *log;

	CHECK_EQ(ftruncate(file, 0), 0);
	log = make_log(file, &a);
	CHECK_EQ(digest(), 0);
	CHECK_EQ(make_work(log, 0), 0);
	CHECK_EQ(ktrace_posix_log_flush(log), 0);
	CHECK_EQ(digest(), 0);
	CHECK_EQ(make_end(log, 100000), 0);
	CHECK(digest());
}

int main(void)
{
	file = memfd_create("log", MFD_CLOEXEC);
	CHECK(file >= 0);
	/* Every byte of a small one, some of others, which are slots of nothing mostly. */
	make(POSIX_TRACE_APPEND, false);
	test_flips(1);
	test_cuts(1);
	test_more_behind();
	make(POSIX_TRACE_LOOP, true);
	test_flips(13);
	test_cuts(17);
	make(POSIX_TRACE_UNTIL_FULL, true);
	test_flips(13);
	test_cuts(17);
	test_other_machine("word=64", "word=32");
	test_other_machine("word=64", "word=6x");
	test_other_machine("posix version=1", "posix version=2");
	test_other_machine(" set=512", " set=136");
	test_other_machine("log_policy=1", "log_policy=7");
	test_other_machine("log_full=0", "log_full=2");
	test_other_machine("log_full=0", "log_fulx=0");
	test_byte_order();
	test_no_log();
	test_unfinished(POSIX_TRACE_LOOP);
	test_unfinished(POSIX_TRACE_UNTIL_FULL);
	test_unfinished(POSIX_TRACE_APPEND);
	return 0;
}
