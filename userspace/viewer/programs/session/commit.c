// SPDX-License-Identifier: GPL-2.0
/* commit.c - chunks as in shared memory, but within the request */
#include "commit.h"

#include "packets.h"
#include "service.pb-c.h"
#include "viewer.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of a chunk, with its header; of a packet's size before it; packets that a chunk can count */
#define CHUNK_SIZE 16384u
#define SIZE_SIZE 4u
#define COUNT_MAX 1023u

enum { CONTINUES = 1, CONTINUED = 2 };

/* Fields of a packet that are the service's own: it would drop the packet. */
static const __u32 own_fields[] = { 3, 10, 79, 98 };

/** struct chunk_header - as all producers have it */
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
	/* Waits, so that no more is on its way than the service can take. */
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

static bool is_own(__u32 number)
{
	for (size_t i = 0; i < sizeof(own_fields) / sizeof(own_fields[0]); i++)
		if (own_fields[i] == number)
			return true;
	return false;
}

static int take(void *arg, const struct packet *p)
{
	struct writer *w = arg;
	struct packet_field f;
	size_t at = 0, begin = 0;

	w->packet.len = 0;
	for (; packet_next(p, &at, &f) == 1; begin = at)
		if (!is_own(f.number))
			ktrace_out_bytes(&w->packet, (const char *)p->data + begin, at - begin);
	return w->packet.error ? w->packet.error : put_packet(w);
}

static int commit_packets(struct writer *w, const __u8 *data, size_t size)
{
	Pft__RegisterTraceWriterRequest begin = PFT__REGISTER_TRACE_WRITER_REQUEST__INIT;
	Pft__UnregisterTraceWriterRequest end = PFT__UNREGISTER_TRACE_WRITER_REQUEST__INIT;
	int ret;

	begin.has_trace_writer_id = begin.has_target_buffer = end.has_trace_writer_id = true;
	begin.trace_writer_id = end.trace_writer_id = w->number;
	begin.target_buffer = w->buffer;
	ret = client_call(w->client, "RegisterTraceWriter", &begin.base, -1, NULL);
	if (!ret)
		ret = packets_walk(data, size, take, w);
	if (!ret)
		ret = end_chunk(w, 0);
	return ret ? ret : client_call(w->client, "UnregisterTraceWriter", &end.base, -1, NULL);
}

int commit_file(struct commit *c, struct client *client, const char *path, __u32 buffer)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct writer *w = calloc(1, sizeof(*w));
	void *data = NULL;
	struct stat st;
	int ret = w ? 0 : -ENOMEM;

	if (!ret && (fd < 0 || fstat(fd, &st)))
		ret = -errno;
	if (!ret && st.st_size) {
		data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		ret = data == MAP_FAILED ? -errno : 0;
	}
	if (!ret && data) {
		w->client = client;
		w->number = ++c->writer;
		w->buffer = buffer;
		w->packet.flush = output_grow;
		ret = output_grow(&w->packet);
		begin_chunk(w, 0);
		if (!ret)
			ret = commit_packets(w, data, (size_t)st.st_size);
		free(w->packet.buf);
	}
	if (data && data != MAP_FAILED)
		munmap(data, (size_t)st.st_size);
	if (fd >= 0)
		close(fd);
	free(w);
	return ret;
}
