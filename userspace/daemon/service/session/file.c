// SPDX-License-Identifier: GPL-2.0
/* file.c - a session that writes its packets into a file itself */
#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "consumer.h"
#include "disk.h"
#include "enable.h"
#include "flush.h"
#include "read.h"
#include "service_packets.h"
#include "stats.h"

#define PERIOD_DEFAULT_MS 5000
#define PERIOD_MIN_MS 100
/* Bytes read at a time, so that memory does not grow with the buffers */
#define BATCH_SIZE (1024u * 1024)

/* Reserve for statistics in a limited file: share of the writers, and growth by compression */
#define WRITERS_SHARE 64
#define COMPRESS_MAX 64

#define AUTO PFT__TRACE_CONFIG__WRITE_FLUSH_MODE__WRITE_FLUSH_AUTO
#define DISABLED PFT__TRACE_CONFIG__WRITE_FLUSH_MODE__WRITE_FLUSH_DISABLED
#define ENABLED PFT__TRACE_CONFIG__WRITE_FLUSH_MODE__WRITE_FLUSH_ENABLED

/* Reserves room for the statistics, but at most half of the file: a small one still has packets. */
static uint64_t reserve(const struct session *session, uint64_t max)
{
	const uint64_t writers = max / WRITERS_SHARE;
	const uint64_t size = stats_bound(session) + SERVICE_PACKETS_STATS_HEAD_MAX + COMPRESS_MAX +
			      (writers < SERVICE_PACKETS_STATS_MAX ? writers :
			       SERVICE_PACKETS_STATS_MAX);

	return size < max / 2 ? size : max / 2;
}

static void configure(struct session *session)
{
	const Pft__TraceConfig *config = session->config;
	uint32_t period = config->file_write_period_ms ?: PERIOD_DEFAULT_MS;

	session->file.period_ms = period < PERIOD_MIN_MS ? PERIOD_MIN_MS : period;
	session->file.max = config->max_file_size_bytes ?: UINT64_MAX;
	session->file.reserve = reserve(session, session->file.max);
	session->file.syncs = config->fflush_post_write ==
			      PFT__TRACE_CONFIG__FFLUSH_MODE__FFLUSH_ENABLED;
	if (config->write_flush_mode == DISABLED)
		return;
	/*
	 * Short periods share a flush of the default period, unless the configuration sets one;
	 * long ones flush before each write.
	 */
	session->file.flushes_first = config->write_flush_mode == ENABLED ||
				      session->file.period_ms > PERIOD_DEFAULT_MS;
	if (!session->flush_period_ms && !session->file.flushes_first)
		session->flush_period_ms = PERIOD_DEFAULT_MS;
}

/* State while the file is being opened */
struct opening {
	struct consumer *consumer;
	Pft__TraceConfig *config;
	struct disk *disk;
};

static const char *path_of(const Pft__TraceConfig *config)
{
	return config->output_path && *config->output_path ? config->output_path : NULL;
}

static void explain(const Pft__TraceConfig *config, int error, char *text)
{
	if (path_of(config))
		snprintf(text, SESSION_ERROR_MAX, "Failed to create the trace file %.300s: %s",
			 path_of(config), disk_error(error));
	else
		snprintf(text, SESSION_ERROR_MAX, "The trace file cannot be used: %s",
			 disk_error(error));
}

static void opened(void *arg, int error, uint64_t size)
{
	struct opening o = *(struct opening *)arg;
	char text[SESSION_ERROR_MAX];

	(void)size;
	free(arg);
	o.consumer->opening = NULL;
	if (error) {
		explain(o.config, error, text);
		disk_close(o.disk, false);
		pft__trace_config__free_unpacked(o.config, NULL);
	}
	connection_resume(o.consumer->peer);
	if (error || !enable_with(o.consumer, o.config, o.disk, text))
		consumer_tell_disabled(o.consumer, text);
}

static bool begin_opening(struct consumer *c, Pft__TraceConfig *config, int fd, char *error)
{
	struct opening *o = calloc(1, sizeof(*o));
	int ret = o ? disk_open(&o->disk, c->peer, path_of(config), fd) : -ENOMEM;

	if (ret) {
		free(o);
		explain(config, ret, error);
		return false;
	}
	o->consumer = c;
	o->config = config;
	disk_then(o->disk, opened, o);
	c->opening = o;
	connection_pause(c->peer);
	return true;
}

bool file_enable(struct consumer *c, Pft__TraceConfig *config, int fd, char *error)
{
	if ((path_of(config) != NULL) == (fd >= 0))
		snprintf(error, SESSION_ERROR_MAX, "write_into_file needs either a file "
			 "descriptor or output_path, and not both");
	else if (begin_opening(c, config, fd, error))
		return true;
	if (fd >= 0)
		connection_close_fd(c->peer, fd);
	pft__trace_config__free_unpacked(config, NULL);
	return false;
}

void file_forget(struct consumer *c)
{
	struct opening *o = c->opening;

	if (!o)
		return;
	disk_close(o->disk, true);
	pft__trace_config__free_unpacked(o->config, NULL);
	free(o);
	c->opening = NULL;
}

void file_take(struct session *session, struct disk *disk)
{
	session->file.disk = disk;
	session->file.is_used = true;
	configure(session);
}

void file_abandon(struct session *session)
{
	if (session->file.disk)
		disk_close(session->file.disk, true);
	session->file.disk = NULL;
}

static void written(void *arg, int error, uint64_t size);

