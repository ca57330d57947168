// SPDX-License-Identifier: GPL-2.0
/*
 * import_packet.c - packets in events of LTTng as net:queue and net:receive have them
 *
 * Two forms are known:
 *
 * - Since LTTng-modules 2.9, net_dev_queue and net_if_receive_skb (older: netif_receive_skb) have
 *   the headers as nested fields: network_header.ipv4.transport_header.tcp.seq and so on.
 * - The module lttng-addons has inet_sock_local_out and inet_sock_local_in, with the numbers of TCP
 *   but without addresses, ports and size. The bits of the flags are in the opposite order.
 *
 * The reader of CTF has converted numbers from the network's byte order already.
 */
#include "import_packet.h"

#include <netinet/in.h>
#include <string.h>

#include "base/viewer.h"

#define IPV4 "network_header.ipv4."
#define IPV6 "network_header.ipv6."
#define TRANSPORT "transport_header."

enum { PROTOCOL_IP = 0x0800, PROTOCOL_IPV6 = 0x86dd };
enum { ETHERNET_HEADER = 14, IPV6_HEADER = 40, UDP_HEADER = 8, LATER_FRAGMENT = 0x1fff };

/**
 * struct headers - an event with headers
 * @type:	its type
 * @values:	by field
 * @ip:		IPV4 or IPV6
 * @net:	the result
 */
struct headers {
	const struct ktrace_event_type *type;
	const struct ktrace_value *values;
	const char *ip;
	struct ktrace_ev_net *net;
};

static const struct ktrace_value *find(const struct headers *h, const char *prefix,
				       const char *name)
{
	const size_t n = strlen(prefix);

	for (__u32 i = 0; i < h->type->field_nr; i++)
		if (h->values[i].count && !strncmp(h->type->fields[i].name, prefix, n) &&
		    !strcmp(h->type->fields[i].name + n, name))
			return &h->values[i];
	return NULL;
}

static __u64 number(const struct headers *h, const char *prefix, const char *name)
{
	const struct ktrace_value *v = find(h, prefix, name);

	return v && v->field->scalar != KTRACE_CHAR ? (__u64)ktrace_value_s64(v, 0) : 0;
}

static bool has_field(const struct ktrace_event_type *type, const char *name)
{
	for (__u32 i = 0; i < type->field_nr; i++)
		if (!strcmp(type->fields[i].name, name))
			return true;
	return false;
}

bool import_packet_is(const struct ktrace_event_type *type)
{
	return has_field(type, "network_header_type") ||
	       (has_field(type, "seq") && has_field(type, "ack_seq") && has_field(type, "flags"));
}

bool import_packet_is_copied(const char *name)
{
	static const char *const told[] = {
		"skbaddr", "len", "name", "seq", "ack_seq", IPV4 "saddr", IPV4 "daddr", IPV4 "id",
		IPV6 "saddr", IPV6 "daddr",
		IPV4 TRANSPORT "tcp.source_port", IPV4 TRANSPORT "tcp.dest_port",
		IPV4 TRANSPORT "tcp.seq", IPV4 TRANSPORT "tcp.ack_seq",
		IPV6 TRANSPORT "tcp.source_port", IPV6 TRANSPORT "tcp.dest_port",
		IPV6 TRANSPORT "tcp.seq", IPV6 TRANSPORT "tcp.ack_seq",
		IPV4 TRANSPORT "udp.source_port", IPV4 TRANSPORT "udp.dest_port",
		IPV6 TRANSPORT "udp.source_port", IPV6 TRANSPORT "udp.dest_port",
	};

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		if (!strcmp(told[i], name))
			return false;
	return true;
}

/* An address is 4 or 16 bytes, or 8 numbers of 16 bits. */
static void read_address(const struct headers *h, const char *name, __u8 *to)
{
	const struct ktrace_value *v = find(h, h->ip, name);
	const __u32 size = v ? v->field->size : 0;
	__u8 bytes[16];

	if (!v || v->field->scalar == KTRACE_CHAR || size > 2 ||
	    (v->count * size != 4 && v->count * size != 16))
		return;
	for (__u32 i = 0; i < v->count * size; i++)
		bytes[i] = (__u8)(ktrace_value_s64(v, i / size) >> (8 * (size - 1 - i % size)));
	if (v->count * size == 16) {
		memcpy(to, bytes, 16);
		return;
	}
	memset(to + 10, 0xff, 2);
	memcpy(to + 12, bytes, 4);
}

