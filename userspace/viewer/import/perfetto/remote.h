/* SPDX-License-Identifier: GPL-2.0 */
/*
 * remote.h - clocks that a machine and the one that recorded the trace have read for each other
 *
 * A machine that relays to another one sends it readings of its clocks, twice in a row every 30 s;
 * the other one reads its own clocks when they arrive, and answers. So each pair of readings is a
 * message to the recording machine, and each pair but the first of a packet was read after a
 * message from there. Both become pings of the machine's tracefile, of which all commands make
 * bounds of the clocks.
 */
#ifndef VIEWER_IMPORT_PERFETTO_REMOTE_H
#define VIEWER_IMPORT_PERFETTO_REMOTE_H

#include "packets.h"

#include <stdbool.h>
#include <stddef.h>

/** REMOTE_BOOT - bytes of a boot id as text, with its NUL */
#define REMOTE_BOOT 37u

enum remote_clock { REMOTE_MONOTONIC, REMOTE_BOOTTIME, REMOTE_CLOCKS };

/**
 * struct remote_readings - clocks of one machine at one moment, in ns
 * @ns:		by enum remote_clock
 * @has:	this clock was read
 */
struct remote_readings {
	__u64 ns[REMOTE_CLOCKS];
	bool has[REMOTE_CLOCKS];
};

/**
 * struct remote_pair - readings here, and when they arrived there
 * @here:	of the machine that relays
 * @there:	of the one that records
 * @is_first:	no earlier pair is in its packet, or the one before was left out
 */
struct remote_pair {
	struct remote_readings here;
	struct remote_readings there;
	bool is_first;
};

/**
 * struct remote - all pairs of a machine
 * @pairs:	in order of the packets
 * @nr:		number of @pairs
 * @cap:	room
 * @is_cut:	the last pair was left out
 */
struct remote {
	struct remote_pair *pairs;
	size_t nr;
	size_t cap;
	bool is_cut;
};

/**
 * struct remote_recorder - the machine that recorded the trace
 * @boot:	its boot id
 * @name:	its name, "" = unknown
 * @clock:	which clock its stamps are of
 */
struct remote_recorder {
	char boot[64];
	char name[64];
	enum remote_clock clock;
};

struct conversion;

/* Keeps what a field of a packet says, RemoteClockSync. Return: 0, -ENOMEM. */
int remote_learn(struct conversion *c, const struct packet_field *f);
/* Learns the trace's id. */
void remote_learn_uuid(struct conversion *c, const struct packet_field *f);
/* Gives a machine without a boot id one that is made of the ids of trace and machine. */
void remote_name_boot(struct conversion *c);
/* Tells @to what the conversion knows of its machine. */
void remote_recorder_of(const struct conversion *c, struct remote_recorder *to);
/* Writes the pings, after all events. Return: 0, -errno. */
int remote_put(struct conversion *c);
/* Reports readings that tie nothing. */
void remote_complain(const struct conversion *c);
void remote_free(struct remote *r);

#endif
