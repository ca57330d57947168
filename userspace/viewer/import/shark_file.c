// SPDX-License-Identifier: GPL-2.0
/*
 * shark_file.c - reads files of S.Ha.R.K.: the events of one chunk
 *
 * A file has events in a row without any header, or zstd frames that contain them, or both: a
 * chunk that is sent again is appended to its file. A frame cannot be mistaken for an event, as no
 * code begins like it. Slots with code 0 are empty. The original writes a chunk that has wrapped
 * in memory order, the newest part first: if stamps go back exactly once, and the last is not
 * above the first, reading starts there.
 */
#include "shark_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/viewer.h"

/* Maximum size of a file, and of its frames after decompression */
#ifndef SHARK_BYTES_MAX
#define SHARK_BYTES_MAX (1ull << 32)
#endif
/* Log2 of the largest window of a frame; zstd -19 needs 23. */
#define WINDOW_LOG_MAX 25
#define BAD(f, offset, what) \
	complain_about((f)->path, "offset %llu: " what, (unsigned long long)(offset))

/* zstd(1) begins each frame with this */
static const unsigned char frame_magic[] = { 0x28, 0xb5, 0x2f, 0xfd };

static int load(int fd, unsigned char **bytes, size_t *size)
{
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if ((unsigned long long)st.st_size > SHARK_BYTES_MAX)
		return -EFBIG;
	*bytes = malloc((size_t)st.st_size + 1);
	if (!*bytes)
		return -ENOMEM;
	for (*size = 0; *size < (size_t)st.st_size; *size += (size_t)n) {
		n = read(fd, *bytes + *size, (size_t)st.st_size - *size);
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n < 0)
			return -errno;
		else if (!n)
			break;
	}
	return 0;
}

static int grow(struct shark_file *f)
{
	size_t cap = f->cap ? 2 * f->cap : 1u << 16;
	unsigned char *grown = cap > SHARK_BYTES_MAX ? NULL : realloc(f->slots, cap);

	if (!grown)
		return cap > SHARK_BYTES_MAX ? -EFBIG : -ENOMEM;
	f->slots = grown;
	f->cap = cap;
	return 0;
}

/* Appends all slots that are not empty. */
static int take_slots(struct shark_file *f, const unsigned char *bytes, size_t nr)
{
	struct shark_event e;
	int ret;

	for (; nr--; bytes += SHARK_SLOT) {
		shark_get(bytes, &e);
		if (!e.code)
			continue;
		ret = f->cap < (f->nr + 1) * SHARK_SLOT ? grow(f) : 0;
		if (ret)
			return ret;
		memcpy(f->slots + SHARK_SLOT * f->nr++, bytes, SHARK_SLOT);
	}
	return 0;
}

/*
 * Takes the events of one frame, as far as they go; a slot may span two pieces of the content.
 * Return: bytes of the frame, 0 if it is damaged, -errno.
 */
static ssize_t take_frame(struct shark_file *f, const unsigned char *frame, size_t size)
{
	static unsigned char piece[1u << 17];
	ZSTD_inBuffer in = { .src = frame, .size = size };
	ZSTD_DStream *stream = ZSTD_createDStream();
	size_t left = 1, kept = 0, got;
	int ret = stream ? 0 : -ENOMEM;

	/* Limits the memory, as the frame itself tells how much it needs. */
	if (stream)
		ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	while (!ret && left) {
		ZSTD_outBuffer out = { .dst = piece, .size = sizeof(piece), .pos = kept };

		left = ZSTD_decompressStream(stream, &out, &in);
		if (ZSTD_isError(left) || (out.pos == kept && left && in.pos == in.size))
			break;
		got = out.pos / SHARK_SLOT * SHARK_SLOT;
		ret = take_slots(f, piece, got / SHARK_SLOT);
		kept = out.pos - got;
		memmove(piece, piece + got, kept);
	}
	ZSTD_freeDStream(stream);
	if (ret)
		return ret;
	return left || kept ? 0 : (ssize_t)in.pos;
}

/* Counts the slots from here on, up to a frame. */
static size_t count_slots(const unsigned char *bytes, size_t size)
{
	size_t nr = 0;

	while (size - nr * SHARK_SLOT >= SHARK_SLOT &&
	       memcmp(bytes + nr * SHARK_SLOT, frame_magic, sizeof(frame_magic)))
		nr++;
	return nr;
}

static int take_all(struct shark_file *f, const unsigned char *bytes, size_t size)
{
	size_t at = 0, nr;
	ssize_t n;
	int ret = 0;

	while (!ret && size - at >= sizeof(frame_magic)) {
		if (!memcmp(bytes + at, frame_magic, sizeof(frame_magic))) {
			n = take_frame(f, bytes + at, size - at);
			if (!n)
				BAD(f, at, "damaged zstd frame; what is behind it is left out");
			if (n <= 0)
				return n ? (int)n : 1;
			at += (size_t)n;
			continue;
		}
		nr = count_slots(bytes + at, size - at);
		if (!nr)
			break;
		ret = take_slots(f, bytes + at, nr);
		at += nr * SHARK_SLOT;
	}
	if (ret || at == size)
		return ret;
	BAD(f, at, "less than an event is left");
	return 1;
}

/* Finds the oldest event if the chunk was written in memory order. */
static void find_first(struct shark_file *f)
{
	struct shark_event e, last;
	size_t i, backwards = 0, at = 0;
	__u64 first;

	if (!f->nr)
		return;
	shark_get(f->slots, &last);
	first = last.tsc;
	for (i = 1; i < f->nr; i++, last = e) {
		shark_get(f->slots + i * SHARK_SLOT, &e);
		if (e.tsc >= last.tsc)
			continue;
		backwards++;
		at = i;
	}
	if (backwards == 1 && last.tsc <= first)
		f->first = at;
}

int shark_file_read(struct shark_file *f, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), ret;
	unsigned char *bytes = NULL;
	size_t size = 0;

	*f = (struct shark_file){ .path = path };
	ret = fd < 0 ? -errno : load(fd, &bytes, &size);
	if (!ret)
		ret = take_all(f, bytes, size);
	if (ret < 0)
		complain_about(path, "%s", ret == -EINVAL ? "not a regular file" : strerror(-ret));
	else
		find_first(f);
	free(bytes);
	if (fd >= 0)
		close(fd);
	return ret;
}

bool shark_file_peek(const struct shark_file *f, struct shark_event *e)
{
	if (f->at == f->nr)
		return false;
	shark_get(f->slots + (f->first + f->at) % f->nr * SHARK_SLOT, e);
	return true;
}

void shark_file_free(struct shark_file *f)
{
	free(f->slots);
	*f = (struct shark_file){ .path = f->path };
}
