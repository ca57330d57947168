// SPDX-License-Identifier: GPL-2.0
/* packet_samples.c - makes packets, and says what events of family "net" must tell of them */
#include "packet_samples.h"

#include <linux/if_ether.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ipv6.h>

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

void packet_make_tagged(struct made *m)
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
	{ "tag", packet_make_tagged, ALL },
	{ "two tags", make_twice_tagged, ALL },
	{ "three tags", make_thrice_tagged, ALL },
	{ "TCP header too short", make_short_tcp_header, ADDRESSES },
	{ "TCP header too long", make_long_tcp_header, ADDRESSES },
	{ "IP length too short", make_short_ip_len, ADDRESSES },
	{ "UDP length too short", make_short_udp_len, ADDRESSES },
	{ "IP header too short", make_short_ihl, NOTHING },
	{ "other version", make_other_version, NOTHING },
};

u32 packet_samples_nr(void)
{
	return ARRAY_SIZE(samples);
}

const char *packet_sample_name(u32 number)
{
	return samples[number].name;
}

void packet_sample_make(u32 number, struct made *m)
{
	const struct sample *s = &samples[number];
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
