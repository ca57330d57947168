// SPDX-License-Identifier: GPL-2.0
/*
 * tcp.c - connections between simulated hosts
 *
 * As Linux does it, as far as packets show it: acknowledgements are delayed by up to 40 ms and go
 * along with data, lost segments are repeated after three equal acknowledgements or 200 ms. There
 * is no window.
 */
#include "tcp.h"

#include <stdlib.h>
#include <string.h>

#define DELAYED_ACK_NS 40000000ull
#define RTO_NS 200000000ull
#define SYN_NS 1000000000ull
#define TSO_SEGMENTS 44
#define SEND_NS 900u		/* a thread needs to send a packet */

static void tcp_deliver(struct sim *s, __u64 t, const struct net_packet *p);

static struct tcp_flow *other(const struct tcp_flow *f)
{
	return &f->tcp->flows[f == &f->tcp->flows[0]];
}

static void send_segment(struct sim *s, __u64 t, __u32 tid, struct tcp_flow *f, __u8 flags,
			 __u64 offset, __u32 bytes)
{
	const struct tcp_flow *g = other(f);
	struct net_packet p = {
		.from = f->from->host,
		.to = (__s32)f->to->host,
		.cpu_from = f->from->cpu,
		.cpu_to = f->to->cpu,
		.offset = offset,
		.ack_offset = g->received,
		.object = f,
		.deliver = tcp_deliver,
		.e = {
			.src_port = f->from->port,
			.dst_port = f->to->port,
			.seq = f->from->isn + !(flags & NET_SYN) + (__u32)offset,
			.ack = flags & NET_ACK ? f->to->isn + 1 + (__u32)g->received : 0,
			.payload = bytes,
			.transport = IPPROTO_TCP,
			.tcp_flags = flags,
		},
	};

	net_send(s, t, tid, &p);
}

static void retry_open(struct sim *s, __u64 t, const struct sim_action *a)
{
	struct tcp *tcp = a->object;

	if (tcp->is_open)
		return;
	send_segment(s, t, 0, &tcp->flows[0], NET_SYN, 0, 0);
	sim_at(s, t + SYN_NS, a);
}

/* Opens the connection from ends[0] to ends[1]. Sequence numbers soon wrap. */
void tcp_open(struct sim *s, __u64 t, struct tcp *tcp)
{
	for (int i = 0; i < 2; i++) {
		tcp->flows[i] = (struct tcp_flow){
			.tcp = tcp, .from = &tcp->ends[i], .to = &tcp->ends[!i],
		};
		tcp->ends[i].isn = 0xffffffffu - (__u32)random_below(&s->random, 1u << 20);
	}
	retry_open(s, t, &(struct sim_action){ .run = retry_open, .object = tcp });
}

static void send_ack(struct sim *s, __u64 t, struct tcp_flow *f)
{
	f->unacked = 0;
	f->ack_timer++;
	send_segment(s, t, 0, other(f), NET_ACK, other(f)->next, 0);
}

static void ack_is_due(struct sim *s, __u64 t, const struct sim_action *a)
{
	struct tcp_flow *f = a->object;

	if (f->ack_timer == a->number && f->unacked)
		send_ack(s, t, f);
}

static void set_timer(struct sim *s, __u64 t, struct tcp_flow *f);

static void repeat_first(struct sim *s, __u64 t, struct tcp_flow *f)
{
	const __u64 left = f->next - f->acked;

	s->counts.retransmitted++;
	send_segment(s, t, 0, f, NET_ACK | NET_PSH, f->acked,
		     (__u32)(left < NET_MSS ? left : NET_MSS));
	set_timer(s, t, f);
}

static void repetition_is_due(struct sim *s, __u64 t, const struct sim_action *a)
{
	struct tcp_flow *f = a->object;

	if (f->timer != a->number || f->acked == f->next)
		return;
	f->tries += f->tries < 6;
	repeat_first(s, t, f);
}

static void set_timer(struct sim *s, __u64 t, struct tcp_flow *f)
{
	const __u64 ns = RTO_NS + (__u64)(s->o.delay_us * 4e3) + (__u64)(s->o.asymmetry_us * 1e3);
	const struct sim_action action = { .run = repetition_is_due, .object = f,
					   .number = ++f->timer };

	if (f->acked < f->next)
		sim_at(s, t + (ns << f->tries), &action);
}

