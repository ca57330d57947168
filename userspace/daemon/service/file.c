// SPDX-License-Identifier: GPL-2.0
/* file.c - a session that writes its packets into a file by itself */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include "flush.h"
#include "read.h"

#define PERIOD_DEFAULT_MS 5000
#define PERIOD_MIN_MS 100
/* At a time, so that memory does not grow with the buffers. */
#define BATCH_SIZE (1024u * 1024)

#define AUTO PFT__TRACE_CONFIG__WRITE_FLUSH_MODE__WRITE_FLUSH_AUTO
#define DISABLED PFT__TRACE_CONFIG__WRITE_FLUSH_MODE__WRITE_FLUSH_DISABLED
#define ENABLED PFT__TRACE_CONFIG__WRITE_FLUSH_MODE__WRITE_FLUSH_ENABLED

bool file_is_fit(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && (S_ISREG(st.st_mode) || S_ISBLK(st.st_mode));
}

/* With the rights of the consumer, whatever those of the service are: it says where. */
static int make_file(const struct session *session, const char *path)
{
	gid_t gid = (gid_t)setfsgid(session->gid);
	uid_t uid = (uid_t)setfsuid(session->uid);
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644), error = errno;

	setfsuid(uid);
	setfsgid(gid);
	errno = error;
	return fd;
}

static void configure(struct session *session)
{
	const Pft__TraceConfig *config = session->config;
	uint32_t period = config->file_write_period_ms ?: PERIOD_DEFAULT_MS;

	session->file.period_ms = period < PERIOD_MIN_MS ? PERIOD_MIN_MS : period;
	session->file.max = config->max_file_size_bytes ?: UINT64_MAX;
	session->file.syncs = config->fflush_post_write ==
			      PFT__TRACE_CONFIG__FFLUSH_MODE__FFLUSH_ENABLED;
	if (config->write_flush_mode == DISABLED)
		return;
	/* Short periods share a flush of the default period, others have their own. */
	session->file.flushes_first = config->write_flush_mode == ENABLED ||
				      session->file.period_ms > PERIOD_DEFAULT_MS;
	session->flush_period_ms = session->file.flushes_first ? 0 : PERIOD_DEFAULT_MS;
}

bool file_open(struct session *session, int fd, char *error)
{
	const char *path = session->config->output_path;
	bool has_path = path && *path;

	if (has_path == (fd >= 0)) {
		if (fd >= 0)
			close(fd);
		snprintf(error, SESSION_ERROR_MAX, "write_into_file needs either a file "
			 "descriptor or output_path, and not both");
		return false;
	}
	if (has_path) {
		fd = make_file(session, path);
		if (fd < 0) {
			snprintf(error, SESSION_ERROR_MAX,
				 "Failed to create the trace file %.300s: %s", path,
				 strerror(errno));
			return false;
		}
	} else if (!file_is_fit(fd)) {
		close(fd);
		snprintf(error, SESSION_ERROR_MAX, "write_into_file needs a regular file: the "
			 "service does not wait for readers of pipes and sockets");
		return false;
	}
	session->file.fd = fd;
	session->file.start = lseek(fd, 0, fcntl(fd, F_GETFL) & O_APPEND ? SEEK_END : SEEK_CUR);
	session->file.is_used = true;
	configure(session);
	return true;
}

void file_abandon(struct session *session)
{
	if (session->file.fd < 0)
		return;
	close(session->file.fd);
	session->file.fd = -1;
	if (session->config->output_path && *session->config->output_path)
		unlink(session->config->output_path);
}

/* Bytes of as many whole packets as fit into @max. */
static size_t fitting(struct batch *b, uint64_t max)
{
	const uint8_t *packet;
	size_t fit = 0, size;

	if (b->size <= max)
		return b->size;
	while (batch_next(b, &packet, &size) && b->taken <= max)
		fit = b->taken;
	return fit;
}

static bool write_all(int fd, const uint8_t *bytes, size_t size)
{
	while (size) {
		ssize_t n = write(fd, bytes, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes += n;
		size -= (size_t)n;
	}
	return true;
}

static bool write_batch(struct file *f, struct batch *b)
{
	size_t fit = fitting(b, f->max - f->written);

	if (!write_all(f->fd, b->bytes, fit))
		return false;
	f->written += fit;
	return fit == b->size;
}

static void end(struct session *session)
{
	fdatasync(session->file.fd);
	close(session->file.fd);
	session->file.fd = -1;
	timer_stop(&session->service->timers, &session->write_timer);
}

bool file_drain(struct session *session)
{
	struct batch b = { 0 };
	bool has_more = true, is_good = true;

	if (session->file.fd < 0 || session_waits_for_trigger(session))
		return true;
	while (has_more && is_good) {
		has_more = session_read(session, &b, BATCH_SIZE);
		is_good = write_batch(&session->file, &b);
	}
	batch_exit(&b);
	if (!is_good)
		end(session);
	else if (session->file.syncs)
		fdatasync(session->file.fd);
	return is_good;
}

static void drain(struct session *session)
{
	if (file_drain(session))
		file_schedule(session);
	else if (session->state == SESSION_STARTED)
		session_stop(session, false, NULL);
}

static void flushed(struct session *session, void *arg, bool is_done)
{
	(void)arg;
	(void)is_done;
	if (session && session->file.fd >= 0)
		drain(session);
}

static void write_due(void *arg)
{
	struct session *session = arg;

	if (session->file.fd < 0)
		return;
	if (session->file.flushes_first && session->state == SESSION_STARTED)
		flush_start(session, 0, FLUSH_BY_SERVICE | FLUSH_PERIODIC, flushed, NULL);
	else
		drain(session);
}

void file_schedule(struct session *session)
{
	if (session->file.fd < 0 || session->state != SESSION_STARTED)
		return;
	session->write_timer.fire = write_due;
	session->write_timer.arg = session;
	timer_set(&session->service->timers, &session->write_timer,
		  aligned_delay_ms(session->file.period_ms));
}

void file_close(struct session *session)
{
	if (session->file.fd < 0)
		return;
	session->own.wants_stats = true;
	if (file_drain(session))
		end(session);
}
