/* SPDX-License-Identifier: GPL-2.0 */
/*
 * make_packets.h - events of packets at several hosts, for tests of <ktrace/messages.h>
 *
 * The files have no events, only hosts: events are made in memory.
 */
#ifndef TESTS_MAKE_PACKETS_H
#define TESTS_MAKE_PACKETS_H

#include <ktrace/messages.h>

#include "make_trace.h"

#define HOSTS_MAX 4

/* struct net_payload - as struct ktrace_ev_net */
struct net_payload {
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

_Static_assert(sizeof(struct net_payload) == 96, "without padding");

#define NET_OLD_FIELDS "x64 packet;u32 len;x16 protocol;s16 result;char[16] dev;"
#define NET_FIELDS NET_OLD_FIELDS \
	"u8[16] ip_src;u8[16] ip_dst;u16 src_port;u16 dst_port;u32 seq;u32 ack;u32 payload;" \
	"x64 data;enum<u8>(TCP=6,UDP=17) transport;x8 tcp_flags;u16 ip_id;u16 gso_size;" \
	"u16 gso_segs;"

enum { SENT, RECEIVED, SENT_OLD, RECEIVED_OLD, OTHER_EVENT, NET_TYPES };

/* struct hosts - a set of traces, one for each host, and the types of their events */
struct hosts {
	struct ktrace_traceset *set;
	struct ktrace_trace_stream streams[HOSTS_MAX];
	struct ktrace_event_type *types[NET_TYPES];
};

static inline void hosts_open(struct hosts *h, int nr)
{
	static const char *const descs[NET_TYPES] = {
		"net:queue{" NET_FIELDS "}", "net:receive{" NET_FIELDS "}",
		"net:queue{" NET_OLD_FIELDS "}", "net:receive{" NET_OLD_FIELDS "}",
		"sched:other{u64 n;}",
	};
	char path[64];

	CHECK_EQ(ktrace_traceset_open(NULL, &h->set), 0);
	for (int i = 0; i < nr; i++) {
		temporary_file(path, sizeof(path), "ktrace-messages");
		/* Its boot is the number. */
		CHECK_EQ(ktrace_tracefile_close(make_file(path, (__u64)i + 1)), 0);
		CHECK_EQ(ktrace_traceset_add(h->set, path), 0);
		unlink(path);
		h->streams[i] = (struct ktrace_trace_stream){
			.trace = ktrace_traceset_trace(h->set, (size_t)i),
			.kind = KTRACE_CHANNEL_KERNEL, .cpu = i,
		};
	}
	for (int i = 0; i < NET_TYPES; i++) {
		CHECK_EQ(ktrace_event_type_parse(descs[i], &h->types[i]), 0);
		h->types[i]->kind = KTRACE_CHANNEL_KERNEL;
	}
}

static inline void hosts_close(struct hosts *h)
{
	for (int i = 0; i < NET_TYPES; i++)
		ktrace_event_type_free(h->types[i]);
	ktrace_traceset_close(h->set);
}

static inline struct ktrace_trace_event net_event(struct hosts *h, int host, int type, __u64 raw,
						  const struct net_payload *payload)
{
	return (struct ktrace_trace_event){
		.time = raw, .raw = raw, .type = h->types[type], .stream = &h->streams[host],
		.payload = (const char *)payload, .len = sizeof(*payload), .tid = 7, .id = 16,
	};
}

static inline void put_v4(__u8 *to, __u32 address)
{
	memset(to, 0, 16);
	memset(to + 10, 0xff, 2);
	for (int i = 0; i < 4; i++)
		to[12 + i] = (__u8)(address >> (24 - 8 * i));
}

/* Each packet has become one thing. */
static inline void check_sum(const struct ktrace_messages_stats *s)
{
	CHECK_EQ(s->sent + s->received, s->matched + s->waiting + s->given_up +
		 s->without_addresses + s->other + s->local + s->passed_on + s->retransmitted +
		 s->duplicate + s->unsure + s->ambiguous + s->invalid);
}

#endif
