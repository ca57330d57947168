/* SPDX-License-Identifier: LGPL-2.1 */
/* backend.h - where a session's channel comes from: /dev/ktrace or a file */
#ifndef KTRACE_WRITER_BACKEND_H
#define KTRACE_WRITER_BACKEND_H

#include <stdbool.h>
#include <linux/types.h>

/**
 * struct backend_channel - an open channel
 * @fd:		to be mapped, then closed
 * @offset:	of the channel in it
 * @size:	bytes
 */
struct backend_channel {
	int fd;
	__u64 offset;
	__u64 size;
};

/**
 * struct backend - one way to open a channel
 * @name:	the part before the colon in KTRACE_SESSION
 * @is_shared_memory: see struct channel
 * @open:	opens what the part after the colon names, for threads whose words are @thread_word
 *		bytes from their thread pointer (struct ktrace_attach); 0 or -errno
 */
struct backend {
	const char *name;
	bool is_shared_memory;
	int (*open)(const char *where, __s32 thread_word, struct backend_channel *c);
};

const struct backend *backend_find(const char *session, const char **where);

#endif
