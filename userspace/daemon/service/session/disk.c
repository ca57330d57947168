// SPDX-License-Identifier: GPL-2.0
/* disk.c - a file and the thread that waits for its disk */
#include "disk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/disk_room.h"
#include "base/rights.h"
#include "service.h"
#include "service/ipc/connection.h"

/*
 * Limits on the files of one user, and of all: some sessions and clones still wait for a disk
 * after their end
 */
#define PER_UID_MAX 20
#define DISK_MAX 60
/* Bytes copied at a time, on the stack of a thread */
#define COPY_SIZE (64u * 1024)

enum operation {
	NOTHING,
	OPEN,
	WRITE,
	COPY,
	CLOSE,
};

struct disk {
	/* Owned by the loop */
	LIST_ENTRY(disk) link;
	struct service *service;
	struct loop_source source;	/* signalled by the thread after each operation */
	pthread_t thread;
	disk_done *done;
	void *arg;
	bool is_closing;		/* done() is not called any more */

	/*
	 * Protects @operation. While it is NOTHING the loop owns the members below, else the
	 * thread does.
	 */
	pthread_mutex_t lock;
	pthread_cond_t wake;
	enum operation operation;

	struct batch batch;		/* only bytes and size are used */
	struct batch taken;		/* the same, if we own it */
	struct disk_part part;
	bool syncs;
	bool is_unwanted;
	bool is_gone;			/* closed: the thread is ending */
	struct disk_room room;
	int error;			/* the first one stays */
	uint64_t result;		/* bytes of whole packets written */
	uint64_t written;		/* likewise, by all operations */
	bool has_free;
	uint64_t free;			/* bytes free on the disk after the last one */

	/* Set once */
	char *path;
	uid_t uid;
	gid_t gid;
	gid_t *groups;
	size_t group_nr;
	int fd;
	bool is_made, is_regular;
	off_t start;
};

/*
 * Takes the user's rights, for this thread alone. A service that does not run as root has only its
 * own rights, and makes no files for others.
 */
static int take_rights(const struct disk *d)
{
	if (geteuid() && !d->path)
		return 0;
	return rights_take(d->uid, d->gid, d->groups, d->group_nr);
}

