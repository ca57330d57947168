// SPDX-License-Identifier: GPL-2.0
/*
 * service.c - how fast ktraced --service takes chunks of producers over, on one core
 *
 * A producer's shared memory is full of complete chunks with packets of 100 bytes. Each is taken as
 * commit takes it: checked, copied out, looked through, put into a session's buffer that goes
 * round; beside that memcpy() of the same chunks from the same memory into a buffer of the
 * same size. Then the packets are read from it. Prints MB/s of payload against the size of chunks.
 */
#include "service/buffer/central.h"
#include "service/buffer/smb.h"
#include "service/buffer/smb_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SMB_BYTES (1u << 20)
#define BUFFER_BYTES (64u << 20)
#define PACKET 100

static struct smb smb;
static struct smb_chunk chunk;
static struct central *central;
static uint8_t *plain;
static uint32_t next_id;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint8_t *chunk_at(uint32_t page, unsigned int index, size_t size)
{
	return smb.memory + page * smb.page_size + SMB_PAGE_HEADER + index * size;
}

/* Return: how many there are. */
static uint16_t make_packets(uint8_t *payload, size_t size)
{
	uint16_t nr = 0;
	uint8_t *to = payload;

	memset(payload, 0, size);
	for (; to + PACKET + 1 <= payload + size && nr < SMB_COUNT_MAX; nr++) {
		*to++ = PACKET;
		memset(to, 'x', PACKET);
		to += PACKET;
	}
	return nr;
}

/* What a producer does, but for the packets, which stay: headers and states */
static void complete_all(enum smb_layout layout, size_t size, uint16_t packets)
{
	const unsigned int nr = smb_layout_chunks(layout);

	for (uint32_t page = 0; page < smb.page_nr; page++) {
		uint32_t *word = (uint32_t *)(void *)(smb.memory + page * smb.page_size);

		for (unsigned int i = 0; i < nr; i++)
			smb_header_write(chunk_at(page, i, size), &(struct smb_header){
				.id = next_id++, .writer = 1, .packets = packets,
			});
		*word = (uint32_t)layout << 28 | (uint32_t)((1ull << 2 * nr) - 1);
	}
}

/* Return: bytes of payload */
static size_t commit_all(unsigned int nr)
{
	size_t bytes = 0;

	for (uint32_t page = 0; page < smb.page_nr; page++) {
		for (unsigned int i = 0; i < nr; i++) {
			struct central_chunk to = { .origin = { .producer = 1, .writer = 1 } };

			if (smb_take(&smb, page, i, &chunk))
				abort();
			to.id = chunk.id;
			to.packets = chunk.packets;
			to.is_complete = true;
			to.payload = chunk.payload;
			to.size = chunk.size;
			central_put(central, &to);
			bytes += chunk.size;
		}
	}
	return bytes;
}

static size_t copy_all(unsigned int nr, size_t size)
{
	static size_t at;
	size_t bytes = 0;

	for (uint32_t page = 0; page < smb.page_nr; page++) {
		for (unsigned int i = 0; i < nr; i++) {
			if (at + size > BUFFER_BYTES)
				at = 0;
			memcpy(plain + at, chunk_at(page, i, size), size);
			at += size;
			bytes += size;
		}
	}
	return bytes;
}

static size_t read_all(void)
{
	struct central_packet p;
	size_t bytes = 0;

	central_read_begin(central);
	while (central_read(central, &p))
		bytes += p.size;
	return bytes;
}

static void say(const char *figure, const char *variant, size_t bytes, double seconds, size_t x)
{
	printf("service.%s\t%s\tMB/s\t%.1f\t%zu\n", figure, variant, (double)bytes / seconds * 1e-6,
	       x);
}

static void run(enum smb_layout layout, size_t page_size, double seconds)
{
	const unsigned int nr = smb_layout_chunks(layout);
	const size_t size = smb_layout_size(layout, page_size);
	size_t committed = 0, copied = 0, read;
	double commit = 0, copy = 0, begin, taken;
	uint16_t packets = 0;

	if (smb_make(&smb, SMB_BYTES, page_size))
		exit(1);
	for (uint32_t page = 0; page < smb.page_nr; page++)
		for (unsigned int i = 0; i < nr; i++)
			packets = make_packets(chunk_at(page, i, size) + SMB_CHUNK_HEADER,
					       size - SMB_CHUNK_HEADER);
	while (commit + copy < seconds) {
		complete_all(layout, size, packets);
		begin = now();
		committed += commit_all(nr);
		taken = now();
		copied += copy_all(nr, size);
		commit += taken - begin;
		copy += now() - taken;
	}
	begin = now();
	read = read_all();
	taken = now() - begin;
	say("commit", "ktrace", committed, commit, size);
	say("commit", "memcpy", copied, copy, size);
	say("read", "ktrace", read, taken, size);
	smb_exit(&smb);
}

int main(void)
{
	const int repetitions = getenv("BENCH_QUICK") ? 1 : 7;
	const double seconds = getenv("BENCH_QUICK") ? 0.05 : 0.5;

	plain = malloc(BUFFER_BYTES);
	if (!plain || central_alloc(&central, BUFFER_BYTES, CENTRAL_RING))
		return 1;
	memset(plain, 0, BUFFER_BYTES);
	for (int i = 0; i < repetitions; i++) {
		run(SMB_DIV14, 4096, seconds);
		run(SMB_DIV4, 4096, seconds);
		run(SMB_DIV1, 4096, seconds);
		run(SMB_DIV1, 32768, seconds);
	}
	central_free(central);
	free(plain);
	return 0;
}
