/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * trace.h - a trace and its streams, as the parts of the traceset see them
 *
 *   reader (tracefile/read.h)   sections of a file
 *   meta.c                      META text: streams, types, names, clock, facts
 *   correction.c                times by the clock of another host
 *   meta_ties.c, ties.c         META text that ties the clock to others
 *   trace.c                     opens a file, files its sections under their streams
 *   parts.c                     the files of a trace that is split into parts
 *   stream.c                    walks the records of a stream
 *   readahead.c                 loads the next sections on another core
 *   maps.c                      code of processes
 *   symbol_tables.c             other things that META says
 *   context.c                   what was recorded besides payloads
 *   fragment.c                  joins fragments
 *   lost.c                      names of events, flags, reasons of loss
 *   merge.c                     smallest key first
 *   seek.c                      moves a stream to a time
 *   stream_position.c           moves a stream to a record
 *   iterate.c                   the events of all streams
 *   position.c                  places of all streams, saved
 *   position_text.c             the same as text
 *   until.c                     reads up to a limit
 *   hooks.c, search.c           functions called for events; a number of events forward or back
 *   reread.c                    reads all of it once more
 *   request.c                   parts for several viewers in one pass
 *   traceset.c                  the files, and what is known about them
 *   state.h                     on top of it all: what threads and CPUs were doing
 *   statistics.c                counts and times of that
 */
#ifndef KTRACE_TRACESET_TRACE_H
#define KTRACE_TRACESET_TRACE_H

#include <ktrace/traceset.h>
#include <linux/ktrace_events.h>
#include <string.h>

#include "clock.h"
#include "correction.h"
#include "maps.h"
#include "names.h"
#include "ring/ring.h"
#include "symbol_tables.h"
#include "ties.h"
#include "tracefile/read.h"
#include "tracefile/section.h"

#define ENTRY_LOST 1u	/* a LOST section */
#define ENTRY_BAD 2u	/* damaged, reported */
#define ENTRY_FLAGS 7u

/**
 * struct entry - one BLOCK or LOST section of a stream
 * @place:	offset in the file, ENTRY_* in the low bits
 * @max_raw:	largest stamp up to here, all earlier sections included
 * @room:	bytes up to the next section, saturated: no more are read
 */
struct entry {
	__u64 place;
	__u64 max_raw;
	__u32 room;
};

/* struct type_table - event types by id; types are never replaced */
struct type_table {
	struct ktrace_event_type **types;
	__u32 nr;
};

/* With many streams, their blocks are not in the nearest cache: prefetch this far ahead. */
#define PREFETCH 512

/* Payload of "ktrace:lost" */
struct lost_payload {
	__u32 reason;
	__u64 count;
} __attribute__((packed));

/**
 * struct stream_event - an event of a stream; each member is stored and loaded by itself
 * @ts:		as in struct ktrace_record, like the next three
 * @time:	ns since the epoch
 * @payload:	@len bytes
 */
struct stream_event {
	__u64 ts;
	__u32 tid_flags;
	__u16 id;
	__u16 len;
	__u64 time;
	const char *payload;
};

#define END_UNKNOWN ~0ull

/* struct gap - records are missing between two stamps; no gap if @behind is 0 */
struct gap {
	__u64 before;
	__u64 behind;
};

/**
 * struct stream - one stream being read
 * @pub:	the part that callers see
 * @trace:	its trace
 * @lane:	sections loaded ahead, NULL = none yet
 * @entries:	its sections, in file order
 * @entry_nr:	number of sections
 * @entry_cap:	room in @entries
 * @next:	the section to load next
 * @loaded:	the loaded section
 * @cur:	walks the loaded body
 * @now:	the current event; valid if @has_event
 * @clock:	the stretch used last, cached
 * @prev_raw:	stamp of the previous event
 * @skipped_raw: stamp of the latest event that was skipped
 * @before_raw:	after a seek: the last stamp of the section before
 * @end_pos:	position in the ring where the BLOCK section read last ended, 0 = none yet,
 *		END_UNKNOWN = it could not be read
 * @gap:	the latest place where blocks are missing
 * @back:	by how much a block begins below the stamps before it, or ends below its begin, at
 *		most
 * @is_left_out: has nothing that is wanted, see skip.c
 * @is_torn:	there has been a gap since the trace was opened
 * @next_torn:	next stream in the list of those with a gap
 * @opening:	offset in the loaded body of its first possible event
 * @sought:	section that the last seek went to
 * @sought_raw:	stamp of the first event there, the largest if there is none
 * @seen:	largest loss counts so far
 * @lost_left:	reasons still to be delivered, a bit each
 * @lost_nr:	number of reasons in the notice that the losses are from
 * @lost_off:	offset in the body of the notice, 0 for a LOST section
 * @lost_delta:	losses for each reason
 * @lost_out:	payload of the loss being delivered
 * @base_lost:	counts of losses before the first part present
 * @has_unknown_lost: losses of unknown reasons were reported
 * @first_time:	time of the first event of the stream; valid if @has_first
 */
