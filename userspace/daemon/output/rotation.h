/* SPDX-License-Identifier: GPL-2.0 */
/* rotation.h - continues a recording in the next file */
#ifndef KTRACED_OUTPUT_ROTATION_H
#define KTRACED_OUTPUT_ROTATION_H

#include "capture_file.h"

/* Called before a block is written: begins the next part if the current one is full. */
void rotation_before(struct capture *c);
/* True if it is time for a new part. */
bool rotation_is_due(const struct capture *c);
/* Notes that a block of stream @i is in the file: the next part begins after it. */
void rotation_see(struct capture *c, __u32 i, const struct ktrace_chunk *chunk, const char *data);
/* Same for a LOST section. */
void rotation_see_lost(struct capture *c, __u32 i, const struct ktrace_lost *sum);
/*
 * Creates the next part and goes on with it. On failure, reports that, goes on with the current
 * part, and tries again later.
 */
void rotation_change(struct capture *c);
/* Same as room_make(), for events: may also end the current part. */
int rotation_make_room(struct capture *c, __u64 size);
/* Ends the beginning of the first part. Return: 0 or -errno. */
int rotation_begin(struct capture *c);

#endif
