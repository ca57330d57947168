/* SPDX-License-Identifier: GPL-2.0 */
/*
 * step.h - run real machine code of a writer with something happening at every instruction
 *
 * The processor's trap flag stops the writer behind each instruction. There the process
 * forks for each thing that could happen there: the copy lets it happen, goes on to the
 * end at full speed, reads all rings and checks the ledger; the original steps on. So
 * every boundary is tried with everything, in time linear in the number of instructions.
 *
 * The channel is private memory of this process and its copies, laid out as a session's.
 */
#ifndef STEP_H
#define STEP_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>
#include <ktrace/writer.h>
#include "ring/ring.h"

#define STEP_BLOCK 4096u
#define STEP_RING (4 * STEP_BLOCK)
#define STEP_CPU_NR 2
#define STEP_THREAD_NR 3
#define STEP_RING_NR (STEP_CPU_NR + STEP_THREAD_NR)
#define STEP_PAYLOAD_MAX (STEP_BLOCK - 160 - 16)

/* Who writes: the record that is stepped through, and all others. */
enum { STEP_ID_TARGET = 20, STEP_ID_OTHER = 21 };

#define STEP_KILLS 1u	/* the writer does not go on */
#define STEP_HANDLER 2u	/* a signal handler does it: not while signals are blocked */

/**
 * struct step_action - something that can happen between two instructions
 * @name:	for messages
 * @run:	lets it happen; the interrupted instruction pointer is in the context
 * @flags:	STEP_*
 */
struct step_action {
	const char *name;
	void (*run)(ucontext_t *uc);
	unsigned int flags;
};

/**
 * struct step_scenario - one call of the writer in one state of the rings
 * @name:	for messages
 * @prepare:	brings about the state, no stepping
 * @call:	the call under test: records STEP_ID_TARGET once
 * @finish:	what everybody does afterwards; @is_alive: the writer is still there
 * @is_critical:	everything is tried here; elsewhere, unless step_is_long, a fifth of it
 * @actions:	what is tried at each boundary
 * @action_nr:	how many
 * @second:	then, up to the end, also at each boundary what comes second; NULL = none
 * @stride:	with @second: what comes first is tried at one boundary of so many
 */
struct step_scenario {
	char name[96];
	void (*prepare)(void);
	void (*call)(void);
	void (*finish)(bool is_alive);
	bool (*is_critical)(void);
	const struct step_action *actions;
	unsigned int action_nr;
	const struct step_action *second;
	unsigned int stride;
};

/* The writer under test: words of its payload, and whether a copy of it can appear. */
extern uint32_t step_target_size;
extern unsigned int step_twins;

/* This is a child that the program under test has made: its parent does the checking. */
extern bool step_is_child;

/* Everything at every boundary; otherwise see struct step_scenario. */
extern bool step_is_long;

void step_init(void);
void step_channel(uint32_t policy, uint64_t start, uint64_t records, uint32_t cpu_nr);
void step_share_channel(void);
void step_close_channel(void);
void step_run(const struct step_scenario *s);
int step_report(void);

void step_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void step_check(bool is_true, const char *what);

/* Ring @i of the channel; per-CPU rings come first. */
struct kt_ring *step_ring(unsigned int i);
void step_drain(void);
void step_drain_piece(unsigned int ring);

/* A record of somebody else, self-describing; counted as done when it returns. */
void step_write_other(uint32_t size);
void step_leave_other(void);
void step_skip_others(unsigned int nr);
void step_call_target(void);
void step_fill(unsigned int ring, uint32_t room);

#endif
