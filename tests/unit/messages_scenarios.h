/* SPDX-License-Identifier: GPL-2.0 */
/* messages_scenarios.h - packets of hosts, and which are messages: cases of test_messages.c */
#ifndef TESTS_UNIT_MESSAGES_SCENARIOS_H
#define TESTS_UNIT_MESSAGES_SCENARIOS_H

#include "make_packets.h"

enum { A, B, R };			/* hosts; R is a router */
enum { Q, V, MISSING };			/* queued, received, records are missing */
enum { DIRECT, BACK, V6, REUSED_NET, NAT, LOOP, MULTICAST, DIRECTED, FLOWS };
enum { FIN = 1, SYN = 2, RST = 4, ACK = 16 };

static const struct {
	__u32 src, dst;
	__u16 src_port, dst_port;
} flows[FLOWS] = {
	[DIRECT] = { 0x0a000001, 0x0a000002, 4000, 80 },
	[BACK] = { 0x0a000002, 0x0a000001, 80, 4000 },
	[V6] = { 1, 2, 4000, 80 },
	[REUSED_NET] = { 0xac110002, 0xac110003, 4000, 80 },
	[NAT] = { 0x0a000009, 0x0a000002, 4000, 80 },
	[LOOP] = { 0x7f000001, 0x7f000001, 4000, 80 },
	[MULTICAST] = { 0x0a000001, 0xe0000001, 5353, 5353 },
	[DIRECTED] = { 0x0a000001, 0x0a0000ff, 5353, 5353 },
};

/* struct row - an event; TCP if @is_udp is not set */
struct row {
	int host;
	int op;
	int flow;
	__u32 seq;
	__u32 payload;
	int flags;
	int id;
	int dev;
	bool is_udp;
	__u64 data;
	__u16 gso_size;
};

/* struct pair - a message: numbers of two rows */
struct pair {
	int from;
	int to;
	bool is_retransmitted;
	enum ktrace_message_kind kind;
};

/* struct scenario - @is_in_order: other orders have another result, which the text says */
struct scenario {
	const char *name;
	bool is_in_order;
	struct row rows[20];
	struct pair pairs[12];
	struct ktrace_messages_stats stats;
};

#define OF(host_, op_, flow_, seq_, payload_, ...) \
	{ .host = host_, .op = op_, .flow = flow_, .seq = seq_, .payload = payload_, __VA_ARGS__ }
#define TCP(host_, op_, ...) OF(host_, op_, DIRECT, __VA_ARGS__)
#define UDP(host_, op_, flow_, id_, payload_, data_, ...) \
	{ .host = host_, .op = op_, .flow = flow_, .payload = payload_, .id = id_, .is_udp = true, \
	  .data = data_, __VA_ARGS__ }
#define PAIR(from_, to_, ...) { .from = from_, .to = to_, __VA_ARGS__ }
#define UDP_PAIR(from_, to_) PAIR(from_, to_, .kind = KTRACE_MESSAGE_UDP)
#define PEERS(from_, to_) PAIR(from_, to_, .kind = KTRACE_MESSAGE_BROADCAST)
#define MATCHED(n) .messages[KTRACE_MESSAGE_TCP] = n
#define BOTH(nr) .sent = nr, .received = nr

