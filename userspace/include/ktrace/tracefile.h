/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * tracefile.h - writing a tracefile (format: <linux/ktrace_file.h>)
 *
 * All functions return 0 or -errno. A writer is used by one thread.
 */
#ifndef KTRACE_TRACEFILE_H
#define KTRACE_TRACEFILE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <linux/ktrace_file.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ktrace_tracefile;

/**
 * struct ktrace_tracefile_block - what goes into a BLOCK section
 * @stream:	id of the stream, announced by a META line before
 * @records:	records in it, LOST and padding not counted
 * @pos:	ring position of the first byte
 * @first_ts:	stamp of the first record, raw
 * @last_ts:	largest stamp, raw
 * @data:	the bytes, written from where they are
 * @size:	number of bytes
 */
struct ktrace_tracefile_block {
	__u32 stream;
	__u32 records;
	__u64 pos;
	__u64 first_ts;
	__u64 last_ts;
	const void *data;
	__u32 size;
};

/**
 * ktrace_tracefile_create - start a new file, replacing what is there
 * @path:	name of the file; /dev/null can be written, too
 * @out:	the writer
 *
 * A new file has mode 0600, whatever the umask is; one that is replaced keeps its mode. In a
 * folder where everybody may make files, such as /tmp, links and files of other users are refused.
 *
 * Return: 0; -ENOMEM; -EBUSY when somebody is writing this file; -EACCES for a link or file of
 * another user, too; or -errno of open(2), ftruncate(2) or write(2): a file that it could not
 * write to is gone.
 */
int ktrace_tracefile_create(const char *path, struct ktrace_tracefile **out);

/**
 * ktrace_tracefile_replace_later - the same for a file that keeps what it has for now
 *
 * The first section that is written replaces it. If none is, closing the writer changes nothing.
 *
 * Return: as ktrace_tracefile_create().
 */
int ktrace_tracefile_replace_later(const char *path, struct ktrace_tracefile **out);

/**
 * ktrace_tracefile_create_part - start one of the files of a trace that is in several
 * @path:	name of the file, which must be new and no link: programs make such names up
 * @part:	its number, from 1 to KTRACE_PART_MAX; 0 = the file is whole
 * @uuid:	of the part before it, NULL = there is none
 * @out:	the writer
 *
 * Return: as ktrace_tracefile_create(); -EEXIST there is something of that name; -EFBIG there are
 * as many as there can be.
 */
int ktrace_tracefile_create_part(const char *path, __u32 part, const __u8 *uuid,
				 struct ktrace_tracefile **out);

/**
 * ktrace_tracefile_reopen - go on with a file whose writer died
 * @path:	name of the file
 * @uuid:	that the file must have
 * @out:	the writer
 *
 * What is behind the last whole META, BLOCK or LOST section is cut off: a torn section,
 * or an index and end mark. Blocks are compressed from now on if the last one is.
 *
 * Return: 0; -ENOMEM; -EBUSY when somebody is writing this file; -EBADMSG not a tracefile;
 * -EPROTONOSUPPORT it is of a later version, and stays as it is; -ESTALE another one; or
 * -errno of open(2), read(2) or ftruncate(2).
 */
int ktrace_tracefile_reopen(const char *path, const __u8 uuid[16],
			    struct ktrace_tracefile **out);

/**
 * ktrace_tracefile_copy - go on with a copy of a file whose writer died
 * @from:	name of the file; it stays as it is
 * @uuid:	that it must have
 * @path:	name of the copy, replacing what is there; may be the same file
 * @out:	the writer
 *
 * Errors as ktrace_tracefile_create() and ktrace_tracefile_reopen().
 */
int ktrace_tracefile_copy(const char *from, const __u8 uuid[16], const char *path,
			  struct ktrace_tracefile **out);

/**
 * ktrace_tracefile_create_fd - start a new file in one that is open
 * @fd:		open for writing; it stays the caller's
 * @out:	the writer
 *
 * Of a regular file, what is there is replaced; it must not have O_APPEND. A pipe, socket or
 * terminal gets the sections one after the other; a write to it that fails in the middle ends
 * it: what follows fails in the same way.
 *
 * Return: as ktrace_tracefile_create(), with errors of fcntl(2) instead of open(2).
 */
int ktrace_tracefile_create_fd(int fd, struct ktrace_tracefile **out);

/**
 * ktrace_tracefile_abandon - empty a file that ktrace_tracefile_create_fd() has begun; close, free
 * @tf:		the writer
 *
 * Nobody else can have begun to write to it before.
 */
void ktrace_tracefile_abandon(struct ktrace_tracefile *tf);

/**
 * ktrace_tracefile_reopen_fd - go on with a regular file that is open
 * @fd:		open for writing; it stays the caller's. What is in the file must be readable for
 *		this process
 * @out:	the writer
 *
 * Return: as ktrace_tracefile_reopen(), but for -ESTALE.
 */
int ktrace_tracefile_reopen_fd(int fd, struct ktrace_tracefile **out);

