/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* chunk.h - the state of a chunk, and which one is the target; all with the lock */
#ifndef KT_SHARK_CHUNK_H
#define KT_SHARK_CHUNK_H

#include "shark.h"

/* Facts, which callers cannot change */
#define KT_SHARK_STATE_FLAGS (FTRACE_CHUNK_FLAG_BUSY | FTRACE_CHUNK_FLAG_COMPR)

/* After @off or @clock have changed */
void kt_shark_set_special(struct kt_shark *t);
/* After flags, position or memory of a chunk, the selection, or is_enabled have changed */
void kt_shark_set_limit(struct kt_shark_chunk *c);
void kt_shark_aim(struct kt_shark *t);

struct kt_shark_chunk *kt_shark_find(struct kt_shark *t, int n);
void kt_shark_take(struct kt_shark *t, struct kt_shark_chunk *c);
void kt_shark_put_flags(struct kt_shark *t, int n, __u32 flags, __u32 state);
void kt_shark_describe(const struct kt_shark *t, __u32 n, struct FTrace_Chunk *status);
__u64 kt_shark_overwritten(const struct kt_shark_chunk *c);
void kt_shark_forget(struct kt_shark *t, struct kt_shark_chunk *c);

#endif
