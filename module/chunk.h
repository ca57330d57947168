/* SPDX-License-Identifier: GPL-2.0 */
/*
 * chunk.h - the kernel's S.Ha.R.K. tracer: its chunks and their memory
 *
 * <linux/ktrace_shark.h> has the functions for other modules.
 */
#ifndef KT_CHUNK_H
#define KT_CHUNK_H

#include <linux/jump_label.h>
#include <linux/kref.h>
#include <linux/types.h>
#include "shark/shark.h"

/**
 * struct kt_chunk_memory - pages that hold a chunk's events
 * @ref:	holders: the table of chunks; each mapping; each job
 * @bytes:	size of @data, whole pages
 * @data:	from vmalloc()
 */
struct kt_chunk_memory {
	struct kref ref;
	u64 bytes;
	void *data;
};

extern struct kt_shark kt_chunk_tracer;
/* The tracer is enabled. */
DECLARE_STATIC_KEY_FALSE(kt_chunk_key);

void kt_chunk_init(u32 clock);
void kt_chunk_exit(void);

/* For the holder of BUSY chunk @n: a reference to its memory, and replacing that memory */
struct kt_chunk_memory *kt_chunk_memory_of(int n);
struct kt_chunk_memory *kt_chunk_memory_alloc(u64 bytes);
struct kt_chunk_memory *kt_chunk_memory_get(struct kt_chunk_memory *m);
void kt_chunk_memory_put(struct kt_chunk_memory *m);
void kt_chunk_replace(int n, struct kt_chunk_memory *m, u64 bytes);

#endif
