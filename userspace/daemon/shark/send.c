// SPDX-License-Identifier: GPL-2.0
/*
 * send.c - sends chunks of S.Ha.R.K. for programs, and for the kernel
 *
 * A disk may be slow, and a pause of 5 ms follows each packet: so each connection has a thread of
 * its own, and the loop that reads the rings waits for none of them. Requests are checked according
 * to <ktrace/shark_port.h>. A request of a program is carried out even if the program dies: the
 * request and the descriptor of its memory have arrived by then.
 *
 * At the end no more connections are accepted, requests in the sockets are carried out, and the
 * threads end. If that is interrupted, a thread that is stuck in a write keeps the data it uses.
 */
#include "send.h"

#include <errno.h>
#include <fcntl.h>
#include <ktrace/shark_port.h>
#include <ktrace/shark_sender.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/peer.h"

#define CONNECTIONS_MAX 256u	/* so that each chunk of a program may be sent at the same time */
#define BYTES_MAX (1ull << 30)	/* limit for one chunk */
#define LOOK_NS 50000000	/* time between two checks for an interruption */
#define GIVE_UP_NS 2000000000ull	/* time after which a silent disk is no longer waited for */

/* struct connection - a program being served; all but @fd, @pid under the sender's lock */
struct connection {
	struct sender *sender;
	struct connection *next;
	int fd;
	pid_t pid;
};

int sender_send(struct sender *s, const struct send_request *r, struct chunk *c,
		struct disk_done *done)
{
	pthread_mutex_t *lock = r->is_udp ? &s->udp_lock : &s->disk_lock;
	int ret;

	pthread_mutex_lock(lock);
	if (r->is_udp)
		ret = udp_send(&s->udp, r->local, r->target, c, &done->events);
	else
		ret = disk_send(&s->disk, r->chunk, r->name, c, done);
	pthread_mutex_unlock(lock);
	if (ret) {
		s->failed++;
		log_error("chunk %u of %s could not be %s: %s", r->chunk, r->who,
			  r->is_udp ? "sent" : "written", strerror(-ret));
	} else if (r->is_udp) {
		s->sent++;
	} else {
		s->written++;
	}
	return ret;
}

/* Checks the request, and that @fd is memory and has as many bytes as promised. */
static int check_request(const struct ktrace_shark_request *r, int fd)
{
	struct stat st;

	if (r->magic != KTRACE_SHARK_REQUEST_MAGIC || r->size != sizeof(*r) || r->chunk > 255 ||
	    (r->sender != KTRACE_SHARK_DISK && r->sender != KTRACE_SHARK_UDP) ||
	    !memchr(r->name, '\0', sizeof(r->name)) || !memchr(r->local, '\0', sizeof(r->local)) ||
	    !memchr(r->target, '\0', sizeof(r->target)))
		return -EINVAL;
	/* Requires memory: reads from other files may block. */
	if (fd < 0 || fcntl(fd, F_GET_SEALS) < 0 || fstat(fd, &st))
		return -EBADF;
	if (r->bytes > BYTES_MAX || r->offset > (__u64)st.st_size ||
	    r->bytes > (__u64)st.st_size - r->offset)
		return -EFBIG;
	return 0;
}

static int serve(struct connection *c, const struct ktrace_shark_request *r, int fd, __u32 *events)
{
	struct chunk chunk = { .fd = fd, .parts = { { r->offset, r->bytes } }, .nr = 1 };
	char who[32];
	const struct send_request request = {
		.is_udp = r->sender == KTRACE_SHARK_UDP, .chunk = r->chunk, .name = r->name,
		.local = r->local, .target = r->target, .who = who,
	};
	struct disk_done done = { .events = 0 };
	int ret = check_request(r, fd);

	snprintf(who, sizeof(who), "process %d", (int)c->pid);
	if (!ret)
		ret = chunk_look(&chunk);
	if (!ret)
		ret = sender_send(c->sender, &request, &chunk, &done);
	*events = done.events;
	return ret;
}

/* Returns the descriptor of a message; if there are two, or at the end, closes all of them. */
static int take_descriptor(const struct cmsghdr *header, bool is_end)
{
	int got[2], nr;

	if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
		return -1;
	nr = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
	nr = nr > 2 ? 2 : nr;
	memcpy(got, CMSG_DATA(header), (size_t)nr * sizeof(int));
	if (nr == 1 && !is_end)
		return got[0];
	while (nr--)
		close(got[nr]);
	return -1;
}

