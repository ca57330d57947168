// SPDX-License-Identifier: LGPL-2.1
/*
 * check.c - check whether a tracefile follows its format
 *
 * Walks from section to section, as if there were no index, and loads each of them. Finally
 * compares the sections found with the index.
 */
#include <ktrace/check.h>

#include "base/grow.h"
#include "base/lost.h"
#include "by_id.h"
#include "counts.h"
#include "line.h"
#include "read.h"
#include "ring/ring.h"
#include "section.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a LOST record that are checked: the writers' own reasons, which come first. */
#define WRITERS_SIZE (sizeof(__u64) * KTRACE_LOST_OVERWRITTEN)

/**
 * struct checked - what is known about a stream
 * @id:		its number
 * @block_size:	as announced, 0 = not announced
 * @end:	position after its last BLOCK section, 0 = none so far
 * @gap:	offset of the first section that does not follow its predecessor, 0 = none
 * @lost:	largest counts
 * @before:	number of records lost in earlier parts
 * @next:	the next stream found
 */
struct checked {
	__u32 id;
	__u64 block_size;
	__u64 end;
	__u64 gap;
	struct ktrace_lost lost;
	__u64 before;
	struct checked *next;
};

/**
 * struct checker - one run
 * @reader:	the file
 * @out:	results
 * @report:	the caller's function
 * @arg:	for @report
 * @streams:	streams found, by number
 * @first:	the first of them
 * @last:	where to link the next one found
 * @index:	the sections that were walked, as the index should list them
 * @index_nr:	how many
 * @index_cap:	room for so many
 * @compared:	entries of the index that were compared
 * @differs:	one of them was wrong and has been reported
 * @counts:	records, as COUNTS should have them
 * @has_counts:	there was such a section
 * @loaded:	the current section
 */
struct checker {
	struct reader reader;
	struct ktrace_check *out;
	void (*report)(void *arg, const struct ktrace_damage *damage);
	void *arg;
	void *streams;
	struct checked *first;
	struct checked **last;
	struct ktrace_index *index;
	size_t index_nr;
	size_t index_cap;
	size_t compared;
	bool differs;
	struct counts counts;
	bool has_counts;
	struct section_buf loaded;
};

static void report(void *arg, const char *path, __u64 offset, const char *message)
{
	struct ktrace_damage damage = { path, offset, message };
	struct checker *c = arg;

	c->out->damaged++;
	if (c->report)
		c->report(c->arg, &damage);
}

static struct checked *get_stream(struct checker *c, __u32 id)
{
	struct checked *st = ktrace_find_id(&c->streams, id);

	if (st)
		return st;
	st = ktrace_make_id(&c->streams, id, sizeof(*st));
	if (!st)
		return NULL;
	*c->last = st;
	c->last = &st->next;
	return st;
}

static int remember(struct checker *c, const struct ktrace_section *s, __u64 offset)
{
	if (!LIST_GROW(c->index, c->index_nr, c->index_cap))
		return -ENOMEM;
	c->index[c->index_nr++] = ktrace_section_entry(s, offset);
	return 0;
}

/* Records counts of losses, which must never go down. */
static void see_lost(struct checker *c, struct checked *st, __u64 offset,
		     const struct ktrace_lost *lost, int nr)
{
	bool is_less = false;
	int i;

	for (i = 0; i < nr; i++) {
		is_less |= lost->count[i] < st->lost.count[i];
		if (lost->count[i] > st->lost.count[i])
			st->lost.count[i] = lost->count[i];
	}
	if (is_less)
		ktrace_reader_report(&c->reader, offset, "counts of lost records decrease");
}

/**
 * struct contents - what is in a BLOCK section
 * @records:	events
 * @first_ts:	stamp of the first record
 * @last_ts:	largest stamp
 * @is_corrupt:	a record is invalid
 * @is_empty:	there is no record, not even of losses
 */
struct contents {
	__u32 records;
	__u64 first_ts;
	__u64 last_ts;
	bool is_corrupt;
	bool is_empty;
};

