/* SPDX-License-Identifier: GPL-2.0 */
/* commit.h - chunks and patches of a producer on their way into buffers (PFT-40..43) */
#ifndef KTRACED_SERVICE_SESSION_COMMIT_H
#define KTRACED_SERVICE_SESSION_COMMIT_H

#include "producer.h"
#include "service.pb-c.h"
#include "service/buffer/trace_buffer.h"
#include "session.h"

/* The connection says it, not the producer (PFT-09). */
struct trace_buffer_origin commit_origin(const struct producer *p, uint16_t writer);
/* Moves, then patches, then the flush that is acknowledged. Nothing in @request is trusted. */
void commit(struct producer *p, const Pft__CommitDataRequest *request);
/* Takes what @p has written into buffers of @session and not committed. */
void commit_scrape(const struct session *session, struct producer *p);
/* Into buffers of any session: once, however many there are. */
void commit_scrape_all(struct producer *p);

#endif
