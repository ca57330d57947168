/* SPDX-License-Identifier: GPL-2.0 */
/* commit.h - packets as chunks that go to the service as bytes */
#ifndef VIEWER_SESSION_COMMIT_H
#define VIEWER_SESSION_COMMIT_H

#include "client.h"

/** Event that says that something is not in the trace: texts source, text */
#define ERROR_EVENT "ktrace:error"

struct writer;

/*
 * writer_open - chunks of one sequence
 * @client:	connection of a producer
 * @number:	of the writer, from 1 to 65535; no other that is open has it
 * @chunk:	number of the last chunk of an earlier one of this number, 0 = there was none
 * @buffer:	where to
 *
 * Return: NULL: no memory.
 */
struct writer *writer_open(struct client *client, __u32 number, __u32 chunk, __u32 buffer);

/*
 * writer_part - a part of a recording: what others understand of it, then the tracefile in pieces
 * @w:		the writer
 * @number:	of the part, which no other one of this writer's number has
 * @tracefile:	its name
 * @packets:	name of a trace of its events, NULL = there is none; what only the service may say
 *		of a packet is left out of it
 *
 * Return: 0, -errno.
 */
int writer_part(struct writer *w, __u32 number, const char *tracefile, const char *packets);

/* Such an event. Return: 0, -errno. */
int writer_error(struct writer *w, const char *source, const char *text);

/* NULL is allowed. Return: the number of its last chunk. */
__u32 writer_close(struct writer *w);

#endif
