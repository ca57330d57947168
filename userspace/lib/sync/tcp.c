// SPDX-License-Identifier: LGPL-2.1
/*
 * tcp.c - pair what one host sent of a connection's bytes with what another received
 *
 * A packet that arrived is received after each of its bytes was sent for the first time. So the
 * message is from the first transmission of its last byte that is known: the latest one, as a
 * sender sends new bytes in their order. This holds however packets were cut or joined on the way
 * (TSO, GRO), and for bytes that were sent again. SYN and FIN have a number like a byte.
 *
 * A sender's list has only first transmissions: bytes below @next have been sent before. Where the
 * first one may be missing, in the middle of a connection or after a gap, the bytes are unsure and
 * not in the list.
 *
 * Each pair of a sent and a received packet is looked at when the later one of them is read:
 *
 *   received, read when the sender's @next covers it:	its last byte is looked for in the list
 *   sent, moves @next:					the packets received up to there wait for it
 */
#include "match.h"

#include <errno.h>
#include <string.h>

/* So many packets are looked at to find those whose bytes were sent again. */
#define REPEATED_STEPS 1024u

/* Returns the latest first transmission of bytes of [@from, @to), NULL = unknown. */
static struct range *find_sent(struct ktrace_messages *m, struct sender *s, __u32 from, __u32 to)
{
	__u32 at = ktrace_range_list_above(&s->sent, to - 1);
	struct range *r;

	if (at != s->sent.last) {
		r = range_get(&m->ranges, range_ref_at(&s->sent, at)->nr);
		if (r && seq_before(r->from, to))
			return r;
	}
	if (at == s->sent.first)
		return NULL;
	r = range_get(&m->ranges, range_ref_at(&s->sent, at - 1)->nr);
	return r && seq_before(from, r->to) ? r : NULL;
}

/* Adds @flags to the packets with bytes of [@from, @to); returns those that any of them had. */
static __u16 flag_sent(struct ktrace_messages *m, struct sender *s, const struct hole *bytes,
		       __u16 flags)
{
	__u32 at = ktrace_range_list_above(&s->sent, bytes->from);
	struct range *r;
	__u16 had = 0;

	for (__u32 n = 0; at != s->sent.last && n < REPEATED_STEPS; at++, n++) {
		r = range_get(&m->ranges, range_ref_at(&s->sent, at)->nr);
		if (r && !seq_before(r->from, bytes->to))
			break;
		if (r) {
			had |= r->flags;
			r->flags |= flags;
		}
	}
	return had;
}

static void mark_matched(struct ktrace_messages *m, struct range *r)
{
	if (r->flags & RANGE_MATCHED)
		return;
	r->flags |= RANGE_MATCHED;
	m->stats.waiting--;
	m->stats.matched++;
}

static void tell(struct ktrace_messages *m, struct sender *s, struct range *from,
		 struct range *to)
{
	const struct hole bytes = { to->from, to->to };
	/* Transmissions have no bytes in common. */
	const bool has_all = !seq_before(to->from, from->from) && !seq_before(from->to, to->to);
	const __u16 flags = has_all ? from->flags : flag_sent(m, s, &bytes, 0);
	const struct ktrace_message message = {
		.kind = KTRACE_MESSAGE_TCP, .from = from->end, .to = to->end,
		.is_retransmitted = flags & RANGE_REPEATED, .bytes = to->payload,
	};

	mark_matched(m, from);
	mark_matched(m, to);
	m->stats.messages[KTRACE_MESSAGE_TCP]++;
	if (m->found)
		m->found(m->arg, &message);
}

/*
 * True if the packets can be of one connection. A port may be used again, and a device on the way
 * may change numbers: then connections begin with different ones.
 */
static bool is_one_connection(const struct range *a, const struct range *b)
{
	return !(a->flags & b->flags & RANGE_HAS_FIRST) || a->first == b->first;
}

/* Begins a connection; packets of an older one stay if their numbers are below. */
static void begin(struct range_list *l, __u32 number)
{
	if (l->first != l->last && seq_before(number, range_ref_at(l, l->last - 1)->to))
		range_list_empty(l);
}

/* Takes bytes that were all sent before: again, or by another device on the way out. */
static void take_again(struct ktrace_messages *m, struct sender *s, const struct sighting *e)
{
	const struct packet *p = &e->packet;
	const struct hole bytes = { p->seq, p->seq + p->span };
	struct range *r = find_sent(m, s, bytes.from, bytes.to);

	m->stats.waiting--;
	if (!r || r->dev == p->dev) {
		m->stats.retransmitted++;
		flag_sent(m, s, &bytes, RANGE_REPEATED);
		return;
	}
	m->stats.passed_on++;
	/* A retransmission would have another number. The later event is nearer to the wire. */
	if (p->ip_id && p->ip_id == r->ip_id && r->from == bytes.from && r->to == bytes.to &&
	    !(r->flags & (RANGE_MATCHED | RANGE_REPEATED)))
		r->end = e->end;
}

