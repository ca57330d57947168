/* SPDX-License-Identifier: LGPL-2.1 */
/* write.h - what creating a tracefile and going on with one have in common */
#ifndef KTRACE_TRACEFILE_WRITE_H
#define KTRACE_TRACEFILE_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>
#include <ktrace/tracefile.h>

#include "base/disk_room.h"
#include "read.h"
#include "zstd_frame.h"

/* Header, body, padding */
#define WRITER_IOV 3

/* struct stream_before - what a reopened file has of stream @id */
struct stream_before {
	__u32 id;
	struct ktrace_tracefile_stream is;
};

/**
 * struct ktrace_tracefile - one file being written
 * @fd:		the file
 * @is_pipe:	it takes bytes from front to back only
 * @error:	@is_pipe: a write failed in the middle of a section, -errno
 * @is_pending:	the file still has what it had before; writing anything replaces that
 * @size:	bytes of whole sections; the next one goes there
 * @max_size:	what it may become, index and end not counted; 0 = no limit
 * @room:	what its file system is to keep
 * @index:	what INDEX will say
 * @index_nr:	entries in use
 * @index_cap:	entries allocated
 * @has_index:	false once memory for the index ran out
 * @uuid:	name of the trace
 * @part:	number of this part of it, 0 = it is whole
 * @before:	what there was of each stream when the file was reopened, by_id.h
 * @level:	how BLOCK bodies are compressed, 0 = not
 * @packer:	compresses them
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
