/* SPDX-License-Identifier: GPL-2.0 */
/*
 * packet_wakeups.h - which received packet woke a thread, and which thread of another host sent it
 *
 * Events do not say whom a packet is for. What is assumed:
 *
 * A packet woke a thread if it was received while the thread waited, and
 *  - the thread has sent on the packet's connection, before or after, and the wake-up happened in
 *    an interrupt: the packet may have been received on another CPU, which asked the thread's CPU
 *    to wake it; or
 *  - both happened on one CPU in one run of the softirq NET_RX. The kernel may receive several
 *    packets before it wakes anybody: those of connections on which other processes send, or that
 *    have already woken a thread, are not considered, and those with data go before those without.
 * The first such packet counts, as later ones find the thread awake. If several connections remain,
 * the packet is ambiguous.
 *
 * A thread sent a packet if the packet was queued in its context. Otherwise an interrupt sent it,
 * as an acknowledgement or a timer allowed it to: then the data is taken to be of the thread that
 * sent on the connection last. Of an interrupt that answers a packet (SYN) there is no thread.
 */
#ifndef VIEWER_ANALYSIS_PACKET_WAKEUPS_H
#define VIEWER_ANALYSIS_PACKET_WAKEUPS_H

#include "base/hash_table.h"
#include "base/hosts.h"

#include <ktrace/messages.h>
#include <ktrace/state.h>

/* Connections that are remembered, and packets of a run; further ones are ambiguous */
#define PACKET_FLOWS_MAX 65536u
#define PACKET_RUN_MAX 1024u

/* struct packet_id - event of a packet: number of its trace, CPU, stamp */
struct packet_id {
	__u32 trace;
	__s32 cpu;
	__u64 raw;
};

enum packet_cause_kind {
	PACKET_CAUSE_NONE,	/* no packet */
	PACKET_CAUSE_FOUND,
	PACKET_CAUSE_AMBIGUOUS,
};

/* struct packet_cause - the packet that woke a thread or that an interrupt answers */
struct packet_cause {
	struct packet_id id;	/* its net:receive */
	__u64 time;		/* of that */
	__u32 kind;
};

/**
 * struct packet_trip - a packet's way between hosts
 * @to:		its net:receive, the key
 * @from:	its net:queue on the other host
 * @from_machine: the sender
 * @to_machine: the receiver
 * @sent:	time of @from
 * @received:	time of @to
 * @error:	of their difference; the true one is not below 0
 * @is_retransmitted: @from is the first of several transmissions
 */
struct packet_trip {
	struct packet_id to;
	struct packet_id from;
	__u32 from_machine;
	__u32 to_machine;
	__u64 sent;
	__u64 received;
	struct time_error error;
	bool is_retransmitted;
};

/**
 * struct packet_sender - what sent a packet
 * @id:		its net:queue, the key
 * @thread:	serial of the thread, + 1; 0 = not known
 * @time:	when the thread sent last: that of @id, or earlier if an interrupt sent @id
 * @answers:	no thread: the packet that the interrupt answers
 */
struct packet_sender {
	struct packet_id id;
	__u64 thread;
	__u64 time;
	struct packet_cause answers;
};

enum packet_event {
	PACKET_EVENT_OTHER,
	PACKET_EVENT_SOFTIRQ_ENTER,
	PACKET_EVENT_SOFTIRQ_EXIT,
	PACKET_EVENT_QUEUE,
	PACKET_EVENT_RECEIVE,
	PACKET_EVENT_NR,
};

#define PACKET_TYPES_NR 256u

/* struct packet_type - cached: which event a type is */
struct packet_type {
	const struct ktrace_event_type *type;
	enum packet_event kind;
};

/**
 * struct packet_wakeups - packets of several hosts
 * @set:	the traceset
 * @state:	its state
 * @messages:	packets between hosts; NULL: there is only one host
 * @is_again:	the files are read again: @trips and @senders are filled
 * @found:	called for each packet between hosts, in the first pass; may be NULL. Return: 0,
 *		-errno
 * @arg:	for @found
 * @event:	the event being read
 * @types:	cache, by address of the type
 * @cpus:	struct packet_cpu, see packet_wakeups.c
 * @flows:	struct packet_flow: connections; kept for all passes
 * @firsts:	struct packet_first: the first packet that a thread may have waited for
 * @trips:	struct packet_trip
 * @senders:	struct packet_sender
 * @flows_over:	connections beyond PACKET_FLOWS_MAX
 * @error:	-ENOMEM after memory ran out
 */
struct packet_wakeups {
	struct ktrace_traceset *set;
	struct ktrace_states *state;
	struct ktrace_messages *messages;
	bool is_again;
	int (*found)(void *arg, const struct packet_trip *trip);
	void *arg;
	const struct ktrace_trace_event *event;
	struct packet_type types[PACKET_TYPES_NR];
	struct hash_table cpus;
	struct hash_table flows;
	struct hash_table firsts;
	struct hash_table trips;
	struct hash_table senders;
	__u64 flows_over;
	int error;
};

/* Begins; nothing is followed if all traces are of one host. Return: 0, -ENOMEM. */
int packet_wakeups_init(struct packet_wakeups *w, struct ktrace_traceset *set,
			struct ktrace_states *state);
/*
 * Begins to read a part of the files again: drops all but the connections, and packets received
 * before @until. @found has got the packets of the part: the caller adds them.
 */
void packet_wakeups_again(struct packet_wakeups *w, __u64 until);
/* Adds a packet that @found got. Return: 0, -ENOMEM. */
int packet_wakeups_add(struct packet_wakeups *w, const struct packet_trip *trip);
/* Takes an event, before the state does. Return: 0, -ENOMEM. */
int packet_wakeups_see(struct packet_wakeups *w, const struct ktrace_trace_event *e);
/* Called by the state's watch as the event wakes @p: finds the packet. @by: as for the watch */
struct packet_cause packet_wakeups_cause(struct packet_wakeups *w, const struct ktrace_process *p,
					 const struct ktrace_process *by);
/* Ends the first pass: packets that become certain only now are found, too. Return: 0, -errno. */
int packet_wakeups_end(struct packet_wakeups *w);
/* Returns the way of a received packet, NULL = it came from no host that has a trace. */
const struct packet_trip *packet_wakeups_trip(const struct packet_wakeups *w,
					      const struct packet_id *received);
/* Returns what sent a packet, NULL = not read in this pass. */
const struct packet_sender *packet_wakeups_sender(const struct packet_wakeups *w,
						  const struct packet_id *queued);
void packet_wakeups_free(struct packet_wakeups *w);

#endif
