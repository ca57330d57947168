// SPDX-License-Identifier: GPL-2.0
/* convert.c - converts a trace packet by packet */
#include "convert.h"
#include "ftrace_events.h"

#include "base/progress.h"
#include "base/temporary.h"
#include "base/viewer.h"
#include "events/subset.h"
#include "import/perfetto_packet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef Perfetto__Protos__TracePacket TracePacket;

/* Deepest nesting of annotations */
#define NESTED_MAX 32
enum { PACKET_FTRACE_EVENTS = 1, PACKET_TRACK_EVENT = 11, PACKET_INTERNED = 12,
       EVENT_ANNOTATION = 4, ANNOTATION_DICT = 11, ANNOTATION_ARRAY = 12 };

/*
 * True if annotations in a message are nested too deep, or the message is malformed: another
 * parser may read it differently, and recurse.
 */
static bool is_deep(const struct packet *p, __u32 first, __u32 second, int depth)
{
	struct packet_field f;
	size_t at = 0;
	int r;

	while ((r = packet_next(p, &at, &f)) == 1) {
		const struct packet inner = { .data = f.data, .size = f.size };

		if (f.wire == 2 && (f.number == first || f.number == second) &&
		    (depth > NESTED_MAX ||
		     is_deep(&inner, ANNOTATION_DICT, ANNOTATION_ARRAY, depth + 1)))
			return true;
	}
	return r < 0;
}

static bool is_too_deep(const struct packet *p)
{
	struct packet_field f;
	size_t at = 0;
	int r;

	while ((r = packet_next(p, &at, &f)) == 1) {
		const struct packet event = { .data = f.data, .size = f.size };

		if (f.number == PACKET_TRACK_EVENT && f.wire == 2 &&
		    is_deep(&event, EVENT_ANNOTATION, EVENT_ANNOTATION, 0))
			return true;
	}
	return r < 0;
}

static int put_loss(struct conversion *c, int reason, __u64 count)
{
	if (!count)
		return 0;
	return spool_add(&c->spool, (struct spooled){ .ts = c->ts, .cpu = -1, .reason = reason,
						      .lost = count }, NULL);
}

/* Records what a writer has lost before its next packet. */
static int put_missing(struct conversion *c, struct sequence *s)
{
	int ret = 0;

	for (int i = 0; i < KTRACE_LOST_NR && !ret; i++) {
		ret = put_loss(c, i, s->gaps[i]);
		c->losses.marked[i] += s->gaps[i];
		s->gaps[i] = 0;
	}
	if (!ret)
		ret = put_loss(c, KTRACE_LOST_UNWRITTEN, s->left_out);
	s->left_out = 0;
	return ret;
}

/* Records losses of writers that have no further packet. */
static int put_all_missing(struct conversion *c)
{
	int ret = 0;

	for (size_t i = 0; i < c->sequences.sequences.nr && !ret; i++)
		ret = put_missing(c, hash_table_at(&c->sequences.sequences, i));
	return ret;
}

static void learn_thread(struct conversion *c, const TracePacket *p)
{
	if (p->data_case != PERFETTO__PROTOS__TRACE_PACKET__DATA_THREAD_DESCRIPTOR)
		return;
	c->sequence->tid = (__u32)p->thread_descriptor->tid & KTRACE_TID_MASK;
	c->sequence->pid = (__u32)p->thread_descriptor->pid;
	if (!p->thread_descriptor->has_reference_timestamp_us)
		return;
	c->sequence->event_ns = (__u64)p->thread_descriptor->reference_timestamp_us * 1000;
	c->sequence->has_event_ns = true;
}

/*
 * True if packets are missing before this one. Not for the first packet of a complete recording of
 * ktrace: the ring keeps the last packets, and may have dropped those for other readers.
 */
static bool is_loss(const struct conversion *c, const TracePacket *p, bool is_first)
{
	return sequence_is_lost(p, is_first) && !(is_first && natives_have(&c->natives, p));
}

/*
 * Counts a packet that refers to lost ones or has no known time; readers of Perfetto skip it, too.
 */
static int leave_out(struct conversion *c, __u64 *counter)
{
	(*counter)++;
	c->sequence->left_out++;
	return 0;
}

