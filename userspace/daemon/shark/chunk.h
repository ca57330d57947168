/* SPDX-License-Identifier: GPL-2.0 */
/* chunk.h - a chunk of S.Ha.R.K. that is to be sent, wherever its bytes are */
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
 * struct chunk - its bytes, in the order in which they are to be sent
 * @fd:		they are in this file of a program, which may change it at any time
 * @memory:	or here
 * @parts:	which of them, one part behind the other
 * @nr:		how many parts
 * @at:		part that is read
 * @is_packed:	they are zstd frames; else slots of events
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

/* The next bytes, @size of them but for the last. Return: how many, -errno. */
ssize_t chunk_read(struct chunk *c, void *to, size_t size);
/* Looks at a program's chunk, of one part: what is it? Return: 0, -errno. */
int chunk_look(struct chunk *c);

/**
 * struct slots - a chunk's events, one after the other; all 0 to begin with but @chunk
 * @chunk:	where they come from
 * @is_aborted:	give up
 * @stream:	what unpacks them, NULL = none
 * @in:		bytes of frames
 * @in_at:	of these, how many were taken
 * @in_len:	bytes in @in
 * @is_end:	nothing more comes to @in
 * @left:	the frame is not at its end
 * @unpacked:	bytes that were in the frames so far
 * @piece:	slots
 * @at:		bytes of @piece that were given out
 * @len:	bytes in @piece
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
/* The next events, empty slots left out. Return: how many, 0 at the end, -errno. */
int slots_next(struct slots *s, unsigned char *to, int max);
void slots_exit(struct slots *s);

#endif
