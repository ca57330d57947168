// SPDX-License-Identifier: GPL-2.0
/* capture_file.c - the file of a capture: META that waits, and writes that fail */
#include "capture_file.h"

#include <errno.h>

#include "base/clock.h"
#include "base/lines.h"
#include "base/log.h"
#include "parts.h"
#include "room.h"

/* Time until the next attempt after a failed write */
#define RETRY_NS 10000000ull

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

int capture_flush_meta(struct capture *c)
{
	int error = c->meta.len ? capture_wrote(c, room_make(c, c->meta.len)) : 0;
	const size_t len = c->meta.len;

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
	if (!error)
		error = capture_wrote(c, ktrace_tracefile_meta(c->file, c->meta.buf, c->meta.len));
	if (!error && c->parts)
		parts_remember(c->parts, c->meta.buf, len);
	c->meta.len = error ? len : 0;
	if (!error) {
		c->meta_kept = 0;
		ktrace_registry_saved(c->session);
	} else if (len > META_PENDING_MAX + c->meta_kept) {
		give_up_meta(c);
	}
	return error;
}
