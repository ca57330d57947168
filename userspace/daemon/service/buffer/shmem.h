/* SPDX-License-Identifier: GPL-2.0 */
/*
 * shmem.h - memory shared with one producer: pages, chunks, their states (PFT-20..27)
 *
 * The producer may write any of it at any time: a chunk is copied first and looked at afterwards.
 * The memory is a sealed memfd, so that it cannot shrink below the mapping.
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
	size_t data_end;	/* while it is scraped: up to here the pages exist */
};

/* A chunk's header and payload, copied. */
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

/* Sizes that the ABI allows: what does not fit becomes the default (PFT-20). */
void shmem_sizes(size_t *size, size_t *page_size);
/* Makes the memory. Return: 0 or -errno. */
int shmem_make(struct shmem *s, size_t size, size_t page_size);
/*
 * Takes memory that a producer made; @fd is the caller's if this fails.
 * Return: 0, -EPERM (not sealed against shrinking), -EINVAL (sizes), or another -errno.
 */
int shmem_adopt(struct shmem *s, int fd, size_t page_size);
void shmem_exit(struct shmem *s);

/*
 * Takes a complete chunk: copies it out and frees it.
 * Return: 0, -EINVAL (no such page or chunk), -EAGAIN (not complete).
 */
int shmem_take(struct shmem *s, uint32_t page, uint32_t chunk, struct shmem_chunk *out);
/* A chunk that came in a message: header and payload. Return: 0, -EINVAL. */
int shmem_parse(const uint8_t *data, size_t size, struct shmem_chunk *out);
/*
 * Copies, without freeing, what is complete or being written: after a flush, at the end, or when
 * the producer died.
 * @cursor: 0 at first. Return: whether there was one more.
 */
bool shmem_scrape(struct shmem *s, uint32_t *cursor, struct shmem_chunk *out);

#endif
