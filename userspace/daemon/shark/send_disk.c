// SPDX-License-Identifier: GPL-2.0
/*
 * send_disk.c - writes chunks of S.Ha.R.K. to files, one for each chunk
 *
 * Names come from programs: a file is created only in the recording's folder, with the chunk's
 * number followed by a base name without slashes. A file that existed before the recording is
 * replaced when the new file is complete, never written to. A chunk that is sent again is
 * appended, so that no events are lost when a chunk is reused; if that fails, it is truncated
 * again. So a file has only complete chunks at any time.
 */
#include "send_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ktrace/shark_port.h>

#include "base/log.h"
#include "base/output_file.h"
#include "base/write_all.h"

#define PIECE_SLOTS 4096

/* struct disk_file - a file of this recording; kept open so that it can be identified */
struct disk_file {
	struct disk_file *next;
	int fd;
	char name[NAME_MAX];
};

static int write_piece(struct disk *d, int fd, const unsigned char *data, size_t size)
{
	int ret = ktrace_disk_room_ask(&d->room, fd, size);

	if (ret)
		return ret;
	ktrace_disk_room_use(&d->room, size);
	return write_all(fd, data, size);
}

/* Gets the next bytes of the file. Return: their number, 0 at the end, -errno. */
static ssize_t next_bytes(struct slots *slots, unsigned char *to, __u32 *events)
{
	int nr;

	/* Compressed chunks are written unchanged. */
	if (slots->chunk->is_packed)
		return chunk_read(slots->chunk, to, PIECE_SLOTS * CHUNK_SLOT);
	nr = slots_next(slots, to, PIECE_SLOTS);
	if (nr > 0)
		*events += (__u32)nr;
	return nr > 0 ? (ssize_t)nr * (ssize_t)CHUNK_SLOT : nr;
}

static int write_chunk(struct disk *d, int fd, struct chunk *c, __u32 *events)
{
	unsigned char *bytes = malloc(PIECE_SLOTS * CHUNK_SLOT);
	struct slots slots;
	ssize_t n = 0;
	int ret = bytes ? slots_init(&slots, c, &d->is_aborted) : -ENOMEM;

	if (ret) {
		free(bytes);
		return ret;
	}
	do {
		n = next_bytes(&slots, bytes, events);
		ret = n > 0 ? write_piece(d, fd, bytes, (size_t)n) : (int)n;
		if (atomic_load(&d->is_aborted))
			ret = -EINTR;
	} while (!ret && n);
	if (!ret && fsync(fd))
		ret = -errno;
	slots_exit(&slots);
	free(bytes);
	return ret;
}

static struct disk_file *find(const struct disk *d, const char *name)
{
	struct disk_file *f = d->files;

	while (f && strcmp(f->name, name))
		f = f->next;
	return f;
}

/* Checks that the file still has its name. Return: 0; -EEXIST another file has it; -errno. */
static int look_for(const struct disk *d, const struct disk_file *f)
{
	struct stat named, ours;

	if (fstatat(d->folder_fd, f->name, &named, AT_SYMLINK_NOFOLLOW) || fstat(f->fd, &ours))
		return -errno;
	return named.st_dev == ours.st_dev && named.st_ino == ours.st_ino ? 0 : -EEXIST;
}

static void forget(struct disk *d, struct disk_file *f)
{
	struct disk_file **at = &d->files;

	while (*at != f)
		at = &(*at)->next;
	*at = f->next;
	close(f->fd);
	free(f);
}

static int append(struct disk *d, const struct disk_file *f, struct chunk *c,
		  struct disk_done *done)
{
	int ret = look_for(d, f);

	if (ret)
		return ret;
	done->before = lseek(f->fd, 0, SEEK_END);
	ret = write_chunk(d, f->fd, c, &done->events);
	if (ret && ftruncate(f->fd, done->before))
		ret = -errno;
	done->after = lseek(f->fd, 0, SEEK_END);
	return ret;
}

static int open_new(const struct disk *d, const char *name)
{
	const int flags = O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(d->folder_fd, name, flags, OUTPUT_MODE);

	/* A killed ktraced with the same process id has left it. */
	if (fd < 0 && errno == EEXIST && !unlinkat(d->folder_fd, name, 0))
		fd = openat(d->folder_fd, name, flags, OUTPUT_MODE);
	if (fd < 0)
		return -errno;
	fchmod(fd, d->mode ? d->mode : OUTPUT_MODE);
	return fd;
}

static bool is_trace(const struct disk *d, const char *name)
{
	struct stat st;

	return !fstatat(d->folder_fd, name, &st, AT_SYMLINK_NOFOLLOW) &&
	       st.st_dev == d->trace_dev && st.st_ino == d->trace_ino;
}

/* Writes the new file to @f, and gives it its name when it is complete. */
static int fill_new(struct disk *d, struct disk_file *f, struct chunk *c, __u32 *events)
{
	char part[NAME_MAX + 24];
	int ret;

	if (is_trace(d, f->name))
		return -EEXIST;
	snprintf(part, sizeof(part), ".%s.%d.new", f->name, (int)getpid());
	f->fd = open_new(d, part);
	if (f->fd < 0)
		return f->fd;
	ret = write_chunk(d, f->fd, c, events);
	if (!ret && renameat(d->folder_fd, part, d->folder_fd, f->name))
		ret = -errno;
	if (ret) {
		unlinkat(d->folder_fd, part, 0);
		close(f->fd);
		return ret;
	}
	/* Also makes the name durable, as far as the file system can. */
	fsync(d->folder_fd);
	return 0;
}

static int create(struct disk *d, struct chunk *c, struct disk_done *done)
{
	struct disk_file *f = calloc(1, sizeof(*f));
	int ret;

	if (!f)
		return -ENOMEM;
	memcpy(f->name, done->name, sizeof(f->name));
	ret = fill_new(d, f, c, &done->events);
	if (ret) {
		free(f);
		return ret;
	}
	done->is_new = true;
	done->after = lseek(f->fd, 0, SEEK_END);
	f->next = d->files;
	d->files = f;
	return 0;
}

int disk_send(struct disk *d, __u32 number, const char *name, struct chunk *c,
	      struct disk_done *done)
{
	struct disk_file *f;
	int ret;

	*done = (struct disk_done){ 0 };
	name = d->name ? d->name : name;
	if (!ktrace_shark_name_is_fit(name))
		return -EINVAL;
	snprintf(done->name, sizeof(done->name), "%u%s", number, name);
	f = find(d, done->name);
	ret = f ? append(d, f, c, done) : create(d, c, done);
	if (!f || ret != -ENOENT)
		return ret;
	/* The file was removed, so a new one is wanted. */
	forget(d, f);
	return create(d, c, done);
}

void disk_undo(struct disk *d, const struct disk_done *done)
{
	struct disk_file *f = find(d, done->name);

	if (!f || look_for(d, f))
		return;
	/* Another chunk has been appended since. */
	if (lseek(f->fd, 0, SEEK_END) != done->after) {
		log_error("%s has a chunk that should have been removed", f->name);
		return;
	}
	if (!done->is_new) {
		if (ftruncate(f->fd, done->before))
			log_error("%s: %s: cannot remove its last chunk", f->name, strerror(errno));
		return;
	}
	unlinkat(d->folder_fd, f->name, 0);
	forget(d, f);
}

void disk_exit(struct disk *d)
{
	while (d->files)
		forget(d, d->files);
	if (d->folder_fd >= 0)
		close(d->folder_fd);
}
