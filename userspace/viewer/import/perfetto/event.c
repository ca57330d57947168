// SPDX-License-Identifier: GPL-2.0
/* event.c - converts slices, instants and values of tracks */
#include "convert.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef Perfetto__Protos__TrackEvent TrackEvent;
typedef Perfetto__Protos__TracePacket TracePacket;

#define NAME_SIZE SLICE_NAME
/*
 * Maximum number of slice names with a type of their own, as a tracefile's types are limited;
 * later slices share a type and have the name as a field.
 */
#define SLICES_MAX 16384u
enum { PACKET_TRACK_EVENT = 11, EVENT_CALLSTACK = 56 };
/* Fields of an event beside those of perfetto.proto; the others are left out, and counted. */
#define FURTHER_MAX 64u

static const char *category_of(const struct conversion *c, const TrackEvent *e, size_t i)
{
	const char *name = NULL;

	if (i < e->n_category_iids)
		name = sequence_name(c->sequence, INTERNED_CATEGORY, e->category_iids[i]);
	else if (i - e->n_category_iids < e->n_categories)
		name = e->categories[i - e->n_category_iids];
	return name ? name : "unknown";
}

/* Joins the categories of an event into one name. */
static void put_categories(const struct conversion *c, const TrackEvent *e, char *to, size_t size)
{
	const size_t nr = e->n_category_iids + e->n_categories;
	size_t len = 0;

	snprintf(to, size, "track");
	for (size_t i = 0; i < nr && len < size; i++)
		len += (size_t)snprintf(to + len, size - len, "%s%.*s", i ? "+" : "",
					(int)size, category_of(c, e, i));
}

static const char *name_of(const struct conversion *c, const TrackEvent *e)
{
	const char *name = e->name;

	if (!name && e->has_name_iid)
		name = sequence_name(c->sequence, INTERNED_EVENT, e->name_iid);
	return name && *name ? name : "unnamed";
}

