// SPDX-License-Identifier: GPL-2.0
/* remote.c - clocks that a machine and the one that recorded the trace have read for each other */
#include "remote.h"

#include "convert.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/tracefile.h>

#include "base/grow.h"
#include "base/viewer.h"

enum { SYNC_PAIR = 1, PAIR_CLIENT = 2, PAIR_HOST = 3, UUID_MSB = 1, UUID_LSB = 2 };

/* Exchanges are at least so far apart, as in Perfetto's own reader: ns */
#define APART 30000000000ull
#define PAIRS_MAX (1u << 20)
/* Bytes of lines after which they are written */
#define TEXT_MAX 65536u
/* Bytes of a trace without an id that stand for it */
#define NAMED_BY 65536u

static const __u32 clock_ids[REMOTE_CLOCKS] = {
	[REMOTE_MONOTONIC] = CLOCK_ID_MONOTONIC, [REMOTE_BOOTTIME] = CLOCK_ID_BOOTTIME,
};

static void read_clocks(struct remote_readings *to, const struct packet_field *f)
{
	Perfetto__Protos__ClockSnapshot *s =
		perfetto__protos__clock_snapshot__unpack(NULL, f->size, f->data);

	for (size_t i = 0; s && i < s->n_clocks; i++)
		for (int k = 0; k < REMOTE_CLOCKS; k++)
			if (s->clocks[i]->clock_id == clock_ids[k]) {
				to->ns[k] = s->clocks[i]->timestamp;
				to->has[k] = true;
			}
	if (s)
		perfetto__protos__clock_snapshot__free_unpacked(s, NULL);
}

static bool has_any(const struct remote_readings *r)
{
	return r->has[REMOTE_MONOTONIC] || r->has[REMOTE_BOOTTIME];
}

static int learn_pair(struct conversion *c, const struct packet_field *f, bool is_first)
{
	const struct packet both = { .data = f->data, .size = f->size };
	struct remote *r = &c->remote;
	struct remote_pair pair = { .is_first = is_first };
	struct packet_field side;
	size_t at = 0;
	int ret = 0;

	while (!ret && packet_next(&both, &at, &side) == 1) {
		if (side.wire != 2)
			continue;
		if (side.number == PAIR_HOST)
			read_clocks(&pair.there, &side);
		if (side.number != PAIR_CLIENT)
			continue;
		read_clocks(&pair.here, &side);
		/* The service takes no other snapshots of this machine. */
		ret = convert_learn_clocks(c, &side, 0);
	}
	if (ret)
		return ret;
	/* Half a year; an empty pair would take far less of a file than of memory. */
	if (r->nr == PAIRS_MAX || !has_any(&pair.here) || !has_any(&pair.there)) {
		c->unpaired++;
		r->is_cut = true;
		return 0;
	}
	if (!LIST_GROW(r->pairs, r->nr, r->cap))
		return -ENOMEM;
	pair.is_first |= r->is_cut;
	r->is_cut = false;
	r->pairs[r->nr++] = pair;
	return 0;
}

int remote_learn(struct conversion *c, const struct packet_field *f)
{
	const struct packet sync = { .data = f->data, .size = f->size };
	struct packet_field pair;
	bool is_first = true;
	size_t at = 0;
	int ret = 0;

	while (!ret && packet_next(&sync, &at, &pair) == 1) {
		if (pair.number != SYNC_PAIR || pair.wire != 2)
			continue;
		ret = learn_pair(c, &pair, is_first);
		is_first = false;
	}
	return ret;
}

void remote_learn_uuid(struct conversion *c, const struct packet_field *f)
{
	const struct packet uuid = { .data = f->data, .size = f->size };
	struct packet_field half;
	size_t at = 0;

	while (packet_next(&uuid, &at, &half) == 1)
		if (half.wire == 0 && (half.number == UUID_MSB || half.number == UUID_LSB)) {
			c->uuid[half.number - UUID_MSB] = half.value;
			c->has_uuid = true;
		}
}

static __u64 hash_of(__u64 h, const unsigned char *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		h = (h ^ data[i]) * 0x100000001b3ull;
	return h;
}

