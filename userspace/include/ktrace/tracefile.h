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
 * struct ktrace_tracefile_block - content of a BLOCK section
 * @stream:	id of the stream, announced by an earlier META line
 * @records:	number of records, without LOST and padding
 * @pos:	ring position of the first byte
 * @first_ts:	stamp of the first record, raw
 * @last_ts:	largest stamp, raw
 * @data:	the bytes, not copied before writing
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
 * ktrace_tracefile_create - create a file or replace an existing one
 * @path:	name of the file; may be /dev/null
 * @out:	the writer
 *
 * A new file has mode 0600 regardless of the umask; a replaced file keeps its mode. In a folder
 * where everybody may create files, such as /tmp, links and files of other users are refused.
 *
 * Return: 0; -ENOMEM; -EBUSY if another process is writing this file; -EACCES also for a link or a
 * file of another user; or -errno of open(2), ftruncate(2) or write(2). If writing fails, the file
 * is removed.
 */
int ktrace_tracefile_create(const char *path, struct ktrace_tracefile **out);

/**
 * ktrace_tracefile_replace_later - like ktrace_tracefile_create(), but keep the old content for now
 *
 * The first section written replaces the old content. Without one, closing changes nothing.
 *
 * Return: as ktrace_tracefile_create().
 */
int ktrace_tracefile_replace_later(const char *path, struct ktrace_tracefile **out);

/**
 * ktrace_tracefile_create_part - create one file of a trace that has several
 * @path:	name of the file, which must not exist, not even as a link, as programs generate
 *		such names
 * @part:	its number, from 1 to KTRACE_PART_MAX; 0 = the file is the whole trace
 * @uuid:	of the previous part, NULL = none
 * @out:	the writer
 *
 * Return: as ktrace_tracefile_create(); -EEXIST if the name exists; -EFBIG if the trace has the
 * maximum number of parts.
 */
int ktrace_tracefile_create_part(const char *path, __u32 part, const __u8 *uuid,
				 struct ktrace_tracefile **out);

/**
 * ktrace_tracefile_reopen - continue a file whose writer died
 * @path:	name of the file
 * @uuid:	uuid that the file must have
 * @out:	the writer
 *
 * Removes everything after the last whole META, BLOCK or LOST section: a torn section, or an index
 * and end mark. Compresses new blocks if the last block is compressed.
 *
 * Return: 0; -ENOMEM; -EBUSY if another process is writing this file; -EBADMSG if it is not a
 * tracefile; -EPROTONOSUPPORT if it is of a later version, and stays unchanged; -ESTALE if it is
 * another trace; or -errno of open(2), read(2) or ftruncate(2).
 */
int ktrace_tracefile_reopen(const char *path, const __u8 uuid[16],
			    struct ktrace_tracefile **out);

/**
 * ktrace_tracefile_copy - continue with a copy of a file whose writer died
 * @from:	name of the file; it stays unchanged
 * @uuid:	uuid that it must have
 * @path:	name of the copy, replaces an existing file; may be the same file
 * @out:	the writer
 *
 * Errors as ktrace_tracefile_create() and ktrace_tracefile_reopen().
 */
int ktrace_tracefile_copy(const char *from, const __u8 uuid[16], const char *path,
			  struct ktrace_tracefile **out);

/**
 * ktrace_tracefile_create_fd - start a tracefile in an open file
 * @fd:		open for writing; it stays the caller's
 * @out:	the writer
 *
 * Replaces the content of a regular file; @fd must not have O_APPEND. A pipe, socket or terminal
 * gets the sections in order; a write to it that fails in the middle ends it: all later writes fail
 * in the same way.
 *
 * Return: as ktrace_tracefile_create(), with errors of fcntl(2) instead of open(2).
 */
int ktrace_tracefile_create_fd(int fd, struct ktrace_tracefile **out);

/**
 * ktrace_tracefile_abandon - empty a file of ktrace_tracefile_create_fd(); close, free
 * @tf:		the writer
 *
 * No other process can have started to write to the file before.
 */
void ktrace_tracefile_abandon(struct ktrace_tracefile *tf);

/**
 * ktrace_tracefile_reopen_fd - continue a regular file that is open
 * @fd:		open for writing; it stays the caller's. This process must also be able to read the
 *		file's content
 * @out:	the writer
 *
 * Return: as ktrace_tracefile_reopen(), without -ESTALE.
 */
int ktrace_tracefile_reopen_fd(int fd, struct ktrace_tracefile **out);

/**
 * ktrace_tracefile_replace - overwrite a BLOCK section with another one
 * @tf:		the writer, of a regular file
 * @offset:	start of a BLOCK section that was written uncompressed, of the same size as @b
 * @b:		the new content
 *
 * For files that need not be readable until they are closed. A failed write may damage the section.
 *
 * Return: 0, -EINVAL if there is no such section, or -errno of write(2).
 */
int ktrace_tracefile_replace(struct ktrace_tracefile *tf, __u64 offset,
			     const struct ktrace_tracefile_block *b);

