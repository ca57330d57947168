/* SPDX-License-Identifier: GPL-2.0 */
/* options.h - the command line of ktraced, checked and with defaults filled in */
#ifndef KTRACED_OPTIONS_H
#define KTRACED_OPTIONS_H

#include <stdbool.h>
#include <linux/types.h>

#include "clocks/host_clocks.h"
#include "context/context_spec.h"
#include "events/select.h"
#include "metrics.h"
#include "ship.h"
#include "shark/send.h"

#define OPTIONS_PID_MAX 64

/**
 * struct options - the command line, with defaults filled in
 * @output:	file to write; with a slash at its end a folder, NULL = the current one
 * @ring_size:	bytes of each per-CPU ring, power of two
 * @thread_size: bytes of each thread ring, power of two
 * @block_size:	bytes of a block, power of two
 * @thread_nr:	number of thread rings
 * @policy:	enum ktrace_policy
 * @backend:	enum ktrace_backend
 * @choice:	-e and --level
 * @wishes:	--context
 * @is_all:	whole system
 * @is_pthread:	record threads and locks of the command
 * @is_baseline: run the command without recording anything
 * @is_quiet:	print only failures
 * @is_json:	print the summary, or the list, as JSON
 * @fail_on_loss: treat lost events as a failure
 * @is_optional: skip kernel events that -e names and that cannot be recorded
 * @pids:	running processes to follow
 * @pid_nr:	number of @pids
 * @comms:	--comm, NULL = not given
 * @cgroups:	--cgroup, likewise
 * @is_prepare:	print what to start programs with, so that they can be attached
 * @level:	compression level of blocks, 0 = none
 * @split_size:	bytes after which the next file begins, 0 = no limit
 * @split_ns:	time after which the next file begins, 0 = no limit
 * @mode:	mode of files, 0 = default for new files, unchanged for replaced ones
 * @keep:	number of split files to keep, 0 = all
 * @max_size:	bytes of all files together, 0 = no limit
 * @min_free:	bytes to leave free in their file system, 0 = none, or KTRACE_MIN_FREE_DEFAULT
 * @min_free_text: text of --min-free, NULL = not given
 * @send:	destination of S.Ha.R.K. chunks
 * @clocks:	--clock-sources and pings
 * @ship:	where files go
 * @metrics:	where metrics are served
 * @is_paused:	begin with a pause
 * @duration_ns: how long to record, 0 = no limit
 * @is_recover:	complete the traces of dead sessions, instead of recording
 * @is_list:	... only list the sessions
 * @is_discard:	... remove them without saving anything
 * @all_users:	... also sessions of other users
 * @is_service:	serve producers and consumers, instead of recording
 * @no_producer: ... without the producer of ktrace's own data sources
 * @producer_memory: --producer-memory, bytes; 0 = the default
 * @argv:	command and arguments, NULL-terminated; NULL = none. With @is_recover: sessions
 */
struct options {
	const char *output;
	__u64 ring_size;
	__u64 thread_size;
	__u32 block_size;
	__u32 thread_nr;
	__u32 policy;
	int backend;
	struct choice choice;
	struct context_specs wishes;
	bool is_all;
	bool is_pthread;
	bool is_baseline;
	bool is_quiet;
	bool is_json;
	bool fail_on_loss;
	bool is_optional;
	__s32 pids[OPTIONS_PID_MAX];
	unsigned int pid_nr;
	const char *comms;
	const char *cgroups;
	bool is_prepare;
	int level;
	__u64 split_size;
	__u64 split_ns;
	__u32 keep;
	__u64 max_size;
	__u64 min_free;
	const char *min_free_text;
	__u32 mode;
	struct sender_options send;
	struct clock_options clocks;
	struct ship_options ship;
	struct metrics_options metrics;
	bool is_paused;
	__u64 duration_ns;
	bool is_recover;
	bool is_list;
	bool is_discard;
	bool all_users;
	bool is_service;
	bool no_producer;
	__u64 producer_memory;
	char **argv;
};

/**
 * options_parse - read the command line
 *
 * Reports errors in it.
 *
 * Return: -1 to go on, otherwise the exit status (after --help: 0).
 */
int options_parse(struct options *o, int argc, char **argv);

#endif
