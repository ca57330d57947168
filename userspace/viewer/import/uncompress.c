// SPDX-License-Identifier: GPL-2.0
/*
 * uncompress.c - unpacks gzip, zlib, zstd and xz
 *
 * Each library is a row of a table: begin, step, end. A file may consist of several members
 * (frames, streams). Memory is bounded by the libraries' windows: 128 MiB for zstd, 256 MiB for
 * xz; the contents by a limit and by --min-free.
 */
#include "uncompress.h"

#include "base/progress.h"
#include "base/viewer.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define IN_SIZE (64u << 10)
#define OUT_SIZE (256u << 10)
#define XZ_MEMORY (256ull << 20)
/* What atrace writes before its compressed text, after some lines for people */
#define ATRACE "TRACE:\n"
#define ATRACE_HEAD 4096u

/**
 * struct unpacker - one run
 * @in:		compressed bytes, of which @at to @end are unread
 * @is_last:	@in has the file's last bytes
 * @is_between:	a member has ended, and no other has begun
 */
struct unpacker {
	const struct library *library;
	z_stream z;
	ZSTD_DStream *zstd;
	lzma_stream xz;
	unsigned char in[IN_SIZE];
	size_t at;
	size_t end;
	bool is_last;
	bool is_between;
	unsigned char out[OUT_SIZE];
	const char *why;
};

/*
 * struct library - one compression; step() unpacks from in to out, returns the bytes in out, sets
 * why on damage
 */
struct library {
	bool (*begin)(struct unpacker *u);
	size_t (*step)(struct unpacker *u);
	void (*end)(struct unpacker *u);
};

static bool begin_zlib(struct unpacker *u)
{
	/* 32: gzip or zlib, whatever the header says */
	return inflateInit2(&u->z, MAX_WBITS + 32) == Z_OK;
}

/* True if the rest of the file is not another member: padding by zeros is allowed. */
static bool is_rest(struct unpacker *u)
{
	while (u->at < u->end && !u->in[u->at])
		u->at++;
	if (u->at == u->end)
		return true;
	if (u->in[u->at] == 0x1f)
		return false;
	u->why = "followed by other bytes";
	return true;
}

static size_t step_zlib(struct unpacker *u)
{
	int ret;

	if (u->is_between) {
		if (is_rest(u))
			return 0;
		inflateReset(&u->z);
		u->is_between = false;
	}
	u->z.next_in = u->in + u->at;
	u->z.avail_in = (uInt)(u->end - u->at);
	u->z.next_out = u->out;
	u->z.avail_out = OUT_SIZE;
	ret = inflate(&u->z, Z_NO_FLUSH);
	u->at = u->end - u->z.avail_in;
	u->is_between = ret == Z_STREAM_END;
	if (ret != Z_OK && ret != Z_STREAM_END && ret != Z_BUF_ERROR)
		u->why = u->z.msg ? u->z.msg : zError(ret);
	return OUT_SIZE - u->z.avail_out;
}

static void end_zlib(struct unpacker *u)
{
	inflateEnd(&u->z);
}

static bool begin_zstd(struct unpacker *u)
{
	u->zstd = ZSTD_createDStream();
	return u->zstd;
}

static size_t step_zstd(struct unpacker *u)
{
	ZSTD_inBuffer in = { u->in, u->end, u->at };
	ZSTD_outBuffer out = { u->out, OUT_SIZE, 0 };
	const bool is_idle = u->is_between && u->at == u->end;
	const size_t ret = is_idle ? 0 : ZSTD_decompressStream(u->zstd, &out, &in);

	u->at = in.pos;
	u->is_between = !ret;
	if (ZSTD_isError(ret))
		u->why = ZSTD_getErrorName(ret);
	return out.pos;
}

static void end_zstd(struct unpacker *u)
{
	ZSTD_freeDStream(u->zstd);
}

static bool begin_xz(struct unpacker *u)
{
	return lzma_stream_decoder(&u->xz, XZ_MEMORY, LZMA_CONCATENATED) == LZMA_OK;
}

static const char *xz_error(lzma_ret ret)
{
	switch (ret) {
	case LZMA_MEMLIMIT_ERROR:
		return "needs more than 256 MiB of memory";
	case LZMA_FORMAT_ERROR:
		return "followed by other bytes";
	case LZMA_OPTIONS_ERROR:
		return "unsupported options";
	case LZMA_MEM_ERROR:
		return "no memory";
	default:
		return "corrupt data";
	}
}

static size_t step_xz(struct unpacker *u)
{
	lzma_ret ret;

	u->xz.next_in = u->in + u->at;
	u->xz.avail_in = u->end - u->at;
	u->xz.next_out = u->out;
	u->xz.avail_out = OUT_SIZE;
	ret = lzma_code(&u->xz, u->is_last ? LZMA_FINISH : LZMA_RUN);
	u->at = u->end - u->xz.avail_in;
	u->is_between = ret == LZMA_STREAM_END;
	if (ret != LZMA_OK && ret != LZMA_STREAM_END && ret != LZMA_BUF_ERROR)
		u->why = xz_error(ret);
	return OUT_SIZE - u->xz.avail_out;
}

