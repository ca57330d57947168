// SPDX-License-Identifier: GPL-2.0
/*
 * learn.c - learns what holds for a whole trace: clocks, tracks, the machine; sets the time of
 * packets
 *
 * Learns from all packets before the conversion, as a writer's packets may precede those they rely
 * on.
 */
#include "convert.h"
#include "ftrace_events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Field numbers of packets */
enum { PACKET_FTRACE_EVENTS = 1, PACKET_PROCESS_TREE = 2, PACKET_CLOCK_SNAPSHOT = 6,
       PACKET_SEQUENCE = 10, PACKET_SYSTEM_INFO = 45, PACKET_TRACK_DESCRIPTOR = 60,
       PACKET_EXTENSIONS = 72, PACKET_UUID = 89, PACKET_REMOTE_SYNC = 107, PACKET_PART = 1717 };
#define EXTENSIONS_SET 1

/* Clocks read per snapshot; ignores the others. */
#define READINGS_MAX 32u

static struct clock_id clock_of(__u32 sequence, __u32 id)
{
	const bool is_private = id >= CLOCK_ID_PRIVATE && id < CLOCK_ID_SHARED;

	return (struct clock_id){ .sequence = is_private ? sequence : 0, .id = id };
}

static __u64 ns_of(const Perfetto__Protos__ClockSnapshot__Clock *clock)
{
	return clock->timestamp * (clock->unit_multiplier_ns ? clock->unit_multiplier_ns : 1);
}

static void learn_base(struct conversion *c, const struct clock_reading *readings, size_t nr)
{
	__u64 mono = 0, real = 0;
	bool has_mono = false;

	for (size_t i = 0; i < nr; i++) {
		if (readings[i].clock.id == CLOCK_ID_MONOTONIC) {
			mono = readings[i].ns;
			has_mono = true;
		}
		if (readings[i].clock.id == CLOCK_ID_REALTIME)
			real = readings[i].ns;
	}
	if (!has_mono || (c->time.id == CLOCK_ID_MONOTONIC && (c->real_ns || !real)))
		return;
	c->time.id = CLOCK_ID_MONOTONIC;
	c->raw = mono;
	c->real_ns = real;
}

int convert_learn_clocks(struct conversion *c, const struct packet_field *f, __u32 sequence)
{
	Perfetto__Protos__ClockSnapshot *s =
		perfetto__protos__clock_snapshot__unpack(NULL, f->size, f->data);
	struct clock_reading readings[READINGS_MAX];
	size_t nr = 0;
	int ret;

	for (; s && nr < s->n_clocks && nr < READINGS_MAX; nr++)
		readings[nr] = (struct clock_reading){
			.clock = clock_of(sequence, s->clocks[nr]->clock_id),
			.ns = ns_of(s->clocks[nr]),
		};
	ret = clocks_add(&c->clocks, readings, nr);
	learn_base(c, readings, nr);
	if (s)
		perfetto__protos__clock_snapshot__free_unpacked(s, NULL);
	return ret;
}

static int learn_track(struct conversion *c, const struct packet_field *f)
{
	Perfetto__Protos__TrackDescriptor *d =
		perfetto__protos__track_descriptor__unpack(NULL, f->size, f->data);
	int ret = d ? tracks_describe(&c->tracks, d) : 0;

	if (d)
		perfetto__protos__track_descriptor__free_unpacked(d, NULL);
	return ret;
}

static int learn_machine(struct conversion *c, const struct packet_field *f)
{
	Perfetto__Protos__SystemInfo *info =
		perfetto__protos__system_info__unpack(NULL, f->size, f->data);

	if (!info)
		return 0;
	if (info->utsname && info->utsname->release)
		snprintf(c->kernel, sizeof(c->kernel), "%s", info->utsname->release);
	if (info->utsname && info->utsname->machine)
		snprintf(c->machine, sizeof(c->machine), "%s", info->utsname->machine);
	perfetto__protos__system_info__free_unpacked(info, NULL);
	return 0;
}

static __u32 sequence_of(const struct packet *p)
{
	struct packet_field f;
	size_t at = 0;

	while (packet_next(p, &at, &f) == 1)
		if (f.number == PACKET_SEQUENCE && f.wire == 0)
			return (__u32)f.value;
	return 0;
}

static int learn_bundle(struct conversion *c, const struct packet_field *f)
{
	const struct packet bundle = { .data = f->data, .size = f->size };

	ftrace_learn(c, f);
	return ftrace_describe(c, &bundle);
}

/* Learns the descriptions of fields that other programs have added. */
static int learn_extensions(struct conversion *c, const struct packet_field *f)
{
	const struct packet m = { .data = f->data, .size = f->size };
	const struct packet_field set = content_find(&m, EXTENSIONS_SET);

	return set.wire == 2 ? schema_add(&c->schema, set.data, set.size) : 0;
}

/* The trace's id concerns all machines. */
static void learn_uuid(struct conversion *c, const struct packet *p)
{
	const struct packet_field f = content_find(p, PACKET_UUID);

	if (f.wire == 2)
		remote_learn_uuid(c, &f);
}

