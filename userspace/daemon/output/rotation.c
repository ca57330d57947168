// SPDX-License-Identifier: GPL-2.0
/*
 * rotation.c - a recording goes on in the next file
 *
 *   1. create the next file under another name: header, META with all known facts, "part" line
 *   2. rename it
 *   3. name it in the session's note
 *   4. write index and end mark of the old file
 *   5. remove the oldest files
 *
 * So there is always a complete file to go on with, and wherever ktraced is killed, --recover
 * completes the file that the note names, or the one after it. Between 1 and 4 nothing
 * is read from the rings, so that each section is in one part. Writers are not affected.
 */
#include "rotation.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "meta.h"
#include "parts.h"
#include "recovery_note.h"
#include "room.h"

/* Time until the next attempt after a part could not be created */
#define RETRY_NS 1000000000ull
/* Approximate size of the end of a part */
#define END_SIZE (16u << 10)

bool rotation_is_due(const struct capture *c)
{
	return c->parts && !c->parts->is_full && !c->write_error &&
	       parts_is_due(c->parts, ktrace_tracefile_size(c->file) - c->parts->begin_bytes);
}

void rotation_see_lost(struct capture *c, __u32 i, const struct ktrace_lost *sum)
{
	struct ktrace_lost *told = &c->streams[i].told;

	for (int k = 0; k < KTRACE_LOST_NR; k++)
		if (sum->count[k] > told->count[k])
			told->count[k] = sum->count[k];
}

/* Takes losses that writers report at the start of a block, except those the reader counts. */
static void see_opening(struct capture *c, __u32 i, const struct ktrace_chunk *chunk,
			const char *data)
{
	const size_t own = offsetof(struct ktrace_lost, count[KTRACE_LOST_OVERWRITTEN]);
	struct ktrace_lost lost = { 0 };
	struct ktrace_record rec;

	if (chunk->pos % c->streams[i].info.block_size ||
	    chunk->size < sizeof(struct ktrace_block) + sizeof(rec) + own)
		return;
	data += sizeof(struct ktrace_block);
	memcpy(&rec, data, sizeof(rec));
	if (rec.id != KTRACE_ID_LOST)
		return;
	memcpy(&lost, data + sizeof(rec), rec.len < own ? rec.len : own);
	rotation_see_lost(c, i, &lost);
}

void rotation_see(struct capture *c, __u32 i, const struct ktrace_chunk *chunk, const char *data)
{
	struct capture_stream *st = &c->streams[i];

	if (!c->parts)
		return;
	c->parts->has_blocks = true;
	st->pos = chunk->pos + chunk->size;
	st->records += chunk->records;
	see_opening(c, i, chunk, data);
}

/* Adds the stream's position at the end of the parts before this one. */
static void put_stream(const struct capture *c, struct ktrace_text *t, __u32 i)
{
	const struct capture_stream *st = &c->streams[i];
	char counts[KTRACE_LOST_NR * 21], *at = counts;

	for (int k = 0; k < KTRACE_LOST_NR; k++)
		at += sprintf(at, "%s%llu", k ? "," : "", (unsigned long long)st->told.count[k]);
	meta_stream(t, i, &st->info);
	ktrace_text_u64(t, "pos", st->pos);
	ktrace_text_u64(t, "records", st->records);
	ktrace_text_str(t, "lost", counts);
}

static int write_facts(struct parts *p, struct ktrace_tracefile *file)
{
	size_t len = p->facts.len;
	int error = 0;

	if (len) {
		ktrace_text_line(&p->facts, "");
		error = p->facts.error ? p->facts.error
			: ktrace_tracefile_meta(file, p->facts.buf, p->facts.len);
		p->facts.len = len;
	}
	return error;
}

static int write_part_line(const struct capture *c, struct ktrace_tracefile *file, __u32 number)
{
	struct ktrace_text t = { 0 };
	int error;

	parts_line(c->parts, &t, number, c->events);
	error = ktrace_text_flush(&t, file);
	ktrace_text_free(&t);
	return error;
}

static int write_beginning(struct capture *c, struct ktrace_tracefile *file)
{
	struct parts *p = c->parts;
	struct ktrace_text t = { 0 };
	int error;

	ktrace_text_line(&t, p->begin.buf ? p->begin.buf : "");
	ktrace_text_line(&t, p->clocks.buf ? p->clocks.buf : "");
	ktrace_text_line(&t, p->sources.len ? p->sources.buf : "");
	for (__u32 i = 0; i < c->stream_nr; i++)
		if (c->streams[i].is_announced)
			put_stream(c, &t, i);
	error = p->begin.error ? p->begin.error : p->clocks.error;
	error = error ? error : p->sources.error;
	if (!error)
		error = ktrace_text_flush(&t, file);
	ktrace_text_free(&t);
	if (!error)
		error = write_facts(p, file);
	return error ? error : write_part_line(c, file, p->number + 1);
}

