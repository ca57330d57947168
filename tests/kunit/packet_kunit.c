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
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/prandom.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include "control.h"
#include "probe_hits.h"
#include "session_fixture.h"

enum { ROOM = 128, BYTES_MAX = 512, FUZZ_RUNS = 5000, MUTATIONS_MAX = 4 };

static struct net_device net_device = { .name = "some_device", .type = ARPHRD_ETHER };

/**
 * struct made - a packet as it is made
 * @bytes:	from its first header on
 * @len:	number of @bytes
 * @protocol:	of the first header
 * @want:	what the event must tell of it
 */
struct made {
	u8 bytes[BYTES_MAX];
	u32 len;
	u16 protocol;
	struct ktrace_ev_net want;
};

static void *made_add(struct made *m, const void *bytes, u32 len)
{
	void *at = m->bytes + m->len;

	if (bytes)
		memcpy(at, bytes, len);
	else
		memset(at, 0x5a, len);
	m->len += len;
	return at;
}

/* ---- headers ---- */

static void made_tag(struct made *m, u16 tag, u16 next)
{
	const struct vlan_hdr h = { htons(7), htons(next) };

	if (!m->len)
		m->protocol = tag;
	made_add(m, &h, sizeof(h));
}

/* @words: of options. @fragment: flags and offset. @rest: bytes that follow */
static void made_ipv4(struct made *m, u8 transport, u8 words, u16 fragment, u16 rest)
{
	const struct iphdr h = {
		.version = 4, .ihl = 5 + words, .tot_len = htons(20 + 4 * words + rest),
		.id = htons(0xabcd), .frag_off = htons(fragment), .ttl = 64, .protocol = transport,
		.saddr = htonl(0x0a010203), .daddr = htonl(0xc0a80001),
	};
	static const u8 src[16] = { [10] = 0xff, 0xff, 10, 1, 2, 3 };
	static const u8 dst[16] = { [10] = 0xff, 0xff, 192, 168, 0, 1 };

	if (!m->len)
		m->protocol = ETH_P_IP;
	made_add(m, &h, sizeof(h));
	made_add(m, NULL, 4 * words);
	memcpy(m->want.ip_src, src, sizeof(src));
	memcpy(m->want.ip_dst, dst, sizeof(dst));
	m->want.ip_id = 0xabcd;
	m->want.transport = transport;
}

static void made_ipv6(struct made *m, u8 next, u8 transport, u16 rest)
{
	static const u8 src[16] = { 0xfe, 0x80, [15] = 1 }, dst[16] = { 0x20, 1, 0xd, 0xb8, 1, 2 };
	struct ipv6hdr h = { .version = 6, .payload_len = htons(rest), .nexthdr = next };

	if (!m->len)
		m->protocol = ETH_P_IPV6;
	memcpy(&h.saddr, src, sizeof(src));
	memcpy(&h.daddr, dst, sizeof(dst));
	made_add(m, &h, sizeof(h));
	memcpy(m->want.ip_src, src, sizeof(src));
	memcpy(m->want.ip_dst, dst, sizeof(dst));
	m->want.transport = transport;
}

/* An extension header of @size bytes; its length is in words of @unit bytes beyond @base */
static void made_extension(struct made *m, u8 next, u32 size, u32 unit, u32 base)
{
	u8 *h = made_add(m, NULL, size);

	h[0] = next;
	h[1] = (size - base) / unit;
}

static void made_fragment(struct made *m, u8 next, u16 offset)
{
	const struct frag_hdr h = { .nexthdr = next, .frag_off = htons(offset) };

	made_add(m, &h, sizeof(h));
}

