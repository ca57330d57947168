/* SPDX-License-Identifier: GPL-2.0 */
/*
 * chain.h - what a thread waited for, and what that waited for, back in time
 *
 * All spans of all threads are kept, some 48 bytes for each change of a thread. The chain
 * goes from the end of the window to its begin: while the thread runs, or waits for a CPU,
 * it is the thread itself that takes the time; while it is blocked, it is the thread that
 * woke it at last, and what that did meanwhile, in the same way.
 */
#ifndef VIEWER_CHAIN_H
#define VIEWER_CHAIN_H

#include "analysis.h"

/**
 * struct chain_span - a thread from one change of its status to the next
 * @from:	begin
 * @to:		end
 * @status:	enum ktrace_status
 * @wait:	WAIT: why
 * @sub:	WAIT: number of the system call it waits in, + 1; 0 = none
 * @waker_mode:	WAIT: IRQ or SOFTIRQ if that woke it
 * @waker:	WAIT: serial of the thread that woke it, + 1; 0 = none, or not known
 */
struct chain_span {
	__u64 from;
	__u64 to;
	__u32 status;
	__u32 wait;
	__u32 sub;
	__u32 waker_mode;
	__u64 waker;
};

/* struct chain_thread - a thread and its spans, in order of time */
struct chain_thread {
	struct thread_row thread;
	__u64 waker;	/* of the wait that is about to end, as in struct chain_span */
	struct chain_span *spans;
	size_t nr;
	size_t cap;
};

/* struct chain_link - a piece of the chain: thread @serial, [from, to) of one of its spans */
struct chain_link {
	__u64 serial;
	__u64 from;
	__u64 to;
	const struct chain_span *span;	/* NULL: nothing is known about the thread here */
	int depth;
};

/**
 * struct chain - all of it
 * @threads:	struct chain_thread
 * @links:	latest first
 * @nr:		how many
 * @cap:	room for so many
 * @error:	-ENOMEM once memory ran out
 */
struct chain {
	struct rows threads;
	struct chain_link *links;
	size_t nr;
	size_t cap;
	int error;
};

struct chain_thread *chain_thread(struct chain *c, __u64 serial);
void chain_add(struct chain *c, struct chain_thread *t, const struct chain_span *span);
/* Makes the links for a thread and [from, to). Return: 0, -ENOMEM. */
int chain_walk(struct chain *c, __u64 serial, __u64 from, __u64 to);
void chain_free(struct chain *c);

#endif
