/* SPDX-License-Identifier: LGPL-2.1 */
/* layout.h - where the parts of a channel are in its mapping */
#ifndef KTRACE_SESSION_LAYOUT_H
#define KTRACE_SESSION_LAYOUT_H

#include <linux/ktrace.h>

#define LAYOUT_PAGE 4096u

/* Returns the number of enable bytes. */
static inline __u32 layout_id_nr(const struct ktrace_control *c)
{
	return c->id_all > c->id_nr ? c->id_all : c->id_nr;
}

/**
 * layout_compute - fill in all offsets, strides and map_size
 * @c:	kind, ring_nr, cpu_nr, block_size, ring_size, thread_size, registry_size,
 *	slot_nr, slot_size, id_nr, id_all, filter_size and note_size are given
 *
 * Return: 0, or -EINVAL for an invalid ring geometry or an overflow.
 */
int layout_compute(struct ktrace_control *c);

/**
 * layout_check - check that the parts a control page describes are inside its mapping
 * @c:		a private copy
 * @map_size:	bytes that are mapped
 *
 * Return: 0 or -EBADMSG.
 */
int layout_check(const struct ktrace_control *c, __u64 map_size);

#endif
