/* SPDX-License-Identifier: GPL-2.0 */
/*
 * machine.h - a weakly ordered machine with two processors, for one ring
 *
 * Each 8-byte word of shared memory keeps all values that were ever stored to it, in
 * order. A processor has a view: per word, the oldest value it may still see. A relaxed
 * load gives any value not older than that; a store carries the view that was current
 * at the last store fence, a store-release the present one; a load-acquire, and a load
 * fence for the loads before it, take over what the store carried. That is release and
 * acquire of C11 without its load buffering; instead of that, a store to bytes whose
 * loads are not ordered before it is a race, which is an error of its own.
 *
 * Writers nest on one processor and see its program order, less what a compiler may
 * change between two barriers: when a writer is interrupted or dies, any one of its
 * stores since its last barrier, or all, may not have been done yet; a load may have
 * been done before the interrupt. A store-release stays behind what is before it.
 *
 * Memory is machine_memory; the addresses have no access rights.
 */
#ifndef MODEL_MACHINE_H
#define MODEL_MACHINE_H

#include "port_model.h"

#define MODEL_RING_SIZE 1024u
#define MODEL_LEVELS 3
#define MODEL_WORDS ((sizeof(struct ktrace_ring) + sizeof(struct ktrace_tail) + \
		      MODEL_RING_SIZE) / 8)

/* What is at the addresses that the ring is given. */
struct machine_memory {
	struct ktrace_ring ring;
	struct ktrace_tail tail;
	char data[MODEL_RING_SIZE];
};

enum machine_actor {
	ACTOR_SETUP,	/* one processor, in order, nothing left open */
	ACTOR_WRITER,
	ACTOR_READER,
};

/**
 * struct machine - what the test sets and sees
 * @memory:	the addresses
 * @actor:	whose code runs
 * @level:	of the writer: 0, 1 in an interrupt, 2 in an interrupt's interrupt
 * @reorders_left: how often a compiler's reordering may still show
 * @deviations_left: how often the reader may still see bytes it does not expect
 * @may_race:	overwrite policy: stores do not wait for loads
 * @in_order:	the writer's stores are seen in order (x86)
 * @check_copies: a copy of shared bytes must be followed by a barrier
 * @is_verbose:	print every access
 * @accesses:	done in this execution
 * @total:	done in this search
 */
struct machine {
	struct machine_memory *memory;
	enum machine_actor actor;
	unsigned int level;
	unsigned int reorders_left;
	unsigned int deviations_left;
	bool may_race;
	bool in_order;
	bool check_copies;
	bool is_verbose;
	unsigned long accesses;
	unsigned long total;
};

extern struct machine machine;

void machine_init(void);
void machine_clear(void);
void machine_keep(void);
void machine_begin(void);
__u64 machine_latest(const volatile void *p);
void machine_poke(volatile void *p, __u64 value);
void machine_join(void);

unsigned int machine_delays(void);
void machine_cut(unsigned int delay);
void machine_interrupt(void);
void machine_resume(void);
void machine_new_writer(void);
void machine_new_reader(void);

/* The test's: */
void world_point(void);		/* a writer may be interrupted here */
void world_reader_point(void);	/* the reader may die here */
void world_tail_load(void);	/* the reader may have run before this */
_Noreturn void world_fail(const char *what);

#endif
