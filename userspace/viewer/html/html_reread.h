/* SPDX-License-Identifier: GPL-2.0 */
/*
 * html_reread.h - events of a block, read from the files again
 *
 * While all events are read, positions are saved every so many of them. From the position before,
 * the events of a block are found by their numbers. So no event is kept, in memory or elsewhere.
 */
#ifndef VIEWER_HTML_HTML_REREAD_H
#define VIEWER_HTML_HTML_REREAD_H

#include "html_block.h"

#include <ktrace/position.h>

/* struct html_mark - a position in front of event number @number */
struct html_mark {
	__u64 number;
	struct ktrace_position *place;
};

/**
 * struct html_reread - where events are
 * @marks:	positions by rising numbers
 * @nr:		how many
 * @cap:	for how many there is room
 */
struct html_reread {
	struct html_mark *marks;
	size_t nr;
	size_t cap;
};

void html_reread_free(struct html_reread *a);
/* Saves where reading is, in front of event number @number, if it is time to. Return: 0, -errno. */
int html_reread_mark(struct html_reread *a, struct ktrace_traceset *set, __u64 number);
/*
 * Appends block @id of @b, which has the models' part stored, as Documentation/html.md has it; the
 * page begins at @begin. The files are where they were then. Return: 0, -EIO they are not what they
 * were, -errno.
 */
int html_reread_block(const struct html_reread *a, struct ktrace_traceset *set,
		      struct html_blocks *b, __u32 id, __u64 begin, struct bytes *to);

#endif
