// SPDX-License-Identifier: GPL-2.0
/* stats.c - statistics of a session and of the service, for consumers and traces */
#include "stats.h"

#include <stdlib.h>
#include <string.h>

#include "service/buffer/sequence_ids.h"
#include "service/buffer/trace_buffer.h"
#include "service/ipc/wire.h"

/* Maximum size of a row's tag and size; of the histogram's classes before all rows */
#define ROW_PREFIX_MAX 5
#define ROWS_HEAD_MAX 64
/* Maximum size of a field: tag and number */
#define FIELD_MAX (3 + WIRE_VARINT_MAX)

#define SET(message, member, value) ((message)->has_##member = true, (message)->member = (value))

static Pft__TraceStats__BufferStats *buffer_stats(const struct trace_buffer_stats *s)
{
	Pft__TraceStats__BufferStats *m = malloc(sizeof(*m));

	if (!m)
		return NULL;
	pft__trace_stats__buffer_stats__init(m);
	SET(m, buffer_size, s->buffer_size);
	SET(m, bytes_written, s->bytes_written);
	SET(m, bytes_overwritten, s->bytes_overwritten);
	SET(m, bytes_read, s->bytes_read);
	SET(m, padding_bytes_written, s->padding_bytes_written);
	SET(m, padding_bytes_cleared, s->padding_bytes_cleared);
	SET(m, chunks_written, s->chunks_written);
	SET(m, chunks_rewritten, s->chunks_rewritten);
	SET(m, chunks_relocated, s->chunks_relocated);
	SET(m, chunks_overwritten, s->chunks_overwritten);
	SET(m, chunks_discarded, s->chunks_discarded);
	SET(m, chunks_read, s->chunks_read);
	SET(m, chunks_committed_out_of_order, s->chunks_committed_out_of_order);
	SET(m, write_wrap_count, s->write_wrap_count);
	SET(m, patches_succeeded, s->patches_succeeded);
	SET(m, patches_failed, s->patches_failed);
	SET(m, readaheads_succeeded, s->readaheads_succeeded);
	SET(m, readaheads_failed, s->readaheads_failed);
	SET(m, abi_violations, s->abi_violations);
	SET(m, trace_writer_packet_loss, s->trace_writer_packet_loss);
	return m;
}

static bool add_buffers(Pft__TraceStats *stats, const struct session *session)
{
	stats->buffer_stats = calloc(session->buffer_nr + 1, sizeof(*stats->buffer_stats));
	if (!stats->buffer_stats)
		return false;
	for (size_t i = 0; i < session->buffer_nr; i++) {
		const struct trace_buffer_stats *s =
			trace_buffer_stats(session->buffers[i].trace);
		Pft__TraceStats__BufferStats *m = buffer_stats(s);

		if (!m)
			return false;
		stats->buffer_stats[stats->n_buffer_stats++] = m;
	}
	return true;
}

static Pft__TraceStats__WriterStats *writer_stats(uint32_t sequence, uint32_t buffer,
						  const uint64_t *counts, const int64_t *sums)
{
	Pft__TraceStats__WriterStats *m = malloc(sizeof(*m));
	const size_t nr = TRACE_BUFFER_BUCKETS + 1;

	if (!m)
		return NULL;
	pft__trace_stats__writer_stats__init(m);
	SET(m, sequence_id, sequence);
	SET(m, buffer, buffer);
	m->chunk_payload_histogram_counts = malloc(nr * sizeof(*counts));
	m->chunk_payload_histogram_sum = malloc(nr * sizeof(*sums));
	if (m->chunk_payload_histogram_counts && m->chunk_payload_histogram_sum) {
		m->n_chunk_payload_histogram_counts = m->n_chunk_payload_histogram_sum = nr;
		memcpy(m->chunk_payload_histogram_counts, counts, nr * sizeof(*counts));
		memcpy(m->chunk_payload_histogram_sum, sums, nr * sizeof(*sums));
	}
	return m;
}

static size_t count_writers(const struct session *session)
{
	struct trace_buffer_origin origin;
	const uint64_t *counts;
	const int64_t *sums;
	size_t nr = 0;

	for (size_t i = 0; i < session->buffer_nr; i++) {
		uint32_t cursor = 0;

		while (trace_buffer_writer(session->buffers[i].trace, &cursor, &origin, &counts,
					   &sums))
			nr++;
	}
	return nr;
}

/* True if @m fits in @left bytes, with its tag and size; subtracts them */
static bool has_room(const Pft__TraceStats__WriterStats *m, size_t *left)
{
	const size_t size = ROW_PREFIX_MAX + protobuf_c_message_get_packed_size(&m->base);
	const bool has = size <= *left;

	*left -= has ? size : *left;
	return has;
}

