/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wakeup_chain.h - finds what a thread waited for, and what that waited for, back in time
 *
 * The chain goes from the end of the window to its beginning. While the thread runs or waits for a
 * CPU, the thread itself takes the time. While it is blocked, the chain continues with the thread
 * that woke it, and what that did meanwhile, in the same way.
 *
 * If a packet of another host ended the wait, the chain continues with the interrupt that received
 * it, the network, and the thread that sent it: see packet_wakeups.h. How long each of these took
 * is as certain as the times of the two hosts. That the packet was sent before it was received is
 * certain; if the times say otherwise, the network took no time if their errors allow that, and the
 * chain ends there if not.
 *
 * Spans are needed backwards, but not all of them are kept: the caller provides those of one part
 * of the window at a time, the latest part first, and the chain goes back as far as they reach. A
 * span that extends beyond its part ends with the part.
 */
#ifndef VIEWER_ANALYSIS_WAKEUP_CHAIN_H
#define VIEWER_ANALYSIS_WAKEUP_CHAIN_H

#include "analysis.h"
#include "packet_wakeups.h"

#define WAKEUP_CHAIN_DEPTH_MAX 64	/* deeper waits are shown as waits */

/**
 * struct wakeup_chain_span - time of a thread between two changes of its status
 * @from:	begin
 * @to:		end
 * @status:	enum ktrace_status
 * @wait:	WAIT: reason
 * @sub:	WAIT: number of the system call it waits in, + 1; 0 = none
 * @waker_mode:	WAIT: IRQ or SOFTIRQ if one of these woke it
 * @waker:	WAIT: serial of the waking thread, + 1; 0 = none, or not known
 * @packet:	WAIT: the packet that ended it
 */
struct wakeup_chain_span {
	__u64 from;
	__u64 to;
	__u32 status;
	__u32 wait;
	__u32 sub;
	__u32 waker_mode;
	__u64 waker;
	struct packet_cause packet;
};

/* struct wakeup_chain_thread - a thread and its spans in the current part, in order of time */
struct wakeup_chain_thread {
	struct thread_row thread;
	__u32 machine;
	__u64 waker;	/* of the wait that is about to end, as in struct wakeup_chain_span */
	struct packet_cause packet;	/* the same */
	struct wakeup_chain_span *spans;
	size_t nr;
	size_t cap;
};

/* enum wakeup_chain_kind - what takes the time of a piece of the chain */
enum wakeup_chain_kind {
	WAKEUP_CHAIN_THREAD,
	WAKEUP_CHAIN_RECEIVE,	/* a host, from receiving a packet to the wake-up or the answer */
	WAKEUP_CHAIN_NETWORK,	/* a packet, from one host to another */
	WAKEUP_CHAIN_SEND,	/* a host, from the thread's last packet to a later one */
};

/* enum wakeup_chain_stop - why the chain does not continue with a packet's sender */
enum wakeup_chain_stop {
	WAKEUP_CHAIN_GOES_ON,	/* or no packet ended the wait */
	WAKEUP_CHAIN_AMBIGUOUS,	/* several packets may have ended it */
	WAKEUP_CHAIN_NO_MESSAGE, /* no host with a trace is known to have sent the packet */
	WAKEUP_CHAIN_CLOCKS,	/* received before it was sent, beyond the error */
	WAKEUP_CHAIN_INTERRUPT,	/* sent by an interrupt, and it is not known for which thread */
	WAKEUP_CHAIN_STOP_NR,
};

/**
 * struct wakeup_chain_link - a piece of the chain
 * @serial:	thread; that which waits, if @kind is not THREAD
 * @from:	begin
 * @to:		end
 * @span:	THREAD: it is part of this; UNNAMED: nothing is known about the thread here
 * @depth:	number of waits that it explains
 * @kind:	enum wakeup_chain_kind
 * @stop:	THREAD: enum wakeup_chain_stop
 * @machine:	RECEIVE, SEND: which
 * @trip:	NETWORK: the packet
 */
struct wakeup_chain_link {
	__u64 serial;
	__u64 from;
	__u64 to;
	struct wakeup_chain_span span;
	int depth;
	__u32 kind;
	__u32 stop;
	__u32 machine;
	struct packet_trip trip;
};

/* struct wakeup_chain_wait - a thread to follow from @to back to @from */
struct wakeup_chain_wait {
	__u64 serial;
	__u64 from;
	__u64 to;
};

/**
 * struct wakeup_chain_crossings - packets between hosts in the chain
 * @nr:		followed to what sent them
 * @retransmitted: of these, their bytes were sent several times
 * @without_error: the error of their trip is not known
 * @overlapping: their trip may have taken no time, by the errors of the clocks
 * @negative:	by the times they were received before they were sent
 * @error_ns:	the largest error of a trip
 */
struct wakeup_chain_crossings {
	__u64 nr;
	__u64 retransmitted;
	__u64 without_error;
	__u64 overlapping;
	__u64 negative;
	__u64 error_ns;
};

/**
 * struct wakeup_chain - the search
 * @threads:	struct wakeup_chain_thread
 * @found:	called for each link, the latest first
 * @arg:	argument of @found
 * @waits:	the requested thread, the one it waits for, the one that one waits for
 * @depth:	number of @waits
 * @link:	last link found, not yet reported; earlier pieces may still extend it
 * @packets:	packets of this part
 * @crossings:	those in the chain
 * @error:	-ENOMEM after memory ran out
 */
struct wakeup_chain {
	struct hash_table threads;
	void (*found)(void *arg, const struct wakeup_chain_link *link);
	void *arg;
	struct wakeup_chain_wait waits[WAKEUP_CHAIN_DEPTH_MAX + 1];
	int depth;
	struct wakeup_chain_link link;
	struct packet_wakeups packets;
	struct wakeup_chain_crossings crossings;
	int error;
};

struct wakeup_chain_thread *wakeup_chain_thread(struct wakeup_chain *c, __u64 serial);
/* Begins the search for the chain of a thread in [from, to). */
void wakeup_chain_begin(struct wakeup_chain *c, __u64 serial, __u64 from, __u64 to);
/* True if spans before @time are needed. */
bool wakeup_chain_goes_before(const struct wakeup_chain *c, __u64 time);
/* Drops all spans, as a new part begins. */
void wakeup_chain_clear(struct wakeup_chain *c);
void wakeup_chain_add(struct wakeup_chain *c, struct wakeup_chain_thread *t,
		      const struct wakeup_chain_span *span);
/* Goes back to @since with the spans of the part that begins there. */
void wakeup_chain_walk(struct wakeup_chain *c, __u64 since);
/* Reports the last link. */
void wakeup_chain_end(struct wakeup_chain *c);
void wakeup_chain_free(struct wakeup_chain *c);

#endif
