// SPDX-License-Identifier: GPL-2.0
/*
 * generate.c - the same events as a ktrace tracefile and as a CTF 1.8 trace
 *
 * usage: generate [-n EVENTS] [-s STREAMS] [-b BURST] [-z] [-k FILE] [-c FOLDER]
 *
 * An event has a 64-bit and a 32-bit number and a text of three letters: 16 bytes. STREAMS
 * threads take turns at random, BURST events each time, 25 ns apart. The CTF trace has the
 * thread as context of each event, as ktrace has it in each record; its header is the plain
 * one, an id and the whole time stamp. With -z, the blocks of the tracefile are compressed.
 */
#include <ktrace/tracefile.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ring/ring.h"

#define BLOCK 65536u
#define EPOCH_NS 1700000000000000000ull
#define STEP_NS 25u

struct event {
	__u64 seq;
	__u32 value;
	char name[4];
} __attribute__((packed));

struct ctf_packet {
	__u32 magic;
	__u32 stream_id;
	__u64 begin;
	__u64 end;
	__u64 content_bits;
	__u64 packet_bits;
	__u32 cpu;
} __attribute__((packed));

struct ctf_event {
	__u16 id;
	__u64 ts;
	__u32 tid;
	struct event fields;
} __attribute__((packed));

static const char metadata[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	"typealias integer { size = 32; align = 8; signed = true; } := int32_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
	"trace { major = 1; minor = 8; byte_order = le;\n"
	"	packet.header := struct { uint32_t magic; uint32_t stream_id; }; };\n"
	"clock { name = monotonic; freq = 1000000000; offset = 1700000000000000000; };\n"
	"typealias integer { size = 64; align = 8; signed = false;\n"
	"	map = clock.monotonic.value; } := stamp_t;\n"
	"stream { id = 0;\n"
	"	packet.context := struct { stamp_t timestamp_begin; stamp_t timestamp_end;\n"
	"		uint64_t content_size; uint64_t packet_size; uint32_t cpu_id; };\n"
	"	event.header := struct { uint16_t id; stamp_t timestamp; };\n"
	"	event.context := struct { int32_t vtid; }; };\n"
	"event { id = 0; name = \"bench:event\"; stream_id = 0;\n"
	"	fields := struct { uint64_t seq; uint32_t value; string name; }; };\n";

/**
 * struct writer - one stream in one format
 * @data:	the block or packet being filled
 * @size:	bytes of it
 * @events:	events in it
 * @first_ts:	stamp of its first event
 * @last_ts:	stamp of its last one
 * @pos:	bytes of all blocks before
 * @file:	of a CTF stream
 */
struct writer {
	char *data;
	__u32 size;
	__u32 events;
	__u64 first_ts;
	__u64 last_ts;
	__u64 pos;
	FILE *file;
};

/* struct format - how events become bytes of a stream */
struct format {
	__u32 header;
	__u32 event;
	void (*add)(struct writer *w, __u32 stream, __u64 ts, const struct event *e);
	void (*end)(struct writer *w, __u32 stream);
};

static struct ktrace_tracefile *tracefile;

static __attribute__((noreturn)) void die(const char *what)
{
	perror(what);
	exit(1);
}

static void *must(void *p)
{
	if (!p)
		die("memory");
	return p;
}

static void add_record(struct writer *w, __u32 stream, __u64 ts, const struct event *e)
{
	struct ktrace_record rec = { .ts = ts, .id = KTRACE_ID_FIRST, .len = sizeof(*e),
				     .tid_flags = stream + 1 };

	memcpy(w->data + w->size, &rec, sizeof(rec));
	memcpy(w->data + w->size + sizeof(rec), e, sizeof(*e));
}

static void end_block(struct writer *w, __u32 stream)
{
	struct ktrace_block header = { .ts = w->first_ts, .magic = KTRACE_BLOCK_MAGIC,
				       .pos = w->pos };
	struct ktrace_tracefile_block b = {
		.stream = stream, .records = w->events, .pos = w->pos, .first_ts = w->first_ts,
		.last_ts = w->last_ts, .data = w->data, .size = w->size,
	};

	memcpy(w->data, &header, sizeof(header));
	if (ktrace_tracefile_block(tracefile, &b))
		die("write");
}

static void add_ctf(struct writer *w, __u32 stream, __u64 ts, const struct event *e)
{
	struct ctf_event c = { .ts = ts, .tid = stream + 1, .fields = *e };

	memcpy(w->data + w->size, &c, sizeof(c));
}

static void end_packet(struct writer *w, __u32 stream)
{
	struct ctf_packet p = {
		.magic = 0xc1fc1fc1, .begin = w->first_ts, .end = w->last_ts,
		.content_bits = 8ull * w->size, .packet_bits = 8ull * w->size, .cpu = stream,
	};

	memcpy(w->data, &p, sizeof(p));
	if (fwrite(w->data, w->size, 1, w->file) != 1)
		die("write");
}

static const struct format ktrace_format = {
	sizeof(struct ktrace_block), KTRACE_RECORD_SIZE(sizeof(struct event)), add_record,
	end_block,
};

static const struct format ctf_format = {
	sizeof(struct ctf_packet), sizeof(struct ctf_event), add_ctf, end_packet,
};

static void end(const struct format *f, struct writer *w, __u32 stream)
{
	if (!w->events)
		return;
	f->end(w, stream);
	w->pos += BLOCK;
	w->events = 0;
}

static void add(const struct format *f, struct writer *w, __u32 stream, const struct event *e)
{
	__u64 ts = 1000 + STEP_NS * e->seq;

	if (w->events && w->size + f->event > BLOCK)
		end(f, w, stream);
	if (!w->events) {
		w->size = f->header;
		w->first_ts = ts;
	}
	f->add(w, stream, ts, e);
	w->size += f->event;
	w->last_ts = ts;
	w->events++;
}

static void describe_tracefile(const char *path, __u32 streams)
{
	struct ktrace_text text = { 0 };
	__u32 i;

	if (ktrace_tracefile_create(path, &tracefile))
		die(path);
	ktrace_text_line(&text, "clock");
	ktrace_text_u64(&text, "raw", 0);
	ktrace_text_u64(&text, "mono_ns", 0);
	ktrace_text_u64(&text, "real_ns", EPOCH_NS);
	ktrace_text_u64(&text, "hz", 1000000000);
	ktrace_text_line(&text, "event");
	ktrace_text_str(&text, "kind", "user");
	ktrace_text_u64(&text, "id", KTRACE_ID_FIRST);
	ktrace_text_str(&text, "desc", "bench:event{u64 seq;u32 value;string name;}");
	for (i = 0; i < streams; i++) {
		ktrace_text_line(&text, "stream");
		ktrace_text_u64(&text, "id", i);
		ktrace_text_str(&text, "kind", "user");
		ktrace_text_u64(&text, "cpu", i);
		ktrace_text_u64(&text, "ring", BLOCK);
		ktrace_text_u64(&text, "block", BLOCK);
		ktrace_text_str(&text, "policy", "drop");
	}
	if (ktrace_text_flush(&text, tracefile))
		die("write");
	ktrace_text_free(&text);
}

static FILE *create_in(const char *folder, const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	if (!f)
		die(path);
	return f;
}

static void describe_ctf(const char *folder, struct writer *w, __u32 streams)
{
	FILE *f = create_in(folder, "metadata");
	char name[32];
	__u32 i;

	if (fputs(metadata, f) < 0 || fclose(f))
		die("write");
	for (i = 0; i < streams; i++) {
		snprintf(name, sizeof(name), "stream_%u", i);
		w[i].file = create_in(folder, name);
	}
}

static struct writer *make_writers(__u32 streams)
{
	struct writer *w = must(calloc(streams, sizeof(*w)));
	__u32 i;

	for (i = 0; i < streams; i++)
		w[i].data = must(calloc(1, BLOCK));
	return w;
}

static void generate(const struct format *f, struct writer *w, __u64 events, __u32 streams,
		     __u32 burst)
{
	struct event e = { .name = "abc" };
	__u32 seed = 1, stream = 0, i;

	while (e.seq < events) {
		seed = seed * 1103515245u + 12345u;
		stream = (seed >> 16) % streams;
		for (i = 0; i < burst && e.seq < events; i++, e.seq++) {
			e.value = (__u32)e.seq % 1000;
			add(f, &w[stream], stream, &e);
		}
	}
	for (i = 0; i < streams; i++) {
		end(f, &w[i], i);
		free(w[i].data);
		if (w[i].file && fclose(w[i].file))
			die("write");
	}
	free(w);
}

static __u32 number(const char *text)
{
	__u32 n = (__u32)strtoul(text, NULL, 0);

	if (!n) {
		fprintf(stderr, "generate: %s is no number above 0\n", text);
		exit(2);
	}
	return n;
}

int main(int argc, char **argv)
{
	const char *ktrace = NULL, *ctf = NULL;
	__u32 events = 1000, streams = 1, burst = 32;
	int level = 0;
	struct writer *w;
	int c;

	while ((c = getopt(argc, argv, "n:s:b:zk:c:")) != -1) {
		if (c == 'n')
			events = number(optarg);
		else if (c == 's')
			streams = number(optarg);
		else if (c == 'b')
			burst = number(optarg);
		else if (c == 'z')
			level = KTRACE_COMPRESS_DEFAULT;
		else if (c == 'k')
			ktrace = optarg;
		else if (c == 'c')
			ctf = optarg;
		else
			return 2;
	}
	if (ktrace) {
		describe_tracefile(ktrace, streams);
		if (ktrace_tracefile_compress(tracefile, level))
			die(ktrace);
		generate(&ktrace_format, make_writers(streams), events, streams, burst);
		if (ktrace_tracefile_close(tracefile))
			die("close");
	}
	if (ctf) {
		w = make_writers(streams);
		describe_ctf(ctf, w, streams);
		generate(&ctf_format, w, events, streams, burst);
	}
	return 0;
}