/**
 * ktrace_tracefile_replace - write a BLOCK section over another one
 * @tf:		the writer, of a regular file
 * @offset:	of a BLOCK section that was written as it is, of as many bytes as @b has
 * @b:		what it is to be
 *
 * For files of which nobody has to read what is not closed. After a failed write the
 * section may be damaged.
 *
 * Return: 0, -EINVAL there is no such section, or -errno of write(2).
 */
int ktrace_tracefile_replace(struct ktrace_tracefile *tf, __u64 offset,
			     const struct ktrace_tracefile_block *b);

/**
 * ktrace_tracefile_replace_meta - the same of a META section
 *
 * Return: as ktrace_tracefile_replace().
 */
int ktrace_tracefile_replace_meta(struct ktrace_tracefile *tf, __u64 offset, const char *text,
				  size_t size);

/**
 * ktrace_tracefile_cut - give the last sections up
 * @tf:		the writer, of a regular file
 * @offset:	where one of them begins; from there on they are gone
 * @records:	what their BLOCK sections had is added
 *
 * Return: 0, -EINVAL there begins none, or -errno of ftruncate(2).
 */
int ktrace_tracefile_cut(struct ktrace_tracefile *tf, __u64 offset, __u64 *records);

/**
 * ktrace_tracefile_reserve - take room on the disk for what is to come
 * @tf:		the writer
 * @size:	bytes; room for index and end mark is taken as well
 *
 * Return: 0, also if nobody can tell; -ENOSPC, -EDQUOT, -EFBIG.
 */
int ktrace_tracefile_reserve(struct ktrace_tracefile *tf, __u64 size);

/**
 * ktrace_tracefile_make_room - the same, and the last sections are given up until there is room
 * @tf:		the writer
 * @size:	bytes
 * @from:	sections that begin before this offset stay
 * @records:	as ktrace_tracefile_cut()
 *
 * Return: as ktrace_tracefile_reserve(), which says why there is no room for a section less.
 */
int ktrace_tracefile_make_room(struct ktrace_tracefile *tf, __u64 size, __u64 from,
			       __u64 *records);

/** KTRACE_MIN_FREE_DEFAULT - the smaller of 5 % and 1 GiB of a file system */
#define KTRACE_MIN_FREE_DEFAULT (~0ull)

/**
 * ktrace_tracefile_limit - how long the file may become, and what its file system keeps
 * @tf:		the writer
 * @max_size:	bytes of the file, 0 = no limit, which is how a writer begins
 * @min_free:	bytes that stay free for others, 0 = none. A writer begins with the size that the
 *		environment variable KTRACE_MIN_FREE says, or else with KTRACE_MIN_FREE_DEFAULT
 *
 * A section that would not fit fails with -EFBIG or -ENOSPC, as if the disk were full. Index and
 * end mark are written in any case.
 */
void ktrace_tracefile_limit(struct ktrace_tracefile *tf, __u64 max_size, __u64 min_free);

/**
 * ktrace_tracefile_room - is there room for sections of @size bytes?
 *
 * Return: 0, also if nobody can tell; -EFBIG beyond the limit of the file; -ENOSPC too little
 * would stay free.
 */
int ktrace_tracefile_room(struct ktrace_tracefile *tf, __u64 size);

/** ktrace_tracefile_uuid - the random name that the trace has */
void ktrace_tracefile_uuid(const struct ktrace_tracefile *tf, __u8 uuid[16]);

/** ktrace_tracefile_part - number of the part that the file is, 0 = it is whole */
__u32 ktrace_tracefile_part(const struct ktrace_tracefile *tf);

/**
 * struct ktrace_tracefile_stream - how far a stream had got in a file, and the parts before it
 * @pos:	ring position behind its last BLOCK section
 * @records:	sum of all BLOCK sections
 * @lost:	as its last LOST section says, or else the part before
 */
struct ktrace_tracefile_stream {
	__u64 pos;
	__u64 records;
	struct ktrace_lost lost;
};

/**
 * ktrace_tracefile_stream - how far a stream had got when the file was reopened
 *
 * Return: false if there was nothing of it.
 */
bool ktrace_tracefile_stream(const struct ktrace_tracefile *tf, __u32 stream,
			     struct ktrace_tracefile_stream *out);

/**
 * ktrace_tracefile_meta - write lines of text as META sections, one if it holds them
 * @tf:		the writer
 * @text:	lines, each ended by a newline; none longer than KTRACE_META_SIZE_MAX
 * @size:	bytes
 *
 * After a failed write the file is cut back to its last whole section, so it stays
 * valid; later calls may succeed.
 *
 * Return: 0, -E2BIG for a line that is too long, or -errno of write(2), e.g.
 * -ENOSPC, -EIO.
 */
int ktrace_tracefile_meta(struct ktrace_tracefile *tf, const char *text, size_t size);

/* Levels of compression, as libzstd has them; 0 is none. Less than 0 is fast. */
#define KTRACE_COMPRESS_MIN (-50)
#define KTRACE_COMPRESS_MAX 19
#define KTRACE_COMPRESS_DEFAULT 1

/** ktrace_tracefile_mode - set the mode of a file that is being written; 0 or -errno */
int ktrace_tracefile_mode(const struct ktrace_tracefile *tf, __u32 mode);

