// SPDX-License-Identifier: GPL-2.0
/*
 * metrics.c - --metrics: how a recording goes, as OpenMetrics text
 *
 * The loop writes the text once a second, whether it is asked for or not, and hands it over to the
 * server's thread: so draining the rings costs the same with any number of clients, and nothing of
 * the recording is read by another thread.
 */
#include "metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/traceset.h>

#include "base/clock.h"
#include "base/kernel_clock.h"
#include "base/log.h"
#include "metrics/place.h"
#include "metrics/server.h"
#include "metrics/text.h"
#include "output/parts.h"
#include "recording.h"
#include "recording_status.h"

/* Fewer than for ktrace control: each costs the reading of its mappings, again and again. */
#define PROGRAMS_MAX 20u

enum {
	BUILD, START, COLLECTED, EVENTS, LOST, WRITTEN, DRAINS, FILL_MAX, FILL_MEAN, PROGRAMS,
	PAUSED, FAILING, DISK_WAIT, PARTS, REMOVED_PARTS, DISK_USED, DISK_LIMIT, DISK_FREE,
	CLOCK_MAX, CLOCK_ESTIMATE, CLOCK_SYNCED, SHIP_RUNS, SHIP_RESTARTS, SHIPPED_PARTS,
	SHIPPED_BYTES, WAITING_PARTS, SHIP_LAG, SCRAPES,
};

/* Documentation/fleet.md has the same table; scripts/check-docs compares them. */
static const struct metric metrics[] = {
	[BUILD] = { "ktraced_build", "info", NULL, "The program's version" },
	[START] = { "ktraced_start_time_seconds", "gauge", "seconds",
		    "When the recording started, since the epoch" },
	[COLLECTED] = { "ktraced_collected_time_seconds", "gauge", "seconds",
			"When these values were collected, since the epoch" },
	[EVENTS] = { "ktraced_events", "counter", NULL, "Events in the files" },
	[LOST] = { "ktraced_lost_events", "counter", NULL, "Events that were lost, by reason" },
	[WRITTEN] = { "ktraced_written_bytes", "counter", "bytes", "Size of all files so far" },
	[DRAINS] = { "ktraced_drains", "counter", NULL, "Rounds in which the rings were emptied" },
	[FILL_MAX] = { "ktraced_ring_fill_max_ratio", "gauge", "ratio",
		       "The fullest ring that a drain of the last second found" },
	[FILL_MEAN] = { "ktraced_ring_fill_mean_ratio", "gauge", "ratio",
			"The mean of the rings of all CPUs and of the drains of the last second" },
	[PROGRAMS] = { "ktraced_programs", "gauge", NULL,
		       "Programs that take part, at most 20 are counted" },
	[PAUSED] = { "ktraced_paused", "gauge", NULL, "1 = paused by ktrace control" },
	[FAILING] = { "ktraced_write_failing", "gauge", NULL,
		      "1 = the file cannot be written now, events are lost" },
	[DISK_WAIT] = { "ktraced_disk_wait_seconds", "gauge", "seconds",
			"How long the disk has not answered; meanwhile events stay in the rings" },
	[PARTS] = { "ktraced_parts", "counter", NULL, "Files begun" },
	[REMOVED_PARTS] = { "ktraced_removed_parts", "counter", NULL,
			    "Files removed by --keep, --max-size and --min-free" },
	[DISK_USED] = { "ktraced_disk_used_bytes", "gauge", "bytes",
			"Size of the files that are on this host" },
	[DISK_LIMIT] = { "ktraced_disk_limit_bytes", "gauge", "bytes",
			 "Limit of that, only with --max-size" },
	[DISK_FREE] = { "ktraced_disk_free_bytes", "gauge", "bytes",
			"What is free in the file system of the files" },
	[CLOCK_MAX] = { "ktraced_clock_error_max_seconds", "gauge", "seconds",
			"The kernel's limit of the error of CLOCK_REALTIME" },
	[CLOCK_ESTIMATE] = { "ktraced_clock_error_estimate_seconds", "gauge", "seconds",
			     "The kernel's estimate of that error" },
	[CLOCK_SYNCED] = { "ktraced_clock_synchronized", "gauge", NULL,
			   "1 = CLOCK_REALTIME is synchronised; else its error has no meaning" },
	[SHIP_RUNS] = { "ktraced_ship_running", "gauge", NULL,
			"1 = ktrace ship runs; this and what follows up to the lag only with "
			"--ship" },
	[SHIP_RESTARTS] = { "ktraced_ship_restarts", "counter", NULL,
			    "How often it had ended and was started again" },
	[SHIPPED_PARTS] = { "ktraced_shipped_parts", "counter", NULL,
			    "Files that it has removed because the store has them" },
	[SHIPPED_BYTES] = { "ktraced_shipped_bytes", "counter", "bytes", "Size of these" },
	[WAITING_PARTS] = { "ktraced_ship_waiting_parts", "gauge", NULL,
			    "Complete files that the store does not have yet" },
	[SHIP_LAG] = { "ktraced_ship_lag_seconds", "gauge", "seconds",
		       "Time since the oldest of these was completed, 0 = there is none" },
	[SCRAPES] = { "ktraced_scrapes", "counter", NULL,
		      "Requests for metrics, by result: given, refused, or dropped as too slow or "
		      "too many" },
};

