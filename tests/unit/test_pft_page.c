// SPDX-License-Identifier: GPL-2.0
/*
 * test_pft_page.c - shared pages: their layout, each step of a chunk's life, all interleavings
 *
 * Requirements PFT-20..27 and PFT-43; the lists NominalCases and ShmemEmulation. Two producers and
 * the service share one page. Every order of their steps is tried, and so is another's step in the
 * middle of one, between its look at the page's word and its change of it; twice. With
 * KTRACE_LONG=1 one of them has a second chunk, and pages have more.
 */
static int exchange_hook(void);

/* Where a step is not one: the word was read, and is about to be changed. */
#define __atomic_compare_exchange_n(...) \
	(exchange_hook(), __extension__ (__atomic_compare_exchange_n)(__VA_ARGS__))
#include "../../userspace/daemon/service/buffer/shmem_page.c"
#undef __atomic_compare_exchange_n

#include "pft_chunk.h"
#include "pft_writer/partition.h"

#include "service/buffer/shmem.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

static struct shmem_chunk chunk;

/* Digits of a number that counts through all choices */
static unsigned int digits[256], limits[256], digit_nr, digit_at;

static unsigned int choose(unsigned int nr)
{
	CHECK(digit_at < 256);
	if (digit_at == digit_nr) {
		digits[digit_nr] = 0;
		digit_nr++;
	}
	limits[digit_at] = nr;
	return digits[digit_at++];
}

/* Return: whether there is another run to be done. */
static bool next_run(void)
{
	while (digit_nr && digits[digit_nr - 1] + 1 == limits[digit_nr - 1])
		digit_nr--;
	if (!digit_nr)
		return false;
	digits[digit_nr - 1]++;
	digit_at = 0;
	return true;
}

#define ACTORS 3
#define SERVICE 2

/* What a producer does, over again: it takes a chunk and fills it, it completes it */
struct actor {
	unsigned int todo;	/* chunks */
	uint32_t id;
	int mine;		/* chunk that is being written; -1: none */
};

static struct shmem page;
static struct actor actors[ACTORS];
static enum shmem_layout layout;
static unsigned int interferences;
static unsigned int taken[SERVICE][4];
static bool is_nested;
static bool is_long;
static unsigned int running = ACTORS;	/* whose step it is */

static uint8_t *at_chunk(unsigned int index)
{
	return page.memory + SHMEM_PAGE_HEADER + index * shmem_layout_size(layout, page.page_size);
}

static void acquire(struct actor *a, unsigned int who)
{
	const struct shmem_header header = {
		.id = a->id, .writer = (uint16_t)(who + 1), .packets = 1,
	};
	uint32_t word = shmem_page_word(page.memory);

	if (!word) {
		shmem_page_partition(page.memory, layout);
		word = shmem_page_word(page.memory);
	}
	for (unsigned int i = 0; i < shmem_layout_chunks(shmem_word_layout(word)); i++) {
		if (shmem_word_state(word, i) != SHMEM_FREE ||
		    !shmem_page_move(page.memory, i, SHMEM_FREE, SHMEM_WRITING))
			continue;
		memset(at_chunk(i) + SHMEM_CHUNK_HEADER, (int)(16 * who + a->id), 8);
		shmem_header_write(at_chunk(i), &header);
		a->mine = (int)i;
		return;
	}
}

static void complete(struct actor *a)
{
	CHECK(shmem_page_move(page.memory, (unsigned int)a->mine, SHMEM_WRITING, SHMEM_COMPLETE));
	a->mine = -1;
	a->id++;
	a->todo--;
}

/* Takes what is complete: once each, whole. */
static void serve(void)
{
	const unsigned int nr = shmem_layout_chunks(layout);

	for (unsigned int i = 0; i < nr; i++) {
		unsigned int who;

		if (shmem_take(&page, 0, i, &chunk))
			continue;
		who = chunk.writer - 1u;
		CHECK(who < SERVICE && chunk.id < 4 && chunk.packets == 1);
		for (int k = 0; k < 8; k++)
			CHECK_EQ(chunk.payload[k], 16 * who + chunk.id);
		taken[who][chunk.id]++;
		actors[SERVICE].todo--;
	}
}

