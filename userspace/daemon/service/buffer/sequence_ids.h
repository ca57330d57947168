/* SPDX-License-Identifier: GPL-2.0 */
/* sequence_ids.h - numbers the writers of a session in order: trusted_packet_sequence_id */
#ifndef KTRACED_SERVICE_BUFFER_SEQUENCE_IDS_H
#define KTRACED_SERVICE_BUFFER_SEQUENCE_IDS_H

#include <stdint.h>

#include "trace_buffer.h"

/*
 * Maximum number of writers with ids. Beyond that, some writers get a new id when they write
 * again.
 */
#define SEQUENCE_IDS_MAX (1u << 18)

/* Ids of writers, as in trusted_packet_sequence_id */
struct sequence_ids {
	uint64_t *keys;			/* producer << 16 | writer, 0 = free */
	uint32_t *ids;
	uint32_t room, nr;
	uint32_t last;			/* number of ids given */
};

/* Returns an id from 2 on: 1 is the service itself; 0: out of memory. */
uint32_t sequence_ids_get(struct sequence_ids *s, const struct trace_buffer_origin *origin);
void sequence_ids_exit(struct sequence_ids *s);
/* Makes a clone's packets use the ids of the original. Return: 0 or -ENOMEM. */
int sequence_ids_copy(struct sequence_ids *to, const struct sequence_ids *from);

#endif
