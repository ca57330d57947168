// SPDX-License-Identifier: GPL-2.0
/* room.c - limits the space that a recording takes: --max-size, --min-free */
#include "room.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "parts.h"

/* Approximate size of header, padding and META of a section */
#define SECTION_SIZE 256u

static const char *limit(int error)
{
	return error == -EFBIG ? "the recording has reached --max-size" :
	       "less than --min-free (default: 5 %, at most 1 GiB) would stay free";
}

int room_begin(__u64 min_free, const char *path, struct ktrace_tracefile *file)
{
	int error;

	ktrace_tracefile_limit(file, 0, min_free);
	error = ktrace_tracefile_room(file, SECTION_SIZE);
	if (error)
		log_error("%s: %s", path, limit(error));
	ktrace_tracefile_limit(file, 0, 0);
	return error;
}

void room_limit(struct capture *c)
{
	const __u64 kept = c->parts && c->max_size ? parts_kept(c->parts) : 0;
	const __u64 left = c->max_size > kept ? c->max_size - kept : 1;

	ktrace_tracefile_limit(c->file, c->max_size ? left : 0, c->min_free);
}

static int ask(struct capture *c, __u64 size)
{
	int error;

	capture_leave(c);
	error = ktrace_tracefile_room(c->file, size);
	capture_back(c);
	return error;
}

int room_make(struct capture *c, __u64 size)
{
	bool was_tight = c->is_tight;
	int error;

	while ((error = ask(c, size + SECTION_SIZE)) && c->parts) {
		if (parts_skip_shipped(c->parts)) {
			room_limit(c);
			continue;
		}
		if (!parts_drop(c->parts))
			break;
		c->is_tight = true;
		room_limit(c);
		/* Notes in the file which parts were removed. */
		parts_line(c->parts, &c->meta, c->parts->number, c->events);
	}
	if (c->is_tight && !was_tight)
		log_note("older parts are removed to make room (--max-size, --min-free)");
	c->is_limited = error;
	return error;
}

const char *room_error(const struct capture *c, int error)
{
	return c->is_limited ? limit(error) : strerror(-error);
}
