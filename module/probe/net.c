// SPDX-License-Identifier: GPL-2.0
/*
 * net.c - family "net": packets that network devices send and receive
 *
 * The owner of a packet is unknown: the record's thread is the one that happens to run. So a
 * session that may not see all processes only learns that followed threads had packets, not their
 * content.
 *
 * Anybody can send any bytes, so each header is checked against the packet's end before it is read.
 * skb_header_pointer() reads headers that are not in the packet's first piece, as the kernel itself
 * does at these places; it neither changes the packet nor sleeps.
 */
#include "probe.h"
#include <linux/if_arp.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/string.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <trace/events/net.h>
#include "emit.h"

static_assert(sizeof(struct ktrace_ev_net) <= KT_HIDE_MAX);
static_assert(sizeof(struct ktrace_ev_net_xmit) <= KT_HIDE_MAX);
static_assert(KTRACE_NETDEV_LEN == IFNAMSIZ);

/* A packet with more of them has no fields of TCP or UDP. */
enum { PACKET_TAGS_MAX = 2, PACKET_EXTENSIONS_MAX = 8 };

enum { TCP_FLAGS_OFF = 13 };

/**
 * struct packet - a packet whose headers are being read
 * @skb:	the packet
 * @off:	offset of the next header
 * @end:	offset of the end of the IP packet; padding may follow
 * @ev:		filled in as headers are read
 */
struct packet {
	const struct sk_buff *skb;
	int off;
	int end;
	struct ktrace_ev_net *ev;
};

/*
 * Returns the header of @size bytes at @p->off, which may have been copied to @room; NULL: the
 * packet ends before.
 */
static const void *packet_header(const struct packet *p, int size, void *room)
{
	if (p->off < 0 || size > p->end - p->off)
		return NULL;
	return skb_header_pointer(p->skb, p->off, size, room);
}

/* Ends the packet after @len bytes, if there are so many. Packets above 64 KiB have @len 0. */
static void packet_set_len(struct packet *p, u32 len)
{
	if (len && len < p->end - p->off)
		p->end = p->off + len;
}

static void packet_put_ipv4(u8 *to, const __be32 *address)
{
	memset(to + 10, 0xff, 2);
	memcpy(to + 12, address, sizeof(*address));
}

/* Returns true if the header of the transport is next. */
static bool packet_take_ipv4(struct packet *p)
{
	struct iphdr room;
	const struct iphdr *ip = packet_header(p, sizeof(room), &room);

	if (!ip || ip->version != 4 || ip->ihl < 5)
		return false;
	packet_put_ipv4(p->ev->ip_src, &ip->saddr);
	packet_put_ipv4(p->ev->ip_dst, &ip->daddr);
	p->ev->ip_id = ntohs(ip->id);
	p->ev->transport = ip->protocol;
	packet_set_len(p, ntohs(ip->tot_len));
	p->off += ip->ihl * 4;
	return !(ip->frag_off & htons(IP_OFFSET));
}

static bool packet_is_extension(u8 next)
{
	return next == NEXTHDR_HOP || next == NEXTHDR_ROUTING || next == NEXTHDR_DEST ||
	       next == NEXTHDR_AUTH || next == NEXTHDR_FRAGMENT;
}

/* Takes the extension header of type @next; returns false if the next header is not there. */
static bool packet_take_extension(struct packet *p, u8 next)
{
	struct frag_hdr room;
	const struct frag_hdr *h = packet_header(p, sizeof(room), &room);

	if (!h)
		return false;
	p->ev->transport = h->nexthdr;
	if (next == NEXTHDR_FRAGMENT) {
		p->off += sizeof(*h);
		return !(h->frag_off & htons(IP6_OFFSET));
	}
	/* In others, the length is where fragments have a reserved byte. */
	p->off += next == NEXTHDR_AUTH ? (h->reserved + 2) * 4 : (h->reserved + 1) * 8;
	return true;
}

/* Returns true if the header of the transport is next. */
static bool packet_take_ipv6(struct packet *p)
{
	struct ipv6hdr room;
	const struct ipv6hdr *ip = packet_header(p, sizeof(room), &room);
	u32 i;

	if (!ip || ip->version != 6)
		return false;
	memcpy(p->ev->ip_src, &ip->saddr, sizeof(ip->saddr));
	memcpy(p->ev->ip_dst, &ip->daddr, sizeof(ip->daddr));
	p->ev->transport = ip->nexthdr;
	p->off += sizeof(*ip);
	packet_set_len(p, ntohs(ip->payload_len));
	for (i = 0; packet_is_extension(p->ev->transport); i++)
		if (i == PACKET_EXTENSIONS_MAX || !packet_take_extension(p, p->ev->transport))
			return false;
	return true;
}

static void packet_take_tcp(struct packet *p)
{
	struct tcphdr room;
	const struct tcphdr *h = packet_header(p, sizeof(room), &room);
	int size;

	if (!h)
		return;
	size = h->doff * 4;
	if (size < sizeof(*h) || size > p->end - p->off)
		return;
	p->ev->src_port = ntohs(h->source);
	p->ev->dst_port = ntohs(h->dest);
	p->ev->seq = ntohl(h->seq);
	p->ev->ack = ntohl(h->ack_seq);
	p->ev->tcp_flags = ((const u8 *)h)[TCP_FLAGS_OFF];
	p->ev->payload = p->end - p->off - size;
}

