/* SPDX-License-Identifier: GPL-2.0 */
/*
 * network.h - packets between simulated hosts
 *
 *   net_send()   net:queue, segmentation      +- lost
 *       |                                     |
 *       +---- wire segments, each with its delay ----> queue of the receiving CPU
 *                                                          | softirq, GRO
 *                                        net:receive, net_packet.deliver()
 */
#ifndef TESTS_HOSTS_NETWORK_H
#define TESTS_HOSTS_NETWORK_H

#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ktrace_events.h>

#include "sim.h"

#define NET_MSS 1448u
#define NET_FIN 0x01
#define NET_SYN 0x02
#define NET_PSH 0x08
#define NET_ACK 0x10

_Static_assert(sizeof(struct ktrace_ev_net) == SIM_PAYLOAD, "room for it");

/**
 * struct net_packet - a packet, or a part of it on the wire
 * @from:	host
 * @to:		host; below 0: it is not one of ours
 * @cpu_from:	where it is sent
 * @cpu_to:	where it is received
 * @e:		the fields
 * @offset:	of the first byte in the stream of TCP, which does not wrap
 * @ack_offset:	acknowledged so far, in the other direction
 * @object:	what sent it
 * @deliver:	called when it is received; may be NULL
 * @sent:	stamp of its net:queue
 * @is_broadcast: for all hosts
 */
struct net_packet {
	__u32 from;
	__s32 to;
	__u32 cpu_from;
	__u32 cpu_to;
	struct ktrace_ev_net e;
	__u64 offset;
	__u64 ack_offset;
	void *object;
	void (*deliver)(struct sim *s, __u64 t, const struct net_packet *p);
	__u64 sent;
	bool is_broadcast;
};

void net_addresses(const struct sim *s, struct net_packet *p);
void net_send(struct sim *s, __u64 t, __u32 tid, struct net_packet *p);
void net_broadcast(struct sim *s, __u64 t, struct net_packet *p);
void net_free(void);

#endif
