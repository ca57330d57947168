// SPDX-License-Identifier: GPL-2.0
/* shmem.c - memory shared with one producer, seen from the service */
#include "shmem.h"

#include "shmem_page.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

static bool page_is_valid(size_t page_size)
{
	return page_size >= SHMEM_PAGE_MIN && page_size <= SHMEM_PAGE_MAX &&
	       !(page_size % SHMEM_PAGE_MIN);
}

static bool sizes_are_valid(size_t size, size_t page_size)
{
	return page_is_valid(page_size) && size && size <= SHMEM_SIZE_MAX && !(size % page_size);
}

void shmem_sizes(size_t *size, size_t *page_size)
{
	if (!*page_size)
		*page_size = SHMEM_PAGE_MIN;
	if (!*size)
		*size = SHMEM_SIZE_DEFAULT;
	if (*size > SHMEM_SIZE_MAX)
		*size = SHMEM_SIZE_MAX;
	if (!sizes_are_valid(*size, *page_size)) {
		*size = SHMEM_SIZE_DEFAULT;
		*page_size = SHMEM_PAGE_MIN;
	}
}

static int map(struct shmem *s, int fd, size_t size, size_t page_size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED)
		return -errno;
	*s = (struct shmem){ fd, memory, size, page_size, (uint32_t)(size / page_size), 0 };
	return 0;
}

int shmem_make(struct shmem *s, size_t size, size_t page_size)
{
	int fd, r;

	if (!sizes_are_valid(size, page_size))
		return -EINVAL;
	fd = memfd_create("ktrace-smb", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)size) || fcntl(fd, F_ADD_SEALS, SEALS))
		r = -errno;
	else
		r = map(s, fd, size, page_size);
	if (r)
		close(fd);
	return r;
}

int shmem_adopt(struct shmem *s, int fd, size_t page_size)
{
	const int seals = fcntl(fd, F_GET_SEALS);
	struct statfs fs;
	struct stat st;

	if (seals < 0 || !(seals & F_SEAL_SHRINK))
		return -EPERM;
	if (fstatfs(fd, &fs) || fstat(fd, &st))
		return -errno;
	/*
	 * Huge pages can be removed again, and if no other is free then, an access raises SIGBUS.
	 */
	if (fs.f_type == HUGETLBFS_MAGIC)
		return -EPERM;
	if (st.st_size <= 0 || !sizes_are_valid((size_t)st.st_size, page_size))
		return -EINVAL;
	return map(s, fd, (size_t)st.st_size, page_size);
}

void shmem_exit(struct shmem *s)
{
	if (s->memory)
		munmap(s->memory, s->size);
	if (s->fd >= 0)
		close(s->fd);
	*s = (struct shmem){ .fd = -1 };
}

/* Copies a chunk: from here on only the copy is examined, whatever the producer does (PFT-43). */
static void copy_out(const uint8_t *chunk, size_t size, struct shmem_chunk *out)
{
	struct shmem_header header;

	shmem_header_read(chunk, &header);
	memcpy(out->copy, chunk + SHMEM_CHUNK_HEADER, size - SHMEM_CHUNK_HEADER);
	out->id = header.id;
	out->writer = header.writer;
	out->packets = header.packets;
	out->flags = header.flags;
	out->payload = out->copy;
	out->size = size - SHMEM_CHUNK_HEADER;
}

static uint8_t *page_of(const struct shmem *s, uint32_t page)
{
	return s->memory + page * s->page_size;
}

static uint8_t *chunk_of(uint8_t *page, uint32_t chunk, size_t size)
{
	return page + SHMEM_PAGE_HEADER + chunk * size;
}

int shmem_take(struct shmem *s, uint32_t page, uint32_t chunk, struct shmem_chunk *out)
{
	uint8_t *at, *base;
	uint32_t word;
	size_t size;

	if (page >= s->page_nr || chunk >= SHMEM_CHUNKS_MAX)
		return -EINVAL;
	base = page_of(s, page);
	word = shmem_page_word(base);
	if (chunk >= shmem_layout_chunks(shmem_word_layout(word)))
		return -EINVAL;
	word = shmem_page_move(base, chunk, SHMEM_COMPLETE, SHMEM_READING);
	if (!word)
		return -EAGAIN;
	size = shmem_layout_size(shmem_word_layout(word), s->page_size);
	at = chunk_of(base, chunk, size);
	copy_out(at, size, out);
	out->is_complete = true;
	/* Tells scraping that the next writer has not written its header yet. */
	shmem_header_write(at, &(struct shmem_header){ 0 });
	/* Fails only if the producer has damaged its page, which harms nobody else (PFT-27). */
	shmem_page_move(base, chunk, SHMEM_READING, SHMEM_FREE);
	return 0;
}

int shmem_parse(const uint8_t *data, size_t size, struct shmem_chunk *out)
{
	uint8_t header[SHMEM_CHUNK_HEADER] __attribute__((aligned(8)));
	struct shmem_header h;

	if (size < SHMEM_CHUNK_HEADER || size > SHMEM_PAGE_MAX)
		return -EINVAL;
	memcpy(header, data, sizeof(header));
	shmem_header_read(header, &h);
	out->id = h.id;
	out->writer = h.writer;
	out->packets = h.packets;
	out->flags = h.flags;
	out->is_complete = true;
	out->payload = data + SHMEM_CHUNK_HEADER;
	out->size = size - SHMEM_CHUNK_HEADER;
	return 0;
}

/* Copies a chunk; true if it has packets of a writer. */
static bool scrape_chunk(struct shmem *s, uint8_t *page, uint32_t chunk, struct shmem_chunk *out)
{
	const uint32_t word = shmem_page_word(page);
	const size_t size = shmem_layout_size(shmem_word_layout(word), s->page_size);
	const enum shmem_state state = shmem_word_state(word, chunk);

	if (chunk >= shmem_layout_chunks(shmem_word_layout(word)) ||
	    (state != SHMEM_WRITING && state != SHMEM_COMPLETE))
		return false;
	copy_out(chunk_of(page, chunk, size), size, out);
	out->is_complete = state == SHMEM_COMPLETE;
	return out->writer && out->packets;
}

/*
 * Skips pages that the producer never wrote to, as reading would allocate them, at our cost.
 * Return: the first existing page from @page on, @s->page_nr: none.
 */
static uint32_t skip_holes(struct shmem *s, uint32_t page)
{
	const off_t off = (off_t)(page * s->page_size);
	off_t data;

	if ((size_t)off < s->data_end)
		return page;
	data = lseek(s->fd, off, SEEK_DATA);
	if (data < 0)
		return s->page_nr;
	s->data_end = (size_t)lseek(s->fd, data, SEEK_HOLE);
	return (uint32_t)((size_t)data / s->page_size);
}

bool shmem_scrape(struct shmem *s, uint32_t *cursor, struct shmem_chunk *out)
{
	if (!*cursor)
		s->data_end = 0;
	while (*cursor < s->page_nr * SHMEM_CHUNKS_MAX) {
		const uint32_t page = skip_holes(s, *cursor / SHMEM_CHUNKS_MAX);

		if (page > *cursor / SHMEM_CHUNKS_MAX) {
			*cursor = page * SHMEM_CHUNKS_MAX;
			continue;
		}
		if (scrape_chunk(s, page_of(s, page), (*cursor)++ % SHMEM_CHUNKS_MAX, out))
			return true;
	}
	return false;
}
