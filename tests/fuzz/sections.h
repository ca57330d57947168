/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sections.h - a mutator that knows what a tracefile is made of
 *
 * Random bytes do not get past a checksum. So sections are changed, moved, doubled and
 * left out as such; afterwards, most of the time, checksums and index are made right
 * again, and what headers say of their bodies too.
 */
#ifndef TESTS_FUZZ_SECTIONS_H
#define TESTS_FUZZ_SECTIONS_H

#include <linux/ktrace_file.h>

#include "fuzz.h"
#include "ring/ring.h"
#include "tracefile/crc32c.h"

#include <zstd.h>

#define SECTIONS_MAX 256u
#define FILE_MAX 65536u
/* The uuid names a trace and nothing more: harnesses keep their settings there. */
#define SETTINGS_OFF offsetof(struct ktrace_file, uuid)

/**
 * struct layout - a tracefile and where its sections are
 * @data:	the bytes
 * @size:	how many
 * @at:		offsets of sections, in order
 * @nr:		how many
 * @random:	state of the generator
 */
struct layout {
	uint8_t data[2 * FILE_MAX];
	size_t size;
	size_t at[SECTIONS_MAX];
	size_t nr;
	__u64 random;
};

static inline __u32 draw(struct layout *l, __u32 below)
{
	l->random ^= l->random << 13;
	l->random ^= l->random >> 7;
	l->random ^= l->random << 17;
	return (__u32)(l->random >> 20) % below;
}

/*
 * Do frames claim no more bytes than a file may have here? Many that make a megabyte each would
 * take time and tell nothing; those that claim more than is allowed cost none.
 */
static inline bool has_small_frames(const uint8_t *data, size_t size)
{
	struct ktrace_section s;
	size_t at, sum = 0;

	for (at = 0; at + sizeof(s) <= size; at += KTRACE_SECTION_ALIGN) {
		memcpy(&s, data + at, sizeof(s));
		if (s.magic == KTRACE_SECTION_MAGIC && s.flags & KTRACE_SECTION_ZSTD &&
		    s.raw_size <= KTRACE_BLOCK_MAX)
			sum += s.raw_size;
	}
	return sum <= FILE_MAX;
}

static inline struct ktrace_section section_get(const struct layout *l, size_t at)
{
	struct ktrace_section s;

	memcpy(&s, l->data + at, sizeof(s));
	return s;
}

static inline size_t section_bytes(const struct ktrace_section *s)
{
	return sizeof(*s) + (((size_t)s->size + 7) & ~7ul);
}

static inline void layout_find(struct layout *l)
{
	size_t at = sizeof(struct ktrace_file);
	struct ktrace_section s;

	for (l->nr = 0; l->nr < SECTIONS_MAX && at + sizeof(s) <= l->size;) {
		s = section_get(l, at);
		if (s.magic == KTRACE_SECTION_MAGIC && s.size <= l->size - at - sizeof(s)) {
			l->at[l->nr++] = at;
			at += section_bytes(&s);
		} else {
			at += KTRACE_SECTION_ALIGN;
		}
	}
}

/* Puts @n bytes in place of @old bytes at @at. */
static inline void layout_splice(struct layout *l, size_t at, size_t old, const void *bytes,
				 size_t n)
{
	size_t tail = l->size - at - old;

	if (at + n + tail > FILE_MAX)
		return;
	memmove(l->data + at + n, l->data + at + old, tail);
	memcpy(l->data + at, bytes, n);
	l->size = at + n + tail;
}

/* What the header says of a block: stamps, records, and its place in the ring. */
static inline void be_truthful(struct layout *l, size_t at, struct ktrace_section *s)
{
	char *body = (char *)l->data + at + sizeof(*s);
	struct kt_cursor cur = { .base = body, .end = (__u32)s->size };
	struct ktrace_block b;
	struct ktrace_record rec;
	const char *payload;

	if (!(s->pos & 4095) && s->size >= sizeof(b)) {
		memcpy(&b, body, sizeof(b));
		b.magic = KTRACE_BLOCK_MAGIC;
		b.pos = s->pos;
		memcpy(body, &b, sizeof(b));
		cur.off = sizeof(b);
	}
	s->records = 0;
	s->last_ts = 0;
	while (kt_cursor_next(&cur, &rec, &payload) == KT_CURSOR_RECORD) {
		if (!s->records++)
			s->first_ts = rec.ts;
		if (rec.ts > s->last_ts)
			s->last_ts = rec.ts;
	}
	s->raw_size = (__u32)s->size;
	s->flags &= KTRACE_SECTION_MAY_IGNORE;
}

/* Most compressed blocks stay so, with the size that was right before their frame changed. */
static inline bool stays_compressed(struct layout *l, const struct ktrace_section *s)
{
	return s->flags & KTRACE_SECTION_ZSTD && draw(l, 8);
}

