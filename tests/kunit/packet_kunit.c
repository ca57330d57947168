// SPDX-License-Identifier: GPL-2.0
/*
 * packet_kunit.c - suite ktrace_packet: what the events of family "net" tell of a packet's headers
 *
 * Tracepoints are hit with packets that are made here. A header may be in the packet's first
 * piece, in a page, or in both, and the result must be the same. What follows a packet in memory
 * is filled with two different bytes; a result that differs shows that it was read.
 */
#include <kunit/test.h>
#include <linux/if_arp.h>
#include <linux/if_ether.h>
#include <linux/netdevice.h>
#include <linux/prandom.h>
#include <linux/skbuff.h>
#include "control.h"
#include "packet_samples.h"
#include "probe_hits.h"
#include "session_fixture.h"

enum { ROOM = 128, FUZZ_RUNS = 5000, MUTATIONS_MAX = 4 };

static struct net_device net_device = { .name = "some_device", .type = ARPHRD_ETHER };

/* ---- what is told of a packet ---- */

/**
 * struct way - how a packet comes
 * @is_queued:	it is sent, and has an Ethernet header
 * @linear:	bytes in its first piece, of those that are made here; the rest is in two pages
 * @len:	bytes of it that there are
 * @garbage:	what follows them in memory
 * @move:	queued: bytes by which the network header is beside the packet's first one
 */
struct way {
	bool is_queued;
	u32 linear;
	u32 len;
	u8 garbage;
	int move;
};

static void add_page(struct kunit *test, struct sk_buff *skb, const u8 *bytes, u32 len, u8 garbage)
{
	struct page *page = alloc_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	memset(page_address(page), garbage, PAGE_SIZE);
	memcpy(page_address(page) + PAGE_SIZE / 2, bytes, len);
	skb_add_rx_frag(skb, skb_shinfo(skb)->nr_frags, page, PAGE_SIZE / 2, len, PAGE_SIZE);
}

static struct sk_buff *make_skb(struct kunit *test, const struct made *m, const struct way *w)
{
	const u32 linear = min(w->linear, w->len), rest = w->len - linear, half = rest / 2;
	struct sk_buff *skb = alloc_skb(2 * ROOM + BYTES_MAX, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	memset(skb->head, w->garbage, skb_end_offset(skb));
	skb_reserve(skb, ROOM);
	if (w->is_queued)
		skb_put_zero(skb, ETH_HLEN);
	skb_put_data(skb, m->bytes, linear);
	if (half)
		add_page(test, skb, m->bytes + linear, half, w->garbage);
	if (rest)
		add_page(test, skb, m->bytes + linear + half, rest - half, w->garbage);
	skb->dev = &net_device;
	skb->protocol = htons(m->protocol);
	/* On receiving, it is still where it was for the packet before. */
	skb_set_network_header(skb, w->is_queued ? ETH_HLEN + w->move : -ROOM / 2);
	return skb;
}

struct got {
	struct ktrace_ev_net ev;
	u32 nr;
};

static void keep(const struct ktrace_record *rec, const void *payload, void *arg)
{
	struct got *got = arg;

	if (rec->tid_flags & KTRACE_REC_IRQ || rec->len != sizeof(got->ev))
		return;
	memcpy(&got->ev, payload, sizeof(got->ev));
	got->nr++;
}

/* Returns what the session @s got to know; checks what it has of any packet. */
static struct ktrace_ev_net tell(struct kunit *test, struct kt_session *s, const struct made *m,
				 const struct way *w, u16 gso_size)
{
	struct sk_buff *skb = make_skb(test, m, w);
	struct got got = { .nr = 0 };

	skb_shinfo(skb)->gso_size = gso_size;
	skb_shinfo(skb)->gso_segs = gso_size ? 3 : 1;
	HIT(row_of(w->is_queued ? KTRACE_EV_NET_QUEUE : KTRACE_EV_NET_RECEIVE, 0),
	    void (*)(void *, struct sk_buff *), skb);
	fix_drain(test, s, keep, &got);
	KUNIT_EXPECT_EQ(test, got.nr, 1);
	KUNIT_EXPECT_EQ(test, got.ev.packet, (unsigned long)skb);
	KUNIT_EXPECT_EQ(test, got.ev.len, skb->len);
	KUNIT_EXPECT_EQ(test, got.ev.protocol, m->protocol);
	KUNIT_EXPECT_STREQ(test, got.ev.dev, net_device.name);
	got.ev.packet = 0;
	got.ev.len = got.ev.protocol = 0;
	memset(got.ev.dev, 0, sizeof(got.ev.dev));
	kfree_skb(skb);
	return got.ev;
}

/* A session that follows this thread and records both events */
static struct kt_session *record(struct kunit *test)
{
	struct kt_session *s = fix_session(test, true);