/* @words: of options */
static void made_tcp(struct made *m, u8 words, u32 payload)
{
	struct tcphdr h = {
		.source = htons(40001), .dest = htons(80), .seq = htonl(0xfedcba98),
		.ack_seq = htonl(0x89abcdef), .doff = 5 + words, .psh = 1, .ack = 1, .cwr = 1,
	};

	made_add(m, &h, sizeof(h));
	made_add(m, NULL, 4 * words + payload);
	m->want.src_port = 40001;
	m->want.dst_port = 80;
	m->want.seq = 0xfedcba98;
	m->want.ack = 0x89abcdef;
	m->want.tcp_flags = 0x98;
	m->want.payload = payload;
}

/* @len: in the header. @payload: bytes that follow it, 1, 2, 3... */
static void made_udp(struct made *m, u16 len, u32 payload)
{
	const struct udphdr h = { .source = htons(53), .dest = htons(5353), .len = htons(len) };
	u8 *data;
	u32 i;

	made_add(m, &h, sizeof(h));
	data = made_add(m, NULL, payload);
	for (i = 0; i < payload; i++)
		data[i] = i + 1;
	m->want.src_port = 53;
	m->want.dst_port = 5353;
	m->want.payload = payload;
	for (i = 0; i < 8 && i < payload; i++)
		m->want.data |= (u64)(i + 1) << (56 - 8 * i);
}

/* ---- packets ---- */

static void make_tcp(struct made *m)
{
	made_ipv4(m, IPPROTO_TCP, 0, IP_DF, 20 + 100);
	made_tcp(m, 0, 100);
}

static void make_options(struct made *m)
{
	made_ipv4(m, IPPROTO_TCP, 10, 0, 60);
	made_tcp(m, 10, 0);
}

/* Ethernet pads small frames. */
static void make_padded(struct made *m)
{
	made_ipv4(m, IPPROTO_TCP, 0, 0, 20);
	made_tcp(m, 0, 0);
	made_add(m, NULL, 6);
}

static void make_udp(struct made *m)
{
	made_ipv4(m, IPPROTO_UDP, 1, 0, 8 + 20);
	made_udp(m, 28, 20);
}

static void make_short_udp(struct made *m)
{
	made_ipv4(m, IPPROTO_UDP, 0, 0, 8 + 3);
	made_udp(m, 11, 3);
	made_add(m, NULL, 15);
}

static void make_empty_udp(struct made *m)
{
	made_ipv4(m, IPPROTO_UDP, 0, 0, 8);
	made_udp(m, 8, 0);
}

static void make_first_fragment(struct made *m)
{
	made_ipv4(m, IPPROTO_UDP, 0, IP_MF, 8 + 16);
	made_udp(m, 3000, 16);
}

static void make_later_fragment(struct made *m)
{
	made_ipv4(m, IPPROTO_UDP, 0, IP_MF | 2, 40);
	made_add(m, NULL, 40);
}

static void make_icmp(struct made *m)
{
	made_ipv4(m, IPPROTO_ICMP, 0, 0, 40);
	made_add(m, NULL, 40);
}

static void make_arp(struct made *m)
{
	m->protocol = ETH_P_ARP;
	made_add(m, NULL, 28);
}

static void make_not_ip(struct made *m)
{
	m->protocol = ETH_P_IP;
	made_add(m, NULL, 60);
}

static void make_tcp6(struct made *m)
{
	made_ipv6(m, IPPROTO_TCP, IPPROTO_TCP, 32 + 7);
	made_tcp(m, 3, 7);
}

static void make_udp6(struct made *m)
{
	made_ipv6(m, IPPROTO_UDP, IPPROTO_UDP, 8 + 8);
	made_udp(m, 16, 8);
}

static void make_extensions(struct made *m)
{
	made_ipv6(m, NEXTHDR_HOP, IPPROTO_TCP, 8 + 16 + 24 + 12 + 8 + 20);
	made_extension(m, NEXTHDR_ROUTING, 8, 8, 8);
	made_extension(m, NEXTHDR_DEST, 16, 8, 8);
	made_extension(m, NEXTHDR_AUTH, 24, 8, 8);
	made_extension(m, NEXTHDR_FRAGMENT, 12, 4, 8);
	made_fragment(m, IPPROTO_TCP, 1);
	made_tcp(m, 0, 0);
}

