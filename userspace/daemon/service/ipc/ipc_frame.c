// SPDX-License-Identifier: GPL-2.0
/* ipc_frame.c - splits bytes into frames: a frame stays in place until more is received */
#include "ipc_frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void frames_exit(struct frames *f)
{
	free(f->bytes);
	*f = (struct frames) { 0 };
}

static uint32_t length(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* An incomplete frame always fits: frames_next() has refused longer ones. */
int frames_room(struct frames *f, uint8_t **to, size_t *room)
{
	if (!f->bytes)
		f->bytes = malloc(FRAME_MAX);
	if (!f->bytes)
		return -ENOMEM;
	memmove(f->bytes, f->bytes + f->taken, f->filled - f->taken);
	f->filled -= f->taken;
	f->taken = 0;
	*to = f->bytes + f->filled;
	*room = FRAME_MAX - f->filled;
	return 0;
}

void frames_filled(struct frames *f, size_t size)
{
	f->filled += size;
}

int frames_next(struct frames *f, const uint8_t **message, size_t *size)
{
	size_t rest = f->filled - f->taken;
	uint32_t len;

	if (rest < FRAME_HEADER)
		return 0;
	len = length(f->bytes + f->taken);
	if (len > FRAME_MAX - FRAME_HEADER)
		return -EMSGSIZE;
	if (rest - FRAME_HEADER < len)
		return 0;
	*message = f->bytes + f->taken + FRAME_HEADER;
	*size = len;
	f->taken += FRAME_HEADER + len;
	return 1;
}

size_t frames_rest(struct frames *f)
{
	if (f->taken == f->filled)
		frames_exit(f);
	return f->bytes ? FRAME_MAX : 0;
}