/* Adds writers that fit in @left bytes of a message */
static bool add_writers(Pft__TraceStats *stats, struct session *session, size_t left)
{
	struct trace_buffer_origin origin;
	const uint64_t *counts;
	const int64_t *sums;

	stats->chunk_payload_histogram_def = malloc(sizeof(trace_buffer_buckets));
	stats->writer_stats = calloc(count_writers(session) + 1, sizeof(*stats->writer_stats));
	if (!stats->chunk_payload_histogram_def || !stats->writer_stats)
		return false;
	memcpy(stats->chunk_payload_histogram_def, trace_buffer_buckets,
	       sizeof(trace_buffer_buckets));
	stats->n_chunk_payload_histogram_def = TRACE_BUFFER_BUCKETS;
	for (size_t i = 0; i < session->buffer_nr; i++) {
		uint32_t cursor = 0;

		while (left && trace_buffer_writer(session->buffers[i].trace, &cursor, &origin,
						   &counts, &sums)) {
			uint32_t id = sequence_ids_get(&session->numbers, &origin);
			Pft__TraceStats__WriterStats *m =
				writer_stats(id, (uint32_t)i, counts, sums);

			if (!m)
				return false;
			if (has_room(m, &left))
				stats->writer_stats[stats->n_writer_stats++] = m;
			else
				protobuf_c_message_free_unpacked(&m->base, NULL);
		}
	}
	return true;
}

static bool add_filter(Pft__TraceStats *stats, const struct session *session)
{
	const struct filter_counts *from = &session->filter_counts;
	Pft__TraceStats__FilterStats *m;

	if (!session->filter)
		return true;
	m = malloc(sizeof(*m));
	if (!m)
		return false;
	pft__trace_stats__filter_stats__init(m);
	stats->filter_stats = m;
	SET(m, input_packets, from->packets);
	SET(m, input_bytes, from->bytes_in);
	SET(m, output_bytes, from->bytes_out);
	SET(m, errors, from->errors);
	SET(m, time_taken_ns, from->time_ns);
	m->bytes_discarded_per_buffer = calloc(session->buffer_nr + 1, sizeof(uint64_t));
	if (!m->bytes_discarded_per_buffer)
		return false;
	m->n_bytes_discarded_per_buffer = session->buffer_nr;
	memcpy(m->bytes_discarded_per_buffer, from->discarded,
	       session->buffer_nr * sizeof(uint64_t));
	return true;
}

static void fill_plain(Pft__TraceStats *m, const struct session *session)
{
	const struct service *s = session->service;

	SET(m, producers_connected, s->producer_nr);
	SET(m, producers_seen, s->producers_seen);
	SET(m, data_sources_registered, s->source_nr);
	SET(m, data_sources_seen, s->sources_seen);
	SET(m, tracing_sessions, s->session_nr);
	SET(m, total_buffers, s->buffer_nr);
	SET(m, chunks_discarded, s->chunks_discarded);
	SET(m, patches_discarded, s->patches_discarded);
	SET(m, invalid_packets, session->invalid_packets);
	SET(m, producers_refused, s->producers_refused);
	SET(m, packets_lost, session->packets_lost);
	SET(m, packets_too_large, session->packets_too_large);
	if (session->file.is_full)
		SET(m, file_is_full, true);
	SET(m, flushes_requested, session->flush_counts.requested);
	SET(m, flushes_succeeded, session->flush_counts.succeeded);
	SET(m, flushes_failed, session->flush_counts.failed);
	SET(m, final_flush_outcome,
	    (Pft__TraceStats__FinalFlushOutcome)session->flush_counts.final);
}

static size_t room_for_writers(const Pft__TraceStats *stats, size_t max)
{
	const size_t size = ROWS_HEAD_MAX + pft__trace_stats__get_packed_size(stats);

	return size < max ? max - size : 0;
}

Pft__TraceStats *stats_make(struct session *session, size_t max)
{
	const Pft__TraceConfig__BuiltinDataSource *wish = session->config->builtin_data_sources;
	Pft__TraceStats *stats = malloc(sizeof(*stats));

	if (!stats)
		return NULL;
	pft__trace_stats__init(stats);
	fill_plain(stats, session);
	if (add_buffers(stats, session) && add_filter(stats, session) &&
	    ((wish && wish->disable_chunk_usage_histograms) ||
	     add_writers(stats, session, room_for_writers(stats, max))))
		return stats;
	stats_free(stats);
	return NULL;
}

static size_t fields_bound(const ProtobufCMessageDescriptor *d)
{
	return ROW_PREFIX_MAX + d->n_fields * FIELD_MAX;
}

size_t stats_bound(const struct session *session)
{
	const size_t buffer = fields_bound(&pft__trace_stats__buffer_stats__descriptor);
	size_t size = ROWS_HEAD_MAX + fields_bound(&pft__trace_stats__descriptor);

	size += session->config->n_buffers * buffer;
	if (session->config->trace_filter)
		size += fields_bound(&pft__trace_stats__filter_stats__descriptor) +
			session->config->n_buffers * FIELD_MAX;
	return size;
}

void stats_free(Pft__TraceStats *stats)
{
	pft__trace_stats__free_unpacked(stats, NULL);
}
