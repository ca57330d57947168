// SPDX-License-Identifier: GPL-2.0
/*
 * test_messages_tcp.c - messages of simulated connections, whose truth is known
 *
 * A sends numbered bytes to B in packets of any size, sometimes again. The way cuts them, loses,
 * delays and doubles pieces, and B joins neighbours. Some runs have a router in between, a second
 * device, connections that follow on the same port, or a trace that begins late. The stamps of
 * events are true times; the events of hosts are read in orders as with clocks that differ.
 *
 * Of each message must hold: it was sent before it was received, it was the first transmission of
 * a byte that was received, and no byte received was sent for the first time after it. In a whole
 * trace each packet with new bytes is a message, and the one that was not sent again is from the
 * transmission that arrived.
 */
#include "make_packets.h"

#define BYTES_MAX 400
#define EVENTS_MAX 4000

enum { A, B, R };

static __u32 random_state;

static __u32 random_below(__u32 limit)
{
	random_state = random_state * 1664525u + 1013904223u;
	return (__u32)((__u64)random_state * limit >> 32);
}

/* struct event - a packet at a host; bytes are counted from 0, the SYN */
struct event {
	__u64 time;
	int host;
	bool is_sent;
	int from;
	int to;
	int id;
	int dev;
	__u64 sent;		/* received: when the transmission was sent */
	int connection;
};

struct run {
	struct event events[EVENTS_MAX];
	int nr;
	__u64 first[2][3][BYTES_MAX];	/* by connection and host: when a byte was sent first */
	__u32 isn[2];
	__u64 now;
	__u64 begin;			/* events before this are not in the trace of A */
	bool has_router;
	bool has_second_device;
	int id;
	int found;
	bool is_true_order;
};

static struct run r;

static void add(const struct event *e)
{
	CHECK(r.nr < EVENTS_MAX);
	r.events[r.nr++] = *e;
}

static void note_sent(const struct event *e)
{
	__u64 *first;

	for (int i = e->from; i < e->to; i++) {
		first = &r.first[e->connection][e->host][i];
		if (!*first || e->time < *first)
			*first = e->time;
	}
}

/* A packet arrives at @host, where a router sends it on. */
static void arrive(int host, const struct event *sent, int from, int to, __u64 time)
{
	struct event e = *sent, on;

	e.host = host;
	e.is_sent = false;
	e.sent = sent->time;
	e.time = time;
	e.from = from;
	e.to = to;
	add(&e);
	if (host != R)
		return;
	on = e;
	on.is_sent = true;
	on.time = time + 1;
	note_sent(&on);
	add(&on);
	if (random_below(20) || !from)
		arrive(B, &on, from, to, on.time + 1 + random_below(50));
}

/* Sends [@from, @to) of a connection: pieces of it arrive, some joined again. */
static void transmit(int connection, int from, int to)
{
	struct event e = {
		.time = ++r.now, .host = A, .is_sent = true, .from = from, .to = to,
		.id = ++r.id, .connection = connection,
	};
	const int target = r.has_router ? R : B;
	int at = from, end;

	note_sent(&e);
	add(&e);
	if (r.has_second_device) {
		e.dev = 1;
		e.time = ++r.now;
		add(&e);
		e.dev = 0;
	}
	while (at < to) {
		end = random_below(2) ? to : at + 1 + (int)random_below((__u32)(to - at));
		if (random_below(10) || !from)
			arrive(target, &e, at, end,
			       r.now + 1 + random_below(random_below(5) ? 5 : 60));
		if (!random_below(20))
			arrive(target, &e, at, end, r.now + 1 + random_below(100));
		at = end;
	}
}

static void connection(int number)
{
	int next = 1, from, to;

	r.isn[number] = random_below(2) ? random_below(~0u) : 0u - random_below(200);
	if (number)
		r.isn[1] = r.isn[0] + 1000 + random_below(100000);
	/* Nothing else is sent before the SYN has arrived. */
	transmit(number, 0, 1);
	if (!random_below(4))
		transmit(number, 0, 1);
	r.now += 300;
	while (next < BYTES_MAX - 1) {
		r.now += random_below(20);
		if (!random_below(4)) {
			from = 1 + (int)random_below((__u32)next);
			from = from < next ? from : next - 1;
			if (!from)
				continue;
			to = from + 1 + (int)random_below((__u32)(next - from));
			transmit(number, from, to);
			continue;
		}
		to = next + 1 + (int)random_below(30);
		to = to < BYTES_MAX ? to : BYTES_MAX - 1;
		transmit(number, next, to);
		next = to;
	}
	r.now += 300;
}

static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return x->time != y->time ? (x->time < y->time ? -1 : 1) : x->is_sent - y->is_sent;
}

/* Joins neighbours that arrive at B one after the other. */
static void join(void)
{
	struct event *last = NULL, *e;

	for (int i = 0; i < r.nr; i++) {
		e = &r.events[i];
		if (e->is_sent || e->host != B)
			continue;
		if (last && last->to == e->from && last->connection == e->connection &&
		    random_below(3)) {
			e->from = last->from;
			e->sent = e->sent > last->sent ? e->sent : last->sent;
			last->to = last->from;		/* joined: no event */
		}
		last = e;
	}
}

static struct net_payload payload_of(const struct event *e)
{
	struct net_payload p = {
		.protocol = 0x800, .src_port = 4000, .dst_port = 80, .transport = 6,
		.seq = r.isn[e->connection] + (__u32)e->from, .tcp_flags = e->from ? 16 : 2,
		.payload = (__u32)(e->to - e->from) - !e->from, .ip_id = (__u16)e->id,
	};

