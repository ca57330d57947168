/* SPDX-License-Identifier: LGPL-2.1 */
/* damage.h - reports of damage in a tracefile */
#ifndef KTRACE_DAMAGE_H
#define KTRACE_DAMAGE_H

#include <linux/types.h>

/**
 * struct ktrace_damage - a defect in a file
 * @path:	the file
 * @offset:	where, or KTRACE_OFFSET_NONE if it concerns the file as a whole
 * @message:	description, without newline
 */
struct ktrace_damage {
	const char *path;
	__u64 offset;
	const char *message;
};

#define KTRACE_OFFSET_NONE (~0ull)

#endif
