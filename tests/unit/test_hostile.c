// SPDX-License-Identifier: GPL-2.0
/*
 * test_hostile.c - files that lie: every byte of every section changed, checksums right
 *
 * usage: test_hostile [FILE]       (default: the golden file, and compressed blocks of the
 *				     other one, from the top of the tree)
 *
 * What comes out may be anything, but reading ends, stays in bounds and says nothing
 * that is not in the file. Everything that looks at contents is called: decoding,
 * printing, names, seeks, spans.
 */
#include <ktrace/traceset.h>

#include "check.h"

#include "../../userspace/lib/tracefile/crc32c.h"

#include <fcntl.h>
#include <linux/ktrace_file.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[64];

static void use_values(const struct ktrace_trace_event *e)
{
	static char text[1 << 16];
	struct ktrace_out out = { .buf = text, .cap = sizeof(text) };
	struct ktrace_values it;
	struct ktrace_value v;

	if (!e->type)
		return;
	ktrace_values_init(&it, e->type, e->payload, e->len);
	while (ktrace_values_next(&it, &v)) {
		ktrace_value_text(&out, &v);
		ktrace_value_json(&out, &v);
	}
}

static void use_events(struct ktrace_traceset *set, long limit)
{
	struct ktrace_trace_event e;
	const char *comm;
	long nr = 0;

	while (ktrace_traceset_next(set, &e) == 1) {
		CHECK(++nr < limit);
		use_values(&e);
		comm = ktrace_trace_comm(e.stream->trace, e.tid, e.raw);
		CHECK(!comm || strlen(comm) < 16);
		ktrace_trace_pid(e.stream->trace, e.tid, e.raw);
		ktrace_trace_wall(e.stream->trace, e.raw);
	}
}

static void use_file(size_t size)
{
	struct ktrace_traceset *set;
	__u64 start, end;

	CHECK_EQ(ktrace_traceset_open(NULL, &set), 0);
	if (!ktrace_traceset_add(set, path)) {
		CHECK_EQ(ktrace_traceset_span(set, &start, &end), 0);
		use_events(set, (long)size);
		CHECK_EQ(ktrace_traceset_seek(set, start + (end - start) / 2), 0);
		use_events(set, (long)size);
		CHECK_EQ(ktrace_traceset_seek(set, end), 0);
		use_events(set, (long)size);
	}
	ktrace_traceset_close(set);
}

static void fix_checksum(char *bytes, size_t size, size_t at)
{
	struct ktrace_section s;

	memcpy(&s, bytes + at, sizeof(s));
	if (s.size > size - at - sizeof(s))
		return;
	s.crc = 0;
	s.crc = ktrace_crc32c(ktrace_crc32c(0, &s, sizeof(s)), bytes + at + sizeof(s),
			      (size_t)s.size);
	memcpy(bytes + at, &s, sizeof(s));
}

/* Changes byte @i of the section at @at to @value, in the file and back in @bytes. */
static void try_byte(char *bytes, size_t size, size_t at, size_t i, unsigned char value)
{
	struct ktrace_section before;
	char old = bytes[i];
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	memcpy(&before, bytes + at, sizeof(before));
	bytes[i] = (char)value;
	fix_checksum(bytes, size, at);
	CHECK(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	close(fd);
	use_file(size);
	memcpy(bytes + at, &before, sizeof(before));
	bytes[i] = old;
}

static char *load(const char *name, size_t *size)
{
	int fd = open(name, O_RDONLY);
	struct stat st;
	char *bytes;

	CHECK(fd >= 0 && !fstat(fd, &st));
	*size = (size_t)st.st_size;
	bytes = malloc(*size);
	CHECK(read(fd, bytes, *size) == (ssize_t)*size);
	close(fd);
	return bytes;
}

/* Sections that have one of @flags; 0 = all. */
static void test_file(const char *name, __u16 flags)
{
	static const unsigned char values[] = { 0x00, 0xff, 0x7f };
	struct ktrace_section s;
	size_t size, at, i, end;
	char *bytes = load(name, &size);

	for (at = sizeof(struct ktrace_file); at < size; at = end) {
		memcpy(&s, bytes + at, sizeof(s));
		CHECK_EQ(s.magic, KTRACE_SECTION_MAGIC);
		end = at + sizeof(s) + ((s.size + 7) & ~7ull);
		for (i = at; i < end && (!flags || s.flags & flags); i += (size_t)unit_step())
			try_byte(bytes, size, at, i, values[i % sizeof(values)]);
	}
	free(bytes);
}

int main(int argc, char **argv)
{
	temporary_file(path, sizeof(path), "test_hostile");
	test_file(argc > 1 ? argv[1] : "tests/data/golden/small-v1.bin", 0);
	if (argc == 1)
		test_file("tests/data/golden/small-v1-zstd.bin", KTRACE_SECTION_ZSTD);
	unlink(path);
	return 0;
}