/* @first: number of the SYN, NULL = unknown */
static struct range range_of(const struct sighting *e, const __u32 *first)
{
	const struct packet *p = &e->packet;

	return (struct range){
		.end = e->end, .from = p->seq, .to = p->seq + p->span,
		.first = first ? *first : 0, .payload = p->payload, .dev = p->dev,
		.ip_id = p->ip_id, .flags = first ? RANGE_HAS_FIRST : 0,
	};
}

/* Finds the packets that other hosts have received of bytes sent now. */
static void meet_received(struct ktrace_messages *m, const struct flow *f, struct sender *s,
			  struct range *sent)
{
	const struct range_ref *ref;
	struct range *r;
	__u32 at;

	for (struct receiver *v = f->receivers; v; v = v->link) {
		if (v->host == s->host)
			continue;
		at = ktrace_range_list_above(&v->received, sent->from);
		for (; at != v->received.last; at++) {
			ref = range_ref_at(&v->received, at);
			if (ref->to - sent->from - 1 >= sent->to - sent->from)
				break;
			r = range_get(&m->ranges, ref->nr);
			if (r && is_one_connection(sent, r))
				tell(m, s, sent, r);
		}
	}
}

/* Takes a packet with bytes from @s->next on. */
static void take_new(struct ktrace_messages *m, const struct flow *f, struct sender *s,
		     const struct sighting *e)
{
	struct range sent = range_of(e, s->has_first ? &s->first : NULL), *r;
	const struct hole again = { sent.from, s->next };
	const bool is_sure = !seq_before(s->next, sent.from) &&
			     s->losses == m->losses[s->host];

	if (seq_before(again.from, again.to))
		flag_sent(m, s, &again, RANGE_REPEATED);
	sent.from = s->next;
	s->next = sent.to;
	s->losses = m->losses[s->host];
	if (!is_sure) {
		m->stats.waiting--;
		m->stats.unsure++;
		return;
	}
	r = ktrace_range_add(m, &sent);
	ktrace_range_list_trim(&s->sent, &m->ranges, r->to);
	ktrace_range_list_add(&s->sent, &m->ranges, r);
	meet_received(m, f, s, r);
}

static void take_sent(struct ktrace_messages *m, const struct flow *f, struct sender *s,
		      const struct sighting *e)
{
	const struct packet *p = &e->packet;

	if (p->is_syn && !(s->has_first && s->first == p->seq)) {
		begin(&s->sent, p->seq);
		s->is_known = s->has_first = true;
		s->first = p->seq;
		s->next = p->seq;
		s->losses = m->losses[s->host];
	}
	if (!s->is_known || seq_is_far(p->seq, s->next)) {
		/* Some bytes of the first packet may have been sent before. */
		range_list_empty(&s->sent);
		s->is_known = true;
		s->has_first = false;
		s->next = p->seq + p->span;
		s->losses = m->losses[s->host];
		m->stats.waiting--;
		m->stats.unsure++;
	} else if (seq_before(s->next, p->seq + p->span)) {
		take_new(m, f, s, e);
	} else {
		take_again(m, s, e);
	}
}

static void add_hole(struct receiver *r, __u32 place, __u32 from, __u32 to)
{
	if (r->hole_nr == HOLES_MAX) {
		/* Bytes of the oldest one count as received. */
		r->hole_nr--;
		memmove(r->holes, r->holes + 1, r->hole_nr * sizeof(r->holes[0]));
		place -= place > 0;
	}
	memmove(r->holes + place + 1, r->holes + place,
		(r->hole_nr - place) * sizeof(r->holes[0]));
	r->holes[place] = (struct hole){ from, to };
	r->hole_nr++;
}

/* Removes [@from, @to) from the holes. Returns false if no byte of it was missing. */
static bool fill_holes(struct receiver *r, __u32 from, __u32 to)
{
	bool is_new = false;
	struct hole h;

	for (__u32 i = 0; i < r->hole_nr; i++) {
		h = r->holes[i];
		if (!seq_before(from, h.to) || !seq_before(h.from, to))
			continue;
		is_new = true;
		if (seq_before(h.from, from) && seq_before(to, h.to)) {
			r->holes[i].to = from;
			add_hole(r, i + 1, to, h.to);
			break;
		}
		if (seq_before(h.from, from)) {
			r->holes[i].to = from;
		} else if (seq_before(to, h.to)) {
			r->holes[i].from = to;
		} else {
			r->hole_nr--;
			memmove(r->holes + i, r->holes + i + 1,
				(r->hole_nr - i) * sizeof(r->holes[0]));
			i--;
		}
	}
	return is_new;
}

/* Removes holes that are too far below to compare their numbers. */
static void trim_holes(struct receiver *r)
{
	while (r->hole_nr && seq_is_far(r->holes[0].from, r->next)) {
		r->holes[0].from = r->next - SEQ_WINDOW;
		if (seq_before(r->holes[0].from, r->holes[0].to))
			break;
		r->hole_nr--;
		memmove(r->holes, r->holes + 1, r->hole_nr * sizeof(r->holes[0]));
	}
}

