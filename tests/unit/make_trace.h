/* SPDX-License-Identifier: GPL-2.0 */
/* make_trace.h - puts tracefiles together, record by record */
#ifndef TESTS_MAKE_TRACE_H
#define TESTS_MAKE_TRACE_H

#include <ktrace/tracefile.h>

#include "check.h"

#define MAKE_BLOCK 4096u

/* How blocks are stored: all the same, or every second one compressed. */
enum make_storage { MAKE_PLAIN, MAKE_COMPRESSED, MAKE_MIXED };
static enum make_storage make_storage;

/* struct maker - one stream of a file being made */
struct maker {
	struct ktrace_tracefile *tf;
	struct ktrace_tracefile_block block;
	__u64 pos;
	__u64 lost;
	char data[MAKE_BLOCK];
};

static inline void make_meta(struct ktrace_tracefile *tf, const char *text)
{
	CHECK_EQ(ktrace_tracefile_meta(tf, text, strlen(text)), 0);
}

/* One stamp is one ns, CLOCK_MONOTONIC is the stamp, the epoch is @epoch ns before. */
static inline struct ktrace_tracefile *make_file(const char *path, __u64 epoch)
{
	struct ktrace_tracefile *tf;
	char text[256];

	CHECK_EQ(ktrace_tracefile_create(path, &tf), 0);
	snprintf(text, sizeof(text), "host boot=%llu machine=x86_64\n"
		 "clock raw=0 mono_ns=0 real_ns=%llu hz=1000000000\n"
		 "event kind=user id=16 desc=t:e{u64%%20n;}\n",
		 (unsigned long long)epoch, (unsigned long long)epoch);
	make_meta(tf, text);
	return tf;
}

static inline void make_stream(struct maker *m, struct ktrace_tracefile *tf, __u32 id)
{
	char text[128];

	memset(m, 0, sizeof(*m));
	m->tf = tf;
	m->block.stream = id;
	snprintf(text, sizeof(text),
		 "stream id=%u kind=user cpu=%u ring=65536 block=%u policy=drop\n", id, id,
		 MAKE_BLOCK);
	make_meta(tf, text);
}

static inline void make_end_block(struct maker *m)
{
	if (!m->block.size)
		return;
	m->block.data = m->data;
	CHECK_EQ(ktrace_tracefile_compress(m->tf, make_storage == MAKE_COMPRESSED ||
					   (make_storage == MAKE_MIXED && m->pos & MAKE_BLOCK)), 0);
	CHECK_EQ(ktrace_tracefile_block(m->tf, &m->block), 0);
	m->pos += MAKE_BLOCK;
	m->block = (struct ktrace_tracefile_block){ .stream = m->block.stream };
}

static inline void make_append(struct maker *m, const void *data, size_t size)
{
	memcpy(m->data + m->block.size, data, size);
	m->block.size += (__u32)size;
}

static inline void make_open_block(struct maker *m, __u64 ts)
{
	struct ktrace_block header = {
		.pos = m->pos, .ts = ts, .lost = m->lost, .magic = KTRACE_BLOCK_MAGIC,
	};

	m->block.pos = m->pos;
	m->block.first_ts = ts;
	make_append(m, &header, sizeof(header));
}

static inline void make_record(struct maker *m, const struct ktrace_record *rec,
			       const void *payload)
{
	static const char zeros[KTRACE_ALIGN];

	if (m->block.size + KTRACE_RECORD_SIZE(rec->len) > MAKE_BLOCK)
		make_end_block(m);
	if (!m->block.size)
		make_open_block(m, rec->ts);
	make_append(m, rec, sizeof(*rec));
	make_append(m, payload, rec->len);
	make_append(m, zeros, -rec->len & (KTRACE_ALIGN - 1));
	m->block.records += rec->id != KTRACE_ID_LOST;
	if (rec->ts > m->block.last_ts)
		m->block.last_ts = rec->ts;
}

/* An event t:e with the number @n */
static inline void make_event(struct maker *m, __u64 ts, __u64 n)
{
	struct ktrace_record rec = { .ts = ts, .id = 16, .len = sizeof(n), .tid_flags = 7 };

	make_record(m, &rec, &n);
}

/* A new block that says that @full records and @timeout records were lost so far. */
static inline void make_lost(struct maker *m, __u64 ts, __u64 full, __u64 timeout)
{
	struct ktrace_record rec = { .ts = ts, .id = KTRACE_ID_LOST,
				     .len = sizeof(struct ktrace_lost) };
	struct ktrace_lost lost = { .count = { full, 0, timeout } };

	make_end_block(m);
	m->lost = full + timeout;
	make_record(m, &rec, &lost);
}

#endif
