// SPDX-License-Identifier: GPL-2.0
/*
 * step_thread.c - the writer of thread rings, instruction by instruction
 *
 *   step_thread [--long]
 *
 * At each boundary of one event: a signal handler that writes, the reader, the thread's
 * death, after which the ring is taken back and another thread claims it, a handler that
 * leaves by siglongjmp, and fork in a handler, with the child going on before or after
 * its parent.
 *
 * --long: also everything in pairs, what comes second at each boundary of what is left.
 */
#include "step.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "../../userspace/lib/writer/own.h"
#include "../../userspace/lib/writer/thread.h"

/* The same ring is the first choice of both. */
#define TID 1001u
#define OTHER_TID (TID + STEP_THREAD_NR)
#define OWN_RING (TID % STEP_THREAD_NR)
#define CHILD_WRITES 2

struct state {
	const char *name;
	uint32_t room;		/* left in the present block */
	unsigned int blocks;	/* that have been begun, 0: the ring has not been claimed */
	bool has_lost;		/* something was, and then all was read */
	bool has_left;		/* an event was left by siglongjmp, deeper in the stack */
};

static struct ktrace_thread other_thread;
static struct state state;
static uint32_t policy;
static uint64_t position, records;
static bool has_jumped;

/* The child of the program's fork: 0 = none, and when it goes on. */
static pid_t child;
static bool child_is_last;
static int turn[2];

/* Without it the copies that the stepping makes would be children, too. */
int madvise(void *addr, size_t len, int advice)
{
	(void)addr;
	(void)len;
	(void)advice;
	errno = EINVAL;
	return -1;
}

static void init_thread(struct ktrace_thread *t, uint32_t tid)
{
	*t = (struct ktrace_thread){
		.rseq = &t->own_ring,
		.size_mask = STEP_RING - 1,
		.not_block = -STEP_BLOCK,
		.tid_flags = (uint64_t)tid << 32,
		.cpu = KTRACE_CPU_NONE,
		.no_cpu = ~0u,
	};
}

static void other_writes(uint32_t size)
{
	const struct ktrace_thread mine = ktrace_thread;

	ktrace_thread = other_thread;
	ktrace_thread.rseq = &ktrace_thread.own_ring;
	step_write_other(size);
	other_thread = ktrace_thread;
	ktrace_thread = mine;
}

static void handler_writes(ucontext_t *uc)
{
	(void)uc;
	step_write_other(8);
}

static void handler_writes_a_block(ucontext_t *uc)
{
	unsigned int i;

	(void)uc;
	for (i = 0; i < 4; i++)
		step_write_other(1500);
}

static void reader_reads(ucontext_t *uc)
{
	(void)uc;
	step_drain();
}

static void reader_then_handler(ucontext_t *uc)
{
	step_drain();
	handler_writes(uc);
}

static void dies(ucontext_t *uc)
{
	(void)uc;
}

static void jumps(ucontext_t *uc)
{
	(void)uc;
	has_jumped = true;
}

static void writes_and_jumps(ucontext_t *uc)
{
	handler_writes(uc);
	jumps(uc);
}

static void forks(void)
{
	char c;

	step_share_channel();
	step_check(!pipe(turn), "pipe");
	child = fork();
	if (child) {
		step_skip_others(CHILD_WRITES);
		return;
	}
	step_is_child = true;
	if (child_is_last)
		step_check(read(turn[0], &c, 1) == 1, "turn");
}

/* What the child stored here might be what is here already: not when all bits are others. */
static void flip(unsigned char *data)
{
	for (uint32_t i = 0; i < STEP_RING; i++)
		data[i] ^= 0xff;
}

static void let_child_end(void)
{
	static unsigned char before[STEP_RING];
	unsigned char *data = (unsigned char *)step_ring(OWN_RING)->data;
	int status;

	flip(data);
	memcpy(before, data, sizeof(before));
	step_check(write(turn[1], "", 1) == 1, "turn");
	step_check(waitpid(child, &status, 0) == child && !status, "the child failed");
	step_check(!memcmp(before, data, sizeof(before)), "a child wrote to its parent's ring");
	flip(data);
}

static void wait_for_child(void)
{
	int status;

	if (!child || step_is_child)
		return;
	if (child_is_last)
		let_child_end();
	else
		step_check(waitpid(child, &status, 0) == child && !status, "the child failed");
	child = 0;
}

static void forks_child_first(ucontext_t *uc)
{
	(void)uc;
	child_is_last = false;
	forks();
	wait_for_child();
}

static void forks_parent_first(ucontext_t *uc)
{
	(void)uc;
	child_is_last = true;
	forks();
}

static const struct step_action actions[] = {
	{ "a handler that writes", handler_writes, STEP_HANDLER },
	{ "a handler that writes much", handler_writes_a_block, STEP_HANDLER },
	{ "the reader", reader_reads, 0 },
	{ "reader and handler", reader_then_handler, STEP_HANDLER },
	{ "death", dies, STEP_KILLS },
	{ "death in a handler that wrote", handler_writes, STEP_KILLS | STEP_HANDLER },
	{ "siglongjmp", jumps, STEP_KILLS | STEP_HANDLER },
	{ "siglongjmp from a handler that wrote", writes_and_jumps,
	  STEP_KILLS | STEP_HANDLER },
	{ "fork, child first", forks_child_first, STEP_HANDLER },
	{ "fork, parent first", forks_parent_first, STEP_HANDLER },
};
/*
 * actions[]: one that often comes second; and those from where on memory is shared: copies, each of
 * which lets something else come second, would spoil it for each other.
 */
