// SPDX-License-Identifier: GPL-2.0
/* service_packets.c - the service's own packets in a trace: clocks, events, statistics */
#include "service_packets.h"

#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "instance.h"
#include "service/buffer/stamp.h"
#include "stats.h"

#define SEQUENCE 1
#define BOOTTIME 6
#define CLOCKS_KEPT 16
#define TRIGGERS_KEPT 256
#define MARKS_KEPT 1024
/* Maximum number of sources named in one event */
#define SLOW_MAX 64

void service_packets_init(struct session *session)
{
	STAILQ_INIT(&session->own.clocks);
	STAILQ_INIT(&session->own.triggers);
	STAILQ_INIT(&session->own.events);
	STAILQ_INIT(&session->own.marks);
}

static void empty(struct own_packets *list)
{
	struct own_packet *p;

	while ((p = STAILQ_FIRST(list))) {
		STAILQ_REMOVE_HEAD(list, link);
		free(p);
	}
}

void service_packets_exit(struct session *session)
{
	empty(&session->own.clocks);
	empty(&session->own.triggers);
	empty(&session->own.events);
	empty(&session->own.marks);
}

static void begin(Pft__TracePacket *p, const struct session *session, uint64_t ns)
{
	pft__trace_packet__init(p);
	p->has_trusted_uid = true;
	p->trusted_uid = (int32_t)session->service->uid;
	p->has_trusted_packet_sequence_id = true;
	p->trusted_packet_sequence_id = SEQUENCE;
	p->has_timestamp = ns != 0;
	p->timestamp = ns;
	p->has_timestamp_clock_id = true;
	p->timestamp_clock_id = BOOTTIME;
}

static struct own_packet *pack(const Pft__TracePacket *p, int kind)
{
	size_t size = pft__trace_packet__get_packed_size(p);
	struct own_packet *own = malloc(sizeof(*own) + size);

	if (!own)
		return NULL;
	own->kind = kind;
	own->size = size;
	pft__trace_packet__pack(p, own->bytes);
	return own;
}

/* Appends a packet; drops the oldest ones beyond @max. */
static void keep(struct session *session, struct own_packets *list, const Pft__TracePacket *p,
		 int kind, unsigned int max)
{
	struct own_packet *own = pack(p, kind), *old;
	unsigned int nr = 0;

	session->packets_lost += !own;
	if (!own)
		return;
	STAILQ_FOREACH(old, list, link)
		nr++;
	while (nr-- >= max) {
		old = STAILQ_FIRST(list);
		STAILQ_REMOVE_HEAD(list, link);
		free(old);
	}
	STAILQ_INSERT_TAIL(list, own, link);
}

static void keep_clocks(struct session *session, const struct clock_readings *now)
{
	const Pft__TraceConfig__BuiltinDataSource *wish = session->config->builtin_data_sources;
	Perfetto__Protos__ClockSnapshot snapshot = PERFETTO__PROTOS__CLOCK_SNAPSHOT__INIT;
	Perfetto__Protos__ClockSnapshot__Clock clocks[CLOCKS_NR], *pointers[CLOCKS_NR];
	Pft__TracePacket p;

	for (unsigned int i = 0; i < CLOCKS_NR; i++) {
		perfetto__protos__clock_snapshot__clock__init(&clocks[i]);
		clocks[i].has_clock_id = clocks[i].has_timestamp = true;
		clocks[i].clock_id = clocks_id(i);
		clocks[i].timestamp = now->ns[i];
		pointers[i] = &clocks[i];
	}
	snapshot.n_clocks = CLOCKS_NR;
	snapshot.clocks = pointers;
	snapshot.has_primary_trace_clock = wish && wish->has_primary_trace_clock;
	if (snapshot.has_primary_trace_clock)
		snapshot.primary_trace_clock = wish->primary_trace_clock;
	begin(&p, session, now->ns[0]);
	p.data_case = PFT__TRACE_PACKET__DATA_CLOCK_SNAPSHOT;
	p.clock_snapshot = &snapshot;
	keep(session, &session->own.clocks, &p, 0, CLOCKS_KEPT);
}

static bool has_clocks(const struct session *session)
{
	const Pft__TraceConfig__BuiltinDataSource *wish = session->config->builtin_data_sources;

	return !wish || !wish->disable_clock_snapshotting;
}

void service_packets_first_clocks(struct session *session)
{
	struct clock_readings now;

	/* Drops clocks read by triggers before the start: these are newer, but must come first. */
	empty(&session->own.clocks);
	clocks_read(&now);
	session->start_realtime_ns = clocks_real_ns(&now);
	if (has_clocks(session))
		session->own.first = session->own.latest = now;
}