/* True if a description can contain the name as it is. */
static bool is_plain(const char *name)
{
	const size_t n = strlen(name);

	return n < NAME_SIZE && n == strspn(name, "abcdefghijklmnopqrstuvwxyz"
					    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-+|");
}

static void put_ids(struct conversion *c, const char *name, size_t nr, const uint64_t *ids)
{
	const __u32 count = (__u32)nr;

	if (!nr)
		return;
	ktrace_out_str(&c->desc, "x64[] ");
	ktrace_out_str(&c->desc, name);
	ktrace_out_char(&c->desc, ';');
	ktrace_out_bytes(&c->payload, (const char *)&count, sizeof(count));
	ktrace_out_bytes(&c->payload, (const char *)ids, nr * sizeof(*ids));
}

/* Writes flows: as in current traces, as before 2021, and from Chrome's phases s, t, f. */
static void put_flows(struct conversion *c, const TrackEvent *e)
{
	const char phase = legacy_phase(e);
	bool is_local;
	__u64 id;

	if (e->n_flow_ids)
		put_ids(c, "flow", e->n_flow_ids, e->flow_ids);
	else
		put_ids(c, "flow", e->n_flow_ids_old, e->flow_ids_old);
	if (e->n_terminating_flow_ids)
		put_ids(c, "flow_end", e->n_terminating_flow_ids, e->terminating_flow_ids);
	else
		put_ids(c, "flow_end", e->n_terminating_flow_ids_old, e->terminating_flow_ids_old);
	if (phase && strchr("stf", phase) && legacy_id(e, &id, &is_local))
		put_ids(c, phase == 'f' ? "flow_end" : "flow", 1, (const uint64_t *)&id);
}

/* Puts the fields that perfetto.proto does not have. */
static void put_further(struct conversion *c, const TrackEvent *e)
{
	struct packet_field f = content_find(c->packet, PACKET_TRACK_EVENT);
	const struct packet m = { .data = f.data, .size = f.size };
	const ProtobufCMessageUnknownField *u = e->base.unknown_fields;
	const unsigned int nr = e->base.n_unknown_fields;
	unsigned int k;

	c->cut += nr > FURTHER_MAX;
	for (unsigned int i = 0; f.wire == 2 && i < nr && i < FURTHER_MAX; i++) {
		for (k = 0; k < i && u[k].tag != u[i].tag;)
			k++;
		if (k == i)
			content_put_field(c, "", c->track_event_type, &m, (__u32)u[i].tag);
		if (k == i && u[i].tag == EVENT_CALLSTACK)
			samples_chain(c, content_u64(&m, EVENT_CALLSTACK));
	}
}

static int end_event(struct conversion *c, const TrackEvent *e, const struct track_thread *thread)
{
	bool is_local;
	__u64 id;
	int ret;

	if (legacy_is_async(e) && legacy_id(e, &id, &is_local))
		event_number(c, "x64", "id", id);
	for (size_t i = 0; i < e->n_debug_annotations; i++)
		event_annotation(c, e->debug_annotations[i]);
	put_flows(c, e);
	if (c->fields)
		content_put(c, "", c->fields_type, c->fields);
	else if (!c->is_writing)
		put_further(c, e);
	c->notes = e->debug_annotations;
	c->note_nr = e->n_debug_annotations;
	ret = event_end(c, thread);
	c->note_nr = 0;
	return ret;
}

/*
 * Splits names written by ktrace export: they are "provider:name", with the same provider in the
 * category.
 */
static void split_own(struct slice *key)
{
	const char *colon = strchr(key->name, ':');
	const size_t n = colon ? (size_t)(colon - key->name) : 0;

	if (!n || n >= sizeof(key->provider) || strncmp(key->provider, key->name, n + 1) ||
	    !is_plain(colon + 1))
		return;
	memset(key->provider, 0, sizeof(key->provider));
	memcpy(key->provider, key->name, n);
	memmove(key->name, colon + 1, sizeof(key->name) - n - 1);
	memset(key->name + sizeof(key->name) - n - 1, 0, n + 1);
}

/* Returns the row of a name; names without room share the first row. */
static struct slice *slice_of(struct conversion *c, const TrackEvent *e)
{
	struct slice key = { .provider = "track", .name = "slice" };

	if (!c->slices.nr && !hash_table_get(&c->slices, &key))
		return NULL;
	memset(&key, 0, sizeof(key));
	put_categories(c, e, key.provider, sizeof(key.provider));
	snprintf(key.name, sizeof(key.name), "%.*s", NAME_SIZE - 1, name_of(c, e));
	split_own(&key);
	if (c->slices.nr < SLICES_MAX)
		return hash_table_get(&c->slices, &key);
	if (!hash_table_find(&c->slices, &key))
		return hash_table_at(&c->slices, 0);
	return hash_table_find(&c->slices, &key);
}

static __u32 number_of(const struct conversion *c, const struct slice *slice)
{
	return (__u32)((size_t)((const char *)slice - c->slices.at) / c->slices.size);
}

static int put_named(struct conversion *c, const TrackEvent *e, const struct slice *slice,
		     const struct track_thread *thread)
{
	const enum event_type type = legacy_type(e);
	const bool is_begin = type == EVENT_BEGIN || type == EVENT_COMPLETE;

	event_begin(c, slice->provider, slice->name, is_begin ? "_begin" : "");
	if ((!is_plain(slice->name) || strnlen(name_of(c, e), SLICE_NAME) == SLICE_NAME) ||
	    !number_of(c, slice))
		event_text(c, "name", name_of(c, e));
	return end_event(c, e, thread);
}

static int put_slice_end(struct conversion *c, const TrackEvent *e, struct track *track,
			 const struct track_thread *thread)
{
	const bool is_named = e->name || e->has_name_iid;
	const struct slice *slice = is_named ? slice_of(c, e) : NULL;
	__u32 number = slice ? number_of(c, slice) : TRACK_NO_NUMBER;

	if (is_named && !slice)
		return -ENOMEM;
	if (track_end(track, &number))
		slice = number == TRACK_NO_NUMBER ? NULL : hash_table_at(&c->slices, number);
	/* No slice: it began before the trace or is too deep, and its end is unnamed. */
	event_begin(c, slice ? slice->provider : "track", slice ? slice->name : "slice", "_end");
	return end_event(c, e, thread);
}

static int put_slice_begin(struct conversion *c, const TrackEvent *e, struct track *track,
			   const struct track_thread *thread)
{
	const struct slice *slice = slice_of(c, e);

	if (!slice || track_begin(track, number_of(c, slice)))
		return -ENOMEM;
	return put_named(c, e, slice, thread);
}

/* Writes a slice whose event tells its duration; its end is put in order by time. */
static int put_complete(struct conversion *c, const TrackEvent *e,
			const struct track_thread *thread)
{
	const struct slice *slice = slice_of(c, e);
	const __u64 begin = c->ts;
	int ret = slice ? put_named(c, e, slice, thread) : -ENOMEM;

	if (ret)
		return ret;
	c->ts += (__u64)e->legacy_event->duration_us * 1000;
	event_begin(c, slice->provider, slice->name, "_end");
	ret = event_end(c, thread);
	c->ts = begin;
	return ret;
}

static double value_of(struct track *track, double value)
{
	if (track->factor)
		value *= (double)track->factor;
	if (!track->is_sum)
		return value;
	track->sum += value;
	return track->sum;
}

int counter_put(struct conversion *c, const char *name, bool is_whole, __s64 value, double real,
		const struct track_thread *thread)
{
	event_begin(c, "counter", name, "");
	if (is_whole)
		event_number(c, "s64", "value", (__u64)value);
	else
		event_double(c, "value", real);
	if (!is_plain(name))
		event_text(c, "name", name);
	return event_end(c, thread);
}

/* Writes a value of a counter: @value if @is_whole and the track has no sum, else @real. */
static int put_value(struct conversion *c, __u64 uuid, bool is_whole, __s64 value, double real)
{
	struct track *track = tracks_get(&c->tracks, uuid);
	struct track_thread thread;

	if (!track)
		return -ENOMEM;
	track->is_counter = true;
	thread = tracks_thread(&c->tracks, track, c->sequence->pid);
	event_begin(c, "counter", *track->name ? track->name : "unnamed", "");
	if (is_whole && !track->is_sum)
		event_number(c, "s64", "value",
			     (__u64)value * (__u64)(track->factor ? track->factor : 1));
	else
		event_double(c, "value", value_of(track, real));
	if (*track->name && !is_plain(track->name))
		event_text(c, "name", track->name);
	return event_end(c, &thread);
}

/* Writes the values of other counters at the same moment. */
static int put_extra(struct conversion *c, const TrackEvent *e)
{
	const struct sequence *s = c->sequence;
	const bool has_own = e->n_extra_counter_track_uuids;
	const bool has_own_real = e->n_extra_double_counter_track_uuids;
	const uint64_t *whole = has_own ? e->extra_counter_track_uuids : s->counters[0];
	const uint64_t *real = has_own_real ? e->extra_double_counter_track_uuids : s->counters[1];
	const size_t whole_nr = has_own ? e->n_extra_counter_track_uuids : s->counter_nr[0];
	const size_t real_nr = has_own_real ? e->n_extra_double_counter_track_uuids :
			       s->counter_nr[1];
	int ret = 0;

	for (size_t i = 0; !ret && i < e->n_extra_counter_values && i < whole_nr; i++)
		ret = put_value(c, whole[i], true, e->extra_counter_values[i],
				(double)e->extra_counter_values[i]);
	for (size_t i = 0; !ret && i < e->n_extra_double_counter_values && i < real_nr; i++)
		ret = put_value(c, real[i], false, 0, e->extra_double_counter_values[i]);
	return ret;
}

static int put_counter(struct conversion *c, const TrackEvent *e, __u64 uuid)
{
	if (e->has_double_counter_value)
		return put_value(c, uuid, false, 0, e->double_counter_value);
	return put_value(c, uuid, true, e->counter_value, (double)e->counter_value);
}

/* Returns the thread that the sequence writes for if the event names no track. */
static struct track_thread thread_of(struct conversion *c, const TracePacket *p,
				     struct track *track)
{
	if (!track->uuid && c->sequence->tid)
		return (struct track_thread){ .tid = c->sequence->tid, .pid = c->sequence->pid };
	return tracks_thread(&c->tracks, track, p->trusted_pid > 0 ? (__u32)p->trusted_pid : 0);
}

int convert_on_track(struct conversion *c, const TracePacket *p, struct track *track)
{
	const TrackEvent *e = p->track_event;
	const struct track_thread thread = thread_of(c, p, track);
	const struct slice *slice;

	switch (legacy_type(e)) {
	case EVENT_COUNTER:
		return put_counter(c, e, track->uuid);
	case EVENT_BEGIN:
		return put_slice_begin(c, e, track, &thread);
	case EVENT_END:
		return put_slice_end(c, e, track, &thread);
	case EVENT_COMPLETE:
		return put_complete(c, e, &thread);
	default:
		slice = slice_of(c, e);
		return slice ? put_named(c, e, slice, &thread) : -ENOMEM;
	}
}

/* Finds the key of an id: with the name or the category, and the scope if the event has one. */
static int find_async(struct conversion *c, const TrackEvent *e, struct async_id *id)
{
	struct slice key = { 0 }, *scope;
	bool is_local;

	/* The key is compared as a whole, so nothing may remain after the text. */
	if (legacy_is_by_name(e) && !e->legacy_event->id_scope)
		snprintf(key.name, sizeof(key.name), "%s", name_of(c, e));
	if (!legacy_is_by_name(e) || e->legacy_event->id_scope)
		put_categories(c, e, key.provider, sizeof(key.provider));
	if (e->legacy_event->id_scope)
		snprintf(key.name, sizeof(key.name), "%s", e->legacy_event->id_scope);
	scope = hash_table_get(&c->scopes, &key);
	if (!scope)
		return -ENOMEM;
	id->scope = (__u32)((size_t)((const char *)scope - c->scopes.at) / c->scopes.size);
	legacy_id(e, &id->id, &is_local);
	id->pid = is_local ? c->sequence->pid : 0;
	return 0;
}

int convert_async(struct conversion *c, const TracePacket *p, const char *lane)
{
	struct async_id id;
	struct track *track;
	int ret = find_async(c, p->track_event, &id);

	if (ret)
		return ret;
	track = asyncs_track(&c->asyncs, &c->tracks, &id, lane);
	if (!track)
		return -ENOMEM;
	ret = convert_on_track(c, p, track);
	return ret ? ret : asyncs_done(&c->asyncs, &id, track);
}

int convert_track_event(struct conversion *c, const TracePacket *p)
{
	const TrackEvent *e = p->track_event;
	const __u64 uuid = e->has_track_uuid ? e->track_uuid : c->sequence->track;
	struct track *track;
	int ret;

	if (legacy_is_async(e)) {
		ret = convert_async(c, p, name_of(c, e));
	} else {
		track = tracks_get(&c->tracks, uuid);
		ret = track ? convert_on_track(c, p, track) : -ENOMEM;
	}
	return ret ? ret : put_extra(c, e);
}
