/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sequence.h - what the packets of a writer state once and refer to later (PFT-58, PFT-93)
 *
 * Names and defaults hold until they are cleared. After a loss the state is unknown, so packets
 * that refer to it cannot be understood until it is cleared.
 */
#ifndef VIEWER_IMPORT_PERFETTO_SEQUENCE_H
#define VIEWER_IMPORT_PERFETTO_SEQUENCE_H

#include "base/hash_table.h"
#include "packets.h"

#include "perfetto.pb-c.h"

#include <ktrace/decode.h>
#include <linux/ktrace_ring.h>
#include <stdbool.h>

/* Kinds of interned names */
enum interned { INTERNED_CATEGORY, INTERNED_EVENT, INTERNED_ANNOTATION, INTERNED_STRING,
		INTERNED_NR };

/**
 * struct sequence_clock - a sequence's own clock; sequence, machine and id are the key
 * @sequence:	id of the sequence
 * @machine:	id of its machine
 * @id:		id of the clock, from CLOCK_ID_PRIVATE on
 * @is_incremental: a stamp is added to the previous one
 * @is_set:	a snapshot has set it
 * @age:	age of the sequence at that time: after a loss, increments are useless
 * @unit_ns:	ns per unit
 * @now_ns:	the last stamp
 */
struct sequence_clock {
	__u32 sequence;
	__u32 machine;
	__u32 id;
	bool is_incremental;
	bool is_set;
	__u32 age;
	__u64 unit_ns;
	__u64 now_ns;
};

/**
 * struct sequence - a writer; id and machine are the key
 * @id:		trusted_packet_sequence_id
 * @machine:	id of its machine
 * @is_valid:	no part of its state is lost
 * @age:	number of losses so far
 * @gaps:	losses by reason not recorded yet, as no later packet had a known time
 * @left_out:	packets left out since
 * @names:	numbers of names, with their position in @text
 * @entries:	interned messages by field and number
 * @text:	these and names, each followed by a NUL
 * @clock:	default clock of its packets, 0 = unknown
 * @track:	default track of its events
 * @counters:	tracks of extra values, integers first
 * @counter_nr:	number of each
 * @event_ns:	time of its last event with a relative stamp, of CLOCK_MONOTONIC
 * @has_event_ns: @event_ns is known
 * @tid:	thread that it writes for; 0 = unknown
 * @pid:	process of that thread
 */
struct sequence {
	__u32 id;
	__u32 machine;
	bool is_valid;
	__u32 age;
	__u32 gaps[KTRACE_LOST_NR];
	__u32 left_out;
	struct hash_table names[INTERNED_NR];
	struct hash_table entries;
	struct ktrace_out text;
	__u32 clock;
	__u64 track;
	uint64_t *counters[2];
	size_t counter_nr[2];
	__u64 event_ns;
	bool has_event_ns;
	__u32 tid;
	__u32 pid;
};

/* struct sequences - all sequences and their clocks */
struct sequences {
	struct hash_table sequences;
	struct hash_table clocks;
};

void sequences_init(struct sequences *s);
/* Returns the sequence of a packet; NULL: out of memory */
struct sequence *sequences_get(struct sequences *s, const Perfetto__Protos__TracePacket *p);
/* Returns the sequence's clock @id, valid until the next one is added; NULL: out of memory */
struct sequence_clock *sequences_clock(struct sequences *s, const struct sequence *of, __u32 id);
/* Learns what a packet states for later ones. Return: 0, -ENOMEM. */
int sequence_learn(struct sequence *s, const Perfetto__Protos__TracePacket *p);
/* Invalidates the state of all writers. */
void sequences_forget(struct sequences *s);
/* True if stamps of the clock can be converted. */
bool sequence_has_time(const struct sequence *s, const struct sequence_clock *clock);
/* True if the packet can be understood. */
bool sequence_knows(const struct sequence *s, const Perfetto__Protos__TracePacket *p);
/* True if packets are missing before it. The first packet of a sequence may have the mark, too. */
bool sequence_is_lost(const Perfetto__Protos__TracePacket *p, bool is_first);
/* Keeps an entry of interned data, with field 1 as its number. Return: 0, -ENOMEM. */
int sequence_intern(struct sequence *s, const struct packet_field *entry);
/* Finds an entry of a field of interned data, valid until the next packet. */
bool sequence_interned(const struct sequence *s, __u32 field, __u64 iid, struct packet *entry);
/* Returns the name of a number, valid until the next packet; NULL: unknown */
const char *sequence_name(const struct sequence *s, enum interned table, __u64 iid);
void sequences_free(struct sequences *s);

#endif