void remote_name_boot(struct conversion *c)
{
	const unsigned char *id = c->has_uuid ? (const unsigned char *)c->uuid : c->data;
	const size_t size = c->has_uuid ? sizeof(c->uuid) : c->size < NAMED_BY ? c->size : NAMED_BY;
	const __u64 high = hash_of(0xcbf29ce484222325ull ^ c->machine_id, id, size);
	const __u64 low = hash_of(~high, id, size);

	if (!*c->boot)
		snprintf(c->boot, sizeof(c->boot), "%08x-%04x-%04x-%04x-%012llx",
			 (__u32)(high >> 32), (__u32)(high >> 16) & 0xffff, (__u32)high & 0xffff,
			 (__u32)(low >> 48), low & 0xffffffffffffull);
}

static enum remote_clock clock_of(const struct conversion *c)
{
	return c->time.id == CLOCK_ID_MONOTONIC ? REMOTE_MONOTONIC : REMOTE_BOOTTIME;
}

void remote_recorder_of(const struct conversion *c, struct remote_recorder *to)
{
	memcpy(to->boot, c->boot, sizeof(to->boot));
	memcpy(to->name, c->host, sizeof(to->name));
	to->clock = clock_of(c);
}

/* struct exchange - a message there and one back, by the clocks of both tracefiles */
struct exchange {
	__u64 sent;
	__u64 received_there;
	__u64 sent_there;
	__u64 received;
};

static void put_ping(struct conversion *c, struct ktrace_text *t, const struct exchange *e)
{
	ktrace_text_line(t, "ping");
	ktrace_text_u64(t, "ts", e->sent > e->received ? e->sent : e->received);
	ktrace_text_str(t, "peer_boot", c->recorder->boot);
	ktrace_text_str(t, "peer", *c->recorder->name ? c->recorder->name : "recorder");
	ktrace_text_u64(t, "sent", e->sent);
	ktrace_text_u64(t, "received_there", e->received_there);
	ktrace_text_u64(t, "sent_there", e->sent_there);
	ktrace_text_u64(t, "received", e->received);
}

/*
 * Puts what two pairs of an exchange tell: the first one's arrival was answered before the second
 * one was read here, and the second one answers that.
 */
static bool put_pair(struct conversion *c, struct ktrace_text *t, const struct remote_pair *pair)
{
	const struct remote_readings *here = &pair->here, *there = &pair->there;
	const struct remote_pair *before = pair - 1;
	const enum remote_clock a = clock_of(c), b = c->recorder->clock;

	if (!here->has[a] || !there->has[b] || !before->here.has[a] || !before->there.has[b] ||
	    here->ns[a] < before->here.ns[a] || there->ns[b] < before->there.ns[b] ||
	    here->ns[a] - before->here.ns[a] >= APART)
		return false;
	put_ping(c, t, &(struct exchange){ before->here.ns[a], before->there.ns[b],
					   before->there.ns[b], here->ns[a] });
	/* Equal ones, of an exchange without time, are in the first line already. */
	if (there->ns[b] > before->there.ns[b])
		put_ping(c, t, &(struct exchange){ here->ns[a], there->ns[b],
						   before->there.ns[b], here->ns[a] });
	return true;
}

/*
 * Puts a packet's exchanges; the service keeps the last five readings, so that the first one may be
 * the rest of an exchange. Returns the number of the next packet's first pair.
 */
static size_t put_packet(struct conversion *c, struct ktrace_text *t, size_t first)
{
	const struct remote *r = &c->remote;
	bool is_any = false;
	size_t i;

	for (i = first + 1; i < r->nr && !r->pairs[i].is_first; i++)
		is_any |= put_pair(c, t, &r->pairs[i]);
	c->unpaired += is_any ? 0 : i - first;
	return i;
}

int remote_put(struct conversion *c)
{
	const struct remote *r = &c->remote;
	struct ktrace_text text = { 0 };
	size_t i = 0;
	int ret = 0;

	if (!c->recorder || !import_writer_is_of_boot(c->f)) {
		c->unpaired += r->nr;
		return 0;
	}
	while (i < r->nr && !ret) {
		i = put_packet(c, &text, i);
		if (text.len >= TEXT_MAX)
			ret = import_writer_text(c->f, &text);
	}
	if (!ret && text.len)
		ret = import_writer_text(c->f, &text);
	ktrace_text_free(&text);
	return ret;
}

void remote_complain(const struct conversion *c)
{
	if (!c->unpaired)
		return;
	complain_about(c->path, "%llu readings of clocks for machine %u tie it to no other: %s",
		       c->unpaired, c->machine_id, !c->recorder ?
		       "no other packet is of the machine that recorded the trace" :
		       "an exchange has two of each machine, which do not go back");
}

void remote_free(struct remote *r)
{
	free(r->pairs);
}
