// SPDX-License-Identifier: LGPL-2.1
/*
 * udp.c - pair packets without lasting numbers: datagrams that one host sent and another received
 *
 * A datagram is identified by addresses, ports, number of the IPv4 packet, size and first bytes.
 * None of these needs to be unique: a program may send the same text every second, and where clocks
 * differ by more than that, one second's datagram would be paired with the next one's. So a
 * datagram is kept as long as there is room, and its messages are told only when it is forgotten
 * and no second one was equal to it.
 *
 * The same is done for segments of TCP whose event has no addresses and no size: they are
 * identified by sequence number, acknowledged number and flags.
 */
#include "match.h"

#include <errno.h>
#include <string.h>

#define DATAGRAMS (KTRACE_MESSAGES_PENDING / 2)
#define ARRIVALS KTRACE_MESSAGES_PENDING

enum arrival_flag {
	ARRIVAL_SENT = 1 << 0,
	ARRIVAL_LOCAL = 1 << 1,		/* received by the host that sent it */
	ARRIVAL_MATCHED = 1 << 2,
};

/**
 * struct arrival - a host has sent or received a datagram
 * @end:	the event
 * @host:	number of the host
 * @dev:	hash of the device
 * @flags:	enum arrival_flag
 * @link:	index + 1 of the next one of the datagram, or of the next free one; 0 = last
 */
struct arrival {
	struct ktrace_message_end end;
	__u32 host;
	__u32 dev;
	__u32 flags;
	__u32 link;
};

/* struct identity - what equal datagrams have in common */
struct identity {
	__u64 data;
	struct packet_key key;
	__u32 payload;
	__u32 ip_id;
	__u32 is_segment;
};

/**
 * struct datagram - equal datagrams
 * @identity:	what identifies them
 * @hash:	of @identity
 * @chain:	index + 1 of the next one with this hash, 0 = last
 * @arrivals:	index + 1 of the first one, 0 = none
 * @extra:	packets that are not in @arrivals: there are several equal ones
 */
struct datagram {
	struct identity identity;
	__u32 hash;
	__u32 chain;
	__u32 arrivals;
	__u32 extra;
};

/**
 * struct datagrams - the last DATAGRAMS ones
 * @at:		a circle
 * @first:	counts those forgotten
 * @last:	counts all so far
 * @by_hash:	index + 1 of the latest one with a hash
 * @arrivals:	of all datagrams
 * @fresh:	those from this one on were never used
 * @free:	index + 1 of the first one free again, 0 = none
 */
struct datagrams {
	struct datagram *at;
	__u64 first;
	__u64 last;
	__u32 *by_hash;
	struct arrival *arrivals;
	__u32 fresh;
	__u32 free;
};

_Static_assert(sizeof(struct identity) == 56, "compared as bytes");

int ktrace_datagrams_new(struct datagrams **out)
{
	struct datagrams *d = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	d->at = calloc(DATAGRAMS, sizeof(*d->at));
	d->by_hash = calloc(DATAGRAMS, sizeof(*d->by_hash));
	d->arrivals = calloc(ARRIVALS, sizeof(*d->arrivals));
	if (!d->at || !d->by_hash || !d->arrivals) {
		ktrace_datagrams_free(d);
		return -ENOMEM;
	}
	*out = d;
	return 0;
}

void ktrace_datagrams_free(struct datagrams *d)
{
	if (!d)
		return;
	free(d->arrivals);
	free(d->by_hash);
	free(d->at);
	free(d);
}

static struct arrival *arrival_at(const struct datagrams *d, __u32 link)
{
	return link ? &d->arrivals[link - 1] : NULL;
}

static struct arrival *first_of(const struct datagrams *d, const struct datagram *g)
{
	return arrival_at(d, g->arrivals);
}

static struct arrival *next_of(const struct datagrams *d, const struct arrival *a)
{
	return arrival_at(d, a->link);
}

