/* SPDX-License-Identifier: GPL-2.0 */
/* sequence_ids.h - numbers writers of a session as they are met: trusted_packet_sequence_id */
#ifndef KTRACED_SERVICE_BUFFER_SEQUENCE_IDS_H
#define KTRACED_SERVICE_BUFFER_SEQUENCE_IDS_H

#include <stdint.h>

#include "trace_buffer.h"

/* So many writers have numbers. With more of them, some that come again have a new one. */
#define SEQUENCE_IDS_MAX (1u << 18)

/* Numbers of writers, as in trusted_packet_sequence_id */
struct sequence_ids {
	uint64_t *keys;			/* producer << 16 | writer, 0: free */
	uint32_t *ids;
	uint32_t room, nr;
	uint32_t last;			/* how many were given */
};

/* From 2 on: 1 is the service itself. Return: 0: no memory. */
uint32_t sequence_ids_get(struct sequence_ids *s, const struct trace_buffer_origin *origin);
void sequence_ids_exit(struct sequence_ids *s);
/* A clone's packets have the numbers of the original's. Return: 0 or -ENOMEM. */
int sequence_ids_copy(struct sequence_ids *to, const struct sequence_ids *from);

#endif
