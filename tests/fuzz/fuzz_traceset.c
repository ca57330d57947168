// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_traceset.c - hostile tracefiles: walk, index, merge, seek, growth
 *
 * The input is a file. Its uuid says whether it is added twice, where it is cut while it
 * grows, and which times are sought. What must hold:
 *  - nothing is invented: an event was a record of a section whose checksum is right;
 *  - events ascend in the documented order, as long as stamps do;
 *  - a seek gives what a linear scan gives from there on, if headers tell the truth;
 *  - a file that is reopened and closed holds what it held;
 *  - a file that is read while it grows gives as many events as the whole file.
 */
#include "../../userspace/lib/traceset/traceset.c"

#include <ktrace/context.h>
#include <ktrace/tracefile.h>

#include "sections.h"
#include "truthful.h"

#define SEEN_MAX 16384u

/* struct seen - an event as it was delivered */
struct seen {
	__u64 time;
	__u64 raw;
	__u64 hash;
	__u32 stream;
	__u32 trace;
	__u32 flags;
	bool is_lost;
};

/* struct record - identity of a record in a sound section */
struct record {
	__u64 hash;
};

/**
 * struct try - one input
 * @file:	the input as a file
 * @records:	what sound sections hold
 * @record_nr:	how many
 * @lost_max:	largest counts of sound sections
 * @has_fragments: among @records
 * @seen:	the linear scan
 * @seen_nr:	how many
 */
static struct try {
	struct memfile file;
	struct record records[SEEN_MAX];
	size_t record_nr;
	__u64 lost_max[KTRACE_LOST_NR];
	bool has_fragments;
	struct seen seen[SEEN_MAX];
	size_t seen_nr;
} run;

static __u64 hash_bytes(__u64 h, const void *data, size_t n)
{
	const unsigned char *p = data;

	while (n--)
		h = (h ^ *p++) * 0x100000001b3ull;
	return h;
}

static __u64 hash_record(__u64 ts, __u32 id, __u32 tid, const char *payload, __u32 len)
{
	const __u64 head[4] = { ts, id, tid, len };

	return hash_bytes(hash_bytes(0xcbf29ce484222325ull, head, sizeof(head)), payload, len);
}

static void note_max(const void *counts, size_t size)
{
	struct ktrace_lost lost = { { 0 } };
	int i;

	memcpy(&lost, counts, size < sizeof(lost) ? size : sizeof(lost));
	for (i = 0; i < KTRACE_LOST_NR; i++)
		if (lost.count[i] > run.lost_max[i])
			run.lost_max[i] = lost.count[i];
}

static void note_records(const char *body, __u32 size, __u32 off)
{
	struct kt_cursor cur = { .base = body, .off = off, .end = size };
	struct ktrace_record rec;
	const char *payload;

	while (kt_cursor_next(&cur, &rec, &payload) == KT_CURSOR_RECORD) {
		if (rec.id == KTRACE_ID_LOST)
			note_max(payload, rec.len);
		if (rec.tid_flags & (KTRACE_REC_FRAG_FIRST | KTRACE_REC_FRAG_NEXT))
			run.has_fragments = true;
		if (run.record_nr < SEEN_MAX)
			run.records[run.record_nr++].hash =
				hash_record(rec.ts, rec.id, rec.tid_flags & KTRACE_TID_MASK,
					    payload, rec.len);
	}
}

