// SPDX-License-Identifier: GPL-2.0
/*
 * test_tracefile.c - files that are written, cut off, damaged, full
 *
 * A small file is damaged in every way that one byte can be, and cut off at every
 * length, with compressed blocks as well. Whatever comes out must be, event by event, part of
 * what went in; if something is missing that the file's length does not explain, damage was
 * reported.
 */
#include <ktrace/traceset.h>

#include "make_trace.h"

#include "../../userspace/lib/tracefile/crc32c.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[64];
static unsigned int damages;

static void count_damage(void *arg, const struct ktrace_damage *damage)
{
	(void)arg;
	CHECK(damage->message[0]);
	damages++;
}

static struct ktrace_traceset *open_set(void)
{
	struct ktrace_traceset_options opts = { .size = sizeof(opts), .report = count_damage };
	struct ktrace_traceset *set;

	damages = 0;
	CHECK_EQ(ktrace_traceset_open(&opts, &set), 0);
	return set;
}

/* struct seen - one event as it was read */
struct seen {
	__u64 raw;
	__u64 time;
	__u64 sum;
	__u32 stream;
	__u32 id;
};

#define SEEN_MAX 4096u
#define EPOCH 1000000u

static size_t read_set(struct ktrace_traceset *set, struct seen *seen)
{
	struct ktrace_trace_event e;
	size_t nr = 0;
	int ret;

	while ((ret = ktrace_traceset_next(set, &e)) == 1) {
		CHECK(nr < SEEN_MAX);
		seen[nr++] = (struct seen){
			e.raw, e.time, ktrace_crc32c(e.len, e.payload, e.len), e.stream->id, e.id,
		};
	}
	CHECK_EQ(ret, 0);
	return nr;
}

/* Number of events, or -errno of the open. */
static long read_file(struct seen *seen)
{
	struct ktrace_traceset *set = open_set();
	long ret = ktrace_traceset_add(set, path);

	if (!ret)
		ret = (long)read_set(set, seen);
	ktrace_traceset_close(set);
	return ret;
}

static char *load_file(size_t *size)
{
	struct stat st;
	char *bytes;
	int fd = open(path, O_RDONLY);

	CHECK(fd >= 0 && !fstat(fd, &st));
	*size = (size_t)st.st_size;
	bytes = malloc(*size);
	CHECK(read(fd, bytes, *size) == (ssize_t)*size);
	close(fd);
	return bytes;
}

