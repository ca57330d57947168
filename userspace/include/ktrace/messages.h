/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * messages.h - packets that one host sent and another received
 *
 * A message joins an event net:queue of one host with an event net:receive of another that are
 * about the same bytes. A host is one boot of one machine: traces whose META says so. Packets
 * within a host are not messages.
 *
 *   ktrace_messages_open(set, &messages);
 *   ktrace_messages_add(messages, &event, found, arg);	each event of the set
 *   ktrace_messages_end(messages, found, arg);			after the last one
 *   ktrace_messages_close(messages);
 *
 * The events of a host have to come in their order; those of different hosts may come in any
 * order, so clocks need not be corrected before. A message is found when both ends have come,
 * datagrams later: see ktrace_messages_end().
 *
 * What always holds for messages of TCP and UDP: @from happened before @to. Packets for which this
 * is not certain are left out and counted. It relies on complete traces: where records are lost,
 * the first transmission of a byte may be missing, and a later one may be taken for it. Matching
 * notices most such cases by their sequence numbers, and leaves them out.
 *
 * Memory: at most about 60 MiB, see KTRACE_MESSAGES_PENDING.
 */
#ifndef KTRACE_MESSAGES_H
#define KTRACE_MESSAGES_H

#include <ktrace/traceset.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Packets of TCP that can wait for their other end; half as many datagrams of UDP */
#define KTRACE_MESSAGES_PENDING (1u << 18)

/**
 * enum ktrace_message_kind - what joins the two ends
 * @KTRACE_MESSAGE_TCP:		bytes of a connection: sent, then received
 * @KTRACE_MESSAGE_UDP:		a datagram: sent, then received; one for each receiver
 * @KTRACE_MESSAGE_BROADCAST:	a datagram to several hosts that both ends received, at nearly the
 *				same time, in no certain order
 */
enum ktrace_message_kind {
	KTRACE_MESSAGE_TCP,
	KTRACE_MESSAGE_UDP,
	KTRACE_MESSAGE_BROADCAST,
	KTRACE_MESSAGE_NR,
};

/**
 * struct ktrace_message_end - the event at one end of a message
 * @trace:	its trace
 * @raw:	its stamp
 * @time:	its time when it was added
 * @tid:	the thread that ran, not always the owner of the packet
 * @cpu:	the CPU, -1 = a thread's ring
 */
struct ktrace_message_end {
	const struct ktrace_trace *trace;
	__u64 raw;
	__u64 time;
	__u32 tid;
	__s32 cpu;
};

/**
 * struct ktrace_message - a packet that reached another host
 * @kind:	what joins the ends
 * @is_retransmitted: TCP: some bytes were sent several times, as far as was read. @from is the
 *		first time, so how long the packet took is not known
 * @from:	sent here; KTRACE_MESSAGE_BROADCAST: received here, too
 * @to:		received here
 * @bytes:	bytes of payload that were received, 0 if the trace does not tell
 */
struct ktrace_message {
	enum ktrace_message_kind kind;
	bool is_retransmitted;
	struct ktrace_message_end from;
	struct ktrace_message_end to;
	__u32 bytes;
};

/** typedef ktrace_message_fn - called for each message; @message is valid during the call */
typedef void (*ktrace_message_fn)(void *arg, const struct ktrace_message *message);

/**
 * struct ktrace_messages_stats - what became of packets so far
 * @sent:	events net:queue
 * @received:	events net:receive
 * @messages:	messages by kind
 * @matched:	packets, sent or received, that are an end of a message
 * @waiting:	packets whose other end has not come yet
 * @given_up:	packets that were forgotten before their other end came, if it ever did: as many
 *		others had come as can wait, or ktrace_messages_end() was called
 * @without_addresses: recorded without addresses: by ktrace 0.1, by another tracer, or without the
 *		right to see them
 * @other:	neither TCP nor UDP, or TCP without payload, SYN or FIN
 * @local:	of a loopback device or address, or received by the host that sent them
 * @passed_on:	sent once more, by another device of the same host, as by a bridge
 * @retransmitted: bytes of TCP that this host has sent before
 * @duplicate:	received before by the same host, as by another device
 * @unsure:	bytes of TCP sent where it is not certain that they had not been sent before: the
 *		first packet of a connection that began earlier, and packets at missing ones
 * @ambiguous:	datagrams that several packets are equal to
 * @invalid:	values that no packet has, or a payload that is too short
 */
struct ktrace_messages_stats {
	__u64 sent;
	__u64 received;
	__u64 messages[KTRACE_MESSAGE_NR];
	__u64 matched;
	__u64 waiting;
	__u64 given_up;
	__u64 without_addresses;
	__u64 other;
	__u64 local;
	__u64 passed_on;
	__u64 retransmitted;
	__u64 duplicate;
	__u64 unsure;
	__u64 ambiguous;
	__u64 invalid;
};

struct ktrace_messages;

/**
 * ktrace_messages_open - begin without any packet
 * @set:	the traceset whose events will be added; all its files have been added
 * @out:	to be freed with ktrace_messages_close(), before the set
 *
 * Return: 0, -ENOMEM.
 */
int ktrace_messages_open(const struct ktrace_traceset *set, struct ktrace_messages **out);

/**
 * ktrace_messages_close - free everything; NULL is allowed
 *
 * Packets that wait for their other end are forgotten.
 */
void ktrace_messages_close(struct ktrace_messages *m);

/**
 * ktrace_messages_add - take an event, of any type
 * @m:		packets so far
 * @e:		the event, of the traceset that was opened
 * @found:	called for each message that has become certain, in no certain order; may be NULL
 * @arg:	for @found
 *
 * Return: 0, -ENOMEM: the event has not been taken.
 */
int ktrace_messages_add(struct ktrace_messages *m, const struct ktrace_trace_event *e,
			ktrace_message_fn found, void *arg);

/**
 * ktrace_messages_end - find the messages that are certain only now
 * @m:		packets so far
 * @found:	called for each message, may be NULL
 * @arg:	for @found
 *
 * A datagram of UDP has no number that is unique for long. So its messages are found when as many
 * others have come as are kept, or here, if no second packet was equal to it until then. The same
 * holds for packets of TCP of other tracers that tell neither addresses nor sizes. Afterwards no
 * such packet waits, and reading can go on.
 */
void ktrace_messages_end(struct ktrace_messages *m, ktrace_message_fn found, void *arg);

/** ktrace_messages_stats - get the statistics so far */
void ktrace_messages_stats(const struct ktrace_messages *m, struct ktrace_messages_stats *stats);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