static void step(unsigned int who)
{
	struct actor *a = &actors[who];

	if (who == SERVICE)
		serve();
	else if (a->mine < 0)
		acquire(a, who);
	else
		complete(a);
}

static void check_word(void)
{
	const uint32_t word = shmem_page_word(page.memory);

	CHECK(!(word >> 31));
	CHECK(shmem_word_layout(word) == 0 || shmem_word_layout(word) == layout);
	if (!shmem_word_layout(word))
		CHECK_EQ(word, 0);
}

/* Whether any chunk is in a state: FREE also says a page that is not partitioned. */
static bool has(enum shmem_state state)
{
	const uint32_t word = shmem_page_word(page.memory);

	if (!word)
		return state == SHMEM_FREE;
	for (unsigned int i = 0; i < shmem_layout_chunks(layout); i++)
		if (shmem_word_state(word, i) == state)
			return true;
	return false;
}

static bool can_step(unsigned int who)
{
	const struct actor *a = &actors[who];

	if (who == SERVICE)
		return has(SHMEM_COMPLETE);
	return a->todo && (a->mine >= 0 || has(SHMEM_FREE));
}

/* One of the others may get in between. */
static int exchange_hook(void)
{
	unsigned int other;

	if (running == ACTORS || is_nested || !interferences)
		return 0;
	is_nested = true;
	other = choose(ACTORS);
	if (other != running && can_step(other)) {
		interferences--;
		step(other);
		check_word();
	}
	is_nested = false;
	return 0;
}

static void one_run(void)
{
	memset(taken, 0, sizeof(taken));
	actors[0] = (struct actor){ .todo = is_long ? 2 : 1, .mine = -1 };
	actors[1] = (struct actor){ .todo = 1, .mine = -1 };
	actors[SERVICE] = (struct actor){ .todo = actors[0].todo + 1 };
	interferences = 2;
	while (actors[SERVICE].todo) {
		unsigned int can[ACTORS], nr = 0;

		for (unsigned int who = 0; who < ACTORS; who++)
			if (can_step(who))
				can[nr++] = who;
		CHECK(nr);
		running = can[choose(nr)];
		step(running);
		running = ACTORS;
		check_word();
	}
	CHECK_EQ(taken[0][0], 1);
	CHECK_EQ(taken[0][1], is_long);
	CHECK_EQ(taken[1][0], 1);
	CHECK_EQ(shmem_page_word(page.memory), 0);
}

static unsigned long interleavings(void)
{
	const enum shmem_layout last = is_long ? SHMEM_DIV4 : SHMEM_DIV2;
	unsigned long runs = 0;

	CHECK_EQ(shmem_make(&page, 4096, 4096), 0);
	for (layout = SHMEM_DIV1; layout <= last; layout++) {
		digit_nr = 0;
		do {
			digit_at = 0;
			one_run();
			runs++;
		} while (next_run());
	}
	shmem_exit(&page);
	return runs;
}

/* PFT-21: every size of page, every layout */
static void layouts(void)
{
	static const unsigned int nr[8] = { 0, 1, 2, 4, 7, 14, 0, 0 };
	static const size_t of_4096[8] = { 0, 4088, 2044, 1020, 584, 292, 0, 0 };

	for (unsigned int l = 0; l < 8; l++) {
		CHECK_EQ(shmem_layout_chunks(l), nr[l]);
		CHECK_EQ(shmem_layout_size(l, 4096), of_4096[l]);
		for (size_t size = 4096; size <= 65536; size += 4096) {
			const size_t chunk_size = shmem_layout_size(l, size);

			CHECK_EQ(chunk_size % 4, 0);
			CHECK(SHMEM_PAGE_HEADER + nr[l] * chunk_size <= size);
			if (nr[l])
				CHECK(nr[l] * (chunk_size + 4) > size - SHMEM_PAGE_HEADER);
		}
	}
}