/* Keeps interned messages of all kinds as they are. */
static int learn_interned(struct conversion *c)
{
	struct packet_field f, entry;
	size_t at = 0, inside;
	int ret = 0;

	while (!ret && packet_next(c->packet, &at, &f) == 1) {
		const struct packet all = { .data = f.data, .size = f.size };

		inside = 0;
		while (!ret && f.number == PACKET_INTERNED && f.wire == 2 &&
		       packet_next(&all, &inside, &entry) == 1)
			if (entry.wire == 2)
				ret = sequence_intern(c->sequence, &entry);
	}
	return ret;
}

static int put_bundle(struct conversion *c, const TracePacket *p)
{
	struct packet_field f;
	size_t at = 0;
	__u64 errors = 0;
	int ret = 0;

	while (!ret && packet_next(c->packet, &at, &f) == 1) {
		const struct packet bundle = { .data = f.data, .size = f.size };

		if (f.number == PACKET_FTRACE_EVENTS && f.wire == 2) {
			ret = ftrace_describe(c, &bundle);
			errors += ftrace_errors(&bundle);
		}
	}
	if (!ret && p->ftrace_events->lost_events)
		ret = losses_mark_cpu(&c->losses, p->machine_id, p->ftrace_events->cpu);
	if (!ret)
		ret = convert_ftrace(c, p->ftrace_events);
	return ret || !errors ? ret : losses_put_cpu(c, p->ftrace_events->cpu,
						     KTRACE_LOST_CORRUPT, errors);
}

static int take_statistics(struct conversion *c, const TracePacket *p)
{
	if (p->data_case == PERFETTO__PROTOS__TRACE_PACKET__DATA_FTRACE_STATS)
		return losses_take_cpus(&c->losses, p->machine_id, p->ftrace_stats, c->ts);
	if (p->data_case == PERFETTO__PROTOS__TRACE_PACKET__DATA_TRACE_STATS)
		losses_take_buffers(c, p->trace_stats);
	return 0;
}

static int convert_packet(struct conversion *c, const TracePacket *p)
{
	const size_t nr = c->sequences.sequences.nr;
	enum packet_time time;
	int ret;

	c->sequence = sequences_get(&c->sequences, p);
	if (!c->sequence)
		return -ENOMEM;
	ret = sequence_learn(c->sequence, p);
	if (!ret)
		ret = learn_interned(c);
	if (p->trusted_pid > 0 && !c->sequence->tid)
		c->sequence->pid = (__u32)p->trusted_pid;
	learn_thread(c, p);
	time = convert_time(c, p);
	if (is_loss(c, p, c->sequences.sequences.nr != nr))
		c->sequence->gaps[losses_reason(p->previous_packet_dropped)]++;
	if (ret || natives_have(&c->natives, p))
		return ret;
	if (time == TIME_LOST || !sequence_knows(c->sequence, p))
		return leave_out(c, &c->unknown);
	if (time == TIME_FOREIGN)
		return leave_out(c, &c->timeless);
	ret = put_missing(c, c->sequence);
	if (ret)
		return ret;
	if (p->data_case == PERFETTO__PROTOS__TRACE_PACKET__DATA_TRACK_EVENT)
		return convert_track_event(c, p);
	if (p->data_case == PERFETTO__PROTOS__TRACE_PACKET__DATA_FTRACE_EVENTS)
		ret = put_bundle(c, p);
	if (!ret)
		ret = take_statistics(c, p);
	return ret ? ret : convert_other(c, p);
}

static int take(void *arg, const struct packet *packet)
{
	struct conversion *c = arg;
	TracePacket *p = NULL;
	int ret;

	c->packet = packet;
	c->has_packet = false;
	progress_at(packet->at);
	if (!convert_has(c, packet) && !packet->is_behind)
		return 0;
	if (packet->is_behind) {
		sequences_forget(&c->sequences);
		ret = put_loss(c, KTRACE_LOST_FULL, 1);
		if (ret)
			return ret;
	}
	if (!convert_has(c, packet))
		return 0;
	if (packet->size <= PACKET_MAX && !is_too_deep(packet))
		p = perfetto__protos__trace_packet__unpack(NULL, packet->size, packet->data);
	if (!p) {
		c->bad_at = c->bad++ ? c->bad_at : packet->at;
		return kinds_put(c, NULL);
	}
	ret = convert_packet(c, p);
	perfetto__protos__trace_packet__free_unpacked(p, NULL);
	return ret;
}

