// SPDX-License-Identifier: GPL-2.0
/* recording_status.c - how a recording goes */
#include "recording_status.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/clock.h"
#include "output/losses.h"
#include "output/parts.h"
#include "output/room.h"

#define PPM 1000000u

static __u64 bytes_so_far(const struct recording *r)
{
	return r->parts.bytes + capture_size(&r->capture);
}

/* A disk that hangs would not answer us, either. */
static bool may_look(const struct recording *r)
{
	return !capture_away_ns(&r->capture);
}

static void look_at_room(struct recording *r)
{
	struct disk_seen *seen = &r->seen;
	struct statvfs disk;

	if (seen->has_free && !may_look(r))
		return;
	seen->has_free = !statvfs(r->capture.path, &disk);
	if (seen->has_free)
		seen->free = (__u64)disk.f_bavail * disk.f_frsize;
}

void recording_status_get(struct recording *r, __u32 programs_max, struct recording_status *s)
{
	const struct capture *c = &r->capture;
	const __u64 away_ns = capture_away_ns(c);
	struct ktrace_holders holders = { .nr = 0 };

	*s = (struct recording_status){
		.ns = now_ns() - r->start_ns,
		.events = c->events,
		.bytes = bytes_so_far(r),
		.has_programs = !ktrace_session_holders(r->session, programs_max, &holders),
		.part = c->parts ? c->parts->number : 0,
		.disk_wait_ns = away_ns ? now_ns() - away_ns : 0,
		.error = c->write_error ? room_error(c, c->write_error) : NULL,
	};
	s->programs = holders.nr;
	losses_of(r->session, &s->lost);
	look_at_room(r);
	s->has_free = r->seen.has_free;
	s->free = r->seen.free;
}

const char *recording_file(struct recording *r)
{
	struct disk_seen *seen = &r->seen;
	const __u32 part = r->capture.parts ? r->parts.number : 0;

	if (may_look(r) || !seen->file) {
		free(seen->file);
		seen->file = realpath(r->capture.path, NULL);
		seen->part = part;
	}
	return seen->file && seen->part == part ? seen->file : r->capture.path;
}

/* Returns how long the oldest complete part has waited, by the time of its last change. */
static __u64 lag_ns(struct recording *r)
{
	const struct parts *p = &r->parts;
	const __u64 now = clock_ns(CLOCK_REALTIME);
	struct disk_seen *seen = &r->seen;
	struct stat st;
	char *name;

	if (p->first == p->number)
		return 0;
	if (seen->oldest != p->first && may_look(r)) {
		name = parts_name(p->output, p->first);
		seen->oldest = name && !stat(name, &st) ? p->first : 0;
		seen->oldest_ns = seen->oldest ? timespec_ns(&st.st_mtim) : 0;
		free(name);
	}
	return seen->oldest == p->first && now > seen->oldest_ns ? now - seen->oldest_ns : 0;
}

bool recording_waiting_get(struct recording *r, struct recording_waiting *w)
{
	struct parts *p = &r->parts;

	if (!r->options->ship.url)
		return false;
	/* The drainer may be removing one. */
	if (!r->drainer.is_busy && parts_skip_shipped(p))
		room_limit(&r->capture);
	*w = (struct recording_waiting){
		.parts = p->number - p->first,
		.has_bytes = !p->is_unsized,
		.lag_ns = lag_ns(r),
	};
	if (w->has_bytes)
		w->bytes = p->bytes - p->removed.bytes - p->shipped_bytes;
	return true;
}

static void see_fill(struct pace *p, struct capture_load *load)
{
	p->fill_max_ppm = load->max_ppm;
	p->fill_mean_ppm = load->room ? (__u64)((double)load->unread * PPM / (double)load->room)
				      : 0;
	load->max_ppm = load->unread = load->room = 0;
}

void recording_status_second(struct recording *r, __u64 now)
{
	struct pace *p = &r->pace;
	const __u64 events = r->capture.events, bytes = bytes_so_far(r);
	const double seconds = (double)(now - (p->ns ? p->ns : r->start_ns)) / 1e9;

	if (seconds > 0) {
		p->events_s = (__u64)((double)(events - p->events) / seconds);
		p->bytes_s = (__u64)((double)(bytes - p->bytes) / seconds);
	}
	p->ns = now;
	p->events = events;
	p->bytes = bytes;
	see_fill(p, &r->capture.load);
}