static const char *set_place(void *to, const char *text)
{
	const char *wrong = metrics_place_wrong(text);

	((struct metrics_options *)to)->place = text;
	return wrong ? option_wrong("--metrics: %s", wrong) : NULL;
}

const struct option_row metrics_options[] = {
	{ .name = "metrics", .value = "PLACE", .set = set_place,
	  .help = "serve metrics of the recording as OpenMetrics text, at\n"
		  "unix:PATH, 127.0.0.1:PORT or [::1]:PORT; port 0: any" },
	{ .help = NULL },
};

int metrics_open(struct metrics *m, const struct metrics_options *o)
{
	const int error = o->place ? metrics_server_open(&m->server, o->place) : 0;

	if (error)
		log_error("--metrics %s: %s", o->place, metrics_place_error(error));
	else if (o->place)
		log_note("metrics at %s", metrics_server_url(m->server));
	return error;
}

void metrics_begin(struct recording *r)
{
	struct metrics *m = &r->metrics;
	int error;

	if (!m->server)
		return;
	m->start_real_ns = clock_ns(CLOCK_REALTIME) - (now_ns() - r->start_ns);
	metrics_second(r);
	error = metrics_server_begin(m->server);
	if (error)
		log_error("--metrics: %s", strerror(-error));
}

static void put_lost(FILE *to, const struct ktrace_lost *lost)
{
	metric_begin(to, &metrics[LOST]);
	for (__u32 i = 0; i < KTRACE_LOST_NR; i++)
		metric_sample(to, &metrics[LOST], "reason", ktrace_lost_name(i), lost->count[i]);
}

static void put_files(FILE *to, const struct recording *r, const struct recording_status *s)
{
	const struct parts *p = &r->parts;

	metric_put(to, &metrics[WRITTEN], s->bytes);
	metric_put(to, &metrics[PARTS], s->part ? s->part : 1);
	metric_put(to, &metrics[REMOVED_PARTS], p->removed_nr);
	if (!p->is_unsized)
		metric_put(to, &metrics[DISK_USED],
			   s->bytes - p->removed.bytes - p->shipped_bytes);
	if (r->options->max_size)
		metric_put(to, &metrics[DISK_LIMIT], r->options->max_size);
	if (s->has_free)
		metric_put(to, &metrics[DISK_FREE], s->free);
	metric_put(to, &metrics[FAILING], s->error != NULL);
	metric_put_ns(to, &metrics[DISK_WAIT], s->disk_wait_ns);
}

static void put_clock(FILE *to)
{
	struct kernel_clock clock;

	if (!kernel_clock_read(&clock))
		return;
	metric_put_ns(to, &metrics[CLOCK_MAX], clock.max_error_ns);
	metric_put_ns(to, &metrics[CLOCK_ESTIMATE], clock.est_error_ns);
	metric_put(to, &metrics[CLOCK_SYNCED], clock.is_synced);
}

static void put_ship(FILE *to, struct recording *r)
{
	const struct parts *p = &r->parts;
	struct recording_waiting waiting;

	if (!recording_waiting_get(r, &waiting))
		return;
	metric_put(to, &metrics[SHIP_RUNS], ship_pid(&r->ship) != 0);
	metric_put(to, &metrics[SHIP_RESTARTS], r->ship.restarts);
	metric_put(to, &metrics[SHIPPED_PARTS], p->shipped_nr);
	if (!p->is_unsized)
		metric_put(to, &metrics[SHIPPED_BYTES], p->shipped_bytes);
	metric_put(to, &metrics[WAITING_PARTS], waiting.parts);
	metric_put_ns(to, &metrics[SHIP_LAG], waiting.lag_ns);
}

static void put_all(FILE *to, void *arg)
{
	struct recording *r = arg;
	struct recording_status s;

	recording_status_get(r, PROGRAMS_MAX, &s);
	metric_begin(to, &metrics[BUILD]);
	metric_sample(to, &metrics[BUILD], "version", KTRACE_VERSION, 1);
	metric_put_ns(to, &metrics[START], r->metrics.start_real_ns);
	metric_put_ns(to, &metrics[COLLECTED], clock_ns(CLOCK_REALTIME));
	metric_put(to, &metrics[EVENTS], s.events);
	put_lost(to, &s.lost);
	metric_put(to, &metrics[DRAINS], r->capture.load.rounds);
	metric_put_ppm(to, &metrics[FILL_MAX], r->pace.fill_max_ppm);
	metric_put_ppm(to, &metrics[FILL_MEAN], r->pace.fill_mean_ppm);
	if (s.has_programs)
		metric_put(to, &metrics[PROGRAMS], s.programs);
	metric_put(to, &metrics[PAUSED], r->is_paused);
	put_ship(to, r);
	put_files(to, r, &s);
	put_clock(to);
	metrics_server_put(r->metrics.server, to, &metrics[SCRAPES]);
	metrics_end(to);
}

void metrics_second(struct recording *r)
{
	if (r->metrics.server)
		metrics_server_collect(r->metrics.server, put_all, r);
}

void metrics_close(struct metrics *m)
{
	metrics_server_close(m->server);
	m->server = NULL;
}