static const char *or_null(const char *s)
{
	return *s ? s : NULL;
}

static int begin(struct conversion *c)
{
	const struct import_writer_about about = {
		.tool = PERFETTO_PACKET_TOOL, .host = or_null(c->host), .boot = or_null(c->boot),
		.kernel = or_null(c->kernel), .machine = or_null(c->machine),
		.raw = c->has_offset ? 0 : c->raw,
		.real_ns = c->has_offset ? c->offset_ns : c->real_ns,
		/* Recordings of ktrace are merged with it by their boot. */
		.keeps_zero = c->natives.whole,
	};

	if (!c->has_offset && !c->real_ns)
		complain_about(c->path, "does not say what its clock counts from: "
			       "--like, --offset");
	c->ts = about.raw;
	return import_writer_about(c->f, &about);
}

static int complain(struct conversion *c, int ret)
{
	/* The run of the first machine has reported what concerns the file. */
	if (c->is_further) {
		c->trouble = (struct packets_trouble){ 0 };
		ret = 0;
	}
	if (ret == -EINVAL)
		complain_about(c->path, "byte %llu: truncated, or not a Perfetto trace; the "
			       "packets before it are kept", c->trouble.end);
	if (c->trouble.gaps)
		complain_about(c->path, "%llu gaps; the first is from byte %llu to %llu: damaged",
			       c->trouble.gaps, c->trouble.gap_begin, c->trouble.gap_end);
	if (c->trouble.nr)
		complain_about(c->path, "%llu compressed packets cannot be read completely; the "
			       "first is at byte %llu: %s", c->trouble.nr, c->trouble.at,
			       c->trouble.why);
	if (c->bad)
		complain_about(c->path, "%llu packets cannot be read; the first is at byte %llu",
			       c->bad, c->bad_at);
	if (c->timeless)
		complain_about(c->path, "%llu packets left out: no snapshot relates their clocks "
			       "to others", c->timeless);
	if (c->clocks.left_out)
		complain_about(c->path, "%llu clock snapshots are more than can be kept: "
			       "times after them may be wrong", c->clocks.left_out);
	if (c->cut)
		complain_about(c->path, "%llu texts are truncated: too long in all", c->cut);
	if (c->unknown)
		complain_about(c->path, "%llu packets left out: they refer to lost ones (names, "
			       "defaults, the clock)", c->unknown);
	remote_complain(c);
	if (c->undecoded)
		complain_about(c->path, "%llu packets are shown without their contents, which are "
			       "not known; the first is of kind %s", c->undecoded,
			       c->first_undecoded);
	if (c->unnamed)
		complain_about(c->path, "%llu fields are shown by number, as their names are not "
			       "known; the first is %s", c->unnamed, c->first_unnamed);
	if (c->log_timeless)
		complain_about(c->path, "%llu lines of Android's log have the time of their "
			       "packet: no snapshot has CLOCK_REALTIME", c->log_timeless);
	if (c->marks_bad)
		complain_about(c->path, "%llu printed marks of Android cannot be read and are "
			       "shown as text", c->marks_bad);
	if (c->as_text)
		complain_about(c->path, "%llu events have too many fields, or a type beyond the "
			       "maximum number, and are shown as foreign:text", c->as_text);
	return ret == -EINVAL || c->trouble.gaps || c->trouble.nr || c->bad || c->timeless ||
	       c->as_text || c->clocks.left_out || c->cut;
}

void convert_init(struct conversion *c, const char *path, const unsigned char *data, size_t size)
{
	*c = (struct conversion){
		.path = path, .data = data, .size = size, .time.id = CLOCK_ID_BOOTTIME,
		.slices = HASH_TABLE_INIT(struct slice, name),
		.scopes = HASH_TABLE_INIT(struct slice, name), .desc.flush = output_grow,
		.payload.flush = output_grow,
	};
}

static int put_mark(void *arg, const struct spooled *e, const char *data)
{
	return atrace_put(arg, e, data);
}

