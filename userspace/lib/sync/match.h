/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * match.h - the internals of matching packets, shared by its parts
 *
 *   packet.c      reads the packet of an event
 *   ranges.c      packets of TCP that wait, and lists of them in order of their numbers
 *   tcp.c         TCP: what hosts sent and received of the bytes of a connection
 *   flows.c       the connections, by addresses and ports
 *   udp.c         UDP: datagrams by all that identifies them
 *   messages.c    hosts, statistics; passes packets on
 */
#ifndef KTRACE_SYNC_MATCH_H
#define KTRACE_SYNC_MATCH_H

#include <ktrace/messages.h>
#include <stdlib.h>

#include "packet.h"

/* A connection's bytes are told apart by 32-bit numbers: those further apart are forgotten. */
#define SEQ_WINDOW (1 << 30)

/* Connections that are known at once, in each direction; a power of two */
#define FLOWS_MAX (1u << 15)

/* More hosts do not send or receive the same bytes, as routers or receivers of a broadcast. */
#define SIDES_MAX 32u

/**
 * struct sighting - a packet that a host sent or received
 * @packet:	the packet
 * @end:	the event, as in messages
 * @host:	number of the host
 */
struct sighting {
	struct packet packet;
	struct ktrace_message_end end;
	__u32 host;
};

enum range_flag {
	RANGE_MATCHED = 1 << 0,		/* an end of a message */
	RANGE_LOCAL = 1 << 1,		/* received by the host that sent it */
	RANGE_REPEATED = 1 << 2,	/* some bytes were sent again */
	RANGE_HAS_FIRST = 1 << 3,	/* @first is known */
};

/**
 * struct range - bytes of TCP that a host sent for the first time, or received
 * @end:	the event
 * @from:	first sequence number
 * @to:		the one after the last
 * @first:	number of the SYN: tells connections apart
 * @payload:	bytes of payload
 * @dev:	hash of the device
 * @ip_id:	of IPv4, 0 = none
 * @flags:	enum range_flag
 */
struct range {
	struct ktrace_message_end end;
	__u32 from;
	__u32 to;
	__u32 first;
	__u32 payload;
	__u32 dev;
	__u16 ip_id;
	__u16 flags;
};

/* struct ranges - the last KTRACE_MESSAGES_PENDING of @nr ranges; a new one replaces the oldest */
struct ranges {
	struct range *at;
	__u64 nr;
};

/* struct range_ref - range number @nr in a list; it may have lost its place */
struct range_ref {
	__u32 nr;
	__u32 to;
};

/**
 * struct range_list - ranges in ascending order of @to, which wraps around
 * @refs:	a circle with room for @cap, a power of two
 * @first:	counts those removed at the front
 * @last:	counts all so far
 * @hint:	the count of the one found last
 */
struct range_list {
	struct range_ref *refs;
	__u32 cap;
	__u32 first;
	__u32 last;
	__u32 hint;
};

#define HOLES_MAX 24u

/**
 * struct sender - a host that sent bytes of a connection in one direction
 * @link:	the next one, NULL = last
 * @sent:	ranges, each sent later than the one before
 * @host:	number of the host
 * @losses:	records that the host had lost at the last packet
 * @next:	the first number not sent yet
 * @first:	number of the SYN
 * @is_known:	@next is valid
 * @has_first:	@first is valid
 */
struct sender {
	struct sender *link;
	struct range_list sent;
	__u32 host;
	__u32 losses;
	__u32 next;
	__u32 first;
	bool is_known;
	bool has_first;
};

/**
 * struct receiver - a host that received bytes of a connection in one direction
 * @link:	the next one, NULL = last
 * @received:	ranges that may be sent by yet another host
 * @host:	number of the host
 * @next:	the number after the highest one received
 * @first:	number of the SYN
 * @is_known:	@next is valid
 * @has_first:	@first is valid
 * @hole_nr:	number of @holes
 * @holes:	numbers below @next that were not received, ascending
 */
struct receiver {
	struct receiver *link;
	struct range_list received;
	__u32 host;
	__u32 next;
	__u32 first;
	bool is_known;
	bool has_first;
	__u32 hole_nr;
	struct hole {
		__u32 from;
		__u32 to;
	} holes[HOLES_MAX];
};

