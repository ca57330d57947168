/* SPDX-License-Identifier: GPL-2.0 */
/* seal.h - a debug build's check that no ring is written after its session's end */
#ifndef KT_SEAL_H
#define KT_SEAL_H

#include <linux/types.h>

struct kt_ring;

/**
 * struct kt_seal_place - where something was written too late
 * @session:	id of the session that had ended
 * @ring:	number of the ring in its kernel channel
 * @off:	of the first byte that differs, from the beginning of the ring's words
 */
struct kt_seal_place {
	u64 session;
	u32 ring;
	u32 off;
};

#ifdef KT_DEBUG
void kt_seal_rings(u64 session, const struct kt_ring *rings, u32 nr);
bool kt_seal_find(struct kt_seal_place *place);
void kt_seal_exit(void);
#else
static inline void kt_seal_rings(u64 session, const struct kt_ring *rings, u32 nr) { }
static inline void kt_seal_exit(void) { }
#endif

#endif
