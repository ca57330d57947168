// SPDX-License-Identifier: GPL-2.0
/*
 * mktrace.c - makes a tracefile of a script, for tests of everything that reads them
 *
 *   mktrace FILE [--no-end | --parts] < SCRIPT
 *
 * A line of the script is one of
 *
 *   meta TEXT                    a META line as it is
 *   block STREAM                 begin a block, with its header; ends the one before
 *   more STREAM                  begin a section that continues the block
 *   rec TS ID TID[:FLAGS] VALUE...  add a record to it
 *   lostrec TS COUNT...          add a LOST record to it, counts by reason
 *   lost STREAM TS COUNT...      a LOST section
 *   compress LEVEL               store blocks that end from now on so, 0 = as they are
 *   part                         with --parts: FILE.1 ends, FILE.2 begins, and so on
 *   # comment
 *
 *   VALUE  u8:N u16:N u32:N u64:N s:TEXT (with NUL) hex:BYTES char16:TEXT zeros:N
 *
 * FLAGS is the hexadecimal high byte of tid_flags. Blocks have 4096 bytes.
 */
#include <ktrace/tracefile.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK 4096u	/* what positions of blocks are multiples of */
#define ROOM 32768u	/* blocks may have more */
#define STREAMS 256u
#define METAS 20480u

/* struct state - what is being put together; part 0: the file is whole */
struct state {
	struct ktrace_tracefile *tf;
	struct ktrace_text text;
	struct ktrace_tracefile_block block;
	bool is_open;
	char data[ROOM];
	__u64 next_pos[STREAMS];
	__u64 records[STREAMS];
	__u64 lost[STREAMS];
	struct ktrace_lost told[STREAMS];
	const char *name;
	__u32 part;
	char *metas[METAS];
	size_t meta_nr;
};

static __attribute__((noreturn)) void die(const char *what)
{
	fprintf(stderr, "mktrace: %s\n", what);
	exit(1);
}

static void check(int ret)
{
	if (ret)
		die(strerror(-ret));
}

static __u64 number(char **rest)
{
	char *word = strsep(rest, " ");

	if (!word)
		die("a number is missing");
	return strtoull(word, NULL, 0);
}

static void end_block(struct state *st)
{
	if (!st->is_open)
		return;
	check(ktrace_text_flush(&st->text, st->tf));
	check(ktrace_tracefile_block(st->tf, &st->block));
	st->records[st->block.stream] += st->block.records;
	st->next_pos[st->block.stream] = st->block.pos + st->block.size;
	st->is_open = false;
}

static void append(struct state *st, const void *data, size_t size)
{
	if (st->block.size + size > ROOM)
		die("the block is full");
	memcpy(st->data + st->block.size, data, size);
	st->block.size += (__u32)size;
}

static void begin_block(struct state *st, char *rest, bool has_header)
{
	__u32 stream = (__u32)number(&rest) % STREAMS;
	struct ktrace_block header = { .magic = KTRACE_BLOCK_MAGIC, .ring = stream };
	__u64 pos;

	end_block(st);
	pos = st->next_pos[stream];
	if (has_header)
		pos = (pos + BLOCK - 1) & ~(__u64)(BLOCK - 1);
	st->block = (struct ktrace_tracefile_block){
		.stream = stream, .pos = pos, .data = st->data,
	};
	header.pos = pos;
	header.records = st->records[stream];
	header.lost = st->lost[stream];
	header.flags = KTRACE_BLOCK_COUNTED;
	st->is_open = true;
	if (has_header)
		append(st, &header, sizeof(header));
}

static size_t put_hex(char *to, const char *digits)
{
	unsigned int byte;
	size_t n = 0;

	for (; digits[0] && digits[1]; digits += 2) {
		if (sscanf(digits, "%2x", &byte) != 1)
			die("bad hex");
		to[n++] = (char)byte;
	}
	return n;
}