static int make_file(struct disk *d)
{
	d->fd = open(d->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	d->is_made = d->fd >= 0;
	return d->is_made ? 0 : -errno;
}

static int open_file(struct disk *d)
{
	int error = take_rights(d);
	struct stat st;

	if (!error && d->path)
		error = make_file(d);
	if (error)
		return error;
	if (fstat(d->fd, &st))
		return -errno;
	d->is_regular = S_ISREG(st.st_mode);
	if (!d->is_regular && !S_ISBLK(st.st_mode))
		return -ESPIPE;
	if ((fcntl(d->fd, F_GETFL) & O_ACCMODE) == O_RDONLY)
		return -EBADF;
	d->start = lseek(d->fd, 0, fcntl(d->fd, F_GETFL) & O_APPEND ? SEEK_END : SEEK_CUR);
	return d->start < 0 ? -errno : 0;
}

/* Return: 0 or -errno; sets *done to the bytes written in any case. */
static int write_all(struct disk *d, const uint8_t *bytes, size_t size, size_t *done)
{
	for (*done = 0; *done < size; ) {
		size_t piece = size - *done < COPY_SIZE ? size - *done : COPY_SIZE;
		int error = ktrace_disk_room_ask(&d->room, d->fd, piece);
		ssize_t n = error ? 0 : write(d->fd, bytes + *done, piece);

		if (error)
			return error;
		ktrace_disk_room_use(&d->room, n > 0 ? (uint64_t)n : 0);
		if (n > 0)
			*done += (size_t)n;
		else if (!n || errno != EINTR)
			return n ? -errno : -EIO;
	}
	return 0;
}

/* Removes an incomplete packet, unless others have written after it. */
static void cut_back(const struct disk *d, uint64_t written, uint64_t whole)
{
	struct stat st;

	if (written != whole && d->is_regular && !fstat(d->fd, &st) &&
	    st.st_size == d->start + (off_t)(d->written + written) &&
	    ftruncate(d->fd, d->start + (off_t)(d->written + whole)))
		return;		/* readers will find its beginning */
}

static uint64_t write_batch(struct disk *d)
{
	size_t size = d->batch.size, done;

	if (d->error)
		return 0;
	d->error = write_all(d, d->batch.bytes, size, &done);
	if (d->error) {
		size = batch_fitting(&d->batch, done);
		cut_back(d, done, size);
	} else if (d->syncs && fdatasync(d->fd) && errno != EINVAL) {
		d->error = -errno;
	}
	d->written += size;
	return size;
}

/* Does not use sendfile(2), which cannot write to append-only files. */
static uint64_t copy_file(struct disk *d)
{
	uint8_t bytes[COPY_SIZE];

	while (d->part.size && !d->error) {
		size_t size = d->part.size < COPY_SIZE ? (size_t)d->part.size : COPY_SIZE;
		ssize_t n = pread(d->part.fd, bytes, size, d->part.at);

		if (n > 0) {
			d->error = write_all(d, bytes, (size_t)n, &size);
			d->part.at += n;
			d->part.size -= (size_t)n;
			d->written += size;
		} else if (!n || errno != EINTR) {
			d->error = n ? -errno : -EIO;
		}
	}
	close(d->part.fd);
	return write_batch(d);
}

static void close_file(struct disk *d)
{
	if (d->is_made && d->is_unwanted)
		unlink(d->path);
	if (d->fd >= 0)
		close(d->fd);
	d->is_gone = true;
}

static uint64_t perform(struct disk *d)
{
	switch (d->operation) {
	case OPEN:
		d->error = open_file(d);
		return 0;
	case WRITE:
		return write_batch(d);
	case COPY:
		return copy_file(d);
	case CLOSE:
		close_file(d);
		return 0;
	case NOTHING:
		break;
	}
	return 0;
}

static void *run(void *arg)
{
	struct disk *d = arg;
	bool is_gone = false;

	while (!is_gone) {
		struct statvfs fs;
		bool has_free;
		uint64_t size;

		pthread_mutex_lock(&d->lock);
		while (d->operation == NOTHING)
			pthread_cond_wait(&d->wake, &d->lock);
		pthread_mutex_unlock(&d->lock);
		size = perform(d);
		is_gone = d->is_gone;
		has_free = !is_gone && !d->error && !fstatvfs(d->fd, &fs);
		pthread_mutex_lock(&d->lock);
		d->result = size;
		d->has_free = has_free;
		d->free = has_free ? (uint64_t)fs.f_bavail * fs.f_frsize : 0;
		d->operation = NOTHING;
		pthread_mutex_unlock(&d->lock);
		eventfd_write(d->source.fd, 1);
	}
	return NULL;
}

static bool is_idle(struct disk *d)
{
	bool is;

	pthread_mutex_lock(&d->lock);
	is = d->operation == NOTHING;
	pthread_mutex_unlock(&d->lock);
	return is;
}

static void begin(struct disk *d, enum operation operation)
{
	pthread_mutex_lock(&d->lock);
	d->operation = operation;
	pthread_cond_signal(&d->wake);
	pthread_mutex_unlock(&d->lock);
}

static void free_disk(struct disk *d)
{
	pthread_cond_destroy(&d->wake);
	pthread_mutex_destroy(&d->lock);
	batch_exit(&d->taken);
	free(d->groups);
	free(d->path);
	free(d);
}

/* Frees everything after the thread; waits if it is still ending. */
static void leave(struct disk *d)
{
	pthread_join(d->thread, NULL);
	loop_leave(&d->service->loop, &d->source);
	close(d->source.fd);
	LIST_REMOVE(d, link);
	service_lost_disk(d->service);
	free_disk(d);
}

static void on_done(void *arg, uint32_t events)
{
	struct disk *d = arg;
	eventfd_t times;

	(void)events;
	if (eventfd_read(d->source.fd, &times) || !is_idle(d))
		return;
	if (d->is_gone)
		leave(d);
	else if (d->is_closing)
		begin(d, CLOSE);
	else
		d->done(d->arg, d->error, d->result);
}

static int take_groups(struct disk *d, const struct connection *owner)
{
	socklen_t size = 0;

	if (!getsockopt(owner->source.fd, SOL_SOCKET, SO_PEERGROUPS, NULL, &size))
		return 0;	/* none */
	if (errno != ERANGE)
		return -errno;
	d->groups = malloc(size);
	if (!d->groups)
		return -ENOMEM;
	if (getsockopt(owner->source.fd, SOL_SOCKET, SO_PEERGROUPS, d->groups, &size))
		return -errno;
	d->group_nr = size / sizeof(gid_t);
	return 0;
}

static struct disk *alloc_disk(const struct connection *owner, const char *path)
{
	struct disk *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->wake, NULL);
	d->service = owner->service;
	d->uid = owner->cred.uid;
	d->gid = owner->cred.gid;
	d->fd = -1;
	d->room.min_free = ktrace_disk_room_default();
	d->path = path ? strdup(path) : NULL;
	if ((path && !d->path) || take_groups(d, owner)) {
		free_disk(d);
		return NULL;
	}
	return d;
}

