// SPDX-License-Identifier: LGPL-2.1
/*
 * zstd_frame.c - the body of a BLOCK section as a zstd frame
 *
 * A frame from a file is not trusted: it is expanded into at most as many bytes as its section may
 * have, whatever its own header says, and must give exactly as many.
 *
 * The bytes to compress may be in memory that a traced program writes to. The compressor relies on
 * finding the same bytes again, so it gets a copy.
 */
#include "zstd_frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/grow.h"

/*
 * Expands a frame. Returns 0, -EBADMSG if it is not exactly one frame of @raw_size bytes, -ENOMEM.
 */
int ktrace_zstd_frame_expand(const void *frame, size_t size, void *raw, size_t raw_size)
{
	/* Nothing may follow the frame: another reader might stop at its end. */
	if (ZSTD_findFrameCompressedSize(frame, size) != size)
		return -EBADMSG;
	return ZSTD_decompress(raw, raw_size, frame, size) == raw_size ? 0 : -EBADMSG;
}

/* Grows *@bytes, of *@cap bytes, to at least @size. Returns 0, -ENOMEM. */
int ktrace_reserve(char **bytes, size_t *cap, size_t size)
{
	if (size <= *cap)
		return 0;
	if (!LIST_RESIZE(*bytes, size))
		return -ENOMEM;
	*cap = size;
	return 0;
}

/*
 * Prepares for bodies of @total bytes, none longer than @largest; discards earlier frames. Returns
 * 0, -ENOMEM.
 */
int ktrace_packer_begin(struct packer *p, size_t total, size_t largest)
{
	p->out_len = 0;
	if (!p->context)
		p->context = ZSTD_createCCtx();
	if (!p->context || ktrace_reserve(&p->copy, &p->copy_cap, largest))
		return -ENOMEM;
	return ktrace_reserve(&p->out, &p->out_cap, total);
}

/*
 * Adds a frame after those in @p->out. Returns its size, which is less than @size; 0: the bytes do
 * not get shorter.
 */
size_t ktrace_packer_add(struct packer *p, const void *bytes, size_t size, int level)
{
	size_t n;

	if (!size)
		return 0;
	memcpy(p->copy, bytes, size);
	n = ZSTD_compressCCtx(p->context, p->out + p->out_len, size - 1, p->copy, size, level);
	if (ZSTD_isError(n))
		return 0;
	p->out_len += n;
	return n;
}

void ktrace_packer_free(struct packer *p)
{
	ZSTD_freeCCtx(p->context);
	free(p->copy);
	free(p->out);
}
