// SPDX-License-Identifier: GPL-2.0
/*
 * shark_packets.c - puts packets of S.Ha.R.K. in order, and counts what is wrong with them
 *
 * A sender numbers its packets from 1. A packet that is too early is held until those before it
 * have arrived, or until too many are held: then those before it are missing. If a missing packet
 * arrives after all, its events are put at once and it counts as reordered. A number seen before
 * is a duplicate if the bytes are the same; otherwise the sender was restarted.
 */
#include "shark_packets.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HEAD 24u

int packets_init(struct packets *p)
{
	p->first = p->next = 1;
	p->runs = 1;
	p->known = calloc(PACKETS_KNOWN, sizeof(*p->known));
	p->held = calloc(PACKETS_HELD, sizeof(*p->held));
	if (p->known && p->held)
		return 0;
	packets_free(p);
	return -ENOMEM;
}

void packets_free(struct packets *p)
{
	free(p->known);
	free(p->held);
	p->known = NULL;
	p->held = NULL;
}

static __u32 get_u32(const unsigned char *at)
{
	return (__u32)at[0] | (__u32)at[1] << 8 | (__u32)at[2] << 16 | (__u32)at[3] << 24;
}

/* FNV-1a; never 0 */
static __u64 digest(const unsigned char *data, size_t size)
{
	__u64 h = 0xcbf29ce484222325ull;

	while (size--)
		h = (h ^ *data++) * 0x100000001b3ull;
	return h ? h : 1;
}

static void put(struct packets *p, const unsigned char *slots, __u32 events)
{
	p->events += events;
	if (!p->error)
		p->error = p->put(p->arg, slots, events);
}

static void miss(struct packets *p, __u32 number)
{
	__u32 (*last)[2] = p->range_nr && p->range_nr <= PACKETS_RANGES ?
		&p->ranges[p->range_nr - 1] : NULL;

	p->missing++;
	if (last && (*last)[1] + 1 == number) {
		(*last)[1] = number;
		return;
	}
	if (p->range_nr < PACKETS_RANGES)
		p->ranges[p->range_nr][0] = p->ranges[p->range_nr][1] = number;
	p->range_nr++;
}

/* Puts the packet whose turn it is if it is held, else counts it as missing. */
static void pass(struct packets *p)
{
	struct held_packet *held = &p->held[p->next % PACKETS_HELD];

	if (held->events && held->number == p->next) {
		put(p, held->slots, held->events);
		held->events = 0;
	} else {
		miss(p, p->next);
	}
	p->next++;
}

static void pass_held(struct packets *p)
{
	const struct held_packet *held;

	for (;;) {
		held = &p->held[p->next % PACKETS_HELD];
		if (!held->events || held->number != p->next)
			return;
		pass(p);
	}
}

/* Moves @newest to @number; marks the numbers in between as not received. */
static void advance(struct packets *p, __u32 number)
{
	__u32 n = number - p->newest < PACKETS_KNOWN ? p->newest + 1 : number - PACKETS_KNOWN + 1;

	for (; n != number + 1; n++)
		p->known[n % PACKETS_KNOWN] = 0;
	p->newest = number;
}

void packets_end(struct packets *p)
{
	while (p->next != p->newest + 1)
		pass(p);
}

/* Begins with @number if it is large: a sender heard late has not lost a million packets. */
static void begin_at(struct packets *p, __u32 number)
{
	p->first = p->next = number > PACKETS_JUMP ? number : 1;
	p->newest = p->next - 1;
}

/* Starts over, as the sender was restarted and counts from 1 again. */
static void begin_anew(struct packets *p, __u32 number)
{
	packets_end(p);
	memset(p->known, 0, PACKETS_KNOWN * sizeof(*p->known));
	begin_at(p, number);
	p->runs++;
}

static void hold(struct packets *p, __u32 number, const unsigned char *slots, __u32 events)
{
	struct held_packet *held;

	while (number - p->next >= PACKETS_HELD)
		pass(p);
	held = &p->held[number % PACKETS_HELD];
	held->number = number;
	held->events = events;
	memcpy(held->slots, slots, (size_t)events * SHARK_SLOT);
	pass_held(p);
}

static bool is_packet(const unsigned char *data, size_t size)
{
	const char id[12] = KTRACE_SHARK_PACKET_ID;
	__u32 number, events;

	if (size < HEAD || size >= KTRACE_SHARK_PACKET_MAX || memcmp(data, id, sizeof(id)))
		return false;
	number = get_u32(data + 12);
	events = get_u32(data + 16);
	/* Numbers begin at 1; the largest one would leave no number for the next packet. */
	return number && number != UINT32_MAX && get_u32(data + 20) == size && events &&
	       events <= KTRACE_SHARK_PACKET_EVENTS && size == HEAD + events * SHARK_SLOT;
}

/* Takes a packet newer than all before. */
static void take_new(struct packets *p, __u32 number, __u64 sum, const unsigned char *data)
{
	advance(p, number);
	p->known[number % PACKETS_KNOWN] = sum;
	hold(p, number, data + HEAD, get_u32(data + 16));
}

/* Takes a packet not newer than @newest: a duplicate, a late one, or one of a new run. */
static void take_old(struct packets *p, __u32 number, __u64 sum, const unsigned char *data)
{
	__u64 *known = &p->known[number % PACKETS_KNOWN];
	const bool is_known = p->newest - number < PACKETS_KNOWN;

	if (is_known && *known == sum) {
		p->duplicates++;
		return;
	}
	p->good++;
	if (!is_known || *known) {
		begin_anew(p, number);
		take_new(p, number, sum, data);
		return;
	}
	*known = sum;
	p->reordered++;
	if (number < p->next) {
		p->missing -= number >= p->first;
		put(p, data + HEAD, get_u32(data + 16));
	} else {
		hold(p, number, data + HEAD, get_u32(data + 16));
	}
}

bool packets_take(struct packets *p, const unsigned char *data, size_t size)
{
	const bool is_good = is_packet(data, size);
	const __u32 number = is_good ? get_u32(data + 12) : 0;

	if (is_good && !p->good)
		begin_at(p, number);
	if (!is_good || (number > p->newest && number - p->newest > PACKETS_JUMP)) {
		p->bad++;
		return false;
	}
	if (number <= p->newest) {
		take_old(p, number, digest(data, size), data);
	} else {
		p->good++;
		take_new(p, number, digest(data, size), data);
	}
	return true;
}