/* Reads the first bytes at @p->off, at most 8. */
static void packet_take_data(struct packet *p)
{
	const int size = min_t(int, p->end - p->off, sizeof(__be64));
	__be64 room = 0, data = 0;
	const void *at = size ? packet_header(p, size, &room) : NULL;

	if (!at)
		return;
	memcpy(&data, at, size);
	p->ev->data = be64_to_cpu(data);
}

/*
 * The length of a datagram above 64 KiB is 0; the length of a fragmented one is that of all its
 * fragments.
 */
static void packet_take_udp(struct packet *p)
{
	struct udphdr room;
	const struct udphdr *h = packet_header(p, sizeof(room), &room);
	u32 len;

	if (!h)
		return;
	len = ntohs(h->len);
	if (len && len < sizeof(*h))
		return;
	packet_set_len(p, len);
	p->ev->src_port = ntohs(h->source);
	p->ev->dst_port = ntohs(h->dest);
	p->off += sizeof(*h);
	p->ev->payload = p->end - p->off;
	packet_take_data(p);
}

/* Skips VLAN tags; returns the protocol after them. */
static __be16 packet_skip_tags(struct packet *p, __be16 protocol)
{
	const struct vlan_hdr *h;
	struct vlan_hdr room;
	u32 i;

	for (i = 0; i < PACKET_TAGS_MAX && eth_type_vlan(protocol); i++) {
		h = packet_header(p, sizeof(room), &room);
		if (!h)
			break;
		protocol = h->h_vlan_encapsulated_proto;
		p->off += sizeof(*h);
	}
	return protocol;
}

static void packet_take_gso(const struct packet *p)
{
	if (!skb_is_gso(p->skb))
		return;
	p->ev->gso_size = skb_shinfo(p->skb)->gso_size;
	p->ev->gso_segs = skb_shinfo(p->skb)->gso_segs;
}

/* Fills in the fields from ip_src on. @off: of the header of IP, or of a VLAN tag */
static void packet_take(struct ktrace_ev_net *ev, const struct sk_buff *skb, int off)
{
	struct packet p = { .skb = skb, .off = off, .end = skb->len, .ev = ev };
	const __be16 protocol = packet_skip_tags(&p, skb->protocol);
	bool has_transport = false;

	if (protocol == htons(ETH_P_IP))
		has_transport = packet_take_ipv4(&p);
	else if (protocol == htons(ETH_P_IPV6))
		has_transport = packet_take_ipv6(&p);
	packet_take_gso(&p);
	if (!has_transport)
		return;
	if (ev->transport == IPPROTO_TCP)
		packet_take_tcp(&p);
	else if (ev->transport == IPPROTO_UDP)
		packet_take_udp(&p);
}

static void hide_packet(void *payload, bool who, bool other)
{
	memset(payload, 0, sizeof(struct ktrace_ev_net));
}

static void hide_xmit(void *payload, bool who, bool other)
{
	memset(payload, 0, sizeof(struct ktrace_ev_net_xmit));
}

static void packet_put_name(char *to, const struct net_device *dev)
{
	memcpy(to, dev->name, strnlen(dev->name, KTRACE_NETDEV_LEN - 1));
}

static void emit_packet(u16 id, const struct sk_buff *skb, int off)
{
	struct ktrace_ev_net payload = {
		.packet = (unsigned long)skb,
		.len = skb->len,
		.protocol = ntohs(skb->protocol),
	};

	if (!kt_emit_wants(id, current))
		return;
	packet_put_name(payload.dev, skb->dev);
	packet_take(&payload, skb, off);
	kt_emit_current(id, &payload, sizeof(payload), hide_packet);
}

/*
 * The packet begins with the header of the link, and a tag in it follows the addresses of Ethernet.
 * The network header is after the tag, or at it.
 */
static void on_net_queue(void *data, struct sk_buff *skb)
{
	int off = skb_network_offset(skb);

	if (eth_type_vlan(skb->protocol))
		off = skb->dev->type == ARPHRD_ETHER ? ETH_HLEN : -1;
	emit_packet(KTRACE_EV_NET_QUEUE, skb, off);
}

/* Uses only the address of @skb, which may be gone. */
static void on_net_xmit(void *data, struct sk_buff *skb, int result, struct net_device *dev,
			unsigned int len)
{
	struct ktrace_ev_net_xmit payload = {
		.packet = (unsigned long)skb,
		.len = len,
		.result = (s16)result,
	};

	packet_put_name(payload.dev, dev);
	kt_emit_current(KTRACE_EV_NET_XMIT, &payload, sizeof(payload), hide_xmit);
}

/* The header of the link has been taken off, and the network header is not yet set. */
static void on_net_receive(void *data, struct sk_buff *skb)
{
	emit_packet(KTRACE_EV_NET_RECEIVE, skb, 0);
}

struct kt_probe kt_probe_net[] = {
	{ KT_TRACEPOINT(KTRACE_EV_NET_QUEUE, net_dev_queue, on_net_queue) },
	{ KT_TRACEPOINT(KTRACE_EV_NET_XMIT, net_dev_xmit, on_net_xmit) },
	{ KT_TRACEPOINT(KTRACE_EV_NET_RECEIVE, netif_receive_skb, on_net_receive) },
	{ }
};