static void make_later_fragment6(struct made *m)
{
	made_ipv6(m, NEXTHDR_FRAGMENT, IPPROTO_UDP, 8 + 16);
	made_fragment(m, IPPROTO_UDP, 8 | 1);
	made_add(m, NULL, 16);
}

static void make_many_extensions(struct made *m)
{
	u32 i;

	made_ipv6(m, NEXTHDR_DEST, IPPROTO_UDP, 8 * 8 + 8);
	for (i = 0; i < 8; i++)
		made_extension(m, i < 7 ? NEXTHDR_DEST : IPPROTO_UDP, 8, 8, 8);
	made_udp(m, 8, 0);
}

static void make_too_many_extensions(struct made *m)
{
	u32 i;

	made_ipv6(m, NEXTHDR_DEST, NEXTHDR_DEST, 9 * 8 + 8);
	for (i = 0; i < 9; i++)
		made_extension(m, i < 8 ? NEXTHDR_DEST : IPPROTO_UDP, 8, 8, 8);
	made_add(m, NULL, 8);
}

/* Above 64 KiB there is no length; here, too, it is that of the packet. */
static void make_jumbo(struct made *m)
{
	made_ipv6(m, IPPROTO_TCP, IPPROTO_TCP, 0);
	made_tcp(m, 0, 200);
}

static void make_tagged(struct made *m)
{
	made_tag(m, ETH_P_8021Q, ETH_P_IP);
	made_ipv4(m, IPPROTO_UDP, 0, 0, 8 + 9);
	made_udp(m, 17, 9);
}

static void make_twice_tagged(struct made *m)
{
	made_tag(m, ETH_P_8021AD, ETH_P_8021Q);
	made_tag(m, ETH_P_8021Q, ETH_P_IPV6);
	made_ipv6(m, IPPROTO_TCP, IPPROTO_TCP, 20);
	made_tcp(m, 0, 0);
}

static void make_thrice_tagged(struct made *m)
{
	made_tag(m, ETH_P_8021AD, ETH_P_8021Q);
	made_tag(m, ETH_P_8021Q, ETH_P_8021Q);
	made_tag(m, ETH_P_8021Q, ETH_P_IP);
	made_add(m, NULL, 40);
}

/* Packets whose headers contradict themselves or each other */
static void make_short_tcp_header(struct made *m)
{
	made_ipv4(m, IPPROTO_TCP, 0, 0, 40);
	made_tcp(m, 0, 20);
	m->bytes[20 + 12] = 4 << 4;
}

static void make_long_tcp_header(struct made *m)
{
	made_ipv4(m, IPPROTO_TCP, 0, 0, 40);
	made_tcp(m, 0, 20);
	m->bytes[20 + 12] = 11 << 4;
}

static void make_short_ip_len(struct made *m)
{
	made_ipv4(m, IPPROTO_TCP, 0, 0, 19);
	made_tcp(m, 0, 20);
}

static void make_short_udp_len(struct made *m)
{
	made_ipv4(m, IPPROTO_UDP, 0, 0, 8 + 8);
	made_udp(m, 7, 8);
}

static void make_short_ihl(struct made *m)
{
	make_tcp(m);
	m->bytes[0] = 0x44;
}

static void make_other_version(struct made *m)
{
	make_tcp6(m);
	m->bytes[0] = 0x40;
}

/* What is told: all; not of the transport; nothing from ip_src on */
enum told { ALL, ADDRESSES, NOTHING };

