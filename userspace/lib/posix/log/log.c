// SPDX-License-Identifier: LGPL-2.1
/*
 * log.c - write the events of a stream into a tracefile
 *
 *   APPEND               | META | BLOCK | META | BLOCK | ...      each after the previous one
 *   LOOP, UNTIL_FULL     | META | slot 0 | META | slot 1 | ... slot n-1 | META ...
 *
 * A slot is a BLOCK section of the full block size, however much is in it yet; it is rewritten when
 * there is more. With LOOP, writing continues at slot 0 when all slots are in use. The file then
 * has two streams: slots written in this round, and after them slots left from the previous round.
 * Their numbers increase with each round; one META section at the beginning names them, so that
 * readers get the events in order and none twice. META is never removed, and does not count for
 * log-max-size.
 *
 * Data that cannot be written stays in the block; writing is retried before the next block begins.
 */
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log_state.h"
#include "posix/base/event.h"

#define BLOCK_MIN KTRACE_BLOCK_MIN
#define BLOCK_APPEND 65536u
/* For larger logs, blocks become larger instead of more numerous. */
#define SLOTS 4096u
#define SLOT_SIZE(log) (sizeof(struct ktrace_section) + (log)->block_size)

int ktrace_posix_log_check(int fd, int log_policy)
{
	int flags = fcntl(fd, F_GETFL);
	struct stat st;

	if (flags < 0 || flags & O_PATH || (flags & O_ACCMODE) == O_RDONLY || fstat(fd, &st))
		return EBADF;
	if (S_ISREG(st.st_mode))
		return 0;
	if (!S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode) && !S_ISCHR(st.st_mode))
		return EINVAL;
	return log_policy == POSIX_TRACE_APPEND ? 0 : EINVAL;
}

/* Returns a block size with room for the longest event, and with UNTIL_FULL for STOP after it. */
static __u32 block_size_of(const struct posix_attr *a)
{
	bool is_bounded = a->log_policy != POSIX_TRACE_APPEND;
	size_t data = a->data_size, size = is_bounded ? BLOCK_MIN : BLOCK_APPEND;

	if (data < 2 * sizeof(trace_event_set_t))
		data = 2 * sizeof(trace_event_set_t);
	while (size - sizeof(struct ktrace_block) < posix_event_size(data) + posix_event_size(4))
		size *= 2;
	while (is_bounded && size < KTRACE_BLOCK_MAX && a->log_size / size > SLOTS)
		size *= 2;
	return (__u32)size;
}

static size_t slot_nr_of(const struct posix_attr *a)
{
	size_t nr = a->log_size / block_size_of(a);

	return nr < 2 ? 2 : nr;
}

size_t ktrace_posix_log_size(const struct posix_attr *a)
{
	return a->log_policy == POSIX_TRACE_APPEND ? a->log_size : slot_nr_of(a) * block_size_of(a);
}

/* Keeps the first error; @error: -errno or 0. */
int ktrace_posix_log_note(struct posix_log *log, int error)
{
	if (error && !log->state.error)
		log->state.error = -error;
	return -error;
}

/* Writes the META of both streams, always with the same length so that it can be overwritten. */
static int say_streams(struct posix_log *log)
{
	char text[256];
	int n = 0;

	for (__u32 i = 0; i < 2; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n,
			      "stream id=%010u kind=user ring=%020zu block=%07u policy=%s\n",
			      log->stream && !i ? log->stream - 1 : log->stream,
			      log->slot_nr * log->block_size, log->block_size,
			      log->attr.log_policy == POSIX_TRACE_LOOP ? "overwrite" : "stop");
	if (log->streams_at)
		return ktrace_tracefile_replace_meta(log->tf, log->streams_at, text, (size_t)n);
	log->streams_at = ktrace_tracefile_size(log->tf);
	return ktrace_tracefile_meta(log->tf, text, (size_t)n);
}

static void say_stream(struct posix_log *log)
{
	ktrace_text_line(&log->text, "stream");
	ktrace_text_u64(&log->text, "id", log->stream);
	ktrace_text_str(&log->text, "kind", "user");
	ktrace_text_u64(&log->text, "block", log->block_size);
	ktrace_text_str(&log->text, "policy", "drop");
}

/* Writes the pending META. On failure it stays pending, because later events need its names. */
int ktrace_posix_log_put_text(struct posix_log *log)
{
	size_t len = log->text.len;
	int ret = ktrace_text_flush(&log->text, log->tf);

	if (ret)
		log->text.len = len;
	return ret;
}

/* Counts the overwritten events, unless the slot had a part of the same block. */
static void count_overwritten(struct posix_log *log, const struct log_slot *slot)
{
	if (slot->stream == log->stream)
		return;
	log->state.overwritten += slot->records;
	log->state.is_overrun = true;
}