struct stream {
	struct ktrace_trace_stream pub;
	struct trace *trace;
	struct lane *lane;
	struct entry *entries;
	size_t entry_nr;
	size_t entry_cap;
	size_t next;
	struct section_buf loaded;
	struct kt_cursor cur;
	struct stream_event now;
	struct stretch clock;
	__u64 prev_raw;
	__u64 skipped_raw;
	__u64 before_raw;
	__u64 end_pos;
	struct gap gap;
	__u64 back;
	bool is_left_out;
	bool is_torn;
	struct stream *next_torn;
	__u32 opening;
	size_t sought;
	__u64 sought_raw;
	__u64 seen[KTRACE_LOST_NR];
	__u64 base_lost[KTRACE_LOST_NR];
	__u64 lost_delta[KTRACE_LOST_NR];
	__u32 lost_left;
	__u32 lost_nr;
	__u32 lost_off;
	struct lost_payload lost_out;
	bool has_unknown_lost;
	bool has_event;
	bool has_first;
	__u64 first_time;
};

#define FACTS_MAX 64u

/* struct chosen - a META line choice; NULL = that key is missing */
struct chosen {
	__u64 raw;
	char *levels;
	char *events;
	char *filters;
	char *where;
};

/* struct fact - key=value of a META line trace, host or end */
struct fact {
	char *name;	/* "keyword.key" */
	char *value;
};

/* struct counts_at - a COUNTS section, which ends at @end at the latest */
struct counts_at {
	__u64 offset;
	__u64 end;
};

/**
 * struct trace - one file, or the parts of a recording that is split
 * @index:	number in the set
 * @parts:	the files, in order of their numbers; a single one is whole or a part
 * @part_nr:	how many
 * @is_lent:	parts, sections of streams, types, readings and facts are another trace's, see
 *		reread.c
 * @is_repeated: the META being read repeats the part before, where it was taken in
 * @has_bad_meta: some META was damaged: repetitions are taken in, too
 * @ahead:	loads sections ahead, NULL = none
 * @streams:	ordered by id, except while sections are being added
 * @stream_nr:	how many
 * @used_nr:	how many of them have sections
 * @stream_cap:	room for so many
 * @is_unordered: they are not ordered yet
 * @listed:	the same streams, searchable by number
 * @torn:	list of streams that had a gap, as far as they were read
 * @types:	by enum ktrace_channel_kind
 * @names:	threads
 * @maps:	code of processes
 * @ids:	of other pid namespaces
 * @ids_nr:	how many
 * @ids_cap:	room for so many
 * @processes:	what META says about processes
 * @process_nr:	how many
 * @process_cap: room for so many
 * @stacks:	by number
 * @codes:	code of frames of stacks, by number
 * @cgroups:	by id
 * @symbols:	functions of the kernel, by address
 * @images:	the kernel and its modules; their addresses never change
 * @image_nr:	how many
 * @clock:	readings
 * @correction:	replaces @clock and @offset if it has knots
 * @learns_nothing: names of threads are of no interest
 * @interest:	by id of an event of the kernel, see skip.c
 * @interest_nr: ids known there
 * @has_new_clock: streams may have cached stretches that new readings have changed
 * @offset:	from CLOCK_MONOTONIC to time; valid if @has_offset
 * @facts:	what META says about trace, host and end
 * @fact_nr:	how many
 * @choices:	META lines choice, in the order of the file
 * @choice_nr:	how many
 * @ties:	what META says about other clocks
 * @counts:	COUNTS sections
 * @counts_nr:	how many
 * @records:	sum of the records of BLOCK sections
 * @has_lost:	a LOST section reports new losses
 * @loads:	sections loaded for their events
 * @error:	-ENOMEM from where it could not be returned
 */