/* One VALUE; returns its bytes. */
static size_t put_value(char *to, const char *value)
{
	const char *arg = strchr(value, ':');
	__u64 v;

	if (!arg++)
		die("bad value");
	v = strtoull(arg, NULL, 0);
	if (value[0] == 'u') {
		memcpy(to, &v, sizeof(v));
		return strtoul(value + 1, NULL, 10) / 8;
	}
	if (!strncmp(value, "char16:", 7)) {
		memset(to, 0, 16);
		memcpy(to, arg, strnlen(arg, 16));
		return 16;
	}
	if (!strncmp(value, "zeros:", 6)) {
		memset(to, 0, (size_t)v);
		return (size_t)v;
	}
	if (!strncmp(value, "hex:", 4))
		return put_hex(to, arg);
	memcpy(to, arg, strlen(arg) + 1);
	return strlen(arg) + 1;
}

static void add_record(struct state *st, const struct ktrace_record *rec, const void *payload)
{
	static const char zeros[KTRACE_ALIGN];

	if (rec->id != KTRACE_ID_LOST) {
		if (!st->block.records++)
			st->block.first_ts = rec->ts;
	}
	if (rec->ts > st->block.last_ts)
		st->block.last_ts = rec->ts;
	append(st, rec, sizeof(*rec));
	append(st, payload, rec->len);
	append(st, zeros, -rec->len & (KTRACE_ALIGN - 1));
}

static void rec_line(struct state *st, char *rest)
{
	struct ktrace_record rec = { .ts = number(&rest) };
	char payload[ROOM], *tid, *flags, *value;
	size_t len = 0;

	rec.id = (__u16)number(&rest);
	tid = strsep(&rest, " ");
	if (!tid)
		die("no thread");
	rec.tid_flags = (__u32)strtoul(tid, &flags, 0);
	if (*flags == ':')
		rec.tid_flags |= (__u32)strtoul(flags + 1, NULL, 16) << 24;
	while ((value = strsep(&rest, " ")) && *value && len < ROOM / 2)
		len += put_value(payload + len, value);
	rec.len = (__u16)len;
	add_record(st, &rec, payload);
}

static __u64 counts(char *rest, struct ktrace_lost *lost)
{
	__u64 sum = 0;
	int i;

	memset(lost, 0, sizeof(*lost));
	for (i = 0; i < KTRACE_LOST_NR && rest; i++) {
		lost->count[i] = number(&rest);
		sum += lost->count[i];
	}
	return sum;
}

static void see_lost(struct state *st, __u32 stream, const struct ktrace_lost *lost)
{
	for (int i = 0; i < KTRACE_LOST_NR; i++)
		if (lost->count[i] > st->told[stream].count[i])
			st->told[stream].count[i] = lost->count[i];
}

/* The writer's counts are in the block's header too. */
static void lostrec_line(struct state *st, char *rest)
{
	struct ktrace_record rec = { .ts = number(&rest), .id = KTRACE_ID_LOST };
	struct ktrace_block *header = (struct ktrace_block *)st->data;
	struct ktrace_lost lost;

	st->lost[st->block.stream] = counts(rest, &lost);
	header->lost = st->lost[st->block.stream];
	see_lost(st, st->block.stream, &lost);
	rec.len = sizeof(lost);
	add_record(st, &rec, &lost);
}

static void lost_line(struct state *st, char *rest)
{
	__u32 stream = (__u32)number(&rest) % STREAMS;
	__u64 ts = number(&rest);
	struct ktrace_lost lost;
	__u64 sum = counts(rest, &lost);

	end_block(st);
	see_lost(st, stream, &lost);
	check(ktrace_text_flush(&st->text, st->tf));
	check(ktrace_tracefile_lost(st->tf, stream, st->next_pos[stream], ts, &lost, sum));
}