/* Creates the next file, complete with its beginning, and gives it its own name. */
static int make_next(struct capture *c, const char *path, struct ktrace_tracefile **out)
{
	char *name = parts_new_name(path);
	struct ktrace_tracefile *file;
	__u8 uuid[16];
	int error;

	if (!name)
		return -ENOMEM;
	ktrace_tracefile_uuid(c->file, uuid);
	error = ktrace_tracefile_create_part(name, c->parts->number + 1, uuid, &file);
	/* An earlier attempt may have left it, if the folder was moved when that ended. */
	if (error == -EEXIST && !parts_remove(name))
		error = ktrace_tracefile_create_part(name, c->parts->number + 1, uuid, &file);
	if (error)
		goto out_free;
	/* No limits: the beginning of this part replaces the end of the one before. */
	ktrace_tracefile_limit(file, 0, 0);
	error = c->mode ? ktrace_tracefile_mode(file, c->mode) : 0;
	if (!error)
		error = write_beginning(c, file);
	if (!error)
		error = parts_rename(name, path);
	if (!error) {
		*out = file;
	} else {
		ktrace_tracefile_close_part(file);
		unlink(name);
	}
out_free:
	free(name);
	return error;
}

/* Writes a reading of the clocks at the change, which both parts get. */
static int write_clocks(struct capture *c)
{
	int error = capture_flush_meta(c);
	struct ktrace_reading now;

	if (error)
		return error;
	ktrace_session_clock(c->session, &now);
	meta_clock(&c->meta, &now);
	return capture_flush_meta(c);
}

static void go_on_with(struct capture *c, char *path, struct ktrace_tracefile *file)
{
	struct ktrace_tracefile *ended = c->file;
	const __u64 before = ktrace_tracefile_size(ended);
	struct stat st;
	__u64 size = before;
	int error;

	recovery_note_change(c->session, path, file, c->parts->begin.buf);
	/* While this one is being closed, others see the next one, but the size of this one. */
	c->file = file;
	capture_leave_for(c, before);
	error = ktrace_tracefile_close_part(ended);
	/* The size with index and end mark, if the file has not been moved. */
	if (!stat(c->path, &st) && (__u64)st.st_size > size)
		size = (__u64)st.st_size;
	capture_back(c);
	if (error)
		log_error("%s: %s; the file can be read up to that point", c->path,
			  strerror(-error));
	parts_step(c->parts, path, c->events, size);
	c->path = path;
	c->parts->begin_bytes = ktrace_tracefile_size(file);
	room_limit(c);
	if (c->level)
		ktrace_tracefile_compress(file, c->level);
}

void rotation_change(struct capture *c)
{
	struct parts *p = c->parts;
	char *path = parts_name(p->output, p->number + 1);
	struct ktrace_tracefile *file;
	int error = path ? write_clocks(c) : -ENOMEM;

	if (parts_skip_shipped(p))
		room_limit(c);
	if (!error) {
		capture_leave(c);
		error = make_next(c, path, &file);
		capture_back(c);
	}
	if (!error) {
		go_on_with(c, path, file);
		return;
	}
	p->retry_ns = now_ns() + RETRY_NS;
	p->is_full = false;
	if (!p->was_told)
		log_error("%s: %s; recording continues in %s", path ? path : p->output,
			  strerror(-error), p->path);
	p->was_told = true;
	free(path);
}

/*
 * Ends the current part in the middle of the pending data, if no older part can be removed and it
 * is long enough: otherwise there would be no room for its end.
 */
static void end_part(struct capture *c, __u64 size)
{
	if (rotation_is_due(c) && c->parts->keep && c->parts->first == c->parts->number &&
	    ktrace_tracefile_room(c->file, size + c->meta.len + END_SIZE)) {
		/* Its end may use space that otherwise stays free. */
		ktrace_tracefile_limit(c->file, 0, 0);
		rotation_change(c);
		room_limit(c);
	}
}

int rotation_make_room(struct capture *c, __u64 size)
{
	end_part(c, size);
	return room_make(c, size);
}

void rotation_before(struct capture *c)
{
	if (c->parts && c->parts->is_full)
		rotation_change(c);
}

int rotation_begin(struct capture *c)
{
	return c->parts ? write_part_line(c, c->file, 1) : 0;
}
