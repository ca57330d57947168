// SPDX-License-Identifier: GPL-2.0
/*
 * probes.c - converts what probes of the system and of the GPU have recorded: logs, statistics,
 * counters, stages and frames
 */
#include "convert.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef Perfetto__Protos__TracePacket TracePacket;

/* Numbers of fields of packets */
enum { PACKET_SYS_STATS = 7, PACKET_PROCESS_STATS = 9, PACKET_BATTERY = 38, PACKET_LOG = 39,
       PACKET_POWER_RAILS = 40, PACKET_GPU_COUNTERS = 52, PACKET_GPU_STAGE = 53,
       PACKET_FRAME = 76 };

#define LABEL_MAX 256
#define COUNTERS_DEPTH 4

/* Generated tracks of GPUs and frames */
#define GPU_UUID 0x6770750000000000ull

/* Fields that say what the numbers beside them are of */
static const char *const labels[] = {
	"key", "cpu_id", "irq", "name", "device_name", "type", "node", "zone", "state", "resource",
	"index",
};
/* Numbers that are no values of a counter */
static const char *const stamps[] = { "collection_end_timestamp", "timestamp_ms", "session_uuid",
				      "pid" };

static bool is_one_of(const char *const *names, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

#define IS_ONE_OF(names, name) is_one_of(names, sizeof(names) / sizeof(names[0]), name)

/* struct counters - counters made of the numbers of a message */
struct counters {
	struct conversion *c;
	struct track_thread thread;
};

/* Appends the labels of a message to a name. */
static void put_labels(const struct counters *k, __u32 type, const struct packet *m, char *to)
{
	struct schema *s = &k->c->schema;
	struct packet_field v;
	size_t at = 0, n;
	__s64 number;

	while (packet_next(m, &at, &v) == 1) {
		const struct schema_field *f = schema_field(s, type, v.number), *named;

		if (!f || !IS_ONE_OF(labels, schema_name(s, f)))
			continue;
		n = strlen(to);
		if (v.wire == 2)
			snprintf(to + n, LABEL_MAX - n, ".%.*s",
				 (int)(v.size < LABEL_MAX ? v.size : LABEL_MAX),
				 (const char *)v.data);
		else if (content_number(f, &v, &number)) {
			named = f->kind == SCHEMA_ENUM ? schema_field(s, f->of, (__u32)number) :
							 NULL;
			if (named)
				snprintf(to + n, LABEL_MAX - n, ".%s", schema_name(s, named));
			else
				snprintf(to + n, LABEL_MAX - n, ".%lld", (long long)number);
		}
	}
}

static int put_counters(struct counters *k, const char *prefix, __u32 type,
			const struct packet *m, int depth);

/* Puts a number, a message with numbers, or packed numbers, of the @i-th field with its number. */
static int put_counter(struct counters *k, const char *name, const struct schema_field *f,
		       const struct packet_field *v, int depth)
{
	const struct packet m = { .data = v->data, .size = v->size };
	double real = 0;
	float single;
	__s64 number;

	if (v->wire == 2 && f->kind == SCHEMA_MESSAGE)
		return depth < COUNTERS_DEPTH ? put_counters(k, name, f->of, &m, depth + 1) : 0;
	if (content_number(f, v, &number))
		return counter_put(k->c, name, true, number, 0, &k->thread);
	if (f->kind == SCHEMA_FLOAT && v->wire == 5) {
		memcpy(&single, v->data, sizeof(single));
		real = single;
	} else if (f->kind == SCHEMA_DOUBLE && v->wire == 1) {
		memcpy(&real, v->data, sizeof(real));
	} else {
		return 0;
	}
	return counter_put(k->c, name, false, 0, real, &k->thread);
}

static int put_counters(struct counters *k, const char *prefix, __u32 type,
			const struct packet *m, int depth)
{
	struct schema *s = &k->c->schema;
	char label[LABEL_MAX] = "", name[2 * LABEL_MAX + SCHEMA_NAME];
	__u32 last = 0, index = 0;
	struct packet_field v;
	size_t at = 0;
	int ret = 0;

	put_labels(k, type, m, label);
	while (!ret && packet_next(m, &at, &v) == 1) {
		const struct schema_field *f = schema_field(s, type, v.number);
		const bool is_only = f && !strcmp(schema_name(s, f), "value");

		index = v.number == last ? index + 1 : 0;
		last = v.number;
		if (!f || IS_ONE_OF(labels, schema_name(s, f)) ||
		    IS_ONE_OF(stamps, schema_name(s, f)))
			continue;
		snprintf(name, sizeof(name), "%s%s%s%s", prefix, *prefix && !is_only ? "." : "",
			 is_only ? "" : schema_name(s, f), label);
		if (f->is_repeated && f->kind != SCHEMA_MESSAGE)
			snprintf(name + strlen(name), sizeof(name) - strlen(name), ".%u", index);
		ret = put_counter(k, name, f, &v, depth);
	}
	return ret;
}

static __u32 type_of(const struct conversion *c, __u32 number)
{
	const struct schema_field *f = schema_field(&c->schema, c->packet_type, number);

	return f ? f->of : SCHEMA_NONE;
}

/* Counters of the whole system */
static int put_system(struct conversion *c, const TracePacket *p, const struct packet_field *f)
{
	const struct packet m = { .data = f->data, .size = f->size };
	struct counters k = { .c = c, .thread = kinds_thread(c, p) };

	/* Names of rails are no counters. */
	if (f->number == PACKET_POWER_RAILS && content_find(&m, 1).wire == 2)
		return 0;
	return put_counters(&k, "", type_of(c, f->number), &m, 0);
}

/* Counters of each process, on its main thread; what else is known of it is an event. */
static int put_processes(struct conversion *c, const struct packet_field *f)
{
	enum { PROCESSES = 1, PID = 1, THREADS = 11, FILES = 15 };
	const struct packet all = { .data = f->data, .size = f->size };
	const struct schema_field *told = schema_field(&c->schema, type_of(c, f->number),
						       PROCESSES);
	const __u32 type = told ? told->of : SCHEMA_NONE;
	struct packet_field v;
	size_t at = 0;
	int ret = 0;

	while (!ret && packet_next(&all, &at, &v) == 1) {
		const struct packet m = { .data = v.data, .size = v.size };
		const __u32 pid = (__u32)content_u64(&m, PID);
		struct counters k = { .c = c, .thread = {
			.tid = pid & KTRACE_TID_MASK, .pid = pid,
			.comm = tracks_main(&c->tracks, pid),
		} };

		if (v.number != PROCESSES || v.wire != 2)
			continue;
		if (content_find(&m, THREADS).wire == 2 || content_find(&m, FILES).wire == 2) {
			event_begin(c, "process_stats", "process", "");
			content_put(c, "", type, &m);
			ret = event_end(c, &k.thread);
		} else {
			ret = put_counters(&k, "", type, &m, COUNTERS_DEPTH);
		}
	}
	return ret;
}

/* Lines of Android's log, each with a stamp of CLOCK_REALTIME */
static int put_log(struct conversion *c, const struct packet_field *f)
{
	enum { EVENTS = 1, PID = 2, TID = 3, STAMP = 5 };
	const struct packet all = { .data = f->data, .size = f->size };
	const struct schema_field *told = schema_field(&c->schema, type_of(c, f->number), EVENTS);
	const __u32 type = told ? told->of : SCHEMA_NONE;
	const struct clock_id clock = { .id = CLOCK_ID_REALTIME };
	const __u64 before = c->ts;
	struct packet_field v;
	size_t at = 0;
	int ret = 0;

	while (!ret && packet_next(&all, &at, &v) == 1) {
		const struct packet m = { .data = v.data, .size = v.size };
		const __u32 tid = (__u32)content_u64(&m, TID) & KTRACE_TID_MASK;
		const struct track_thread thread = {
			.tid = tid, .pid = (__u32)content_u64(&m, PID),
		};

		if (v.number != EVENTS || v.wire != 2)
			continue;
		if (!clocks_convert(&c->clocks, clock, c->time, content_u64(&m, STAMP), &c->ts)) {
			c->ts = before;
			c->log_timeless++;
		}
		event_begin(c, "android", "log", "");
		content_put(c, "", type, &m);
		ret = event_end(c, &thread);
	}
	c->ts = before;
	return ret;
}

/* struct gpu_counter - the name of a counter; sequence, gpu and id are the key */
struct gpu_counter {
	__u32 sequence;
	__u32 gpu;
	__u32 id;
	char name[TRACK_NAME];
};

void probes_init(struct conversion *c)
{
	c->gpu_counters = (struct hash_table)HASH_TABLE_INIT(struct gpu_counter, id);
}

/* Learns the names of counters from a descriptor. */
static int learn_gpu_counters(struct conversion *c, __u32 gpu, const struct packet *descriptor)
{
	enum { SPECS = 1, ID = 1, NAME = 2 };
	struct packet_field v;
	size_t at = 0;

	while (packet_next(descriptor, &at, &v) == 1) {
		const struct packet m = { .data = v.data, .size = v.size };
		const struct gpu_counter key = { .sequence = c->sequence->id, .gpu = gpu,
						 .id = (__u32)content_u64(&m, ID) };
		struct gpu_counter *row;

		if (v.number != SPECS || v.wire != 2)
			continue;
		row = hash_table_get(&c->gpu_counters, &key);
		if (!row)
			return -ENOMEM;
		content_text(&m, NAME, row->name, sizeof(row->name));
	}
	return 0;
}

static int put_gpu_counter(struct conversion *c, const TracePacket *p, __u32 gpu,
			   const struct packet *m)
{
	enum { ID = 1, WHOLE = 2, REAL = 3 };
	const struct gpu_counter key = { .sequence = c->sequence->id, .gpu = gpu,
					 .id = (__u32)content_u64(m, ID) };
	const struct gpu_counter *row = hash_table_find(&c->gpu_counters, &key);
	const struct packet_field real = content_find(m, REAL), whole = content_find(m, WHOLE);
	const struct track_thread thread = kinds_thread(c, p);
	char name[TRACK_NAME + 32];
	double value = 0;

	if (row && *row->name)
		snprintf(name, sizeof(name), "gpu%u.%s", gpu, row->name);
	else
		snprintf(name, sizeof(name), "gpu%u.counter_%u", gpu, key.id);
	if (real.wire == 1)
		memcpy(&value, real.data, sizeof(value));
	return counter_put(c, name, whole.wire == 0, (__s64)whole.value, value, &thread);
}

static int put_gpu_counters(struct conversion *c, const TracePacket *p,
			    const struct packet_field *f)
{
	enum { DESCRIPTOR = 1, COUNTERS = 2, GPU = 3, DESCRIPTOR_IID = 4, INTERNED = 47,
	       INTERNED_DESCRIPTOR = 2, INTERNED_GPU = 3 };
	const struct packet all = { .data = f->data, .size = f->size };
	struct packet_field v = content_find(&all, DESCRIPTOR);
	struct packet descriptor = { .data = v.data, .size = v.size }, entry;
	__u32 gpu = (__u32)content_u64(&all, GPU);
	size_t at = 0;
	int ret;

	if (v.wire != 2 && sequence_interned(c->sequence, INTERNED,
					     content_u64(&all, DESCRIPTOR_IID), &entry)) {
		v = content_find(&entry, INTERNED_DESCRIPTOR);
		descriptor = (struct packet){ .data = v.data, .size = v.size };
		gpu = (__u32)content_u64(&entry, INTERNED_GPU);
	}
	ret = v.wire == 2 ? learn_gpu_counters(c, gpu, &descriptor) : 0;
	while (!ret && packet_next(&all, &at, &v) == 1) {
		const struct packet m = { .data = v.data, .size = v.size };

		if (v.number == COUNTERS && v.wire == 2)
			ret = put_gpu_counter(c, p, gpu, &m);
	}
	return ret;
}

/* Finds the name of a stage or queue: interned, or specified earlier. */
static void find_name(struct conversion *c, const struct packet *m, __u32 iid_field,
		      const char *fallback, char *to)
{
	enum { SPECIFICATIONS = 24, NAME = 2 };
	struct packet entry;
	const __u64 iid = content_u64(m, iid_field);

	*to = '\0';
	if (iid && sequence_interned(c->sequence, SPECIFICATIONS, iid, &entry))
		content_text(&entry, NAME, to, TRACK_NAME);
	if (!*to)
		snprintf(to, TRACK_NAME, "%s", fallback);
}

/* Puts a stage of the GPU as a span on the track of its queue. */
static int put_gpu_stage(struct conversion *c, const struct packet_field *f)
{
	enum { DURATION = 2, QUEUE_ID = 3, STAGE_ID = 4, GPU = 11, QUEUE_IID = 13, STAGE_IID = 14,
	       OWN_NAME = 17 };
	const struct packet m = { .data = f->data, .size = f->size };
	const __u64 begin = c->ts, iid = content_u64(&m, QUEUE_IID);
	const __u64 queue = iid ? iid : content_u64(&m, QUEUE_ID);
	/* Interned numbers belong to their writer. */
	const __u64 writer = iid ? c->sequence->id & 0xffff : 0;
	char name[TRACK_NAME], lane[TRACK_NAME], other[32];
	struct track_thread thread;
	struct track *track;
	int ret;

	if (content_find(&m, DURATION).wire != 0)
		return 0;
	track = tracks_get(&c->tracks, GPU_UUID + (writer << 24 | (queue & 0xffff) |
						   (content_u64(&m, GPU) & 0xff) << 16));
	if (!track)
		return -ENOMEM;
	snprintf(other, sizeof(other), "queue %llu", queue);
	find_name(c, &m, QUEUE_IID, other, lane);
	snprintf(track->name, sizeof(track->name), "gpu%u %.60s", (__u32)content_u64(&m, GPU),
		 lane);
	thread = tracks_thread(&c->tracks, track, 0);
	snprintf(other, sizeof(other), "stage_%llu", content_u64(&m, STAGE_ID));
	find_name(c, &m, STAGE_IID, other, name);
	if (content_find(&m, OWN_NAME).wire == 2)
		content_text(&m, OWN_NAME, name, sizeof(name));
	event_begin(c, "gpu", name, "_begin");
	content_put(c, "", type_of(c, f->number), &m);
	ret = event_end(c, &thread);
	if (ret)
		return ret;
	c->ts += content_u64(&m, DURATION);
	event_begin(c, "gpu", name, "_end");
	ret = event_end(c, &thread);
	c->ts = begin;
	return ret;
}

/* Puts the begin of a frame, with a number by which a later packet ends it. */
static int put_frame(struct conversion *c, const TracePacket *p, const struct packet_field *f)
{
	enum { FRAME_END = 5, COOKIE = 1, DISPLAY_PID = 3, SURFACE_PID = 4, SURFACE = 3 };
	const struct packet all = { .data = f->data, .size = f->size };
	Perfetto__Protos__TrackEvent__LegacyEvent legacy =
		PERFETTO__PROTOS__TRACK_EVENT__LEGACY_EVENT__INIT;
	Perfetto__Protos__TrackEvent event = PERFETTO__PROTOS__TRACK_EVENT__INIT;
	Perfetto__Protos__TracePacket own = *p;
	char category[] = "frame", *categories[] = { category }, name[SCHEMA_NAME] = "frame";
	const struct schema_field *told;
	struct packet_field v = { 0 };
	struct packet m;
	size_t at = 0;
	int ret;

	if (packet_next(&all, &at, &v) != 1 || v.wire != 2)
		return 0;
	told = schema_field(&c->schema, type_of(c, f->number), v.number);
	m = (struct packet){ .data = v.data, .size = v.size };
	if (!told || told->kind != SCHEMA_MESSAGE)
		return 0;
	snprintf(name, sizeof(name), "%s", schema_name(&c->schema, told));
	name[strcspn(name, ".")] = '\0';
	if (strlen(name) > 6 && !strcmp(name + strlen(name) - 6, "_start"))
		name[strlen(name) - 6] = '\0';
	legacy.has_phase = legacy.has_global_id = true;
	/* All frames share the scope, as their ends name only the number. */
	legacy.phase = v.number == FRAME_END ? 'e' : 'b';
	legacy.global_id = content_u64(&m, COOKIE);
	event.legacy_event = &legacy;
	event.n_categories = 1;
	event.categories = categories;
	event.name = v.number == FRAME_END ? NULL : name;
	own.track_event = &event;
	own.trusted_pid = (__s32)content_u64(&m, v.number >= SURFACE ? SURFACE_PID : DISPLAY_PID);
	c->fields = v.number == FRAME_END ? NULL : &m;
	c->fields_type = told->of;
	ret = convert_async(c, &own, name);
	c->fields = NULL;
	return ret;
}

int probes_put(struct conversion *c, const TracePacket *p, const struct packet_field *f)
{
	switch (f->number) {
	case PACKET_SYS_STATS:
	case PACKET_BATTERY:
	case PACKET_POWER_RAILS:
		return put_system(c, p, f);
	case PACKET_PROCESS_STATS:
		return put_processes(c, f);
	case PACKET_LOG:
		return put_log(c, f);
	case PACKET_GPU_COUNTERS:
		return put_gpu_counters(c, p, f);
	case PACKET_GPU_STAGE:
		return put_gpu_stage(c, f);
	case PACKET_FRAME:
		return put_frame(c, p, f);
	default:
		return 0;
	}
}
