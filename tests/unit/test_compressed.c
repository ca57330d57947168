// SPDX-License-Identifier: GPL-2.0
/*
 * test_compressed.c - compressed blocks: the same events as plain ones, and hostile frames
 *
 * A file of three blocks is made, and the body of the one in the middle replaced by what is
 * no frame, or not the right one, always under a right checksum. Those before and behind it
 * must come all the same, and the damage must be reported where it is.
 */
#include <ktrace/check.h>
#include <ktrace/position.h>

#include "make_trace.h"

#include "../../userspace/lib/tracefile/crc32c.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define PER_BLOCK 50u
#define BLOCKS 3u
#define ALL (BLOCKS * PER_BLOCK)
#define FILE_MAX (64u << 10)

static char path[64];
static unsigned int damages;
static __u64 damaged_at;

static void note_damage(void *arg, const struct ktrace_damage *damage)
{
	(void)arg;
	damages++;
	damaged_at = damage->offset;
}

/* struct image - a tracefile in memory, without END, and where its second block is */
struct image {
	char bytes[FILE_MAX];
	size_t size;
	struct ktrace_section section;
	size_t at;
};

static void make_blocks(void)
{
	struct ktrace_tracefile *tf = make_file(path, 0);
	struct maker m;
	__u64 i, size;

	make_stream(&m, tf, 1);
	for (i = 0; i < ALL; i++) {
		make_event(&m, i, i);
		if (i % PER_BLOCK == PER_BLOCK - 1)
			make_end_block(&m);
	}
	size = ktrace_tracefile_size(tf);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	CHECK(!truncate(path, (off_t)size));
}

static void image_load(struct image *im)
{
	int fd = open(path, O_RDONLY), blocks = 0;
	size_t at = sizeof(struct ktrace_file);
	ssize_t n = read(fd, im->bytes, sizeof(im->bytes));

	CHECK(n > 0 && (size_t)n < sizeof(im->bytes));
	close(fd);
	im->size = (size_t)n;
	for (; at < im->size; at += sizeof(im->section) + ((im->section.size + 7) & ~7ull)) {
		memcpy(&im->section, im->bytes + at, sizeof(im->section));
		if (im->section.type == KTRACE_SECTION_BLOCK && ++blocks == 2)
			break;
	}
	CHECK_EQ(blocks, 2);
	im->at = at;
}

/* Writes the file with another header and body for the second block. */
static void image_store(const struct image *im, struct ktrace_section s, const void *body)
{
	static const char zeros[8];
	size_t behind = im->at + sizeof(s) + ((im->section.size + 7) & ~7ull);
	int fd = open(path, O_WRONLY | O_TRUNC);

	s.crc = 0;
	s.crc = ktrace_crc32c(ktrace_crc32c(0, &s, sizeof(s)), body, (size_t)s.size);
	CHECK(write(fd, im->bytes, im->at) == (ssize_t)im->at);
	CHECK(write(fd, &s, sizeof(s)) == sizeof(s));
	CHECK(write(fd, body, (size_t)s.size) == (ssize_t)s.size);
	CHECK(write(fd, zeros, -s.size & 7) == (ssize_t)(-s.size & 7));
	CHECK(write(fd, im->bytes + behind, im->size - behind) == (ssize_t)(im->size - behind));
	close(fd);
}

static struct ktrace_traceset *open_set(void)
{
	struct ktrace_traceset_options opts = { .size = sizeof(opts), .report = note_damage };
	struct ktrace_traceset *set;

	damages = 0;
	CHECK_EQ(ktrace_traceset_open(&opts, &set), 0);
	CHECK_EQ(ktrace_traceset_add(set, path), 0);
	return set;
}

