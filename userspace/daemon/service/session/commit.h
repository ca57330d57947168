/* SPDX-License-Identifier: GPL-2.0 */
/* commit.h - moves a producer's chunks and patches into buffers (PFT-40..43) */
#ifndef KTRACED_SERVICE_SESSION_COMMIT_H
#define KTRACED_SERVICE_SESSION_COMMIT_H

#include "producer.h"
#include "service.pb-c.h"
#include "service/buffer/trace_buffer.h"
#include "session.h"

/* Taken from the connection, not from the producer's data (PFT-09). */
struct trace_buffer_origin commit_origin(const struct producer *p, uint16_t writer);
/* Performs moves, then patches, then the acknowledgement of a flush. Trusts nothing in @request. */
void commit(struct producer *p, const Pft__CommitDataRequest *request);
/* Takes chunks that @p has written but not committed into buffers of @session. */
void commit_scrape(const struct session *session, struct producer *p);
/* Likewise for buffers of all sessions, in a single pass. */
void commit_scrape_all(struct producer *p);

#endif