/* Writes a block, after the META that its events need. */
static int put_block(struct posix_log *log, const struct ktrace_tracefile_block *b)
{
	struct log_slot *slot = log->slots + log->slot;
	int ret = ktrace_posix_log_put_text(log);

	if (ret || !log->is_bounded)
		return ret ? ret : ktrace_tracefile_block(log->tf, b);
	if (log->slot < log->slot_used) {
		ret = ktrace_tracefile_replace(log->tf, slot->offset, b);
		if (!ret)
			count_overwritten(log, slot);
	} else {
		slot->offset = ktrace_tracefile_size(log->tf);
		ret = ktrace_tracefile_block(log->tf, b);
		log->slot_used += !ret;
	}
	if (!ret) {
		slot->records = b->records;
		slot->stream = log->stream;
	}
	return ret;
}

/* Writes the part of the block that the file does not have yet. Returns 0 or -errno. */
static int write_block(struct posix_log *log)
{
	__u32 from = log->is_bounded ? 0 : log->written;
	struct ktrace_tracefile_block b = {
		.stream = log->stream, .records = log->records, .pos = log->pos + from,
		.first_ts = log->first_ts, .last_ts = log->last_ts, .data = log->block + from,
		.size = log->is_bounded ? log->block_size : log->used - from,
	};
	int ret;

	if (log->is_bounded ? !log->is_dirty : log->used == log->written)
		return 0;
	ret = put_block(log, &b);
	if (ret)
		return ret;
	log->is_dirty = false;
	log->written = log->used;
	if (!log->is_bounded)
		log->records = 0;
	return 0;
}

/* LOOP: reuses the slots, starting with the first. */
static int next_round(struct posix_log *log)
{
	int ret;

	log->stream++;
	ret = say_streams(log);
	if (ret) {
		log->stream--;
		return ret;
	}
	log->slot = 0;
	log->floor = log->newest;
	log->state.is_full = true;
	return 0;
}

/* Starts a new block after a full one. Returns 0 or -errno; on failure nothing changes. */
static int next_block(struct posix_log *log)
{
	int ret = write_block(log);

	if (!ret && log->is_bounded && log->slot + 1 == log->slot_nr)
		ret = next_round(log);
	else if (!ret)
		log->slot += log->is_bounded;
	if (ret)
		return ret;
	log->pos += log->block_size;
	log->used = 0;
	log->written = 0;
	log->records = 0;
	return 0;
}

static void append(struct posix_log *log, const void *bytes, size_t size)
{
	memcpy(log->block + log->used, bytes, size);
	log->used += (__u32)size;
}

static void open_block(struct posix_log *log, __u64 ts)
{
	struct ktrace_block header = {
		.pos = log->pos, .ts = ts, .magic = KTRACE_BLOCK_MAGIC,
	};

	memset(log->block, 0, log->block_size);
	append(log, &header, sizeof(header));
}

/* Maps the sets in START and FILTER events to the file's ids. */
static void map_sets(struct posix_log *log, char *data, size_t size)
{
	trace_event_set_t set;

	for (size_t off = 0; off + sizeof(set) <= size; off += sizeof(set)) {
		memcpy(&set, data + off, sizeof(set));
		ktrace_posix_log_map_set(log, &set);
		memcpy(data + off, &set, sizeof(set));
	}
}

/* Appends a record; the caller has made room. */
static void put_record(struct posix_log *log, const struct ktrace_record *rec, const void *payload)
{
	struct ktrace_record r = *rec;

	r.ts = rec->ts + log->shift_raw;
	if (r.ts < log->floor)
		r.ts = log->floor;
	if (!log->used)
		open_block(log, r.ts);
	if (!log->records) {
		log->first_ts = r.ts;
		log->last_ts = r.ts;
	}
	append(log, &r, sizeof(r));
	append(log, payload, r.len);
	if (r.id == POSIX_ID_BASE + POSIX_TRACE_START || r.id == POSIX_ID_BASE + POSIX_TRACE_FILTER)
		map_sets(log, log->block + log->used - r.len + sizeof(struct ktrace_posix_event),
			 r.len - sizeof(struct ktrace_posix_event));
	log->used = (log->used + KTRACE_ALIGN - 1) & ~(KTRACE_ALIGN - 1);
	log->last_ts = r.ts > log->last_ts ? r.ts : log->last_ts;
	log->newest = r.ts > log->newest ? r.ts : log->newest;
	log->records++;
	log->is_dirty = true;
}

static size_t room(const struct posix_log *log)
{
	size_t used = log->used ? log->used : sizeof(struct ktrace_block);

	return log->block_size - used;
}