/**
 * ktrace_tracefile_compress - from now on, store blocks compressed
 * @tf:		the writer
 * @level:	KTRACE_COMPRESS_MIN to KTRACE_COMPRESS_MAX; 0 = as they are, which is how a writer
 *		begins
 *
 * A block that does not become shorter is stored as it is, and so is one for which there is
 * no memory; all other sections are.
 *
 * Return: 0, -EINVAL for a level that there is not.
 */
int ktrace_tracefile_compress(struct ktrace_tracefile *tf, int level);

/**
 * ktrace_compress_level - the level that an option names
 * @text:	a number or "none"; NULL = KTRACE_COMPRESS_DEFAULT
 * @level:	for ktrace_tracefile_compress()
 *
 * Return: false if there is no such level.
 */
bool ktrace_compress_level(const char *text, int *level);

/**
 * ktrace_tracefile_block - write a BLOCK section
 *
 * Return: 0, -E2BIG for more than KTRACE_BLOCK_MAX bytes, or -errno of write(2).
 */
int ktrace_tracefile_block(struct ktrace_tracefile *tf, const struct ktrace_tracefile_block *b);

/** KTRACE_TRACEFILE_BLOCKS - most blocks of one ktrace_tracefile_blocks() */
#define KTRACE_TRACEFILE_BLOCKS 16

/**
 * ktrace_tracefile_blocks - write several BLOCK sections with one write(2)
 *
 * A file system spends more on ten short writes than on a long one. All or none of them
 * are in the file then.
 *
 * Return: as ktrace_tracefile_block(); -E2BIG also for too many blocks.
 */
int ktrace_tracefile_blocks(struct ktrace_tracefile *tf, const struct ktrace_tracefile_block *b,
			    __u32 nr);

/**
 * ktrace_tracefile_lost - write a LOST section
 * @tf:		the writer
 * @stream:	id of the stream
 * @pos:	ring position that reading goes on from
 * @ts:		place in time, raw
 * @sum:	lost in this stream so far, by reason
 * @newly:	how many of them are new
 *
 * Errors as ktrace_tracefile_meta().
 */
int ktrace_tracefile_lost(struct ktrace_tracefile *tf, __u32 stream, __u64 pos, __u64 ts,
			  const struct ktrace_lost *sum, __u64 newly);

/** ktrace_tracefile_size - bytes written so far */
__u64 ktrace_tracefile_size(const struct ktrace_tracefile *tf);

/**
 * ktrace_tracefile_close - write index and end mark, close, free
 * @tf:		the writer, or NULL
 *
 * The writer is gone whatever the result; without index and end mark the file is
 * still readable.
 *
 * Return: 0, or the first -errno of write(2), fsync(2) or close(2).
 */
int ktrace_tracefile_close(struct ktrace_tracefile *tf);

/** ktrace_tracefile_close_part - the same, without waiting until all is on the disk */
int ktrace_tracefile_close_part(struct ktrace_tracefile *tf);

/** ktrace_policy_name - what META calls enum ktrace_policy; NULL for what is none */
const char *ktrace_policy_name(__u32 policy);
/** ktrace_policy_find - the policy of that name, KTRACE_POLICY_NR if there is none */
__u32 ktrace_policy_find(const char *name);

/**
 * struct ktrace_text - META lines being put together
 * @buf:	the text, NUL-terminated; NULL when empty
 * @len:	bytes
 * @cap:	bytes allocated
 * @error:	-ENOMEM once memory ran out
 */
struct ktrace_text {
	char *buf;
	size_t len;
	size_t cap;
	int error;
};

/** ktrace_text_line - begin a line with @keyword (the previous one is ended) */
void ktrace_text_line(struct ktrace_text *t, const char *keyword);
/** ktrace_text_str - append key=value, the value percent-encoded */
void ktrace_text_str(struct ktrace_text *t, const char *key, const char *value);
/**
 * ktrace_text_decode - undo the percent-encoding of a value, in place
 * @value:	as it is in a line
 *
 * Return: false: it has a NUL, written as %00; it ends there.
 */
bool ktrace_text_decode(char *value);
/** ktrace_text_u64 - append key=decimal number */
void ktrace_text_u64(struct ktrace_text *t, const char *key, __u64 value);
/** ktrace_host_has_x32 - does this kernel have system calls of x32? */
bool ktrace_host_has_x32(void);
/** ktrace_text_host - the line of this machine */
void ktrace_text_host(struct ktrace_text *t);
/** ktrace_text_process - the line of a process, as /proc has it now; @ts: from then on, raw */
void ktrace_text_process(struct ktrace_text *t, __u32 pid, __u64 ts);
/** ktrace_text_thread - the same of a thread */
void ktrace_text_thread(struct ktrace_text *t, __u32 pid, __u32 tid, __u64 ts);
/** ktrace_text_flush - end the last line, write all as one META section, empty @t */
int ktrace_text_flush(struct ktrace_text *t, struct ktrace_tracefile *tf);
/** ktrace_text_free - free the memory */
void ktrace_text_free(struct ktrace_text *t);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
