/* SPDX-License-Identifier: LGPL-2.1 */
/* log_state.h - the internals of a log being written */
#ifndef KTRACE_POSIX_LOG_LOG_STATE_H
#define KTRACE_POSIX_LOG_LOG_STATE_H

#include "log_meta.h"
#include "posix/base/eventset.h"

/* Maximum number of threads with names in a log. */
#define LOG_THREADS 4096u

/* Maximum number of clock readings kept for a log of bounded size. */
#define LOG_READINGS 128u

/* Room for the final META, the losses, and a few names that were unknown at first */
#define LOG_END_SIZE 4096u

/**
 * struct log_name - an event type of the file
 * @id:		its id in the file's records
 * @name:	its name
 */
struct log_name {
	__u32 id;
	char *name;
};

/**
 * struct log_slot - a place for a block in a file of bounded size
 * @offset:	offset of the BLOCK section
 * @records:	number of records in it
 * @stream:	their stream
 */
struct log_slot {
	__u64 offset;
	__u32 records;
	__u32 stream;
};

/**
 * struct posix_log - one log
 * @tf:		the file
 * @fd:		our own descriptor, for the same open file as the caller's
 * @flags:	its flags before O_APPEND was cleared; -1 = O_APPEND was not set
 * @attr:	attributes of the stream
 * @is_bounded:	its blocks have slots; otherwise each is appended
 * @origin:	source of the stamps, for the initial META
 * @text:	pending META
 *
 * @block:	the block being filled
 * @block_size:	size of @block
 * @used:	bytes used in it
 * @written:	not bounded: bytes of it in the file
 * @is_dirty:	bounded: @used has bytes that the file lacks
 * @records:	events in the block; not bounded: those not written yet
 * @first_ts:	stamp of the first of them
 * @last_ts:	largest stamp of them
 * @pos:	ring position of the block
 * @stream:	number of the stream in the file; a bounded log has two in turn
 *
 * @slots:	slots of a bounded log
 * @slot_nr:	maximum number of slots
 * @slot_used:	number of slots in the file
 * @slot:	the block's slot
 * @streams_at:	offset of the META section that names both streams
 * @content_at:	offset of the content that clearing removes
 * @floor:	minimum stamp for events of this round
 * @newest:	largest stamp so far
 *
 * @shift_raw:	added to stamps when a file of another boot is extended
 * @shift_mono:	added to CLOCK_MONOTONIC likewise
 * @clock:	the latest reading, shifted
 * @readings:	bounded: readings to be written at the end
 * @reading_nr:	number of @readings
 * @interval:	minimum ticks between readings
 * @ids:	id in the file's records, by event type; 0 = not announced
 * @names:	user types in the file
 * @name_nr:	number of @names
 * @seen:	threads that have a META line
 * @seen_nr:	number of @seen
 * @state:	the log's part of posix_trace_get_status()
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
