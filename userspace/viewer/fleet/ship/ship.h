/* SPDX-License-Identifier: GPL-2.0 */
/* ship.h - sends files to a store */
#ifndef VIEWER_FLEET_SHIP_SHIP_H
#define VIEWER_FLEET_SHIP_SHIP_H

#include "agent.h"
#include "base/viewer.h"
#include "fleet/broker.h"
#include "fleet/message.h"

/**
 * struct ship - the command line and how it goes
 * @options:	the broker
 * @agent_options: what ktrace fleet may do
 * @agent:	answers it
 * @follows:	--follow
 * @removes:	--remove
 * @is_quiet:	-q
 * @rate:	bytes a second, 0 = no limit
 * @wait_ms:	--wait
 * @output:	with --follow: name from which the parts' names are made
 * @broker:	the connection
 * @is_over:	the recording is over, all its parts are complete
 * @is_orphan:	its recorder has died
 * @progress_ns: CLOCK_MONOTONIC when the store last had more than before
 * @due_ns:	when the next piece may be sent, see @rate
 * @stored:	files that the store has confirmed
 * @bytes:	of them
 * @kept:	files that it has not
 * @removed:	files that were removed before
 * @pieces:	messages that the broker has taken
 * @repeats:	of them: it had them already
 * @sent:	bytes of all messages
 * @done:	with --follow: one bit for each part
 */
struct ship {
	struct broker_options options;
	struct agent_options agent_options;
	struct agent agent;
	bool follows;
	bool removes;
	bool is_quiet;
	__u64 rate;
	__u64 wait_ms;
	const char *output;
	struct broker broker;
	bool is_over;
	bool is_orphan;
	__u64 progress_ns;
	__u64 due_ns;
	unsigned int stored;
	__u64 bytes;
	unsigned int kept;
	unsigned int removed;
	__u64 pieces;
	__u64 repeats;
	__u64 sent;
	unsigned char done[KTRACE_PART_MAX / 8 + 1];
};

/* main.c: true after a signal that ends the program */
bool ship_is_stopped(void);

/* send.c */

/* Return: false, having complained */
bool send_init(struct ship *s);
void send_exit(struct ship *s);
/*
 * Sends the file until the store has it. Return: 0; -EEXIST: the store has another file for this
 * part; -ETIMEDOUT: the end, and no progress; -ECANCELED: a signal; -errno of read(2).
 */
int send_part(struct ship *s, int fd, const struct message_part *p);
/*
 * Sleeps, and hears the recorder meanwhile. Return: false after a signal, or at the end after
 * --wait without progress.
 */
bool ship_pause(struct ship *s, int ms);

#endif
