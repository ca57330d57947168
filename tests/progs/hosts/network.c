// SPDX-License-Identifier: GPL-2.0
/* network.c - packets between simulated hosts */
#include "network.h"

#include <linux/ktrace_events.h>

#include <stdlib.h>
#include <string.h>

#define WIRE_NS_PER_BYTE 8u	/* 1 Gbit/s */
#define IRQ_NS 2000u
#define PACKET_NS 700u		/* a softirq needs for a packet */
#define HEADERS 66u		/* Ethernet, IPv4, TCP with time stamps */
#define ETHERNET 14u

/* struct queue - what has arrived for a CPU */
struct queue {
	struct net_packet *packets;
	size_t nr;
	size_t cap;
};

/* struct link - from one host to another; packets stay in order */
struct link {
	__u64 free_at;
	__u64 last_arrival;
};

static struct queue queues[SIM_HOSTS][SIM_CPUS];
static struct link links[SIM_HOSTS][SIM_HOSTS];
static __u64 next_packet;
static __u16 next_ip_id[SIM_HOSTS];

static void put_address(const struct sim *s, __u8 *to, __s32 host)
{
	memset(to, 0, 16);
	if (s->o.is_ipv6) {
		to[0] = 0xfd;
		to[15] = (__u8)(host + 1);
		return;
	}
	to[10] = to[11] = 0xff;
	memcpy(to + 12, (const __u8[]){ 10, 0, 0, (__u8)(host + 1) }, 4);
}

/* Sets what follows from the hosts of the packet. */
void net_addresses(const struct sim *s, struct net_packet *p)
{
	put_address(s, p->e.ip_src, (__s32)p->from);
	put_address(s, p->e.ip_dst, p->to < 0 ? 199 : p->to);
	p->e.protocol = s->o.is_ipv6 ? ETH_P_IPV6 : ETH_P_IP;
	snprintf(p->e.dev, sizeof(p->e.dev), "eth0");
}

static void put_event(struct sim *s, __u64 t, __u32 tid, const struct net_packet *p, bool is_sent)
{
	struct sim_record r = {
		.host = is_sent ? p->from : (__u32)p->to,
		.cpu = is_sent ? p->cpu_from : p->cpu_to,
		.tid = tid,
		.id = is_sent ? KTRACE_EV_NET_QUEUE : KTRACE_EV_NET_RECEIVE,
		.len = sizeof(p->e),
		.is_irq = !is_sent || !tid,
	};

	memcpy(r.payload, &p->e, sizeof(p->e));
	sim_record(s, t, &r);
}

/* Delay beyond the least one */
static double jitter(struct sim *s)
{
	const double mean = s->o.jitter_us;
	double u;

	if (mean == 0 || !strcmp(s->o.jitter, "none"))
		return 0;
	if (!strcmp(s->o.jitter, "exponential"))
		return random_exponential(&s->random, mean);
	u = random_unit(&s->random);
	if (!strcmp(s->o.jitter, "bimodal"))
		return u < 0.7 ? mean * 0.1 * random_unit(&s->random) :
				 mean * (3 + 0.2 * random_unit(&s->random));
	return mean * (pow(u, -1 / 1.5) - 1) / 2;	/* heavy: Pareto with infinite variance */
}

static __u64 arrival_of(struct sim *s, __u64 t, const struct net_packet *p)
{
	struct link *link = &links[p->from][p->to];
	const __u64 wire = (p->e.payload + HEADERS) * (__u64)WIRE_NS_PER_BYTE;
	double us = s->o.delay_us + jitter(s);
	__u64 arrival;

	if (p->from > (__u32)p->to)
		us += s->o.asymmetry_us;
	link->free_at = (link->free_at > t ? link->free_at : t) + wire;
	arrival = link->free_at + (__u64)(us * 1e3);
	if (!s->o.is_reordered && arrival <= link->last_arrival)
		arrival = link->last_arrival + 1;
	link->last_arrival = arrival;
	return arrival;
}

/* True if @b continues @a, and GRO makes one packet of them. */
static bool can_join(const struct net_packet *a, const struct net_packet *b)
{
	return a->object == b->object && a->from == b->from && a->e.transport == IPPROTO_TCP &&
	       b->e.transport == IPPROTO_TCP && a->e.payload && b->e.payload &&
	       a->offset + a->e.payload == b->offset && a->e.ack == b->e.ack &&
	       !(a->e.tcp_flags & (NET_SYN | NET_PSH)) && !(b->e.tcp_flags & NET_SYN) &&
	       a->e.payload % NET_MSS == 0 && a->e.payload + b->e.payload <= 44 * NET_MSS;
}

static void tell_message(struct sim *s, const struct net_packet *p, __u64 t)
{
	const char *kind = p->is_broadcast ? "broadcast" :
			   p->e.transport == IPPROTO_TCP ? "tcp" : "udp";

	if (s->messages && p->from != (__u32)p->to)
		fprintf(s->messages, "%s %u %llu %d %llu %u\n", kind, p->from, p->sent, p->to,
			sim_clock_raw(&s->hosts[p->to].clock, t), p->e.payload);
}

static void count_received(struct sim *s, const struct net_packet *p)
{
	if (p->e.transport == IPPROTO_TCP)
		s->counts.tcp_received++;
	else if (p->is_broadcast)
		s->counts.broadcasts_received++;
	else
		s->counts.udp_received++;
}

