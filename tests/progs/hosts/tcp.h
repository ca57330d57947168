/* SPDX-License-Identifier: GPL-2.0 */
/* tcp.h - connections between simulated hosts: sequence numbers, acknowledgements, repetition */
#ifndef TESTS_HOSTS_TCP_H
#define TESTS_HOSTS_TCP_H

#include "network.h"

#define TCP_HOLES 64
#define TCP_MESSAGES 64

struct tcp;

/* struct tcp_end - one end of a connection; @isn wraps on purpose, see tcp_open() */
struct tcp_end {
	__u32 host;
	__u32 cpu;
	__u16 port;
	__u32 isn;
};

/* struct tcp_message - the last byte of what the program wrote at once */
struct tcp_message {
	__u64 end;
	__u64 id;
};

/**
 * struct tcp_flow - one direction of a connection; offsets in its stream of bytes do not wrap
 * @tcp:	the connection
 * @from:	its sending end
 * @to:		its receiving end
 * @next:	offset of what is sent next
 * @acked:	everything before is acknowledged
 * @received:	everything before has been received
 * @held:	received, with holes before it: start and end
 * @messages:	written and not yet delivered, a ring
 * @timer:	number of the valid timer of repetition
 * @ack_timer:	and of acknowledgement
 * @unacked:	bytes received and not yet acknowledged
 */
struct tcp_flow {
	struct tcp *tcp;
	struct tcp_end *from;
	struct tcp_end *to;
	__u64 next;
	__u64 acked;
	__u64 received;
	__u64 held[TCP_HOLES][2];
	__u32 held_nr;
	struct tcp_message messages[TCP_MESSAGES];
	__u64 written;
	__u64 delivered;
	__u64 timer;
	__u32 tries;
	__u32 same_acks;
	__u64 ack_timer;
	__u64 unacked;
};

/* struct tcp - a connection; @message is called when a message is complete, @opened once */
struct tcp {
	struct tcp_end ends[2];
	struct tcp_flow flows[2];
	bool is_open;
	void *object;
	void (*opened)(struct sim *s, __u64 t, void *object);
	void (*message)(struct sim *s, __u64 t, void *object, bool is_answer, __u64 id);
};

void tcp_open(struct sim *s, __u64 t, struct tcp *tcp);
__u64 tcp_write(struct sim *s, __u64 t, __u32 tid, struct tcp_flow *f, __u32 bytes, __u64 id);

#endif
