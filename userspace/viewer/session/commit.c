// SPDX-License-Identifier: GPL-2.0
/* commit.c - sends chunks as they are in shared memory, but inside the request */
#include "commit.h"

#include "base/viewer.h"
#include "import/perfetto/packets.h"
#include "perfetto.pb-c.h"
#include "service.pb-c.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

/*
 * Bytes of a chunk with its header; bytes of a packet's size field; maximum of packets in a chunk
 */
#define CHUNK_SIZE 16384u
#define SIZE_SIZE 4u
#define COUNT_MAX 1023u
/* Bytes of a piece of a tracefile before compression; level of the compression */
#define PIECE_SIZE (256u << 10)
#define LEVEL 1

enum { CONTINUES = 1, CONTINUED = 2 };

/* Perfetto's CLOCK_BOOTTIME; sequence flag: forget all interned names */
#define CLOCK_IS_BOOTTIME 6
#define IS_CLEARED 1u

/* Packet fields reserved to the service, which drops packets with one of them. */
static const __u32 own_fields[] = { 3, 10, 79, 98 };

/** struct chunk_header - layout shared by all producers */
struct chunk_header {
	__u32 id;
	__u16 writer;
	__u16 packets;
};

/* struct writer - chunks of one sequence */
struct writer {
	struct client *client;
	__u32 number;
	__u32 buffer;
	__u32 id;
	__u32 count;
	__u32 flags;
	__u32 len;
	__u8 data[CHUNK_SIZE];
	struct ktrace_out packet;
	__u32 part;
};

static void begin_chunk(struct writer *w, __u32 flags)
{
	w->len = sizeof(struct chunk_header);
	w->count = 0;
	w->flags = flags;
}

static int end_chunk(struct writer *w, __u32 flags)
{
	const struct chunk_header header = {
		.id = htole32(w->id), .writer = htole16((__u16)w->number),
		.packets = htole16((__u16)(w->count | (w->flags | flags) << 10)),
	};
	Pft__CommitDataRequest__ChunksToMove move = PFT__COMMIT_DATA_REQUEST__CHUNKS_TO_MOVE__INIT;
	Pft__CommitDataRequest__ChunksToMove *moves[] = { &move };
	Pft__CommitDataRequest args = PFT__COMMIT_DATA_REQUEST__INIT;
	struct client_reply r;

	if (!w->count)
		return 0;
	memcpy(w->data, &header, sizeof(header));
	w->id++;
	move.has_page = move.has_chunk = move.has_target_buffer = move.has_data = true;
	move.target_buffer = w->buffer;
	move.data = (ProtobufCBinaryData){ .len = w->len, .data = w->data };
	args.n_chunks_to_move = 1;
	args.chunks_to_move = moves;
	/* Waits for each reply, so that the service never has more in flight than it accepts. */
	return client_ask(w->client, "CommitData", &args.base, &r);
}

static void put_size(__u8 *to, __u32 size)
{
	for (__u32 i = 0; i < SIZE_SIZE; i++)
		to[i] = (__u8)((size >> 7 * i & 0x7f) | (i < SIZE_SIZE - 1 ? 0x80 : 0));
}

static int put_packet(struct writer *w)
{
	size_t at = 0, n;
	int ret = 0;

	if (CHUNK_SIZE - w->len < 2 * SIZE_SIZE || w->count == COUNT_MAX) {
		ret = end_chunk(w, 0);
		begin_chunk(w, 0);
	}
	while (!ret) {
		n = CHUNK_SIZE - w->len - SIZE_SIZE;
		if (n > w->packet.len - at)
			n = w->packet.len - at;
		put_size(w->data + w->len, (__u32)n);
		memcpy(w->data + w->len + SIZE_SIZE, w->packet.buf + at, n);
		w->len += SIZE_SIZE + (__u32)n;
		w->count++;
		at += n;
		if (at == w->packet.len)
			break;
		ret = end_chunk(w, CONTINUED);
		begin_chunk(w, CONTINUES);
	}
	return ret;
}

/* Appends to the packet being built. */
static int append(struct writer *w, const Perfetto__Protos__TracePacket *p)
{
	const size_t size = perfetto__protos__trace_packet__get_packed_size(p);

	while (!w->packet.error && w->packet.cap - w->packet.len < size)
		w->packet.error = output_grow(&w->packet);
	if (w->packet.error)
		return w->packet.error;
	w->packet.len += perfetto__protos__trace_packet__pack(p, (__u8 *)w->packet.buf +
							      w->packet.len);
	return 0;
}

static int append_part(struct writer *w, Perfetto__Protos__KtracePart *part)
{
	Perfetto__Protos__TracePacket packet = PERFETTO__PROTOS__TRACE_PACKET__INIT;

	part->has_number = true;
	part->number = w->part;
	packet.ktrace_part = part;
	return append(w, &packet);
}

static bool is_own(__u32 number)
{
	for (size_t i = 0; i < sizeof(own_fields) / sizeof(own_fields[0]); i++)
		if (own_fields[i] == number)
			return true;
	return false;
}

static int take(void *arg, const struct packet *p)
{
	Perfetto__Protos__KtracePart part = PERFETTO__PROTOS__KTRACE_PART__INIT;
	struct writer *w = arg;
	struct packet_field f;
	size_t at = 0, begin = 0;
	int ret;

	w->packet.len = 0;
	for (; packet_next(p, &at, &f) == 1; begin = at)
		if (!is_own(f.number))
			ktrace_out_bytes(&w->packet, (const char *)p->data + begin, at - begin);
	ret = append_part(w, &part);
	return ret ? ret : put_packet(w);
}

