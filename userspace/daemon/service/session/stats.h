/* SPDX-License-Identifier: GPL-2.0 */
/* stats.h - statistics of a session and of the service, for consumers and traces (E.12) */
#ifndef KTRACED_SERVICE_SESSION_STATS_H
#define KTRACED_SERVICE_SESSION_STATS_H

#include "session.h"

/*
 * Includes as many writers, from the first on, as fit in @max bytes.
 * Return: NULL: out of memory. Gives writers their ids, so that packets and statistics agree.
 */
Pft__TraceStats *stats_make(struct session *session, size_t max);
/* Returns an upper bound for statistics without writers, as @session is configured. */
size_t stats_bound(const struct session *session);
void stats_free(Pft__TraceStats *stats);

#endif