/* PFT-22: from each state to each other one, and nothing else changes */
static void transitions(void)
{
	static const enum shmem_state states[] = {
		SHMEM_FREE, SHMEM_WRITING, SHMEM_READING, SHMEM_COMPLETE,
	};
	uint8_t bytes[4096] __attribute__((aligned(8))) = { 0 };
	uint32_t *word = (uint32_t *)bytes;

	for (int is = 0; is < 4; is++) {
		for (int from = 0; from < 4; from++) {
			const uint32_t others = SHMEM_DIV14 << 28 | 1u << 26;

			*word = others | (uint32_t)states[is] << 6;
			CHECK_EQ(shmem_page_move(bytes, 3, states[from], SHMEM_FREE) != 0,
				 is == from);
			CHECK_EQ(*word, is == from ? others : (others | (uint32_t)states[is] << 6));
		}
	}
	*word = (uint32_t)SHMEM_DIV2 << 28 | SHMEM_READING;
	CHECK(!shmem_page_move(bytes, 2, SHMEM_FREE, SHMEM_WRITING));		/* there are two */
	CHECK(!shmem_page_partition(bytes, SHMEM_DIV4));
	CHECK(shmem_page_move(bytes, 0, SHMEM_READING, SHMEM_FREE));
	CHECK_EQ(*word, 0);
	CHECK(!shmem_page_move(bytes, 0, SHMEM_FREE,
			       SHMEM_WRITING));		/* not partitioned */
	*word = 7u << 28;
	CHECK(!shmem_page_move(bytes, 0, SHMEM_FREE, SHMEM_WRITING));		/* no such layout */
}

/* PFT-24: id, writer, ten bits of number, six of flags */
static void headers(void)
{
	uint8_t bytes[8] __attribute__((aligned(8)));
	struct shmem_header h = { 0x12345678, 0x7abc, 1023, 7 }, back;

	shmem_header_write(bytes, &h);
	CHECK(!memcmp(bytes, "\x78\x56\x34\x12\xbc\x7a\xff\x1f", 8));
	shmem_header_read(bytes, &back);
	CHECK(back.id == h.id && back.writer == h.writer);
	CHECK(back.packets == 1023 && back.flags == 7);
	memset(bytes, 0xff, 8);
	shmem_header_read(bytes, &back);
	CHECK_EQ(back.flags, 7);
	CHECK_EQ(back.packets, 1023);
}

static void takes(void)
{
	struct shmem s;
	uint32_t *word;

	CHECK_EQ(shmem_make(&s, 8192, 4096), 0);
	word = (uint32_t *)s.memory;
	CHECK_EQ(shmem_take(&s, 2, 0, &chunk), -EINVAL);
	CHECK_EQ(shmem_take(&s, UINT32_MAX, 0, &chunk), -EINVAL);
	CHECK_EQ(shmem_take(&s, 0, 0, &chunk), -EINVAL);		/* not partitioned */
	*word = (uint32_t)SHMEM_DIV2 << 28 | SHMEM_WRITING | SHMEM_READING << 2;
	CHECK_EQ(shmem_take(&s, 0, 0, &chunk), -EAGAIN);
	CHECK_EQ(shmem_take(&s, 0, 1, &chunk), -EAGAIN);
	CHECK_EQ(shmem_take(&s, 0, 2, &chunk), -EINVAL);
	CHECK_EQ(shmem_take(&s, 0, 14, &chunk), -EINVAL);
	CHECK_EQ(shmem_take(&s, 0, UINT32_MAX, &chunk), -EINVAL);
	CHECK_EQ(shmem_parse((const uint8_t *)"1234567", 7, &chunk), -EINVAL);
	CHECK_EQ(shmem_parse(s.memory, SHMEM_PAGE_MAX + 1, &chunk), -EINVAL);
	shmem_exit(&s);
}