static void end_xz(struct unpacker *u)
{
	lzma_end(&u->xz);
}

static const struct library libraries[] = {
	[COMPRESSION_GZIP] = { begin_zlib, step_zlib, end_zlib },
	[COMPRESSION_ATRACE] = { begin_zlib, step_zlib, end_zlib },
	[COMPRESSION_ZSTD] = { begin_zstd, step_zstd, end_zstd },
	[COMPRESSION_XZ] = { begin_xz, step_xz, end_xz },
};

static const struct {
	const char *begin;
	size_t size;
	enum compression by;
	const char *name;
} magics[] = {
	{ "\x1f\x8b\x08", 3, COMPRESSION_GZIP, "gzip" },
	{ "\x28\xb5\x2f\xfd", 4, COMPRESSION_ZSTD, "zstd" },
	{ "\xfd" "7zXZ\0", 6, COMPRESSION_XZ, "xz" },
	{ "BZh", 3, COMPRESSION_OTHER, "bzip2" },
	{ "\x04\x22\x4d\x18", 4, COMPRESSION_OTHER, "lz4" },
	{ "PK\x03\x04", 4, COMPRESSION_OTHER, "zip" },
	{ "7z\xbc\xaf\x27\x1c", 6, COMPRESSION_OTHER, "7z" },
	{ "LZIP", 4, COMPRESSION_OTHER, "lzip" },
};

/* Returns the offset of atrace's compressed text, 0 = there is none. */
static size_t atrace_at(const unsigned char *head, size_t nr)
{
	const size_t most = nr < ATRACE_HEAD ? nr : ATRACE_HEAD;
	const unsigned char *at = memmem(head, most, ATRACE, sizeof(ATRACE) - 1);
	const size_t text = at ? (size_t)(at - head) + sizeof(ATRACE) - 1 : 0;

	/* A header of zlib is a multiple of 31 */
	if (!text || text + 2 > nr || head[text] != 0x78 ||
	    (head[text] * 256u + head[text + 1]) % 31)
		return 0;
	return text;
}

enum compression compression_of(const unsigned char *head, size_t nr, const char **name)
{
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (nr >= magics[i].size && !memcmp(head, magics[i].begin, magics[i].size)) {
			*name = magics[i].name;
			return magics[i].by;
		}
	/* Frames that zstd skips may precede its first frame. */
	if (nr >= 8 && (head[0] & 0xf0) == 0x50 && !memcmp(head + 1, "\x2a\x4d\x18", 3)) {
		*name = "zstd";
		return COMPRESSION_ZSTD;
	}
	*name = "zlib";
	return atrace_at(head, nr) ? COMPRESSION_ATRACE : COMPRESSION_NONE;
}

/* Reads more of the file once all is used. Return: 0, -errno. */
static int refill(struct unpacker *u, int from, __u64 *read_nr)
{
	ssize_t nr;

	if (u->at < u->end || u->is_last)
		return 0;
	nr = pread(from, u->in, IN_SIZE, (off_t)*read_nr);
	if (nr < 0)
		return -errno;
	u->at = 0;
	u->end = (size_t)nr;
	u->is_last = !nr;
	*read_nr += (__u64)nr;
	progress_at(*read_nr);
	return 0;
}

/* Unpacks everything. Return: 0, -errno. */
static int unpack(struct unpacker *u, int from, int to, __u64 limit, struct uncompress *out)
{
	size_t nr;
	int ret;

	do {
		ret = refill(u, from, &out->read);
		if (ret)
			return ret;
		nr = u->library->step(u);
		if (out->written + nr > limit) {
			nr = (size_t)(limit - out->written);
			u->why = "contents too large";
		}
		ret = nr ? output_write(to, u->out, nr) : 0;
		out->written += nr;
		if (!ret && !u->why && !nr && u->is_last && !u->is_between)
			u->why = "truncated";
	} while (!ret && !u->why && (nr || !u->is_last));
	out->read -= u->end - u->at;
	out->why = u->why;
	return ret;
}

static int start(struct unpacker *u, enum compression by, int from, struct uncompress *out)
{
	ssize_t nr;

	u->library = &libraries[by];
	if (by == COMPRESSION_ATRACE) {
		nr = pread(from, u->in, ATRACE_HEAD, 0);
		out->read = nr > 0 ? atrace_at(u->in, (size_t)nr) : 0;
	}
	return u->library->begin(u) ? 0 : -ENOMEM;
}

int uncompress_file(enum compression by, int from, int to, __u64 limit, struct uncompress *out)
{
	struct unpacker *u = calloc(1, sizeof(*u));
	int ret;

	*out = (struct uncompress){ 0 };
	if (!u)
		return -ENOMEM;
	u->xz = (lzma_stream)LZMA_STREAM_INIT;
	ret = start(u, by, from, out);
	if (!ret) {
		ret = unpack(u, from, to, limit, out);
		u->library->end(u);
	}
	free(u);
	return ret;
}