/* Sends a tracefile in pieces, each compressed by itself. */
static int put_pieces(struct writer *w, const __u8 *file, size_t size)
{
	Perfetto__Protos__KtracePart part = PERFETTO__PROTOS__KTRACE_PART__INIT;
	const size_t room = ZSTD_compressBound(PIECE_SIZE);
	size_t n;
	int ret = 0;

	part.data.data = malloc(room);
	if (!part.data.data)
		return -ENOMEM;
	part.has_size = part.has_offset = part.has_data = true;
	part.size = size;
	for (; !ret && part.offset < size; part.offset += n) {
		n = size - part.offset < PIECE_SIZE ? size - part.offset : PIECE_SIZE;
		part.data.len = ZSTD_compress(part.data.data, room, file + part.offset, n, LEVEL);
		w->packet.len = 0;
		ret = ZSTD_isError(part.data.len) ? -ENOMEM : append_part(w, &part);
		if (!ret)
			ret = put_packet(w);
	}
	free(part.data.data);
	return ret;
}

struct writer *writer_open(struct client *client, __u32 number, __u32 chunk, __u32 buffer)
{
	Pft__RegisterTraceWriterRequest args = PFT__REGISTER_TRACE_WRITER_REQUEST__INIT;
	struct writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->client = client;
	w->number = number;
	w->id = chunk;
	w->buffer = buffer;
	w->packet.flush = output_grow;
	args.has_trace_writer_id = args.has_target_buffer = true;
	args.trace_writer_id = number;
	args.target_buffer = buffer;
	if (!output_grow(&w->packet) &&
	    !client_call(client, "RegisterTraceWriter", &args.base, -1, NULL))
		return w;
	free(w->packet.buf);
	free(w);
	return NULL;
}

__u32 writer_close(struct writer *w)
{
	Pft__UnregisterTraceWriterRequest args = PFT__UNREGISTER_TRACE_WRITER_REQUEST__INIT;
	__u32 chunk;

	if (!w)
		return 0;
	args.has_trace_writer_id = true;
	args.trace_writer_id = w->number;
	client_call(w->client, "UnregisterTraceWriter", &args.base, -1, NULL);
	chunk = w->id;
	free(w->packet.buf);
	free(w);
	return chunk;
}

/* Passes the contents of a file to @put, unless the file is empty. */
static int put_file(struct writer *w, const char *path,
		    int (*put)(struct writer *w, const __u8 *data, size_t size))
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *data = NULL;
	struct stat st;
	int ret = 0;

	if (fd < 0 || fstat(fd, &st))
		ret = -errno;
	if (!ret && st.st_size) {
		data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		ret = data == MAP_FAILED ? -errno : 0;
	}
	if (!ret && data) {
		begin_chunk(w, 0);
		ret = put(w, data, (size_t)st.st_size);
		if (!ret)
			ret = end_chunk(w, 0);
		munmap(data, (size_t)st.st_size);
	}
	if (fd >= 0)
		close(fd);
	return ret;
}

static int put_packets(struct writer *w, const __u8 *data, size_t size)
{
	struct packets_trouble trouble;
	const int ret = packets_walk(data, size, take, w, &trouble);

	/* If a packet is invalid, the service already has all packets before it. */
	return ret == -EINVAL ? 0 : ret;
}

int writer_part(struct writer *w, __u32 number, const char *tracefile, const char *packets)
{
	int ret;

	w->part = number;
	ret = packets ? put_file(w, packets, put_packets) : 0;
	/* The tracefile goes last, as a buffer without room for everything keeps the end. */
	return ret ? ret : put_file(w, tracefile, put_pieces);
}

int writer_error(struct writer *w, const char *source, const char *text)
{
	Perfetto__Protos__DebugAnnotation notes[2], *list[] = { &notes[0], &notes[1] };
	Perfetto__Protos__TrackEvent event = PERFETTO__PROTOS__TRACK_EVENT__INIT;
	Perfetto__Protos__TracePacket packet = PERFETTO__PROTOS__TRACE_PACKET__INIT;
	char *category = (char *)ERROR_EVENT;
	struct timespec t;
	int ret;

	for (int i = 0; i < 2; i++) {
		perfetto__protos__debug_annotation__init(&notes[i]);
		notes[i].name = (char *)(i ? "text" : "source");
		notes[i].value_case = PERFETTO__PROTOS__DEBUG_ANNOTATION__VALUE_STRING_VALUE;
		notes[i].string_value = (char *)(i ? text : source);
	}
	event.has_type = event.has_track_uuid = true;
	event.type = PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_INSTANT;
	event.n_categories = 1;
	event.categories = &category;
	event.name = category;
	event.n_debug_annotations = 2;
	event.debug_annotations = list;
	clock_gettime(CLOCK_BOOTTIME, &t);
	packet.has_timestamp = packet.has_timestamp_clock_id = packet.has_sequence_flags = true;
	packet.timestamp = (__u64)t.tv_sec * 1000000000u + (__u64)t.tv_nsec;
	packet.timestamp_clock_id = CLOCK_IS_BOOTTIME;
	packet.sequence_flags = IS_CLEARED;
	packet.data_case = PERFETTO__PROTOS__TRACE_PACKET__DATA_TRACK_EVENT;
	packet.track_event = &event;
	w->packet.len = 0;
	ret = append(w, &packet);
	if (ret)
		return ret;
	begin_chunk(w, 0);
	if (put_packet(w))
		return -EIO;
	return end_chunk(w, 0);
}