/* Receives a request and its descriptor, -1 = none. Returns false at the end. */
static bool receive(int socket_fd, struct ktrace_shark_request *r, int *fd)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = { r, sizeof(*r) };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	ssize_t n;

	memset(r, 0, sizeof(*r));
	do {
		n = recvmsg(socket_fd, &msg, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	/* Because of alignment, the buffer has room for two descriptors. */
	*fd = take_descriptor(n >= 0 ? CMSG_FIRSTHDR(&msg) : NULL, n <= 0);
	if (n != (ssize_t)sizeof(*r) || msg.msg_flags & MSG_TRUNC)
		r->magic = 0;
	return n > 0;
}

static void forget(struct connection *c)
{
	struct sender *s = c->sender;
	struct connection **at;

	pthread_mutex_lock(&s->lock);
	for (at = &s->connections; *at != c; at = &(*at)->next)
		;
	*at = c->next;
	close(c->fd);
	free(c);
	s->nr--;
	pthread_cond_signal(&s->is_less);
	pthread_mutex_unlock(&s->lock);
}

static void *serve_connection(void *arg)
{
	struct ktrace_shark_request request;
	struct connection *c = arg;
	int fd;

	while (receive(c->fd, &request, &fd)) {
		struct ktrace_shark_answer answer = { 0 };

		answer.error = serve(c, &request, fd, &answer.events);
		if (fd >= 0)
			close(fd);
		/* The program may have ended: nobody needs the answer then. */
		send(c->fd, &answer, sizeof(answer), MSG_NOSIGNAL | MSG_DONTWAIT);
	}
	forget(c);
	return NULL;
}

/* Accepts only this user and root: other users must not choose what ktraced writes where. */
static bool may(int fd, pid_t *pid)
{
	struct ucred cred = { .pid = 0 };
	const bool may = peer_is_trusted(fd, &cred);

	*pid = cred.pid;
	return may;
}

static void take_connection(struct sender *s, int fd)
{
	struct connection *c = calloc(1, sizeof(*c));
	pthread_attr_t attr;
	pthread_t thread;
	int error = ENOMEM;

	pthread_mutex_lock(&s->lock);
	if (c && s->nr < CONNECTIONS_MAX && may(fd, &c->pid) && !pthread_attr_init(&attr)) {
		c->sender = s;
		c->fd = fd;
		c->next = s->connections;
		pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
		error = pthread_create(&thread, &attr, serve_connection, c);
		pthread_attr_destroy(&attr);
	}
	if (error) {
		free(c);
		close(fd);
	} else {
		s->connections = c;
		s->nr++;
	}
	pthread_mutex_unlock(&s->lock);
}

int sender_accept(struct sender *s, unsigned int max)
{
	while (max--) {
		const int fd = accept4(s->listen_fd, NULL, NULL, SOCK_CLOEXEC);

		if (fd < 0)
			return -errno;
		take_connection(s, fd);
	}
	return 0;
}

static int open_port(const char *session)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int n = snprintf(addr.sun_path + 1, sizeof(addr.sun_path) - 1, KTRACE_SHARK_PORT "%s",
			 session);
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
	int fd;

	if ((size_t)n >= sizeof(addr.sun_path) - 1)
		return -ENAMETOOLONG;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (bind(fd, (const struct sockaddr *)&addr, size) || listen(fd, (int)CONNECTIONS_MAX)) {
		n = -errno;
		close(fd);
		return n;
	}
	return fd;
}

/* Returns @trace if it is a regular file, else the current folder: /dev is no place for chunks. */
static const char *place_beside(const char *trace)
{
	struct stat st;

	return !lstat(trace, &st) && S_ISREG(st.st_mode) ? trace : ".";
}

/* Opens the folder of @path for new files. Return: descriptor or -errno. */
static int open_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	int fd;

	if (!folder)
		return -ENOMEM;
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(folder);
	return fd < 0 ? -errno : fd;
}

void sender_open(struct sender *s, const struct sender_options *o, const char *beside,
		 const char *session)
{
	const char *where = o->files ? o->files : place_beside(beside);
	const char *slash = o->files ? strrchr(o->files, '/') : NULL;
	struct stat trace;

	*s = (struct sender){ .kernel_fd = -1, .stop_fd = -1 };
	pthread_mutex_init(&s->disk_lock, NULL);
	pthread_mutex_init(&s->udp_lock, NULL);
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->is_less, NULL);
	s->udp.target = o->target;
	s->disk.mode = o->mode;
	s->disk.room.min_free = o->min_free;
	s->disk.name = slash ? slash + 1 : o->files;
	if (s->disk.name && !*s->disk.name)
		s->disk.name = NULL;
	s->disk.folder_fd = open_folder(where);
	if (s->disk.folder_fd < 0)
		log_error("%s: %s: chunks cannot be written", where, strerror(-s->disk.folder_fd));
	if (!stat(beside, &trace)) {
		s->disk.trace_dev = trace.st_dev;
		s->disk.trace_ino = trace.st_ino;
	}
	s->listen_fd = open_port(session);
	if (s->listen_fd < 0)
		log_error("cannot open the port for chunks: %s", strerror(-s->listen_fd));
}

