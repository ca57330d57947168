/* SPDX-License-Identifier: GPL-2.0 */
/* critical_path.h - ktrace critical-path: what its two files share */
#ifndef VIEWER_COMMANDS_CRITICAL_PATH_H
#define VIEWER_COMMANDS_CRITICAL_PATH_H

#include "analysis/wakeup_chain.h"

#include <stdio.h>

#define CRITICAL_PATH_NO_THREAD (~0ull)
#define CRITICAL_PATH_HOST_SIZE (HOST_LABEL_MAX + 16)

/**
 * struct critical_path_share - part of the path spent in one way; all but the last two are the key
 * @serial:	thread, CRITICAL_PATH_NO_THREAD = an interrupt or the network
 * @machine:	host
 * @to_machine:	the network: the receiving host; otherwise @machine
 * @what:	what takes the time
 * @ns:		time
 * @nr:		number of pieces
 */
struct critical_path_share {
	__u64 serial;
	__u32 machine;
	__u32 to_machine;
	char what[80];
	__u64 ns;
	__u64 nr;
};

/**
 * struct critical_path_part - part of the window whose spans are in memory at a time
 * @from:	begin
 * @sent:	earliest time at which a packet was sent that another host received in this part
 * @trip:	number of the first packet that was found while the part was read
 */
struct critical_path_part {
	__u64 from;
	__u64 sent;
	__u64 trip;
};

/**
 * struct critical_path - one run of the command
 * @a:		common part of analyses
 * @chain:	spans, and the path
 * @serial:	of the thread asked for, the latest with its number, + 1; 0 = none
 * @machine:	its host
 * @host:	name of the host asked for, NULL = any
 * @is_host_met: this host has such a thread
 * @is_doubtful: several hosts have one
 * @from:	beginning of its first span in the window
 * @to:		end of its last span, or its death
 * @parts:	parts of the window
 * @part_nr:	how many
 * @trips:	packets between hosts: struct packet_trip; NULL = none yet
 * @trip_nr:	how many
 * @events:	in the last part
 * @is_back:	second pass: the parts are read again, from the last to the first
 * @shares:	the path, summed up
 * @all:	their sum
 * @links:	its pieces if they are to be printed, the latest first
 * @link_nr:	how many
 * @stops:	pieces whose packet was not followed, by enum wakeup_chain_stop
 * @has_hosts:	there are several hosts
 * @lists:	print each piece
 */
struct critical_path {
	struct analysis a;
	struct wakeup_chain chain;
	__u64 serial;
	__u32 machine;
	const char *host;
	bool is_host_met;
	bool is_doubtful;
	__u64 from;
	__u64 to;
	struct critical_path_part *parts;
	size_t part_nr;
	FILE *trips;
	__u64 trip_nr;
	__u64 events;
	bool is_back;
	struct hash_table shares;
	__u64 all;
	struct wakeup_chain_link *links;
	size_t link_nr;
	__u64 stops[WAKEUP_CHAIN_STOP_NR];
	bool has_hosts;
	bool lists;
};

/* Formats the name of a host. */
void critical_path_host(const struct critical_path *path, __u32 machine, char *text);
/* Fills in the key of the share to which a piece belongs. */
void critical_path_key(const struct critical_path *path, const struct wakeup_chain_link *link,
		       struct critical_path_share *key);
/* Prints the path, as text or as members of the JSON object. */
void critical_path_show(struct critical_path *path);

#endif