static void tell(struct ktrace_messages *m, const struct datagram *g, struct arrival *from,
		 struct arrival *to)
{
	const enum ktrace_message_kind sent = g->identity.is_segment ?
		KTRACE_MESSAGE_TCP : KTRACE_MESSAGE_UDP;
	const enum ktrace_message_kind kind = from->flags & ARRIVAL_SENT ?
		sent : KTRACE_MESSAGE_BROADCAST;
	const struct ktrace_message message = {
		.kind = kind, .from = from->end, .to = to->end,
		.bytes = g->identity.is_segment ? 0 : g->identity.payload,
	};

	from->flags |= ARRIVAL_MATCHED;
	to->flags |= ARRIVAL_MATCHED;
	m->stats.messages[kind]++;
	if (m->found)
		m->found(m->arg, &message);
}

static bool has_sent(const struct datagrams *d, const struct datagram *g, __u32 host)
{
	for (const struct arrival *a = first_of(d, g); a; a = next_of(d, a))
		if (a->host == host && a->flags & ARRIVAL_SENT)
			return true;
	return false;
}

/* True for a receiver of which the others are peers: a router would send the datagram, too. */
static bool is_receiver(const struct datagrams *d, const struct datagram *g,
			const struct arrival *a)
{
	return !(a->flags & (ARRIVAL_SENT | ARRIVAL_LOCAL)) && !has_sent(d, g, a->host);
}

static void tell_pairs(struct ktrace_messages *m, const struct datagram *g)
{
	const bool is_broadcast = ktrace_packet_is_broadcast(&g->identity.key);
	const struct datagrams *d = m->datagrams;
	struct arrival *a, *b;

	for (a = first_of(d, g); a; a = next_of(d, a))
		for (b = next_of(d, a); b; b = next_of(d, b))
			if (is_broadcast && is_receiver(d, g, a) && is_receiver(d, g, b))
				tell(m, g, a, b);
	for (a = first_of(d, g); a; a = next_of(d, a))
		for (b = first_of(d, g); b && a->flags & ARRIVAL_SENT; b = next_of(d, b))
			if (!(b->flags & (ARRIVAL_SENT | ARRIVAL_LOCAL)) && a->host != b->host)
				tell(m, g, a, b);
}

static bool has_local(const struct datagrams *d, const struct datagram *g, __u32 host)
{
	for (const struct arrival *a = first_of(d, g); a; a = next_of(d, a))
		if (a->host == host && a->flags & ARRIVAL_LOCAL)
			return true;
	return false;
}

static void count(struct ktrace_messages *m, const struct datagram *g, const struct arrival *a)
{
	m->stats.waiting--;
	if (g->extra)
		m->stats.ambiguous++;
	else if (a->flags & ARRIVAL_MATCHED)
		m->stats.matched++;
	else if (has_local(m->datagrams, g, a->host))
		m->stats.local++;
	else
		m->stats.given_up++;
}

/* Tells the messages of the oldest datagram, and forgets it. */
static void forget_oldest(struct ktrace_messages *m)
{
	struct datagrams *d = m->datagrams;
	struct datagram *g = &d->at[d->first % DATAGRAMS];
	__u32 *link = &d->by_hash[g->hash % DATAGRAMS];
	struct arrival *a;
	__u32 next;

	if (!g->extra)
		tell_pairs(m, g);
	for (a = first_of(d, g); a; a = next_of(d, a))
		count(m, g, a);
	m->stats.waiting -= g->extra;
	m->stats.ambiguous += g->extra;
	for (next = g->arrivals; next; next = g->arrivals) {
		a = arrival_at(d, next);
		g->arrivals = a->link;
		a->link = d->free;
		d->free = next;
	}
	while (&d->at[*link - 1] != g)
		link = &d->at[*link - 1].chain;
	*link = g->chain;
	d->first++;
}

static __u32 hash_of(const struct ktrace_messages *m, const struct identity *i)
{
	__u64 h = ktrace_sync_hash(m, &i->key);

	h = (h << 32 | i->payload) ^ i->data * 0x9e3779b97f4a7c15ull ^ m->seed;
	h = (h ^ h >> 29 ^ (__u64)i->ip_id << 40) * 0xbf58476d1ce4e5b9ull;
	return (__u32)(h >> 32);
}

