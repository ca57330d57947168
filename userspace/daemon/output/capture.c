// SPDX-License-Identifier: GPL-2.0
/*
 * capture.c - moves the content of the rings into the trace file
 *
 * Writes blocks directly from the ring, then gives them back to their writer. If the file cannot
 * take them (full disk, I/O error), empties the rings all the same and counts unwritten records
 * as lost: traced programs do not suffer, and the file goes on when writing works again. META
 * lines wait, and the blocks after them, too: lines of streams and events for as long as it takes,
 * others until they are too many.
 *
 * With --compress, blocks are compressed as long as no ring fills up; when one does, they are
 * written uncompressed until it has room again.
 *
 *   META (event names, stream lines) < LOST < BLOCK  order in the file, per stream
 */
#include "capture.h"

#include <errno.h>
#include <ktrace/nearest.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/lines.h"
#include "base/log.h"
#include "base/lost.h"
#include "context/context.h"
#include "events/select.h"
#include "forget.h"
#include "losses.h"
#include "meta.h"
#include "parts.h"
#include "rotation.h"
#include "summary.h"

/* Blocks of one stream in one drain: no stream may keep the loop to itself. */
#define BLOCKS_PER_DRAIN KTRACE_TRACEFILE_BLOCKS
/* Bytes that are checked, summed up and written at a time: they should stay in a cache. */
#define RUN_MAX (512u << 10)
/* While a ring is this full, or was at the last drain, blocks are not compressed. */
#define HURRY_EIGHTHS 3
/* Limit of registry entries in one drain */
#define ENTRIES_PER_DRAIN 1024
#define NAMES_MAX (64u << 10)
/* Limit of drains before a part ends on request: writers may be faster than ktraced. */
#define PART_DRAINS 64
#define PPM 1000000u

int capture_init(struct capture *c, struct ktrace_session *s, struct ktrace_tracefile *file,
		 const char *path)
{
	__u32 largest = 0;

	*c = (struct capture) {
		.session = s,
		.file = file,
		.path = path,
		.stream_nr = ktrace_stream_nr(s),
	};
	c->streams = calloc(c->stream_nr, sizeof(*c->streams));
	if (!c->streams)
		return -ENOMEM;
	for (__u32 i = 0; i < c->stream_nr; i++) {
		ktrace_stream_info(s, i, &c->streams[i].info);
		if (c->streams[i].info.block_size > largest)
			largest = c->streams[i].info.block_size;
	}
	c->copy = malloc(largest);
	return c->copy ? 0 : -ENOMEM;
}

void capture_share(struct capture *c, struct turn *turn)
{
	c->turn = turn;
	if (c->parts)
		c->parts->turn = turn;
}

void capture_resume(struct capture *c)
{
	for (__u32 i = 0; i < c->stream_nr; i++) {
		struct ktrace_tracefile_stream have = { 0 };
		struct ktrace_stream_taken taken;

		/*
		 * In an overwriting ring, the position of the tail does not tell what the ring
		 * still holds.
		 */
		if (!ktrace_tracefile_stream(c->file, i, &have) &&
		    c->streams[i].info.policy != KTRACE_POLICY_OVERWRITE)
			continue;
		taken = (struct ktrace_stream_taken) {
			.pos = have.pos,
			.records = have.records + have.lost.count[KTRACE_LOST_OVERWRITTEN] +
				   have.lost.count[KTRACE_LOST_UNWRITTEN],
			.overwritten = have.lost.count[KTRACE_LOST_OVERWRITTEN],
		};
		ktrace_stream_resume(c->session, i, &taken);
		c->streams[i].reader_seen = losses_by_reader(&have.lost);
		c->streams[i].total_seen = lost_total(have.lost.count);
	}
}

static void announce(struct capture *c, __u32 i)
{
	if (c->streams[i].is_announced)
		return;
	c->streams[i].is_announced = true;
	meta_stream(&c->meta, i, &c->streams[i].info);
}

static int write_lost(struct capture *c, __u32 i, const struct ktrace_chunk *at,
		      const struct ktrace_lost *sum)
{
	struct capture_stream *st = &c->streams[i];
	__u64 total = lost_total(sum->count);
	__u64 newly = total > st->total_seen ? total - st->total_seen : 0;	/* if forged */
	int error;

	announce(c, i);
	error = capture_flush_meta(c);
	if (error)
		return error;
	capture_leave(c);
	error = ktrace_tracefile_lost(c->file, i, at->pos, at->first_ts, sum, newly);
	capture_back(c);
	if (capture_wrote(c, error))
		return error;
	st->total_seen = total;
	rotation_see_lost(c, i, sum);
	return 0;
}

