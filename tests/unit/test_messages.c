// SPDX-License-Identifier: GPL-2.0
/*
 * test_messages.c - which packets become messages: cases with what is expected, each also with the
 * events of the hosts in other orders, as where their clocks differ
 */
#include "messages_scenarios.h"

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
