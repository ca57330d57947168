/* SPDX-License-Identifier: GPL-2.0 */
/* packet_flows.h - connections of hosts, and which threads send on them: see packet_wakeups.h */
#ifndef VIEWER_ANALYSIS_PACKET_FLOWS_H
#define VIEWER_ANALYSIS_PACKET_FLOWS_H

#include "packet_wakeups.h"

#define PACKET_FLOW_USERS 2

/* struct flow_key - one end of a connection */
struct flow_key {
	__u32 machine;
	__u32 transport;	/* 0: the packet has no ports */
	__u16 ports[2];		/* that of @machine first */
	__u8 ips[2][16];
};

/**
 * struct packet_flow - a connection at one of its ends
 * @key:	which
 * @tids:	the first threads that sent on it in their own context; 0 = no further one
 * @users:	their serials
 * @is_shared:	more threads did
 * @writer:	serial of the one that did last in this pass, + 1; 0 = none
 * @wrote:	when
 */
struct packet_flow {
	struct flow_key key;
	__u32 tids[PACKET_FLOW_USERS];
	__u64 users[PACKET_FLOW_USERS];
	bool is_shared;
	__u64 writer;
	__u64 wrote;
};

/* enum packet_owner - whom a connection belongs to, as seen by a thread */
enum packet_owner { PACKET_OWNER_SELF, PACKET_OWNER_UNKNOWN, PACKET_OWNER_OTHERS };

/* True if both are ends of one connection at one host. */
bool packet_flow_is_same(const struct flow_key *a, const struct flow_key *b);
/* Returns a connection, which is made; NULL: the packet has none, or there are too many. */
struct packet_flow *packet_flow_need(struct packet_wakeups *w, const struct flow_key *key);
/* Notes that a thread has sent on a connection. */
void packet_flow_add_user(struct packet_flow *flow, const struct ktrace_process *p);
/*
 * Returns whom a connection belongs to. Other threads of the same process may share it, so it is
 * unknown then.
 */
enum packet_owner packet_flow_owner(const struct packet_wakeups *w, const struct flow_key *key,
				    const struct ktrace_process *p);

#endif
