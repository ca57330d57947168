/* SPDX-License-Identifier: GPL-2.0 */
/* read.h - reads a session's packets: stamped, filtered, compressed */
#ifndef KTRACED_SERVICE_SESSION_READ_H
#define KTRACED_SERVICE_SESSION_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "service/ipc/batch.h"
#include "session.h"

/* Pause of a reader when packets_lost has grown: others may free memory meanwhile */
#define MEMORY_MS 10

/* Begins to read what is complete now, by as many calls of session_read() as that takes. */
void session_read_begin(struct session *session);
/* Empties @b, then adds packets of about @limit bytes. Return: true if there are more. */
bool session_read(struct session *session, struct batch *b, size_t limit);
/* Empties @b, then adds the statistics if they are wanted: at most @max bytes, if possible. */
void session_read_stats(struct session *session, struct batch *b, size_t max);

#endif
