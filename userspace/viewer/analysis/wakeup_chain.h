/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wakeup_chain.h - finds what a thread waited for, and what that waited for, back in time
 *
 * The chain goes from the end of the window to its beginning. While the thread runs or waits for a
 * CPU, the thread itself takes the time. While it is blocked, the chain continues with the thread
 * that woke it, and what that did meanwhile, in the same way.
 *
 * Spans are needed backwards, but not all of them are kept: the caller provides those of one part
 * of the window at a time, the latest part first, and the chain goes back as far as they reach. A
 * span that extends beyond its part ends with the part.
 */
#ifndef VIEWER_ANALYSIS_WAKEUP_CHAIN_H
#define VIEWER_ANALYSIS_WAKEUP_CHAIN_H

#include "analysis.h"

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
 */
struct wakeup_chain_span {
	__u64 from;
	__u64 to;
	__u32 status;
	__u32 wait;
	__u32 sub;
	__u32 waker_mode;
	__u64 waker;
};

/* struct wakeup_chain_thread - a thread and its spans in the current part, in order of time */
struct wakeup_chain_thread {
	struct thread_row thread;
	__u64 waker;	/* waker of the wait that is about to end, as in struct wakeup_chain_span */
	struct wakeup_chain_span *spans;
	size_t nr;
	size_t cap;
};

/* struct wakeup_chain_link - a piece of the chain: [from, to) of a span of thread @serial */
struct wakeup_chain_link {
	__u64 serial;
	__u64 from;
	__u64 to;
	struct wakeup_chain_span span;	/* UNNAMED: nothing is known about the thread here */
	int depth;
};

/* struct wakeup_chain_wait - a thread to follow from @to back to @from */
struct wakeup_chain_wait {
	__u64 serial;
	__u64 from;
	__u64 to;
};

/**
 * struct wakeup_chain - the search
 * @threads:	struct wakeup_chain_thread
 * @found:	called for each link, the latest first
 * @arg:	argument of @found
 * @waits:	the requested thread, the one it waits for, the one that one waits for
 * @depth:	number of @waits
 * @link:	last link found, not yet reported; earlier pieces may still extend it
 * @error:	-ENOMEM after memory ran out
 */
struct wakeup_chain {
	struct hash_table threads;
	void (*found)(void *arg, const struct wakeup_chain_link *link);
	void *arg;
	struct wakeup_chain_wait waits[WAKEUP_CHAIN_DEPTH_MAX + 1];
	int depth;
	struct wakeup_chain_link link;
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
