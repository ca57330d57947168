// SPDX-License-Identifier: GPL-2.0
/*
 * test_messages.c - which packets become messages: cases with what is expected, each also with the
 * events of the hosts in other orders, as where their clocks differ
 */
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

#define SCENARIOS (sizeof(scenarios) / sizeof(scenarios[0]))
#define ORDERS 12u

/* struct found - the messages told so far */
struct found {
	struct pair pairs[64];
	int nr;
};

static __u32 random_state;

static __u32 random_below(__u32 limit)
{
	random_state = random_state * 1664525u + 1013904223u;
	return (__u32)((__u64)random_state * limit >> 32);
}

static void take(void *arg, const struct ktrace_message *message)
{
	struct found *f = arg;

	CHECK(f->nr < 64);
	CHECK(message->from.trace != message->to.trace);
	f->pairs[f->nr++] = (struct pair){
		(int)message->from.raw, (int)message->to.raw, message->is_retransmitted,
		message->kind,
	};
}

static int compare(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return x->from != y->from ? x->from - y->from : x->to - y->to;
}

static int row_count(const struct scenario *s)
{
	int n = 0;

	while (n < 20 && (s->rows[n].payload || s->rows[n].flags || s->rows[n].is_udp ||
			  s->rows[n].op == MISSING))
		n++;
	return n;
}

static struct net_payload payload_of(const struct row *r)
{
	struct net_payload p = {
		.len = 40 + r->payload, .protocol = 0x800, .src_port = flows[r->flow].src_port,
		.dst_port = flows[r->flow].dst_port, .seq = r->seq, .payload = r->payload,
		.data = r->data, .transport = r->is_udp ? 17 : 6, .tcp_flags = (__u8)r->flags,
		.ip_id = (__u16)r->id, .gso_size = r->gso_size,
	};

	snprintf(p.dev, sizeof(p.dev), "eth%d", r->dev);
	put_v4(p.ip_src, flows[r->flow].src);
	put_v4(p.ip_dst, flows[r->flow].dst);
	if (r->flow == V6) {
		memset(p.ip_src, 0x20, 12);
		memset(p.ip_dst, 0x20, 12);
	}
	return p;
}

static void add_row(struct ktrace_messages *m, struct hosts *h, const struct scenario *s, int i,
		    struct found *found)
{
	const struct row *r = &s->rows[i];
	const struct net_payload p = payload_of(r);
	struct ktrace_trace_event e = net_event(h, r->host, r->op == MISSING ? OTHER_EVENT :
						r->op == Q ? SENT : RECEIVED, (__u64)i + 1, &p);

	if (r->op == MISSING)
		e.id = KTRACE_ID_LOST;
	CHECK_EQ(ktrace_messages_add(m, &e, take, found), 0);
}

/* Adds the events of each host in their order, and those of hosts in order number @order. */
static void add_rows(struct ktrace_messages *m, struct hosts *h, const struct scenario *s,
		     __u32 order, struct found *found)
{
	static const int firsts[3][3] = { { A, B, R }, { B, A, R }, { R, B, A } };
	const int nr = row_count(s);
	int next[3] = { 0 }, host, done = 0;

	for (int i = 0; !order && i < nr; i++, done++)
		add_row(m, h, s, i, found);
	for (__u32 turn = 0; done < nr; turn++) {
		host = order <= 3 ? firsts[order - 1][turn % 3] : (int)random_below(3);
		do {
			while (next[host] < nr && s->rows[next[host]].host != host)
				next[host]++;
			if (next[host] == nr)
				break;
			add_row(m, h, s, next[host]++, found);
			done++;
		} while (order <= 3);
	}
}

static void check_pairs(const struct scenario *s, struct found *f, bool is_exact)
{
	int nr = 0;

	while (nr < 12 && s->pairs[nr].from)
		nr++;
	CHECK_EQ(f->nr, nr);
	qsort(f->pairs, (size_t)nr, sizeof(f->pairs[0]), compare);
	for (int i = 0; i < nr; i++) {
		struct pair expected[12];

		memcpy(expected, s->pairs, sizeof(expected));
		qsort(expected, (size_t)nr, sizeof(expected[0]), compare);
		CHECK_EQ(f->pairs[i].from, expected[i].from);
		CHECK_EQ(f->pairs[i].to, expected[i].to);
		CHECK_EQ(f->pairs[i].kind, expected[i].kind);
		if (is_exact)
			CHECK_EQ(f->pairs[i].is_retransmitted, expected[i].is_retransmitted);
	}
}

