// SPDX-License-Identifier: GPL-2.0
/* packet_flows.c - connections of hosts, and which threads send on them */
#include "packet_flows.h"

#include <string.h>

bool packet_flow_is_same(const struct flow_key *a, const struct flow_key *b)
{
	return a->transport && !memcmp(a, b, sizeof(*a));
}

struct packet_flow *packet_flow_need(struct packet_wakeups *w, const struct flow_key *key)
{
	struct packet_flow *flow = key->transport ? hash_table_find(&w->flows, key) : NULL;

	if (flow || !key->transport)
		return flow;
	if (w->flows.nr < PACKET_FLOWS_MAX)
		return hash_table_need(&w->flows, key, &w->error);
	w->flows_over++;
	return NULL;
}

void packet_flow_add_user(struct packet_flow *flow, const struct ktrace_process *p)
{
	__u32 i;

	for (i = 0; i < PACKET_FLOW_USERS && flow->tids[i]; i++)
		if (flow->users[i] == p->serial)
			return;
	if (i == PACKET_FLOW_USERS) {
		flow->is_shared = true;
		return;
	}
	flow->tids[i] = p->tid;
	flow->users[i] = p->serial;
}

enum packet_owner packet_flow_owner(const struct packet_wakeups *w, const struct flow_key *key,
				    const struct ktrace_process *p)
{
	const struct packet_flow *flow = key->transport ? hash_table_find(&w->flows, key) : NULL;
	const __u32 pid = ktrace_process_pid(w->state, p);
	enum packet_owner owner = PACKET_OWNER_UNKNOWN;
	const struct ktrace_process *user;
	__u32 i;

	if (!flow)
		return PACKET_OWNER_UNKNOWN;
	for (i = 0; i < PACKET_FLOW_USERS && flow->tids[i]; i++) {
		if (flow->users[i] == p->serial)
			return PACKET_OWNER_SELF;
		user = ktrace_state_find(w->state, p->machine, flow->tids[i], -1);
		if (user && pid && ktrace_process_pid(w->state, user) == pid)
			return PACKET_OWNER_UNKNOWN;
		owner = PACKET_OWNER_OTHERS;
	}
	return flow->is_shared ? PACKET_OWNER_UNKNOWN : owner;
}
