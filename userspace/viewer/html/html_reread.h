/* SPDX-License-Identifier: GPL-2.0 */
/*
 * html_reread.h - events of a block, read from the files again
 *
 * A position is saved after every so many events while they are read. The events of a block are
 * found by their numbers from the nearest position before them. So no event is kept, in memory or
 * elsewhere.
 */
#ifndef VIEWER_HTML_HTML_REREAD_H
#define VIEWER_HTML_HTML_REREAD_H

#include "html_block.h"

#include <ktrace/position.h>

/* struct html_mark - the position of event number @number */
struct html_mark {
	__u64 number;
	struct ktrace_position *place;
};

/**
 * struct html_reread - positions of events
 * @marks:	positions by rising numbers
 * @nr:		how many
 * @cap:	room for this many
 */
struct html_reread {
	struct html_mark *marks;
	size_t nr;
	size_t cap;
};

void html_reread_free(struct html_reread *a);
/* Saves the current position, that of event number @number, if one is due. Return: 0, -errno. */
int html_reread_mark(struct html_reread *a, struct ktrace_traceset *set, __u64 number);
/*
 * Appends block @id of @b, which stores the models' part, in the format of Documentation/html.md;
 * the page begins at @begin. Restores the position in the files. Return: 0, -EIO = the files have
 * changed, -errno.
 */
int html_reread_block(const struct html_reread *a, struct ktrace_traceset *set,
		      struct html_blocks *b, __u32 id, __u64 begin, struct bytes *to);

#endif