struct trace {
	size_t index;
	struct reader *parts;
	size_t part_nr;
	bool is_lent;
	bool is_repeated;
	bool has_bad_meta;
	struct ahead *ahead;
	struct stream **streams;
	size_t stream_nr;
	size_t used_nr;
	size_t stream_cap;
	bool is_unordered;
	void *listed;
	struct stream *torn;
	struct type_table types[2];
	struct names names;
	struct maps maps;
	struct ktrace_trace_ids *ids;
	size_t ids_nr;
	size_t ids_cap;
	struct ktrace_trace_process *processes;
	size_t process_nr;
	size_t process_cap;
	struct symbol_table stacks;
	struct symbol_table codes;
	struct symbol_table cgroups;
	struct symbol_table symbols;
	struct ktrace_kernel_image **images;
	size_t image_nr;
	struct clock clock;
	struct correction correction;
	bool learns_nothing;
	__u8 *interest;
	size_t interest_nr;
	bool has_new_clock;
	__u64 offset;
	bool has_offset;
	struct fact facts[FACTS_MAX];
	size_t fact_nr;
	struct chosen *choices;
	size_t choice_nr;
	struct ties ties;
	struct counts_at *counts;
	size_t counts_nr;
	__u64 records;
	bool has_lost;
	__u64 loads;
	int error;
};

/* meta.c */
void ktrace_meta_parse(struct trace *t, __u64 offset, char *text, size_t size);
const char *ktrace_meta_fact(const struct trace *t, const char *keyword, const char *key);

/* trace.c */
int ktrace_trace_load(struct trace *t, struct reader *part);
void ktrace_trace_empty(struct trace *t);
void ktrace_trace_free(struct trace *t);
int ktrace_trace_grow(struct trace *t);
struct stream *ktrace_trace_find_stream(const struct trace *t, __u32 id);
struct stream *ktrace_trace_get_stream(struct trace *t, __u32 id);

/* trace.c: loads a section that is not kept. Return: 0 and @body, to be freed, or -errno. */
int ktrace_trace_load_once(const struct trace *t, __u64 offset, __u64 end,
			   struct ktrace_section *s, char **body);

/* parts.c */
int ktrace_trace_new(const struct reader *file, struct trace **out);
int ktrace_trace_add_part(struct trace *t, const struct reader *file);
bool ktrace_trace_has_part(const struct trace *t, const struct reader *file);
const struct reader *ktrace_trace_part_at(const struct trace *t, __u64 offset);

/* reread.c */
void ktrace_trace_free_lent(struct trace *t);

/* thread_tracking.c */
int ktrace_trace_learn(struct trace *t, const struct ktrace_trace_event *e);

/* lost.c */
void ktrace_lost_of_writers(struct ktrace_lost *lost, const void *payload, size_t len);
int ktrace_lost_type(struct ktrace_event_type **out);

/* stream.c */
void ktrace_stream_free(struct stream *s);
int ktrace_stream_load(struct stream *s);
int ktrace_stream_next_slow(struct stream *s);
void ktrace_stream_rewind(struct stream *s, size_t entry);
/* Sets the place where blocks are missing, which has_gap() in fragment.c finds; all 0: nowhere. */
void ktrace_stream_set_gap(struct stream *s, struct gap gap);
__u64 ktrace_stream_time(struct stream *s, __u64 raw);
void ktrace_stream_see_lost(struct stream *s, const struct ktrace_lost *lost);

/* iterate.c */
/*
 * Before the first event is read: ktrace_set_next_wanted() will deliver events of the kernel whose
 * type is wanted only, and what is not plain: losses, stamps that go back, fragments. Of streams
 * of programs, and of those that say that they have no such event, only the first event and the
 * last section are read, unless stamps go back from block to block. No names are learnt.
 */
void ktrace_set_only(struct ktrace_traceset *set,
		     bool (*wants)(const struct ktrace_event_type *type));
/* The next of these events; returns as ktrace_traceset_next(). */
int ktrace_set_next_wanted(struct ktrace_traceset *set, struct ktrace_trace_event *event);

/* reread.c */
/*
 * Like ktrace_traceset_reopen(), but knows of the files what @set does, without memory for that.
 * @set must not be read or changed until @out is closed.
 */
int ktrace_set_reread(const struct ktrace_traceset *set, struct ktrace_traceset **out);

/* skip.c */
/* Finds the streams without events of interest: what a closed file says of its events is used. */
void ktrace_trace_leave_out(struct trace *t, bool (*wants)(const struct ktrace_event_type *type));
/* Goes to the next event that is wanted or not plain. Returns 1, 0, -ENOMEM. */
int ktrace_stream_next_wanted(struct stream *s,
			      bool (*wants)(const struct ktrace_event_type *type));