/* True if a signal is pending (all are blocked): its sender does not want to wait. */
static bool is_interrupted(void)
{
	sigset_t pending;

	return !sigpending(&pending) &&
	       (sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGQUIT) == 1 ||
		sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGHUP) == 1);
}

static void give_up(struct sender *s)
{
	if (atomic_exchange(&s->disk.is_aborted, true))
		return;
	atomic_store(&s->udp.is_aborted, true);
	s->until_ns = now_ns() + GIVE_UP_NS;
}

static bool may_wait(struct sender *s)
{
	if (is_interrupted())
		give_up(s);
	return !s->until_ns || now_ns() < s->until_ns;
}

static struct timespec next_look(void)
{
	struct timespec at;

	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_nsec += LOOK_NS;
	at.tv_sec += at.tv_nsec / 1000000000;
	at.tv_nsec %= 1000000000;
	return at;
}

/*
 * Sends the chunks of the kernel's S.Ha.R.K. tracer
 *
 * One process at a time can do that: with several recordings it is the first one. A thread takes
 * one job after the other. If the process that waits for a chunk was killed meanwhile, removes
 * what was written.
 */

/* Finds the events: the normal area from its oldest slot on, wrapping around, then the rest. */
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
	log_error("chunk %u of the kernel is removed again: the program that waited for it was "
		  "killed", job->chunk);
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

	/* Jobs that are still queued are left to the next sender. */
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

/* Starts a thread that serves the kernel. Return: 0, or -errno if the kernel refuses. */
static int begin_kernel(struct sender *s)
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

/* Sends queued chunks first, if there is time. Returns false if the thread is stuck. */
static bool end_kernel(struct sender *s)
{
	struct timespec until;
	int error;

	if (s->kernel_fd < 0)
		return true;
	eventfd_write(s->stop_fd, 1);
	do {
		until = next_look();
		error = pthread_timedjoin_np(s->kernel, NULL, &until);
	} while (error == ETIMEDOUT && may_wait(s));
	if (error)
		return false;
	close(s->stop_fd);
	close(s->kernel_fd);
	return true;
}

void sender_begin(struct sender *s, const struct sender_options *o, bool has_kernel)
{
	const bool is_wanted = o->files || o->target;
	int error = is_wanted || has_kernel ? begin_kernel(s) : 0;

	/* Without the device the kernel has no chunks. */
	if (error && error != -ENOENT && is_wanted)
		log_note("chunks of the kernel are not sent: %s", error == -EBUSY ?
			 "another recording sends them" : strerror(-error));
}

/* Returns false if a connection is stuck. */
static bool wait_for_connections(struct sender *s)
{
	bool is_over, is_patient = true;

	pthread_mutex_lock(&s->lock);
	/* The threads get the requests in their sockets, then the end. */
	for (struct connection *c = s->connections; c; c = c->next)
		shutdown(c->fd, SHUT_RD);
	while (s->nr && is_patient) {
		const struct timespec until = next_look();

		pthread_cond_timedwait(&s->is_less, &s->lock, &until);
		is_patient = may_wait(s);
	}
	is_over = !s->nr;
	pthread_mutex_unlock(&s->lock);
	return is_over;
}

static void say(const struct sender *s)
{
	if (s->written || s->sent || s->failed)
		log_note("chunks: %u written, %u sent in %llu packets, %u failed", s->written,
			 s->sent, (unsigned long long)s->udp.packets, s->failed);
}

void sender_close(struct sender *s)
{
	bool is_over;

	if (s->listen_fd >= 0) {
		sender_accept(s, CONNECTIONS_MAX);
		close(s->listen_fd);
	}
	is_over = wait_for_connections(s);
	is_over &= end_kernel(s);
	say(s);
	if (!is_over) {
		log_error("a chunk is still being written or sent; ktraced does not wait for it");
		return;
	}
	disk_exit(&s->disk);
	udp_exit(&s->udp);
	pthread_cond_destroy(&s->is_less);
	pthread_mutex_destroy(&s->lock);
	pthread_mutex_destroy(&s->udp_lock);
	pthread_mutex_destroy(&s->disk_lock);
}
