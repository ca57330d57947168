// SPDX-License-Identifier: GPL-2.0
/* read.c - reads a session's packets: stamped, filtered, compressed */
#include "read.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/clocks.h"
#include "base/grow.h"
#include "base/work.h"
#include "service/buffer/compress.h"
#include "service/buffer/filter.h"
#include "service/buffer/sequence_ids.h"
#include "service/buffer/stamp.h"
#include "service/buffer/trace_buffer.h"
#include "service/buffer/validate.h"
#include "service_packets.h"

/* Returns scratch memory, grown as needed; NULL: out of memory. */
static uint8_t *scratch(struct session *session, unsigned int which, size_t size)
{
	if (session->scratch_room[which] >= size)
		return session->scratch[which];
	if (!LIST_RESIZE(session->scratch[which], size))
		return NULL;
	session->scratch_room[which] = size;
	return session->scratch[which];
}

/*
 * Adds what the filter passes of a packet; nothing of one that does not parse.
 * Return: false if out of memory.
 */
static bool add_filtered(struct session *session, struct batch *b, const uint8_t *packet,
			 size_t size, uint64_t *discarded)
{
	struct filter_counts *counts = &session->filter_counts;
	uint8_t *out = scratch(session, 0, size + 1);
	ptrdiff_t left;

	if (!out)
		return false;
	left = filter_packet(session->filter, packet, size, out);
	counts->packets++;
	counts->bytes_in += size;
	if (left < 0) {
		counts->errors++;
		left = 0;
	}
	counts->bytes_out += (size_t)left;
	if (discarded)
		*discarded += size - (size_t)left;
	return batch_add(b, out, (size_t)left, NULL, 0);
}

/* Adds a packet with its stamp, in one piece if it has to be filtered. Return: as above. */
static bool add(struct session *session, size_t buffer, struct batch *b,
		const struct trace_buffer_packet *p)
{
	uint8_t stamp[STAMP_MAX], *whole;
	size_t size = stamp_packet(stamp, p, sequence_ids_get(&session->numbers, &p->origin));

	if (!session->filter)
		return batch_add(b, p->data, p->size, stamp, size);
	whole = scratch(session, 1, p->size + size);
	if (!whole)
		return false;
	memcpy(whole, p->data, p->size);
	memcpy(whole + p->size, stamp, size);
	return add_filtered(session, b, whole, p->size + size,
			    &session->filter_counts.discarded[buffer]);
}

void session_read_begin(struct session *session)
{
	for (size_t i = 0; i < session->buffer_nr; i++)
		trace_buffer_read_begin(session->buffers[i].trace);
}

/*
 * Counts packets that are not added, and marks the loss in the next one. If out of memory, leaves
 * the rest in the buffer.
 */
static bool read_buffer(struct session *session, size_t buffer, struct batch *b, size_t limit)
{
	struct trace_buffer *trace = session->buffers[buffer].trace;
	struct trace_buffer_packet p;
	uint64_t end_ns = 0;

	while (b->size < limit && (!end_ns || clocks_boot_ns() < end_ns)) {
		if (!trace_buffer_read(trace, &p))
			return false;
		/* Counts from the first packet: perhaps none of very many can be added. */
		end_ns = end_ns ?: clocks_boot_ns() + TURN_NS;
		if (!p.size)
			continue;
		if (p.data && !packet_is_valid(p.data, p.size)) {
			session->invalid_packets++;
			trace_buffer_lose(trace, &p);
		} else if (!p.data || !add(session, buffer, b, &p)) {
			session->packets_lost++;
			trace_buffer_lose(trace, &p);
			break;
		}
	}
	return true;
}

/*
 * Begins after the buffer read last, so that one that never runs empty does not starve the others.
 */
static bool read_buffers(struct session *session, struct batch *b, size_t limit)
{
	bool has_more = false;

	for (size_t nr = session->buffer_nr; nr && !has_more; nr--) {
		const size_t i = session->next_buffer;

		session->next_buffer = (i + 1) % session->buffer_nr;
		has_more = read_buffer(session, i, b, limit);
		session->packets_too_large += trace_buffer_too_large(session->buffers[i].trace);
	}
	return has_more;
}

/* Filters the service's own packets, too; statistics do not come this way. */
static void add_own(struct session *session, struct batch *b,
		    void (*write)(struct session *, struct batch *))
{
	struct batch own = { 0 };
	const uint8_t *packet;
	size_t size;

	if (!session->filter) {
		write(session, b);
		return;
	}
	write(session, &own);
	while (batch_next(&own, &packet, &size))
		session->packets_lost += !add_filtered(session, b, packet, size, NULL);
	batch_exit(&own);
}

static enum compress_kind compression(const Pft__TraceConfig *config, int *level)
{
	const Pft__TraceConfig__CompressionConfig *wish = config->compression;

	*level = wish && wish->zstd ? wish->zstd->level : 0;
	if (wish && wish->zstd)
		return COMPRESS_ZSTD;
	if ((wish && wish->deflate) || config->compression_type ==
	    PFT__TRACE_CONFIG__COMPRESSION_TYPE__COMPRESSION_TYPE_DEFLATE)
		return COMPRESS_DEFLATE;
	return COMPRESS_NONE;
}

/* Compresses all packets of the batch into one; leaves them as they are on failure. */
static void compress(struct session *session, struct batch *b)
{
	int level;
	enum compress_kind kind = compression(session->config, &level);
	ptrdiff_t size;
	uint64_t nr;
	size_t room;
	uint8_t *out;

	if (kind == COMPRESS_NONE || !b->size)
		return;
	room = compress_bound(kind, b->size);
	out = malloc(room);
	size = out ? compress_packets(kind, level, b->bytes, b->size, out) : -1;
	if (size < 0) {
		free(out);
		return;
	}
	nr = batch_count(b, 0);
	batch_exit(b);
	*b = (struct batch) { .bytes = out, .size = (size_t)size, .room = room, .inner_nr = nr };
}

static bool read_all(struct session *session, struct batch *b, size_t limit)
{
	const Pft__TraceConfig__BuiltinDataSource *wish = session->config->builtin_data_sources;
	uint64_t began = session->filter ? now_ns() : 0;
	bool has_more;

	add_own(session, b, service_packets_write);
	has_more = read_buffers(session, b, limit);
	if (session->filter)
		session->filter_counts.time_ns += now_ns() - began;
	if (has_more)
		return true;
	if (!wish || !wish->disable_service_events)
		add_own(session, b, service_packets_write_end);
	service_packets_write_stats(session, b, SERVICE_PACKETS_STATS_MAX);
	return false;
}

bool session_read(struct session *session, struct batch *b, size_t limit)
{
	bool has_more;

	batch_empty(b);
	has_more = read_all(session, b, limit);
	compress(session, b);
	return has_more;
}

void session_read_stats(struct session *session, struct batch *b, size_t max)
{
	batch_empty(b);
	service_packets_write_stats(session, b, max);
	compress(session, b);
}