static void check_stats(const struct ktrace_messages_stats *have,
			const struct ktrace_messages_stats *expected)
{
#define SAME(member) CHECK_EQ(have->member, expected->member)
	SAME(sent);
	SAME(received);
	for (int i = 0; i < KTRACE_MESSAGE_NR; i++)
		SAME(messages[i]);
	SAME(matched);
	SAME(waiting);
	SAME(given_up);
	SAME(without_addresses);
	SAME(other);
	SAME(local);
	SAME(passed_on);
	SAME(retransmitted);
	SAME(duplicate);
	SAME(unsure);
	SAME(ambiguous);
	SAME(invalid);
#undef SAME
}

static bool has_router(const struct scenario *s)
{
	for (int i = 0; i < row_count(s); i++)
		if (s->rows[i].host == R)
			return true;
	return false;
}

static void run(struct hosts *h, const struct scenario *s, __u32 order)
{
	struct ktrace_messages_stats stats;
	struct ktrace_messages *m;
	struct found found = { 0 };

	CHECK_EQ(ktrace_messages_open(h->set, &m), 0);
	add_rows(m, h, s, order, &found);
	ktrace_messages_end(m, take, &found);
	ktrace_messages_stats(m, &stats);
	check_pairs(s, &found, !order);
	if (!order)
		check_stats(&stats, &s->stats);
	check_sum(&stats);
	ktrace_messages_close(m);
}

/* Two hosts are a special case: what has one end has both. */
static void test_scenarios(int host_nr)
{
	struct hosts h;

	hosts_open(&h, host_nr);
	for (size_t i = 0; i < SCENARIOS; i++) {
		const struct scenario *s = &scenarios[i];

		if (host_nr < 3 && has_router(s))
			continue;
		printf("%d hosts: %s\n", host_nr, s->name);
		fflush(stdout);
		for (__u32 order = 0; order < (s->is_in_order ? 1 : ORDERS); order++)
			run(&h, s, order);
	}
	hosts_close(&h);
}

static void add_payload(struct ktrace_messages *m, struct hosts *h, int type, __u32 len,
			const struct net_payload *p)
{
	struct ktrace_trace_event e = net_event(h, A, type, 1, p);

	e.len = len;
	CHECK_EQ(ktrace_messages_add(m, &e, NULL, NULL), 0);
}

/* Each is one thing; nothing of it is matched. */
static void test_unusable(void)
{
	const struct row tcp = TCP(A, Q, 1, 100);
	struct net_payload good = payload_of(&tcp), p = { 0 };
	struct ktrace_messages_stats stats;
	struct ktrace_messages *m;
	struct hosts h;

	hosts_open(&h, 2);
	CHECK_EQ(ktrace_messages_open(h.set, &m), 0);
	add_payload(m, &h, SENT_OLD, 32, &good);	/* of ktrace 0.1 */
	add_payload(m, &h, RECEIVED_OLD, 32, &good);
	add_payload(m, &h, SENT, sizeof(p), &p);	/* hidden */
	p.protocol = 0x806;
	add_payload(m, &h, SENT, sizeof(p), &p);	/* ARP */
	p.protocol = 0x86dd;
	add_payload(m, &h, SENT, sizeof(p), &p);
	p = good;
	p.transport = 1;
	add_payload(m, &h, SENT, sizeof(p), &p);	/* ICMP */
	p = good;
	p.src_port = p.dst_port = 0;
	add_payload(m, &h, SENT, sizeof(p), &p);	/* a later fragment */
	p = good;
	p.payload = 1 << 25;
	add_payload(m, &h, SENT, sizeof(p), &p);
	add_payload(m, &h, SENT, sizeof(p) - 5, &good);
	add_payload(m, &h, SENT, 0, &good);
	p = good;
	strcpy(p.dev, "lo");
	add_payload(m, &h, RECEIVED, sizeof(p), &p);
	p = good;
	memcpy(p.ip_dst, p.ip_src, 16);
	add_payload(m, &h, RECEIVED, sizeof(p), &p);
	ktrace_messages_stats(m, &stats);
	check_stats(&stats, &(struct ktrace_messages_stats){
		.sent = 9, .received = 3, .without_addresses = 4, .other = 3, .invalid = 3,
		.local = 2 });
	ktrace_messages_close(m);
	hosts_close(&h);
}

