// SPDX-License-Identifier: GPL-2.0
/* wakeup_chain.c - finds what a thread waited for, and what that waited for, back in time */
#include "wakeup_chain.h"

#include "base/grow.h"
#include "base/search.h"

#include <errno.h>

#define HOPS_MAX 8	/* answers of interrupts to packets in a row */

struct wakeup_chain_thread *wakeup_chain_thread(struct wakeup_chain *c, __u64 serial)
{
	return hash_table_need(&c->threads, &serial, &c->error);
}

void wakeup_chain_add(struct wakeup_chain *c, struct wakeup_chain_thread *t,
		      const struct wakeup_chain_span *span)
{
	struct wakeup_chain_span *last = t->nr ? &t->spans[t->nr - 1] : NULL;

	/* Merge running spans of different modes. */
	if (last && last->status == span->status && last->to == span->from &&
	    span->status != KTRACE_STATUS_WAIT) {
		last->to = span->to;
		return;
	}
	if (LIST_GROW(t->spans, t->nr, t->cap))
		t->spans[t->nr++] = *span;
	else
		c->error = -ENOMEM;
}

/* Returns the last span of the thread that begins before @time, NULL = none. */
static const struct wakeup_chain_span *span_before(const struct wakeup_chain_thread *t, __u64 time)
{
	const size_t nr = PARTITION_POINT(t->nr, i, t->spans[i].from < time);

	return nr ? &t->spans[nr - 1] : NULL;
}

/*
 * True if @next extends @link backwards: they are pieces of one span, or of one status other than a
 * wait, split where modes or parts of the window end.
 */
static bool is_more_of(const struct wakeup_chain_link *link, const struct wakeup_chain_link *next)
{
	return link->serial == next->serial && link->depth == next->depth &&
	       link->kind == next->kind && link->kind == WAKEUP_CHAIN_THREAD &&
	       link->stop == next->stop &&
	       link->from == next->to && link->span.status == next->span.status &&
	       (link->span.status != KTRACE_STATUS_WAIT || link->span.from == next->span.from);
}

void wakeup_chain_end(struct wakeup_chain *c)
{
	if (c->link.from < c->link.to)
		c->found(c->arg, &c->link);
	c->link = (struct wakeup_chain_link){ 0 };
}

static void add_link(struct wakeup_chain *c, const struct wakeup_chain_link *link)
{
	if (link->from >= link->to)
		return;
	if (c->link.from < c->link.to && is_more_of(&c->link, link)) {
		c->link.from = link->from;
		return;
	}
	wakeup_chain_end(c);
	c->link = *link;
}

/* True if the wait ends at @to, and what ended it may explain it. */
static bool is_explained(const struct wakeup_chain *c, const struct wakeup_chain_span *span,
			 __u64 to)
{
	return span->status == KTRACE_STATUS_WAIT && span->to == to &&
	       c->depth <= WAKEUP_CHAIN_DEPTH_MAX;
}

static void push(struct wakeup_chain *c, __u64 serial, __u64 from, __u64 to)
{
	c->waits[c->depth++] = (struct wakeup_chain_wait){ serial, from, to };
}

/* Takes the part of @rest from @from on as a piece of this kind, if there is one. */
static void cut_piece(struct wakeup_chain *c, struct wakeup_chain_link *rest, __u64 from,
		      const struct wakeup_chain_link *what)
{
	struct wakeup_chain_link piece = *what;

	if (from >= rest->to)
		return;
	piece.serial = rest->serial;
	piece.depth = rest->depth;
	piece.from = from > rest->from ? from : rest->from;
	piece.to = rest->to;
	rest->to = piece.from;
	add_link(c, &piece);
}

/* True if the packet was received before it was sent, even if both times are as wrong as can be. */
static bool contradicts(const struct packet_trip *trip)
{
	const __u64 back = trip->sent > trip->received ? trip->sent - trip->received : 0;

	return back && (!trip->error.is_known || back > trip->error.late_ns);
}

static void count_crossing(struct wakeup_chain_crossings *all, const struct packet_trip *trip)
{
	const struct time_error *error = &trip->error;
	const __u64 most = error->is_known ? time_error_larger(error) : 0;

	all->nr++;
	all->retransmitted += trip->is_retransmitted;
	all->without_error += !trip->error.is_known;
	all->negative += trip->sent > trip->received;
	if (!trip->error.is_known)
		return;
	all->error_ns = most > all->error_ns ? most : all->error_ns;
	all->overlapping += trip->sent > trip->received ||
			    trip->received - trip->sent < error->early_ns;
}

/*
 * Adds pieces for one packet: its reception and its way. Return: what sent it, NULL: not known, and
 * @rest tells why.
 */
