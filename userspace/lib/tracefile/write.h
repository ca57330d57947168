/* SPDX-License-Identifier: LGPL-2.1 */
/* write.h - shared by creating a tracefile and continuing one */
#ifndef KTRACE_TRACEFILE_WRITE_H
#define KTRACE_TRACEFILE_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>
#include <ktrace/tracefile.h>

#include "base/disk_room.h"
#include "counts.h"
#include "read.h"
#include "zstd_frame.h"

/* Header, body, padding */
#define WRITER_IOV 3

/* struct stream_before - content of stream @id in a reopened file */
struct stream_before {
	__u32 id;
	struct ktrace_tracefile_stream is;
};

/**
 * struct ktrace_tracefile - one file being written
 * @fd:		the file
 * @is_pipe:	accepts bytes in order only
 * @error:	@is_pipe: a write failed in the middle of a section, -errno
 * @is_pending:	the file still has its old content; the first write replaces it
 * @size:	bytes of whole sections; where the next one goes
 * @max_size:	limit of its size, index and end mark not counted; 0 = no limit
 * @room:	room to be kept free on its file system
 * @index:	entries of INDEX
 * @index_nr:	entries in use
 * @index_cap:	entries allocated
 * @has_index:	false once memory for the index ran out
 * @uuid:	name of the trace
 * @part:	number of this part of the trace, 0 = a whole trace
 * @before:	content of each stream when the file was reopened, by_id.h
 * @level:	compression level of BLOCK bodies, 0 = none
 * @packer:	compresses them
 * @counts:	of records
 */
struct ktrace_tracefile {
	int fd;
	bool is_pipe;
	int error;
	bool is_pending;
	__u64 size;
	__u64 max_size;
	struct disk_room room;
	__u8 uuid[16];
	__u32 part;
	void *before;
	struct ktrace_index *index;
	size_t index_nr;
	size_t index_cap;
	bool has_index;
	int level;
	struct packer packer;
	struct counts counts;
};

/* write.c */
int ktrace_write_all(int fd, struct iovec *iov, int nr, __u64 offset);
int ktrace_writer_header(struct ktrace_tracefile *tf, const __u8 *uuid);
void ktrace_writer_section(struct ktrace_section *s, const void *body, size_t size,
			   struct iovec iov[WRITER_IOV]);
int ktrace_writer_new(int fd, struct ktrace_tracefile **out);
int ktrace_writer_open(const char *path, int flags, struct ktrace_tracefile **out);
void ktrace_writer_free(struct ktrace_tracefile *tf);
void ktrace_writer_index(struct ktrace_tracefile *tf, const struct ktrace_section *s);

/* reopen.c */
int ktrace_writer_take(struct ktrace_tracefile *tf, struct reader *r);

#endif