static bool has_room(const struct service *s, uid_t uid)
{
	const struct disk *d;
	unsigned int own = 0, all = 0;

	LIST_FOREACH(d, &s->disks, link) {
		all++;
		own += d->uid == uid;
	}
	return own < PER_UID_MAX && all < DISK_MAX;
}

/* Starts the thread, and watches its eventfd. */
static int start(struct disk *d)
{
	struct loop *loop = &d->service->loop;
	int error;

	d->source = (struct loop_source) {
		.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), .handler = on_done, .arg = d,
	};
	if (d->source.fd < 0)
		return -errno;
	error = loop_join(loop, &d->source, EPOLLIN);
	if (error)
		goto err_close;
	d->operation = OPEN;
	error = -pthread_create(&d->thread, NULL, run, d);
	if (error)
		goto err_leave;
	return 0;

err_leave:
	loop_leave(loop, &d->source);
err_close:
	close(d->source.fd);
	return error;
}

int disk_open(struct disk **out, const struct connection *owner, const char *path, int fd)
{
	struct disk *d;
	int error;

	if (!has_room(owner->service, owner->cred.uid))
		return -EUSERS;
	d = alloc_disk(owner, path);
	if (!d)
		return -ENOMEM;
	d->fd = path ? -1 : fd;
	error = start(d);
	if (error) {
		free_disk(d);
		return error;
	}
	LIST_INSERT_HEAD(&d->service->disks, d, link);
	*out = d;
	return 0;
}

const char *disk_error(int error)
{
	switch (error) {
	case -ESPIPE:
		return "it must be a regular file, not a pipe or a socket";
	case -ENOSPC:
		return "No space left on device, except what --min-free keeps free";
	case -EUSERS:
		return "too many files are waiting for their disks";
	default:
		return strerror(-error);
	}
}

void disk_then(struct disk *d, disk_done *done, void *arg)
{
	d->done = done;
	d->arg = arg;
}

void disk_write(struct disk *d, const struct batch *b, bool syncs)
{
	d->batch = *b;
	d->syncs = syncs;
	begin(d, WRITE);
}

void disk_copy(struct disk *d, const struct disk_part *part, struct batch *b)
{
	d->batch = d->taken = *b;
	*b = (struct batch) { 0 };
	d->part = *part;
	d->syncs = false;
	begin(d, COPY);
}

struct disk_part disk_part(const struct disk *d, uint64_t size)
{
	return (struct disk_part) {
		.fd = fcntl(d->fd, F_DUPFD_CLOEXEC, 0), .at = d->start, .size = size,
	};
}

void disk_close(struct disk *d, bool is_unwanted)
{
	d->is_closing = true;
	d->is_unwanted = is_unwanted;
	if (is_idle(d))
		begin(d, CLOSE);
}

bool disk_free(struct disk *d, uint64_t *bytes)
{
	bool has;

	pthread_mutex_lock(&d->lock);
	has = d->has_free;
	*bytes = d->free;
	pthread_mutex_unlock(&d->lock);
	return has;
}

char *disk_path(const struct disk *d)
{
	char link[32], path[PATH_MAX];
	ssize_t n;

	/* The file may have come as a descriptor only. */
	snprintf(link, sizeof(link), "/proc/self/fd/%d", d->fd);
	n = readlink(link, path, sizeof(path));
	return n > 0 && (size_t)n < sizeof(path) ? strndup(path, (size_t)n) : NULL;
}