static void look_into(struct checker *c, struct checked *st, const struct ktrace_section *s,
		      __u64 offset, struct contents *found)
{
	const char *body = c->loaded.body, *payload;
	struct kt_cursor cur = { .base = body, .end = c->loaded.size };
	struct ktrace_block header;
	struct ktrace_record rec;
	struct ktrace_lost lost;
	int ret;

	*found = (struct contents){ .is_empty = true };
	if (c->loaded.size >= sizeof(header)) {
		memcpy(&header, body, sizeof(header));
		if (header.magic == KTRACE_BLOCK_MAGIC && header.pos == s->pos)
			cur.off = sizeof(header);
	}
	while ((ret = kt_cursor_next(&cur, &rec, &payload)) == KT_CURSOR_RECORD) {
		if (found->is_empty)
			found->first_ts = rec.ts;
		found->is_empty = false;
		found->last_ts = rec.ts > found->last_ts ? rec.ts : found->last_ts;
		found->records += rec.id != KTRACE_ID_LOST;
		if (rec.id == KTRACE_ID_LOST && rec.len >= WRITERS_SIZE) {
			memcpy(&lost, payload, WRITERS_SIZE);
			see_lost(c, st, offset, &lost, KTRACE_LOST_OVERWRITTEN);
		}
	}
	found->is_corrupt = ret == KT_CURSOR_CORRUPT;
}

/* True if a section follows its predecessor at once, or at the next multiple of the block size. */
static bool follows(const struct checked *st, __u64 pos)
{
	__u64 mask = st->block_size - 1;

	return !st->end || !st->block_size || pos == st->end ||
	       pos == ((st->end - 1) | mask) + 1;
}

static void check_block(struct checker *c, struct checked *st, const struct ktrace_section *s,
			__u64 offset)
{
	struct contents found;

	look_into(c, st, s, offset, &found);
	ktrace_counts_block(&c->counts, s->stream, s->pos, c->loaded.body, c->loaded.size);
	if (found.is_corrupt)
		ktrace_reader_report(&c->reader, offset, "impossible record");
	else if (found.records != s->records)
		ktrace_reader_report(&c->reader, offset, "header has a wrong number of records");
	else if (!found.is_empty && found.last_ts > s->last_ts)
		ktrace_reader_report(&c->reader, offset, "last stamp in the header is too small");
	if (s->pos < st->end)
		ktrace_reader_report(&c->reader, offset, "section does not follow its predecessor");
	else if (!follows(st, s->pos) && !st->gap)
		st->gap = offset;
	st->end = s->pos + c->loaded.size;
	c->out->blocks++;
	c->out->records += found.records;
}

static void check_lost(struct checker *c, struct checked *st, __u64 offset)
{
	struct ktrace_lost lost;

	ktrace_section_lost(&lost, c->loaded.body, c->loaded.size);
	see_lost(c, st, offset, &lost, KTRACE_LOST_NR);
}

/* Takes the losses that earlier parts have reported, which META repeats. */
static void take_before(struct checked *st, const char *line)
{
	if (!st->end && ktrace_line_lost(line, st->lost.count))
		st->before = lost_total(st->lost.count);
}

/* Takes the block sizes of the streams that a META section announces. */
static int take_meta(struct checker *c)
{
	size_t size = c->loaded.size;
	char *text = malloc(size + 1), *rest = text, *line;
	struct checked *st;
	__u64 block;

	if (!text)
		return -ENOMEM;
	memcpy(text, c->loaded.body, size);
	text[size] = '\0';
	while ((line = strsep(&rest, "\n"))) {
		if (strncmp(line, "stream ", 7))
			continue;
		st = get_stream(c, (__u32)ktrace_line_number(line, " id="));
		if (!st)
			break;
		block = ktrace_line_number(line, " block=");
		if (block <= KTRACE_BLOCK_MAX && !(block & (block - 1)))
			st->block_size = block;
		if (c->reader.part)
			take_before(st, line);
	}
	free(text);
	return line ? -ENOMEM : 0;
}

/* Compares the counts of the file with those of its blocks, if these are whole. */
static int check_counts(struct checker *c, __u64 offset)
{
	const size_t size = (size_t)c->loaded.size;
	struct ktrace_count *list;
	const long nr = ktrace_counts_sorted(&c->counts, &list);

	if (c->has_counts)
		ktrace_reader_report(&c->reader, offset, "there are several counts of events");
	c->has_counts = true;
	if (nr < 0)
		return nr == -ENOMEM ? -ENOMEM : 0;
	if (!c->out->damaged && (size != (size_t)nr * sizeof(*list) ||
				 memcmp(list, c->loaded.body, size)))
		ktrace_reader_report(&c->reader, offset,
				     "numbers of events are not those of the blocks");
	free(list);
	return 0;
}