void service_packets_clocks(struct session *session)
{
	struct clock_readings now;

	if (!has_clocks(session))
		return;
	clocks_read(&now);
	if (session->own.latest.is_set && !clocks_have_drifted(&session->own.latest, &now))
		return;
	keep_clocks(session, &now);
	session->own.latest = now;
}

static void forget_event(struct session *session, int kind)
{
	struct own_packet *p;

	STAILQ_FOREACH(p, &session->own.events, link)
		if (p->kind == kind)
			break;
	if (!p)
		return;
	STAILQ_REMOVE(&session->own.events, p, own_packet, link);
	free(p);
}

static void keep_event(struct session *session, int kind, Pft__TracingServiceEvent *event)
{
	const Pft__TraceConfig__BuiltinDataSource *wish = session->config->builtin_data_sources;
	Pft__TracePacket p;

	if (wish && wish->disable_service_events)
		return;
	forget_event(session, kind);
	begin(&p, session, clocks_boot_ns());
	p.data_case = PFT__TRACE_PACKET__DATA_SERVICE_EVENT;
	p.service_event = event;
	keep(session, &session->own.events, &p, kind, UINT32_MAX);
}

void service_packets_event(struct session *session, enum service_packets_event event,
			   bool with_clocks)
{
	static const Pft__TracingServiceEvent__EventTypeCase cases[] = {
		[SERVICE_PACKETS_STARTED] = PFT__TRACING_SERVICE_EVENT__EVENT_TYPE_TRACING_STARTED,
		[SERVICE_PACKETS_ALL_STARTED] =
			PFT__TRACING_SERVICE_EVENT__EVENT_TYPE_ALL_DATA_SOURCES_STARTED,
		[SERVICE_PACKETS_ALL_FLUSHED] =
			PFT__TRACING_SERVICE_EVENT__EVENT_TYPE_ALL_DATA_SOURCES_FLUSHED,
		[SERVICE_PACKETS_READ] =
			PFT__TRACING_SERVICE_EVENT__EVENT_TYPE_READ_TRACING_BUFFERS_COMPLETED,
		[SERVICE_PACKETS_DISABLED] =
			PFT__TRACING_SERVICE_EVENT__EVENT_TYPE_TRACING_DISABLED,
		[SERVICE_PACKETS_FLUSH_STARTED] =
			PFT__TRACING_SERVICE_EVENT__EVENT_TYPE_FLUSH_STARTED,
		[SERVICE_PACKETS_CLONE_STARTED] =
			PFT__TRACING_SERVICE_EVENT__EVENT_TYPE_CLONE_STARTED,
	};
	Pft__TracingServiceEvent message = PFT__TRACING_SERVICE_EVENT__INIT;

	if (with_clocks)
		service_packets_clocks(session);
	message.event_type_case = cases[event];
	/* All of these are a plain "true" in the same member. */
	message.tracing_started = true;
	keep_event(session, event, &message);
}

void service_packets_buffer_cloned(struct session *session, uint32_t index)
{
	Pft__TracingServiceEvent message = PFT__TRACING_SERVICE_EVENT__INIT;

	message.event_type_case = PFT__TRACING_SERVICE_EVENT__EVENT_TYPE_BUFFER_CLONED;
	message.buffer_cloned = index;
	keep_event(session, SERVICE_PACKETS_CLONED + (int)index, &message);
}

typedef Pft__TracingServiceEvent__DataSources__DataSource slow_source;

/* Keeps one event that names the sources of @session for which @is_slow is true. */
static void keep_slow(struct session *session, enum service_packets_event event,
		      bool (*is_slow)(const struct instance *))
{
	Pft__TracingServiceEvent__DataSources sources =
		PFT__TRACING_SERVICE_EVENT__DATA_SOURCES__INIT;
	Pft__TracingServiceEvent message = PFT__TRACING_SERVICE_EVENT__INIT;
	slow_source rows[SLOW_MAX], *pointers[SLOW_MAX];
	const struct instance *i;

	TAILQ_FOREACH(i, &session->instances, link) {
		slow_source *row = &rows[sources.n_data_source];

		if (sources.n_data_source == SLOW_MAX || !is_slow(i))
			continue;
		pft__tracing_service_event__data_sources__data_source__init(row);
		row->producer_name = i->producer->name;
		row->data_source_name = i->config->name;
		pointers[sources.n_data_source++] = row;
	}
	sources.data_source = pointers;
	message.event_type_case = event == SERVICE_PACKETS_SLOW_START ?
		PFT__TRACING_SERVICE_EVENT__EVENT_TYPE_SLOW_STARTING_DATA_SOURCES :
		PFT__TRACING_SERVICE_EVENT__EVENT_TYPE_LAST_FLUSH_SLOW_DATA_SOURCES;
	message.slow_starting_data_sources = &sources;
	keep_event(session, event, &message);
}