/* Sizes that may not be become those that may (PFT-20). */
static void sizes(void)
{
	static const size_t table[][4] = {
		{ 0, 0, SHMEM_SIZE_DEFAULT, 4096 },
		{ 1 << 20, 8192, 1 << 20, 8192 },
		{ 1 << 20, 32768, 1 << 20, 32768 },
		{ 1 << 20, 65536, SHMEM_SIZE_DEFAULT, 4096 },
		{ 1 << 20, 5000, SHMEM_SIZE_DEFAULT, 4096 },
		{ 12288, 8192, SHMEM_SIZE_DEFAULT, 4096 },
		{ 4095, 4096, SHMEM_SIZE_DEFAULT, 4096 },
		{ 1ul << 40, 4096, SHMEM_SIZE_MAX, 4096 },
	};
	struct shmem s = { .fd = -1 }, other;
	int fd;

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		size_t size = table[i][0], each = table[i][1];

		shmem_sizes(&size, &each);
		CHECK_EQ(size, table[i][2]);
		CHECK_EQ(each, table[i][3]);
	}
	CHECK_EQ(shmem_make(&s, 5000, 4096), -EINVAL);
	CHECK_EQ(shmem_make(&s, 8192, 4096), 0);
	/* Its producer cannot take it away (PFT-98). */
	CHECK_EQ(ftruncate(s.fd, 0), -1);
	fd = dup(s.fd);
	CHECK_EQ(shmem_adopt(&other, fd, 12288), -EINVAL);
	CHECK_EQ(shmem_adopt(&other, fd, 8192), 0);
	shmem_exit(&other);
	shmem_exit(&s);
	shmem_exit(&s);
	fd = fileno(tmpfile());
	CHECK_EQ(ftruncate(fd, 8192), 0);
	CHECK_EQ(shmem_adopt(&other, fd, 4096), -EPERM);
	close(fd);
}

static struct shmem hostile;
static bool is_over;

static void *scribble(void *unused)
{
	uint32_t r = 1;

	(void)unused;
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
		r = r * 1103515245 + 12345;
		__atomic_store_n((uint32_t *)hostile.memory + (r >> 8) % (hostile.size / 4),
				 r & 0x40000 ? r : 0xffffffff, __ATOMIC_RELAXED);
		/* Mostly the words of pages */
		__atomic_store_n((uint32_t *)(hostile.memory + 4096 * (r >> 28 & 3)),
				 (r >> 4 & 7) << 28 | (r & 0x0fffffff), __ATOMIC_RELAXED);
	}
	return NULL;
}

/* Whatever the producer does to its memory meanwhile, the service stays within it (PFT-43). */
static void hostile_producer(void)
{
	struct trace_buffer *c = make_trace_buffer(1 << 18, TRACE_BUFFER_RING);
	struct trace_buffer_packet packet;
	pthread_t thread;
	unsigned int got = 0;

	CHECK_EQ(shmem_make(&hostile, 4 * 4096, 4096), 0);
	pthread_create(&thread, NULL, scribble, NULL);
	for (uint32_t i = 0; got < 1000 && i < 300000; i++) {
		uint32_t cursor = i % 56;
		const bool found = i % 5 ? !shmem_take(&hostile, i / 14 % 4, i % 14, &chunk) :
					   shmem_scrape(&hostile, &cursor, &chunk);
		const struct trace_buffer_chunk to = {
			.origin = { .producer = 1, .writer = chunk.writer & 3 },
			.id = chunk.id & 63,
			.packets = chunk.packets, .flags = chunk.flags,
			.is_complete = chunk.is_complete, .payload = chunk.payload,
			.size = chunk.size,
		};

		if (!found)
			continue;
		got++;
		trace_buffer_put(c, &to);
		if (got % 64 == 0) {
			trace_buffer_read_begin(c);
			while (trace_buffer_read(c, &packet))
				CHECK(packet.size);
			check_ledger(c);
		}
	}
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	CHECK(got);
	shmem_exit(&hostile);
	trace_buffer_free(c);
}

int main(void)
{
	layouts();
	transitions();
	headers();
	takes();
	sizes();
	is_long = getenv("KTRACE_LONG");
	CHECK(interleavings() > 1000);
	hostile_producer();
	return 0;
}
