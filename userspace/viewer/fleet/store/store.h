/* SPDX-License-Identifier: GPL-2.0 */
/* store.h - the state of a ktrace store */
#ifndef VIEWER_FLEET_STORE_STORE_H
#define VIEWER_FLEET_STORE_STORE_H

#include "files.h"
#include "fleet/broker.h"
#include "hosts.h"

struct metrics_server;

/**
 * struct store - the command line and how it goes
 * @options:	the broker
 * @idle_ms:	--idle, 0 = not given
 * @is_quiet:	-q
 * @path:	the folder
 * @files:	the same
 * @broker:	the connection
 * @data:	its messages with pieces
 * @asks:	its questions
 * @busy_ns:	CLOCK_MONOTONIC when the last message or question came
 * @full:	the last error of a write, 0 = it worked
 * @stored:	files that were completed
 * @bytes:	of them
 * @repeats:	pieces that were there already
 * @early:	pieces that came before those before them
 * @bad:	messages that are none of a ktrace ship
 * @broken:	files with a wrong checksum
 * @gaps:	parts whose predecessor is missing
 * @messages:	pieces, and whatever else came like them
 * @dropped:	pieces that came too early too often: their host sends them again
 * @failures:	batches whose bytes could not be written: they come again
 * @broker_failures: connections to the broker that failed or ended
 * @hosts:	when they were last heard of
 * @place:	--metrics, NULL = not given
 * @metrics:	NULL = they are not served
 * @collected_ns: CLOCK_MONOTONIC when metrics were collected
 * @start_ns:	CLOCK_REALTIME at the start
 */
struct store {
	struct broker_options options;
	__u64 idle_ms;
	bool is_quiet;
	const char *path;
	struct files files;
	struct broker broker;
	natsSubscription *data;
	natsSubscription *asks;
	__u64 busy_ns;
	int full;
	unsigned int stored;
	__u64 bytes;
	__u64 repeats;
	__u64 early;
	__u64 bad;
	__u64 broken;
	__u64 gaps;
	__u64 messages;
	__u64 dropped;
	__u64 failures;
	__u64 broker_failures;
	struct hosts hosts;
	const char *place;
	struct metrics_server *metrics;
	__u64 collected_ns;
	__u64 start_ns;
};

#endif