	set_bit(current->tgid, s->target.filter.followed);
	KUNIT_ASSERT_EQ(test, kt_control_enable(s, KTRACE_EV_NET_QUEUE, true), 0);
	KUNIT_ASSERT_EQ(test, kt_control_enable(s, KTRACE_EV_NET_RECEIVE, true), 0);
	KUNIT_ASSERT_EQ(test, kt_control_start(s), 0);
	return s;
}

static void expect_told(struct kunit *test, const struct ktrace_ev_net *got,
			const struct ktrace_ev_net *want, const char *name, const struct way *w)
{
	KUNIT_EXPECT_FALSE_MSG(test, memcmp(got, want, sizeof(*got)),
			       "%s: queued %d, moved %d, %u bytes, first piece %u: "
			       "%*phN, expected %*phN", name, w->is_queued, w->move, w->len,
			       w->linear, 64, got->ip_src, 64, want->ip_src);
}

/* Calls @check for each number of bytes of each sample, as @w->len, sent and received in turn. */
static void each_length(struct kunit *test, u8 garbage,
			void (*check)(struct kunit *test, struct kt_session *s,
				      const struct made *m, struct way *w, const char *name))
{
	struct made *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	struct kt_session *s = record(test);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, m);
	for (i = 0; i < packet_samples_nr(); i++) {
		struct way w = { .garbage = garbage };
		u32 len;

		packet_sample_make(i, m);
		for (len = 0; len <= m->len; len++) {
			w.is_queued = !w.is_queued;
			w.len = len;
			check(test, s, m, &w, packet_sample_name(i));
		}
	}
}

/* All of it is there; @w->len is that of the first piece. */
static void expect_all(struct kunit *test, struct kt_session *s, const struct made *m,
		       struct way *w, const char *name)
{
	struct ktrace_ev_net got;

	w->linear = w->len;
	w->len = m->len;
	got = tell(test, s, m, w, 0);
	expect_told(test, &got, &m->want, name, w);
}

/* Wherever the headers are split into pieces */
static void all_headers_are_told(struct kunit *test)
{
	each_length(test, 0x17, expect_all);
}

/* Packets that are to be split, or were joined; others may have a number of segments, too. */
static void segments_are_told(struct kunit *test)
{
	struct made *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	struct way w = { .linear = BYTES_MAX };
	struct kt_session *s = record(test);
	struct ktrace_ev_net got;

	KUNIT_ASSERT_NOT_NULL(test, m);
	packet_sample_make(0, m);
	w.len = m->len;
	m->want.gso_size = 40;
	m->want.gso_segs = 3;
	got = tell(test, s, m, &w, 40);
	expect_told(test, &got, &m->want, "segments", &w);
}

/* Tags of other links than Ethernet are elsewhere. */
static void tags_of_other_links_are_not_read(struct kunit *test)
{
	static const struct ktrace_ev_net nothing;
	struct made *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	struct way w = { .is_queued = true, .linear = BYTES_MAX };
	struct kt_session *s = record(test);
	struct ktrace_ev_net got;

	KUNIT_ASSERT_NOT_NULL(test, m);
	memset(m, 0, sizeof(*m));
	packet_make_tagged(m);
	w.len = m->len;
	net_device.type = ARPHRD_NONE;
	got = tell(test, s, m, &w, 0);
	net_device.type = ARPHRD_ETHER;
	expect_told(test, &got, &nothing, "tag of another link", &w);
}

static bool is_0_or(u64 got, u64 want)
{
	return !got || got == want;
}