/* Writes LOST if the reader or the file lost anything: that explains the gap before this chunk. */
static int report_gap(struct capture *c, __u32 i, const struct ktrace_chunk *at)
{
	struct capture_stream *st = &c->streams[i];
	struct ktrace_lost sum;
	__u64 reader;
	int error;

	ktrace_stream_lost(c->session, i, &sum);
	reader = losses_by_reader(&sum);
	if (reader == st->reader_seen)
		return 0;
	error = write_lost(c, i, at, &sum);
	if (!error)
		st->reader_seen = reader;
	return error;
}

static struct ktrace_tracefile_block block_of(__u32 i, const struct ktrace_chunk *chunk,
					      const char *data)
{
	return (struct ktrace_tracefile_block) {
		.stream = i,
		.records = chunk->records,
		.pos = chunk->pos,
		.first_ts = chunk->first_ts,
		.last_ts = chunk->last_ts,
		.data = data,
		.size = chunk->size,
	};
}

static int write_blocks(struct capture *c, const struct ktrace_tracefile_block *blocks, __u32 nr)
{
	int error;

	capture_leave(c);
	error = ktrace_tracefile_blocks(c->file, blocks, nr);
	capture_back(c);
	return error;
}

/* Writes what must precede a chunk in the file. */
static int write_before(struct capture *c, __u32 i, const struct ktrace_chunk *chunk)
{
	int error;

	if (capture_must_wait(c))
		return c->write_error;
	rotation_before(c);
	announce(c, i);
	error = capture_wrote(c, rotation_make_room(c, chunk->size));
	if (!error)
		error = capture_flush_meta(c);
	return error ? error : report_gap(c, i, chunk);
}

static int write_block(struct capture *c, __u32 i, const struct ktrace_chunk *chunk,
		       const char *data)
{
	const struct ktrace_tracefile_block block = block_of(i, chunk, data);
	int error = write_before(c, i, chunk);

	if (error)
		return error;
	error = write_blocks(c, &block, 1);
	if (!error) {
		capture_wrote_block(c);
		rotation_see(c, i, chunk, data);
	} else if (error != -EFAULT) {	/* the ring's memory was truncated: no error of the file */
		capture_wrote(c, error);
	}
	return error;
}

/* False for forged blocks of which only the header is valid: they are counted, but not written. */
static bool is_worth_writing(const struct ktrace_chunk *chunk)
{
	return chunk->size && (chunk->records || !chunk->corrupt);
}

/*
 * Returns false if the chunk was overwritten meanwhile and must be read again, or if it must be
 * kept but could not be written.
 */
static bool take(struct capture *c, __u32 i, const struct ktrace_chunk *chunk)
{
	const char *data = chunk->data;

	if (c->streams[i].info.policy == KTRACE_POLICY_OVERWRITE) {
		memcpy(c->copy, data, chunk->size);
		data = c->copy;
		if (!ktrace_stream_still_valid(c->session, i, chunk))
			return false;
	}
	if (!is_worth_writing(chunk) || !write_block(c, i, chunk, data))
		c->events += chunk->records;
	else if (c->must_keep)
		return false;
	else
		ktrace_stream_unwritten(c->session, i, chunk->records);
	ktrace_stream_advance(c->session, i, chunk);
	return true;
}

/* Writes full, regular blocks together. Return: the number of blocks taken. */
static __u32 take_together(struct capture *c, __u32 i)
{
	const __u32 fit = RUN_MAX / c->streams[i].info.block_size;
	struct ktrace_tracefile_block blocks[BLOCKS_PER_DRAIN];
	struct ktrace_chunk chunks[BLOCKS_PER_DRAIN];
	__u32 nr = ktrace_stream_peek_blocks(c->session, i, fit < BLOCKS_PER_DRAIN ? fit
					     : BLOCKS_PER_DRAIN, chunks);

	if (!nr || write_before(c, i, &chunks[0]))
		return 0;
	for (__u32 n = 0; n < nr; n++)
		blocks[n] = block_of(i, &chunks[n], chunks[n].data);
	/* If this fails, writing a single block fails, too, and take() handles that. */
	if (write_blocks(c, blocks, nr))
		return 0;
	capture_wrote_block(c);
	for (__u32 n = 0; n < nr; n++) {
		c->events += chunks[n].records;
		rotation_see(c, i, &chunks[n], chunks[n].data);
		ktrace_stream_advance(c->session, i, &chunks[n]);
	}
	return nr;
}

static bool drain_stream(struct capture *c, __u32 i, bool partial)
{
	struct ktrace_chunk chunk;
	__u32 taken, n = 0;

	do {
		taken = take_together(c, i);
		n += taken;
	} while (taken && n < BLOCKS_PER_DRAIN);
	for (; n < BLOCKS_PER_DRAIN; n++) {
		if (!ktrace_stream_peek(c->session, i, partial, &chunk))
			return false;
		take(c, i, &chunk);
	}
	return true;
}

