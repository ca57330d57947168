/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ping_answerer.h - answers questions of other recorders, --answer-pings
 *
 * Never sends more than it receives, and nothing but an answer to a question. Limits: answers in
 * each second in total and to each address, and the number of addresses.
 */
#ifndef KTRACED_CLOCKS_PING_ANSWERER_H
#define KTRACED_CLOCKS_PING_ANSWERER_H

#include "base/loop.h"
#include "ping.h"

#define PING_ADDRESSES_MAX 64
/* Answers in a second; an asker sends at most 10 questions */
#define PING_ANSWERS_A_SECOND 256u
#define PING_ANSWERS_TO_ONE 20u

/**
 * struct ping_address - an address that has asked
 * @addr:	with its port
 * @size:	bytes of @addr, 0 = unused
 * @seen_ns:	time of its last question
 * @answers:	in the current second
 * @token:	of the latest exchange, 0 = none
 * @asked_there: its first three stamps
 * @received:	see above
 * @answered:	see above
 */
struct ping_address {
	struct sockaddr_storage addr;
	socklen_t size;
	__u64 seen_ns;
	__u32 answers;
	__u64 token;
	struct ping_stamp asked_there;
	struct ping_stamp received;
	struct ping_stamp answered;
};

/**
 * struct ping_answerer - state
 * @self:	this recorder
 * @source:	its socket, fd < 0 = none
 * @second:	the current second
 * @answers:	in it
 * @addresses:	those that have asked
 * @answered:	answers so far
 * @strange:	datagrams that are not a question
 * @refused:	questions beyond the limits
 * @stale:	times of an exchange that is not the latest of that address
 * @impossible:	times that contradict each other
 * @unsent:	answers that could not be sent
 */
struct ping_answerer {
	struct ping_self *self;
	struct loop_source source;
	__u64 second;
	__u32 answers;
	struct ping_address addresses[PING_ADDRESSES_MAX];
	__u64 answered;
	__u64 strange;
	__u64 refused;
	__u64 stale;
	__u64 impossible;
	__u64 unsent;
};

/* Opens the socket. Reports errors. */
int ping_answerer_open(struct ping_answerer *a, const char *name);
/* Answers from now on. Returns 0 or -errno. */
int ping_answerer_begin(struct ping_answerer *a, struct loop *loop);
void ping_answerer_end(struct ping_answerer *a, struct loop *loop);
void ping_answerer_say(const struct ping_answerer *a);
void ping_answerer_close(struct ping_answerer *a);

#endif