static inline void section_seal(struct layout *l, size_t at, bool is_truthful)
{
	struct ktrace_section s = section_get(l, at);

	if (is_truthful && s.type == KTRACE_SECTION_BLOCK && !stays_compressed(l, &s))
		be_truthful(l, at, &s);
	if (is_truthful && s.type == KTRACE_SECTION_LOST)
		s.raw_size = (__u32)s.size;
	s.crc = 0;
	s.crc = ktrace_crc32c(ktrace_crc32c(0, &s, sizeof(s)), l->data + at + sizeof(s),
			      (size_t)s.size);
	memcpy(l->data + at, &s, sizeof(s));
}

/* A new index and end mark behind everything. */
static inline void layout_close(struct layout *l)
{
	struct ktrace_section s = { .magic = KTRACE_SECTION_MAGIC, .type = KTRACE_SECTION_INDEX,
				    .flags = KTRACE_SECTION_MAY_IGNORE };
	struct ktrace_section end = { .magic = KTRACE_SECTION_MAGIC,
				      .type = KTRACE_SECTION_END };
	size_t i, at = (l->size + 7) & ~7ul, nr = 0;
	struct ktrace_index e;

	if (at + (l->nr + 3) * sizeof(s) > FILE_MAX)
		return;
	memset(l->data + l->size, 0, at - l->size);
	end.pos = at;
	for (i = 0; i < l->nr; i++) {
		struct ktrace_section of = section_get(l, l->at[i]);

		if (of.type < KTRACE_SECTION_META || of.type > KTRACE_SECTION_LOST)
			continue;
		e = (struct ktrace_index){
			.offset = l->at[i], .first_ts = of.first_ts, .last_ts = of.last_ts,
			.pos = of.pos, .stream = of.stream, .records = of.records,
			.type = of.type, .lost = of.lost,
		};
		memcpy(l->data + at + sizeof(s) + nr++ * sizeof(e), &e, sizeof(e));
	}
	s.size = s.raw_size = (__u32)(nr * sizeof(e));
	memcpy(l->data + at, &s, sizeof(s));
	memcpy(l->data + at + section_bytes(&s), &end, sizeof(end));
	l->size = at + section_bytes(&s) + sizeof(end);
	section_seal(l, at, false);
	section_seal(l, at + section_bytes(&s), false);
}

static inline void drop_closing(struct layout *l)
{
	struct ktrace_section s;

	while (l->nr) {
		s = section_get(l, l->at[l->nr - 1]);
		if (s.type != KTRACE_SECTION_INDEX && s.type != KTRACE_SECTION_END)
			return;
		l->size = l->at[--l->nr];
	}
}

static inline void mutate_body(struct layout *l, size_t at)
{
	struct ktrace_section s = section_get(l, at);
	static uint8_t body[FILE_MAX];
	size_t old = section_bytes(&s) - sizeof(s), n = (size_t)s.size, max = n + 128;

	if (old > l->size - at - sizeof(s))
		return;
	if (max > FILE_MAX - 8)
		max = n;
	memset(body, 0, max + 8);
	memcpy(body, l->data + at + sizeof(s), n);
	if (!max)
		return;
	n = LLVMFuzzerMutate(body, n, max);
	memset(body + n, 0, 8);
	layout_splice(l, at + sizeof(s), old, body, (n + 7) & ~7ul);
	s.size = n;
	memcpy(l->data + at, &s, sizeof(s));
}

/* A block compressed, or a compressed one as it was; the latter fails for most that are mutated. */
static inline void mutate_storage(struct layout *l, size_t at)
{
	struct ktrace_section s = section_get(l, at);
	size_t old = section_bytes(&s) - sizeof(s), n;
	static uint8_t body[FILE_MAX + 8];
	const uint8_t *from = l->data + at + sizeof(s);

	if (s.type != KTRACE_SECTION_BLOCK || old > l->size - at - sizeof(s))
		return;
	s.raw_size = (__u32)s.size;
	n = s.flags & KTRACE_SECTION_ZSTD ? ZSTD_decompress(body, FILE_MAX, from, (size_t)s.size) :
	    ZSTD_compress(body, FILE_MAX, from, (size_t)s.size, 1 + (int)draw(l, 2));
	if (ZSTD_isError(n))
		return;
	memset(body + n, 0, 8);
	if (l->size - old + n + 8 > FILE_MAX)
		return;
	layout_splice(l, at + sizeof(s), old, body, (n + 7) & ~7ul);
	s.size = n;
	s.flags ^= KTRACE_SECTION_ZSTD;
	if (!(s.flags & KTRACE_SECTION_ZSTD))
		s.raw_size = (__u32)n;
	memcpy(l->data + at, &s, sizeof(s));
}

/* A number that means something somewhere. */
static inline __u64 draw_number(struct layout *l)
{
	static const __u64 numbers[] = { 0, 1, 15, 16, 64, 0xffff, 1u << 20, 0xffffffff, 1ull << 63,
					 ~0ull };

	switch (draw(l, 4)) {
	case 0:
		return numbers[draw(l, sizeof(numbers) / sizeof(numbers[0]))];
	case 1:
		return draw(l, 256);
	case 2:
		return (__u64)draw(l, 8) * 4096;
	default:
		return (__u64)draw(l, 1u << 31) << draw(l, 33);
	}
}