/**
 * struct flow - one direction of a connection
 * @key:	who sends to whom
 * @hash:	of @key
 * @chain:	the next flow with this hash, NULL = last
 * @newer:	list of flows in order of use, like the next one
 * @older:	NULL at the end
 * @used:	number of ranges when it was used last
 * @senders:	hosts that sent
 * @receivers:	hosts that received
 */
struct flow {
	struct packet_key key;
	__u32 hash;
	struct flow *chain;
	struct flow *newer;
	struct flow *older;
	__u64 used;
	struct sender *senders;
	struct receiver *receivers;
};

/* struct flows - connections; @by_hash has FLOWS_MAX lists */
struct flows {
	struct flow **by_hash;
	struct flow *newest;
	struct flow *oldest;
	__u32 nr;
};

struct datagrams;

/**
 * struct ktrace_messages - see <ktrace/messages.h>
 * @set:	the traceset
 * @hosts:	by trace: the number of its host
 * @trace_nr:	number of @hosts
 * @host_nr:	number of hosts
 * @losses:	by host: how many times records were lost
 * @types:	event types met last
 * @ranges:	packets of TCP
 * @flows:	connections of TCP
 * @datagrams:	of UDP
 * @seed:	of hashes
 * @stats:	without @waiting and @given_up of UDP
 * @found:	of the current call
 * @arg:	for @found
 */
struct ktrace_messages {
	const struct ktrace_traceset *set;
	__u32 *hosts;
	size_t trace_nr;
	__u32 host_nr;
	__u32 *losses;
	struct packet_types types;
	struct ranges ranges;
	struct flows flows;
	struct datagrams *datagrams;
	__u64 seed;
	struct ktrace_messages_stats stats;
	ktrace_message_fn found;
	void *arg;
};

/* messages.c */
__u32 ktrace_sync_hash(const struct ktrace_messages *m, const struct packet_key *key);

/* ranges.c */
struct range *ktrace_range_add(struct ktrace_messages *m, const struct range *range);
int ktrace_range_list_reserve(struct range_list *l, const struct ranges *ranges);
void ktrace_range_list_add(struct range_list *l, const struct ranges *ranges,
			   const struct range *r);
void ktrace_range_list_trim(struct range_list *l, const struct ranges *ranges, __u32 next);
__u32 ktrace_range_list_above(struct range_list *l, __u32 number);

/* True if a packet still has its place. */
static inline bool range_is_kept(const struct ranges *ranges, __u32 nr)
{
	return (__u32)ranges->nr - nr <= KTRACE_MESSAGES_PENDING;
}

/* Returns a packet by number, NULL = it has lost its place. */
static inline struct range *range_get(const struct ranges *ranges, __u32 nr)
{
	return range_is_kept(ranges, nr) ? &ranges->at[nr & (KTRACE_MESSAGES_PENDING - 1)] : NULL;
}

/* Forgets all packets, but keeps the room. */
static inline void range_list_empty(struct range_list *l)
{
	l->first = l->last;
}

static inline const struct range_ref *range_ref_at(const struct range_list *l, __u32 place)
{
	return &l->refs[place & (l->cap - 1)];
}

/* True if sequence number @a comes before @b. */
static inline bool seq_before(__u32 a, __u32 b)
{
	return (__s32)(a - b) < 0;
}

static inline bool seq_is_far(__u32 a, __u32 b)
{
	const __s32 distance = (__s32)(a - b);

	return distance > SEQ_WINDOW || distance < -SEQ_WINDOW;
}

/* tcp.c */
int ktrace_tcp_add(struct ktrace_messages *m, const struct sighting *s);
void ktrace_tcp_forget(struct flow *f);

/* flows.c */
struct flow *ktrace_flow_get(struct ktrace_messages *m, const struct packet_key *key);
void ktrace_flows_free(struct flows *flows);

/* udp.c */
int ktrace_datagrams_new(struct datagrams **out);
void ktrace_datagrams_free(struct datagrams *d);
void ktrace_datagram_add(struct ktrace_messages *m, const struct sighting *s);
void ktrace_datagrams_end(struct ktrace_messages *m);

#endif
