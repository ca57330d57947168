/* SPDX-License-Identifier: GPL-2.0 */
/* ping_asker.h - sends questions to other recorders, --ping */
#ifndef KTRACED_CLOCKS_PING_ASKER_H
#define KTRACED_CLOCKS_PING_ASKER_H

#include "base/loop.h"
#include "base/timer.h"
#include "ping.h"

#define PING_PEERS_MAX 16
/* Questions to a peer that may be under way at a time */
#define PING_OPEN_MAX 8

/* struct ping_open - a question without its answer; nonce 0 = none */
struct ping_open {
	__u64 nonce;
	struct ping_stamp sent;
};

/**
 * struct ping_peer - one recorder to ask
 * @asker:	its asker
 * @name:	as given
 * @source:	its connected socket
 * @open:	the latest questions
 * @asked:	number of questions
 * @answered:	of those that have an answer
 * @strange:	datagrams that are not an answer, or not to an open question
 * @impossible:	answers whose stamps contradict each other
 * @is_self:	the answers are from this host
 * @token:	of the latest exchange, to be sent with @received; 0 = none
 * @received:	stamp of its answer
 * @error:	last error of sending, 0 = none
 */
struct ping_peer {
	struct ping_asker *asker;
	const char *name;
	struct loop_source source;
	struct ping_open open[PING_OPEN_MAX];
	__u64 asked;
	__u64 answered;
	__u64 strange;
	__u64 impossible;
	bool is_self;
	__u64 token;
	struct ping_stamp received;
	int error;
};

/**
 * struct ping_asker - all of them
 * @self:	this recorder
 * @timers:	of the loop
 * @tick:	fires when they are to be asked again
 * @interval_ms: time between questions
 * @peers:	the recorders
 * @nr:		number of @peers
 */
struct ping_asker {
	struct ping_self *self;
	struct timers *timers;
	struct timer tick;
	__u64 interval_ms;
	struct ping_peer peers[PING_PEERS_MAX];
	unsigned int nr;
};

/* Opens a socket for one more peer: may wait for the name to be looked up. Reports errors. */
int ping_asker_add(struct ping_asker *a, const char *name);
/* Asks from now on. Returns 0 or -errno. */
int ping_asker_begin(struct ping_asker *a, struct loop *loop, struct timers *timers);
/* Stops asking. */
void ping_asker_end(struct ping_asker *a, struct loop *loop);
/* Reports what came of it. */
void ping_asker_say(const struct ping_asker *a);
/* Closes the sockets. */
void ping_asker_close(struct ping_asker *a);

#endif
