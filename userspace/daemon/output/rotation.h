/* SPDX-License-Identifier: GPL-2.0 */
/* rotation.h - a recording goes on in the next file */
#ifndef KTRACED_OUTPUT_ROTATION_H
#define KTRACED_OUTPUT_ROTATION_H

#include "capture_file.h"

/* A block is to be written: if the present part is full, the next one begins. */
void rotation_before(struct capture *c);
/* Is it time for a new part? */
bool rotation_is_due(const struct capture *c);
/* A block of stream @i is in the file: where the stream goes on in the next one. */
void rotation_see(struct capture *c, __u32 i, const struct ktrace_chunk *chunk, const char *data);
/* The same for a LOST section. */
void rotation_see_lost(struct capture *c, __u32 i, const struct ktrace_lost *sum);
/*
 * Makes the next part and goes on with it. If that fails it is said, and the present one goes
 * on; it is tried again later.
 */
void rotation_change(struct capture *c);
/* room_make() for events: the present part may end for that, too. */
int rotation_make_room(struct capture *c, __u64 size);
/* Ends the beginning of the first part. Return: 0, -errno. */
int rotation_begin(struct capture *c);

#endif
