/* SPDX-License-Identifier: GPL-2.0 */
/* central_read.h - packets out of a buffer: read by somebody, or dropped to make room */
#ifndef KTRACED_SERVICE_CENTRAL_READ_H
#define KTRACED_SERVICE_CENTRAL_READ_H

#include "central_ring.h"

/*
 * Drops all of a sequence up to the record @target, that included: its packets go in order, also
 * when they are dropped. The next packet that is read tells it.
 */
void central_drop_until(struct central *c, struct record *target);

#endif