static bool is_starting(const struct instance *i)
{
	return i->state != INSTANCE_STARTED;
}

void service_packets_slow_start(struct session *session)
{
	keep_slow(session, SERVICE_PACKETS_SLOW_START, is_starting);
}

static bool is_late(const struct instance *i)
{
	return i->producer->is_late;
}

void service_packets_slow_flush(struct session *session, struct producer *const *late, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		late[i]->is_late = true;
	keep_slow(session, SERVICE_PACKETS_SLOW_FLUSH, is_late);
	for (size_t i = 0; i < nr; i++)
		late[i]->is_late = false;
}

void service_packets_trigger(struct session *session, const struct trigger_hit *hit, bool is_clone)
{
	Pft__Trigger trigger = PFT__TRIGGER__INIT;
	Pft__TracePacket p;

	trigger.trigger_name = (char *)hit->name;
	trigger.producer_name = (char *)hit->producer;
	trigger.has_trusted_producer_uid = true;
	trigger.trusted_producer_uid = (int32_t)hit->uid;
	trigger.has_stop_delay_ms = true;
	trigger.stop_delay_ms = hit->delay_ms;
	begin(&p, session, hit->boot_ns);
	if (is_clone) {
		p.data_case = PFT__TRACE_PACKET__DATA_CLONE_SNAPSHOT_TRIGGER;
		p.clone_snapshot_trigger = &trigger;
	} else {
		p.data_case = PFT__TRACE_PACKET__DATA_TRIGGER;
		p.trigger = &trigger;
	}
	keep(session, &session->own.triggers, &p, 0, TRIGGERS_KEPT);
}

bool service_packets_mark(struct session *session, const char *name, const char *text)
{
	Perfetto__Protos__DebugAnnotation note = PERFETTO__PROTOS__DEBUG_ANNOTATION__INIT;
	Perfetto__Protos__DebugAnnotation *notes = &note;
	Perfetto__Protos__TrackEvent event = PERFETTO__PROTOS__TRACK_EVENT__INIT;
	char *category = (char *)name;
	struct own_packet *own;
	unsigned int nr = 0;
	Pft__TracePacket p;

	STAILQ_FOREACH(own, &session->own.marks, link)
		nr++;
	note.name = (char *)"text";
	note.value_case = PERFETTO__PROTOS__DEBUG_ANNOTATION__VALUE_STRING_VALUE;
	note.string_value = (char *)text;
	event.has_type = event.has_track_uuid = true;
	event.type = PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_INSTANT;
	event.n_categories = 1;
	event.categories = &category;
	event.name = category;
	event.n_debug_annotations = 1;
	event.debug_annotations = &notes;
	begin(&p, session, clocks_boot_ns());
	p.has_sequence_flags = true;
	p.sequence_flags = PFT__TRACE_PACKET__SEQUENCE_FLAGS__SEQ_INCREMENTAL_STATE_CLEARED;
	p.data_case = PFT__TRACE_PACKET__DATA_TRACK_EVENT;
	p.track_event = &event;
	own = nr < MARKS_KEPT ? pack(&p, 0) : NULL;
	if (own)
		STAILQ_INSERT_TAIL(&session->own.marks, own, link);
	return own;
}

static void copy_list(struct session *to, struct own_packets *list, const struct own_packets *from)
{
	const struct own_packet *p;

	STAILQ_FOREACH(p, from, link) {
		const size_t size = sizeof(*p) + p->size;
		struct own_packet *copy = malloc(size);

		to->packets_lost += !copy;
		if (!copy)
			continue;
		memcpy(copy, p, size);
		STAILQ_INSERT_TAIL(list, copy, link);
	}
}

/* Of clocks already written only the latest are known. */
void service_packets_copy(struct session *to, struct session *from)
{
	struct own *own = &from->own;

	if (own->first.is_set)
		to->own.first = own->first;
	else if (STAILQ_EMPTY(&own->clocks))
		to->own.first = own->latest;
	copy_list(to, &to->own.clocks, &own->clocks);
	if (session_waits_for_trigger(from))
		STAILQ_CONCAT(&to->own.triggers, &own->triggers);
	else
		copy_list(to, &to->own.triggers, &own->triggers);
	copy_list(to, &to->own.events, &own->events);
	copy_list(to, &to->own.marks, &own->marks);
	to->own.wants_mark = to->own.wants_stats = true;
}

static void write_bytes(struct session *session, struct batch *b, const uint8_t *bytes, size_t size)
{
	session->packets_lost += !batch_add(b, bytes, size, NULL, 0);
}