static void read_tcp(const struct headers *h, const char *tcp, __u32 room)
{
	const __u32 header = (__u32)number(h, tcp, "data_offset") * 4;

	h->net->src_port = (__u16)number(h, tcp, "source_port");
	h->net->dst_port = (__u16)number(h, tcp, "dest_port");
	h->net->seq = (__u32)number(h, tcp, "seq");
	h->net->ack = (__u32)number(h, tcp, "ack_seq");
	h->net->tcp_flags = (__u8)number(h, tcp, "flags");
	h->net->payload = room > header ? room - header : 0;
}

static void read_udp(const struct headers *h, const char *udp, __u32 room)
{
	const __u32 len = (__u32)number(h, udp, "len");

	h->net->src_port = (__u16)number(h, udp, "source_port");
	h->net->dst_port = (__u16)number(h, udp, "dest_port");
	room = len && len < room ? len : room;
	h->net->payload = room > UDP_HEADER ? room - UDP_HEADER : 0;
}

/* Returns the bytes after the header of IP. Packets above 64 KiB have a size of 0 there. */
static __u32 read_ip(const struct headers *h, bool is_sent)
{
	const bool is_v4 = !strcmp(h->ip, IPV4);
	const __u32 header = is_v4 ? (__u32)number(h, IPV4, "ihl") * 4 : IPV6_HEADER;
	__u32 size = (__u32)number(h, h->ip, is_v4 ? "tot_len" : "payload_len");

	if (!size)
		size = h->net->len - (is_sent ? ETHERNET_HEADER : 0);
	else if (!is_v4)
		size += IPV6_HEADER;
	read_address(h, "saddr", h->net->ip_src);
	read_address(h, "daddr", h->net->ip_dst);
	h->net->protocol = is_v4 ? PROTOCOL_IP : PROTOCOL_IPV6;
	h->net->transport = (__u8)number(h, h->ip, is_v4 ? "protocol" : "nexthdr");
	h->net->ip_id = (__u16)number(h, h->ip, "id");
	return size > header && size <= h->net->len ? size - header : 0;
}

static void read_headers(const struct headers *h, bool is_sent)
{
	const bool is_v4 = !strcmp(h->ip, IPV4);
	const __u32 room = read_ip(h, is_sent);

	if (number(h, h->ip, "frag_off") & LATER_FRAGMENT)
		return;
	if (find(h, h->ip, TRANSPORT "tcp.seq"))
		read_tcp(h, is_v4 ? IPV4 TRANSPORT "tcp." : IPV6 TRANSPORT "tcp.", room);
	else if (find(h, h->ip, TRANSPORT "udp.len"))
		read_udp(h, is_v4 ? IPV4 TRANSPORT "udp." : IPV6 TRANSPORT "udp.", room);
}

/* The two bytes of flags are swapped; FIN is the highest bit, CWR the lowest. */
static void read_sock(const struct headers *h)
{
	const __u32 flags = (__u32)number(h, "", "flags") >> 8;

	h->net->transport = IPPROTO_TCP;
	h->net->seq = (__u32)number(h, "", "seq");
	h->net->ack = (__u32)number(h, "", "ack_seq");
	for (__u32 i = 0; i < 8; i++)
		h->net->tcp_flags |= (__u8)((flags >> i & 1) << (7 - i));
}

void import_packet_read(const struct ktrace_event_type *type, const struct ktrace_value *values,
			bool is_sent, struct ktrace_ev_net *net)
{
	struct headers h = { .type = type, .values = values, .ip = IPV4, .net = net };
	const struct ktrace_value *name = find(&h, "", "name");

	memset(net, 0, sizeof(*net));
	net->packet = number(&h, "", "skbaddr");
	net->len = (__u32)number(&h, "", "len");
	if (name && name->field->scalar == KTRACE_CHAR)
		memcpy(net->dev, name->data, strnlen(name->data, name->count < sizeof(net->dev) - 1 ?
						     name->count : sizeof(net->dev) - 1));
	if (find(&h, "", "seq")) {
		read_sock(&h);
		return;
	}
	if (find(&h, IPV6, "saddr"))
		h.ip = IPV6;
	if (find(&h, h.ip, "saddr"))
		read_headers(&h, is_sent);
}
