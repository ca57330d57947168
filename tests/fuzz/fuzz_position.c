// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_position.c - any word as a position of a file with fragments, losses and gaps
 *
 * What is taken as a position comes out as the same word. The traceset goes there or says
 * no; then it is where it was. What is read from there ends, and going again to what is saved
 * on the way gives the same events.
 */
#include <errno.h>
#include <ktrace/position.h>
#include <ktrace/tracefile.h>

#include "fuzz.h"

#define BLOCK 4096u
#define STREAMS 2u

static struct memfile file;
static struct ktrace_traceset *set;

/* A block of small records; every third is a fragment, the first may tell losses. */
static void write_block(struct ktrace_tracefile *tf, __u32 id, __u64 pos, __u64 ts, __u64 lost)
{
	struct ktrace_block header = { .pos = pos, .ts = ts, .lost = lost,
				       .magic = KTRACE_BLOCK_MAGIC };
	struct ktrace_tracefile_block block = { .stream = id, .pos = pos, .first_ts = ts };
	struct ktrace_lost counts = { .count = { lost } };
	struct ktrace_record rec = { .ts = ts, .id = KTRACE_ID_LOST, .len = sizeof(counts) };
	static const __u32 flags[] = { 1, 2 | KTRACE_REC_FRAG_FIRST,
				       3, 2 | KTRACE_REC_FRAG_NEXT };
	char data[BLOCK];
	__u32 i;

	memcpy(data, &header, sizeof(header));
	memcpy(data + sizeof(header), &rec, sizeof(rec));
	memcpy(data + sizeof(header) + sizeof(rec), &counts, sizeof(counts));
	block.size = (__u32)sizeof(header) + (lost ? KTRACE_RECORD_SIZE(rec.len) : 0);
	for (i = 0; i < 8; i++) {
		rec = (struct ktrace_record){ .ts = ts + i, .id = 16, .len = 16,
					      .tid_flags = flags[(i + id) % 4] };
		memcpy(data + block.size, &rec, sizeof(rec));
		memset(data + block.size + sizeof(rec), 0, 16);
		data[block.size + sizeof(rec)] = 40;
		block.size += KTRACE_RECORD_SIZE(rec.len);
		block.last_ts = rec.ts;
		block.records++;
	}
	block.data = data;
	REQUIRE(!ktrace_tracefile_block(tf, &block));
}

static void write_file(void)
{
	struct ktrace_lost counts = { .count = { 9, 0, 2 } };
	struct ktrace_tracefile *tf;
	char text[256];
	__u32 i, id;
	int n;

	memfile_make(&file);
	REQUIRE(!ktrace_tracefile_create(file.path, &tf));
	n = snprintf(text, sizeof(text), "clock raw=0 mono_ns=0 real_ns=0 hz=1000000000\n");
	for (id = 0; id < STREAMS; id++)
		n += snprintf(text + n, sizeof(text) - (size_t)n,
			      "stream id=%u kind=user ring=65536 block=%u policy=drop\n", id,
			      BLOCK);
	REQUIRE(!ktrace_tracefile_meta(tf, text, (size_t)n));
	for (i = 0; i < 6; i++)
		for (id = 0; id < STREAMS; id++)
			write_block(tf, id, (i + (i > 3)) * BLOCK, 16 * i + 3 * id, i > 2 ? 7 : 0);
	REQUIRE(!ktrace_tracefile_lost(tf, 0, 8 * BLOCK, 200, &counts, 0));
	REQUIRE(!ktrace_tracefile_close(tf));
	/* The same in every run, so that inputs stay what they were */
	memset(text, 0, 16);
	REQUIRE(pwrite(file.fd, text, 16, offsetof(struct ktrace_file, uuid)) == 16);
}

static char *text_of(const struct ktrace_position *pos)
{
	size_t size = ktrace_position_to_text(pos, NULL, 0) + 1;
	char *text = malloc(size);

	REQUIRE(text);
	REQUIRE(ktrace_position_to_text(pos, text, size) == size - 1);
	return text;
}

static char *text_here(void)
{
	struct ktrace_position *pos;
	char *text;

	REQUIRE(!ktrace_position_new(&pos));
	REQUIRE(!ktrace_position_save(set, pos));
	text = text_of(pos);
	ktrace_position_free(pos);
	return text;
}

/* Every position of the file, as inputs to begin with: see tests/fuzz/seeds */
static void write_seeds(const char *folder)
{
	struct ktrace_trace_event e;
	char path[4096], *text;
	int i = 0;
	FILE *f;

	do {
		snprintf(path, sizeof(path), "%s/place-%02d", folder, i++);
		text = text_here();
		f = fopen(path, "w");
		REQUIRE(f && fputs(text, f) >= 0 && !fclose(f));
		free(text);
	} while (ktrace_traceset_next(set, &e) == 1);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	write_file();
	REQUIRE(!ktrace_traceset_open(NULL, &set));
	REQUIRE(!ktrace_traceset_add(set, file.path));
	if (getenv("KTRACE_POSITION_SEEDS"))
		write_seeds(getenv("KTRACE_POSITION_SEEDS"));
	return 0;
}

/* Reads to the end; halfway a position is saved: the rest from there is the same again. */
static void read_rest(struct ktrace_position *pos)
{
	struct ktrace_trace_event e;
	unsigned int nr = 0, rest = 0;
	__u64 time = 0;

	while (ktrace_traceset_next(set, &e) == 1) {
		REQUIRE(nr++ < 1000);
		if (nr == 10)
			REQUIRE(!ktrace_position_save(set, pos));
		time = e.time;
	}
	if (nr < 10)
		return;
	REQUIRE(!ktrace_traceset_seek_position(set, pos));
	e.time = time;
	while (ktrace_traceset_next(set, &e) == 1)
		rest++;
	REQUIRE(rest == nr - 10 && e.time == time);
}

static void check_seek(struct ktrace_position *pos)
{
	char *before, *behind;
	int ret;

	REQUIRE(!ktrace_traceset_seek(set, 30));
	before = text_here();
	ret = ktrace_traceset_seek_position(set, pos);
	if (ret || !ktrace_position_is_set(pos)) {
		REQUIRE(!ret || ret == -EINVAL || ret == -EBADMSG);
		behind = text_here();
		REQUIRE(!strcmp(before, behind));
		free(behind);
	} else {
		read_rest(pos);
	}
	free(before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };
	struct ktrace_position *pos;
	char *text = input_string(&in), *again;

	REQUIRE(!ktrace_position_new(&pos));
	if (!ktrace_position_from_text(pos, text)) {
		again = text_of(pos);
		REQUIRE(!strcmp(text, again));
		free(again);
		REQUIRE(!ktrace_position_compare(pos, pos));
		check_seek(pos);
	} else {
		REQUIRE(!ktrace_position_is_set(pos));
	}
	ktrace_position_free(pos);
	free(text);
	return 0;
}