/**
 * ktrace_tracefile_replace_meta - overwrite a META section with another one
 *
 * Return: as ktrace_tracefile_replace().
 */
int ktrace_tracefile_replace_meta(struct ktrace_tracefile *tf, __u64 offset, const char *text,
				  size_t size);

/**
 * ktrace_tracefile_cut - remove the last sections
 * @tf:		the writer, of a regular file
 * @offset:	start of a section; it and all later ones are removed
 * @records:	in and out: the number of records in removed BLOCK sections is added
 *
 * Return: 0, -EINVAL if no section starts there, or -errno of ftruncate(2).
 */
int ktrace_tracefile_cut(struct ktrace_tracefile *tf, __u64 offset, __u64 *records);

/**
 * ktrace_tracefile_reserve - reserve disk space for future sections
 * @tf:		the writer
 * @size:	bytes; the space for index and end mark is reserved in addition
 *
 * Return: 0, also if the file system cannot tell; -ENOSPC, -EDQUOT, -EFBIG.
 */
int ktrace_tracefile_reserve(struct ktrace_tracefile *tf, __u64 size);

/**
 * ktrace_tracefile_make_room - reserve disk space, removing the last sections until there is enough
 * @tf:		the writer
 * @size:	bytes
 * @from:	sections that start before this offset are kept
 * @records:	in and out: as in ktrace_tracefile_cut()
 *
 * Return: as ktrace_tracefile_reserve(): why there is not enough space even with all removed.
 */
int ktrace_tracefile_make_room(struct ktrace_tracefile *tf, __u64 size, __u64 from,
			       __u64 *records);

/** KTRACE_MIN_FREE_DEFAULT - the smaller of 5 % and 1 GiB of a file system */
#define KTRACE_MIN_FREE_DEFAULT (~0ull)

/**
 * ktrace_tracefile_limit - limit the file's size and the file system's use
 * @tf:		the writer
 * @max_size:	maximum size of the file in bytes, 0 = no limit, the default
 * @min_free:	bytes to keep free for others, 0 = none. The default is the size in the environment
 *		variable KTRACE_MIN_FREE, otherwise KTRACE_MIN_FREE_DEFAULT
 *
 * A section that would exceed a limit fails with -EFBIG or -ENOSPC, as if the disk were full. Index
 * and end mark are written in any case.
 */
void ktrace_tracefile_limit(struct ktrace_tracefile *tf, __u64 max_size, __u64 min_free);

/**
 * ktrace_tracefile_room - check for room for sections of @size bytes
 *
 * Return: 0, also if the file system cannot tell; -EFBIG beyond the file's limit; -ENOSPC if too
 * little would stay free.
 */
int ktrace_tracefile_room(struct ktrace_tracefile *tf, __u64 size);

/** ktrace_tracefile_uuid - get the random name of the trace */
void ktrace_tracefile_uuid(const struct ktrace_tracefile *tf, __u8 uuid[16]);

/** ktrace_tracefile_part - get the number of the part, 0 = the file is the whole trace */
__u32 ktrace_tracefile_part(const struct ktrace_tracefile *tf);

/**
 * struct ktrace_tracefile_stream - progress of a stream in a file and the parts before it
 * @pos:	ring position after its last BLOCK section
 * @records:	sum of all BLOCK sections
 * @lost:	losses from its last LOST section, or else from the previous part
 */
struct ktrace_tracefile_stream {
	__u64 pos;
	__u64 records;
	struct ktrace_lost lost;
};

/**
 * ktrace_tracefile_stream - get a stream's progress when the file was reopened
 *
 * Return: false if the file had nothing of the stream.
 */
bool ktrace_tracefile_stream(const struct ktrace_tracefile *tf, __u32 stream,
			     struct ktrace_tracefile_stream *out);

/**
 * ktrace_tracefile_meta - write lines of text as META sections, as few as possible
 * @tf:		the writer
 * @text:	lines, each ended by a newline; none longer than KTRACE_META_SIZE_MAX
 * @size:	bytes
 *
 * After a failed write the file is truncated to its last whole section, so it stays valid; later
 * calls may succeed.
 *
 * Return: 0, -E2BIG for a line that is too long, or -errno of write(2), e.g. -ENOSPC, -EIO.
 */
int ktrace_tracefile_meta(struct ktrace_tracefile *tf, const char *text, size_t size);

/* Compression levels of libzstd; 0 is none. Negative levels are fast. */
#define KTRACE_COMPRESS_MIN (-50)
#define KTRACE_COMPRESS_MAX 19
#define KTRACE_COMPRESS_DEFAULT 1

/** ktrace_tracefile_mode - set the mode of the file being written; 0 or -errno */
int ktrace_tracefile_mode(const struct ktrace_tracefile *tf, __u32 mode);

/**
 * ktrace_tracefile_compress - compress blocks from now on
 * @tf:		the writer
 * @level:	KTRACE_COMPRESS_MIN to KTRACE_COMPRESS_MAX; 0 = uncompressed, the default
 *
 * Stores a block uncompressed if compression does not shorten it or there is no memory for it. All
 * other sections are uncompressed.
 *
 * Return: 0, -EINVAL for an invalid level.
 */