/* UNTIL_FULL: ends with STOP, for which the last block has reserved room (PTRC-45). */
static void put_stop(struct posix_log *log, const struct ktrace_record *after)
{
	struct {
		struct ktrace_posix_event event;
		__s32 cause;
	} payload = { .event.size = sizeof(__s32), .cause = 1 };
	struct ktrace_record rec = {
		.ts = after->ts, .id = POSIX_ID_BASE + POSIX_TRACE_STOP,
		.len = sizeof(payload.event) + sizeof(payload.cause),
	};

	put_record(log, &rec, &payload);
	log->state.is_full = true;
}

/* Makes room for a record. Returns 1, 0 = the log is full, or -errno. */
static int make_room(struct posix_log *log, const struct ktrace_record *rec)
{
	size_t need = KTRACE_RECORD_SIZE(rec->len);
	bool is_last = log->is_bounded && log->slot + 1 == log->slot_nr &&
		       log->attr.log_policy == POSIX_TRACE_UNTIL_FULL;
	int ret;

	if (need + (is_last ? posix_event_size(4) : 0) <= room(log))
		return 1;
	if (is_last) {
		put_stop(log, rec);
		return 0;
	}
	ret = next_block(log);
	return ret ? ret : make_room(log, rec);
}

/* Returns the type's id in the file; types without a name become the unnamed type. */
static __u16 file_id(const struct posix_log *log, trace_event_id_t event)
{
	if (event <= POSIX_TRACE_UNNAMED_USEREVENT)
		return (__u16)(POSIX_ID_BASE + event);
	return ktrace_posix_log_has_name(log, event) ? log->ids[event] :
	       POSIX_ID_BASE + POSIX_TRACE_UNNAMED_USEREVENT;
}

/* True if posix_trace_event() can have made the record. A traced program can write to the rings. */
static bool is_event(const struct posix_log *log, const struct ktrace_record *r,
		     const struct ktrace_posix_event *e)
{
	return r->id > POSIX_ID_BASE && r->id < POSIX_ID_BASE + POSIX_ID_NR &&
	       e->size == r->len - sizeof(*e) &&
	       posix_event_size(e->size) + posix_event_size(4) <=
	       log->block_size - sizeof(struct ktrace_block);
}

static bool is_over(const struct posix_log *log)
{
	return log->attr.log_policy == POSIX_TRACE_UNTIL_FULL && log->state.is_full;
}

int ktrace_posix_log_add(struct posix_log *log, const struct ktrace_record *rec,
			 const void *payload)
{
	struct ktrace_record r = *rec;
	struct ktrace_posix_event e = { 0 };
	int ret = 0;

	memcpy(&e, payload, r.len < sizeof(e) ? r.len : sizeof(e));
	if (is_event(log, &r, &e) && !is_over(log))
		ret = make_room(log, &r);
	if (ret != 1) {
		log->state.unwritten++;
		log->state.is_overrun = true;
		return ktrace_posix_log_note(log, ret);
	}
	r.id = file_id(log, r.id - POSIX_ID_BASE);
	ktrace_posix_log_meet(log, e.pid, r.tid_flags & KTRACE_TID_MASK, r.ts + log->shift_raw);
	put_record(log, &r, payload);
	return 0;
}

int ktrace_posix_log_flush(struct posix_log *log)
{
	return ktrace_posix_log_note(log, write_block(log));
}

/* Reserves disk space for a log of bounded size, and for closing any log. */
static int take_room(struct posix_log *log)
{
	__u64 slot = SLOT_SIZE(log) + sizeof(struct ktrace_index);

	return ktrace_tracefile_reserve(log->tf, log->slots ? LOG_END_SIZE + log->slot_nr * slot
							    : LOG_END_SIZE);
}

/* Writes the initial META of a log, and its stream. */
static int put_begin(struct posix_log *log)
{
	int ret;

	ktrace_posix_meta_attr(&log->text, &log->attr);
	if (!log->is_bounded)
		say_stream(log);
	ret = -ktrace_posix_log_clock(log, &log->origin.now);
	if (!ret && log->is_bounded)
		ret = say_streams(log);
	log->content_at = ktrace_tracefile_size(log->tf);
	return ret ? ret : take_room(log);
}

static bool has_content(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size;
}

/* Continues the log in the file. On failure the file stays unchanged. */
static int begin_again(struct posix_log *log)
{
	__u64 end, none = 0;
	int ret = ktrace_posix_log_extend(log);

	if (ret)
		return ret;
	end = ktrace_tracefile_size(log->tf);
	ret = put_begin(log);
	if (ret && ktrace_tracefile_size(log->tf) > end)
		ktrace_tracefile_cut(log->tf, end, &none);
	return -ret;
}

