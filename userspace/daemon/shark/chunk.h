/* SPDX-License-Identifier: GPL-2.0 */
/* chunk.h - a chunk of S.Ha.R.K. that is to be sent, in a file or in memory */
#ifndef KTRACED_SHARK_CHUNK_H
#define KTRACED_SHARK_CHUNK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/types.h>

#define CHUNK_SLOT 16u
#define CHUNK_PARTS 3

/**
 * struct chunk - its bytes, in the order in which they are sent
 * @fd:		file of a program with the bytes; the program may change it at any time
 * @memory:	memory with the bytes, NULL = they are in @fd
 * @parts:	positions of the bytes, one part after the other
 * @nr:		number of @parts
 * @at:		index of the part being read
 * @is_packed:	the bytes are zstd frames; otherwise slots of events
 */
struct chunk {
	int fd;
	const unsigned char *memory;
	struct chunk_part {
		__u64 off;
		__u64 size;
	} parts[CHUNK_PARTS];
	unsigned int nr;
	unsigned int at;
	bool is_packed;
};

/* Reads the next bytes, fewer than @size only at the end. Return: their number or -errno. */
ssize_t chunk_read(struct chunk *c, void *to, size_t size);
/* Finds out if a program's chunk, of one part, is packed. Return: 0 or -errno. */
int chunk_look(struct chunk *c);

/**
 * struct slots - reads a chunk's events one by one; starts as all zero except @chunk
 * @chunk:	source of the events
 * @is_aborted:	true: give up
 * @stream:	unpacks frames, NULL = not packed
 * @in:		bytes of frames
 * @in_at:	number of bytes in @in that were used
 * @in_len:	number of bytes in @in
 * @is_end:	the chunk has no more bytes for @in
 * @left:	not 0: the frame is incomplete
 * @unpacked:	number of bytes unpacked so far
 * @piece:	slots
 * @at:		number of bytes in @piece that were delivered
 * @len:	number of bytes in @piece
 */
struct slots {
	struct chunk *chunk;
	const atomic_bool *is_aborted;
	void *stream;
	unsigned char *in;
	size_t in_at;
	size_t in_len;
	bool is_end;
	size_t left;
	__u64 unpacked;
	unsigned char *piece;
	size_t at;
	size_t len;
};

int slots_init(struct slots *s, struct chunk *chunk, const atomic_bool *is_aborted);
/* Reads the next events, without empty slots. Return: their number, 0 at the end, -errno. */
int slots_next(struct slots *s, unsigned char *to, int max);
void slots_exit(struct slots *s);

#endif
