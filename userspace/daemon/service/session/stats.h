/* SPDX-License-Identifier: GPL-2.0 */
/* stats.h - statistics of a session and of the service, as consumers and traces get them (E.12) */
#ifndef KTRACED_SERVICE_SESSION_STATS_H
#define KTRACED_SERVICE_SESSION_STATS_H

#include "session.h"

/*
 * Of the first writers, as many as there is room for in @max bytes.
 * Return: NULL: no memory. Numbers writers as it goes, so that packets and statistics agree.
 */
Pft__TraceStats *stats_make(struct session *session, size_t max);
/* Bytes that statistics take without writers, whatever they count, as @session is configured. */
size_t stats_bound(const struct session *session);
void stats_free(Pft__TraceStats *stats);

#endif
