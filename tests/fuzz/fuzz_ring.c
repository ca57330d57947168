// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_ring.c - the reader on a ring whose bytes and words are hostile
 *
 * The input gives geometry and policy, then steps: records by the real writer, forged
 * words, scribbled bytes, reads. Every load and copy of ring memory goes through the
 * doors below, behind which the next bytes of the ring may change, as another process
 * could do it: between the check of a header and its use, too.
 *
 * Always: pieces lie in the ring and in one block, reading moves forward, the tail is
 * what has been consumed, loss counts only grow. As long as nothing was forged, the
 * ledger holds: written = read + lost + still in the ring.
 */
#include "fuzz.h"

#include "ring/port.h"

static void interfere(void);

static inline __u64 hostile_load(const __u64 *p)
{
	__u64 v = __atomic_load_n(p, __ATOMIC_RELAXED);

	interfere();
	return v;
}

static inline void hostile_copy(void *to, const void *from, size_t n)
{
	memcpy(to, from, n);
	interfere();
}

#undef kt_memcpy
#define kt_memcpy(to, from, n) hostile_copy(to, from, n)
#undef kt_load_acquire
#define kt_load_acquire(p) hostile_load(p)

#include "../../module/ring/reader.c"
#include "../../module/ring/writer.c"

#define SIZE_MAX_LOG 15

/**
 * struct world - one ring, its reader, and who disturbs them
 * @in:		the input
 * @ring:	the ring
 * @rd:		its reader
 * @words:	writer's words
 * @tail:	reader's word
 * @data:	bytes, exactly as many as the ring has
 * @is_forged:	somebody has stored what a writer would not
 * @changes:	how many more stores there are while the reader is at work
 * @tried:	records the writer was asked for
 * @read:	records that were read
 */
static struct world {
	struct input in;
	struct kt_ring ring;
	struct kt_reader rd;
	struct ktrace_ring words;
	struct ktrace_tail tail;
	char *data;
	bool is_forged;
	unsigned int changes;
	__u64 tried;
	__u64 read;
} w;

/* Stores a few bytes of the input somewhere into the ring's memory or words. */
static void forge(void)
{
	__u64 where = input_number(&w.in, 2), value = input_number(&w.in, 4);
	unsigned int what = where >> 14;

	w.is_forged = true;
	if (what == 0)
		w.words.head = w.words.head + (__u64)(__s64)(__s32)value;
	else if (what == 1)
		memcpy((char *)&w.words + where % (sizeof(w.words) - 4), &value, 4);
	else
		memcpy(w.data + (where << 1) % (w.ring.size - 4), &value, 4);
}

static void interfere(void)
{
	if (!w.changes)
		return;
	w.changes--;
	forge();
}

static void write_record(void)
{
	__u32 len = (__u32)(input_any(&w.in) % (kt_ring_payload_max(w.ring.block_size) + 1));
	struct kt_slot slot;
	enum kt_ring_result result;

	w.tried++;
	result = kt_ring_reserve(&w.ring, (__u16)(16 + len % 9), len, 7, &slot);
	if (result == KT_RING_OK) {
		REQUIRE((char *)slot.payload >= w.data + sizeof(struct ktrace_record) &&
			(char *)slot.payload + len <= w.data + w.ring.size);
		memset(slot.payload, 0x5a, len);
		kt_ring_commit(&w.ring, &slot);
	} else if (result == KT_RING_WAIT) {
		kt_count(&w.words.lost.count[KTRACE_LOST_TIMEOUT], 1);
	}
}

/* A head that is right, over bytes that are not. */
static void publish_bytes(void)
{
	__u64 n = input_number(&w.in, 1) * KTRACE_ALIGN;
	struct ktrace_block b = { .pos = w.words.head, .magic = KTRACE_BLOCK_MAGIC };
	char *at = w.data + (w.words.head & (w.ring.size - 1) & ~7ull);
	size_t room = (size_t)(w.data + w.ring.size - at), size;

	w.is_forged = true;
	if (!(w.words.head & (w.ring.block_size - 1)) && room >= sizeof(b)) {
		memcpy(at, &b, sizeof(b));
		at += sizeof(b);
		room -= sizeof(b);
		w.words.head += sizeof(b);
	}
	size = n < room ? (size_t)n : room;
	size = size < input_left(&w.in) ? size : input_left(&w.in) & ~7ull;
	memcpy(at, w.in.at, size);
	w.in.at += size;
	w.words.head += size;
}

/* What the reader says of a piece is what is in it. */
static void check_contents(const struct kt_chunk *c)
{
	struct kt_cursor cur = { .base = c->data, .end = c->size };
	__u64 first = c->first_ts, last = c->last_ts;
	struct ktrace_record rec;
	const char *payload;
	__u32 records = 0;

	if (!(c->pos & (w.ring.block_size - 1)) && c->size)
		cur.off = sizeof(struct ktrace_block);
	while (kt_cursor_next(&cur, &rec, &payload) == KT_CURSOR_RECORD) {
		REQUIRE(payload + rec.len <= c->data + c->size);
		if (!records && kt_record_is_event(&rec))
			first = rec.ts;
		REQUIRE(rec.ts <= last);
		records += kt_record_is_event(&rec);
	}
	REQUIRE(records == c->records && first == c->first_ts);
}

