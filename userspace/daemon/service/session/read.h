/* SPDX-License-Identifier: GPL-2.0 */
/* read.h - a session's packets on their way out: stamped, filtered, compressed */
#ifndef KTRACED_SERVICE_SESSION_READ_H
#define KTRACED_SERVICE_SESSION_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "service/ipc/batch.h"
#include "session.h"

/* So long who reads waits when packets_lost has grown: others go on, and may free memory. */
#define MEMORY_MS 10

/* What is complete now is to be read, in as many calls of session_read() as that takes. */
void session_read_begin(struct session *session);
/* Empties @b, then puts packets of about @limit bytes into it. Return: whether there is more. */
bool session_read(struct session *session, struct batch *b, size_t limit);
/* Empties @b, then puts the statistics into it, if they are wanted: of @max bytes, if possible. */
void session_read_stats(struct session *session, struct batch *b, size_t max);

#endif