/* Names decide, not numbers and places: the same fields in another order, and of a program. */
static void test_fields(void)
{
	static const char desc[] = "net:queue{u64 first;" NET_FIELDS "}";
	const struct row r = TCP(A, Q, 5, 100);
	struct {
		__u64 first;
		struct net_payload net;
	} p = { .net = payload_of(&r) };
	struct ktrace_messages_stats stats;
	struct ktrace_messages *m;
	struct ktrace_trace_event e;
	struct hosts h;

	hosts_open(&h, 2);
	ktrace_event_type_free(h.types[SENT]);
	CHECK_EQ(ktrace_event_type_parse(desc, &h.types[SENT]), 0);
	h.types[SENT]->kind = KTRACE_CHANNEL_KERNEL;
	CHECK_EQ(ktrace_messages_open(h.set, &m), 0);
	e = net_event(&h, A, SENT, 1, &p.net);
	e.payload = (const char *)&p;
	e.len = sizeof(p);
	CHECK_EQ(ktrace_messages_add(m, &e, NULL, NULL), 0);
	ktrace_messages_stats(m, &stats);
	CHECK_EQ(stats.unsure, 1);
	ktrace_messages_close(m);
	h.types[SENT]->kind = KTRACE_CHANNEL_USER;
	CHECK_EQ(ktrace_messages_open(h.set, &m), 0);
	CHECK_EQ(ktrace_messages_add(m, &e, NULL, NULL), 0);
	ktrace_messages_stats(m, &stats);
	CHECK_EQ(stats.sent, 0);
	ktrace_messages_close(m);
	hosts_close(&h);
}

static void add_one(struct ktrace_messages *m, struct hosts *h, struct row r, struct found *f)
{
	const struct net_payload p = payload_of(&r);
	const struct ktrace_trace_event e =
		net_event(h, r.host, r.op == Q ? SENT : RECEIVED, 1, &p);

	CHECK_EQ(ktrace_messages_add(m, &e, take, f), 0);
}

/* The oldest packets are given up when there are too many, and are then not found. */
static void test_given_up(void)
{
	const __u32 nr = KTRACE_MESSAGES_PENDING;
	struct ktrace_messages_stats stats;
	struct found found = { 0 };
	struct ktrace_messages *m;
	struct hosts h;

	hosts_open(&h, 2);
	CHECK_EQ(ktrace_messages_open(h.set, &m), 0);
	add_one(m, &h, (struct row)TCP(A, Q, 0, 0, SYN), &found);
	for (__u32 i = 0; i < nr; i++)
		add_one(m, &h, (struct row)TCP(A, Q, 1 + i, 1), &found);
	add_one(m, &h, (struct row)TCP(B, V, 0, 0, SYN), &found);
	CHECK_EQ(found.nr, 0);
	add_one(m, &h, (struct row)TCP(B, V, nr, 1), &found);
	CHECK_EQ(found.nr, 1);
	for (__u32 i = 0; i < nr + 10; i++)
		add_one(m, &h, (struct row)UDP(A, Q, DIRECT, 0, 8, i), &found);
	CHECK_EQ(found.nr, 1);
	add_one(m, &h, (struct row)UDP(B, V, DIRECT, 0, 8, 3), &found);
	add_one(m, &h, (struct row)UDP(B, V, DIRECT, 0, 8, nr + 9), &found);
	ktrace_messages_end(m, take, &found);
	CHECK_EQ(found.nr, 2);
	ktrace_messages_stats(m, &stats);
	CHECK_EQ(stats.given_up, 2 + nr + 10 + 2 - 2);
	check_sum(&stats);
	ktrace_messages_close(m);
	hosts_close(&h);
}