static void store_file(const char *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	CHECK(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	close(fd);
}

/* Two streams with a few blocks each and losses */
static void make_small(bool has_end)
{
	struct ktrace_tracefile *tf = make_file(path, EPOCH);
	struct ktrace_lost lost = { .count = { 5, 0, 2, 0, 0, 3 } };
	struct maker a, b;
	__u64 i, size;

	make_stream(&a, tf, 1);
	make_stream(&b, tf, 2);
	for (i = 0; i < 60; i++) {
		make_event(i % 3 ? &a : &b, 100 * i, i);
		if (i % 20 == 19)
			make_end_block(i % 40 == 19 ? &a : &b);
		if (i == 30)
			make_lost(&a, 100 * i, 5, 2);
	}
	make_end_block(&a);
	make_end_block(&b);
	CHECK_EQ(ktrace_tracefile_lost(tf, 1, a.pos, 100 * i, &lost, 3), 0);
	make_meta(tf, "end status=0 reason=exit\n");
	size = ktrace_tracefile_size(tf);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	if (!has_end)
		CHECK(!truncate(path, (off_t)size));
}

static bool is_same(const struct seen *a, const struct seen *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/*
 * Is every event of a stream in @all, in that order? Loss deltas may be summed. Without
 * clock readings, times are stamps.
 */
static void check_subsequence(struct seen *got, size_t got_nr, const struct seen *all,
			      size_t all_nr)
{
	__u32 stream;
	size_t i, j;

	for (stream = 0; stream < 4; stream++)
		for (i = j = 0; i < got_nr; i++) {
			if (got[i].stream != stream || got[i].id == KTRACE_ID_LOST)
				continue;
			if (got[i].time == got[i].raw)
				got[i].time = got[i].raw + EPOCH;
			while (j < all_nr && !is_same(&got[i], &all[j]))
				j++;
			CHECK(j < all_nr);
			j++;
		}
	for (i = 0; i < got_nr; i++)
		CHECK(got[i].stream == 1 || got[i].stream == 2);
}

static void test_checksum(void)
{
	char bytes[9000];
	__u32 whole, parts = 0;
	size_t i, n;

	CHECK_EQ(ktrace_crc32c(0, "123456789", 9), 0xe3069283);
	CHECK_EQ(ktrace_crc32c(0, "", 0), 0);
	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * i >> 3);
	whole = ktrace_crc32c(0, bytes, sizeof(bytes));
	for (i = 0; i < sizeof(bytes); i += n) {
		n = i % 13 + 1;
		if (n > sizeof(bytes) - i)
			n = sizeof(bytes) - i;
		parts = ktrace_crc32c(parts, bytes + i, n);
	}
	CHECK_EQ(whole, parts);
}

static void test_with_and_without_end(void)
{
	static struct seen closed[SEEN_MAX], crashed[SEEN_MAX];
	long nr, i;

	make_small(true);
	nr = read_file(closed);
	CHECK_EQ(damages, 0);
	CHECK_EQ(nr, 60 + 2 + 1);
	make_small(false);
	CHECK_EQ(read_file(crashed), nr);
	CHECK_EQ(damages, 0);
	for (i = 0; i < nr; i++)
		CHECK(is_same(&closed[i], &crashed[i]));
}

static void test_every_length(bool has_end)
{
	static struct seen all[SEEN_MAX], got[SEEN_MAX];
	size_t size, n, nr, before = 0;
	char *bytes;
	long ret;

	make_small(has_end);
	nr = (size_t)read_file(all);
	bytes = load_file(&size);
	for (n = 0; n <= size; n++) {
		store_file(bytes, n);
		ret = read_file(got);
		if (n < sizeof(struct ktrace_file)) {
			CHECK_EQ(ret, -EBADMSG);
			continue;
		}
		CHECK(ret >= 0);
		/* The clock is in the first section: without it there is nothing else. */
		CHECK(damages == 0 || ret == 0);
		check_subsequence(got, (size_t)ret, all, nr);
		CHECK((size_t)ret >= before);
		before = (size_t)ret;
	}
	CHECK_EQ(before, nr);
	free(bytes);
}

/* Padding, the header's uuid and reserved words may change without harm. */
static void test_every_byte(bool has_end, unsigned char flip)
{
	static struct seen all[SEEN_MAX], got[SEEN_MAX];
	size_t size, i, nr, j;
	char *bytes;
	long ret;

	make_small(has_end);
	nr = (size_t)read_file(all);
	bytes = load_file(&size);
	for (i = 0; i < size; i++) {
		bytes[i] = (char)(bytes[i] ^ flip);
		store_file(bytes, size);
		bytes[i] = (char)(bytes[i] ^ flip);
		ret = read_file(got);
		if (ret < 0) {
			CHECK(i < 20 && damages);
			continue;
		}
		if (!damages) {
			CHECK_EQ(ret, nr);
			for (j = 0; j < nr; j++)
				CHECK(is_same(&got[j], &all[j]));
		} else {
			check_subsequence(got, (size_t)ret, all, nr);
			CHECK((size_t)ret >= nr / 2);
		}
	}
	free(bytes);
}

/* Nothing but beginnings of sections that claim to be long: must end soon. */
static void test_false_beginnings(void)
{
	static struct seen got[SEEN_MAX];
	struct ktrace_section s = { .magic = KTRACE_SECTION_MAGIC, .type = KTRACE_SECTION_INDEX };
	size_t size, i;
	char *bytes;

	make_small(false);
	bytes = load_file(&size);
	bytes = realloc(bytes, 1 << 20);
	for (i = sizeof(struct ktrace_file); i + sizeof(s) <= 1 << 20; i += sizeof(s)) {
		s.size = (1 << 20) - i - sizeof(s);
		memcpy(bytes + i, &s, sizeof(s));
	}
	store_file(bytes, 1 << 20);
	CHECK_EQ(read_file(got), 0);
	CHECK(damages > 0);
	free(bytes);
}

/*
 * The same with a small section behind each, so that walking goes on. If each cost its
 * claim, this would be 2 TB to check, which takes longer than a test may.
 */
static void test_false_beginnings_between_sections(void)
{
	static struct seen got[SEEN_MAX];
	const size_t size = 24u << 20;
	struct ktrace_section s[2] = {
		{ .magic = KTRACE_SECTION_MAGIC, .type = KTRACE_SECTION_INDEX },
		{ .magic = KTRACE_SECTION_MAGIC, .type = 99, .flags = KTRACE_SECTION_MAY_IGNORE },
	};
	size_t small, i;
	char *bytes;

	s[1].crc = ktrace_crc32c(0, &s[1], sizeof(s[1]));
	make_small(false);
	bytes = load_file(&small);
	bytes = realloc(bytes, size);
	for (i = sizeof(struct ktrace_file); i + sizeof(s) <= size; i += sizeof(s)) {
		s[0].size = size - i - sizeof(s[0]);
		memcpy(bytes + i, s, sizeof(s));
	}
	store_file(bytes, size);
	CHECK_EQ(read_file(got), 0);
	CHECK(damages > 0);
	free(bytes);
}

static void test_not_a_trace(void)
{
	static struct seen got[SEEN_MAX];
	struct ktrace_file h = { .magic = KTRACE_FILE_MAGIC, .version = 2,
				 .byte_order = KTRACE_FILE_BYTE_ORDER, .header_size = sizeof(h) };

	store_file("", 0);
	CHECK_EQ(read_file(got), -EBADMSG);
	store_file((const char *)&h, sizeof(h));
	CHECK_EQ(read_file(got), -EPROTONOSUPPORT);
	h.version = 1;
	h.byte_order = 0x04030201;
	store_file((const char *)&h, sizeof(h));
	CHECK_EQ(read_file(got), -EPROTONOSUPPORT);
	CHECK_EQ(damages, 1);
	unlink(path);
	CHECK_EQ(read_file(got), -ENOENT);
}

static void append_section(__u16 type, __u16 flags)
{
	struct ktrace_section s = { .magic = KTRACE_SECTION_MAGIC, .type = type,
				    .flags = flags, .size = 8 };
	int fd = open(path, O_WRONLY | O_APPEND);

	s.crc = ktrace_crc32c(ktrace_crc32c(0, &s, sizeof(s)), "unknown", 8);
	CHECK(write(fd, &s, sizeof(s)) == sizeof(s) && write(fd, "unknown", 8) == 8);
	close(fd);
}

static void test_unknown_sections(void)
{
	static struct seen got[SEEN_MAX];
	long nr;

	make_small(false);
	nr = read_file(got);
	append_section(77, KTRACE_SECTION_MAY_IGNORE);
	CHECK_EQ(read_file(got), nr);
	CHECK_EQ(damages, 0);
	append_section(77, 0);
	CHECK_EQ(read_file(got), nr);
	CHECK_EQ(damages, 1);
}

/* The disk is full in the middle: what was written before stays a valid file. */
static void test_full_disk(void)
{
	static struct seen got[SEEN_MAX];
	struct rlimit limit, old;
	struct ktrace_tracefile *tf = make_file(path, 0);
	struct maker m;
	struct stat st;
	__u64 i, size;

	make_stream(&m, tf, 1);
	for (i = 0; i < 50; i++)
		make_event(&m, i, i);
	make_end_block(&m);
	size = ktrace_tracefile_size(tf);
	signal(SIGXFSZ, SIG_IGN);
	CHECK(!getrlimit(RLIMIT_FSIZE, &old));
	limit = old;
	limit.rlim_cur = (rlim_t)size + 100;
	CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
	make_event(&m, 100, 100);
	make_event(&m, 101, 101);
	m.block.data = m.data;
	CHECK_EQ(ktrace_tracefile_block(tf, &m.block), -EFBIG);
	CHECK_EQ(ktrace_tracefile_size(tf), size);
	CHECK(!stat(path, &st) && (__u64)st.st_size == size);
	CHECK_EQ(read_file(got), 50);
	CHECK_EQ(damages, 0);
	CHECK(!setrlimit(RLIMIT_FSIZE, &old));
	CHECK_EQ(ktrace_tracefile_block(tf, &m.block), 0);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	CHECK_EQ(read_file(got), 52);
	CHECK_EQ(damages, 0);
}

static void test_limits_of_writing(void)
{
	static char lines[3 << 20];
	struct ktrace_tracefile *tf;
	struct ktrace_tracefile_block b = { .size = KTRACE_BLOCK_MAX + 1 };
	struct ktrace_traceset *set = open_set();
	size_t n = 0;

	CHECK_EQ(ktrace_tracefile_create("/nonexistent/x", &tf), -ENOENT);
	tf = make_file(path, 0);
	CHECK_EQ(ktrace_tracefile_block(tf, &b), -E2BIG);
	memset(lines, 'x', sizeof(lines));
	CHECK_EQ(ktrace_tracefile_meta(tf, lines, KTRACE_META_SIZE_MAX + 1), -E2BIG);
	while (n < sizeof(lines) - 64)
		n += (size_t)sprintf(lines + n, "thread tid=%zu comm=t%zu\n", n % 5000 + 1, n);
	CHECK_EQ(ktrace_tracefile_meta(tf, lines, n), 0);
	make_meta(tf, "end status=7\n");
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	CHECK_EQ(ktrace_tracefile_close(NULL), 0);
	CHECK_EQ(ktrace_traceset_add(set, path), 0);
	CHECK_STR(ktrace_trace_meta(ktrace_traceset_trace(set, 0), "end", "status"), "7");
	CHECK_EQ(damages, 0);
	ktrace_traceset_close(set);
}

static void test_text(void)
{
	struct ktrace_text t = { 0 };
	struct ktrace_tracefile *tf = make_file(path, 0);
	struct ktrace_traceset *set = open_set();
	const struct ktrace_trace *trace;

	CHECK_EQ(ktrace_text_flush(&t, tf), 0);
	ktrace_text_line(&t, "trace");
	ktrace_text_str(&t, "cmd", "a b%\n\x7f=");
	ktrace_text_str(&t, "empty", "");
	ktrace_text_u64(&t, "start_ns", ~0ull);
	ktrace_text_line(&t, "future");
	ktrace_text_str(&t, "key", "value");
	CHECK_STR(t.buf, "trace cmd=a%20b%25%0A%7F= empty= start_ns=18446744073709551615\n"
		  "future key=value");
	CHECK_EQ(ktrace_text_flush(&t, tf), 0);
	CHECK_EQ(t.len, 0);
	ktrace_text_free(&t);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	CHECK_EQ(ktrace_traceset_add(set, path), 0);
	trace = ktrace_traceset_trace(set, 0);
	CHECK_STR(ktrace_trace_meta(trace, "trace", "cmd"), "a b%\n\x7f=");
	CHECK_STR(ktrace_trace_meta(trace, "trace", "empty"), "");
	CHECK(!ktrace_trace_meta(trace, "trace", "nothing"));
	CHECK_EQ(damages, 0);
	ktrace_traceset_close(set);
}

int main(void)
{
	temporary_file(path, sizeof(path), "test_tracefile");
	test_checksum();
	test_with_and_without_end();
	test_every_length(true);
	test_every_length(false);
	test_every_byte(true, 0x01);
	test_every_byte(true, 0x80);
	test_every_byte(false, 0x10);
	test_every_byte(false, 0xff);
	make_storage = MAKE_COMPRESSED;
	test_with_and_without_end();
	test_every_length(true);
	test_every_byte(true, 0x10);
	make_storage = MAKE_PLAIN;
	test_false_beginnings();
	test_false_beginnings_between_sections();
	test_not_a_trace();
	test_unknown_sections();
	test_full_disk();
	test_limits_of_writing();
	test_text();
	unlink(path);
	return 0;
}
