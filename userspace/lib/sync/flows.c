// SPDX-License-Identifier: LGPL-2.1
/*
 * flows.c - connections of TCP, each direction by itself
 *
 * A connection is forgotten when all its packets have lost their places, or when too many others
 * are newer: the number of connections is bounded, too.
 */
#include "match.h"

#include <string.h>

static void unlink_use(struct flows *l, struct flow *f)
{
	*(f->newer ? &f->newer->older : &l->newest) = f->older;
	*(f->older ? &f->older->newer : &l->oldest) = f->newer;
}

static void link_newest(struct flows *l, struct flow *f)
{
	f->newer = NULL;
	f->older = l->newest;
	*(l->newest ? &l->newest->newer : &l->oldest) = f;
	l->newest = f;
}

static void forget_oldest(struct flows *l)
{
	struct flow *f = l->oldest, **at = &l->by_hash[f->hash & (FLOWS_MAX - 1)];

	while (*at != f)
		at = &(*at)->chain;
	*at = f->chain;
	unlink_use(l, f);
	l->nr--;
	ktrace_tcp_forget(f);
	free(f);
}

static struct flow *add_flow(struct ktrace_messages *m, const struct packet_key *key, __u32 hash)
{
	struct flow *f = calloc(1, sizeof(*f)), **first = &m->flows.by_hash[hash & (FLOWS_MAX - 1)];

	if (!f)
		return NULL;
	if (m->flows.nr == FLOWS_MAX)
		forget_oldest(&m->flows);
	f->key = *key;
	f->hash = hash;
	f->chain = *first;
	*first = f;
	link_newest(&m->flows, f);
	m->flows.nr++;
	return f;
}

/* Finds or adds a direction of a connection. Returns NULL if there is no memory. */
struct flow *ktrace_flow_get(struct ktrace_messages *m, const struct packet_key *key)
{
	const __u32 hash = ktrace_sync_hash(m, key);
	struct flow *f = m->flows.by_hash[hash & (FLOWS_MAX - 1)];

	while (f && (f->hash != hash || memcmp(&f->key, key, sizeof(*key))))
		f = f->chain;
	if (!f) {
		f = add_flow(m, key, hash);
	} else if (f != m->flows.newest) {
		unlink_use(&m->flows, f);
		link_newest(&m->flows, f);
	}
	if (!f)
		return NULL;
	f->used = m->ranges.nr;
	while (m->ranges.nr - m->flows.oldest->used > KTRACE_MESSAGES_PENDING)
		forget_oldest(&m->flows);
	return f;
}

void ktrace_flows_free(struct flows *flows)
{
	while (flows->oldest)
		forget_oldest(flows);
	free(flows->by_hash);
	flows->by_hash = NULL;
}