static int by_hash(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

/* The body as it was in the ring, and @size of it; NULL if it was not. */
static const char *expanded(const struct ktrace_section *s, const char *body, size_t *size)
{
	static char raw[KTRACE_BLOCK_MAX];

	*size = (size_t)s->size;
	if (!(s->flags & KTRACE_SECTION_ZSTD))
		return body;
	*size = ZSTD_decompress(raw, sizeof(raw), body, (size_t)s->size);
	return *size == s->raw_size ? raw : NULL;
}

/* Everything that has the right checksum, wherever it lies. */
static void find_records(const uint8_t *data, size_t size)
{
	struct ktrace_section s;
	size_t at, n;
	const char *body;

	run.record_nr = 0;
	run.has_fragments = false;
	memset(run.lost_max, 0, sizeof(run.lost_max));
	for (at = 0; at + sizeof(s) <= size; at += KTRACE_SECTION_ALIGN) {
		memcpy(&s, data + at, sizeof(s));
		if (s.magic != KTRACE_SECTION_MAGIC || s.size > size - at - sizeof(s))
			continue;
		body = (const char *)data + at + sizeof(s);
		if (ktrace_crc32c(ktrace_section_crc(&s), body, (size_t)s.size) != s.crc)
			continue;
		if (s.type == KTRACE_SECTION_LOST)
			note_max(body, (size_t)s.size);
		if (s.type != KTRACE_SECTION_BLOCK)
			continue;
		body = expanded(&s, body, &n);
		if (!body)
			continue;
		note_records(body, (__u32)n, 0);
		if (n >= sizeof(struct ktrace_block))
			note_records(body, (__u32)n, sizeof(struct ktrace_block));
	}
	qsort(run.records, run.record_nr, sizeof(run.records[0]), by_hash);
}

static bool is_known_record(__u64 hash)
{
	struct record key = { hash };

	return run.record_nr == SEEN_MAX || run.has_fragments ||
	       (run.record_nr && bsearch(&key, run.records, run.record_nr, sizeof(key), by_hash));
}

static void check_lost(const struct ktrace_trace_event *e)
{
	struct lost_payload lost;

	REQUIRE(e->len == sizeof(lost));
	memcpy(&lost, e->payload, sizeof(lost));
	REQUIRE(lost.reason < KTRACE_LOST_NR && lost.count);
	REQUIRE(lost.count <= run.lost_max[lost.reason]);
}

static struct seen digest(const struct ktrace_trace_event *e)
{
	struct seen s = {
		.time = e->time, .raw = e->raw, .stream = e->stream->id,
		.trace = (__u32)ktrace_trace_index(e->stream->trace), .flags = e->flags,
		.hash = hash_record(e->raw, e->id, e->tid, e->payload,
				    e->len + ktrace_event_context_size(e)),
		.is_lost = e->id == KTRACE_ID_LOST,
	};

	if (s.is_lost)
		check_lost(e);
	else
		REQUIRE(is_known_record(s.hash));
	return s;
}

static struct ktrace_traceset *open_set(const uint8_t *settings, bool is_live)
{
	struct ktrace_traceset_options opts = { .size = sizeof(opts), .is_live = is_live };
	struct ktrace_traceset *set;
	int ret, again;

	REQUIRE(!ktrace_traceset_open(&opts, &set));
	ret = ktrace_traceset_add(set, run.file.path);
	REQUIRE(ret != -ENOMEM);
	if (!ret && settings[0] & 1) {
		/* Once more; a part of a recording is there already. */
		again = ktrace_traceset_add(set, run.file.path);
		REQUIRE(!again || again == -EEXIST);
	}
	if (!ret)
		return set;
	ktrace_traceset_close(set);
	return NULL;
}

static void scan(struct ktrace_traceset *set)
{
	struct ktrace_trace_event e;
	struct seen s;
	int ret;

	run.seen_nr = 0;
	while ((ret = ktrace_traceset_next(set, &e)) == 1) {
		s = digest(&e);
		if (run.seen_nr < SEEN_MAX)
			run.seen[run.seen_nr++] = s;
	}
	REQUIRE(!ret && run.seen_nr < SEEN_MAX);
	REQUIRE(ktrace_traceset_next(set, &e) == 0);
}

static int compare_keys(const struct seen *a, const struct seen *b)
{
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	return a->trace < b->trace ? -1 : a->trace > b->trace;
}

/* Does each stream ascend, losses included? Then all of it must. */
static bool check_order(void)
{
	bool is_orderly = true, has_lost = false;
	size_t i, j;

	for (i = 0; i < run.seen_nr; i++) {
		is_orderly &= !(run.seen[i].flags & KTRACE_EVENT_BACKWARDS);
		has_lost |= run.seen[i].is_lost;
	}
	for (i = 1; i < run.seen_nr && is_orderly; i++)
		for (j = i; j-- > 0 && is_orderly;)
			if (run.seen[j].stream == run.seen[i].stream &&
			    run.seen[j].trace == run.seen[i].trace) {
				is_orderly = run.seen[j].time <= run.seen[i].time;
				break;
			}
	for (i = 1; i < run.seen_nr && is_orderly && !run.has_fragments; i++)
		REQUIRE(compare_keys(&run.seen[i - 1], &run.seen[i]) <= 0);
	/* A fragment that is waited for has a place, and maybe one before a loss. */
	for (i = 1; i < run.seen_nr && is_orderly && !(run.has_fragments && has_lost); i++)
		REQUIRE(run.seen[i - 1].time <= run.seen[i].time);
	return is_orderly;
}

/* Seeks, and compares what comes with the rest of the linear scan. */
static void check_seek(struct ktrace_traceset *set, __u64 time, bool must_agree)
{
	struct ktrace_trace_event e;
	size_t i = 0, nr = 0;
	struct seen s;
	int ret;

	REQUIRE(!ktrace_traceset_seek(set, time));
	while (i < run.seen_nr && (run.seen[i].is_lost || run.seen[i].time < time))
		i++;
	while ((ret = ktrace_traceset_next(set, &e)) == 1) {
		REQUIRE(++nr <= 4 * SEEN_MAX);
		s = digest(&e);
		if (s.is_lost || !must_agree)
			continue;
		while (i < run.seen_nr && run.seen[i].is_lost)
			i++;
		REQUIRE(i < run.seen_nr);
		REQUIRE(s.time == run.seen[i].time && s.hash == run.seen[i].hash &&
			s.stream == run.seen[i].stream && s.trace == run.seen[i].trace);
		i++;
	}
	REQUIRE(!ret);
	while (i < run.seen_nr && run.seen[i].is_lost)
		i++;
	REQUIRE(!must_agree || i == run.seen_nr);
}

static void check_seeks(struct ktrace_traceset *set, const uint8_t *settings, bool is_orderly)
{
	bool must_agree = !run.has_fragments && is_truthful(set);
	__u64 start, end;
	size_t i;

	for (i = 0; i < run.seen_nr; i++)
		if (run.seen[i].is_lost && !is_orderly)
			must_agree = false;
	REQUIRE(!ktrace_traceset_span(set, &start, &end) && start <= end);
	for (i = 1; i < 4; i++)
		if (run.seen_nr)
			check_seek(set, run.seen[settings[i] % run.seen_nr].time +
				   (settings[i] & 1), must_agree);
	check_seek(set, 0, must_agree);
	check_seek(set, ~0ull, must_agree);
}

/* The same with a name of its own, which does not lead there by a link; until the program ends. */
static char memfile_name[32];

static void memfile_unlink(void)
{
	unlink(memfile_name);
}

static void memfile_make_named(struct memfile *f)
{
	snprintf(f->path, sizeof(f->path), "/dev/shm/fuzz-XXXXXX");
	f->fd = mkstemp(f->path);
	REQUIRE(f->fd >= 0);
	strcpy(memfile_name, f->path);
	atexit(memfile_unlink);
}

/*
 * ktraced --recover goes on behind the last whole section: what the file held it still
 * holds, and now it has an index. A file of a later version stays as it is.
 */
static void check_reopen(const uint8_t *data, size_t size, bool was_closed)
{
	struct ktrace_traceset_stats stats;
	struct ktrace_tracefile *tf;
	struct ktrace_traceset *set;
	size_t seen = run.seen_nr;
	int ret;

	memfile_fill(&run.file, data, size);
	ret = ktrace_tracefile_reopen(run.file.path, data + SETTINGS_OFF, &tf);
	if (ret == -EPROTONOSUPPORT) {
		REQUIRE(lseek(run.file.fd, 0, SEEK_END) == (off_t)size);
		return;
	}
	REQUIRE(!ret);
	REQUIRE(ktrace_tracefile_size(tf) < size + 8 && !ktrace_tracefile_close(tf));
	set = open_set(data + SETTINGS_OFF, false);
	REQUIRE(set && ktrace_trace_is_closed(ktrace_traceset_trace(set, 0)));
	scan(set);
	ktrace_traceset_stats(set, &stats);
	/* An index may have left out what lies between the sections it lists. */
	REQUIRE(was_closed || run.seen_nr == seen);
	ktrace_traceset_close(set);
}

static __u64 read_growing(const uint8_t *data, size_t size, bool *is_sound)
{
	const uint8_t *settings = data + SETTINGS_OFF;
	size_t first = sizeof(struct ktrace_file) + (settings[4] << 8 | settings[5]);
	struct ktrace_traceset_stats stats;
	struct ktrace_traceset *set;
	struct ktrace_trace_event e, many[16];
	int ret, i;

	*is_sound = false;
	if (first > size)
		return 0;
	memfile_fill(&run.file, data, first);
	set = open_set(settings, true);
	if (!set)
		return 0;
	if (settings[0] & 2)
		while (ktrace_traceset_next(set, &e) == 1)
			digest(&e);
	memfile_fill(&run.file, data, size);
	REQUIRE(ktrace_traceset_poll(set) >= 0);
	while ((ret = ktrace_traceset_read(set, many, 1 + settings[4] % 16)) > 0)
		for (i = 0; i < ret; i++)
			digest(&many[i]);
	REQUIRE(!ret && ktrace_traceset_poll(set) == 0);
	ktrace_traceset_stats(set, &stats);
	*is_sound = !stats.damaged;
	ktrace_traceset_close(set);
	return stats.events;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *settings = data + SETTINGS_OFF;
	struct ktrace_traceset_stats stats;
	struct ktrace_traceset *set;
	bool is_sound, is_orderly, was_closed;
	__u64 events;

	if (size < sizeof(struct ktrace_file) || size > FILE_MAX || !has_small_frames(data, size))
		return 0;
	if (!run.file.path[0])
		memfile_make_named(&run.file);
	memfile_fill(&run.file, data, size);
	find_records(data, size);
	set = open_set(settings, false);
	if (!set)
		return 0;
	scan(set);
	ktrace_traceset_stats(set, &stats);
	is_orderly = check_order();
	check_seeks(set, settings, is_orderly);
	was_closed = ktrace_trace_is_closed(ktrace_traceset_trace(set, 0));
	ktrace_traceset_close(set);
	check_reopen(data, size, was_closed);
	events = read_growing(data, size, &is_sound);
	if (is_sound && !stats.damaged && !run.has_fragments)
		REQUIRE(events == stats.events);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	return mutate_trace(data, size, max, seed);
}