static void create_part(struct state *st)
{
	static __u8 uuid[16];
	char *path;

	if (asprintf(&path, "%s.%u", st->name, ++st->part) < 0)
		die("no memory");
	unlink(path);	/* a part's name has to be new */
	check(ktrace_tracefile_create_part(path, st->part, st->part > 1 ? uuid : NULL, &st->tf));
	ktrace_tracefile_uuid(st->tf, uuid);
	free(path);
}

/* Of a stream, also how far the parts before have got. */
static void repeat_meta(struct state *st, const char *line)
{
	char counts[KTRACE_LOST_NR * 21], *at = counts;
	unsigned int id;

	ktrace_text_line(&st->text, line);
	if (sscanf(line, "stream id=%u ", &id) != 1 || id >= STREAMS || !st->next_pos[id])
		return;
	for (int i = 0; i < KTRACE_LOST_NR; i++)
		at += sprintf(at, "%s%llu", i ? "," : "", st->told[id].count[i]);
	ktrace_text_u64(&st->text, "pos", st->next_pos[id]);
	ktrace_text_u64(&st->text, "records", st->records[id]);
	ktrace_text_str(&st->text, "lost", counts);
}

static void part_line(struct state *st)
{
	char line[32];

	if (!st->part)
		return;
	end_block(st);
	check(ktrace_text_flush(&st->text, st->tf));
	check(ktrace_tracefile_close_part(st->tf));
	create_part(st);
	for (size_t i = 0; i < st->meta_nr; i++)
		repeat_meta(st, st->metas[i]);
	check(ktrace_text_flush(&st->text, st->tf));
	snprintf(line, sizeof(line), "part number=%u", st->part);
	ktrace_text_line(&st->text, line);
	check(ktrace_text_flush(&st->text, st->tf));
}

static void meta_line(struct state *st, const char *text)
{
	end_block(st);
	ktrace_text_line(&st->text, text);
	if (st->meta_nr == METAS)
		die("too many meta lines");
	st->metas[st->meta_nr] = strdup(text);
	if (!st->metas[st->meta_nr++])
		die("no memory");
}

static void run_line(struct state *st, char *line)
{
	char *rest = line, *word = strsep(&rest, " ");

	if (!*word || *word == '#')
		return;
	if (!strcmp(word, "part")) {
		part_line(st);
		return;
	}
	if (!rest)
		die("line with one word");
	if (!strcmp(word, "meta")) {
		meta_line(st, rest);
	} else if (!strcmp(word, "block") || !strcmp(word, "more")) {
		begin_block(st, rest, *word == 'b');
	} else if (!strcmp(word, "compress")) {
		check(ktrace_tracefile_compress(st->tf, (int)strtol(rest, NULL, 0)));
	} else if (!strcmp(word, "lost")) {
		lost_line(st, rest);
	} else if (!st->is_open) {
		die("a record outside a block");
	} else if (!strcmp(word, "rec")) {
		rec_line(st, rest);
	} else if (!strcmp(word, "lostrec")) {
		lostrec_line(st, rest);
	} else {
		die("unknown word");
	}
}

int main(int argc, char **argv)
{
	static struct state st;
	static char line[1 << 18];
	bool has_parts;

	if (argc < 2 || argc > 3)
		die("usage: mktrace FILE [--no-end | --parts] < SCRIPT");
	has_parts = argc == 3 && !strcmp(argv[2], "--parts");
	if (argc == 3 && !has_parts && strcmp(argv[2], "--no-end"))
		die("unknown option");
	st.name = argv[1];
	if (has_parts)
		create_part(&st);
	else
		check(ktrace_tracefile_create(argv[1], &st.tf));
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		run_line(&st, line);
	}
	end_block(&st);
	check(ktrace_text_flush(&st.text, st.tf));
	if (argc == 3 && !has_parts)
		return 0;	/* as after a crash of the recorder */
	check(ktrace_tracefile_close(st.tf));
	ktrace_text_free(&st.text);
	while (st.meta_nr)
		free(st.metas[--st.meta_nr]);
	return 0;
}