/* Keeps a name as a suggestion for mistyped ones; stops when there are too many. */
static void keep_name(struct capture *c, const char *text)
{
	char name[KTRACE_NEAREST_MAX];

	if (c->names.len > NAMES_MAX)
		return;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, "{"), text);
	ktrace_text_line(&c->names, name);
}

static void take_note(struct capture *c, const struct ktrace_entry_copy *entry)
{
	if (c->parts && (entry->type == KTRACE_ENTRY_PROCESS || entry->type == KTRACE_ENTRY_MAP))
		parts_attached(c->parts, entry->pid);
	c->is_attached |= entry->type == KTRACE_ENTRY_PROCESS;
	absent_noted(&c->absent, entry);
	ended_see(&c->ended, entry);
	if (entry->type != KTRACE_ENTRY_EVENT || !c->unmet || !*c->unmet)
		return;
	select_cross_off(c->unmet, entry->text);
	keep_name(c, entry->text);
}

/* Takes names before the events that need them; returns false if there are more. */
static bool take_registry(struct capture *c)
{
	static struct ktrace_entry_copy entry;

	for (int n = 0; n < ENTRIES_PER_DRAIN; n++) {
		int ret = ktrace_registry_next(c->session, &entry);

		if (!ret)
			return true;
		if (ret == -EAGAIN)
			continue;
		if (ret < 0) {
			log_error("the session's registry is damaged: names may be missing");
			return true;
		}
		meta_entry(&c->meta, &entry);
		take_note(c, &entry);
	}
	return false;
}

/* Compressing takes several times as long as writing, so it pauses while a ring might fill up. */
static void choose_level(struct capture *c, unsigned int eighths)
{
	bool is_hurried = eighths >= HURRY_EIGHTHS || c->eighths >= HURRY_EIGHTHS;

	if (c->level)
		ktrace_tracefile_compress(c->file, is_hurried ? 0 : c->level);
}

static bool is_stuck(const struct capture *c)
{
	return c->must_keep && c->write_error;
}

/* Takes all that was published at the start; bounded, as a hostile writer can go on forever. */
static void empty_stream(struct capture *c, __u32 i)
{
	__u64 left = ktrace_stream_unread(c->session, i);
	__u64 budget = 2 * (left / c->streams[i].info.block_size + 2);
	struct ktrace_chunk chunk;

	while (left && budget-- && !is_stuck(c) &&
	       ktrace_stream_peek(c->session, i, true, &chunk)) {
		__u64 step = chunk.next_pos - chunk.pos;

		if (take(c, i, &chunk))
			left = step < left ? left - step : 0;
	}
}

/*
 * Writes all that was published so far, names included, to the current part, so that parts follow
 * each other in time. The next part begins with the next data. Overwriting rings wait for the end.
 */
static void end_part(struct capture *c)
{
	capture_forget(c);
	for (__u32 i = 0; i < c->stream_nr; i++)
		if (c->streams[i].info.policy != KTRACE_POLICY_OVERWRITE)
			empty_stream(c, i);
	take_registry(c);
	context_drain(c->context, c->session, &c->meta);
	c->parts->is_full = !c->write_error;
}

/* Frees or adds room for text about code that processes map, which is limited. */
static void make_room_for_code(struct capture *c)
{
	if (!context_is_short(c->context))
		return;
	if (c->parts)
		capture_forget(c);
	else
		context_written(c->context, ktrace_tracefile_size(c->file));
}

static void see_load(struct capture_load *load, const struct ktrace_stream *info, __u64 unread)
{
	const __u64 ppm = unread * PPM / info->size;

	if (ppm > load->max_ppm)
		load->max_ppm = ppm;
	if (info->is_thread)
		return;
	load->unread += unread;
	load->room += info->size;
}

bool capture_listen(struct capture *c)
{
	const bool has_all = take_registry(c);

	ended_follow(&c->ended, c->session, &c->meta);
	context_drain(c->context, c->session, &c->meta);
	return !has_all;
}

struct capture_fill capture_drain(struct capture *c, bool partial)
{
	struct capture_fill fill = { .more = capture_listen(c) };

