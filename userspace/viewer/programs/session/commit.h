/* SPDX-License-Identifier: GPL-2.0 */
/* commit.h - packets of a file as chunks that go to the service as bytes */
#ifndef SESSION_COMMIT_H
#define SESSION_COMMIT_H

#include "client.h"

/** struct commit - a producer's writers: the number of the last one */
struct commit {
	__u32 writer;
};

/*
 * commit_file - all packets of a trace, by a writer of their own
 * @c:		numbers of writers
 * @client:	connection of a producer
 * @path:	the trace
 * @buffer:	where to
 *
 * What only the service may say of a packet is left out of it.
 * Return: 0, -errno.
 */
int commit_file(struct commit *c, struct client *client, const char *path, __u32 buffer);

#endif
