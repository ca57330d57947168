// SPDX-License-Identifier: GPL-2.0
/* compress.c - makes one packet of many */
#include "compress.h"

#include "service/ipc/wire.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

/* Others wait meanwhile: higher levels take ten times as long for the last few percent. */
#define ZSTD_LEVEL_MAX 9

/* Tag and size of Trace.packet, tag and size of the field in it */
#define HEADER_MAX (1 + WIRE_VARINT_MAX + 2 + WIRE_VARINT_MAX)

enum {
	FIELD_PACKET = 1,
	FIELD_DEFLATE = 50,
	FIELD_ZSTD = 133,
};

size_t compress_bound(enum compress_kind kind, size_t size)
{
	return HEADER_MAX +
	       (kind == COMPRESS_ZSTD ? ZSTD_compressBound(size) : compressBound(size));
}

static ptrdiff_t deflate_all(const uint8_t *in, size_t size, uint8_t *out)
{
	uLongf room = compressBound(size);

	return compress2(out, &room, in, size, Z_DEFAULT_COMPRESSION) == Z_OK ? (ptrdiff_t)room :
									      -ENOMEM;
}

static ptrdiff_t zstd_all(int level, const uint8_t *in, size_t size, uint8_t *out)
{
	const size_t r = ZSTD_compress(out, ZSTD_compressBound(size), in, size,
				       level > ZSTD_LEVEL_MAX ? ZSTD_LEVEL_MAX : level);

	return ZSTD_isError(r) ? -ENOMEM : (ptrdiff_t)r;
}

ptrdiff_t compress_packets(enum compress_kind kind, int level, const uint8_t *trace, size_t size,
			   uint8_t *out)
{
	uint8_t *const data = out + HEADER_MAX;
	uint8_t inner[HEADER_MAX], *end, *to;
	ptrdiff_t r;

	r = kind == COMPRESS_ZSTD ? zstd_all(level, trace, size, data) :
				    deflate_all(trace, size, data);
	if (r < 0)
		return r;
	end = wire_put_varint(inner, (uint64_t)(kind == COMPRESS_ZSTD ? FIELD_ZSTD : FIELD_DEFLATE)
			      << 3 | WIRE_BYTES);
	end = wire_put_varint(end, (uint64_t)r);
	to = wire_put_varint(out, FIELD_PACKET << 3 | WIRE_BYTES);
	to = wire_put_varint(to, (uint64_t)(end - inner + r));
	memcpy(to, inner, (size_t)(end - inner));
	to += end - inner;
	memmove(to, data, (size_t)r);
	return to + r - out;
}
