/* SPDX-License-Identifier: GPL-2.0 */
/* capture_file.h - the file of a capture: META that waits, and writes that fail */
#ifndef KTRACED_OUTPUT_CAPTURE_FILE_H
#define KTRACED_OUTPUT_CAPTURE_FILE_H

#include <stdbool.h>
#include <ktrace/session.h>
#include <ktrace/tracefile.h>

#include "absent.h"
#include "ended.h"

/* Limit of META that is kept for a file that cannot be written */
#define META_PENDING_MAX (8u << 20)

struct context;
struct parts;
struct turn;

/**
 * struct capture_stream - one stream on its way into the file
 * @info:	its description
 * @is_announced: its META line exists
 * @reader_seen: records lost by reader and file, as of the last LOST section
 * @total_seen:	records lost in total, as of the last LOST section
 * @pos:	only in parts: end of the written data
 * @records:	number of records written
 * @told:	losses that have been reported
 * @next:	while rings are emptied in order of time: the next chunk
 * @left:	bytes that are still to be taken
 * @budget:	limit of the number of these chunks
 * @has_next:	@next is valid
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
 * struct capture_load - how full drains have found the rings that are not overwritten
 * @rounds:	drains since the start
 * @max_ppm:	the fullest ring, in millionths; this and what follows: since it was last asked for
 * @unread:	sum of the bytes in rings of CPUs
 * @room:	sum of the sizes of these
 */
struct capture_load {
	__u64 rounds;
	__u64 max_ppm;
	__u64 unread;
	__u64 room;
};

/**
 * struct capture - one session being written to a file
 * @session:	the source
 * @file:	the destination
 * @path:	path of the file, for messages
 * @parts:	parts of the recording, NULL = a single file
 * @context:	context recorded with kernel events, NULL = none
 * @meta:	META lines that have not been written yet
 * @streams:	one for each stream of the session
 * @stream_nr:	number of @streams
 * @turn:	held by whoever uses this and the session, NULL = there is one thread only
 * @away_ns:	since when the thread that empties the rings waits for the disk, without its turn:
 *		it alone may use @file until it is back; 0 = it does not
 * @away_size:	size of the file then
 * @copy:	overwrite policy: copy of a block that is being written
 * @level:	compression level while there is time, 0 = none
 * @mode:	mode of the files of further parts, 0 = default
 * @max_size:	bytes of all files, 0 = no limit
 * @min_free:	bytes to leave free in their file system, as in struct options
 * @is_limited: one of these limits refused the last write
 * @is_tight:	older parts were removed to stay within a limit
 * @eighths:	fill of the fullest ring in the last drain, in 1/8
 * @load:	how full the rings were
 * @events:	records written
 * @must_keep:	data that cannot be written stays in its ring, and writing ends
 * @write_error: -errno of a failed write, until a block has been written; 0 = all well
 * @retry_ns:	time of the next attempt
 * @was_told:	the failure has been reported
 * @was_told_again: the recovery has been reported
 * @meta_kept:	1 + bytes of @meta that stayed when others were given up; 0 = none given up
 * @absent:	with --pthread: programs that could not take part
 * @is_attached: a program has attached to the session
 * @ended:	processes that have attached and have not ended
 * @unmet:	globs of -e that no event has matched, NULL = not tracked
 * @names:	events of programs, one on each line, while there are such globs
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
	struct turn *turn;
	__u64 away_ns;
	__u64 away_size;
	char *copy;
	int level;
	__u32 mode;
	__u64 max_size;
	__u64 min_free;
	bool is_limited;
	bool is_tight;
	unsigned int eighths;
	struct capture_load load;
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
 * capture_leave - give the turn away before waiting for the disk
 * capture_leave_for - the same while another file than @file is used, which has @size
 *
 * Until capture_back(), others may add to @meta, and to all that does not concern the file.
 */
void capture_leave(struct capture *c);
void capture_leave_for(struct capture *c, __u64 size);
void capture_back(struct capture *c);

/* Returns since when the disk is waited for, CLOCK_MONOTONIC; 0 = it is not. */
__u64 capture_away_ns(const struct capture *c);

/* Returns the size of the file, whoever is writing it. */
__u64 capture_size(const struct capture *c);

/**
 * capture_flush_meta - write the META lines that are waiting
 *
 * Return: 0 or -errno; on failure the lines are kept for the next attempt.
 */
int capture_flush_meta(struct capture *c);

/* Takes the result of a write; reports an error once. Return: @error. */
int capture_wrote(struct capture *c, int error);

/* Notes that a block has been written: writing works again. */
void capture_wrote_block(struct capture *c);

/* True if a write has failed just now, and it is too early to try again. */
bool capture_must_wait(const struct capture *c);

#endif