/* Reads all. Return: a bit for each block that all events have come of. */
static unsigned int read_blocks(void)
{
	struct ktrace_traceset *set = open_set();
	unsigned int seen[BLOCKS] = { 0 }, i, whole = 0;
	struct ktrace_trace_event e;
	int ret;

	while ((ret = ktrace_traceset_next(set, &e)) == 1)
		if (e.id == 16 && e.raw < ALL && e.len == 8 && !memcmp(e.payload, &e.raw, 8))
			seen[e.raw / PER_BLOCK]++;
	CHECK_EQ(ret, 0);
	ktrace_traceset_close(set);
	for (i = 0; i < BLOCKS; i++)
		whole |= (seen[i] == PER_BLOCK) << i;
	return whole;
}

static void expect_damage(const struct image *im)
{
	struct ktrace_check found;

	CHECK_EQ(read_blocks(), 5);
	CHECK_EQ(damages, 1);
	CHECK_EQ(damaged_at, im->at);
	damages = 0;
	CHECK_EQ(ktrace_check_file(path, note_damage, NULL, &found), 0);
	CHECK(damages >= 1 && found.damaged == damages);
}

static void expect_whole(void)
{
	struct ktrace_check found;

	CHECK_EQ(read_blocks(), 7);
	CHECK_EQ(damages, 0);
	CHECK_EQ(ktrace_check_file(path, note_damage, NULL, &found), 0);
	CHECK_EQ(damages, 0);
	CHECK_EQ(found.records, ALL);
}

static void test_storage(void)
{
	static const enum make_storage kinds[] = { MAKE_PLAIN, MAKE_COMPRESSED, MAKE_MIXED };
	struct image im;
	size_t sizes[3], i;

	for (i = 0; i < 3; i++) {
		make_storage = kinds[i];
		make_blocks();
		expect_whole();
		image_load(&im);
		sizes[i] = im.size;
		CHECK_EQ(im.section.flags, kinds[i] ? KTRACE_SECTION_ZSTD : 0);
		CHECK_EQ(im.section.raw_size, PER_BLOCK * 24 + sizeof(struct ktrace_block));
		CHECK_EQ(im.section.size == im.section.raw_size, !kinds[i]);
	}
	CHECK(sizes[1] < sizes[2] && sizes[2] < sizes[0]);
}

static void test_wrong_raw_size(void)
{
	static const __u32 sizes[] = { 0, 1, 8, 64, KTRACE_BLOCK_MAX, KTRACE_BLOCK_MAX + 1,
				       1u << 31, 0xffffffff };
	struct image im;
	size_t i;

	make_blocks();
	image_load(&im);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]) + 2; i++) {
		struct ktrace_section s = im.section;

		s.raw_size = i >= 2 ? sizes[i - 2] : s.raw_size + (i ? 1 : -1u);
		image_store(&im, s, im.bytes + im.at + sizeof(s));
		expect_damage(&im);
	}
}

static void store_body(const struct image *im, const char *body, size_t size)
{
	struct ktrace_section s = im->section;

	s.size = size;
	image_store(im, s, body);
}

static void test_not_one_frame(void)
{
	const char *frame;
	struct image im;
	char body[8192] = "";
	size_t n, i;

	make_blocks();
	image_load(&im);
	frame = im.bytes + im.at + sizeof(im.section);
	n = (size_t)im.section.size;
	for (i = 0; i < n; i++) {
		store_body(&im, frame, i);	/* its beginning */
		expect_damage(&im);
	}
	memcpy(body, frame, n);
	store_body(&im, body, n + 1);		/* and something behind it */
	expect_damage(&im);
	memcpy(body + n, frame, n);
	store_body(&im, body, 2 * n);		/* two */
	expect_damage(&im);
	memcpy(body, "\x50\x2a\x4d\x18\4\0\0\0skip", 12);
	memcpy(body + 12, frame, n);
	store_body(&im, body, n + 12);		/* one that is to be skipped before it */
	expect_damage(&im);
	memset(body, 'x', sizeof(body));
	store_body(&im, body, 4096);		/* none */
	expect_damage(&im);
}

