// SPDX-License-Identifier: GPL-2.0
/*
 * samples.c - converts samples of profilers
 *
 * The call chain, whose parts are interned, becomes text as that of perf: the functions from the
 * innermost on, with ';' between. Samples that the profiler left out and records that the kernel
 * dropped are losses.
 */
#include "convert.h"

#include <stdio.h>
#include <string.h>

/* Fields of packets and of interned data */
enum { PACKET_PERF_SAMPLE = 66, PACKET_STACK_SAMPLE = 135,
       INTERNED_FUNCTIONS = 5, INTERNED_FRAMES = 6, INTERNED_CALLSTACKS = 7, INTERNED_PATHS = 17,
       INTERNED_MAPPINGS = 19, INTERNED_TASKS = 48 };
#define FRAMES_MAX 1024u

/* Returns interned text. */
static bool find_text(const struct conversion *c, __u32 field, __u64 iid, char *to, size_t size)
{
	enum { TEXT = 2 };
	struct packet entry;

	*to = '\0';
	if (iid && sequence_interned(c->sequence, field, iid, &entry))
		content_text(&entry, TEXT, to, size);
	return *to;
}

/* Appends a frame: the function, else the file and the address in it. */
static void put_frame(struct conversion *c, __u64 iid)
{
	enum { FUNCTION = 2, MAPPING = 3, REL_PC = 4, PATHS = 7 };
	struct packet frame, mapping;
	char text[512];

	if (!sequence_interned(c->sequence, INTERNED_FRAMES, iid, &frame)) {
		ktrace_out_str(&c->payload, "unknown");
		return;
	}
	if (!find_text(c, INTERNED_FUNCTIONS, content_u64(&frame, FUNCTION), text, sizeof(text))) {
		if (sequence_interned(c->sequence, INTERNED_MAPPINGS, content_u64(&frame, MAPPING),
				      &mapping))
			find_text(c, INTERNED_PATHS, content_u64(&mapping, PATHS), text,
				  sizeof(text) - 32);
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "+0x%llx",
			 content_u64(&frame, REL_PC));
	}
	ktrace_out_bytes(&c->payload, text,
			 event_text_size(c, (const unsigned char *)text, strlen(text)));
}

void samples_chain(struct conversion *c, __u64 iid)
{
	enum { FRAMES = 2 };
	struct packet chain;
	struct packet_field v;
	__u64 frames[FRAMES_MAX];
	size_t at = 0, nr = 0, inside;

	event_json_begin(c, "callchain");
	if (sequence_interned(c->sequence, INTERNED_CALLSTACKS, iid, &chain))
		while (packet_next(&chain, &at, &v) == 1) {
			if (v.number == FRAMES && v.wire == 0 && nr < FRAMES_MAX)
				frames[nr++] = v.value;
			inside = 0;
			while (v.number == FRAMES && v.wire == 2 && nr < FRAMES_MAX &&
			       content_varint(&v, &inside, &frames[nr]))
				nr++;
		}
	else if (iid)
		ktrace_out_str(&c->payload, "unknown");
	while (nr) {
		put_frame(c, frames[--nr]);
		if (nr)
			ktrace_out_char(&c->payload, ';');
	}
	event_json_end(c);
}

static int put_loss(struct conversion *c, int cpu, int reason, __u64 count)
{
	if (!count)
		return 0;
	return spool_add(&c->spool, (struct spooled){ .ts = c->ts, .cpu = cpu, .reason = reason,
						      .lost = count }, NULL);
}

/* A sample of perf, or of another profiler; it is an event of its CPU if it has one. */
static int put_sample(struct conversion *c, __u32 type, const struct packet *m)
{
	enum { CPU = 1, PID = 2, TID = 3, CALLSTACK = 4, LOST = 17, SKIPPED = 18 };
	const struct packet_field number = content_find(m, CPU);
	const int cpu = number.wire == 0 && number.value < IMPORT_WRITER_CPUS ?
			(int)number.value : -1;
	const __u64 lost = content_u64(m, LOST);
	struct spooled e = {
		.ts = c->ts, .cpu = cpu, .tid = (__u32)content_u64(m, TID),
		.pid = (__u32)content_u64(m, PID),
	};
	int ret;

	ret = put_loss(c, cpu, KTRACE_LOST_FULL, lost < UINT32_MAX ? lost : UINT32_MAX);
	if (!ret && content_find(m, SKIPPED).wire == 0)
		ret = put_loss(c, cpu, KTRACE_LOST_UNWRITTEN, 1);
	if (ret)
		return ret;
	event_begin(c, "perf", "sample", "");
	content_put(c, "", type, m);
	if (content_u64(m, CALLSTACK))
		samples_chain(c, content_u64(m, CALLSTACK));
	return event_put(c, e);
}

static int put_stack(struct conversion *c, __u32 type, const struct packet *m)
{
	enum { TASK = 1, TASK_IID = 2, CALLSTACK = 6, PID = 2, TID = 3 };
	struct packet_field v = content_find(m, TASK);
	struct packet task = { .data = v.data, .size = v.size };
	struct spooled e = { .ts = c->ts, .cpu = -1, .tid = TRACK_TID_SERVICE };

	if (v.wire == 2 || sequence_interned(c->sequence, INTERNED_TASKS,
					     content_u64(m, TASK_IID), &task)) {
		e.pid = (__u32)content_u64(&task, PID);
		e.tid = (__u32)content_u64(&task, TID);
	}
	event_begin(c, "stack", "sample", "");
	content_put(c, "", type, m);
	if (content_u64(m, CALLSTACK))
		samples_chain(c, content_u64(m, CALLSTACK));
	return event_put(c, e);
}

int samples_put(struct conversion *c, const struct packet_field *f)
{
	const struct schema_field *told = schema_field(&c->schema, c->packet_type, f->number);
	const struct packet m = { .data = f->data, .size = f->size };

	if (told && f->number == PACKET_PERF_SAMPLE)
		return put_sample(c, told->of, &m);
	return told && f->number == PACKET_STACK_SAMPLE ? put_stack(c, told->of, &m) : 0;
}
