/* SPDX-License-Identifier: GPL-2.0 */
/* send_udp.h - chunks of S.Ha.R.K. as UDP packets */
#ifndef KTRACED_SHARK_SEND_UDP_H
#define KTRACED_SHARK_SEND_UDP_H

#include <stdatomic.h>

#include "chunk.h"

struct udp_target;

/**
 * struct udp - where packets go
 * @target:	to all, NULL = to whom programs say
 * @targets:	to whom packets were sent
 * @packets:	sent so far
 * @is_aborted:	give up
 */
struct udp {
	const char *target;
	struct udp_target *targets;
	__u64 packets;
	atomic_bool is_aborted;
};

/**
 * udp_send - send a chunk; returns when all packets were given to the network
 * @u:		where to
 * @local:	address to send from, "" = any
 * @target:	address that the program gave
 * @c:		the chunk
 * @events:	how many were sent
 *
 * Takes 5 ms for each packet, as the original, so that a slow receiver keeps up.
 *
 * Return: 0; -EINVAL an address that is none; -ECONNREFUSED nobody is there; or -errno.
 */
int udp_send(struct udp *u, const char *local, const char *target, struct chunk *c,
	     __u32 *events);
void udp_exit(struct udp *u);

#endif
