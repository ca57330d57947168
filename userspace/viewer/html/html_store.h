/* SPDX-License-Identifier: GPL-2.0 */
/*
 * html_store.h - the deflated pieces of a page, in a temporary file without a name
 *
 * Memory has only the positions of the pieces.
 */
#ifndef VIEWER_HTML_HTML_STORE_H
#define VIEWER_HTML_HTML_STORE_H

#include "base/bytes.h"

struct html_store;

enum html_piece { HTML_NODE, HTML_BLOCK, HTML_PIECE_NR };

/* Return: 0, -errno. */
int html_store_new(struct html_store **out);
void html_store_free(struct html_store *s);
/* Stores piece @id of a kind, which must be new. Return: 0, -errno. */
int html_store_add(struct html_store *s, enum html_piece kind, __u32 id, const struct bytes *b);
/* Returns the highest id of a kind, + 1. */
__u32 html_store_count(const struct html_store *s, enum html_piece kind);
/* Returns the deflated size of a piece, 0 = no such piece. */
size_t html_store_size(const struct html_store *s, enum html_piece kind, __u32 id);
/* Reads a deflated piece to @to, which has room for it. Return: 0, -errno. */
int html_store_read(struct html_store *s, enum html_piece kind, __u32 id, void *to);
/* Inflates a piece and appends it to @to. Return: 0, -errno. */
int html_store_inflate(struct html_store *s, enum html_piece kind, __u32 id, struct bytes *to);
/* Deflates @b and appends the result to @to; stores nothing. Return: 0, -errno. */
int html_store_press(struct html_store *s, const struct bytes *b, struct bytes *to);

#endif