/* Finds or adds a datagram; the oldest one is forgotten for a new one. */
static struct datagram *get_datagram(struct ktrace_messages *m, const struct identity *identity)
{
	const __u32 hash = hash_of(m, identity);
	struct datagrams *d = m->datagrams;
	__u32 *first = &d->by_hash[hash % DATAGRAMS];
	struct datagram *g;

	for (__u32 link = *first; link; link = g->chain) {
		g = &d->at[link - 1];
		if (g->hash == hash && !memcmp(&g->identity, identity, sizeof(*identity)))
			return g;
	}
	if (d->last - d->first == DATAGRAMS)
		forget_oldest(m);
	g = &d->at[d->last % DATAGRAMS];
	*g = (struct datagram){ .identity = *identity, .hash = hash, .chain = *first };
	*first = (__u32)(d->last++ % DATAGRAMS) + 1;
	return g;
}

/* Takes the place of an arrival; NULL if only those of the datagram itself are left. */
static struct arrival *add_arrival(struct ktrace_messages *m, struct datagram *g)
{
	struct datagrams *d = m->datagrams;
	struct arrival *a;
	__u32 link, *last = &g->arrivals, nr = 0;

	for (; *last; last = &arrival_at(d, *last)->link)
		nr++;
	if (nr >= SIDES_MAX)
		return NULL;
	while (!d->free && d->fresh == ARRIVALS && &d->at[d->first % DATAGRAMS] != g)
		forget_oldest(m);
	link = d->free ? d->free : d->fresh < ARRIVALS ? ++d->fresh : 0;
	if (!link)
		return NULL;
	a = arrival_at(d, link);
	d->free = link == d->free ? a->link : d->free;
	a->link = 0;
	*last = link;
	return a;
}

static struct identity identity_of(const struct packet *p)
{
	return (struct identity){
		.data = p->data, .key = p->key, .payload = p->payload, .ip_id = p->ip_id,
		.is_segment = p->is_segment,
	};
}

/* Takes a datagram that the host has sent, or received, before: @a. */
static void take_again(struct ktrace_messages *m, struct datagram *g, struct arrival *a,
		       const struct sighting *e)
{
	const struct packet *p = &e->packet;

	if (a->dev == p->dev) {
		g->extra++;
		return;
	}
	m->stats.waiting--;
	if (!p->is_sent) {
		m->stats.duplicate++;
		return;
	}
	m->stats.passed_on++;
	/* Another datagram would have another number. The later event is nearer to the wire. */
	if (p->ip_id)
		a->end = e->end;
}

/* Takes a datagram of UDP. */
void ktrace_datagram_add(struct ktrace_messages *m, const struct sighting *e)
{
	const struct packet *p = &e->packet;
	const struct identity identity = identity_of(p);
	struct datagram *g = get_datagram(m, &identity);
	const __u32 is_sent = p->is_sent ? ARRIVAL_SENT : 0;
	struct arrival *a = first_of(m->datagrams, g);

	m->stats.waiting++;
	while (a && (a->host != e->host || (a->flags & ARRIVAL_SENT) != is_sent))
		a = next_of(m->datagrams, a);
	if (a) {
		take_again(m, g, a, e);
		return;
	}
	a = add_arrival(m, g);
	if (!a) {
		g->extra++;
		return;
	}
	a->end = e->end;
	a->host = e->host;
	a->dev = p->dev;
	a->flags = is_sent;
	if (!is_sent && has_sent(m->datagrams, g, e->host))
		a->flags |= ARRIVAL_LOCAL;
}

/* Tells the messages of all datagrams, and forgets them. */
void ktrace_datagrams_end(struct ktrace_messages *m)
{
	while (m->datagrams->first != m->datagrams->last)
		forget_oldest(m);
}
