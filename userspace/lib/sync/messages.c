// SPDX-License-Identifier: LGPL-2.1
/*
 * messages.c - packets that one host sent and another received
 *
 * Knows the hosts, and passes packets on to tcp.c and udp.c, which pair them.
 */
#include "match.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

static int find_hosts(struct ktrace_messages *m)
{
	size_t first;

	while (ktrace_traceset_trace(m->set, m->trace_nr))
		m->trace_nr++;
	m->hosts = calloc(m->trace_nr + 1, sizeof(*m->hosts));
	m->losses = calloc(m->trace_nr + 1, sizeof(*m->losses));
	for (size_t i = 0; m->hosts && i < m->trace_nr; i++) {
		first = ktrace_traceset_host(m->set, i);
		m->hosts[i] = first == i ? m->host_nr++ : m->hosts[first];
	}
	return m->hosts && m->losses ? 0 : -ENOMEM;
}

/*
 * Lets a large list, all 0, have large pages: it is filled from begin to end, which would otherwise
 * be a page fault for some fifty packets.
 */
static void use_large_pages(void *list, size_t size)
{
	const __u64 page = (__u64)sysconf(_SC_PAGESIZE), begin = (__u64)(unsigned long)list;
	const __u64 first = (begin + page - 1) & ~(page - 1), end = (begin + size) & ~(page - 1);

	if (list && first < end)
		madvise((void *)(unsigned long)first, end - first, MADV_HUGEPAGE);
}

int ktrace_messages_open(const struct ktrace_traceset *set, struct ktrace_messages **out)
{
	struct ktrace_messages *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	m->set = set;
	/* Nobody can then prepare a file whose connections all have one hash. */
	if (getrandom(&m->seed, sizeof(m->seed), GRND_NONBLOCK) != sizeof(m->seed))
		m->seed = (__u64)(unsigned long)m;
	m->ranges.at = calloc(KTRACE_MESSAGES_PENDING, sizeof(*m->ranges.at));
	use_large_pages(m->ranges.at, KTRACE_MESSAGES_PENDING * sizeof(*m->ranges.at));
	m->flows.by_hash = calloc(FLOWS_MAX, sizeof(*m->flows.by_hash));
	if (find_hosts(m) || !m->ranges.at || !m->flows.by_hash ||
	    ktrace_datagrams_new(&m->datagrams)) {
		ktrace_messages_close(m);
		return -ENOMEM;
	}
	*out = m;
	return 0;
}

void ktrace_messages_close(struct ktrace_messages *m)
{
	if (!m)
		return;
	ktrace_datagrams_free(m->datagrams);
	if (m->flows.by_hash)
		ktrace_flows_free(&m->flows);
	free(m->ranges.at);
	free(m->losses);
	free(m->hosts);
	free(m);
}

static __u64 mix(__u64 h, __u64 v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15ull;
	return h ^ h >> 32;
}

__u32 ktrace_sync_hash(const struct ktrace_messages *m, const struct packet_key *key)
{
	__u64 words[4], h = m->seed;
	__u32 ports;

	memcpy(words, key, sizeof(words));
	memcpy(&ports, &key->src_port, sizeof(ports));
	for (int i = 0; i < 4; i++)
		h = mix(h, words[i] + m->seed);
	h = mix(h, ports);
	return (__u32)h;
}

static int take_packet(struct ktrace_messages *m, const struct ktrace_trace_event *e,
		       struct sighting *s)
{
	const size_t trace = ktrace_trace_index(e->stream->trace);

	if (trace >= m->trace_nr)
		return 0;
	s->host = m->hosts[trace];
	s->end = (struct ktrace_message_end){
		.trace = e->stream->trace, .raw = e->raw, .time = e->time, .tid = e->tid,
		.cpu = e->stream->cpu,
	};
	if (s->packet.is_tcp)
		return ktrace_tcp_add(m, s);
	ktrace_datagram_add(m, s);
	return 0;
}

static int add_net(struct ktrace_messages *m, const struct packet_type *t,
		   const struct ktrace_trace_event *e)
{
	struct sighting s;
	int ret = 0;

	switch (ktrace_packet_read(t, e, &s.packet)) {
	case PACKET_USABLE:
		ret = take_packet(m, e, &s);
		break;
	case PACKET_WITHOUT_ADDRESSES:
		m->stats.without_addresses++;
		break;
	case PACKET_LOCAL:
		m->stats.local++;
		break;
	case PACKET_INVALID:
		m->stats.invalid++;
		break;
	default:
		m->stats.other++;
		break;
	}
	if (!ret)
		(*(t->is_sent ? &m->stats.sent : &m->stats.received))++;
	return ret;
}

static void add_loss(struct ktrace_messages *m, const struct ktrace_trace_event *e)
{
	const size_t trace = ktrace_trace_index(e->stream->trace);

	if (e->stream->kind == KTRACE_CHANNEL_KERNEL && trace < m->trace_nr)
		m->losses[m->hosts[trace]]++;
}

int ktrace_messages_add(struct ktrace_messages *m, const struct ktrace_trace_event *e,
			ktrace_message_fn found, void *arg)
{
	const struct packet_type *t = packet_type_of(&m->types, e);

	if (!t || !t->is_net) {
		if (e->id == KTRACE_ID_LOST)
			add_loss(m, e);
		return 0;
	}
	if (m->host_nr < 2)
		return 0;
	m->found = found;
	m->arg = arg;
	return add_net(m, t, e);
}

void ktrace_messages_end(struct ktrace_messages *m, ktrace_message_fn found, void *arg)
{
	m->found = found;
	m->arg = arg;
	ktrace_datagrams_end(m);
}

void ktrace_messages_stats(const struct ktrace_messages *m, struct ktrace_messages_stats *stats)
{
	*stats = m->stats;
}
