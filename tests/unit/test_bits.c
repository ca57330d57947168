// SPDX-License-Identifier: GPL-2.0
/*
 * test_bits.c - each single bit of the parts of a trace is wrong once
 *
 * Two parts, with plain and compressed blocks. What is wrong is reported, of the file that has it;
 * all other blocks are read, and no event comes that was not written, or twice. Only
 * what no checksum covers may go unnoticed: the file header, and bytes between sections.
 */
#include <ktrace/traceset.h>

#include "make_trace.h"

#include <fcntl.h>
#include <unistd.h>

#define FILE_MAX 8192u
#define PER_BLOCK 4u
#define BLOCKS 3u
#define ALL (BLOCKS * PER_BLOCK)

static char paths[2][64];
static unsigned int damages;
static const char *blamed;

static void note_damage(void *arg, const struct ktrace_damage *damage)
{
	(void)arg;
	CHECK(!blamed || !strcmp(damage->path, blamed));
	damages++;
}

static void make_part(int part, struct maker *m, __u64 *n, __u32 blocks)
{
	static __u8 uuid[16];
	struct ktrace_tracefile *tf;
	struct maker announced;

	CHECK_EQ(ktrace_tracefile_create_part(paths[part], (__u32)part + 1, part ? uuid : NULL,
					      &tf), 0);
	ktrace_tracefile_uuid(tf, uuid);
	make_meta(tf, "host boot=1 machine=x86_64\n"
		  "clock raw=0 mono_ns=0 real_ns=5000 hz=1000000000\n"
		  "event kind=user id=16 desc=t:e{u64%20n;}\n");
	make_stream(&announced, tf, 1);
	make_meta(tf, part ? "part number=2\n" : "part number=1\n");
	m->tf = tf;
	m->block.stream = 1;
	for (__u32 i = 0; i < blocks * PER_BLOCK; i++, (*n)++) {
		make_event(m, 1000 + *n, *n);
		if (i % PER_BLOCK == PER_BLOCK - 1)
			make_end_block(m);
	}
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
}

/* Return: how many events have come. */
static unsigned int read_all(void)
{
	struct ktrace_traceset_options opts = { .size = sizeof(opts), .report = note_damage };
	struct ktrace_traceset *set;
	struct ktrace_trace_event e;
	unsigned int nr = 0, seen = 0;
	__u64 n;

	damages = 0;
	CHECK_EQ(ktrace_traceset_open(&opts, &set), 0);
	for (int i = 0; i < 2; i++)
		ktrace_traceset_add(set, paths[i]);
	while (ktrace_traceset_next(set, &e) == 1) {
		CHECK(e.id == 16 && e.len == sizeof(n) && e.tid == 7);
		memcpy(&n, e.payload, sizeof(n));
		CHECK(n < ALL && e.raw == 1000 + n && !(seen & 1u << n));
		seen |= 1u << n;
		nr++;
	}
	ktrace_traceset_close(set);
	return nr;
}

/* Is the byte at @at in a section, and not between two? */
static bool is_covered(const char *bytes, size_t size, size_t at)
{
	struct ktrace_section s;
	size_t from = sizeof(struct ktrace_file), end;

	for (; from + sizeof(s) <= size; from = (end + 7) & ~(size_t)7) {
		memcpy(&s, bytes + from, sizeof(s));
		end = from + sizeof(s) + (size_t)s.size;
		if (at < end)
			return at >= from;
	}
	return false;
}

static void test_file(const char *path)
{
	static char bytes[FILE_MAX];
	int fd = open(path, O_RDWR);
	ssize_t size = read(fd, bytes, sizeof(bytes));

	CHECK(size > 0 && size < (ssize_t)sizeof(bytes));
	blamed = path;
	for (ssize_t i = 0; i < size * 8; i += unit_step()) {
		char flipped = (char)(bytes[i / 8] ^ 1 << i % 8);
		bool is_header = i / 8 < (ssize_t)sizeof(struct ktrace_file);
		unsigned int nr;

		CHECK_EQ(pwrite(fd, &flipped, 1, i / 8), 1);
		nr = read_all();
		if (is_covered(bytes, (size_t)size, (size_t)i / 8))
			CHECK(damages);
		/* One block at most, or a whole file that cannot be told from another one. */
		CHECK(is_header || nr >= ALL - PER_BLOCK);
		CHECK_EQ(pwrite(fd, &bytes[i / 8], 1, i / 8), 1);
	}
	blamed = NULL;
	close(fd);
}

int main(void)
{
	static struct maker m;
	__u64 n = 0;

	for (int i = 0; i < 2; i++) {
		temporary_file(paths[i], sizeof(paths[i]), "test_bits");
		unlink(paths[i]);	/* a part needs a new name */
	}
	make_storage = MAKE_MIXED;
	make_part(0, &m, &n, 2);
	make_part(1, &m, &n, 1);
	CHECK_EQ(read_all(), ALL);
	CHECK_EQ(damages, 0);
	test_file(paths[0]);
	test_file(paths[1]);
	CHECK_EQ(read_all(), ALL);
	unlink(paths[0]);
	unlink(paths[1]);
	return 0;
}
