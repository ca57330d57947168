/* SPDX-License-Identifier: GPL-2.0 */
/* numbers.h - numbers writers of a session as they are met: trusted_packet_sequence_id */
#ifndef KTRACED_SERVICE_BUFFER_NUMBERS_H
#define KTRACED_SERVICE_BUFFER_NUMBERS_H

#include <stdint.h>

#include "central.h"

/* So many writers have numbers. With more of them, some that come again have a new one. */
#define NUMBERS_MAX (1u << 18)

/* Numbers of writers, as in trusted_packet_sequence_id */
struct numbers {
	uint64_t *keys;			/* producer << 16 | writer, 0: free */
	uint32_t *ids;
	uint32_t room, nr;
	uint32_t last;			/* how many were given */
};

/* From 2 on: 1 is the service itself. Return: 0: no memory. */
uint32_t numbers_get(struct numbers *s, const struct central_origin *origin);
void numbers_exit(struct numbers *s);
/* A clone's packets have the numbers of the original's. Return: 0 or -ENOMEM. */
int numbers_copy(struct numbers *to, const struct numbers *from);

#endif
