// SPDX-License-Identifier: GPL-2.0
/*
 * net.c - family "net": packets that network devices send and receive
 *
 * The owner of a packet is unknown: the record's thread is the one that happens to run. So a
 * session that may not see all processes only learns that followed threads had packets, not their
 * content.
 */
#include "probe.h"
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/string.h>
#include <trace/events/net.h>
#include "emit.h"

static_assert(sizeof(struct ktrace_ev_net) <= KT_HIDE_MAX);
static_assert(KTRACE_NETDEV_LEN == IFNAMSIZ);

static void hide_packet(void *payload, bool who, bool other)
{
	memset(payload, 0, sizeof(struct ktrace_ev_net));
}

/* Uses only the address of @skb, which may be gone if @id is KTRACE_EV_NET_XMIT. */
static void emit_packet(u16 id, const struct sk_buff *skb, const struct net_device *dev, u32 len,
			u16 protocol, int result)
{
	struct ktrace_ev_net payload = {
		.packet = (unsigned long)skb,
		.len = len,
		.protocol = protocol,
		.result = (s16)result,
	};

	memcpy(payload.dev, dev->name, strnlen(dev->name, KTRACE_NETDEV_LEN - 1));
	kt_emit_current(id, &payload, sizeof(payload), hide_packet);
}

static void on_net_queue(void *data, struct sk_buff *skb)
{
	emit_packet(KTRACE_EV_NET_QUEUE, skb, skb->dev, skb->len, ntohs(skb->protocol), 0);
}

static void on_net_xmit(void *data, struct sk_buff *skb, int result, struct net_device *dev,
			unsigned int len)
{
	emit_packet(KTRACE_EV_NET_XMIT, skb, dev, len, 0, result);
}

static void on_net_receive(void *data, struct sk_buff *skb)
{
	emit_packet(KTRACE_EV_NET_RECEIVE, skb, skb->dev, skb->len, ntohs(skb->protocol), 0);
}

struct kt_probe kt_probe_net[] = {
	{ KT_TRACEPOINT(KTRACE_EV_NET_QUEUE, net_dev_queue, on_net_queue) },
	{ KT_TRACEPOINT(KTRACE_EV_NET_XMIT, net_dev_xmit, on_net_xmit) },
	{ KT_TRACEPOINT(KTRACE_EV_NET_RECEIVE, netif_receive_skb, on_net_receive) },
	{ }
};