static void write_packet(struct session *session, struct batch *b, const Pft__TracePacket *p)
{
	struct own_packet *own = pack(p, 0);

	if (own)
		write_bytes(session, b, own->bytes, own->size);
	else
		session->packets_lost++;
	free(own);
}

static void write_list(struct session *session, struct batch *b, struct own_packets *list)
{
	const struct own_packet *p;

	STAILQ_FOREACH(p, list, link)
		write_bytes(session, b, p->bytes, p->size);
	empty(list);
}

static void write_mark(struct session *session, struct batch *b)
{
	uint8_t mark[STAMP_MAX];

	write_bytes(session, b, mark, stamp_marker(mark, session->service->uid, SEQUENCE));
}

static void write_uuid(struct session *session, struct batch *b)
{
	Pft__TraceUuid uuid = PFT__TRACE_UUID__INIT;
	Pft__TracePacket p;

	uuid.has_lsb = uuid.has_msb = true;
	uuid.lsb = session->uuid[0];
	uuid.msb = session->uuid[1];
	begin(&p, session, 0);
	p.data_case = PFT__TRACE_PACKET__DATA_TRACE_UUID;
	p.trace_uuid = &uuid;
	write_packet(session, b, &p);
}

static void write_config(struct session *session, struct batch *b)
{
	Pft__TracePacket p;

	begin(&p, session, 0);
	p.data_case = PFT__TRACE_PACKET__DATA_TRACE_CONFIG;
	p.trace_config = session->config;
	write_packet(session, b, &p);
}

static void write_system(struct session *session, struct batch *b)
{
	Perfetto__Protos__SystemInfo info = PERFETTO__PROTOS__SYSTEM_INFO__INIT;
	Perfetto__Protos__Utsname names = PERFETTO__PROTOS__UTSNAME__INIT;
	struct utsname u;
	struct sysinfo s;
	Pft__TracePacket p;

	if (uname(&u) || sysinfo(&s))
		return;
	names.sysname = u.sysname;
	names.version = u.version;
	names.release = u.release;
	names.machine = u.machine;
	info.utsname = &names;
	info.has_hz = info.has_page_size = info.has_num_cpus = info.has_system_ram_bytes = true;
	info.hz = sysconf(_SC_CLK_TCK);
	info.page_size = (uint32_t)sysconf(_SC_PAGESIZE);
	info.num_cpus = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	info.system_ram_bytes = (uint64_t)s.totalram * s.mem_unit;
	info.tracing_service_version = (char *)"ktraced " KTRACE_VERSION;
	begin(&p, session, 0);
	p.data_case = PFT__TRACE_PACKET__DATA_SYSTEM_INFO;
	p.system_info = &info;
	write_packet(session, b, &p);
}

static void write_head(struct session *session, struct batch *b)
{
	const Pft__TraceConfig__BuiltinDataSource *wish = session->config->builtin_data_sources;

	write_uuid(session, b);
	if (!wish || !wish->disable_trace_config)
		write_config(session, b);
	if (!wish || !wish->disable_system_info)
		write_system(session, b);
}

void service_packets_write(struct session *session, struct batch *b)
{
	struct own *own = &session->own;

	if (own->first.is_set) {
		struct own_packets later = STAILQ_HEAD_INITIALIZER(later);

		STAILQ_CONCAT(&later, &own->clocks);
		keep_clocks(session, &own->first);
		STAILQ_CONCAT(&own->clocks, &later);
		own->first.is_set = false;
	}
	write_list(session, b, &own->clocks);
	if (own->wants_mark)
		write_mark(session, b);
	own->wants_mark = false;
	if (!own->has_head)
		write_head(session, b);
	own->has_head = true;
	write_list(session, b, &own->triggers);
	write_list(session, b, &own->events);
	write_list(session, b, &own->marks);
}

void service_packets_write_end(struct session *session, struct batch *b)
{
	service_packets_event(session, SERVICE_PACKETS_READ, false);
	write_list(session, b, &session->own.events);
}

void service_packets_write_stats(struct session *session, struct batch *b, size_t max)
{
	Pft__TraceStats *stats;
	Pft__TracePacket p;

	if (!session->own.wants_stats)
		return;
	session->own.wants_stats = false;
	stats = stats_make(session, max < SERVICE_PACKETS_STATS_HEAD_MAX ? 0 :
			   max - SERVICE_PACKETS_STATS_HEAD_MAX);
	session->packets_lost += !stats;
	if (!stats)
		return;
	begin(&p, session, clocks_boot_ns());
	p.data_case = PFT__TRACE_PACKET__DATA_TRACE_STATS;
	p.trace_stats = stats;
	write_packet(session, b, &p);
	stats_free(stats);
}
