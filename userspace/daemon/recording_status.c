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

void recording_status_get(struct recording *r, __u32 programs_max, struct recording_status *s)
{
	const struct capture *c = &r->capture;
	struct ktrace_holders holders = { .nr = 0 };
	struct statvfs disk;

	*s = (struct recording_status){
		.ns = now_ns() - r->start_ns,
		.events = c->events,
		.bytes = bytes_so_far(r),
		.has_programs = !ktrace_session_holders(r->session, programs_max, &holders),
		.part = c->parts ? c->parts->number : 0,
		.disk_wait_ns = c->away_ns ? now_ns() - c->away_ns : 0,
		.error = c->write_error ? room_error(c, c->write_error) : NULL,
	};
	s->programs = holders.nr;
	losses_of(r->session, &s->lost);
	s->has_free = !statvfs(c->path, &disk);
	if (s->has_free)
		s->free = (__u64)disk.f_bavail * disk.f_frsize;
}

/* Returns how long the oldest complete part has waited, by the time of its last change. */
static __u64 lag_ns(const struct parts *p)
{
	char *name = p->first < p->number ? parts_name(p->output, p->first) : NULL;
	const __u64 now = clock_ns(CLOCK_REALTIME);
	__u64 end = now;
	struct stat st;

	if (name && !stat(name, &st))
		end = timespec_ns(&st.st_mtim);
	free(name);
	return now > end ? now - end : 0;
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
		.lag_ns = lag_ns(p),
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
