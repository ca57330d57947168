// SPDX-License-Identifier: GPL-2.0
/* sequence.c - state of the writers of a trace */
#include "sequence.h"

#include "base/viewer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* sequence_flags */
enum { STATE_CLEARED = 1, STATE_NEEDED = 2 };

/* Value of previous_packet_dropped without a cause */
#define LOSS_MARK 1
/* Field of interned data with the texts of annotations */
#define INTERNED_STRINGS_FIELD 29u

/* struct interned_name - position of a name's text; iid is the key */
struct interned_name {
	__u64 iid;
	size_t at;
};

/* struct interned_entry - place of an interned message; iid and field are the key */
struct interned_entry {
	__u64 iid;
	__u64 field;
	size_t at;
	size_t size;
};

void sequences_init(struct sequences *s)
{
	s->sequences = (struct hash_table)HASH_TABLE_INIT(struct sequence, machine);
	s->clocks = (struct hash_table)HASH_TABLE_INIT(struct sequence_clock, id);
}

static void forget(struct sequence *s)
{
	for (int i = 0; i < INTERNED_NR; i++) {
		hash_table_free(&s->names[i]);
		s->names[i] = (struct hash_table)HASH_TABLE_INIT(struct interned_name, iid);
	}
	hash_table_free(&s->entries);
	s->entries = (struct hash_table)HASH_TABLE_INIT(struct interned_entry, field);
	s->text.len = 0;
	s->clock = 0;
	s->track = 0;
	s->counter_nr[0] = s->counter_nr[1] = 0;
}

void sequences_free(struct sequences *s)
{
	for (size_t i = 0; i < s->sequences.nr; i++) {
		struct sequence *sequence = hash_table_at(&s->sequences, i);

		forget(sequence);
		free(sequence->text.buf);
		free(sequence->counters[0]);
		free(sequence->counters[1]);
	}
	hash_table_free(&s->sequences);
	hash_table_free(&s->clocks);
}

struct sequence_clock *sequences_clock(struct sequences *s, const struct sequence *of, __u32 id)
{
	const struct sequence_clock key = { .sequence = of->id, .machine = of->machine, .id = id };

	return hash_table_get(&s->clocks, &key);
}

struct sequence *sequences_get(struct sequences *s, const Perfetto__Protos__TracePacket *p)
{
	const struct sequence key = { .id = p->trusted_packet_sequence_id,
				      .machine = p->machine_id };
	struct sequence *sequence = hash_table_get(&s->sequences, &key);

	if (sequence && !sequence->text.flush) {
		forget(sequence);
		sequence->text.flush = output_grow;
	}
	return sequence;
}

static int add_name(struct sequence *s, enum interned table, __u64 iid, const char *text,
		    size_t size)
{
	struct interned_name *name = hash_table_get(&s->names[table], &iid);

	if (!name)
		return -ENOMEM;
	name->at = s->text.len;
	ktrace_out_bytes(&s->text, text, strnlen(text, size));
	ktrace_out_char(&s->text, '\0');
	return s->text.error;
}

static int add_names(struct sequence *s, enum interned table, size_t nr,
		     Perfetto__Protos__InternedName **names)
{
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++)
		if (names[i]->name)
			ret = add_name(s, table, names[i]->iid, names[i]->name,
				       strlen(names[i]->name));
	return ret;
}

static int add_interned(struct sequence *s, const Perfetto__Protos__InternedData *d)
{
	int ret = add_names(s, INTERNED_CATEGORY, d->n_event_categories, d->event_categories);

	if (!ret)
		ret = add_names(s, INTERNED_EVENT, d->n_event_names, d->event_names);
	if (!ret)
		ret = add_names(s, INTERNED_ANNOTATION, d->n_debug_annotation_names,
				d->debug_annotation_names);
	for (size_t i = 0; i < d->n_debug_annotation_string_values && !ret; i++) {
		const Perfetto__Protos__InternedString *v = d->debug_annotation_string_values[i];

		ret = add_name(s, INTERNED_STRING, v->iid, v->str.len ? (char *)v->str.data : "",
			       v->str.len);
	}
	return ret;
}

