/* SPDX-License-Identifier: GPL-2.0 */
/* capture_file.h - the file of a capture: META that waits, and writing that fails */
#ifndef KTRACED_OUTPUT_CAPTURE_FILE_H
#define KTRACED_OUTPUT_CAPTURE_FILE_H

#include <stdbool.h>
#include <ktrace/session.h>
#include <ktrace/tracefile.h>

#include "absent.h"
#include "ended.h"

/* More META than this is not kept for a file that cannot be written. */
#define META_PENDING_MAX (8u << 20)

struct context;
struct parts;

/**
 * struct capture_stream - one stream on its way into the file
 * @info:	what it is
 * @is_announced: its META line has been made
 * @reader_seen: lost by reader and file, as of the last LOST section
 * @total_seen:	lost in all, as of the last LOST section
 * @pos:	only in parts: behind what has been written
 * @records:	written
 * @told:	losses that have been told
 * @next:	while rings are emptied in order of time: what comes next
 * @left:	bytes that are still to be taken
 * @budget:	most chunks that they can be
 * @has_next:	there is one
 */
struct capture_stream {
	struct ktrace_stream info;
	bool is_announced;
	__u64 reader_seen;
	__u64 total_seen;
	__u64 pos;
	__u64 records;
	struct ktrace_lost told;
	struct ktrace_chunk next;
	__u64 left;
	__u64 budget;
	bool has_next;
};

/**
 * struct capture - one session being written to a file
 * @session:	where from
 * @file:	where to
 * @path:	of the file, for messages
 * @parts:	if the file is one of several, else NULL
 * @context:	what is recorded beside payloads, NULL = nothing
 * @meta:	META lines that have not been written yet
 * @streams:	one for each stream of the session
 * @stream_nr:	how many
 * @copy:	overwrite policy: a block, copied before it is written
 * @level:	how blocks are compressed while there is time, 0 = not
 * @mode:	of the files of further parts, 0 = the usual one
 * @max_size:	bytes of all files, 0 = no limit
 * @min_free:	bytes that their file system keeps, as in struct options
 * @is_limited: the last write was refused for one of these
 * @is_tight:	older parts were removed for that
 * @eighths:	the fullest ring that the last drain has found
 * @events:	records written
 * @must_keep:	what cannot be written stays in its ring, and nothing more is written
 * @write_error: -errno since a write failed, until a block has been written; 0 = all well
 * @retry_ns:	when to try again
 * @was_told:	the user knows that writing failed
 * @was_told_again: and that it works again
 * @meta_kept:	bytes of @meta that stayed when others were given up; 0 = none were
 * @absent:	with --pthread: programs that could not take part
 * @is_attached: a program has attached to the session
 * @ended:	which processes have attached, and whether they are there
 * @unmet:	globs of -e that no event has matched, NULL = nobody asks
 * @names:	events of programs, a line each, as long as there are such globs
 */
struct capture {
	struct ktrace_session *session;
	struct ktrace_tracefile *file;
	const char *path;
	struct parts *parts;
	struct context *context;
	struct ktrace_text meta;
	struct capture_stream *streams;
	__u32 stream_nr;
	char *copy;
	int level;
	__u32 mode;
	__u64 max_size;
	__u64 min_free;
	bool is_limited;
	bool is_tight;
	unsigned int eighths;
	__u64 events;
	bool must_keep;
	int write_error;
	__u64 retry_ns;
	bool was_told;
	bool was_told_again;
	size_t meta_kept;
	struct absent absent;
	bool is_attached;
	struct ended ended;
	char *unmet;
	struct ktrace_text names;
};

/**
 * capture_flush_meta - write the META lines that are waiting
 *
 * Return: 0 or -errno; the lines are kept for the next time then.
 */
int capture_flush_meta(struct capture *c);

/* The result of a write: an error is told once. Return: @error. */
int capture_wrote(struct capture *c, int error);

/* A block has been written: it works again. */
void capture_wrote_block(struct capture *c);

/* A write has failed just now: not to be tried again yet */
bool capture_must_wait(const struct capture *c);

#endif
