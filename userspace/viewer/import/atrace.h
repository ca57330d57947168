/* SPDX-License-Identifier: GPL-2.0 */
/* atrace.h - marks that Android's programs write into the kernel's trace: "B|123|name" and so on */
#ifndef VIEWER_IMPORT_ATRACE_H
#define VIEWER_IMPORT_ATRACE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * struct atrace_mark - one mark; texts are not terminated
 * @phase:	B, E: slice of the thread; S, F: slice of an id; G, H: slice of a track; I, N:
 *		instant, N of a track; C: value of a counter
 * @pid:	process, 0 = not told
 * @name:	of slice, instant or counter; NULL = none
 * @track:	G, H, N: its track
 * @id:		S, F, G, H: its id
 * @value:	C: the value
 */
struct atrace_mark {
	char phase;
	__u32 pid;
	const char *name;
	size_t name_size;
	const char *track;
	size_t track_size;
	__s64 id;
	__s64 value;
};

/* Parses a mark; false if the text is something else. */
bool atrace_parse(const char *text, size_t size, struct atrace_mark *out);
/* True if the text begins like a mark, so that one that cannot be parsed is wrong. */
bool atrace_is_like(const char *text, size_t size);

#endif