static inline void mutate_header(struct layout *l, size_t at)
{
	static const struct {
		size_t off;
		size_t size;
	} fields[] = {
		{ offsetof(struct ktrace_section, type), 2 },
		{ offsetof(struct ktrace_section, flags), 2 },
		{ offsetof(struct ktrace_section, stream), 4 },
		{ offsetof(struct ktrace_section, size), 8 },
		{ offsetof(struct ktrace_section, first_ts), 8 },
		{ offsetof(struct ktrace_section, last_ts), 8 },
		{ offsetof(struct ktrace_section, pos), 8 },
		{ offsetof(struct ktrace_section, raw_size), 4 },
	};
	__u32 i = draw(l, sizeof(fields) / sizeof(fields[0]));
	__u64 v = draw_number(l);

	if (i < 3 && draw(l, 2))
		v = draw(l, 6);
	memcpy(l->data + at + fields[i].off, &v, fields[i].size);
}

/* One field of one record, so that what follows it stays in step. */
static inline void mutate_record(struct layout *l, size_t at)
{
	struct ktrace_section s = section_get(l, at);
	struct kt_cursor cur = { .base = (char *)l->data + at + sizeof(s), .end = (__u32)s.size };
	__u32 steps = draw(l, 16);
	struct ktrace_record rec;
	const char *payload;
	bool found = false;

	if (s.type != KTRACE_SECTION_BLOCK)
		return;
	if (s.size >= sizeof(struct ktrace_block) && !(s.pos & 4095))
		cur.off = sizeof(struct ktrace_block);
	do
		found |= kt_cursor_next(&cur, &rec, &payload) == KT_CURSOR_RECORD;
	while (steps--);
	if (!found)
		return;
	switch (draw(l, 4)) {
	case 0:
		rec.ts = draw(l, 2) ? rec.ts + draw(l, 2000) - 1000 : draw_number(l);
		break;
	case 1:
		rec.id = (__u16)draw_number(l);
		break;
	case 2:
		rec.tid_flags ^= 1u << (24 + draw(l, 5));
		break;
	default:
		rec.tid_flags = (rec.tid_flags & ~KTRACE_TID_MASK) | draw(l, 4);
		break;
	}
	memcpy((char *)payload - sizeof(rec), &rec, sizeof(rec));
}

static inline void mutate_once(struct layout *l)
{
	size_t at = l->nr ? l->at[draw(l, (__u32)l->nr)] : 0, to;
	struct ktrace_section s;
	static uint8_t copy[FILE_MAX];

	if (!l->nr) {
		s = (struct ktrace_section){ .magic = KTRACE_SECTION_MAGIC, .type = 1 };
		layout_splice(l, l->size & ~7ul, 0, &s, sizeof(s));
		return;
	}
	s = section_get(l, at);
	switch (draw(l, 14)) {
	case 0:
		if (section_bytes(&s) <= l->size - at)
			layout_splice(l, at, section_bytes(&s), "", 0);
		break;
	case 1:
		to = l->at[draw(l, (__u32)l->nr)];
		if (section_bytes(&s) > l->size - at)
			break;
		memcpy(copy, l->data + at, section_bytes(&s));
		layout_splice(l, to, 0, copy, section_bytes(&s));
		break;
	case 2:
		l->size -= draw(l, (__u32)(l->size - sizeof(struct ktrace_file)));
		break;
	case 3:
	case 4:
		mutate_header(l, at);
		break;
	case 5:
		if (l->size >= sizeof(struct ktrace_file))
			l->data[SETTINGS_OFF + draw(l, 8)] = (uint8_t)draw(l, 256);
		break;
	case 6:
	case 7:
	case 8:
		mutate_record(l, at);
		break;
	case 9:
	case 10:
		mutate_storage(l, at);
		break;
	default:
		mutate_body(l, at);
		break;
	}
}

/* For LLVMFuzzerCustomMutator() */
static inline size_t mutate_trace(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	static const struct ktrace_file header = {
		.magic = KTRACE_FILE_MAGIC, .version = KTRACE_FILE_VERSION,
		.byte_order = KTRACE_FILE_BYTE_ORDER, .header_size = sizeof(header),
	};
	static struct layout l;
	size_t i, n;
	bool is_truthful;

	l.random = seed * 0x9e3779b97f4a7c15ull | 1;
	draw(&l, 1);
	if (!draw(&l, 16) || size > FILE_MAX / 2)
		return LLVMFuzzerMutate(data, size, max);
	memset(l.data, 0, sizeof(l.data));
	memcpy(l.data, &header, sizeof(header));
	if (size > sizeof(header))
		memcpy(l.data, data, size);
	l.size = size > sizeof(header) ? size : sizeof(header);
	layout_find(&l);
	if (draw(&l, 4))
		drop_closing(&l);
	for (n = draw(&l, 4) + 1; n; n--) {
		mutate_once(&l);
		layout_find(&l);
	}
	is_truthful = draw(&l, 4);
	for (i = 0; i < l.nr && draw(&l, 32); i++)
		section_seal(&l, l.at[i], is_truthful);
	if (draw(&l, 2))
		layout_close(&l);
	l.size = l.size < max ? l.size : max;
	memcpy(data, l.data, l.size);
	return l.size;
}

#endif