static void write_batch(struct session *session)
{
	struct file *f = &session->file;

	f->is_busy = true;
	disk_then(f->disk, written, session);
	disk_write(f->disk, &f->batch, !f->has_more && (f->is_last || f->is_full || f->syncs));
}

/* Returns the room besides that for the statistics. */
static uint64_t room_left(const struct file *f)
{
	const uint64_t room = f->max - f->written;

	return room > f->reserve ? room - f->reserve : 0;
}

/*
 * Ends the file before the first packet that does not fit, as no later one may follow a gap. The
 * last batch may take all the room, as it includes the statistics.
 */
static void cut(struct session *session)
{
	struct file *f = &session->file;
	const bool is_whole = f->is_last && !f->has_more && f->batch.size <= f->max - f->written;
	const size_t fit = batch_fitting(&f->batch, room_left(f));

	if (is_whole || fit == f->batch.size)
		return;
	f->batch.size = fit;
	f->is_full = true;
	f->has_more = f->is_last = false;
	session->own.wants_stats = true;
}

/*
 * Writes the next packets that fit. Reads no more than there is room for, as compressed packets
 * fit all together or not at all.
 */
static void write_next(struct session *session)
{
	struct file *f = &session->file;
	const uint64_t lost = session->packets_lost, room = room_left(f);

	timer_stop(&session->service->timers, &f->memory_timer);
	batch_empty(&f->batch);
	if (!f->has_more || f->is_last != f->is_ending)
		session_read_begin(session);
	f->is_last = f->is_ending;
	f->has_more = !session_waits_for_trigger(session) &&
		      session_read(session, &f->batch, room < BATCH_SIZE ? room ?: 1 : BATCH_SIZE);
	f->waits = session->packets_lost != lost;
	cut(session);
	write_batch(session);
}

/* Writes the statistics at the end of a full file. */
static void write_stats(struct session *session)
{
	struct file *f = &session->file;
	const uint64_t room = f->max - f->written;

	f->is_last = true;
	f->waits = false;
	session_read_stats(session, &f->batch, room > COMPRESS_MAX ? room - COMPRESS_MAX : 0);
	f->batch.size = batch_fitting(&f->batch, room);
	write_batch(session);
}

static void write_more(struct session *session)
{
	if (!session->file.is_full)
		write_next(session);
	else if (session->file.is_ending)
		write_stats(session);
}

bool file_failed(const struct session *session, char *error)
{
	if (!session->file.error)
		return false;
	snprintf(error, SESSION_ERROR_MAX, "Failed to write the trace file: %s; lost packets: %llu",
		 disk_error(session->file.error),
		 (unsigned long long)session->file.lost);
	return true;
}

static void end(struct session *session)
{
	char error[SESSION_ERROR_MAX];

	if (file_failed(session, error))
		log_error("session %llu: %s", (unsigned long long)session->id, error);
	disk_close(session->file.disk, false);
	session->file.disk = NULL;
	session_written(session);
}

static void note_error(struct session *session, int error, uint64_t size)
{
	struct file *f = &session->file;

	f->error = error;
	if (error)
		f->lost += batch_count(&f->batch, size);
}

static void memory_due(void *arg)
{
	write_more(arg);
}

static void go_on(struct session *session)
{
	struct timer *t = &session->file.memory_timer;

	if (!session->file.waits) {
		write_more(session);
		return;
	}
	t->fire = memory_due;
	t->arg = session;
	timer_set(&session->service->timers, t, MEMORY_MS);
}

static void written(void *arg, int error, uint64_t size)
{
	struct session *session = arg;
	struct file *f = &session->file;

	f->is_busy = false;
	f->written += size;
	note_error(session, error, size);
	if (f->has_more || (f->is_ending && !f->is_last))
		go_on(session);
	else if (f->is_last)
		end(session);
	else if (!f->is_full && !f->error)
		file_schedule(session);
	else if (session->state == SESSION_STARTED)
		session_stop(session, false, NULL);
}

/*
 * No-op while a write is in progress: what has arrived meanwhile waits for the next drain, or the
 * end.
 */
static void drain(struct session *session)
{
	if (session->file.disk && !session->file.is_busy)
		write_more(session);
}

static void flushed(struct session *session, void *arg, bool is_done)
{
	(void)arg;
	(void)is_done;
	if (session)
		drain(session);
}

static void write_due(void *arg)
{
	struct session *session = arg;

	if (session->file.flushes_first && session->state == SESSION_STARTED)
		flush_start(session, 0, FLUSH_BY_SERVICE | FLUSH_PERIODIC, flushed, NULL);
	else
		drain(session);
}

void file_schedule(struct session *session)
{
	if (!session->file.disk || session->state != SESSION_STARTED)
		return;
	session->write_timer.fire = write_due;
	session->write_timer.arg = session;
	timer_set(&session->service->timers, &session->write_timer,
		  aligned_delay_ms(session->file.period_ms));
}

bool file_pending(const struct session *session, struct batch *b)
{
	const struct file *f = &session->file;

	*b = (struct batch) { 0 };
	if (!f->is_busy || !f->batch.size)
		return true;
	b->bytes = malloc(f->batch.size);
	if (!b->bytes)
		return false;
	memcpy(b->bytes, f->batch.bytes, f->batch.size);
	b->size = b->room = f->batch.size;
	return true;
}

bool file_close(struct session *session)
{
	if (!session->file.disk)
		return false;
	session->own.wants_stats = true;
	session->file.is_ending = true;
	drain(session);
	return true;
}