/* The bytes of a piece may be anything by now; walking them ends and stays inside. */
static void walk_changing(const struct kt_chunk *c)
{
	struct kt_cursor cur = { .base = c->data, .end = c->size };
	struct ktrace_record rec;
	const char *payload;
	__u32 steps = 0;

	while (kt_cursor_next(&cur, &rec, &payload) == KT_CURSOR_RECORD) {
		REQUIRE(payload >= c->data && payload + rec.len <= c->data + c->size);
		REQUIRE(++steps <= c->size / sizeof(rec));
	}
}

static void check_piece(const struct kt_chunk *c, __u64 before)
{
	__u64 off = c->pos & (w.ring.size - 1), span = c->next_pos - c->pos;

	REQUIRE(c->pos == w.rd.pos);
	REQUIRE(c->data == w.data + off);
	REQUIRE(c->size <= span && span && span <= w.ring.block_size);
	REQUIRE(off % w.ring.block_size + span <= w.ring.block_size);
	REQUIRE(c->corrupt <= 1 && c->records <= c->size / sizeof(struct ktrace_record));
	REQUIRE(w.is_forged || ((__s64)(c->pos - before) >= 0 && !c->corrupt));
}

static void check_lost(const struct ktrace_lost *before)
{
	struct ktrace_lost sum;
	int i;

	for (i = 0; i < KTRACE_LOST_NR; i++)
		REQUIRE(w.rd.lost.count[i] >= before->count[i] &&
			w.rd.lost.count[i] - before->count[i] <= ~0ull / 2);
	REQUIRE(w.rd.lost.count[KTRACE_LOST_CORRUPT] - before->count[KTRACE_LOST_CORRUPT] <= 4);
	kt_reader_lost(&w.rd, &sum);
	REQUIRE(kt_reader_unread(&w.rd) <= w.ring.size);
}

static void read_piece(unsigned int how)
{
	struct ktrace_lost before = w.rd.lost;
	__u64 pos = w.rd.pos;
	struct kt_chunk c;

	w.changes = how >> 4;
	if (kt_reader_peek(&w.rd, how & 1, &c)) {
		check_piece(&c, pos);
		if (!(how >> 4))
			check_contents(&c);
		walk_changing(&c);
		if (!(how & 2) && kt_reader_still_valid(&w.rd, &c)) {
			kt_reader_advance(&w.rd, &c);
			REQUIRE(w.rd.pos == c.next_pos);
			w.read += c.records;
		}
	}
	w.changes = 0;
	REQUIRE(!w.ring.tail || w.is_forged || w.tail.tail == w.rd.pos);
	/* A record count that was forged may jump as far as it likes, but only upwards. */
	if (!w.is_forged || w.ring.policy != KTRACE_POLICY_OVERWRITE)
		check_lost(&before);
}

/* All that is left, when nobody has forged anything: nothing is missing. */
static void check_ledger(void)
{
	struct ktrace_lost sum;
	struct kt_chunk c;
	__u64 lost = 0;
	int i;

	for (i = 0; i < 64 && kt_reader_peek(&w.rd, true, &c); i++) {
		check_piece(&c, w.rd.pos);
		kt_reader_advance(&w.rd, &c);
		w.read += c.records;
	}
	REQUIRE(i < 64);
	kt_reader_lost(&w.rd, &sum);
	for (i = 0; i < KTRACE_LOST_NR; i++)
		lost += sum.count[i];
	REQUIRE(w.tried == w.read + lost);
}

static void begin(struct input in)
{
	unsigned int shape = (unsigned int)input_number(&in, 1);
	__u32 block = KTRACE_BLOCK_MIN << (shape & 1);
	__u64 size = (__u64)block << (2 + (shape >> 1 & 1));

	memset(&w, 0, sizeof(w));
	w.data = calloc(1, (size_t)size);
	REQUIRE(w.data && size <= 1u << (SIZE_MAX_LOG + 1));
	w.ring = (struct kt_ring){
		.w = &w.words, .data = w.data, .size = size, .block_size = block,
		.policy = shape >> 2 & 3, .clock = KTRACE_CLOCK_TSC,
		.tail = &w.tail,
	};
	kt_ring_make_quick(&w.ring);
	/* Begin anywhere: positions wrap, and a recovered ring has a past. */
	w.words.head = input_number(&in, 1) << 56;
	w.words.head |= input_number(&in, 2) << 12 & ~(__u64)(block - 1);
	if (shape & 0x20)
		w.words.head = -w.words.head;
	w.tail.tail = w.words.head;
	kt_ring_adopt(&w.ring);
	kt_reader_init(&w.rd, &w.ring);
	w.in = in;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned int how;

	begin((struct input){ data, data + size });
	while (input_left(&w.in)) {
		how = (unsigned int)input_number(&w.in, 1);
		switch (how & 7) {
		case 0:
			forge();
			break;
		case 1:
			publish_bytes();
			break;
		case 2:
		case 3:
			read_piece(how >> 3 & 3 ? how & ~0xf0u : how);
			break;
		case 4:
			read_piece(1);
			break;
		default:
			for (how >>= 3; how; how--)
				write_record();
			break;
		}
	}
	if (!w.is_forged)
		check_ledger();
	free(w.data);
	return 0;
}
