// SPDX-License-Identifier: LGPL-2.1
/*
 * packet.c - read the packet of an event net:queue or net:receive
 *
 * Events are identified by name and fields, as files may come from other versions: those of ktrace
 * 0.1 have no addresses. Payloads may be hostile: all values are checked before they are used.
 */
#include "packet.h"
#include "decode/value.h"

#include <netinet/in.h>
#include <string.h>

/* So many fields are looked at: hostile types may have thousands. */
#define FIELDS_MAX 64u
#define PROTOCOL_IP 0x0800u
#define PROTOCOL_IPV6 0x86ddu

static const struct wanted {
	const char *name;
	__u32 size;
	__u32 count;
} wanted[PACKET_FIELD_NR] = {
#define X(name, size, count) { #name, size, count },
	PACKET_FIELDS(X)
#undef X
};

static bool is_wanted(const struct wanted *w, const struct ktrace_field *f)
{
	const enum ktrace_shape shape = w->count > 1 ? KTRACE_FIXED : KTRACE_ONE;

	return !strcmp(w->name, f->name) && f->size == w->size && f->shape == shape &&
	       f->scalar != KTRACE_F32 && f->scalar != KTRACE_F64 &&
	       (w->count == 1 || f->count == w->count);
}

/* True for net:queue and net:receive. */
bool ktrace_packet_is_type(const struct ktrace_event_type *type)
{
	return type->kind == KTRACE_CHANNEL_KERNEL && (!strcmp(type->full_name, "net:queue") ||
						       !strcmp(type->full_name, "net:receive"));
}

/* Fills in @t for a type; its slot may have been another one's. */
void ktrace_packet_bind(struct packet_type *t, const struct ktrace_event_type *type)
{
	__u32 at = 0, found = 0, size;

	*t = (struct packet_type){ .type = type };
	t->is_sent = !strcmp(type->full_name, "net:queue");
	t->is_net = ktrace_packet_is_type(type);
	if (!t->is_net || type->is_placed)
		return;
	for (__u32 n = 0; n < type->field_nr && n < FIELDS_MAX; n++, at += size) {
		size = fixed_size(&type->fields[n]);
		if (!size || at + size > UINT16_MAX)
			break;
		for (__u32 i = 0; i < PACKET_FIELD_NR; i++) {
			if (!is_wanted(&wanted[i], &type->fields[n]) || found >> i & 1)
				continue;
			found |= 1u << i;
			t->offset[i] = (__u16)at;
			t->need = (__u16)(at + size);
		}
	}
	t->is_whole = found == (1u << PACKET_FIELD_NR) - 1;
}

static bool is_v4(const __u8 *address)
{
	static const __u8 mapped[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(address, mapped, sizeof(mapped));
}

static bool is_loopback(const __u8 *address)
{
	static const __u8 v6[16] = { [15] = 1 };

	return is_v4(address) ? address[12] == 127 : !memcmp(address, v6, sizeof(v6));
}

bool ktrace_packet_is_broadcast(const struct packet_key *key)
{
	if (is_v4(key->dst))
		return key->dst[12] >= 224 || key->dst[15] == 255;
	return key->dst[0] == 0xff;
}

/* Returns the payload's place of a field. */
static const char *field_at(const struct packet_type *t, const struct ktrace_trace_event *e,
			    enum packet_field field)
{
	return e->payload + t->offset[field];
}

#define FIELD(t, e, type, name) ELEMENT(type, field_at(t, e, PACKET_FIELD_##name))

static void read_device(const char *at, struct packet *p, bool *is_loopback_device)
{
	__u64 name[2], mixed;

	memcpy(name, at, sizeof(name));
	mixed = (name[0] ^ 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull ^
		name[1] * 0xc4ceb9fe1a85ec53ull;
	p->dev = (__u32)(mixed >> 32 ^ mixed);
	*is_loopback_device = !strncmp(at, "lo", 3);
}

static enum packet_class read_tcp(const struct packet_type *t, const struct ktrace_trace_event *e,
				  struct packet *p)
{
	const __u8 flags = FIELD(t, e, __u8, tcp_flags);

	p->is_tcp = true;
	p->is_syn = flags & PACKET_SYN;
	p->seq = FIELD(t, e, __u32, seq);
	p->span = p->payload + !!(flags & PACKET_SYN) + !!(flags & PACKET_FIN);
	return p->span && !(flags & PACKET_RST) ? PACKET_USABLE : PACKET_OTHER;
}

/* Reads the first one of joined datagrams. */
static enum packet_class read_udp(const struct packet_type *t, const struct ktrace_trace_event *e,
				  struct packet *p)
{
	const __u16 gso_size = FIELD(t, e, __u16, gso_size);

	if (gso_size && gso_size < p->payload)
		p->payload = gso_size;
	p->data = FIELD(t, e, __u64, data);
	return PACKET_USABLE;
}

/* Reads a packet without addresses. Some tracers tell only the numbers of TCP. */
static enum packet_class without_addresses(const struct packet_type *t,
					   const struct ktrace_trace_event *e, struct packet *p)
{
	const __u16 protocol = FIELD(t, e, __u16, protocol);

	p->data = (__u64)FIELD(t, e, __u32, seq) << 32 | FIELD(t, e, __u32, ack);
	if (FIELD(t, e, __u8, transport) == IPPROTO_TCP && p->data) {
		p->payload = FIELD(t, e, __u8, tcp_flags);
		p->is_segment = true;
		return PACKET_USABLE;
	}

	/* A packet that is hidden has no protocol either. */
	return protocol && protocol != PROTOCOL_IP && protocol != PROTOCOL_IPV6 ?
		       PACKET_OTHER : PACKET_WITHOUT_ADDRESSES;
}

/* Reads an event of a type with is_net. */
enum packet_class ktrace_packet_read(const struct packet_type *t,
				     const struct ktrace_trace_event *e, struct packet *p)
{
	static const __u8 none[32];
	bool is_loopback_device;
	__u8 transport;

	if (!t->is_whole)
		return PACKET_WITHOUT_ADDRESSES;
	if (e->len < t->need)
		return PACKET_INVALID;
	*p = (struct packet){ .is_sent = t->is_sent };
	memcpy(p->key.src, field_at(t, e, PACKET_FIELD_ip_src), 16);
	memcpy(p->key.dst, field_at(t, e, PACKET_FIELD_ip_dst), 16);
	if (!memcmp(p->key.src, none, 16) && !memcmp(p->key.dst, none, 16))
		return without_addresses(t, e, p);
	transport = FIELD(t, e, __u8, transport);
	if (transport != IPPROTO_TCP && transport != IPPROTO_UDP)
		return PACKET_OTHER;
	p->key.src_port = FIELD(t, e, __u16, src_port);
	p->key.dst_port = FIELD(t, e, __u16, dst_port);
	p->payload = FIELD(t, e, __u32, payload);
	p->ip_id = FIELD(t, e, __u16, ip_id);
	/* A fragment after the first one has no ports. */
	if (!p->key.src_port && !p->key.dst_port)
		return PACKET_OTHER;
	if (p->payload > PACKET_PAYLOAD_MAX)
		return PACKET_INVALID;
	read_device(field_at(t, e, PACKET_FIELD_dev), p, &is_loopback_device);
	if (is_loopback_device || is_loopback(p->key.src) || is_loopback(p->key.dst) ||
	    !memcmp(p->key.src, p->key.dst, 16))
		return PACKET_LOCAL;
	return transport == IPPROTO_TCP ? read_tcp(t, e, p) : read_udp(t, e, p);
}
