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

#include "sim.h"

#define NET_MSS 1448u
#define NET_FIN 0x01
#define NET_SYN 0x02
#define NET_PSH 0x08
#define NET_ACK 0x10

/* struct net_event - payload of net events; see net_fields in trace.c */
struct net_event {
	__u64 packet;
	__u32 len;
	__u16 protocol;
	__s16 result;
	char dev[16];
	__u8 ip_src[16];
	__u8 ip_dst[16];
	__u16 src_port;
	__u16 dst_port;
	__u32 seq;
	__u32 ack;
	__u32 payload;
	__u64 data;
	__u8 transport;
	__u8 tcp_flags;
	__u16 ip_id;
	__u16 gso_size;
	__u16 gso_segs;
};

_Static_assert(sizeof(struct net_event) == SIM_PAYLOAD, "as the kernel's");

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
	struct net_event e;
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