static const char *what_is_wrong(int error)
{
	if (error == -EBADMSG)
		return "checksum is wrong";
	return error == -EILSEQ ? "bytes cannot be decompressed" :
	       "section has an unknown encoding";
}

/* Checks one section that the walk has reached */
static int check_section(struct checker *c, const struct ktrace_section *walked, __u64 offset)
{
	const struct ktrace_section *s = &c->loaded.section;
	struct checked *st;
	int ret = remember(c, walked, offset);

	if (!ret)
		ret = ktrace_reader_load_next(&c->reader, offset, c->reader.next, &c->loaded);
	c->out->sections += ret != -EBADMSG && walked->type != KTRACE_SECTION_COUNTS;
	if (ret == -EBADMSG || ret == -EILSEQ || ret == -EPROTONOSUPPORT) {
		ktrace_reader_report(&c->reader, offset, what_is_wrong(ret));
		return 0;
	}
	if (ret)
		return ret;
	if (s->type == KTRACE_SECTION_META)
		return take_meta(c);
	if (s->type == KTRACE_SECTION_COUNTS)
		return check_counts(c, offset);
	st = get_stream(c, s->stream);
	if (!st)
		return -ENOMEM;
	if (s->type == KTRACE_SECTION_BLOCK)
		check_block(c, st, s, offset);
	else
		check_lost(c, st, offset);
	return 0;
}

/* Checks that bytes missing in a stream were reported lost. */
static void check_streams(struct checker *c)
{
	const struct checked *st;
	__u64 sum;

	for (st = c->first; st; st = st->next) {
		sum = lost_total(st->lost.count) - st->before;
		c->out->lost += sum;
		if (st->gap && !sum)
			ktrace_reader_report(&c->reader, st->gap,
					     "data is missing before here, but no loss is "
					     "recorded");
	}
}

static int compare_entry(void *arg, const struct ktrace_index *entry, __u64 end)
{
	struct checker *c = arg;
	size_t i = c->compared++;

	(void)end;	/* known from walking */
	if (!c->differs && (i >= c->index_nr || memcmp(entry, &c->index[i], sizeof(*entry)))) {
		c->differs = true;
		ktrace_reader_report(&c->reader, entry->offset,
				     "wrong index entry for this section");
	}
	return 0;
}

static int check_index(struct checker *c)
{
	int ret;

	c->out->is_closed = c->reader.is_closed;
	if (!c->reader.is_closed)
		return 0;
	ret = ktrace_reader_index(&c->reader, compare_entry, c);
	if (ret < 0)
		return ret;
	if (!ret)
		ktrace_reader_report(&c->reader, KTRACE_OFFSET_NONE, "index is damaged or missing");
	else if (c->compared < c->index_nr && !c->differs)
		ktrace_reader_report(&c->reader, c->index[c->compared].offset,
				     "section is not in the index");
	return 0;
}

static int check_all(struct checker *c)
{
	struct ktrace_section s;
	__u64 offset;
	int ret;

	c->out->bytes = c->reader.size;
	while ((ret = ktrace_reader_walk(&c->reader, &s, &offset)) == 1) {
		ret = check_section(c, &s, offset);
		if (ret)
			return ret;
	}
	check_streams(c);
	return ret ? ret : check_index(c);
}

static void begin(struct checker *c)
{
	memset(c->out, 0, sizeof(*c->out));
	c->reader = (struct reader){ .fd = -1, .report = report, .arg = c };
	c->last = &c->first;
}

/* Checks the file and frees everything. @ret: result of opening the file */
static int check_opened(struct checker *c, int ret)
{
	if (ret)
		return ret;
	ret = check_all(c);
	ktrace_reader_close(&c->reader);
	ktrace_section_buf_free(&c->loaded);
	ktrace_free_ids(c->streams);
	free(c->index);
	ktrace_counts_free(&c->counts);
	return ret;
}

int ktrace_check_file(const char *path,
		      void (*report_to)(void *arg, const struct ktrace_damage *damage), void *arg,
		      struct ktrace_check *out)
{
	struct checker c = { .out = out, .report = report_to, .arg = arg };

	begin(&c);
	return check_opened(&c, ktrace_reader_open(&c.reader, path));
}

int ktrace_check_fd(int fd, void (*report_to)(void *arg, const struct ktrace_damage *damage),
		    void *arg, struct ktrace_check *out)
{
	struct checker c = { .out = out, .report = report_to, .arg = arg };

	begin(&c);
	return check_opened(&c, ktrace_reader_open_fd(&c.reader, fd, "open file"));
}