/* A frame of @size zeros that says so or not */
static size_t make_bomb(char *out, size_t cap, size_t size, int says)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	char *zeros = calloc(1, size);
	size_t n;

	CHECK(c && zeros);
	ZSTD_CCtx_setParameter(c, ZSTD_c_contentSizeFlag, says);
	n = ZSTD_compress2(c, out, cap, zeros, size);
	CHECK(!ZSTD_isError(n));
	ZSTD_freeCCtx(c);
	free(zeros);
	return n;
}

static void test_bomb(void)
{
	static char body[FILE_MAX];
	struct image im;
	int says;

	make_blocks();
	image_load(&im);
	for (says = 0; says < 2; says++) {
		size_t n = make_bomb(body, sizeof(body), 64u << 20, says);

		store_body(&im, body, n);
		expect_damage(&im);
	}
}

/* What is in a frame need not make sense either. */
static void test_flipped_bits(void)
{
	struct image im;
	size_t i;

	make_blocks();
	image_load(&im);
	for (i = 0; i < 8 * im.section.size; i += 3 * (size_t)unit_step()) {
		char *byte = im.bytes + im.at + sizeof(im.section) + i / 8;

		*byte = (char)(*byte ^ 1 << i % 8);
		image_store(&im, im.section, im.bytes + im.at + sizeof(im.section));
		*byte = (char)(*byte ^ 1 << i % 8);
		CHECK((read_blocks() & 5) == 5);
		CHECK(!damages || damaged_at == im.at);
	}
}

/* Only blocks are compressed: others with that flag are stored in an unknown way. */
static void test_other_types(void)
{
	struct image im;
	__u16 type;

	make_blocks();
	image_load(&im);
	for (type = KTRACE_SECTION_META; type <= KTRACE_SECTION_LOST; type += 2) {
		struct ktrace_section s = im.section;

		s.type = type;
		image_store(&im, s, im.bytes + im.at + sizeof(s));
		expect_damage(&im);
	}
}

static void test_levels(void)
{
	struct ktrace_tracefile *tf = make_file(path, 0);
	struct image im;
	struct maker m;
	unsigned int i;

	CHECK_EQ(ktrace_tracefile_compress(tf, KTRACE_COMPRESS_MIN - 1), -EINVAL);
	CHECK_EQ(ktrace_tracefile_compress(tf, KTRACE_COMPRESS_MAX + 1), -EINVAL);
	make_stream(&m, tf, 1);
	for (i = 0; i < ALL; i++) {
		static const int levels[] = { KTRACE_COMPRESS_MAX, KTRACE_COMPRESS_MIN, 0 };

		make_event(&m, i, i);
		if (i % PER_BLOCK != PER_BLOCK - 1)
			continue;
		m.block.data = m.data;
		CHECK_EQ(ktrace_tracefile_compress(tf, levels[i / PER_BLOCK]), 0);
		CHECK_EQ(ktrace_tracefile_block(tf, &m.block), 0);
		m.pos += MAKE_BLOCK;
		m.block = (struct ktrace_tracefile_block){ .stream = 1 };
	}
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	expect_whole();
	image_load(&im);
}

/* Bytes that do not become shorter are stored as they are. */
static void test_random_bytes(void)
{
	struct ktrace_tracefile *tf = make_file(path, 0);
	struct ktrace_record rec = { .ts = 1, .id = 16, .len = 4000 };
	unsigned int seed = 7, i;
	char payload[4000];
	struct image im;
	struct maker m;

	make_storage = MAKE_COMPRESSED;
	make_stream(&m, tf, 1);
	for (i = 0; i < sizeof(payload); i++) {
		seed = seed * 1103515245u + 12345u;
		payload[i] = (char)(seed >> 16);
	}
	make_record(&m, &rec, payload);
	make_record(&m, &rec, payload);
	make_end_block(&m);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	image_load(&im);
	CHECK_EQ(im.section.flags, 0);
	CHECK_EQ(im.section.size, im.section.raw_size);
}

