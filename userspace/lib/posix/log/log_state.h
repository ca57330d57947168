/* SPDX-License-Identifier: LGPL-2.1 */
/* log_state.h - a log that is being written, as its parts see it */
#ifndef KTRACE_POSIX_LOG_LOG_STATE_H
#define KTRACE_POSIX_LOG_LOG_STATE_H

#include "log_meta.h"
#include "posix/base/eventset.h"

/* Threads whose names are told. */
#define LOG_THREADS 4096u

/* Readings of the clocks that a log of bounded size keeps. */
#define LOG_READINGS 128u

/* META that a log ends with, what was lost, and a few names that were not known at first */
#define LOG_END_SIZE 4096u

/**
 * struct log_name - an event type of the file
 * @id:		as in its records
 * @name:	what it is called
 */
struct log_name {
	__u32 id;
	char *name;
};

/**
 * struct log_slot - one place for a block in a file of bounded size
 * @offset:	of the BLOCK section
 * @records:	in it
 * @stream:	of them
 */
struct log_slot {
	__u64 offset;
	__u32 records;
	__u32 stream;
};

/**
 * struct posix_log - one log
 * @tf:		the file
 * @fd:		of our own, the same open file as the caller's
 * @flags:	that it had before O_APPEND was taken off; -1 = it had none
 * @attr:	of the stream
 * @is_bounded:	its blocks have slots; otherwise each goes behind the one before
 * @origin:	META that comes first
 * @text:	META being put together
 *
 * @block:	the block being filled
 * @block_size:	its size
 * @used:	bytes in it
 * @written:	of these, in the file: not bounded
 * @is_dirty:	bounded: the file has less than @used
 * @records:	events in the block, that are not @written
 * @first_ts:	of the first of them
 * @last_ts:	largest of them
 * @pos:	ring position of the block
 * @stream:	the file's number of the stream; a bounded one has two in turn
 *
 * @slots:	of a bounded log
 * @slot_nr:	how many there can be
 * @slot_used:	how many there are in the file
 * @slot:	the block's own
 * @streams_at:	offset of the META section that names both streams
 * @content_at:	where clearing begins: what is before it stays
 * @floor:	no event of this round is before this stamp
 * @newest:	largest stamp so far
 *
 * @shift_raw:	what is added to stamps, when a file of another boot is extended
 * @shift_mono:	the same to CLOCK_MONOTONIC
 * @clock:	the latest reading, shifted
 * @readings:	bounded: those to be told at the end
 * @reading_nr:	how many
 * @interval:	ticks from one to the next, at least
 * @ids:	id in the file's records, by event type; 0 = not announced
 * @names:	types of programs that the file has
 * @name_nr:	how many
 * @seen:	threads that have a line
 * @seen_nr:	how many
 * @state:	what posix_trace_get_status() will say
 */
struct posix_log {
	struct ktrace_tracefile *tf;
	int fd;
	int flags;
	struct posix_attr attr;
	bool is_bounded;
	struct posix_log_origin origin;
	struct ktrace_text text;

	char *block;
	__u32 block_size;
	__u32 used;
	__u32 written;
	bool is_dirty;
	__u32 records;
	__u64 first_ts;
	__u64 last_ts;
	__u64 pos;
	__u32 stream;

	struct log_slot *slots;
	size_t slot_nr;
	size_t slot_used;
	size_t slot;
	__u64 streams_at;
	__u64 content_at;
	__u64 floor;
	__u64 newest;

	__u64 shift_raw;
	__u64 shift_mono;
	struct ktrace_reading clock;
	struct ktrace_reading readings[LOG_READINGS];
	size_t reading_nr;
	__u64 interval;
	__u16 ids[POSIX_ID_NR];
	struct log_name *names;
	size_t name_nr;
	__u32 seen[LOG_THREADS];
	size_t seen_nr;
	struct posix_log_status state;
};

/* log.c */
int ktrace_posix_log_note(struct posix_log *log, int error);
int ktrace_posix_log_put_text(struct posix_log *log);

/* log_clock.c */
void ktrace_posix_log_put_readings(struct posix_log *log);

/* log_names.c */
int ktrace_posix_log_take_name(struct posix_log *log, __u32 id, const char *name);
void ktrace_posix_log_map_set(const struct posix_log *log, trace_event_set_t *set);
void ktrace_posix_log_meet(struct posix_log *log, __u32 pid, __u32 tid, __u64 ts);
int ktrace_posix_log_say_names(struct posix_log *log);
void ktrace_posix_log_free_names(struct posix_log *log);

/* log_end.c */
int ktrace_posix_log_put_end(struct posix_log *log, const struct posix_log_status *known,
			     const struct posix_trace_status_info *status);

/* log_extend.c */
int ktrace_posix_log_extend(struct posix_log *log);

#endif
