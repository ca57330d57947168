/* SPDX-License-Identifier: GPL-2.0 */
/*
 * packets.h - a trace of Perfetto as bytes: its packets, and fields of one that is not unpacked
 *
 * A trace is a message whose field 1 is a packet, many times. A packet may be a trace that is
 * compressed; what is in it comes in its place. Nothing that the bytes say is believed.
 */
#ifndef IMPORT_PERFETTO_PACKETS_H
#define IMPORT_PERFETTO_PACKETS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/* Of a packet that is compressed, when it is not any more */
#define PACKETS_MAX (512u << 20)

/**
 * struct packet - a packet
 * @data:	its bytes
 * @size:	how many
 * @number:	place in the trace; those of a compressed one have its own
 * @is_inner:	it is of a compressed one
 */
struct packet {
	const unsigned char *data;
	size_t size;
	__u64 number;
	bool is_inner;
};

/**
 * struct packet_field - a field
 * @number:	of the field
 * @wire:	0: @value; 2: @size bytes at @data; 1, 5: 8 or 4 bytes at @data
 */
struct packet_field {
	__u32 number;
	__u32 wire;
	__u64 value;
	const unsigned char *data;
	size_t size;
};

/* The field at @at, which goes behind it. Return: 1, 0 at the end, -EINVAL: it is cut. */
int packet_next(const struct packet *p, size_t *at, struct packet_field *f);

/**
 * packets_walk - all packets
 * @data:	the trace
 * @size:	bytes
 * @take:	called for each, also those that are compressed; ends the walk unless it returns 0
 * @arg:	for @take
 *
 * Return: 0, what @take returned, -EINVAL: what is behind the last packet is none, or what is
 * compressed cannot be read, -ENOMEM.
 */
int packets_walk(const unsigned char *data, size_t size,
		 int (*take)(void *arg, const struct packet *p), void *arg);

#endif
