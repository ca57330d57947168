/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flush.h - asks producers for all their data, and waits until they have committed it (E.8)
 *
 * The result is true only if all of them acknowledged in time. It is always delivered later, from
 * the loop, never from within flush_start().
 */
#ifndef KTRACED_SERVICE_SESSION_FLUSH_H
#define KTRACED_SERVICE_SESSION_FLUSH_H

#include <stdbool.h>
#include <stdint.h>

#include "producer.h"
#include "session.h"

/* Flags sent to producers: the reason in the low four bits, the initiator in the next four */
#define FLUSH_PERIODIC 1u
#define FLUSH_STOP 2u
#define FLUSH_CLONE 3u
#define FLUSH_REASON 0xfu
#define FLUSH_BY_SERVICE 0x10u

/* @session: NULL if it ended meanwhile; then @is_done is false. */
typedef void flush_done(struct session *session, void *arg, bool is_done);

/* @timeout_ms: 0: as configured for the session. @arg: for @done. */
void flush_start(struct session *session, uint32_t timeout_ms, uint64_t flags, flush_done *done,
		 void *arg);
/* Return: true if the acknowledgement was awaited. */
bool flush_acknowledge(struct producer *p, uint64_t id);
/* Stops waiting for @p, which is gone. */
void flush_forget_producer(struct session *session, struct producer *p);
/* Drops the callbacks of flushes with @arg. */
void flush_forget(struct service *s, const void *arg);
/* Calls back all flushes of a session that ends. */
void flush_cancel(struct session *session);

#endif