/* Of a truncated packet, what there is is told; nothing else is made up. */
static void expect_part(struct kunit *test, const struct ktrace_ev_net *got,
			const struct made *m, const struct way *w, const char *name)
{
	static const u8 none[sizeof(got->ip_src)];
	const struct ktrace_ev_net *want = &m->want;
	const bool has_ports = got->src_port;

	KUNIT_EXPECT_TRUE_MSG(test, !memcmp(got->ip_src, none, sizeof(none)) ||
			      !memcmp(got->ip_src, want->ip_src, sizeof(none)), "%s", name);
	KUNIT_EXPECT_TRUE_MSG(test, !memcmp(got->ip_dst, none, sizeof(none)) ||
			      !memcmp(got->ip_dst, want->ip_dst, sizeof(none)), "%s", name);
	KUNIT_EXPECT_TRUE_MSG(test, is_0_or(got->src_port, want->src_port) &&
			      got->dst_port == (has_ports ? want->dst_port : 0) &&
			      got->seq == (has_ports ? want->seq : 0) &&
			      got->ack == (has_ports ? want->ack : 0) &&
			      got->tcp_flags == (has_ports ? want->tcp_flags : 0), "%s", name);
	KUNIT_EXPECT_TRUE_MSG(test, got->payload <= want->payload &&
			      (!got->payload || got->payload <= w->len) &&
			      (has_ports || !got->payload), "%s", name);
	KUNIT_EXPECT_TRUE_MSG(test, got->payload < 8 ? got->data == (got->payload ? want->data &
			      ~0ull << (64 - 8 * got->payload) : 0) : got->data == want->data,
			      "%s", name);
}

/* @a and @b: the same packet in other pieces, with other bytes after it */
static void expect_same(struct kunit *test, struct kt_session *s, const struct made *m,
			struct way w, struct ktrace_ev_net *got, const char *name)
{
	struct ktrace_ev_net other;

	*got = tell(test, s, m, &w, 0);
	w.linear = w.len;
	w.garbage = ~w.garbage;
	other = tell(test, s, m, &w, 0);
	expect_told(test, got, &other, name, &w);
}

static void expect_truncated(struct kunit *test, struct kt_session *s, const struct made *m,
			     struct way *w, const char *name)
{
	struct ktrace_ev_net got;

	w->linear = w->len / 2;
	expect_same(test, s, m, *w, &got, name);
	expect_part(test, &got, m, w, name);
}

static void nothing_is_read_beyond_the_end(struct kunit *test)
{
	each_length(test, 0x45, expect_truncated);
}

/* Changes some bytes of the headers, and how the packet comes. */
static void mutate(struct rnd_state *rnd, struct made *m, struct way *w)
{
	static const u16 protocols[] = { ETH_P_IP, ETH_P_IPV6, ETH_P_8021Q, ETH_P_ARP };
	u32 nr = prandom_u32_state(rnd) % (MUTATIONS_MAX + 1);

	while (nr--)
		m->bytes[prandom_u32_state(rnd) % min_t(u32, m->len, 96)] = prandom_u32_state(rnd);
	if (!(prandom_u32_state(rnd) % 8))
		m->protocol = protocols[prandom_u32_state(rnd) % ARRAY_SIZE(protocols)];
	w->len = prandom_u32_state(rnd) % 2 ? m->len : prandom_u32_state(rnd) % (m->len + 1);
	w->linear = prandom_u32_state(rnd) % (w->len + 1);
	w->garbage = prandom_u32_state(rnd);
	w->is_queued = prandom_u32_state(rnd) % 2;
	w->move = 0;
	if (w->is_queued && !(prandom_u32_state(rnd) % 4))
		w->move = (int)(prandom_u32_state(rnd) % (BYTES_MAX + ROOM)) - ROOM;
}

static void random_headers_do_no_harm(struct kunit *test)
{
	struct made *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	struct kt_session *s = record(test);
	struct ktrace_ev_net got;
	struct rnd_state rnd;
	u32 run, with_ports = 0;

	KUNIT_ASSERT_NOT_NULL(test, m);
	for (run = 0; run < FUZZ_RUNS; run++) {
		struct way w = { 0 };
		char name[32];

		prandom_seed_state(&rnd, run);
		packet_sample_make(run % packet_samples_nr(), m);
		mutate(&rnd, m, &w);
		snprintf(name, sizeof(name), "random packet %u", run);
		expect_same(test, s, m, w, &got, name);
		KUNIT_EXPECT_LE_MSG(test, got.payload, w.len + ETH_HLEN, "%s", name);
		with_ports += !!got.src_port;
	}
	/* Neither all of them are understood nor none */
	KUNIT_EXPECT_GT(test, with_ports, FUZZ_RUNS / 10);
	KUNIT_EXPECT_LT(test, with_ports, FUZZ_RUNS / 10 * 9);
}

static struct kunit_case packet_cases[] = {
	KUNIT_CASE(all_headers_are_told),
	KUNIT_CASE(segments_are_told),
	KUNIT_CASE(tags_of_other_links_are_not_read),
	KUNIT_CASE(nothing_is_read_beyond_the_end),
	KUNIT_CASE(random_headers_do_no_harm),
	{ }
};

static struct kunit_suite packet_suite = {
	.name = "ktrace_packet",
	.test_cases = packet_cases,
};

kunit_test_suite(packet_suite);
