/* SPDX-License-Identifier: LGPL-2.1 */
/* zstd_frame.h - the body of a BLOCK section as a zstd frame */
#ifndef KTRACE_TRACEFILE_ZSTD_FRAME_H
#define KTRACE_TRACEFILE_ZSTD_FRAME_H

#include <stddef.h>

int ktrace_reserve(char **bytes, size_t *cap, size_t size);
int ktrace_zstd_frame_expand(const void *frame, size_t size, void *raw, size_t raw_size);

/**
 * struct packer - makes frames; initially all 0
 * @context:	of libzstd, NULL = not made yet
 * @copy:	the bytes being compressed
 * @copy_cap:	bytes allocated
 * @out:	frames made so far
 * @out_len:	bytes of them
 * @out_cap:	bytes allocated
 */
struct packer {
	void *context;
	char *copy;
	size_t copy_cap;
	char *out;
	size_t out_len;
	size_t out_cap;
};

int ktrace_packer_begin(struct packer *p, size_t total, size_t largest);
size_t ktrace_packer_add(struct packer *p, const void *bytes, size_t size, int level);
void ktrace_packer_free(struct packer *p);

#endif