static int learn(void *arg, const struct packet *p)
{
	struct conversion *c = arg;
	struct packet_field f;
	size_t at = 0;
	int ret = 0;

	c->has_any = true;
	learn_uuid(c, p);
	if (!convert_has(c, p))
		return 0;
	while (!ret && p->size <= PACKET_MAX && packet_next(p, &at, &f) == 1) {
		if (f.wire != 2)
			continue;
		if (f.number == PACKET_PART)
			ret = natives_take(&c->natives, &f, sequence_of(p));
		else if (f.number == PACKET_CLOCK_SNAPSHOT)
			ret = convert_learn_clocks(c, &f, sequence_of(p));
		else if (f.number == PACKET_TRACK_DESCRIPTOR)
			ret = learn_track(c, &f);
		else if (f.number == PACKET_SYSTEM_INFO)
			ret = learn_machine(c, &f);
		else if (f.number == PACKET_PROCESS_TREE)
			ret = ftrace_learn_tree(c, &f);
		else if (f.number == PACKET_FTRACE_EVENTS)
			ret = learn_bundle(c, &f);
		else if (f.number == PACKET_EXTENSIONS)
			ret = learn_extensions(c, &f);
		else if (f.number == PACKET_REMOTE_SYNC)
			ret = remote_learn(c, &f);
	}
	return ret;
}

/* Keeps the recordings only if clock and boot match, as a merged trace has one clock. */
static void learn_natives(struct conversion *c)
{
	natives_end(&c->natives);
	if (c->time.id != CLOCK_ID_MONOTONIC ||
	    (*c->boot && strcmp(c->boot, c->natives.boot)))
		natives_drop(&c->natives);
	if (!c->natives.whole)
		return;
	memcpy(c->boot, c->natives.boot, sizeof(c->boot));
	if (!*c->host)
		memcpy(c->host, c->natives.host, sizeof(c->host));
}

int convert_learn(struct conversion *c)
{
	const int ret = packets_walk(c->data, c->size, learn, c, &c->trouble);

	if (!ret || ret == -EINVAL)
		learn_natives(c);
	/* The conversion reports damage. */
	return ret == -EINVAL ? 0 : ret;
}

/*
 * Sets the private clocks in a snapshot: each stamp of an incremental one is added to the
 * previous.
 */
static void set_private(struct conversion *c, const Perfetto__Protos__ClockSnapshot *snapshot)
{
	struct sequence_clock *clock;

	for (size_t i = 0; i < snapshot->n_clocks; i++) {
		const Perfetto__Protos__ClockSnapshot__Clock *told = snapshot->clocks[i];

		if (told->clock_id < CLOCK_ID_PRIVATE || told->clock_id >= CLOCK_ID_SHARED)
			continue;
		clock = sequences_clock(&c->sequences, c->sequence, told->clock_id);
		if (!clock)
			return;
		clock->is_set = true;
		clock->age = c->sequence->age;
		clock->is_incremental = told->is_incremental;
		clock->unit_ns = told->unit_multiplier_ns;
		clock->now_ns = ns_of(told);
	}
}

/* Return: false: the packet that set the clock is lost */
static bool private_time(struct conversion *c, __u32 id, __u64 *stamp)
{
	struct sequence_clock *clock = sequences_clock(&c->sequences, c->sequence, id);

	if (!clock || !sequence_has_time(c->sequence, clock))
		return false;
	*stamp *= clock->unit_ns ? clock->unit_ns : 1;
	if (clock->is_incremental)
		*stamp = clock->now_ns += *stamp;
	return true;
}

/* Takes the time from the snapshot's clocks, as it needs no stamp of its own. */
static void snapshot_time(struct conversion *c, const Perfetto__Protos__ClockSnapshot *snapshot)
{
	const Perfetto__Protos__ClockSnapshot__Clock *clock;
	__u64 ts;

	for (size_t i = 0; i < snapshot->n_clocks; i++) {
		clock = snapshot->clocks[i];
		if (clock->clock_id >= CLOCK_ID_PRIVATE ||
		    !clocks_convert(&c->clocks, clock_of(0, clock->clock_id), c->time,
				    ns_of(clock), &ts))
			continue;
		c->ts = ts;
		return;
	}
}

/*
 * Sets the time of an event that has the stamp itself, in us of CLOCK_MONOTONIC: programs until
 * 2020. Relative ones are added to the last, first to that of the thread's descriptor.
 */
static enum packet_time event_time(struct conversion *c, const Perfetto__Protos__TrackEvent *e)
{
	const struct clock_id clock = { .id = CLOCK_ID_MONOTONIC };
	__u64 ns = (__u64)e->timestamp_absolute_us * 1000;

	if (e->has_timestamp_delta_us) {
		if (!c->sequence->has_event_ns)
			return TIME_LOST;
		ns = c->sequence->event_ns += (__u64)e->timestamp_delta_us * 1000;
	}
	/* Without a snapshot all stamps are of one clock. */
	if (!clocks_convert(&c->clocks, clock, c->time, ns, &c->ts))
		c->ts = ns;
	return TIME_KNOWN;
}

enum packet_time convert_time(struct conversion *c, const Perfetto__Protos__TracePacket *p)
{
	__u32 id = p->timestamp_clock_id ? p->timestamp_clock_id : c->sequence->clock;
	__u64 stamp = p->timestamp;
	struct clock_id from;

	if (p->data_case == PERFETTO__PROTOS__TRACE_PACKET__DATA_CLOCK_SNAPSHOT) {
		set_private(c, p->clock_snapshot);
		snapshot_time(c, p->clock_snapshot);
	}
	if (p->data_case == PERFETTO__PROTOS__TRACE_PACKET__DATA_TRACK_EVENT &&
	    (p->track_event->has_timestamp_delta_us || p->track_event->has_timestamp_absolute_us))
		return event_time(c, p->track_event);
	if (!p->has_timestamp)
		return TIME_KNOWN;
	if (!id)
		id = CLOCK_ID_BOOTTIME;
	if (id >= CLOCK_ID_PRIVATE && id < CLOCK_ID_SHARED && !private_time(c, id, &stamp))
		return TIME_LOST;
	from = clock_of(p->trusted_packet_sequence_id, id);
	return clocks_convert(&c->clocks, from, c->time, stamp, &c->ts) ? TIME_KNOWN : TIME_FOREIGN;
}
