// SPDX-License-Identifier: GPL-2.0
/*
 * send_kernel.c - sends the chunks of the kernel's S.Ha.R.K. tracer
 *
 * One process at a time does that: with several recordings it is the first one. A thread takes
 * one job after the other. If who waits for a chunk was killed meanwhile, what was written is
 * taken back.
 */
#include "send_kernel.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <ktrace/shark_sender.h>

#include "base/log.h"

/* Where the events are: the normal area from the oldest slot on, round its end, then the rest. */
static void find_parts(const struct ktrace_shark_job *job, struct chunk *c)
{
	const __u64 nr = job->normal_nr ? job->normal_nr : 1, first = job->first % nr;
	const __u64 events = job->events < nr ? job->events : nr;
	const __u64 straight = events < nr - first ? events : nr - first;

	c->is_packed = job->bytes;
	c->nr = 1;
	c->parts[0].size = job->bytes;
	if (c->is_packed)
		return;
	c->nr = 3;
	c->parts[0] = (struct chunk_part){ first * CHUNK_SLOT, straight * CHUNK_SLOT };
	c->parts[1] = (struct chunk_part){ 0, (events - straight) * CHUNK_SLOT };
	c->parts[2] = (struct chunk_part){ (__u64)job->normal_nr * CHUNK_SLOT,
					   (__u64)job->emergency_events * CHUNK_SLOT };
}

static bool lies_within(const struct chunk *c, __u64 size)
{
	for (unsigned int i = 0; i < c->nr; i++)
		if (c->parts[i].off > size || c->parts[i].size > size - c->parts[i].off)
			return false;
	return true;
}

static int send_job(struct sender *s, const struct ktrace_shark_job *job, struct disk_done *done)
{
	const struct send_request request = {
		.is_udp = job->kind == KTRACE_SHARK_TO_UDP, .chunk = job->chunk, .name = job->name,
		.local = job->local, .target = job->target, .who = "the kernel",
	};
	struct chunk chunk = { .fd = -1 };
	int ret;

	find_parts(job, &chunk);
	if (!lies_within(&chunk, job->map_size))
		return -EBADMSG;
	if (job->map_size) {
		chunk.memory = ktrace_shark_sender_map(s->kernel_fd, job);
		if (!chunk.memory)
			return -ENOMEM;
	}
	ret = sender_send(s, &request, &chunk, done);
	ktrace_shark_sender_unmap(chunk.memory, job);
	return ret;
}

static void take_back(struct sender *s, const struct ktrace_shark_job *job,
		      const struct disk_done *done)
{
	log_error("chunk %u of the kernel is taken back: who waited for it was killed",
		  job->chunk);
	s->written--;
	s->failed++;
	pthread_mutex_lock(&s->disk_lock);
	disk_undo(&s->disk, done);
	pthread_mutex_unlock(&s->disk_lock);
}

static void serve_jobs(struct sender *s)
{
	struct ktrace_shark_job job;
	struct disk_done done;
	int ret;

	/* What is still queued is left to the next sender. */
	while (!atomic_load(&s->disk.is_aborted) &&
	       !ktrace_shark_sender_next(s->kernel_fd, &job)) {
		done = (struct disk_done){ .events = 0 };
		ret = send_job(s, &job, &done);
		if (ktrace_shark_sender_end(s->kernel_fd, &job, ret) == -ENOENT && !ret &&
		    job.kind == KTRACE_SHARK_TO_DISK)
			take_back(s, &job, &done);
	}
}

static void *serve_kernel(void *arg)
{
	struct sender *s = arg;
	struct pollfd fds[] = {
		{ .fd = s->kernel_fd, .events = POLLIN }, { .fd = s->stop_fd, .events = POLLIN },
	};

	do {
		serve_jobs(s);
		poll(fds, 2, -1);
	} while (!fds[1].revents && !atomic_load(&s->disk.is_aborted));
	serve_jobs(s);
	return NULL;
}

int send_kernel_begin(struct sender *s)
{
	int error;

	s->kernel_fd = ktrace_shark_sender_open(KTRACE_SHARK_TO_DISK | KTRACE_SHARK_TO_UDP);
	if (s->kernel_fd < 0)
		return s->kernel_fd;
	s->stop_fd = eventfd(0, EFD_CLOEXEC);
	error = s->stop_fd < 0 ? -errno : -pthread_create(&s->kernel, NULL, serve_kernel, s);
	if (!error)
		return 0;
	if (s->stop_fd >= 0)
		close(s->stop_fd);
	close(s->kernel_fd);
	s->kernel_fd = -1;
	return error;
}

bool send_kernel_end(struct sender *s)
{
	struct timespec until;
	int error;

	if (s->kernel_fd < 0)
		return true;
	eventfd_write(s->stop_fd, 1);
	do {
		until = sender_next_look();
		error = pthread_timedjoin_np(s->kernel, NULL, &until);
	} while (error == ETIMEDOUT && sender_may_wait(s));
	if (error)
		return false;
	close(s->stop_fd);
	close(s->kernel_fd);
	return true;
}
