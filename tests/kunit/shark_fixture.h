/* SPDX-License-Identifier: GPL-2.0 */
/*
 * shark_fixture.h - a S.Ha.R.K. tracer of one's own, and what its chunks hold
 *
 * Events are numbered: par2 counts from 0, over all chunks.
 */
#ifndef KTRACE_SHARK_FIXTURE_H
#define KTRACE_SHARK_FIXTURE_H

#include <kunit/test.h>
#include "shark/shark.h"

#define SLOT (int)sizeof(struct ktrace_shark_event)
#define FREE FTRACE_CHUNK_FLAG_FREE
#define FULL FTRACE_CHUNK_FLAG_FULL
#define CYC FTRACE_CHUNK_FLAG_CYC
#define JTN FTRACE_CHUNK_FLAG_JTN
#define STOP FTRACE_CHUNK_FLAG_STOP
#define BUSY FTRACE_CHUNK_FLAG_BUSY
#define NODEL FTRACE_CHUNK_FLAG_NODEL
#define COMPR FTRACE_CHUNK_FLAG_COMPR
#define USER FTrace_EVT_user_event_0

extern struct kt_shark *shark;
extern struct kunit *shark_test;
extern __u32 logged;

/* Called at each KT_TESTPOINT() of the core, with the lock held. */
extern void (*shark_hook)(const char *name);

int shark_setup(struct kunit *test);
void shark_teardown(struct kunit *test);

/* A chunk of that many slots; its memory is the test's. */
int chunk(__u32 slots, __u32 emergency, __u32 flags);
/* The same, selected, and the tracer enabled */
int target(__u32 slots, __u32 emergency, __u32 flags);

void log_one(__u16 code);
void log_many(__u32 nr);
void log_critical(void);

__u32 flags_of(int n);
__u64 lost(__u32 reason);
struct FTrace_Chunk status_of(int n);

/* The chunk holds events @first to @last in this order, and nothing else; stamps ascend. */
void account_holds(int n, __u32 first, __u32 last);
void holds_nothing(int n);
/* Event @i of a chunk */
struct ktrace_shark_event event_of(int n, __u32 i);

#endif