int ktrace_tracefile_compress(struct ktrace_tracefile *tf, int level);

/**
 * ktrace_compress_level - parse the level of an option
 * @text:	a number or "none"; NULL = KTRACE_COMPRESS_DEFAULT
 * @level:	out: level for ktrace_tracefile_compress()
 *
 * Return: false if the level is invalid.
 */
bool ktrace_compress_level(const char *text, int *level);

/**
 * ktrace_tracefile_block - write a BLOCK section
 *
 * Return: 0, -E2BIG for more than KTRACE_BLOCK_MAX bytes, or -errno of write(2).
 */
int ktrace_tracefile_block(struct ktrace_tracefile *tf, const struct ktrace_tracefile_block *b);

/** KTRACE_TRACEFILE_BLOCKS - maximum number of blocks for ktrace_tracefile_blocks() */
#define KTRACE_TRACEFILE_BLOCKS 16

/**
 * ktrace_tracefile_blocks - write several BLOCK sections with one write(2)
 *
 * Costs the file system less than many short writes. Either all blocks get into the file or none.
 *
 * Return: as ktrace_tracefile_block(); -E2BIG also for too many blocks.
 */
int ktrace_tracefile_blocks(struct ktrace_tracefile *tf, const struct ktrace_tracefile_block *b,
			    __u32 nr);

/**
 * ktrace_tracefile_lost - write a LOST section
 * @tf:		the writer
 * @stream:	id of the stream
 * @pos:	ring position where reading continues
 * @ts:		place in time, raw
 * @sum:	losses in this stream so far, by reason
 * @newly:	number of new losses
 *
 * Return: as ktrace_tracefile_meta().
 */
int ktrace_tracefile_lost(struct ktrace_tracefile *tf, __u32 stream, __u64 pos, __u64 ts,
			  const struct ktrace_lost *sum, __u64 newly);

/** ktrace_tracefile_size - get the number of bytes written so far */
__u64 ktrace_tracefile_size(const struct ktrace_tracefile *tf);

/**
 * ktrace_tracefile_close - write index and end mark, close, free
 * @tf:		the writer, or NULL
 *
 * The writer is freed regardless of the result; a file without index and end mark is still
 * readable.
 *
 * Return: 0, or the first -errno of write(2), fsync(2) or close(2).
 */
int ktrace_tracefile_close(struct ktrace_tracefile *tf);

/** ktrace_tracefile_close_part - close without waiting until all data is on the disk */
int ktrace_tracefile_close_part(struct ktrace_tracefile *tf);

/** ktrace_policy_name - get META's name of an enum ktrace_policy; NULL if invalid */
const char *ktrace_policy_name(__u32 policy);
/** ktrace_policy_find - find a policy by name, KTRACE_POLICY_NR if there is none */
__u32 ktrace_policy_find(const char *name);

/**
 * struct ktrace_text - a buffer for META lines
 * @buf:	the text, NUL-terminated; NULL when empty
 * @len:	length in bytes
 * @cap:	bytes allocated
 * @error:	-ENOMEM after an allocation failed
 */
struct ktrace_text {
	char *buf;
	size_t len;
	size_t cap;
	int error;
};

/** ktrace_text_line - end the previous line and begin one with @keyword */
void ktrace_text_line(struct ktrace_text *t, const char *keyword);
/** ktrace_text_str - append key=value, with the value percent-encoded */
void ktrace_text_str(struct ktrace_text *t, const char *key, const char *value);
/**
 * ktrace_text_decode - decode a percent-encoded value in place
 * @value:	value from a line
 *
 * Return: false if it contains a NUL, encoded as %00; the value ends there.
 */
bool ktrace_text_decode(char *value);
/** ktrace_text_u64 - append key=value with a decimal number */
void ktrace_text_u64(struct ktrace_text *t, const char *key, __u64 value);
/** ktrace_text_s64 - append key=value with a decimal number that may be negative */
void ktrace_text_s64(struct ktrace_text *t, const char *key, __s64 value);
/** ktrace_host_has_x32 - true if this kernel has x32 system calls */
bool ktrace_host_has_x32(void);
/** ktrace_text_host - append the line of this machine */
void ktrace_text_host(struct ktrace_text *t);
/**
 * ktrace_text_process - append a process's line with current data of /proc; @ts: valid from, raw
 */
void ktrace_text_process(struct ktrace_text *t, __u32 pid, __u64 ts);
/** ktrace_text_thread - append a thread's line in the same way */
void ktrace_text_thread(struct ktrace_text *t, __u32 pid, __u32 tid, __u64 ts);
/** ktrace_text_flush - end the last line, write META sections, empty @t; 0 or -errno */
int ktrace_text_flush(struct ktrace_text *t, struct ktrace_tracefile *tf);
/** ktrace_text_free - free the memory */
void ktrace_text_free(struct ktrace_text *t);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
