// SPDX-License-Identifier: GPL-2.0
/*
 * service.c - how fast ktraced --service takes chunks of producers over, on one core
 *
 * A producer's shared memory is full of complete chunks with packets of 100 bytes. Each is taken as
 * commit takes it: checked, copied out, looked through, put into a session's buffer that goes
 * round; beside that memcpy() of the same chunks from the same memory into a buffer of the
 * same size. Then the packets are read from it. Prints MB/s of payload against the size of chunks.
 */
#include "service/buffer/trace_buffer.h"
#include "service/buffer/shmem.h"
#include "service/buffer/shmem_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SMB_BYTES (1u << 20)
#define BUFFER_BYTES (64u << 20)
#define PACKET 100

static struct shmem smb;
static struct shmem_chunk chunk;
static struct trace_buffer *trace;
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
	return smb.memory + page * smb.page_size + SHMEM_PAGE_HEADER + index * size;
}

/* Return: how many there are. */
static uint16_t make_packets(uint8_t *payload, size_t size)
{
	uint16_t nr = 0;
	uint8_t *to = payload;

	memset(payload, 0, size);
	for (; to + PACKET + 1 <= payload + size && nr < SHMEM_COUNT_MAX; nr++) {
		*to++ = PACKET;
		memset(to, 'x', PACKET);
		to += PACKET;
	}
	return nr;
}

/* What a producer does, but for the packets, which stay: headers and states */
static void complete_all(enum shmem_layout layout, size_t size, uint16_t packets)
{
	const unsigned int nr = shmem_layout_chunks(layout);

	for (uint32_t page = 0; page < smb.page_nr; page++) {
		uint32_t *word = (uint32_t *)(void *)(smb.memory + page * smb.page_size);

		for (unsigned int i = 0; i < nr; i++)
			shmem_header_write(chunk_at(page, i, size), &(struct shmem_header){
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
			struct trace_buffer_chunk to = { .origin = { .producer = 1, .writer = 1 } };

			if (shmem_take(&smb, page, i, &chunk))
				abort();
			to.id = chunk.id;
			to.packets = chunk.packets;
			to.is_complete = true;
			to.payload = chunk.payload;
			to.size = chunk.size;
			trace_buffer_put(trace, &to);
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
	struct trace_buffer_packet p;
	size_t bytes = 0;

	trace_buffer_read_begin(trace);
	while (trace_buffer_read(trace, &p))
		bytes += p.size;
	return bytes;
}

static void say(const char *figure, const char *variant, size_t bytes, double seconds, size_t x)
{
	printf("service.%s\t%s\tMB/s\t%.1f\t%zu\n", figure, variant, (double)bytes / seconds * 1e-6,
	       x);
}

static void run(enum shmem_layout layout, size_t page_size, double seconds)
{
	const unsigned int nr = shmem_layout_chunks(layout);
	const size_t size = shmem_layout_size(layout, page_size);
	size_t committed = 0, copied = 0, read;
	double commit = 0, copy = 0, begin, taken;
	uint16_t packets = 0;

	if (shmem_make(&smb, SMB_BYTES, page_size))
		exit(1);
	for (uint32_t page = 0; page < smb.page_nr; page++)
		for (unsigned int i = 0; i < nr; i++)
			packets = make_packets(chunk_at(page, i, size) + SHMEM_CHUNK_HEADER,
					       size - SHMEM_CHUNK_HEADER);
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
	shmem_exit(&smb);
}

int main(void)
{
	const int repetitions = getenv("BENCH_QUICK") ? 1 : 7;
	const double seconds = getenv("BENCH_QUICK") ? 0.05 : 0.5;

	plain = malloc(BUFFER_BYTES);
	if (!plain || trace_buffer_alloc(&trace, BUFFER_BYTES, TRACE_BUFFER_RING))
		return 1;
	memset(plain, 0, BUFFER_BYTES);
	for (int i = 0; i < repetitions; i++) {
		run(SHMEM_DIV14, 4096, seconds);
		run(SHMEM_DIV4, 4096, seconds);
		run(SHMEM_DIV1, 4096, seconds);
		run(SHMEM_DIV1, 32768, seconds);
	}
	trace_buffer_free(trace);
	free(plain);
	return 0;
}