int sequence_intern(struct sequence *s, const struct packet_field *entry)
{
	const struct packet m = { .data = entry->data, .size = entry->size };
	struct interned_entry key = { .field = entry->number }, *row;
	struct packet_field f;
	size_t at = 0;

	/* The names of events and annotations are in tables of their own. */
	if (entry->number <= 3 || entry->number == INTERNED_STRINGS_FIELD)
		return 0;
	while (packet_next(&m, &at, &f) == 1)
		if (f.number == 1 && f.wire == 0)
			key.iid = f.value;
	row = hash_table_get(&s->entries, &key);
	if (!row)
		return -ENOMEM;
	row->at = s->text.len;
	row->size = entry->size;
	ktrace_out_bytes(&s->text, (const char *)entry->data, entry->size);
	return s->text.error;
}

bool sequence_interned(const struct sequence *s, __u32 field, __u64 iid, struct packet *entry)
{
	const struct interned_entry key = { .iid = iid, .field = field };
	const struct interned_entry *row = s->entries.key ?
					   hash_table_find(&s->entries, &key) : NULL;

	if (row)
		*entry = (struct packet){ .data = (unsigned char *)s->text.buf + row->at,
					  .size = row->size };
	return row;
}

static int set_counters(struct sequence *s, int which, size_t nr, const uint64_t *tracks)
{
	uint64_t *new = nr ? realloc(s->counters[which], nr * sizeof(*new)) : NULL;

	s->counter_nr[which] = 0;
	if (!nr)
		return 0;
	if (!new)
		return -ENOMEM;
	memcpy(new, tracks, nr * sizeof(*new));
	s->counters[which] = new;
	s->counter_nr[which] = nr;
	return 0;
}

static int set_defaults(struct sequence *s, const Perfetto__Protos__TracePacketDefaults *d)
{
	const Perfetto__Protos__TrackEventDefaults *e = d->track_event_defaults;
	int ret;

	s->clock = d->timestamp_clock_id;
	s->track = e ? e->track_uuid : 0;
	if (!e)
		return 0;
	ret = set_counters(s, 0, e->n_extra_counter_track_uuids, e->extra_counter_track_uuids);
	return ret ? ret : set_counters(s, 1, e->n_extra_double_counter_track_uuids,
					e->extra_double_counter_track_uuids);
}

/* The first packet always has the mark; with a cause, packets are missing before it as well. */
bool sequence_is_lost(const Perfetto__Protos__TracePacket *p, bool is_first)
{
	return p->previous_packet_dropped > LOSS_MARK ||
	       (p->previous_packet_dropped && !is_first && !p->first_packet_on_sequence);
}

static void lose(struct sequence *s)
{
	s->is_valid = s->has_event_ns = false;
	s->age++;
}

int sequence_learn(struct sequence *s, const Perfetto__Protos__TracePacket *p)
{
	int ret = 0;

	if (p->previous_packet_dropped)
		lose(s);
	if (p->incremental_state_cleared || p->sequence_flags & STATE_CLEARED) {
		forget(s);
		s->is_valid = true;
	}
	if (p->trace_packet_defaults)
		ret = set_defaults(s, p->trace_packet_defaults);
	if (p->interned_data && !ret)
		ret = add_interned(s, p->interned_data);
	return ret;
}

void sequences_forget(struct sequences *s)
{
	for (size_t i = 0; i < s->sequences.nr; i++)
		lose(hash_table_at(&s->sequences, i));
}

bool sequence_has_time(const struct sequence *s, const struct sequence_clock *clock)
{
	return clock->is_set && (!clock->is_incremental || clock->age == s->age);
}

bool sequence_knows(const struct sequence *s, const Perfetto__Protos__TracePacket *p)
{
	return s->is_valid || !(p->sequence_flags & STATE_NEEDED);
}

const char *sequence_name(const struct sequence *s, enum interned table, __u64 iid)
{
	const struct interned_name *name = hash_table_find(&s->names[table], &iid);

	return name ? s->text.buf + name->at : NULL;
}
