// SPDX-License-Identifier: GPL-2.0
/*
 * step_cpu.c - the restartable sequences of the per-CPU rings, instruction by instruction
 *
 *   step_cpu [--long | --every N]
 *
 * The library takes ktrace_thread.rseq as it is; here it points to words that the kernel
 * has never heard of, and interrupts() does to the interrupted writer what the kernel
 * does: if it is inside the section that rseq_cs names, it goes on at the abort handler.
 * Another thread of the same CPU is another struct ktrace_thread put in the place of ours.
 *
 * --long: also everything in pairs, what comes second at each boundary of what is left.
 * --every N: one of N scenarios, for a processor that is emulated.
 */
#include "step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../userspace/lib/writer/channel.h"
#include "arch/arch.h"

#define NO_BLOCK 0xffffffffu

struct fake_rseq {
	uint32_t cpu_id_start;
	uint32_t cpu_id;
	uint64_t rseq_cs;
} __attribute__((aligned(32)));

struct descriptor {
	uint32_t version;
	uint32_t flags;
	uint64_t start;
	uint64_t length;
	uint64_t abort;
};

/* State of the ring that the target meets. */
struct state {
	const char *name;
	uint32_t room;		/* left in the present block, NO_BLOCK = none has been opened */
	unsigned int blocks;	/* that have been begun */
	bool has_lost;		/* something was, and then all was read */
	bool knows_other_cpu;	/* the thread was on the other CPU before */
};

static struct fake_rseq own_rseq, other_rseq;
static struct ktrace_thread other_thread;
static struct state state;
static uint32_t policy;
static uint64_t position;
static unsigned int scenario_nr, every = 1;

/* The ring that the thread has left for the other CPU, and its head by then. */
static const struct kt_ring *left_ring;
static uint64_t left_head;

static void init_thread(struct ktrace_thread *t, struct fake_rseq *rseq, uint32_t tid)
{
	*rseq = (struct fake_rseq){ 0 };
	*t = (struct ktrace_thread){
		.rseq = rseq,
		.size_mask = STEP_RING - 1,
		.not_block = -STEP_BLOCK,
		.tid_flags = (uint64_t)tid << 32,
		.cpu = KTRACE_CPU_NONE,
		.no_cpu = ~0u,
	};
}

/* Preempted, or a signal is about to be delivered: rseq(2). */
static void interrupts(ucontext_t *uc)
{
	const struct descriptor *cs = (const struct descriptor *)own_rseq.rseq_cs;
	uint64_t ip = arch_pc(uc);
	uint32_t signature;

	own_rseq.rseq_cs = 0;
	if (!cs || ip - cs->start >= cs->length)
		return;
	memcpy(&signature, (const char *)cs->abort - sizeof(signature), sizeof(signature));
	step_check(!cs->version && !cs->flags && cs->abort - cs->start >= cs->length,
		   "the kernel would refuse the descriptor");
	step_check(signature == ARCH_SIGNATURE, "no signature before the abort handler");
	arch_set_pc(uc, cs->abort);
}

/* Another thread, on @cpu, records. */
static void other_writes(uint32_t cpu, uint32_t size)
{
	const struct ktrace_thread mine = ktrace_thread;

	other_rseq.cpu_id = cpu;
	ktrace_thread = other_thread;
	step_write_other(size);
	other_thread = ktrace_thread;
	ktrace_thread = mine;
	step_check(!other_rseq.rseq_cs, "rseq_cs is left set");
}

static void preempted(ucontext_t *uc)
{
	interrupts(uc);
}

static void preempted_by_writer(ucontext_t *uc)
{
	interrupts(uc);
	other_writes(own_rseq.cpu_id, 8);
}

static void preempted_by_writers(ucontext_t *uc)
{
	unsigned int i;

	interrupts(uc);
	for (i = 0; i < 4; i++)
		other_writes(own_rseq.cpu_id, 1500);
}

static void preempted_by_reader_and_writer(ucontext_t *uc)
{
	interrupts(uc);
	step_drain();
	other_writes(own_rseq.cpu_id, 8);
}

static void handler_writes(ucontext_t *uc)
{
	interrupts(uc);
	step_write_other(8);
	step_check(!own_rseq.rseq_cs, "rseq_cs is left set");
}

static void migrated(ucontext_t *uc)
{
	const uint32_t from = own_rseq.cpu_id;

	interrupts(uc);
	own_rseq.cpu_id = !from;
	other_writes(from, 8);
	other_writes(!from, 8);
	left_ring = step_ring(from);
	left_head = kt_load(&left_ring->w->head);
}

/* On another CPU, so nothing is interrupted. */
static void reader_reads(ucontext_t *uc)
{
	(void)uc;
	step_drain();
}

static void session_closes(ucontext_t *uc)
{
	(void)uc;
	step_close_channel();
}

static void dies(ucontext_t *uc)
{
	(void)uc;
}

static const struct step_action actions[] = {
	{ "preempted", preempted, 0 },
	{ "a writer of the CPU", preempted_by_writer, 0 },
	{ "a block of other writers", preempted_by_writers, 0 },
	{ "reader and writer", preempted_by_reader_and_writer, 0 },
	{ "a signal handler that writes", handler_writes, STEP_HANDLER },
	{ "migrated", migrated, 0 },
	{ "the reader", reader_reads, 0 },
	{ "the session's end", session_closes, 0 },
	{ "death", dies, STEP_KILLS },
};
#define ACTION_NR (sizeof(actions) / sizeof(actions[0]))