static const struct packet_sender *cross(struct wakeup_chain *c, struct wakeup_chain_link *rest,
					 const struct packet_cause *packet)
{
	const struct packet_trip *trip = packet_wakeups_trip(&c->packets, &packet->id);
	const struct packet_sender *sender;

	rest->stop = !trip ? WAKEUP_CHAIN_NO_MESSAGE :
		     contradicts(trip) ? WAKEUP_CHAIN_CLOCKS : WAKEUP_CHAIN_GOES_ON;
	if (rest->stop)
		return NULL;
	count_crossing(&c->crossings, trip);
	cut_piece(c, rest, packet->time, &(struct wakeup_chain_link){
		.kind = WAKEUP_CHAIN_RECEIVE, .machine = trip->to_machine });
	cut_piece(c, rest, trip->sent, &(struct wakeup_chain_link){
		.kind = WAKEUP_CHAIN_NETWORK, .machine = trip->from_machine, .trip = *trip });
	sender = packet_wakeups_sender(&c->packets, &trip->from);
	if (sender && sender->thread)
		cut_piece(c, rest, sender->time, &(struct wakeup_chain_link){
			.kind = WAKEUP_CHAIN_SEND, .machine = trip->from_machine });
	else if (!sender || sender->answers.kind == PACKET_CAUSE_NONE)
		rest->stop = WAKEUP_CHAIN_INTERRUPT;
	return sender;
}

/* Continues with the thread that sent the packet, through interrupts that answer others. */
static void follow(struct wakeup_chain *c, struct wakeup_chain_link *rest)
{
	struct packet_cause packet = rest->span.packet;
	const struct packet_sender *sender = NULL;
	int hops;

	if (packet.kind == PACKET_CAUSE_AMBIGUOUS)
		rest->stop = WAKEUP_CHAIN_AMBIGUOUS;
	for (hops = 0; !rest->stop && rest->from < rest->to; hops++) {
		sender = hops < HOPS_MAX ? cross(c, rest, &packet) : NULL;
		if (!sender || sender->thread)
			break;
		packet = sender->answers;
	}
	if (!sender && !rest->stop)
		rest->stop = WAKEUP_CHAIN_INTERRUPT;
	if (sender && sender->thread && rest->from < rest->to)
		push(c, sender->thread - 1, rest->from, rest->to);
	else
		add_link(c, rest);
}

/* Takes one step back for the last of @waits. */
static void step(struct wakeup_chain *c)
{
	struct wakeup_chain_wait *at = &c->waits[c->depth - 1];
	const struct wakeup_chain_thread *t = wakeup_chain_thread(c, at->serial);
	const struct wakeup_chain_span *span = t ? span_before(t, at->to) : NULL;
	struct wakeup_chain_link link = { .serial = at->serial, .to = at->to, .depth =
					 c->depth - 1 };
	bool is_caused = false;

	link.from = at->from;
	if (span && span->to >= at->to) {
		link.span = *span;
		link.from = span->from > at->from ? span->from : at->from;
		is_caused = is_explained(c, span, at->to);
	} else if (span && span->to > at->from) {
		link.from = span->to;
	}
	at->to = link.from;
	if (is_caused && span->waker)
		push(c, span->waker - 1, link.from, link.to);
	else if (is_caused && span->packet.kind != PACKET_CAUSE_NONE)
		follow(c, &link);
	else
		add_link(c, &link);
}

void wakeup_chain_begin(struct wakeup_chain *c, __u64 serial, __u64 from, __u64 to)
{
	c->waits[0] = (struct wakeup_chain_wait){ serial, from, to };
	c->depth = 1;
}

bool wakeup_chain_goes_before(const struct wakeup_chain *c, __u64 time)
{
	return c->depth && c->waits[c->depth - 1].to > time && !c->error;
}

void wakeup_chain_walk(struct wakeup_chain *c, __u64 since)
{
	while (wakeup_chain_goes_before(c, since)) {
		if (c->waits[c->depth - 1].to > c->waits[c->depth - 1].from)
			step(c);
		while (c->depth && c->waits[c->depth - 1].to <= c->waits[c->depth - 1].from)
			c->depth--;
	}
}

void wakeup_chain_clear(struct wakeup_chain *c)
{
	size_t i;

	for (i = 0; i < c->threads.nr; i++)
		((struct wakeup_chain_thread *)hash_table_at(&c->threads, i))->nr = 0;
}

void wakeup_chain_free(struct wakeup_chain *c)
{
	hash_table_free_with(&c->threads, offsetof(struct wakeup_chain_thread, spans));
	packet_wakeups_free(&c->packets);
}