static const struct sample {
	const char *name;
	void (*make)(struct made *m);
	enum told told;
} samples[] = {
	{ "TCP", make_tcp, ALL },
	{ "options of IPv4 and TCP", make_options, ALL },
	{ "padding", make_padded, ALL },
	{ "UDP", make_udp, ALL },
	{ "UDP, 3 bytes and padding", make_short_udp, ALL },
	{ "UDP, empty", make_empty_udp, ALL },
	{ "first fragment", make_first_fragment, ALL },
	{ "later fragment", make_later_fragment, ALL },
	{ "ICMP", make_icmp, ALL },
	{ "ARP", make_arp, ALL },
	{ "not IP", make_not_ip, ALL },
	{ "TCP, IPv6", make_tcp6, ALL },
	{ "UDP, IPv6", make_udp6, ALL },
	{ "extension headers", make_extensions, ALL },
	{ "later fragment, IPv6", make_later_fragment6, ALL },
	{ "8 extension headers", make_many_extensions, ALL },
	{ "9 extension headers", make_too_many_extensions, ALL },
	{ "length 0", make_jumbo, ALL },
	{ "tag", make_tagged, ALL },
	{ "two tags", make_twice_tagged, ALL },
	{ "three tags", make_thrice_tagged, ALL },
	{ "TCP header too short", make_short_tcp_header, ADDRESSES },
	{ "TCP header too long", make_long_tcp_header, ADDRESSES },
	{ "IP length too short", make_short_ip_len, ADDRESSES },
	{ "UDP length too short", make_short_udp_len, ADDRESSES },
	{ "IP header too short", make_short_ihl, NOTHING },
	{ "other version", make_other_version, NOTHING },
};

static void make_sample(const struct sample *s, struct made *m)
{
	struct ktrace_ev_net want = { 0 };

	memset(m, 0, sizeof(*m));
	s->make(m);
	if (s->told == ALL)
		return;
	if (s->told == ADDRESSES) {
		memcpy(want.ip_src, m->want.ip_src, sizeof(want.ip_src));
		memcpy(want.ip_dst, m->want.ip_dst, sizeof(want.ip_dst));
		want.ip_id = m->want.ip_id;
		want.transport = m->want.transport;
	}
	m->want = want;
}

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

/* Wherever the headers are split into pieces */
static void all_headers_are_told(struct kunit *test)
{
	struct made *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	struct kt_session *s = record(test);
	const struct sample *sample;
	struct ktrace_ev_net got;

	KUNIT_ASSERT_NOT_NULL(test, m);
	for (sample = samples; sample < samples + ARRAY_SIZE(samples); sample++) {
		struct way w = { .garbage = 0x17 };

		make_sample(sample, m);
		w.len = m->len;
		for (w.linear = 0; w.linear <= m->len; w.linear++) {
			w.is_queued = !w.is_queued;
			got = tell(test, s, m, &w, 0);
			expect_told(test, &got, &m->want, sample->name, &w);
		}
	}
}

/* Packets that are to be split, or were joined; others may have a number of segments, too. */
static void segments_are_told(struct kunit *test)
{
	struct made *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	struct way w = { .linear = BYTES_MAX };
	struct kt_session *s = record(test);
	struct ktrace_ev_net got;

	KUNIT_ASSERT_NOT_NULL(test, m);
	make_sample(&samples[0], m);
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
	make_tagged(m);
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

static void nothing_is_read_beyond_the_end(struct kunit *test)
{
	struct made *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	struct kt_session *s = record(test);
	const struct sample *sample;
	struct ktrace_ev_net got;

	KUNIT_ASSERT_NOT_NULL(test, m);
	for (sample = samples; sample < samples + ARRAY_SIZE(samples); sample++) {
		struct way w = { .garbage = 0x45 };

		make_sample(sample, m);
		for (w.len = 0; w.len <= m->len; w.len++) {
			w.linear = w.len / 2;
			w.is_queued = !w.is_queued;
			expect_same(test, s, m, w, &got, sample->name);
			expect_part(test, &got, m, &w, sample->name);
		}
	}
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
		make_sample(&samples[run % ARRAY_SIZE(samples)], m);
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
