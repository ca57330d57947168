/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flush.h - asks producers for all that they have, and waits until they have given it (E.8)
 *
 * The result is true only if each of them acknowledged in time. It comes later in any case, from
 * the loop, never from within flush_start().
 */
#ifndef KTRACED_SERVICE_SESSION_FLUSH_H
#define KTRACED_SERVICE_SESSION_FLUSH_H

#include <stdbool.h>
#include <stdint.h>

#include "producer.h"
#include "session.h"

/* What producers are told: why in the low four bits, who in the next four */
#define FLUSH_PERIODIC 1u
#define FLUSH_STOP 2u
#define FLUSH_CLONE 3u
#define FLUSH_REASON 0xfu
#define FLUSH_BY_SERVICE 0x10u

/* @session: NULL if it went away in the meantime, then @is_done is false. */
typedef void flush_done(struct session *session, void *arg, bool is_done);

/* @timeout_ms: 0: as the session is configured. @arg: what waits. */
void flush_start(struct session *session, uint32_t timeout_ms, uint64_t flags, flush_done *done,
		 void *arg);
/* Return: whether it was awaited. */
bool flush_acknowledge(struct producer *p, uint64_t id);
/* @p is gone. */
void flush_forget_producer(struct session *session, struct producer *p);
/* Nobody waits with @arg any more. */
void flush_forget(struct service *s, const void *arg);
/* The session ends: all that waits is told. */
void flush_cancel(struct session *session);

#endif