/* Takes the bytes of a packet. Returns false if the host has received all of them before. */
static bool take_bytes(struct receiver *r, const struct packet *p)
{
	const __u32 from = p->seq, to = from + p->span;
	bool is_new = false;

	if (p->is_syn && !(r->has_first && r->first == from)) {
		begin(&r->received, from);
		r->is_known = r->has_first = true;
		r->first = from;
		r->hole_nr = 0;
		r->next = from;
	} else if (!r->is_known || seq_is_far(to, r->next)) {
		range_list_empty(&r->received);
		r->is_known = true;
		r->has_first = false;
		r->hole_nr = 0;
		r->next = from - SEQ_WINDOW;
	}
	if (seq_before(r->next, to)) {
		if (seq_before(r->next, from))
			add_hole(r, r->hole_nr, r->next, from);
		r->next = to;
		is_new = true;
		trim_holes(r);
	}
	return fill_holes(r, from, to) || is_new;
}

/* True if the host sent these bytes itself. */
static bool is_own(struct ktrace_messages *m, const struct flow *f, const struct sighting *e)
{
	const struct packet *p = &e->packet;
	struct sender *s = f->senders;
	struct range *r;

	while (s && s->host != e->host)
		s = s->link;
	r = s ? find_sent(m, s, p->seq, p->seq + p->span) : NULL;
	if (r)
		r->flags |= RANGE_LOCAL;
	return r;
}

/* True if the sender has sent all bytes up to number @to. */
static bool has_sent(const struct sender *s, __u32 to)
{
	return s->is_known && !seq_before(s->next, to) && !seq_is_far(s->next, to);
}

static void take_received(struct ktrace_messages *m, const struct flow *f, struct receiver *v,
			  const struct sighting *e)
{
	struct range received, *r;

	if (!take_bytes(v, &e->packet)) {
		m->stats.waiting--;
		m->stats.duplicate++;
		return;
	}
	received = range_of(e, v->has_first ? &v->first : NULL);
	if (is_own(m, f, e)) {
		m->stats.waiting--;
		m->stats.local++;
		return;
	}
	for (struct sender *s = f->senders; s; s = s->link) {
		r = s->host != v->host && has_sent(s, received.to) ?
			    find_sent(m, s, received.from, received.to) : NULL;
		if (r && is_one_connection(r, &received))
			tell(m, s, r, &received);
	}
	/* With two hosts there is no other sender. */
	if (received.flags & RANGE_MATCHED && m->host_nr == 2)
		return;
	r = ktrace_range_add(m, &received);
	ktrace_range_list_trim(&v->received, &m->ranges, r->to);
	ktrace_range_list_add(&v->received, &m->ranges, r);
}

/* Returns the host's side of a connection as a sender, with room for a packet; NULL = no memory */
static struct sender *get_sender(struct ktrace_messages *m, struct flow *f, __u32 host)
{
	struct sender *s = f->senders;

	while (s && s->host != host)
		s = s->link;
	if (!s) {
		s = calloc(1, sizeof(*s));
		if (!s)
			return NULL;
		s->host = host;
		s->link = f->senders;
		f->senders = s;
	}
	return ktrace_range_list_reserve(&s->sent, &m->ranges) ? NULL : s;
}

static struct receiver *get_receiver(struct ktrace_messages *m, struct flow *f, __u32 host)
{
	struct receiver *r = f->receivers;

	while (r && r->host != host)
		r = r->link;
	if (!r) {
		r = calloc(1, sizeof(*r));
		if (!r)
			return NULL;
		r->host = host;
		r->link = f->receivers;
		f->receivers = r;
	}
	return ktrace_range_list_reserve(&r->received, &m->ranges) ? NULL : r;
}

/* Takes a packet of TCP. Returns 0, -ENOMEM: nothing has changed. */
int ktrace_tcp_add(struct ktrace_messages *m, const struct sighting *e)
{
	struct flow *f = ktrace_flow_get(m, &e->packet.key);
	struct receiver *r;
	struct sender *s;

	if (!f)
		return -ENOMEM;
	if (e->packet.is_sent) {
		s = get_sender(m, f, e->host);
		if (!s)
			return -ENOMEM;
		m->stats.waiting++;
		take_sent(m, f, s, e);
		return 0;
	}
	r = get_receiver(m, f, e->host);
	if (!r)
		return -ENOMEM;
	m->stats.waiting++;
	take_received(m, f, r, e);
	return 0;
}

/* Frees what hosts sent and received of a connection. */
void ktrace_tcp_forget(struct flow *f)
{
	struct receiver *r;
	struct sender *s;

	while (f->senders) {
		s = f->senders;
		f->senders = s->link;
		free(s->sent.refs);
		free(s);
	}
	while (f->receivers) {
		r = f->receivers;
		f->receivers = r->link;
		free(r->received.refs);
		free(r);
	}
}
