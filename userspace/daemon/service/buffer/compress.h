/* SPDX-License-Identifier: GPL-2.0 */
/* compress.h - makes one packet of many: compressed_packets, zstd_compressed_packets */
#ifndef KTRACED_SERVICE_BUFFER_COMPRESS_H
#define KTRACED_SERVICE_BUFFER_COMPRESS_H

#include <stddef.h>
#include <stdint.h>

enum compress_kind {
	COMPRESS_NONE,
	COMPRESS_DEFLATE,
	COMPRESS_ZSTD,
};

/* Returns the room for the compressed packet of @size bytes, header included. */
size_t compress_bound(enum compress_kind kind, size_t size);
/*
 * @trace: whole fields Trace.packet, as in a file. @level: for zstd, 0 = its default.
 * @out: one field Trace.packet that contains them. Return: its size, or -ENOMEM.
 */
ptrdiff_t compress_packets(enum compress_kind kind, int level, const uint8_t *trace, size_t size,
			   uint8_t *out);

#endif
