// SPDX-License-Identifier: GPL-2.0
/* capture_file.c - the file of a capture: META that waits, and writes that fail */
#include "capture_file.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/lines.h"
#include "base/log.h"
#include "base/turn.h"
#include "parts.h"
#include "room.h"

/* Time until the next attempt after a failed write */
#define RETRY_NS 10000000ull

void capture_leave_for(struct capture *c, __u64 size)
{
	c->away_size = size;
	c->away_ns = now_ns();
	turn_give(c->turn);
}

void capture_leave(struct capture *c)
{
	capture_leave_for(c, ktrace_tracefile_size(c->file));
}

void capture_back(struct capture *c)
{
	turn_take(c->turn);
	c->away_ns = 0;
}

__u64 capture_away_ns(const struct capture *c)
{
	return c->away_ns || !c->parts ? c->away_ns : c->parts->away_ns;
}

__u64 capture_size(const struct capture *c)
{
	return c->away_ns ? c->away_size : ktrace_tracefile_size(c->file);
}

/* Reports an error the first time only: a disk can be nearly full for long. */
int capture_wrote(struct capture *c, int error)
{
	if (!error)
		return 0;
	if (!c->write_error && !c->was_told)
		log_error("cannot write to %s: %s%s", c->path, room_error(c, error),
			  c->must_keep ? "" : "; events are lost until writing works again");
	c->was_told = true;
	c->write_error = error;
	c->retry_ns = now_ns() + RETRY_NS;
	return error;
}

/* Small sections may fit where a block does not: only a block shows that writing works. */
void capture_wrote_block(struct capture *c)
{
	if (c->write_error && !c->was_told_again)
		log_note("writing to %s works again", c->path);
	c->was_told_again |= c->write_error;
	c->write_error = 0;
}

bool capture_must_wait(const struct capture *c)
{
	return c->write_error && now_ns() < c->retry_ns;
}

/* True for lines without which later data could not be read. */
static bool is_indispensable(const char *line, const void *unused)
{
	(void)unused;
	return line_is(line, "event") || line_is(line, "format") || line_is(line, "stream");
}

static void give_up_meta(struct capture *c)
{
	if (!c->meta_kept)
		log_error("%s: names of processes, threads and addresses that cannot be written "
			  "are dropped", c->path);
	lines_keep(&c->meta, is_indispensable, NULL);
	c->meta_kept = c->meta.len + 1;
}

/* Puts lines that could not be written before those that came meanwhile. */
static void put_back(struct capture *c, struct ktrace_text *old)
{
	struct ktrace_text newer = c->meta;

	c->meta = *old;
	if (newer.len)
		ktrace_text_line(&c->meta, newer.buf);
	if (c->meta.error || newer.error)
		log_error("%s: names of processes, threads and addresses are lost: %s", c->path,
			  strerror(ENOMEM));
	c->meta.error = 0;
	ktrace_text_free(&newer);
}

static int write_meta(struct capture *c, const struct ktrace_text *text)
{
	int error;

	capture_leave(c);
	error = ktrace_tracefile_meta(c->file, text->buf, text->len);
	capture_back(c);
	return error;
}

int capture_flush_meta(struct capture *c)
{
	int error = c->meta.len ? capture_wrote(c, room_make(c, c->meta.len)) : 0;
	const size_t len = c->meta.len;
	struct ktrace_text text;

	if (!len) {
		ktrace_registry_saved(c->session);
		return 0;
	}
	/* An empty keyword ends the last line. */
	ktrace_text_line(&c->meta, "");
	if (c->meta.error) {
		c->meta.error = 0;
		c->meta.len = len;
		return -ENOMEM;
	}
	text = c->meta;
	c->meta = (struct ktrace_text){ .buf = NULL };
	if (!error)
		error = capture_wrote(c, write_meta(c, &text));
	if (!error) {
		if (c->parts)
			parts_remember(c->parts, text.buf, len);
		ktrace_text_free(&text);
		c->meta_kept = 0;
		/* What was taken from the registry meanwhile is in @meta. */
		if (!c->meta.len)
			ktrace_registry_saved(c->session);
		return 0;
	}
	text.len = len;
	put_back(c, &text);
	if (c->meta.len > META_PENDING_MAX + c->meta_kept)
		give_up_meta(c);
	return error;
}