static const struct scenario scenarios[] = {
	{ "a connection from its beginning to its end",
	  .rows = {
		TCP(A, Q, 100, 0, SYN, 1), TCP(B, V, 100, 0, SYN, 1),
		OF(B, Q, BACK, 900, 0, SYN | ACK, 1), OF(A, V, BACK, 900, 0, SYN | ACK, 1),
		TCP(A, Q, 101, 0, ACK, 2), TCP(B, V, 101, 0, ACK, 2),
		TCP(A, Q, 101, 50, ACK, 3), TCP(B, V, 101, 50, ACK, 3),
		TCP(A, Q, 151, 0, FIN | ACK, 4), TCP(B, V, 151, 0, FIN | ACK, 4),
	  },
	  .pairs = { PAIR(1, 2), PAIR(3, 4), PAIR(7, 8), PAIR(9, 10) },
	  .stats = { .sent = 5, .received = 5, MATCHED(4), .matched = 8, .other = 2 } },
	{ "TSO: one packet sent, three received",
	  .rows = {
		TCP(A, Q, 0, 0, SYN), TCP(A, Q, 1, 300),
		TCP(B, V, 1, 100), TCP(B, V, 101, 100), TCP(B, V, 201, 100),
	  },
	  .pairs = { PAIR(2, 3), PAIR(2, 4), PAIR(2, 5) },
	  .stats = { .sent = 2, .received = 3, MATCHED(3), .matched = 4, .waiting = 1 } },
	{ "GRO: three sent, one received, with the last one",
	  .rows = {
		TCP(A, Q, 0, 0, SYN), TCP(A, Q, 1, 100), TCP(A, Q, 101, 100), TCP(A, Q, 201, 100),
		TCP(B, V, 1, 300),
	  },
	  .pairs = { PAIR(4, 5) },
	  .stats = { .sent = 4, .received = 1, MATCHED(1), .matched = 2, .waiting = 3 } },
	{ "both: cut and joined at other places",
	  .rows = {
		TCP(A, Q, 0, 0, SYN), TCP(A, Q, 1, 150), TCP(A, Q, 151, 150), TCP(A, Q, 301, 150),
		TCP(B, V, 1, 100), TCP(B, V, 101, 200), TCP(B, V, 301, 150),
	  },
	  .pairs = { PAIR(2, 5), PAIR(3, 6), PAIR(4, 7) },
	  .stats = { .sent = 4, .received = 3, MATCHED(3), .matched = 6, .waiting = 1 } },
	{ "sent again: the first time counts, and the message says so", .is_in_order = true,
	  .rows = {
		TCP(A, Q, 0, 0, SYN, 1), TCP(A, Q, 1, 100, 0, 2), TCP(A, Q, 101, 100, 0, 3),
		TCP(A, Q, 1, 100, 0, 4), TCP(B, V, 101, 100, 0, 3), TCP(B, V, 1, 100, 0, 4),
	  },
	  .pairs = { PAIR(3, 5), PAIR(2, 6, .is_retransmitted = true) },
	  .stats = { .sent = 4, .received = 2, MATCHED(2), .matched = 4, .waiting = 1,
		     .retransmitted = 1 } },
	{ "sent again with new bytes",
	  .rows = {
		TCP(A, Q, 0, 0, SYN), TCP(A, Q, 1, 100), TCP(A, Q, 1, 200), TCP(B, V, 1, 200),
	  },
	  .pairs = { PAIR(3, 4, .is_retransmitted = true) },
	  .stats = { .sent = 3, .received = 1, MATCHED(1), .matched = 2, .waiting = 2 } },
	{ "SYN sent again", .is_in_order = true,
	  .rows = { TCP(A, Q, 0, 0, SYN, 1), TCP(A, Q, 0, 0, SYN, 2), TCP(B, V, 0, 0, SYN, 2) },
	  .pairs = { PAIR(1, 3, .is_retransmitted = true) },
	  .stats = { .sent = 2, .received = 1, MATCHED(1), .matched = 2, .retransmitted = 1 } },
	{ "packets overtake each other",
	  .rows = {
		TCP(A, Q, 0, 0, SYN), TCP(A, Q, 1, 100), TCP(A, Q, 101, 100), TCP(A, Q, 201, 100),
		TCP(B, V, 201, 100), TCP(B, V, 1, 100), TCP(B, V, 101, 100),
	  },
	  .pairs = { PAIR(4, 5), PAIR(2, 6), PAIR(3, 7) },
	  .stats = { .sent = 4, .received = 3, MATCHED(3), .matched = 6, .waiting = 1 } },
	{ "a packet is lost on the way",
	  .rows = {
		TCP(A, Q, 0, 0, SYN), TCP(A, Q, 1, 100), TCP(A, Q, 101, 100), TCP(B, V, 101, 100),
	  },
	  .pairs = { PAIR(3, 4) },
	  .stats = { .sent = 3, .received = 1, MATCHED(1), .matched = 2, .waiting = 2 } },
	{ "a packet arrives twice: the first time counts",
	  .rows = {
		TCP(A, Q, 0, 0, SYN), TCP(A, Q, 1, 100), TCP(B, V, 1, 100), TCP(B, V, 1, 100),
	  },
	  .pairs = { PAIR(2, 3) },
	  .stats = { .sent = 2, .received = 2, MATCHED(1), .matched = 2, .waiting = 1,
		     .duplicate = 1 } },
	{ "the numbers wrap around",
	  .rows = {
		TCP(A, Q, 0xffffff00, 0, SYN), TCP(B, V, 0xffffff00, 0, SYN),
		TCP(A, Q, 0xffffff01, 200), TCP(A, Q, 0xffffffc9, 200), TCP(A, Q, 0x91, 200),
		TCP(B, V, 0xffffff01, 400), TCP(B, V, 0x91, 200),
	  },
	  .pairs = { PAIR(1, 2), PAIR(4, 6), PAIR(5, 7) },
	  .stats = { .sent = 4, .received = 3, MATCHED(3), .matched = 6, .waiting = 1 } },
	{ "a port is used again: the old numbers are above the new ones",
	  .rows = {
		TCP(A, Q, 1000, 0, SYN), TCP(A, Q, 1001, 100), TCP(B, V, 1000, 0, SYN),
		TCP(B, V, 1001, 100),
		TCP(A, Q, 500, 0, SYN), TCP(A, Q, 501, 600), TCP(B, V, 500, 0, SYN),
		TCP(B, V, 501, 600),
	  }, .is_in_order = true,	/* otherwise messages of the first connection are lost */
	  .pairs = { PAIR(1, 3), PAIR(2, 4), PAIR(5, 7), PAIR(6, 8) },
	  .stats = { BOTH(4), MATCHED(4), .matched = 8 } },
	{ "a port is used again: the new numbers are above, so both connections can wait",
	  .rows = {
		TCP(A, Q, 1000, 0, SYN), TCP(A, Q, 1001, 100), TCP(B, V, 1000, 0, SYN),
		TCP(B, V, 1001, 100),
		TCP(A, Q, 5000, 0, SYN), TCP(A, Q, 5001, 600), TCP(B, V, 5000, 0, SYN),
		TCP(B, V, 5001, 600),
	  },
	  .pairs = { PAIR(1, 3), PAIR(2, 4), PAIR(5, 7), PAIR(6, 8) },
	  .stats = { BOTH(4), MATCHED(4), .matched = 8 } },
	{ "a device on the way changes addresses",
	  .rows = {
		TCP(A, Q, 0, 0, SYN), TCP(A, Q, 1, 100),
		OF(B, V, NAT, 0, 0, SYN), OF(B, V, NAT, 1, 100),
	  },
	  .stats = { BOTH(2), .waiting = 4 } },
	{ "a device on the way changes numbers: the same numbers are other bytes",
	  .rows = {
		TCP(A, Q, 1000, 0, SYN), TCP(A, Q, 1001, 100), TCP(B, V, 950, 0, SYN),
		TCP(B, V, 951, 60), TCP(B, V, 1011, 40),
	  },
	  .stats = { .sent = 2, .received = 3, .waiting = 5 } },
	{ "two devices: the last one that sent, the first one that received", .is_in_order = true,
	  .rows = {
		TCP(A, Q, 0, 0, SYN, 1, 0), TCP(A, V, 0, 0, SYN, 1, 5), TCP(A, Q, 0, 0, SYN, 1, 1),
		TCP(A, Q, 1, 100, 0, 2, 0), TCP(A, Q, 1, 100, 0, 2, 1),
		TCP(B, V, 0, 0, SYN, 1, 0), TCP(B, V, 0, 0, SYN, 1, 1), TCP(B, V, 1, 100, 0, 2, 0),
	  },
	  .pairs = { PAIR(3, 6), PAIR(5, 8) },
	  .stats = { .sent = 4, .received = 4, MATCHED(2), .matched = 4, .local = 1,
		     .passed_on = 2, .duplicate = 1 } },
	{ "two devices, sent again with another number: the first time counts",
	  .is_in_order = true,
	  .rows = {
		TCP(A, Q, 0, 0, SYN, 1, 0), TCP(A, Q, 0, 0, SYN, 1, 1),
		TCP(A, Q, 0, 0, SYN, 2, 0), TCP(A, Q, 0, 0, SYN, 2, 1), TCP(B, V, 0, 0, SYN, 2, 0),
	  },
	  .pairs = { PAIR(2, 5, .is_retransmitted = true) },
	  .stats = { .sent = 4, .received = 1, MATCHED(1), .matched = 2, .passed_on = 2,
		     .retransmitted = 1 } },
	{ "two devices without a number, as with IPv6: the first one counts",
	  .rows = {
		OF(A, Q, V6, 0, 0, SYN, 0, 0), OF(A, Q, V6, 0, 0, SYN, 0, 1),
		OF(B, V, V6, 0, 0, SYN, 0, 0),
	  },
	  .pairs = { PAIR(1, 3) },
	  .stats = { .sent = 2, .received = 1, MATCHED(1), .matched = 2, .passed_on = 1 } },
	{ "IPv6", .rows = { OF(A, Q, V6, 7, 0, SYN), OF(B, V, V6, 7, 0, SYN) },
	  .pairs = { PAIR(1, 2) },
	  .stats = { BOTH(1), MATCHED(1), .matched = 2 } },
	{ "a router passes on",
	  .rows = {
		TCP(A, Q, 0, 0, SYN, 1), TCP(R, V, 0, 0, SYN, 1, 0), TCP(R, Q, 0, 0, SYN, 1, 1),
		TCP(B, V, 0, 0, SYN, 1),
	  },
	  .pairs = { PAIR(1, 2), PAIR(1, 4), PAIR(3, 4) },
	  .stats = { BOTH(2), MATCHED(3), .matched = 4 } },
	{ "networks within two hosts with the same addresses",
	  .rows = {
		OF(A, Q, REUSED_NET, 0, 0, SYN), OF(A, V, REUSED_NET, 0, 0, SYN, .dev = 1),
		OF(B, Q, REUSED_NET, 0, 0, SYN), OF(B, V, REUSED_NET, 0, 0, SYN, .dev = 1),
		UDP(A, Q, REUSED_NET, 1, 9, 1), UDP(A, V, REUSED_NET, 1, 9, 1, .dev = 1),
		UDP(B, Q, REUSED_NET, 1, 9, 1), UDP(B, V, REUSED_NET, 1, 9, 1, .dev = 1),
	  },
	  .stats = { BOTH(4), .waiting = 2, .local = 6 } },
	{ "loopback",
	  .rows = { OF(A, Q, LOOP, 0, 0, SYN), OF(A, V, LOOP, 0, 0, SYN),
	  	OF(B, V, LOOP, 0, 0, SYN) },
	  .stats = { .sent = 1, .received = 2, .local = 3 } },
	{ "keepalive and an empty packet",
	  .rows = {
		TCP(A, Q, 0, 0, SYN), TCP(A, Q, 1, 100), TCP(B, V, 1, 100),
		TCP(A, Q, 100, 1), TCP(B, V, 100, 1), TCP(A, Q, 100, 0, ACK),
		TCP(B, V, 100, 0, ACK),
		TCP(A, Q, 101, 0, RST), TCP(B, V, 101, 0, RST),
	  },
	  .is_in_order = true,
	  .pairs = { PAIR(2, 3) },
	  .stats = { .sent = 5, .received = 4, MATCHED(1), .matched = 2, .waiting = 1,
		     .retransmitted = 1, .duplicate = 1, .other = 4 } },
	{ "the trace begins in the middle: the first packet may have been sent before",
	  .rows = {
		TCP(A, Q, 1, 100), TCP(A, Q, 101, 100), TCP(B, V, 1, 100), TCP(B, V, 101, 100),
	  },
	  .pairs = { PAIR(2, 4) },
	  .stats = { BOTH(2), MATCHED(1), .matched = 2, .waiting = 1, .unsure = 1 } },
	{ "packets are missing between two sent",
	  .rows = {
		TCP(A, Q, 0, 0, SYN), TCP(A, Q, 201, 100), TCP(A, Q, 101, 100),
		TCP(A, Q, 301, 100),
		TCP(B, V, 101, 100), TCP(B, V, 201, 100), TCP(B, V, 301, 100),
	  },
	  .pairs = { PAIR(4, 7) },
	  .stats = { .sent = 4, .received = 3, MATCHED(1), .matched = 2, .waiting = 3,
		     .unsure = 1, .retransmitted = 1 } },
	{ "records are missing between two sent",
	  .rows = {
		TCP(A, Q, 0, 0, SYN), { .host = A, .op = MISSING }, TCP(A, Q, 1, 100),
		TCP(A, Q, 101, 100),
		TCP(B, V, 1, 100), TCP(B, V, 101, 100),
	  },
	  .pairs = { PAIR(4, 6) },
	  .stats = { .sent = 3, .received = 2, MATCHED(1), .matched = 2, .waiting = 2,
		     .unsure = 1 } },
	{ "datagrams",
	  .rows = {
		UDP(A, Q, DIRECT, 1, 20, 5), UDP(A, Q, DIRECT, 2, 20, 5),
		UDP(A, Q, DIRECT, 0, 20, 5),
		UDP(A, Q, DIRECT, 0, 21, 5), UDP(A, Q, DIRECT, 0, 21, 6),
		UDP(B, V, DIRECT, 2, 20, 5), UDP(B, V, DIRECT, 1, 20, 5),
		UDP(B, V, DIRECT, 0, 20, 5),
		UDP(B, V, DIRECT, 0, 21, 5), UDP(B, V, DIRECT, 0, 22, 6),
	  },
	  .pairs = {
		UDP_PAIR(1, 7), UDP_PAIR(2, 6),
		UDP_PAIR(3, 8), UDP_PAIR(4, 9),
	  },
	  .stats = { BOTH(5), .messages[KTRACE_MESSAGE_UDP] = 4, .matched = 8, .given_up = 2 } },
	{ "equal datagrams, of which the first one was sent before the trace",
	  .rows = {
		UDP(B, V, DIRECT, 0, 20, 5), UDP(A, Q, DIRECT, 0, 20, 5),
		UDP(B, V, DIRECT, 0, 20, 5),
	  },
	  .stats = { .sent = 1, .received = 2, .ambiguous = 3 } },
	{ "a datagram at two devices of each host", .is_in_order = true,
	  .rows = {
		UDP(A, Q, DIRECT, 7, 20, 5), UDP(A, Q, DIRECT, 7, 20, 5, .dev = 1),
		UDP(B, V, DIRECT, 7, 20, 5), UDP(B, V, DIRECT, 7, 20, 5, .dev = 1),
	  },
	  .pairs = { UDP_PAIR(2, 3) },
	  .stats = { BOTH(2), .messages[KTRACE_MESSAGE_UDP] = 1, .matched = 2, .passed_on = 1,
		     .duplicate = 1 } },
	{ "joined datagrams are those of the first one",
	  .rows = {
		UDP(A, Q, DIRECT, 7, 3000, 5, .gso_size = 1000), UDP(B, V, DIRECT, 7, 1000, 5),
		UDP(B, V, DIRECT, 8, 1000, 6), UDP(B, V, DIRECT, 9, 1000, 7),
		UDP(A, Q, DIRECT, 10, 500, 8), UDP(B, V, DIRECT, 10, 900, 8, .gso_size = 500),
	  },
	  .pairs = {
		UDP_PAIR(1, 2), UDP_PAIR(5, 6),
	  },
	  .stats = { .sent = 2, .received = 4, .messages[KTRACE_MESSAGE_UDP] = 2, .matched = 4,
		     .given_up = 2 } },
	{ "multicast: to each receiver, and between them", .is_in_order = true,
	  .rows = {
		UDP(A, Q, MULTICAST, 7, 20, 5), UDP(A, V, MULTICAST, 7, 20, 5, .dev = 1),
		UDP(B, V, MULTICAST, 7, 20, 5), UDP(R, V, MULTICAST, 7, 20, 5),
	  },
	  .pairs = {
		UDP_PAIR(1, 3), UDP_PAIR(1, 4),
		PEERS(3, 4),
	  },
	  .stats = { .sent = 1, .received = 3, .messages[KTRACE_MESSAGE_UDP] = 2,
		     .messages[KTRACE_MESSAGE_BROADCAST] = 1, .matched = 3, .local = 1 } },
	{ "multicast from a host without a trace", .is_in_order = true,
	  .rows = { UDP(B, V, DIRECTED, 7, 20, 5), UDP(R, V, DIRECTED, 7, 20, 5) },
	  .pairs = { PEERS(1, 2) },
	  .stats = { .received = 2, .messages[KTRACE_MESSAGE_BROADCAST] = 1, .matched = 2 } },
	{ "a router passes a datagram on",
	  .rows = {
		UDP(A, Q, DIRECTED, 7, 20, 5), UDP(R, V, DIRECTED, 7, 20, 5),
		UDP(R, Q, DIRECTED, 7, 20, 5), UDP(B, V, DIRECTED, 7, 20, 5),
	  },
	  .pairs = {
		UDP_PAIR(1, 2), UDP_PAIR(1, 4),
		UDP_PAIR(3, 4),
	  },
	  .stats = { BOTH(2), .messages[KTRACE_MESSAGE_UDP] = 3, .matched = 4 } },
};

#endif