/* Returns 0 or errno. */
static int begin(struct posix_log *log)
{
	int ret;

	if (log->attr.log_policy == POSIX_TRACE_APPEND && has_content(log->fd))
		return begin_again(log);
	ret = ktrace_tracefile_create_fd(log->fd, &log->tf);
	if (ret)
		return ret == -EBUSY ? EINVAL : -ret;
	ktrace_posix_meta_begin(&log->text, &log->origin);
	ktrace_posix_meta_system(&log->text);
	ret = put_begin(log);
	if (ret) {	/* without a stream there is no log */
		ktrace_tracefile_abandon(log->tf);
		log->tf = NULL;
	}
	return -ret;
}

/* Clears O_APPEND, which would write everything at the end of the file. */
static void take_append_off(struct posix_log *log)
{
	int flags = fcntl(log->fd, F_GETFL);

	log->flags = -1;
	if (flags >= 0 && flags & O_APPEND && !fcntl(log->fd, F_SETFL, flags & ~O_APPEND))
		log->flags = flags;
}

/* Frees the log; @tf has been closed or is NULL. */
static void free_log(struct posix_log *log)
{
	if (log->flags >= 0)
		fcntl(log->fd, F_SETFL, log->flags);
	if (log->fd >= 0)
		close(log->fd);
	ktrace_posix_log_free_names(log);
	ktrace_text_free(&log->text);
	free(log->slots);
	free(log->block);
	free(log);
}

int ktrace_posix_log_open(int fd, const struct posix_attr *attr,
			  const struct posix_log_origin *origin, struct posix_log **out)
{
	struct posix_log *log;
	int ret = ktrace_posix_log_check(fd, attr->log_policy);

	if (ret)
		return ret;
	log = calloc(1, sizeof(*log));
	if (!log)
		return ENOMEM;
	log->attr = *attr;
	log->origin = *origin;
	log->is_bounded = attr->log_policy != POSIX_TRACE_APPEND;
	log->attr.log_size = ktrace_posix_log_size(attr);
	log->block_size = block_size_of(attr);
	log->slot_nr = slot_nr_of(attr);
	log->block = malloc(log->block_size);
	log->slots = log->is_bounded ? calloc(log->slot_nr, sizeof(*log->slots)) : NULL;
	log->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	take_append_off(log);
	if (!log->block || (log->is_bounded && !log->slots) || log->fd < 0)
		ret = ENOMEM;
	else
		ret = begin(log);
	if (ret) {
		ktrace_tracefile_close_part(log->tf);
		free_log(log);
		return ret;
	}
	*out = log;
	return 0;
}

int ktrace_posix_log_clear(struct posix_log *log)
{
	__u64 cleared = 0;
	int ret;

	log->state.is_overrun = false;
	log->state.error = 0;
	if (!log->is_bounded)
		return 0;
	ret = ktrace_tracefile_size(log->tf) > log->content_at ?
	      ktrace_tracefile_cut(log->tf, log->content_at, &cleared) : 0;
	if (ret)
		return ktrace_posix_log_note(log, ret);
	log->slot = 0;
	log->slot_used = 0;
	log->used = 0;
	log->written = 0;
	log->records = 0;
	log->is_dirty = false;
	log->state = (struct posix_log_status){ 0 };
	ret = ktrace_posix_log_say_names(log);
	return ktrace_posix_log_note(log, ret ? ret : take_room(log));
}

void ktrace_posix_log_status(struct posix_log *log, struct posix_log_status *out, bool resets)
{
	*out = log->state;
	if (!resets)
		return;
	log->state.is_overrun = false;
	log->state.error = 0;
}

/* Counts the events of a block that could not be written completely. */
static void give_up_block(struct posix_log *log)
{
	bool is_part = log->is_bounded && log->slot < log->slot_used &&
		       log->slots[log->slot].stream == log->stream;

	log->state.unwritten += log->records - (is_part ? log->slots[log->slot].records : 0);
	log->state.is_overrun = true;
}

int ktrace_posix_log_close(struct posix_log *log, const struct posix_trace_status_info *status,
			   const struct ktrace_reading *now)
{
	struct posix_log_status known;
	int first, ret;

	if (!log)
		return 0;
	known = log->state;
	first = write_block(log);
	if (first)
		give_up_block(log);
	ktrace_posix_log_note(log, first);
	ktrace_posix_log_clock(log, now);
	ktrace_posix_log_put_readings(log);
	ret = ktrace_posix_log_put_end(log, &known, status);
	first = first ? first : ret;
	ret = ktrace_tracefile_close(log->tf);
	first = first ? first : ret;
	free_log(log);
	return -first;
}
