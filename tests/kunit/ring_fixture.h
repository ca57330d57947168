/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ring_fixture.h - a small ring, a hook at each test point, and records that describe
 * themselves
 *
 * A record's sequence number is in its header, and each byte of its payload follows
 * from that and its length: corruption, loss and repetition show without knowing the
 * algorithm.
 */
#ifndef KTRACE_RING_FIXTURE_H
#define KTRACE_RING_FIXTURE_H

#include <kunit/test.h>
#include "ring/ring.h"

#define FIX_ID 77
#define FIX_FRAG_ID 78
#define FIX_BLOCK 4096u
#define FIX_SIZE (4 * FIX_BLOCK)
#define FIX_SEQ_MAX (1u << 17)
#define FIX_CHAIN_MAX 4096u

/**
 * struct fix - the ring under test and what is known of its contents
 * @seen:	by sequence number: 1 written, 2 read
 * @copy:	a block, as a reader must take it away
 * @written:	attempts to write
 * @read:	records that came back
 * @last_ts:	largest stamp that came back
 * @last_seq:	last sequence number that came back
 * @any_order:	nested writers: sequence numbers may be out of order
 * @chain:	bytes of the present chain of fragments that came back
 * @chain_text:	those bytes
 * @random:	state of fix_random()
 */
struct fix {
	struct kt_ring ring;
	struct ktrace_ring words;
	struct ktrace_tail tail;
	struct kt_reader reader;
	struct kunit *test;
	__u8 *seen;
	char *copy;
	__u32 written;
	__u32 read;
	__u64 last_ts;
	__u32 last_seq;
	bool any_order;
	__u32 chain;
	char *chain_text;
	__u32 random;
};

extern struct fix *fix;

/* Called at each KT_TESTPOINT() of the ring; how deep it may recurse is the hook's. */
extern void (*testpoint_hook)(const char *name);
extern unsigned int testpoint_depth;

int fix_init(struct kunit *test);
void fix_exit(struct kunit *test);

/* An empty ring whose positions begin at @start. */
void fix_setup(struct kunit *test, __u32 policy, __u64 start);
__u32 fix_random(void);

/* One attempt to write; returns the ring's answer. */
enum kt_ring_result fix_write(__u32 len);

/* Read one piece and check its records; false: there was none. */
bool fix_read(bool partial);

/* Drain, then: written = read + lost, and nothing is left in the ring. */
void fix_check_ledger(void);

#endif