/* seek.c */
/* An event that began more sections than this before the target comes without its start. */
#define SECTIONS_BACK 1024u

int ktrace_stream_seek(struct stream *s, __u64 time, bool sees_gap);

/* Returns the file that contains a section. */
static inline const struct reader *trace_reader(const struct trace *t, __u64 offset)
{
	return t->part_nr == 1 ? t->parts : ktrace_trace_part_at(t, offset);
}

static inline void trace_report(const struct trace *t, __u64 offset, const char *message)
{
	ktrace_reader_report(trace_reader(t, offset), offset, message);
}

/* Sets @offset, which is added to the ns of the stretch with @raw. NULL: there are only stamps. */
static inline const struct segment *trace_segment(const struct trace *t, __u64 raw, __u64 *offset)
{
	const bool is_corrected = t->correction.clock.nr;

	*offset = is_corrected ? 0 : t->offset;
	return ktrace_clock_segment(is_corrected ? &t->correction.clock : &t->clock, raw);
}

/* Returns the latest part: only it can have more events than were found. */
static inline struct reader *trace_last(const struct trace *t)
{
	return &t->parts[t->part_nr - 1];
}

/* Returns the offset of a section in the file. */
static inline __u64 entry_offset(const struct entry *e)
{
	return e->place & ~(__u64)ENTRY_FLAGS;
}

/* Returns the offset that a section must not exceed. */
static inline __u64 entry_end(const struct entry *e)
{
	return entry_offset(e) + e->room;
}

/* Returns the offset in the loaded body of the current event, which must not be a loss. */
static inline __u32 stream_now_off(const struct stream *s)
{
	return (__u32)(s->now.payload - s->cur.base) - (__u32)sizeof(struct ktrace_record);
}

/* Returns the event types of one kind of stream. */
static inline struct type_table types_of(const struct trace *t, __u32 kind)
{
	return kind < 2 ? t->types[kind] : (struct type_table){ 0 };
}

/* Returns the type of an event, NULL = not described. */
static inline const struct ktrace_event_type *type_of(const struct type_table *types, __u32 id)
{
	return id < types->nr ? types->types[id] : NULL;
}

/* Returns the time of a stamp, by the stretch used last if that contains it. */
static inline __u64 stream_time(struct stream *s, __u64 raw)
{
	if (kt_likely(stretch_has(&s->clock, raw)))
		return stretch_ns(&s->clock, raw);
	return ktrace_stream_time(s, raw);
}

/* True if events of the stream may carry names of threads, see thread_tracking.c. */
static inline bool stream_may_teach(const struct stream *s)
{
	return s->pub.kind == KTRACE_CHANNEL_KERNEL && !s->trace->learns_nothing;
}

static inline bool event_teaches(__u32 id)
{
	return id - KTRACE_EV_SCHED_SWITCH <= KTRACE_EV_SCHED_COMM - KTRACE_EV_SCHED_SWITCH;
}

/* Reads the record at @at if it is whole and an event. There are @room bytes. */
static inline bool record_at(const char *at, long room, struct stream_event *r)
{
	struct ktrace_record rec;

	if (kt_unlikely(room < (long)sizeof(rec)))
		return false;
	memcpy(&rec, at, sizeof(rec));
	if (kt_unlikely(rec.id < KTRACE_ID_FIRST || (long)KTRACE_RECORD_SIZE(rec.len) > room))
		return false;
	r->ts = rec.ts;
	r->tid_flags = rec.tid_flags;
	r->id = rec.id;
	r->len = rec.len;
	r->payload = at + sizeof(rec);
	__builtin_prefetch(at + PREFETCH);
	return true;
}

/* Goes to the next event of the stream if it is loaded and nothing else precedes it. */
static inline bool stream_step(struct stream *s)
{
	struct stream_event next;

	if (kt_unlikely(s->lost_left || s->cur.off == s->cur.end) ||	/* then maybe no base */
	    !record_at(s->cur.base + s->cur.off, (long)(s->cur.end - s->cur.off), &next))
		return false;
	next.time = stream_time(s, next.ts);
	s->cur.off += KTRACE_RECORD_SIZE(next.len);
	s->now = next;
	return true;
}

/* Goes to the next event of the stream. Returns 1, 0 at the end, -ENOMEM. */
static inline int stream_next(struct stream *s)
{
	return kt_likely(stream_step(s)) ? 1 : ktrace_stream_next_slow(s);
}

#endif
