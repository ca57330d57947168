// SPDX-License-Identifier: LGPL-2.1
/*
 * send.c - sends chunks to files, or as packets
 *
 * There is one sender at a time, the last one registered, as in the original. The content of a
 * chunk is copied while the chunk is BUSY. If ktraced records the program, it gets the copy and
 * sends it; otherwise, or if it cannot, this process does the same.
 *
 * A file appears under its name when it is complete and on the disk. A chunk that is sent
 * again is appended to its file, as ktraced does. Packets of several threads do not mix: chunks
 * are sent one after the other.
 */
#include "tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <ktrace/packet.h>
#include <ktrace/shark.h>

#include "base/file_limit.h"
#include "base/write_all.h"
#include "content.h"
#include "daemon.h"

#define NAME_SIZE 4096

/**
 * struct sender - how chunks are sent; under @lock, except for copies
 * @kind:	enum ktrace_shark_sender, 0 = none
 * @socket:	UDP: socket of this process, -1 = ktraced sends, as long as it exists
 * @name:	DISK: name of files
 * @local:	UDP: address to send from
 * @target:	UDP: address to send to
 */
struct sender {
	__u32 kind;
	int socket;
	char name[NAME_SIZE];
	char local[KTRACE_SHARK_TARGET];
	char target[KTRACE_SHARK_TARGET];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sender sender = { .socket = -1 };
static char disk_name[NAME_SIZE];	/* of FTrace_disk_writer(); under @lock */
static bool has_file[KTRACE_SHARK_CHUNK_NR];	/* since the name was set; under @lock */

/* Held while packets are sent. */
static pthread_mutex_t packet_lock = PTHREAD_MUTEX_INITIALIZER;
static __u32 packets;

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork_in_parent(void)
{
	pthread_mutex_unlock(&lock);
}

/* Drops the socket: a receiver could not tell the packets of two senders on it apart. */
static void after_fork_in_child(void)
{
	packet_lock = (pthread_mutex_t) PTHREAD_MUTEX_INITIALIZER;
	packets = 0;
	if (sender.socket >= 0) {
		close(sender.socket);
		sender = (struct sender) { .socket = -1 };
	}
	pthread_mutex_unlock(&lock);
}

static __attribute__((constructor)) void begin(void)
{
	pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/* ---- files ---- */

/* Appends to a file of @before bytes, and flushes it to the disk. Return: 0, -errno. */
static int append(int fd, off_t before, const char *data, size_t bytes)
{
	const int error = may_have_file_of((__u64)before + bytes) ? write_all(fd, data, bytes)
								  : -EFBIG;

	if (error)
		return error;
	return fsync(fd) && errno != EINVAL && errno != EROFS ? -errno : 0;
}

static int append_to_file(const char *path, const struct content *c)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
	off_t before;
	int error;

	if (fd < 0)
		return -errno;
	before = lseek(fd, 0, SEEK_END);
	error = before < 0 ? -errno : append(fd, before, c->data, c->bytes);
	if (error && before >= 0 && ftruncate(fd, before))
		error = -errno;
	close(fd);
	return error;
}

static int write_new_file(const char *path, const struct content *c)
{
	const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
	char part[NAME_SIZE + 32];
	int fd, error;

	snprintf(part, sizeof(part), "%.*s.%.200s.%d.new", (int)(last - path), path, last,
		 (int)getpid());
	unlink(part);	/* left by a killed process with our pid */
	fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	error = append(fd, 0, c->data, c->bytes);
	if (close(fd) && !error)
		error = -errno;
	if (!error && rename(part, path))
		error = -errno;
	if (error)
		unlink(part);
	return error;
}

/* Notes files of ktraced, too: after it has ended, this process appends to them. */
static void note_file(int n)
{
	pthread_mutex_lock(&lock);
	has_file[n] = true;
	pthread_mutex_unlock(&lock);
}

static int write_file(const char *path, int n, const struct content *c)
{
	bool is_more;
	int error;

	pthread_mutex_lock(&lock);
	is_more = has_file[n];
	pthread_mutex_unlock(&lock);
	error = is_more ? append_to_file(path, c) : -ENOENT;
	if (error == -ENOENT)	/* not made yet, or removed */
		error = write_new_file(path, c);
	if (!error)
		note_file(n);
	return error;
}

static int send_file(const char *name, int n, const struct content *c)
{
	struct ktrace_shark_request request = { .sender = KTRACE_SHARK_DISK, .chunk = (__u32)n };
	char path[NAME_SIZE];
	int error = -ENOTCONN;

	if (ktrace_shark_name_is_fit(name)) {
		strcpy(request.name, name);
		error = daemon_send(&request, c);
		if (!error)
			note_file(n);
	}
	if (error != -ENOTCONN)
		return error;
	error = ktrace_chunk_file_name(path, sizeof(path), (unsigned int)n, name);
	return error ? error : write_file(path, n, c);
}

/* ---- packets ---- */

/*
 * Returns the socket of this process, or -errno; opens it if ktraced, which sent before, is gone.
 * Context: under @packet_lock, so that nobody closes it.
 */
static int own_socket(const struct sender *s)
{
	int fd;

	pthread_mutex_lock(&lock);
	if (sender.kind == KTRACE_SHARK_UDP && sender.socket < 0)
		sender.socket = ktrace_packet_socket(s->local, s->target);
	fd = sender.kind == KTRACE_SHARK_UDP ? sender.socket : -EPIPE;
	pthread_mutex_unlock(&lock);
	return fd;
}

static int send_packets(const struct sender *s, int n, const struct content *c)
{
	struct ktrace_shark_request request = { .sender = KTRACE_SHARK_UDP, .chunk = (__u32)n };
	int fd, error = -ENOTCONN;

	if (s->socket < 0) {
		strcpy(request.local, s->local);
		strcpy(request.target, s->target);
		error = daemon_send(&request, c);
	}
	if (error != -ENOTCONN)
		return error;
	pthread_mutex_lock(&packet_lock);
	fd = own_socket(s);
	error = fd < 0 ? fd : ktrace_packet_send(fd, &packets, c->data,
						 c->bytes / sizeof(struct ktrace_shark_event));
	pthread_mutex_unlock(&packet_lock);
	return error;
}

/* ---- both ---- */

static int deliver(const struct sender *s, int n, const struct kt_shark_view *view)
{
	struct content c;
	int error;

	if (s->kind == KTRACE_SHARK_DISK) {
		error = content_copy(&c, view);
		if (!error)
			error = send_file(s->name, n, &c);
	} else {
		error = content_events(&c, view);
		if (!error)
			error = send_packets(s, n, &c);
	}
	content_free(&c);
	return error;
}

/* Sends a chunk. Not a cancellation point, or the chunk would stay BUSY. */
static int send_chunk(const struct sender *s, int n, struct kt_shark *t,
		      struct kt_shark_view *view)
{
	int state, error;

