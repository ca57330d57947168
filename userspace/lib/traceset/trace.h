/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * trace.h - a trace and its streams, as the parts of the traceset see them
 *
 *   reader (tracefile/read.h)   sections of a file
 *   meta.c                      META text: streams, types, names, clock, facts
 *   trace.c                     opens a file, files its sections under their streams
 *   stream.c                    walks the records of a stream
 *   fragment.c                  puts fragments together
 *   lost.c                      names of reasons of loss
 *   merge.h                     smallest key first
 *   traceset.c, seek.c          the public interface
 */
#ifndef KTRACE_TRACESET_TRACE_H
#define KTRACE_TRACESET_TRACE_H

#include <ktrace/traceset.h>

#include "clock.h"
#include "names.h"
#include "ring/ring.h"
#include "tracefile/read.h"

#define ENTRY_LOST 1u	/* a LOST section */
#define ENTRY_BAD 2u	/* damaged, reported */
#define ENTRY_FLAGS 7u

/**
 * struct entry - one BLOCK or LOST section of a stream
 * @place:	offset in the file, ENTRY_* in the low bits
 * @max_raw:	largest stamp up to here, all earlier sections included
 */
struct entry {
	__u64 place;
	__u64 max_raw;
};

/* struct type_table - event types by id; types are never replaced */
struct type_table {
	struct ktrace_event_type **types;
	__u32 nr;
};

/* Payload of "ktrace:lost" */
struct lost_payload {
	__u32 reason;
	__u64 count;
} __attribute__((packed));

/**
 * struct stream - one stream being read
 * @pub:	what callers see
 * @trace:	its trace
 * @entries:	its sections, in file order
 * @entry_nr:	how many
 * @entry_cap:	room for so many
 * @next:	the section to load next
 * @buf:	body of the loaded section
 * @buf_size:	room for so many bytes
 * @body_off:	where in the file it comes from
 * @cur:	walks the loaded body
 * @rec:	the present event's header
 * @payload:	its payload
 * @time:	its time; valid if @has_event
 * @clock:	the stretch used last
 * @prev_raw:	stamp of the event before
 * @seen:	largest loss counts met
 * @lost_left:	reasons that are still to be delivered, a bit each
 * @lost_delta:	how many for each
 * @lost_out:	payload of the loss being delivered
 * @first_time:	time of the first event of the stream; valid if @has_first
 */
struct stream {
	struct ktrace_trace_stream pub;
	struct trace *trace;
	struct entry *entries;
	size_t entry_nr;
	size_t entry_cap;
	size_t next;
	char *buf;
	size_t buf_size;
	__u64 body_off;
	struct kt_cursor cur;
	struct ktrace_record rec;
	const char *payload;
	__u64 time;
	struct stretch clock;
	__u64 prev_raw;
	__u64 seen[KTRACE_LOST_NR];
	__u64 lost_delta[KTRACE_LOST_NR];
	__u32 lost_left;
	struct lost_payload lost_out;
	bool has_event;
	bool has_first;
	__u64 first_time;
};

#define FACTS_MAX 64u

/* struct fact - key=value of a META line trace, host or end */
struct fact {
	char *name;	/* "keyword.key" */
	char *value;
};

/**
 * struct trace - one file
 * @index:	number in the set
 * @reader:	the file
 * @streams:	ordered by id
 * @stream_nr:	how many
 * @types:	by enum ktrace_channel_kind
 * @names:	threads
 * @clock:	readings
 * @offset:	from CLOCK_MONOTONIC to time; valid if @has_offset
 * @facts:	what META says about trace, host and end
 * @fact_nr:	how many
 * @loads:	sections loaded for their events
 * @error:	-ENOMEM met where it could not be returned
 */
struct trace {
	size_t index;
	struct reader reader;
	struct stream **streams;
	size_t stream_nr;
	struct type_table types[2];
	struct names names;
	struct clock clock;
	__u64 offset;
	bool has_offset;
	struct fact facts[FACTS_MAX];
	size_t fact_nr;
	__u64 loads;
	int error;
};

/* meta.c */
void ktrace_meta_parse(struct trace *t, __u64 offset, char *text, size_t size);
const char *ktrace_meta_fact(const struct trace *t, const char *keyword, const char *key);

/* trace.c */
int ktrace_trace_open(const struct reader *settings, const char *path, struct trace **out);
void ktrace_trace_free(struct trace *t);
int ktrace_trace_grow(struct trace *t);
struct stream *ktrace_trace_get_stream(struct trace *t, __u32 id);

/* learn.c */
int ktrace_trace_learn(struct trace *t, const struct ktrace_trace_event *e);

/* syscall.c */
void ktrace_syscall_names(const struct trace *t, struct ktrace_event_type *type);

/* lost.c */
void ktrace_lost_of_writers(struct ktrace_lost *lost, const void *payload, size_t len);
int ktrace_lost_type(struct ktrace_event_type **out);

/* stream.c */
void ktrace_stream_free(struct stream *s);
int ktrace_stream_load(struct stream *s);
int ktrace_stream_next_slow(struct stream *s, int what);
void ktrace_stream_rewind(struct stream *s, size_t entry);
__u64 ktrace_stream_time(struct stream *s, __u64 raw);
void ktrace_stream_see_lost(struct stream *s, const struct ktrace_lost *lost);

/* seek.c */
int ktrace_stream_seek(struct stream *s, __u64 time);

/* Type of an event, NULL = not described. */
static inline const struct ktrace_event_type *find_type(const struct trace *t, __u32 kind,
							__u32 id)
{
	if (kind >= 2 || id >= t->types[kind].nr)
		return NULL;
	return t->types[kind].types[id];
}

/* Time of a stamp, by the stretch used last if it lies in it. */
static inline __u64 stream_time(struct stream *s, __u64 raw)
{
	if (kt_likely(stretch_has(&s->clock, raw)))
		return stretch_ns(&s->clock, raw);
	return ktrace_stream_time(s, raw);
}

/*
 * Goes to the next event of the stream.
 * Return: 1, 0 at the end, -ENOMEM.
 */
static inline int stream_next(struct stream *s)
{
	int what = KT_CURSOR_END;

	if (kt_likely(!s->lost_left)) {
		what = kt_cursor_next(&s->cur, &s->rec, &s->payload);
		if (kt_likely(what == KT_CURSOR_RECORD && s->rec.id >= KTRACE_ID_FIRST)) {
			s->time = stream_time(s, s->rec.ts);
			return 1;
		}
	}
	return ktrace_stream_next_slow(s, what);
}

#endif
