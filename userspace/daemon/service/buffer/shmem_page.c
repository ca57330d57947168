// SPDX-License-Identifier: GPL-2.0
/* shmem_page.c - the ABI of shared pages */
#include "shmem_page.h"

#include <assert.h>
#include <endian.h>

/* Maximum number of tries to change a word that others change, too */
#define TRIES 64

#define STATES 0x0fffffffu

struct page_header {
	uint32_t word;
	uint32_t reserved;
};

struct chunk_header {
	uint32_t id;
	uint16_t writer;
	uint16_t packets;
};

static_assert(sizeof(struct page_header) == SHMEM_PAGE_HEADER, "page header");
static_assert(sizeof(struct chunk_header) == SHMEM_CHUNK_HEADER, "chunk header");
static_assert(offsetof(struct chunk_header, writer) == 4, "writer");
static_assert(offsetof(struct chunk_header, packets) == 6, "packets");
static_assert(SHMEM_FREE == 0 && SHMEM_NOT_PARTITIONED == 0, "zeroed memory is free");
static_assert(SHMEM_COMPLETE == 3 && SHMEM_DIV14 == 5, "ABI");

static const unsigned char layout_chunks[8] = { 0, 1, 2, 4, 7, 14, 0, 0 };

unsigned int shmem_layout_chunks(unsigned int layout)
{
	return layout_chunks[layout & 7];
}

size_t shmem_layout_size(unsigned int layout, size_t page_size)
{
	const unsigned int nr = shmem_layout_chunks(layout);

	return nr ? (page_size - SHMEM_PAGE_HEADER) / nr & ~(size_t)3 : 0;
}

uint32_t shmem_page_word(const uint8_t *page)
{
	const struct page_header *header = (const struct page_header *)page;

	/* ORD(shmem_page_word:A) pairs ORD(shmem_page_exchange:A): chunks as owners left them */
	return le32toh(__atomic_load_n(&header->word, __ATOMIC_ACQUIRE));
}

static bool shmem_page_exchange(uint8_t *page, uint32_t from, uint32_t to)
{
	struct page_header *header = (struct page_header *)page;
	uint32_t expected = htole32(from);

	/* ORD(shmem_page_exchange:A) pairs ORD(shmem_page_word:A): a chunk before its state */
	return __atomic_compare_exchange_n(&header->word, &expected, htole32(to), false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

uint32_t shmem_page_move(uint8_t *page, unsigned int chunk, enum shmem_state from,
			 enum shmem_state to)
{
	for (int i = 0; i < TRIES; i++) {
		const uint32_t word = shmem_page_word(page);
		uint32_t next = (word & ~(3u << 2 * chunk)) | (uint32_t)to << 2 * chunk;

		if (chunk >= shmem_layout_chunks(shmem_word_layout(word)) ||
		    shmem_word_state(word, chunk) != from)
			return 0;
		if (!(next & STATES))
			next = 0;
		if (shmem_page_exchange(page, word, next))
			return word;
	}
	return 0;
}

void shmem_header_read(const uint8_t *chunk, struct shmem_header *header)
{
	const struct chunk_header *from = (const struct chunk_header *)chunk;
	/* ORD(shmem_header_read:A) pairs ORD(shmem_header_packets:A): packets before the number */
	const uint16_t packets = le16toh(__atomic_load_n(&from->packets, __ATOMIC_ACQUIRE));

	header->id = le32toh(__atomic_load_n(&from->id, __ATOMIC_RELAXED));
	header->writer = le16toh(__atomic_load_n(&from->writer, __ATOMIC_RELAXED));
	header->packets = packets & SHMEM_COUNT_MAX;
	header->flags = packets >> 10 & SHMEM_FLAGS;
}

void shmem_header_packets(uint8_t *chunk, uint16_t packets, uint8_t flags)
{
	struct chunk_header *to = (struct chunk_header *)chunk;
	const uint16_t value = (packets & SHMEM_COUNT_MAX) | flags << 10;

	/* ORD(shmem_header_packets:A) pairs ORD(shmem_header_read:A): packets before the number */
	__atomic_store_n(&to->packets, htole16(value), __ATOMIC_RELEASE);
}

void shmem_header_write(uint8_t *chunk, const struct shmem_header *header)
{
	struct chunk_header *to = (struct chunk_header *)chunk;

	__atomic_store_n(&to->writer, htole16(header->writer), __ATOMIC_RELAXED);
	__atomic_store_n(&to->id, htole32(header->id), __ATOMIC_RELAXED);
	shmem_header_packets(chunk, header->packets, header->flags);
}