	if (!t || !s->kind || kt_shark_hold(t, n, view))
		return -1;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	error = deliver(s, n, view);
	if (error)
		kt_shark_restore(t, n);
	pthread_setcancelstate(state, NULL);
	return error ? -1 : 0;
}

int FTrace_send_chunk(int n, int osd_flags, FTrace_flags new_flags)
{
	struct kt_shark *t = shark_tracer();
	struct kt_shark_view view;
	struct sender s;

	(void)osd_flags;
	if (kt_shark_check_flags(new_flags))
		return -1;
	pthread_mutex_lock(&lock);
	s = sender;
	pthread_mutex_unlock(&lock);
	if (send_chunk(&s, n, t, &view))
		return -1;
	kt_shark_release(t, n, new_flags);
	return 0;
}

void FTrace_disk_writer(FTrace_Chunk_Ptr c)
{
	struct kt_shark *t = shark_tracer();
	struct sender s = { .kind = KTRACE_SHARK_DISK, .socket = -1 };
	struct kt_shark_view view;

	if (!c)
		return;
	pthread_mutex_lock(&lock);
	strcpy(s.name, disk_name);
	pthread_mutex_unlock(&lock);
	if (*s.name && !send_chunk(&s, (int)c->number, t, &view))
		kt_shark_restore(t, (int)c->number);
}

/* Sets a new sender; waits for a thread that still sends through the old socket. */
static void replace(const struct sender *s)
{
	pthread_mutex_lock(&packet_lock);
	pthread_mutex_lock(&lock);
	if (sender.socket >= 0 && s->socket != sender.socket)
		close(sender.socket);
	sender = *s;
	if (s->kind == KTRACE_SHARK_DISK) {
		strcpy(disk_name, s->name);
		memset(has_file, 0, sizeof(has_file));
	}
	pthread_mutex_unlock(&lock);
	pthread_mutex_unlock(&packet_lock);
}

int FTrace_init_disk_writer(const char *fname, int flag, const char *l_ip, const char *t_ip)
{
	struct sender s = { .kind = KTRACE_SHARK_DISK, .socket = -1 };
	char path[NAME_SIZE];
	const char *slash;

	(void)flag;
	(void)l_ip;
	(void)t_ip;
	/* Check the name with the longest number. */
	if (!fname || ktrace_chunk_file_name(path, sizeof(path), KTRACE_SHARK_CHUNK_NR - 1, fname))
		return -1;
	slash = strrchr(path, '/');
	if (strlen(slash ? slash + 1 : path) > NAME_MAX)
		return -1;
	strcpy(s.name, fname);
	replace(&s);
	return 0;
}

static bool copy_address(char *to, const char *address)
{
	if (address && strlen(address) >= KTRACE_SHARK_TARGET)
		return false;
	strcpy(to, address ? address : "");
	return true;
}

int FTrace_OSD_init_udp(int flag, const char *l_ip, const char *t_ip)
{
	struct sender s = { .kind = KTRACE_SHARK_UDP, .socket = -1 };
	bool is_there;

	(void)flag;
	if (!copy_address(s.local, l_ip) || !copy_address(s.target, t_ip))
		return -1;
	is_there = daemon_is_there();
	s.socket = ktrace_packet_socket(l_ip, t_ip);
	/* ktraced can send even if a receiver on this machine has the port. */
	if (s.socket < 0 && !(is_there && s.socket == -EADDRINUSE))
		return -1;
	if (is_there) {
		if (s.socket >= 0)
			close(s.socket);
		s.socket = -1;
	}
	replace(&s);
	return 0;
}