	make_room_for_code(c);
	for (__u32 i = 0; i < c->stream_nr; i++) {
		const struct ktrace_stream *info = &c->streams[i].info;
		__u64 unread = ktrace_stream_unread(c->session, i);
		unsigned int eighths;

		if (info->policy == KTRACE_POLICY_OVERWRITE)
			continue;
		see_load(&c->load, info, unread);
		if (!unread)
			continue;
		eighths = (unsigned int)(unread * 8 / info->size);
		if (eighths > fill.eighths)
			fill.eighths = eighths;
		choose_level(c, fill.eighths);
		if (drain_stream(c, i, partial))
			fill.more = true;
	}
	c->eighths = fill.eighths;
	c->load.rounds++;
	if ((partial || c->meta.len > META_PENDING_MAX / 64) && !capture_must_wait(c))
		capture_flush_meta(c);
	if (rotation_is_due(c))
		end_part(c);
	return fill;
}

void capture_next_part(struct capture *c)
{
	struct capture_fill fill = { .more = true };

	capture_forget(c);
	for (int i = 0; i < PART_DRAINS && fill.more; i++)
		fill = capture_drain(c, true);
	if (!c->write_error)
		rotation_change(c);
}

unsigned int capture_fill_percent(const struct capture *c)
{
	__u64 fullest = 0;

	for (__u32 i = 0; i < c->stream_nr; i++) {
		const __u64 size = c->streams[i].info.size;
		const __u64 fill = size ? 100 * ktrace_stream_unread(c->session, i) / size : 0;

		if (c->streams[i].info.policy != KTRACE_POLICY_OVERWRITE && fill > fullest)
			fullest = fill;
	}
	return (unsigned int)fullest;
}

static void peek_next(struct capture *c, __u32 i)
{
	struct capture_stream *st = &c->streams[i];

	st->has_next = st->left && st->budget &&
		       ktrace_stream_peek(c->session, i, true, &st->next);
	st->budget -= st->has_next;
}

/* Returns the stream whose next chunk is the oldest; stream_nr if there is none. */
static __u32 oldest_stream(const struct capture *c)
{
	__u32 found = c->stream_nr;

	for (__u32 i = 0; i < c->stream_nr; i++)
		if (c->streams[i].has_next &&
		    (found == c->stream_nr ||
		     c->streams[i].next.first_ts < c->streams[found].next.first_ts))
			found = i;
	return found;
}

/* Empties all streams in order of time, so that their parts follow each other in time. */
static void empty_in_order(struct capture *c)
{
	__u32 i;

	for (i = 0; i < c->stream_nr; i++) {
		struct capture_stream *st = &c->streams[i];

		st->left = ktrace_stream_unread(c->session, i);
		st->budget = 2 * (st->left / st->info.block_size + 2);
		peek_next(c, i);
	}
	while ((i = oldest_stream(c)) < c->stream_nr && !is_stuck(c)) {
		struct capture_stream *st = &c->streams[i];
		__u64 step = st->next.next_pos - st->next.pos;

		if (rotation_is_due(c))
			rotation_change(c);
		if (take(c, i, &st->next))
			st->left = step < st->left ? st->left - step : 0;
		peek_next(c, i);
	}
}

static void finish_stream(struct capture *c, __u32 i)
{
	struct ktrace_chunk end = { 0 };
	struct ktrace_reading now;
	struct ktrace_lost sum;

	ktrace_stream_lost(c->session, i, &sum);
	if (!c->streams[i].is_announced && !lost_total(sum.count))
		return;
	ktrace_session_clock(c->session, &now);
	end.pos = ktrace_stream_pos(c->session, i);
	end.first_ts = now.raw;
	write_lost(c, i, &end, &sum);
}

void capture_finish(struct capture *c)
{
	static const struct timespec nap = { .tv_nsec = 2000000 };

	if (c->level)
		ktrace_tracefile_compress(c->file, c->level);
	if (c->context)
		context_finish(c->context, c->session, &c->meta);
	/* A writer that still found the event enabled may be storing its last record. */
	for (int pass = 0; pass < 2; pass++) {
		while (!take_registry(c))
			capture_flush_meta(c);
		for (__u32 i = 0; i < c->stream_nr && !c->parts; i++)
			empty_stream(c, i);
		if (c->parts)
			empty_in_order(c);
		if (!pass)
			nanosleep(&nap, NULL);
	}
	/* LOST sections must be written even beyond the size limit. */
	if (!is_stuck(c))
		ktrace_tracefile_limit(c->file, 0, 0);
	/* Comes last: these sections are stamped now, and all remaining blocks are older. */
	for (__u32 i = 0; i < c->stream_nr && !is_stuck(c); i++)
		finish_stream(c, i);
}

int capture_exit(struct capture *c)
{
	int error = capture_flush_meta(c), close_error = ktrace_tracefile_close(c->file);

	capture_free(c);
	return error ? error : close_error;
}

void capture_free(struct capture *c)
{
	ktrace_text_free(&c->meta);
	free(c->streams);
	free(c->copy);
	absent_free(&c->absent);
	ktrace_text_free(&c->names);
	ended_free(&c->ended);
	free(c->unmet);
}
