/* SPDX-License-Identifier: LGPL-2.1 */
/* packet.h - the packet that an event net:queue or net:receive is about */
#ifndef KTRACE_SYNC_PACKET_H
#define KTRACE_SYNC_PACKET_H

#include <ktrace/traceset.h>

#define PACKET_FIN 0x01u
#define PACKET_SYN 0x02u
#define PACKET_RST 0x04u

/* More than any packet has: BIG TCP ends below a MiB */
#define PACKET_PAYLOAD_MAX (1u << 24)

/* struct packet_key - who talks to whom; in the form of IPv6, without padding */
struct packet_key {
	__u8 src[16];
	__u8 dst[16];
	__u16 src_port;
	__u16 dst_port;
};

_Static_assert(sizeof(struct packet_key) == 36, "compared as bytes");

/**
 * struct packet - a packet of TCP or UDP
 * @key:	addresses and ports
 * @dev:	hash of the name of the device
 * @seq:	TCP: the first sequence number
 * @span:	TCP: how many sequence numbers, of payload, SYN and FIN
 * @payload:	bytes; UDP: of the first datagram, if several are joined
 * @data:	UDP: first bytes of the payload
 * @ip_id:	of IPv4; 0 = none
 * @is_sent:	sent, not received
 * @is_tcp:	of TCP, not of UDP
 * @is_segment:	of TCP without addresses, which only its numbers identify: @data and @payload
 * @is_syn:	TCP: the first packet of a connection in its direction
 */
struct packet {
	struct packet_key key;
	__u32 dev;
	__u32 seq;
	__u32 span;
	__u32 payload;
	__u64 data;
	__u16 ip_id;
	bool is_sent;
	bool is_tcp;
	bool is_segment;
	bool is_syn;
};

/* What an event is. The last ones are packets that cannot be matched: <ktrace/messages.h>. */
enum packet_class {
	PACKET_NONE,		/* another event */
	PACKET_USABLE,
	PACKET_WITHOUT_ADDRESSES,
	PACKET_OTHER,
	PACKET_LOCAL,
	PACKET_INVALID,
};

/* The fields needed of net:queue and net:receive: name, bytes of each element, elements */
#define PACKET_FIELDS(X)	\
	X(ip_src, 1, 16)	\
	X(ip_dst, 1, 16)	\
	X(src_port, 2, 1)	\
	X(dst_port, 2, 1)	\
	X(seq, 4, 1)	\
	X(ack, 4, 1)	\
	X(payload, 4, 1)	\
	X(data, 8, 1)	\
	X(transport, 1, 1)	\
	X(tcp_flags, 1, 1)	\
	X(ip_id, 2, 1)	\
	X(gso_size, 2, 1)	\
	X(protocol, 2, 1)	\
	X(dev, 1, 16)

enum packet_field {
#define X(name, size, count) PACKET_FIELD_##name,
	PACKET_FIELDS(X)
#undef X
	PACKET_FIELD_NR,
};

/**
 * struct packet_type - what is known about an event type
 * @type:	the type, NULL = none yet
 * @need:	bytes that its payload must have
 * @is_net:	net:queue or net:receive
 * @is_sent:	net:queue
 * @is_whole:	has all fields
 * @offset:	of each field in the payload
 */
struct packet_type {
	const struct ktrace_event_type *type;
	__u16 need;
	bool is_net;
	bool is_sent;
	bool is_whole;
	__u16 offset[PACKET_FIELD_NR];
};

#define PACKET_TYPES 256u

/* struct packet_types - the types met last, by their address; all zero at first */
struct packet_types {
	struct packet_type types[PACKET_TYPES];
};

bool ktrace_packet_is_type(const struct ktrace_event_type *type);
void ktrace_packet_bind(struct packet_type *t, const struct ktrace_event_type *type);
enum packet_class ktrace_packet_read(const struct packet_type *t,
				     const struct ktrace_trace_event *e, struct packet *p);
/* True for addresses that several hosts receive; those that end in .255 may be such. */
bool ktrace_packet_is_broadcast(const struct packet_key *key);

/* Returns what is known about the type of an event, NULL if it has none. */
static inline const struct packet_type *packet_type_of(struct packet_types *types,
							const struct ktrace_trace_event *e)
{
	const __u64 at = (__u64)(unsigned long)e->type;
	struct packet_type *t = &types->types[(at >> 4 ^ at >> 12) % PACKET_TYPES];

	if (!e->type)
		return NULL;
	if (t->type != e->type)
		ktrace_packet_bind(t, e->type);
	return t;
}

#endif
