/* SPDX-License-Identifier: GPL-2.0 */
/*
 * shmem.h - memory shared with one producer: pages, chunks, their states (PFT-20..27)
 *
 * The producer may write to the memory at any time: a chunk is copied first and examined
 * afterwards. The memory is a sealed memfd, so that it cannot shrink below the mapping.
 */
#ifndef KTRACED_SERVICE_BUFFER_SHMEM_H
#define KTRACED_SERVICE_BUFFER_SHMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHMEM_PAGE_MIN 4096u
#define SHMEM_PAGE_MAX 32768u
#define SHMEM_SIZE_DEFAULT (256u * 1024)
#define SHMEM_SIZE_MAX (32u * 1024 * 1024)

struct shmem {
	int fd;			/* -1: none yet */
	uint8_t *memory;
	size_t size;
	size_t page_size;
	uint32_t page_nr;
	size_t data_end;	/* while scraping: pages below this exist */
};

/* A copy of a chunk's header and payload */
struct shmem_chunk {
	uint32_t id;
	uint16_t writer;
	uint16_t packets;
	uint8_t flags;
	bool is_complete;
	const uint8_t *payload;	/* in the copy */
	size_t size;
	uint8_t copy[SHMEM_PAGE_MAX];
};

/* Makes sizes valid for the ABI; invalid ones become the default (PFT-20). */
void shmem_sizes(size_t *size, size_t *page_size);
/* Makes the memory. Return: 0 or -errno. */
int shmem_make(struct shmem *s, size_t size, size_t page_size);
/*
 * Takes memory made by a producer; @fd stays the caller's if this fails.
 * Return: 0, -EPERM (not sealed against shrinking), -EINVAL (sizes), or another -errno.
 */
int shmem_adopt(struct shmem *s, int fd, size_t page_size);
void shmem_exit(struct shmem *s);

/*
 * Takes a complete chunk: copies it out and frees it.
 * Return: 0, -EINVAL (no such page or chunk), -EAGAIN (not complete).
 */
int shmem_take(struct shmem *s, uint32_t page, uint32_t chunk, struct shmem_chunk *out);
/* Parses a chunk from a message: header and payload. Return: 0, -EINVAL. */
int shmem_parse(const uint8_t *data, size_t size, struct shmem_chunk *out);
/*
 * Copies, without freeing, a chunk that is complete or being written: after a flush, at the end,
 * or when the producer died.
 * @cursor: 0 at first. Return: true if there was one more.
 */
bool shmem_scrape(struct shmem *s, uint32_t *cursor, struct shmem_chunk *out);

#endif