/* One net:receive for the packets from @from on; returns the number after the last one. */
static size_t receive(struct sim *s, __u64 t, struct queue *q, size_t from)
{
	struct net_packet p = q->packets[from];
	size_t to = from + 1;

	tell_message(s, &p, t);
	for (; s->o.has_gro && to < q->nr && can_join(&p, &q->packets[to]); to++) {
		p.e.payload += q->packets[to].e.payload;
		p.e.tcp_flags |= q->packets[to].e.tcp_flags;
		if (q->packets[to].sent != q->packets[to - 1].sent)
			tell_message(s, &q->packets[to], t);
	}
	p.e.packet = 0xffff888000000000ull + 0x100 * next_packet++;
	p.e.gso_segs = to - from > 1 ? (__u16)(to - from) : 0;
	p.e.gso_size = to - from > 1 ? NET_MSS : 0;
	p.e.len = p.e.payload + HEADERS - ETHERNET;
	put_event(s, t, s->hosts[p.to].cpus[p.cpu_to].tid, &p, false);
	count_received(s, &p);
	if (p.deliver)
		p.deliver(s, t + PACKET_NS / 2, &p);
	return to;
}

/* The softirq of a CPU: all that has arrived. */
static void poll(struct sim *s, __u64 t, const struct sim_action *a)
{
	const __u32 host = (__u32)(a->number / SIM_CPUS), cpu = (__u32)(a->number % SIM_CPUS);
	struct sim_cpu *c = &s->hosts[host].cpus[cpu];
	struct queue *q = &queues[host][cpu], old = *q;
	__u64 at = t + PACKET_NS / 4;
	struct sim_action again = *a;

	if (c->free_at > t) {
		sim_at(s, c->free_at, &again);
		return;
	}
	*q = (struct queue){ 0 };
	for (size_t i = 0; i < old.nr; at += PACKET_NS)
		i = receive(s, at, &old, i);
	free(old.packets);
	sim_softirq(s, host, cpu, t, at);
	c->free_at = c->free_at > at ? c->free_at + 1 : at + 1;
}

static void arrive(struct sim *s, __u64 t, const struct sim_action *a)
{
	struct net_packet *p = a->object;
	struct queue *q = &queues[p->to][p->cpu_to];
	const struct sim_action action = { .run = poll,
					   .number = (__u64)p->to * SIM_CPUS + p->cpu_to };

	if (q->nr == q->cap) {
		q->cap = q->cap ? 2 * q->cap : 16;
		q->packets = realloc(q->packets, q->cap * sizeof(*q->packets));
		if (!q->packets)
			abort();
	}
	q->packets[q->nr++] = *p;
	free(p);
	if (q->nr == 1)
		sim_at(s, t + IRQ_NS, &action);
}

static void put_on_wire(struct sim *s, __u64 t, const struct net_packet *p)
{
	struct net_packet *copy;

	if (p->to < 0)
		return;
	if (p->from != (__u32)p->to && s->o.loss > 0 && random_unit(&s->random) <= s->o.loss) {
		s->counts.lost++;
		return;
	}
	copy = malloc(sizeof(*copy));
	if (!copy)
		abort();
	*copy = *p;
	sim_at(s, p->from == (__u32)p->to ? t : arrival_of(s, t, p),
	       &(struct sim_action){ .run = arrive, .object = copy });
}

/* One net:queue, and the segments that it makes */
static void queue_packet(struct sim *s, __u64 t, __u32 tid, struct net_packet *p)
{
	struct net_packet part;
	__u32 done, payload = p->e.payload;

	p->e.packet = 0xffff888000000000ull + 0x100 * next_packet++;
	p->e.ip_id = next_ip_id[p->from];
	p->e.len = payload + HEADERS;
	p->e.gso_segs = (__u16)(payload > NET_MSS ? (payload + NET_MSS - 1) / NET_MSS : 0);
	p->e.gso_size = payload > NET_MSS ? NET_MSS : 0;
	p->sent = sim_clock_raw(&s->hosts[p->from].clock, t);
	put_event(s, t, tid, p, true);
	for (done = 0; !done || done < payload; done += NET_MSS) {
		part = *p;
		part.e.payload = payload - done < NET_MSS ? payload - done : NET_MSS;
		part.offset += done;
		part.e.seq += done;
		part.e.ip_id = next_ip_id[p->from]++;
		if (done + NET_MSS < payload)
			part.e.tcp_flags &= (__u8)~NET_PSH;
		put_on_wire(s, t, &part);
	}
}

/* Sends @p from thread @tid; 0 = from an interrupt. */
void net_send(struct sim *s, __u64 t, __u32 tid, struct net_packet *p)
{
	net_addresses(s, p);
	queue_packet(s, t, tid, p);
	if (p->e.transport == IPPROTO_TCP)
		s->counts.tcp_queued++;
	else
		s->counts.udp_queued++;
}

/* Sends @p to all hosts, the sending one as well. */
void net_broadcast(struct sim *s, __u64 t, struct net_packet *p)
{
	struct net_packet copy;

	p->to = -1;
	p->is_broadcast = true;
	net_addresses(s, p);
	if (s->o.is_ipv6)
		memcpy(p->e.ip_dst, (const __u8[16]){ 0xff, 0x02, [15] = 1 }, 16);
	else
		memset(p->e.ip_dst + 12, 255, 4);
	queue_packet(s, t, 0, p);
	s->counts.broadcasts_queued++;
	for (int i = 0; i < s->host_nr; i++) {
		copy = *p;
		copy.to = i;
		put_on_wire(s, t, &copy);
	}
}

void net_free(void)
{
	for (int i = 0; i < SIM_HOSTS; i++)
		for (int j = 0; j < SIM_CPUS; j++)
			free(queues[i][j].packets);
}
