/* SPDX-License-Identifier: GPL-2.0 */
/* batch.h - packets one after the other, as a trace file has them: tag, length, packet */
#ifndef KTRACED_SERVICE_IPC_BATCH_H
#define KTRACED_SERVICE_IPC_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct batch {
	uint8_t *bytes;
	size_t size;
	size_t room;
	size_t taken;		/* by batch_next() */
	uint64_t inner_nr;	/* packets in the only one, which is compressed; 0: it is not */
};

void batch_exit(struct batch *b);
void batch_empty(struct batch *b);
/* A packet of two parts; @tail may be empty. Return: false: there is no memory for it. */
bool batch_add(struct batch *b, const uint8_t *head, size_t head_size, const uint8_t *tail,
	       size_t tail_size);
/* The next packet. Return: false at the end. */
bool batch_next(struct batch *b, const uint8_t **packet, size_t *size);
/* Bytes of as many whole packets, from the first on, as fit into @max. */
size_t batch_fitting(const struct batch *b, uint64_t max);
/* How many packets begin at @from or later; those that are compressed count one by one. */
uint64_t batch_count(const struct batch *b, uint64_t from);

#endif