/* A block in use is not loaded again: it may even be gone. */
static void test_loaded_once(void)
{
	struct ktrace_traceset *set;
	struct ktrace_position *pos;
	struct ktrace_trace_event e;
	struct image im;
	unsigned int i;
	int fd;

	make_blocks();
	image_load(&im);
	set = open_set();
	for (i = 0; i < PER_BLOCK + 3; i++)
		CHECK_EQ(ktrace_traceset_next(set, &e), 1);
	CHECK_EQ(ktrace_position_new(&pos), 0);
	CHECK_EQ(ktrace_position_save(set, pos), 0);
	fd = open(path, O_WRONLY);
	CHECK(pwrite(fd, "gone", 4, (off_t)(im.at + sizeof(im.section))) == 4);
	close(fd);
	CHECK_EQ(ktrace_traceset_next(set, &e), 1);
	CHECK_EQ(ktrace_traceset_seek_position(set, pos), 0);
	CHECK_EQ(ktrace_traceset_next(set, &e), 1);
	CHECK_EQ(e.raw, PER_BLOCK + 3);
	CHECK_EQ(damages, 0);
	ktrace_position_free(pos);
	ktrace_traceset_close(set);
}

/* Goes on with the file as it is; flags of its second block then */
static __u16 flags_after_reopen(const struct ktrace_file *h)
{
	struct ktrace_tracefile_block b = { .stream = 1, .pos = 2 * MAKE_BLOCK, .size = 4096 };
	static const char zeros[4096];
	struct ktrace_tracefile *tf;
	struct image im;

	b.data = zeros;
	CHECK_EQ(ktrace_tracefile_reopen(path, h->uuid, &tf), 0);
	CHECK_EQ(ktrace_tracefile_block(tf, &b), 0);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	image_load(&im);
	return im.section.flags;
}

/* What recovery adds is stored as the last block is. */
static void test_reopen_goes_on(void)
{
	struct image im;
	struct ktrace_file h;
	int i;

	for (i = 0; i < 2; i++) {
		make_storage = i ? MAKE_COMPRESSED : MAKE_PLAIN;
		make_blocks();
		image_load(&im);
		memcpy(&h, im.bytes, sizeof(h));
		CHECK(!truncate(path, (off_t)im.at));
		CHECK_EQ(flags_after_reopen(&h), i ? KTRACE_SECTION_ZSTD : 0);
	}
}

/* Cut off in a compressed block, the file goes on behind the one before, compressed or not. */
static void test_reopen(void)
{
	struct ktrace_tracefile_stream have;
	struct ktrace_tracefile *tf;
	struct ktrace_file h;
	struct image im;
	struct maker m;
	unsigned int i;

	make_blocks();
	image_load(&im);
	memcpy(&h, im.bytes, sizeof(h));
	CHECK(!truncate(path, (off_t)(im.at + sizeof(im.section) + im.section.size - 1)));
	CHECK_EQ(ktrace_tracefile_reopen(path, h.uuid, &tf), 0);
	CHECK(ktrace_tracefile_stream(tf, 1, &have));
	CHECK_EQ(have.pos, PER_BLOCK * 24 + sizeof(struct ktrace_block));
	CHECK_EQ(have.records, PER_BLOCK);
	make_storage = MAKE_MIXED;
	make_stream(&m, tf, 1);
	m.pos = MAKE_BLOCK;
	for (i = PER_BLOCK; i < ALL; i++) {
		make_event(&m, i, i);
		if (i % PER_BLOCK == PER_BLOCK - 1)
			make_end_block(&m);
	}
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
	expect_whole();
	make_storage = MAKE_COMPRESSED;
}

int main(void)
{
	temporary_file(path, sizeof(path), "test_compressed");
	test_storage();
	test_levels();
	test_random_bytes();
	test_wrong_raw_size();
	test_not_one_frame();
	test_bomb();
	test_flipped_bits();
	test_other_types();
	test_loaded_once();
	test_reopen();
	test_reopen_goes_on();
	unlink(path);
	return 0;
}
