/* SPDX-License-Identifier: GPL-2.0 */
/*
 * shmem_page.h - the ABI of shared pages: header word, layouts, states, chunk header (PFT-20..26)
 *
 *  page    +0 u32 word | +4 u32 reserved | +8 chunk 0 | chunk 1 | ...
 *  word    bit 31 reserved, 30..28 layout, 27..0 two bits of state for each of up to 14 chunks
 *  chunk   +0 u32 id | +4 u16 writer | +6 u16 packets: count in 9..0, flags in 15..10 | +8 payload
 *
 *	FREE --producer--> WRITING --producer--> COMPLETE --service--> READING --service--> FREE
 *	                                            `-- without shared memory: producer --> FREE
 *
 * A page of zeros is not partitioned, and all of it is free; when its last chunk becomes free, a
 * page returns to this state in the same step. Both sides change states only by shmem_page_move().
 * Neither side waits for the other: retries are bounded. All numbers are little endian.
 */
#ifndef KTRACED_SERVICE_BUFFER_SHMEM_PAGE_H
#define KTRACED_SERVICE_BUFFER_SHMEM_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHMEM_PAGE_HEADER 8u
#define SHMEM_CHUNK_HEADER 8u
#define SHMEM_CHUNKS_MAX 14u
#define SHMEM_COUNT_MAX 1023u
/* Flags of a chunk */
#define SHMEM_CONTINUES_PREVIOUS 1u
#define SHMEM_CONTINUES_NEXT 2u
#define SHMEM_NEEDS_PATCHING 4u
#define SHMEM_FLAGS 7u
/* Size field of a packet that its writer has given up (PFT-25): ff ff ff 7f */
#define SHMEM_PACKET_ABORTED 0x0fffffffu
#define SHMEM_PACKET_HEADER 4u

enum shmem_state {
	SHMEM_FREE,
	SHMEM_WRITING,
	SHMEM_READING,
	SHMEM_COMPLETE,
};

enum shmem_layout {
	SHMEM_NOT_PARTITIONED,
	SHMEM_DIV1,
	SHMEM_DIV2,
	SHMEM_DIV4,
	SHMEM_DIV7,
	SHMEM_DIV14,
};

/* Returns the number of chunks of a layout; 0 if it is not partitioned, or unknown. */
unsigned int shmem_layout_chunks(unsigned int layout);
/* Returns the bytes of a chunk, header included */
size_t shmem_layout_size(unsigned int layout, size_t page_size);

static inline unsigned int shmem_word_layout(uint32_t word)
{
	return word >> 28 & 7;
}

static inline enum shmem_state shmem_word_state(uint32_t word, unsigned int chunk)
{
	return word >> (2 * chunk) & 3;
}

/* Returns a page's word; then sees what the chunks' owners did before they changed it */
uint32_t shmem_page_word(const uint8_t *page);
/*
 * Moves a chunk from one state to another.
 * Return: the page's previous word; 0 if the chunk was not in state @from, or does not exist, or
 * if others changed the word in every try.
 */
uint32_t shmem_page_move(uint8_t *page, unsigned int chunk, enum shmem_state from,
			 enum shmem_state to);

/* A chunk's header, read once */
struct shmem_header {
	uint32_t id;
	uint16_t writer;
	uint16_t packets;
	uint8_t flags;
};

/* Reads a header; then sees all packets before the last one that was begun (PFT-26). */
void shmem_header_read(const uint8_t *chunk, struct shmem_header *header);
void shmem_header_write(uint8_t *chunk, const struct shmem_header *header);
/* Sets only count and flags: a reader that sees them sees everything written before. */
void shmem_header_packets(uint8_t *chunk, uint16_t packets, uint8_t flags);

#endif
