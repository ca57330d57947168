/* SPDX-License-Identifier: GPL-2.0 */
/*
 * html_store.h - the deflated pieces of a page, in a temporary file that has no name
 *
 * Only where each piece lies is kept in memory.
 */
#ifndef VIEWER_HTML_HTML_STORE_H
#define VIEWER_HTML_HTML_STORE_H

#include "base/bytes.h"

struct html_store;

enum html_piece { HTML_NODE, HTML_BLOCK, HTML_PIECE_NR };

/* Return: 0, -errno. */
int html_store_new(struct html_store **out);
void html_store_free(struct html_store *s);
/* Piece @id of its kind, which is not there yet. Return: 0, -errno. */
int html_store_add(struct html_store *s, enum html_piece kind, __u32 id, const struct bytes *b);
/* How many there are of a kind: the highest id, and 1 */
__u32 html_store_count(const struct html_store *s, enum html_piece kind);
/* Size of a piece, deflated; 0 = there is none */
size_t html_store_size(const struct html_store *s, enum html_piece kind, __u32 id);
/* Reads it, deflated, to @to, which has room for it. Return: 0, -errno. */
int html_store_read(struct html_store *s, enum html_piece kind, __u32 id, void *to);
/* Appends it to @to as it was before it was deflated. Return: 0, -errno. */
int html_store_inflate(struct html_store *s, enum html_piece kind, __u32 id, struct bytes *to);
/* Appends @b, deflated, to @to; nothing is stored. Return: 0, -errno. */
int html_store_press(struct html_store *s, const struct bytes *b, struct bytes *to);

#endif