#define DEATH 4
#define FORK 8
#define ACTION_NR (sizeof(actions) / sizeof(actions[0]))

/* So deep that a handler of a later event is not as deep. */
static __attribute__((noinline)) void leave_event(void)
{
	volatile char depth[1 << 16];

	depth[0] = 0;
	step_leave_other();
	(void)depth[0];
}

static void prepare(void)
{
	unsigned int i;

	step_channel(policy, position - (uint64_t)state.blocks * STEP_BLOCK, records, 0);
	init_thread(&ktrace_thread, TID);
	init_thread(&other_thread, OTHER_TID);
	thread_init_process();
	thread_init_channel(own_channel);
	for (i = 0; i < state.blocks; i++)
		step_fill(OWN_RING, i + 1 < state.blocks ? 0 : state.room);
	if (state.has_lost) {
		step_write_other(3000);
		step_drain();
	}
	if (state.has_left)
		leave_event();
	step_twins = 1;
}

/* The program's stack: deep in an event, far from where siglongjmp leads. */
static __attribute__((noinline)) void call(void)
{
	volatile char depth[2048];

	depth[0] = 0;
	step_call_target();
	(void)depth[0];
}

/* As ktrace_session_reclaim() does it. */
static void take_back(uint32_t tid)
{
	unsigned int i;

	for (i = 0; i < STEP_THREAD_NR; i++)
		if (step_ring(i)->w->owner == tid) {
			kt_ring_adopt(step_ring(i));
			step_ring(i)->w->owner = 0;
		}
}

/* The outermost writer leaves nothing unpublished behind. */
static void check_published(void)
{
	const struct ktrace_ring *w = step_ring(OWN_RING)->w;

	step_check(!((w->reserve ^ w->head / KTRACE_ALIGN) << 20),
		   "something is left unpublished");
}

static void finish(bool is_alive)
{
	if (is_alive && !step_is_child)
		check_published();
	if (is_alive || has_jumped) {
		step_write_other(24);
		step_write_other(24);
	} else {
		take_back(TID);
	}
	if (step_is_child)
		_exit(0);
	wait_for_child();
	if (is_alive || has_jumped)
		step_write_other(24);
	/* Here the ring gets no new owner: all has been counted by taking it back. */
	if (policy == KTRACE_POLICY_STOP)
		return;
	other_writes(8);
	other_writes(3000);
	other_writes(3000);
}

static bool is_in_use(void)
{
	return kt_ring_is_busy(step_ring(OWN_RING));
}

static void run(uint32_t size, const struct state *st, uint32_t p, int second)
{
	static const char *const policies[] = { "drop", "overwrite", "block", "stop" };
	struct step_scenario s = {
		.prepare = prepare, .call = call, .finish = finish,
		.is_critical = is_in_use,
		.actions = actions, .action_nr = second < 0 ? ACTION_NR : FORK,
		.second = second < 0 ? NULL : &actions[second], .stride = second == DEATH ? 31 : 97,
	};

	policy = p;
	state = *st;
	step_target_size = size;
	if (second == DEATH)
		s.action_nr = 1;
	snprintf(s.name, sizeof(s.name), "%u bytes, %s, %s, at %llx", size, st->name,
		 policies[p], (unsigned long long)position);
	step_run(&s);
}

static void run_all(int second)
{
	static const struct state states[] = {
		{ "first event", 0, 0, false, false },
		{ "room", 2000, 1, false, false },
		{ "exact room", 40, 1, false, false },
		{ "end of block", 0, 1, false, false },
		{ "8 bytes left", 8, 1, false, false },
		{ "full", 0, 4, false, false },
		{ "full but for 24", 24, 4, false, false },
		{ "after a loss", 16, 4, true, false },
	};
#define STATE_NR (sizeof(states) / sizeof(states[0]))
#define ROOM_STATE_NR 3	/* where the policy is not asked */
	/* The end of the ring, and where the packed position and count wrap. */
	static const uint64_t positions[] = { 5ull * STEP_RING, 1ull << 47, 1ull << 32 };
	unsigned int i;
	uint32_t p;

	for (p = 0; p < KTRACE_POLICY_NR; p++)
		for (i = p && !step_is_long ? ROOM_STATE_NR : 0; i < STATE_NR; i++) {
			position = positions[(i + p) % 3];
			records = i % 2 ? (1u << 20) - 8 : 0;
			run((i + p) % 3 ? 24 : 0, &states[i], p, second);
		}
}

/* What a handler has recorded, and then its thread dies at any instruction. */
static void run_death_after_handler(void)
{
	static const struct state room = { "room", 2000, 1, false, false };

	position = 5ull * STEP_RING;
	records = 0;
	run(24, &room, KTRACE_POLICY_DROP, DEATH);
}

/* Handlers come while the ring is taken over from an event that will not go on. */
static void run_after_left_event(void)
{
	static const struct state after = { "after one that was left", 2000, 1, false, true };

	position = 5ull * STEP_RING;
	records = 0;
	run(24, &after, KTRACE_POLICY_DROP, -1);
}

int main(int argc, char **argv)
{
	int second;

	step_is_long = argc > 1 && !strcmp(argv[1], "--long");
	step_init();
	run_death_after_handler();
	run_after_left_event();
	run_all(-1);
	/* Not what ends the process under test, and no fork of a fork. */
	for (second = 0; step_is_long && second < 4; second++)
		run_all(second);
	return step_report();
}