/* As many connections as can be known, and one more: the oldest one is forgotten. */
static void test_connections(void)
{
	const __u32 nr = 1u << 15;
	struct ktrace_messages_stats stats;
	struct found found = { 0 };
	struct ktrace_messages *m;
	struct ktrace_trace_event e;
	struct net_payload p;
	struct hosts h;

	hosts_open(&h, 2);
	CHECK_EQ(ktrace_messages_open(h.set, &m), 0);
	for (int round = 0; round < 2; round++) {
		for (__u32 i = 0; i < nr + (round ? 0 : 1); i++) {
			const struct row r = TCP(round ? B : A, round ? V : Q, 0, 0, SYN);

			/* The received ones begin with the latest one sent. */
			p = payload_of(&r);
			p.src_port = (__u16)(round ? nr - i : i);
			e = net_event(&h, r.host, round ? RECEIVED : SENT, 1, &p);
			found.nr = 0;
			CHECK_EQ(ktrace_messages_add(m, &e, take, &found), 0);
			CHECK_EQ(found.nr, round);
		}
	}
	ktrace_messages_stats(m, &stats);
	CHECK_EQ(stats.messages[KTRACE_MESSAGE_TCP], nr);
	check_sum(&stats);
	ktrace_messages_close(m);
	hosts_close(&h);
}

/* With one host, packets have nowhere to go. */
static void test_one_host(void)
{
	struct ktrace_messages_stats stats;
	struct ktrace_messages *m;
	struct found found = { 0 };
	struct hosts h;

	hosts_open(&h, 1);
	CHECK_EQ(ktrace_messages_open(h.set, &m), 0);
	add_one(m, &h, (struct row)TCP(A, Q, 0, 0, SYN), &found);
	ktrace_messages_stats(m, &stats);
	CHECK_EQ(stats.sent, 0);
	ktrace_messages_close(m);
	ktrace_messages_close(NULL);
	hosts_close(&h);
}

static void check_message(void *arg, const struct ktrace_message *message)
{
	(void)arg;
	CHECK(message->from.trace != message->to.trace);
	CHECK((unsigned int)message->kind < KTRACE_MESSAGE_NR);
}

/* Payloads of a file may be anything: here of few different values, so that they meet. */
static void test_hostile(void)
{
	static const __u32 numbers[] = { 0, 1, 2, 3, 100, 0x40000000, 0x3fffffff, 0x7fffffff,
					 0x80000000, 0x80000001, 0xc0000000, 0xffffffff };
	struct ktrace_messages_stats stats;
	struct ktrace_messages *m;
	struct hosts h;

	hosts_open(&h, 4);
	CHECK_EQ(ktrace_messages_open(h.set, &m), 0);
	for (int i = 0; i < 1000000 / unit_step(); i++) {
		const struct row r = {
			.host = (int)random_below(4), .op = (int)random_below(2),
			.flow = (int)random_below(FLOWS), .seq = numbers[random_below(12)] +
			(random_below(2) ? 0 : random_below(1000)),
			.payload = random_below(10) ? random_below(9) : random_below(1 << 25),
			.flags = (int)random_below(4) * (int)random_below(2),
			.id = (int)random_below(3), .dev = (int)random_below(3),
			.is_udp = !random_below(4), .data = random_below(50),
		};
		struct net_payload p = payload_of(&r);
		struct ktrace_trace_event e =
			net_event(&h, r.host, r.op == Q ? SENT : RECEIVED, (__u64)i, &p);

		if (!random_below(100))
			((char *)&p)[random_below(sizeof(p))] ^= (char)random_below(256);
		if (!random_below(1000))
			e.len = random_below(sizeof(p));
		if (!random_below(1000))
			e.id = KTRACE_ID_LOST, e.type = h.types[OTHER_EVENT];
		CHECK_EQ(ktrace_messages_add(m, &e, check_message, NULL), 0);
	}
	ktrace_messages_end(m, check_message, NULL);
	ktrace_messages_stats(m, &stats);
	/* Broadcasts are too rare here to be sure of one. */
	CHECK(stats.messages[KTRACE_MESSAGE_TCP] && stats.messages[KTRACE_MESSAGE_UDP] &&
	      stats.duplicate && stats.unsure);
	check_sum(&stats);
	ktrace_messages_close(m);
	hosts_close(&h);
}

int main(void)
{
	const char *seed = getenv("SEED");

	random_state = seed ? (__u32)strtoul(seed, NULL, 0) : (__u32)getpid();
	printf("SEED=%u\n", random_state);
	test_scenarios(2);
	test_scenarios(3);
	test_unusable();
	test_fields();
	test_given_up();
	test_connections();
	test_one_host();
	test_hostile();
	printf("ok\n");
	return 0;
}