static void prepare(void)
{
	const uint32_t other_cpu = state.knows_other_cpu;
	unsigned int i;

	step_channel(policy, position - (uint64_t)state.blocks * STEP_BLOCK, 0, STEP_CPU_NR);
	init_thread(&ktrace_thread, &own_rseq, 1001);
	init_thread(&other_thread, &other_rseq, 1002);
	if (other_cpu) {
		own_rseq.cpu_id = 1;
		step_write_other(8);
		own_rseq.cpu_id = 0;
	}
	for (i = 0; i < state.blocks; i++)
		step_fill(0, i + 1 < state.blocks ? 0 : state.room);
	if (other_cpu) {	/* what has been filled was another thread's */
		own_rseq.cpu_id = 1;
		step_write_other(8);
		own_rseq.cpu_id = 0;
	}
	if (state.has_lost) {
		step_write_other(3000);
		step_drain();
	}
}

/* Stop policy: nothing follows a loss until all has been read. */
static void check_stop(void)
{
	const struct ktrace_ring *w = step_ring(0)->w;
	const uint64_t head = kt_load(&w->head);

	if (policy != KTRACE_POLICY_STOP || state.has_lost ||
	    !kt_load(&w->lost.count[KTRACE_LOST_STOPPED]))
		return;
	step_drain_piece(0);
	if (kt_load(&step_ring(0)->tail->tail) == head)
		return;
	other_writes(0, 8);
	step_check(kt_load(&w->head) == head, "a suspended ring has been written to");
}

static void finish(bool is_alive)
{
	step_check(!left_ring || kt_load(&left_ring->w->head) == left_head,
		   "written to the ring of another CPU");
	check_stop();
	if (is_alive) {
		step_check(!own_rseq.rseq_cs, "rseq_cs is left set");
		step_write_other(24);
		own_rseq.cpu_id = !own_rseq.cpu_id;
		step_write_other(24);
	}
	other_writes(0, 8);
	other_writes(1, 8);
	other_writes(0, 3000);
	other_writes(0, 3000);
}

static bool is_in_section(void)
{
	return own_rseq.rseq_cs;
}

static void run(const char *what, uint32_t size, const struct state *st, uint32_t p, uint64_t pos,
		int second)
{
	static const char *const policies[] = { "drop", "overwrite", "block", "stop" };
	struct step_scenario s = {
		.prepare = prepare, .call = step_call_target, .finish = finish,
		.is_critical = is_in_section,
		.actions = actions, .action_nr = ACTION_NR,
		.second = second < 0 ? NULL : &actions[second], .stride = 1,
	};

	if (scenario_nr++ % every)
		return;
	policy = p;
	position = pos;
	state = *st;
	step_target_size = size;
	if (second >= 0 && strcmp(what, "fast"))
		s.stride = 97;
	snprintf(s.name, sizeof(s.name), "%s, %u bytes, %s, %s, at %llx", what, size, st->name,
		 policies[p], (unsigned long long)pos);
	step_run(&s);
}

#define WRAP (1ull << 32)
#define RING_END (5ull * STEP_RING)
#define MIDDLE (RING_END + 2 * STEP_BLOCK)

/* Everything that one sequence does alone. */
static void run_fast(int second)
{
	static const uint32_t sizes[] = { 0, 1, 8, 16, 20, 24, 32, 40, 100, 200 };
	struct state st = { "room", 2000, 1, false, false };
	unsigned int i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		st = (struct state){ "room", 2000, 1, false, false };
		run("fast", sizes[i], &st, KTRACE_POLICY_DROP, MIDDLE, second);
		st = (struct state){ "exact room", KTRACE_RECORD_SIZE(sizes[i]), 1, false, false };
		run("fast", sizes[i], &st, KTRACE_POLICY_DROP, i % 2 ? WRAP : RING_END, second);
	}
}

static void run_slow(int second)
{
	static const struct state states[] = {
		{ "no block", 0, 0, false, false },
		{ "end of block", 0, 1, false, false },
		{ "8 bytes left", 8, 1, false, false },
		{ "16 bytes left", 16, 1, false, false },
		{ "full", 0, 4, false, false },
		{ "full but for 24", 24, 4, false, false },
		{ "after a loss", 40, 4, true, false },
		{ "came from another CPU", 2000, 2, false, true },
	};
	static const uint64_t positions[] = { WRAP, RING_END, MIDDLE };
	unsigned int i;
	uint32_t p;

	for (p = 0; p < KTRACE_POLICY_NR; p++)
		for (i = 0; i < sizeof(states) / sizeof(states[0]); i++)
			run("slow", (i + p) % 2 ? 24 : 140, &states[i], p, positions[(i + p) % 3],
			    second);
}

int main(int argc, char **argv)
{
	int second;

	step_is_long = argc > 1 && !strcmp(argv[1], "--long");
	if (argc > 2 && !strcmp(argv[1], "--every") && atoi(argv[2]) > 0)
		every = (unsigned int)atoi(argv[2]);
	step_init();
	run_fast(-1);
	run_slow(-1);
	for (second = 0; step_is_long && second < (int)ACTION_NR; second++) {
		run_fast(second);
		run_slow(second);
	}
	return step_report();
}