static int init_tables(struct conversion *c)
{
	const int ret = schema_init(&c->schema);

	c->packet_type = schema_find(&c->schema, "TracePacket");
	c->ftrace_event_type = schema_find(&c->schema, "FtraceEvent");
	c->track_event_type = schema_find(&c->schema, "TrackEvent");
	c->spool.put_mark = put_mark;
	c->spool.arg = c;
	probes_init(c);
	clocks_init(&c->clocks, c->size);
	tracks_init(&c->tracks);
	asyncs_init(&c->asyncs);
	sequences_init(&c->sequences);
	ftrace_init(&c->ftrace);
	losses_init(&c->losses);
	natives_init(&c->natives, PACKETS_MAX + (__u64)c->size * PACKETS_RATIO);
	c->text_left = PACKETS_MAX + (__u64)c->size * PACKETS_RATIO;
	return ret;
}

static void free_tables(struct conversion *c)
{
	clocks_free(&c->clocks);
	tracks_free(&c->tracks);
	asyncs_free(&c->asyncs);
	sequences_free(&c->sequences);
	ftrace_free(&c->ftrace);
	losses_free(&c->losses);
	hash_table_free(&c->slices);
	hash_table_free(&c->scopes);
	spool_free(&c->spool);
	natives_free(&c->natives);
	remote_free(&c->remote);
	schema_free(&c->schema);
	hash_table_free(&c->gpu_counters);
	free(c->desc.buf);
	free(c->payload.buf);
}

static int write_events(struct conversion *c)
{
	int ret = begin(c), error;

	if (ret)
		return ret;
	progress_begin_bytes(c->size);
	ret = packets_walk(c->data, c->size, take, c, &c->trouble);
	progress_end();
	if (ret && ret != -EINVAL)
		return ret;
	error = put_all_missing(c);
	if (!error)
		error = losses_put(c);
	if (error)
		return error;
	c->is_writing = c->has_packet = true;
	error = spool_write(&c->spool, c->f);
	if (!error)
		error = import_writer_end(c->f, c->path);
	if (!error)
		error = remote_put(c);
	return error ? error : complain(c, ret);
}

/* Writes everything but recordings of ktrace into one file. */
static int write_file(struct conversion *c, const char *path, int level)
{
	int ret = import_writer_open(path, level, &c->f), error;

	if (ret)
		return ret;
	ret = write_events(c);
	c->events = import_writer_events(c->f);
	c->lost = import_writer_losses(c->f);
	error = import_writer_close(c->f);
	return ret >= 0 && error ? error : ret;
}

static int merge(struct conversion *c, char **paths, const char *path, int level)
{
	struct subset x = { .scope.keeps_losses = true, .level = level };
	struct ktrace_traceset *set;
	int status, ret;

	set = open_files((int)c->natives.whole + 1, paths, &status);
	if (!set)
		return -EIO;
	ret = subset_write(&x, set, path);
	c->events = x.events;
	c->lost = lost_total(x.scope.lost);
	status = files_status(set, status);
	ktrace_traceset_close(set);
	time_range_free(&x.scope);
	return ret ? ret : status != STATUS_OK;
}

static int write_merged(struct conversion *c, const char *path, int level)
{
	char own[32], **paths;
	int fd = temporary_file(), ret, merged;

	if (fd < 0)
		return fd;
	snprintf(own, sizeof(own), "/proc/self/fd/%d", fd);
	ret = write_file(c, own, 0);
	paths = ret < 0 ? NULL : natives_paths(&c->natives, own);
	merged = paths ? merge(c, paths, path, level) : -ENOMEM;
	free(paths);
	close(fd);
	return ret < 0 ? ret : merged ? merged : ret;
}

int convert(struct conversion *c, const char *path, int level)
{
	int ret = init_tables(c);

	if (!ret)
		ret = convert_learn(c);
	if (c->is_one_machine)
		remote_name_boot(c);
	/* Reading a session with empty buffers gives no bytes at all, which is no error. */
	if (!ret && c->size && !c->has_any) {
		complain_about(c->path, "not a Perfetto trace: no packet in it");
		ret = -ECANCELED;
	}
	if (!ret)
		ret = c->natives.whole ? write_merged(c, path, level) : write_file(c, path, level);
	free_tables(c);
	return ret;
}