/* A program writes @bytes; returns when that is done. */
__u64 tcp_write(struct sim *s, __u64 t, __u32 tid, struct tcp_flow *f, __u32 bytes, __u64 id)
{
	const __u32 most = s->o.has_tso ? TSO_SEGMENTS * NET_MSS : NET_MSS;
	__u32 part;

	if (f->written - f->delivered == TCP_MESSAGES)
		abort();
	f->messages[f->written++ % TCP_MESSAGES] = (struct tcp_message){ f->next + bytes, id };
	other(f)->unacked = 0;
	other(f)->ack_timer++;
	for (; bytes; bytes -= part, t += SEND_NS) {
		part = bytes < most ? bytes : most;
		send_segment(s, t, tid, f, part == bytes ? NET_ACK | NET_PSH : NET_ACK, f->next,
			     part);
		f->next += part;
	}
	set_timer(s, t, f);
	return t;
}

static void see_ack(struct sim *s, __u64 t, struct tcp_flow *f, const struct net_packet *p)
{
	if (p->ack_offset > f->acked) {
		f->acked = p->ack_offset;
		f->tries = 0;
		f->same_acks = 0;
		set_timer(s, t, f);
	} else if (p->ack_offset == f->acked && f->acked < f->next && !p->e.payload) {
		if (++f->same_acks == 3)
			repeat_first(s, t, f);
	}
}

static void hold(struct tcp_flow *f, __u64 start, __u64 end)
{
	if (f->held_nr < TCP_HOLES) {
		f->held[f->held_nr][0] = start;
		f->held[f->held_nr++][1] = end;
	}
}

/* What is held and follows is received, too. */
static void join_held(struct tcp_flow *f)
{
	for (__u32 i = 0; i < f->held_nr;) {
		if (f->held[i][0] > f->received) {
			i++;
			continue;
		}
		if (f->held[i][1] > f->received)
			f->received = f->held[i][1];
		memcpy(f->held[i], f->held[--f->held_nr], sizeof(f->held[i]));
		i = 0;
	}
}

static void deliver_messages(struct sim *s, __u64 t, struct tcp_flow *f)
{
	const struct tcp_message *m;

	for (; f->delivered < f->written; f->delivered++) {
		m = &f->messages[f->delivered % TCP_MESSAGES];
		if (m->end > f->received)
			return;
		f->tcp->message(s, t, f->tcp->object, f == &f->tcp->flows[1], m->id);
	}
}

static void see_data(struct sim *s, __u64 t, struct tcp_flow *f, const struct net_packet *p)
{
	const __u64 end = p->offset + p->e.payload;

	if (p->offset > f->received || end <= f->received) {
		s->counts.duplicates += end <= f->received;
		if (p->offset > f->received)
			hold(f, p->offset, end);
		send_ack(s, t, f);
		return;
	}
	f->received = end;
	join_held(f);
	f->unacked += p->e.payload;
	if (f->unacked >= 2 * NET_MSS)
		send_ack(s, t, f);
	else
		sim_at(s, t + DELAYED_ACK_NS, &(struct sim_action){
			.run = ack_is_due, .object = f, .number = ++f->ack_timer });
	deliver_messages(s, t + 100, f);
}

/* SYN is answered each time it comes, because the answer may have been lost. */
static void see_syn(struct sim *s, __u64 t, struct tcp_flow *f)
{
	struct tcp *tcp = f->tcp;

	if (f == &tcp->flows[0]) {
		send_segment(s, t, 0, &tcp->flows[1], NET_SYN | NET_ACK, 0, 0);
		return;
	}
	send_segment(s, t, 0, &tcp->flows[0], NET_ACK, tcp->flows[0].next, 0);
	if (!tcp->is_open)
		tcp->opened(s, t, tcp->object);
	tcp->is_open = true;
}

static void tcp_deliver(struct sim *s, __u64 t, const struct net_packet *p)
{
	struct tcp_flow *f = p->object;

	if (p->e.tcp_flags & NET_SYN) {
		see_syn(s, t, f);
		return;
	}
	see_ack(s, t, other(f), p);
	if (p->e.payload)
		see_data(s, t, f, p);
}
