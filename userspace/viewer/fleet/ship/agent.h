/* SPDX-License-Identifier: GPL-2.0 */
/* agent.h - answers ktrace fleet for one recording */
#ifndef VIEWER_FLEET_SHIP_AGENT_H
#define VIEWER_FLEET_SHIP_AGENT_H

#include <pthread.h>
#include <stdatomic.h>
#include <ktrace/live.h>

#include "base/fleet_words.h"
#include "fleet/broker.h"
#include "fleet/command_message.h"

/**
 * struct agent_options - the command line
 * @session:	--recording, NULL = nobody is answered
 * @allow:	--allow, a mask of fleet_actions
 * @labels:	--label, @label_nr of them
 */
struct agent_options {
	const char *session;
	__u32 allow;
	const char *labels[FLEET_LABEL_NR];
	unsigned int label_nr;
};

/**
 * struct agent - the thread; all but @is_stopped is its own while it runs
 * @options:	the command line
 * @output:	name from which names of the parts are made
 * @address:	of the recording
 * @boot:	boot id of this host
 * @broker:	the connection
 * @asks:	subscription to questions
 * @commands:	subscription to commands for this recording
 * @found:	the recording, once it was there, and what it answered last
 * @pid:	its ktraced
 * @asked_ns:	CLOCK_MONOTONIC of the last question how it goes
 * @done:	commands
 * @refused:	commands
 * @bad:	messages that are none
 * @lines:	printed since @lines_ns, CLOCK_MONOTONIC
 * @unlogged:	lines that were not printed
 * @thread:	valid while @is_running
 * @is_stopped:	it is to end
 */
struct agent {
	const struct agent_options *options;
	const char *output;
	struct command_address address;
	char boot[64];
	struct broker broker;
	natsSubscription *asks;
	natsSubscription *commands;
	struct ktrace_live_list *found;
	__u32 pid;
	__u64 asked_ns;
	__u64 done;
	__u64 refused;
	__u64 bad;
	unsigned int lines;
	__u64 lines_ns;
	__u64 unlogged;
	pthread_t thread;
	bool is_running;
	atomic_bool is_stopped;
};

/* The options --recording, --allow and --label; they refer to a struct agent_options. */
extern const struct option_row agent_options[];

/* Starts the thread if there is a recording to answer for. All arguments must stay valid. */
void agent_begin(struct agent *a, const struct agent_options *o, const struct broker_options *b,
		 const char *output);
/*
 * Ends it after the message that it is at; says what was refused. If it is still waiting for
 * ktraced after a short time, leaves it running: the process ends.
 */
void agent_end(struct agent *a);

#endif
