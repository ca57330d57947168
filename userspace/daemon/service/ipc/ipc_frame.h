/* SPDX-License-Identifier: GPL-2.0 */
/* ipc_frame.h - splits bytes into frames: u32 length, little endian, then a message (PFT-18) */
#ifndef KTRACED_SERVICE_IPC_IPC_FRAME_H
#define KTRACED_SERVICE_IPC_IPC_FRAME_H

#include <stddef.h>
#include <stdint.h>

#define FRAME_HEADER 4
#define FRAME_MAX (128u * 1024)		/* header included */

/* Owner: a peer. Bytes [taken, filled) are not split yet. */
struct frames {
	uint8_t *bytes;		/* FRAME_MAX of them, NULL = no data */
	size_t taken;
	size_t filled;
};

void frames_exit(struct frames *f);
/* Returns where to put the next bytes, and how many fit: at least one. Return: 0 or -ENOMEM. */
int frames_room(struct frames *f, uint8_t **to, size_t *room);
void frames_filled(struct frames *f, size_t size);
/*
 * @message: inside f, valid until frames_room().
 * Return: 1 (one frame), 0 (not yet), -EMSGSIZE (longer than FRAME_MAX).
 */
int frames_next(struct frames *f, const uint8_t **message, size_t *size);
/* Frees memory that is not needed until more is received. Return: bytes of memory in use. */
size_t frames_rest(struct frames *f);

#endif
