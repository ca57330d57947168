/* SPDX-License-Identifier: GPL-2.0 */
/* pids.h - a set of process ids, one bit each */
#ifndef KTRACED_BASE_PIDS_H
#define KTRACED_BASE_PIDS_H

#include <linux/types.h>
#include <stdbool.h>

#define PIDS_MAX (1u << 22)	/* the kernel's own limit */

struct pids {
	unsigned char bits[PIDS_MAX / 8];
};

static inline bool pids_has(const struct pids *set, __u32 pid)
{
	return pid < PIDS_MAX && set->bits[pid / 8] & 1u << pid % 8;
}

static inline void pids_set(struct pids *set, __u32 pid, bool value)
{
	const unsigned char bit = (unsigned char)(1u << pid % 8);

	if (pid < PIDS_MAX && value)
		set->bits[pid / 8] |= bit;
	else if (pid < PIDS_MAX)
		set->bits[pid / 8] &= (unsigned char)~bit;
}

#endif
