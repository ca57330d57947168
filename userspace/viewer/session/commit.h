/* SPDX-License-Identifier: GPL-2.0 */
/* commit.h - sends packets to the service, in chunks that are part of the request */
#ifndef VIEWER_SESSION_COMMIT_H
#define VIEWER_SESSION_COMMIT_H

#include "client.h"

/** Event that reports an error in recording, with the texts source and text */
#define ERROR_EVENT "ktrace:error"

struct writer;

/*
 * writer_open - register a writer of one packet sequence
 * @client:	connection of a producer
 * @number:	id of the writer, from 1 to 65535; not that of another open writer
 * @chunk:	last chunk of the previous writer with this id, 0 = there was none
 * @buffer:	id of the buffer to write to
 *
 * Return: the writer, NULL if out of memory.
 */
struct writer *writer_open(struct client *client, __u32 number, __u32 chunk, __u32 buffer);

/*
 * writer_part - send a part of a recording: packets that any reader understands, then the
 * tracefile in pieces
 * @w:		the writer
 * @number:	number of the part, unique among the writers with this id
 * @tracefile:	its name
 * @packets:	name of a trace with the same events, NULL = none; packet fields that only the
 *		service may set are left out
 *
 * Return: 0, -errno.
 */
int writer_part(struct writer *w, __u32 number, const char *tracefile, const char *packets);

/* Sends an ERROR_EVENT. Return: 0, -errno. */
int writer_error(struct writer *w, const char *source, const char *text);

/* @w may be NULL. Return: the number of its last chunk. */
__u32 writer_close(struct writer *w);

#endif
