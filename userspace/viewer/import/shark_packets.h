/* SPDX-License-Identifier: GPL-2.0 */
/* shark_packets.h - packets of S.Ha.R.K. put in order, and what is wrong with them */
#ifndef VIEWER_IMPORT_SHARK_PACKETS_H
#define VIEWER_IMPORT_SHARK_PACKETS_H

#include <linux/ktrace_shark.h>
#include <stdbool.h>
#include <stddef.h>

#include "events/shark.h"

#define PACKETS_HELD 64u	/* packets that come before one is taken for missing */
#ifndef PACKETS_KNOWN
#define PACKETS_KNOWN 65536u	/* packets of which it is known whether they have come */
#define PACKETS_JUMP (1u << 20)	/* a number further on is no packet of this sender */
#endif
#define PACKETS_RANGES 16u

/* struct held_packet - a packet that has come before its turn; @events is 0 if there is none */
struct held_packet {
	__u32 number;
	__u32 events;
	unsigned char slots[KTRACE_SHARK_PACKET_EVENTS * SHARK_SLOT];
};

/**
 * struct packets - the packets of one sender
 * @put:	takes events in the order of packets; 0, -errno
 * @arg:	for @put
 * @error:	first of @put
 * @first:	number of the run that was to be put first
 * @next:	number that is to be put next
 * @newest:	largest number so far
 * @known:	of each number below @newest, modulo how many are known: digest of the packet,
 *		0 = it has not come
 * @held:	by number modulo how many are held
 * @good:	packets
 * @events:	put
 * @missing:	numbers from @first on that have not come; less those that came late
 * @duplicates:	came again
 * @reordered:	came behind a later one
 * @bad:	were no packets: wrong id, size or number of events
 * @runs:	times that the sender began to count
 * @ranges:	first and last of numbers found missing, the first of them
 * @range_nr:	how many there were
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

/* @put and @arg are set. Return: 0, -ENOMEM. */
int packets_init(struct packets *p);
/* A datagram. False: it is no packet. */
bool packets_take(struct packets *p, const unsigned char *data, size_t size);
/* No more will come. */
void packets_end(struct packets *p);
void packets_free(struct packets *p);

#endif
