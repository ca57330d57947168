/* SPDX-License-Identifier: GPL-2.0 */
/*
 * packets.h - a trace of Perfetto as bytes: its packets, and the fields of a packet without
 * unpacking
 *
 * A trace is a message that repeats field 1, a packet. A packet may be a compressed trace, whose
 * packets take its place. The bytes are untrusted.
 */
#ifndef VIEWER_IMPORT_PERFETTO_PACKETS_H
#define VIEWER_IMPORT_PERFETTO_PACKETS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/* Maximum size of a compressed packet after decompression */
#define PACKETS_MAX (64u << 20)
/* Limit for all of them together: PACKETS_MAX, plus this many times the size of the trace */
#define PACKETS_RATIO 256u
/* Larger packets are not unpacked: unpacking takes up to fifty times their bytes. */
#define PACKET_MAX (16u << 20)

/**
 * struct packet - a packet
 * @data:	its bytes
 * @size:	number of them
 * @number:	place in the trace; packets in a compressed one have its place
 * @at:		its offset in the trace; packets in a compressed one have its offset
 * @is_inner:	it was in a compressed packet
 * @is_behind:	the bytes before it cannot be read
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
 * struct packets_trouble - parts of a trace that cannot be read
 * @nr:		compressed packets that cannot be decompressed, or not to their end
 * @at:		offset of the first of them in the trace
 * @why:	what is wrong with it
 * @end:	offset of bytes that are no packet; valid if packets_walk() returns -EINVAL
 * @gaps:	number of times that a mark of the service followed such bytes
 * @gap_begin:	offset of the first such gap
 * @gap_end:	and of its end
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
 * struct packet_field - a field of a packet
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

/* Reads the field at @at and advances @at. Return: 1, 0 at the end, -EINVAL: it is truncated. */
int packet_next(const struct packet *p, size_t *at, struct packet_field *f);

/**
 * packets_walk - call a function for each packet of a trace
 * @data:	the trace
 * @size:	bytes of @data
 * @take:	called for each packet, even compressed ones; ends the walk unless it returns 0
 * @arg:	for @take
 * @trouble:	out: what could not be read
 *
 * Leaves out compressed packets that cannot be read. After bytes that are no packet, continues at
 * the service's next mark of synchronization.
 *
 * Return: 0, what @take returned, -EINVAL: bytes after the last packet are none, -ENOMEM.
 */
int packets_walk(const unsigned char *data, size_t size,
		 int (*take)(void *arg, const struct packet *p), void *arg,
		 struct packets_trouble *trouble);

#endif
