/* SPDX-License-Identifier: GPL-2.0 */
/* batch.h - packets in a row, as in a trace file: tag, length, packet */
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
	uint64_t inner_nr;	/* packets in a single compressed one; 0 = not compressed */
};

void batch_exit(struct batch *b);
void batch_empty(struct batch *b);
/* Adds a packet of two parts; @tail may be empty. Return: false if out of memory. */
bool batch_add(struct batch *b, const uint8_t *head, size_t head_size, const uint8_t *tail,
	       size_t tail_size);
/* Returns the next packet. Return: false at the end. */
bool batch_next(struct batch *b, const uint8_t **packet, size_t *size);
/* Returns the bytes of the whole packets, from the first on, that fit into @max. */
size_t batch_fitting(const struct batch *b, uint64_t max);
/* Counts the packets that begin at @from or later; counts those in a compressed one, too. */
uint64_t batch_count(const struct batch *b, uint64_t from);

#endif
