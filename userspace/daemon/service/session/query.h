/* SPDX-License-Identifier: GPL-2.0 */
/* query.h - what consumers may ask about the service (PFT-85) */
#ifndef KTRACED_SERVICE_SESSION_QUERY_H
#define KTRACED_SERVICE_SESSION_QUERY_H

#include <stdbool.h>

#include "consumer.h"

/*
 * Sends producers, sources, and sessions of the consumer's own user; in several replies if needed.
 */
void query_state(struct consumer *c, struct call *call, bool sessions_only);
void query_capabilities(struct connection *p, struct call *call);

#endif
