/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sequence.h - what the packets of one writer say once and refer to later (PFT-58, PFT-93)
 *
 * Names and defaults hold until they are cleared. After a loss it is not known what was said, so
 * packets that refer to it cannot be understood until it is cleared.
 */
#ifndef VIEWER_IMPORT_PERFETTO_SEQUENCE_H
#define VIEWER_IMPORT_PERFETTO_SEQUENCE_H

#include "base/hash_table.h"

#include "perfetto.pb-c.h"

#include <ktrace/decode.h>
#include <stdbool.h>

/* What has numbers instead of names */
enum interned { INTERNED_CATEGORY, INTERNED_EVENT, INTERNED_ANNOTATION, INTERNED_STRING,
		INTERNED_NR };

/**
 * struct sequence_clock - a clock of its own; sequence, machine and id are the key
 * @sequence:	whose
 * @machine:	of which machine
 * @id:		its number, from CLOCK_ID_PRIVATE on
 * @is_incremental: a stamp is what is added to the one before
 * @is_set:	a snapshot has said what it shows
 * @age:	of the sequence then: what is added to a stamp that is gone says nothing
 * @unit_ns:	what it counts in
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
 * @machine:	of which machine
 * @is_valid:	nothing is missing of what was said
 * @age:	how often something was
 * @gaps:	losses whose place is not known yet, as no packet behind them has had a time
 * @left_out:	packets since, which cannot be understood
 * @names:	numbers, and where in @text they are
 * @text:	NUL behind each
 * @clock:	of its packets, 0 = not said
 * @track:	of its events
 * @counters:	tracks of extra values, whole numbers first
 * @counter_nr:	how many of each
 * @tid:	thread that said it was writing; 0 = none has
 * @pid:	its process
 */
struct sequence {
	__u32 id;
	__u32 machine;
	bool is_valid;
	__u32 age;
	__u32 gaps;
	__u32 left_out;
	struct hash_table names[INTERNED_NR];
	struct ktrace_out text;
	__u32 clock;
	__u64 track;
	uint64_t *counters[2];
	size_t counter_nr[2];
	__u32 tid;
	__u32 pid;
};

/* struct sequences - all of them, and clocks that were used */
struct sequences {
	struct hash_table sequences;
	struct hash_table clocks;
};

void sequences_init(struct sequences *s);
/* The one that a packet is of; NULL: no memory */
struct sequence *sequences_get(struct sequences *s, const Perfetto__Protos__TracePacket *p);
/* Its clock of this number, valid until the next one is made; NULL: no memory */
struct sequence_clock *sequences_clock(struct sequences *s, const struct sequence *of, __u32 id);
/* Takes in what a packet says for those behind it. Return: 0, -ENOMEM. */
int sequence_learn(struct sequence *s, const Perfetto__Protos__TracePacket *p);
/* Nobody knows any more what writers have said. */
void sequences_forget(struct sequences *s);
/* Is a stamp of its clock, as it was set, a time? */
bool sequence_has_time(const struct sequence *s, const struct sequence_clock *clock);
/* Can it be understood? */
bool sequence_knows(const struct sequence *s, const Perfetto__Protos__TracePacket *p);
/* Was something lost before it? The first one of a sequence says so, too. */
bool sequence_is_lost(const Perfetto__Protos__TracePacket *p, bool is_first);
/* The name of a number, valid until the next packet; NULL: there is none */
const char *sequence_name(const struct sequence *s, enum interned table, __u64 iid);
void sequences_free(struct sequences *s);

#endif
