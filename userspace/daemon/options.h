/* SPDX-License-Identifier: GPL-2.0 */
/* options.h - the command line of ktraced, checked and with defaults filled in */
#ifndef KTRACED_OPTIONS_H
#define KTRACED_OPTIONS_H

#include <stdbool.h>
#include <linux/types.h>

#include "context/context_spec.h"
#include "events/select.h"
#include "shark/send.h"

#define OPTIONS_PID_MAX 64

/**
 * struct options - what was asked for
 * @output:	file to write; with a slash at its end the folder, NULL = this one
 * @ring_size:	bytes of each per-CPU ring, power of two
 * @thread_size: bytes of each thread ring, power of two
 * @block_size:	bytes of a block, power of two
 * @thread_nr:	number of thread rings
 * @policy:	enum ktrace_policy
 * @backend:	enum ktrace_backend
 * @choice:	-e and --level
 * @wishes:	--context
 * @is_all:	whole system
 * @is_pthread:	what threads of the command do with each other
 * @is_baseline: run the command without recording anything
 * @is_quiet:	failures only
 * @is_json:	the summary, or the list, is for programs
 * @fail_on_loss: lost events are a failure
 * @is_optional: kernel events that -e names and that cannot be recorded are left out
 * @pids:	running processes to follow
 * @pid_nr:	how many
 * @level:	how blocks are compressed, 0 = not
 * @split_size:	bytes of a file, then the next one begins; 0 = they do not count
 * @split_ns:	the same in time
 * @mode:	of files, 0 = new ones have the usual one, others keep theirs
 * @keep:	how many files are kept then, 0 = all
 * @max_size:	bytes of all of them together, 0 = no limit
 * @min_free:	bytes that their file system keeps, 0 = none, or KTRACE_MIN_FREE_DEFAULT
 * @min_free_text: the same as it was given, NULL = it was not
 * @send:	where chunks of S.Ha.R.K. go
 * @duration_ns: how long to record, 0 = no limit
 * @is_recover:	write out what was left behind, instead of recording
 * @is_list:	... only say what there is
 * @is_discard:	... remove it unseen
 * @all_users:	... that of other users, too
 * @is_service:	serve producers and consumers, instead of recording
 * @no_producer: with it: do not start the producer of ktrace's own data sources
 * @argv:	command and arguments, NULL-terminated; NULL = none. To recover: sessions
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
	int level;
	__u64 split_size;
	__u64 split_ns;
	__u32 keep;
	__u64 max_size;
	__u64 min_free;
	const char *min_free_text;
	__u32 mode;
	struct sender_options send;
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
 * Says what is wrong with it.
 *
 * Return: -1 to go on, otherwise the exit status (after --help: 0).
 */
int options_parse(struct options *o, int argc, char **argv);

#endif
