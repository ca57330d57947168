/* SPDX-License-Identifier: GPL-2.0 */
/*
 * packets.h - a trace of Perfetto as bytes: its packets, and fields of one that is not unpacked
 *
 * A trace is a message whose field 1 is a packet, many times. A packet may be a trace that is
 * compressed; what is in it comes in its place. Nothing that the bytes say is believed.
 */
#ifndef VIEWER_IMPORT_PERFETTO_PACKETS_H
#define VIEWER_IMPORT_PERFETTO_PACKETS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/* Of a packet that is compressed, when it is not any more */
#define PACKETS_MAX (64u << 20)
/* All of them, besides as much as one may have: so many times the bytes of the trace */
#define PACKETS_RATIO 256u
/* Larger ones are not unpacked: what is in one takes up to fifty times its bytes. */
#define PACKET_MAX (16u << 20)

/**
 * struct packet - a packet
 * @data:	its bytes
 * @size:	how many
 * @number:	place in the trace; those of a compressed one have its own
 * @at:		bytes of the trace before it; those of a compressed one have its own
 * @is_inner:	it is of a compressed one
 * @is_behind:	what is before it cannot be read
 */
struct packet {
	const unsigned char *data;
	size_t size;
	__u64 number;
	__u64 at;
	bool is_inner;
	bool is_behind;
};

/**
 * struct packets_trouble - what could not be read
 * @nr:		compressed packets that cannot be unpacked, or not to their end
 * @at:		bytes of the trace before the first of them
 * @why:	what it has
 * @end:	bytes before what is no packet; of use if packets_walk() returns -EINVAL
 * @gaps:	how often that was so, and a mark of the service came later
 * @gap_begin:	bytes before the first of them
 * @gap_end:	and to its end
 */
struct packets_trouble {
	__u64 nr;
	__u64 at;
	const char *why;
	__u64 end;
	__u64 gaps;
	__u64 gap_begin;
	__u64 gap_end;
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
 * @trouble:	what could not be read
 *
 * What is compressed and cannot be read is left out. Behind what is no packet it goes on where the
 * service has put its mark of synchronization.
 *
 * Return: 0, what @take returned, -EINVAL: what is behind the last packet is none, -ENOMEM.
 */
int packets_walk(const unsigned char *data, size_t size,
		 int (*take)(void *arg, const struct packet *p), void *arg,
		 struct packets_trouble *trouble);

#endif
