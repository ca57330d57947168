/* SPDX-License-Identifier: GPL-2.0 */
/* send_udp.h - sends chunks of S.Ha.R.K. as UDP packets */
#ifndef KTRACED_SHARK_SEND_UDP_H
#define KTRACED_SHARK_SEND_UDP_H

#include <stdatomic.h>

#include "chunk.h"

struct udp_target;

/**
 * struct udp - destinations of packets
 * @target:	receiver of all packets, NULL = chosen by programs
 * @targets:	receivers so far
 * @packets:	number of packets sent so far
 * @is_aborted:	true: give up
 */
struct udp {
	const char *target;
	struct udp_target *targets;
	__u64 packets;
	atomic_bool is_aborted;
};

/**
 * udp_send - send a chunk; returns when the network has all packets
 * @u:		the destinations
 * @local:	address to send from, "" = any
 * @target:	address that the program gave
 * @c:		the chunk
 * @events:	out: number of events sent
 *
 * Takes 5 ms for each packet, like the original, so that a slow receiver keeps up.
 *
 * Return: 0; -EINVAL invalid address; -ECONNREFUSED no receiver; or -errno.
 */
int udp_send(struct udp *u, const char *local, const char *target, struct chunk *c,
	     __u32 *events);
void udp_exit(struct udp *u);

#endif
