/* SPDX-License-Identifier: GPL-2.0 */
/* shark_packets.h - puts packets of S.Ha.R.K. in order, and counts what is wrong with them */
#ifndef VIEWER_IMPORT_SHARK_PACKETS_H
#define VIEWER_IMPORT_SHARK_PACKETS_H

#include <linux/ktrace_shark.h>
#include <stdbool.h>
#include <stddef.h>

#include "events/shark.h"

#define PACKETS_HELD 64u	/* packets held before a gap counts as missing */
#ifndef PACKETS_KNOWN
#define PACKETS_KNOWN 65536u	/* latest numbers remembered as received or not */
#define PACKETS_JUMP (1u << 20)	/* a number this far ahead is not a packet of this sender */
#endif
#define PACKETS_RANGES 16u

/* struct held_packet - a packet that arrived before its turn; @events is 0 if there is none */
struct held_packet {
	__u32 number;
	__u32 events;
	unsigned char slots[KTRACE_SHARK_PACKET_EVENTS * SHARK_SLOT];
};

/**
 * struct packets - the packets of one sender
 * @put:	takes events in the order of packets; 0, -errno
 * @arg:	for @put
 * @error:	first error of @put
 * @first:	first number expected in this run
 * @next:	next number to put
 * @newest:	largest number so far
 * @known:	by number modulo PACKETS_KNOWN: digest of the packet, 0 = not received
 * @held:	by number modulo PACKETS_HELD: packets before their turn
 * @good:	packets received
 * @events:	events put
 * @missing:	numbers from @first on that were not received; without those that came late
 * @duplicates:	packets received again
 * @reordered:	packets received after a later one
 * @bad:	datagrams that are not packets: wrong id, size or number of events
 * @runs:	times that the sender began to count from 1
 * @ranges:	first and last of missing numbers, only the first ranges
 * @range_nr:	number of such ranges
 */
struct packets {
	int (*put)(void *arg, const unsigned char *slots, __u32 events);
	void *arg;
	int error;
	__u32 first;
	__u32 next;
	__u32 newest;
	__u64 *known;
	struct held_packet *held;
	__u64 good;
	__u64 events;
	__u64 missing;
	__u64 duplicates;
	__u64 reordered;
	__u64 bad;
	__u64 runs;
	__u32 ranges[PACKETS_RANGES][2];
	__u64 range_nr;
};

/* @put and @arg must be set. Return: 0, -ENOMEM. */
int packets_init(struct packets *p);
/* Takes a datagram; false if it is not a packet. */
bool packets_take(struct packets *p, const unsigned char *data, size_t size);
/* Called when no more packets will come: puts those still held. */
void packets_end(struct packets *p);
void packets_free(struct packets *p);

#endif
