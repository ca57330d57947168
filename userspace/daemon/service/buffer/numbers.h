/* SPDX-License-Identifier: GPL-2.0 */
/* numbers.h - numbers writers of a session as they are met: trusted_packet_sequence_id */
#ifndef KTRACED_SERVICE_BUFFER_NUMBERS_H
#define KTRACED_SERVICE_BUFFER_NUMBERS_H

#include <stdint.h>

#include "central.h"
#include "service/session/session.h"

/* So many writers have numbers. With more of them, some that come again have a new one. */
#define NUMBERS_MAX (1u << 18)

/* From 2 on: 1 is the service itself. Return: 0: no memory. */
uint32_t numbers_get(struct numbers *s, const struct central_origin *origin);
void numbers_exit(struct numbers *s);
/* A clone's packets have the numbers of the original's. Return: 0 or -ENOMEM. */
int numbers_copy(struct numbers *to, const struct numbers *from);

#endif