	snprintf(p.dev, sizeof(p.dev), "eth%d", e->dev);
	put_v4(p.ip_src, 0x0a000001);
	put_v4(p.ip_dst, 0x0a000002);
	return p;
}

/* Stamps are numbers of events. */
static void check(void *arg, const struct ktrace_message *m)
{
	const struct event *from = &r.events[m->from.raw], *to = &r.events[m->to.raw];
	__u64 latest = 0, first;
	bool is_first = false;

	(void)arg;
	r.found++;
	CHECK_EQ(from->connection, to->connection);
	CHECK(from->is_sent && !to->is_sent && from->host != to->host && from->time < to->time);
	for (int i = to->from; i < to->to; i++) {
		first = r.first[to->connection][from->host][i];
		latest = first > latest ? first : latest;
		is_first |= from->time == first || (from->dev && from->time == first + 1);
	}
	CHECK(is_first);
	/* A router sends out of order, which is left out. */
	if (!r.begin && from->host == A)
		CHECK(from->time >= latest && from->time <= latest + 1);
	if (!r.begin && r.is_true_order && !m->is_retransmitted && !r.has_router)
		CHECK(from->time == to->sent || from->time == to->sent + 1);
}

static bool has_new(const struct event *e, bool (*seen)[BYTES_MAX])
{
	bool is_new = false;

	for (int i = e->from; i < e->to; i++) {
		is_new |= !seen[e->connection][i];
		seen[e->connection][i] = true;
	}
	return is_new;
}

/* Messages of a whole trace without a router: one for each packet with new bytes. */
static int expected(void)
{
	static bool seen[2][BYTES_MAX];
	int nr = 0;

	memset(seen, 0, sizeof(seen));
	for (int i = 0; i < r.nr; i++)
		if (!r.events[i].is_sent && r.events[i].host == B && has_new(&r.events[i], seen))
			nr++;
	return nr;
}

static void read_in_order(struct ktrace_messages *m, struct hosts *h, const __s64 *skew)
{
	int next[3] = { 0 }, host;

	for (;;) {
		host = -1;
		for (int i = 0; i < 3; i++) {
			while (next[i] < r.nr && r.events[next[i]].host != i)
				next[i]++;
			if (next[i] < r.nr && (host < 0 || (__s64)r.events[next[i]].time + skew[i] <
					       (__s64)r.events[next[host]].time + skew[host]))
				host = i;
		}
		if (host < 0)
			return;
		const struct event *e = &r.events[next[host]];
		const struct net_payload p = payload_of(e);
		const struct ktrace_trace_event event =
			net_event(h, host, e->is_sent ? SENT : RECEIVED, (__u64)next[host], &p);

		next[host]++;
		if (e->from < e->to && (host != A || e->time >= r.begin))
			CHECK_EQ(ktrace_messages_add(m, &event, check, NULL), 0);
	}
}

/*
 * True if the first packet that A sends in the trace has new bytes. Where a trace begins while
 * bytes are sent again, a later packet can be taken for their first transmission, which is said in
 * the header.
 */
static bool begins_with_new_bytes(void)
{
	int highest[2] = { 0 };

	for (int i = 0; i < r.nr; i++) {
		const struct event *e = &r.events[i];

		if (e->host != A || !e->is_sent || (e->dev && e->time < r.begin))
			continue;
		if (e->time >= r.begin)
			return e->to > highest[e->connection];
		if (e->to > highest[e->connection])
			highest[e->connection] = e->to;
	}
	return true;
}

static void test_run(struct hosts *h, int nr)
{
	static const __s64 none[3];
	const __s64 skew[3] = { random_below(3000), random_below(3000), random_below(3000) };
	struct ktrace_messages_stats stats;
	struct ktrace_messages *m;

	memset(&r, 0, sizeof(r));
	r.now = 1;
	r.has_router = nr % 4 == 1;
	r.has_second_device = nr % 4 == 2;
	connection(0);
	if (nr % 3 == 1)
		connection(1);
	r.begin = nr % 5 == 4 ? random_below((__u32)r.now) : 0;
	qsort(r.events, (size_t)r.nr, sizeof(r.events[0]), by_time);
	if (!begins_with_new_bytes())
		r.begin = 0;
	join();
	r.is_true_order = nr % 2;
	CHECK_EQ(ktrace_messages_open(h->set, &m), 0);
	read_in_order(m, h, r.is_true_order ? none : skew);
	ktrace_messages_end(m, check, NULL);
	ktrace_messages_stats(m, &stats);
	check_sum(&stats);
	if (!r.begin && !r.has_router)
		CHECK_EQ(r.found, expected());
	if (!r.begin && !r.has_router)
		CHECK_EQ(stats.unsure, 0);
	ktrace_messages_close(m);
}

int main(void)
{
	const char *seed = getenv("SEED"), *runs = getenv("RUNS");
	const char *start = getenv("START");
	const int first = start ? atoi(start) : 0;
	const int nr = runs ? atoi(runs) : 200 / unit_step();
	struct hosts two, three;

	random_state = seed ? (__u32)strtoul(seed, NULL, 0) : (__u32)getpid();
	hosts_open(&two, 2);
	hosts_open(&three, 3);
	for (int i = first; i < first + nr; i++) {
		printf("run %d SEED=%u\n", i, random_state);
		test_run(i % 4 == 1 || i % 8 == 3 ? &three : &two, i);
	}
	hosts_close(&two);
	hosts_close(&three);
	printf("ok\n");
	return 0;
}
