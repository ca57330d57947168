/* SPDX-License-Identifier: GPL-2.0 */
/*
 * world.h - writers, reader and what must be true of them, on top of machine.h
 *
 * Each attempt to write is an entry of the ledger. Its payload and stamp are like no
 * other's, so that what the reader gets can be compared byte by byte.
 */
#ifndef MODEL_WORLD_H
#define MODEL_WORLD_H

#include "machine.h"
#include "ring/ring.h"

#define MODEL_BLOCK 256u

/**
 * struct scenario - one search; those with @is_rseq are searched for each port
 * @name:	for the report
 * @policy:	enum ktrace_policy
 * @is_rseq:	writers do not nest, they restart
 * @before:	setup: L, M, S write a large, medium, small record, R reads a piece,
 * @program:	what the outermost writer writes: L, M, S
 * @inner:	what one that interrupts may write: L, M, S or both
 * @heir:	what a new owner writes after a death, NULL: nobody takes over
 * @interrupts:	at most so many of them
 * @depth:	levels of them, at most MODEL_LEVELS - 1
 * @reorders:	stores or loads that the compiler moves, at most
 * @deaths:	1: the writers may die, anywhere
 * @reader_deaths: so many readers may die, anywhere
 * @unwritten:	of two blocks that are read, one cannot be kept
 * @reads:	pieces the reader tries to get while there are writers, or a lasting view
 *		of an old head
 * @deviations:	old or new words instead of the expected ones that the reader sees
 * @starts:	positions to begin at: 0, and where positions wrap
 * @is_long:	takes long
 */
struct scenario {
	const char *name;
	__u32 policy;
	bool is_rseq;
	const char *before;
	const char *program;
	const char *inner;
	const char *heir;
	unsigned int interrupts;
	unsigned int depth;
	unsigned int reorders;
	unsigned int deaths;
	unsigned int reader_deaths;
	bool unwritten;
	unsigned int reads;
	unsigned int deviations;
	unsigned int starts;
	bool is_long;
};

/* One attempt to write. */
struct attempt {
	__u64 pos;
	__u64 tail;		/* when it was placed */
	__u64 ts;
	__u32 total;
	__u8 level;
	enum { ATTEMPT_BEGUN, ATTEMPT_PLACED, ATTEMPT_DONE, ATTEMPT_LOST } state;
	bool is_given_up;	/* its writer died before it was published */
	bool is_delivered;
	bool is_unwritten;	/* read, and counted as lost by the reader */
};

#define ATTEMPTS_MAX 64

struct world {
	const struct scenario *s;
	struct kt_ring ring;
	struct kt_reader reader;
	struct attempt ledger[ATTEMPTS_MAX];
	unsigned int attempts;
	unsigned int interrupts_left;
	unsigned int deaths_left;
	unsigned int reader_deaths_left;
	unsigned int reads_left;
	__u64 seen_head;
	__u64 seen_ts;		/* of the last record delivered */
	unsigned int seen_attempt[MODEL_LEVELS];
	__u64 suspended_at;	/* stop policy, when a record was last counted as STOPPED */
	bool is_suspended;	/* one has been */
	bool has_died;
	bool is_masked;		/* kt_ring_adopt() is not interrupted by writers */
	bool in_section;	/* of the rseq kind: an interrupt restarts it */
};

extern struct world world;

/* Mistakes made on purpose; see main.c. */
extern bool world_never_restarts, world_is_weak;

/* Whose sequences restart */
enum port { PORT_X86, PORT_ARM64, PORT_NR };
extern enum port world_port;

void world_setup(const struct scenario *s, __u64 start);
bool world_run(void);
void world_read(bool partial);
void world_check_words(void);
void world_check_end(void);
void world_write(char size);

/* rseq.c */
void rseq_write(struct attempt *a, unsigned int number);
_Noreturn void rseq_restart(void);

/* world.c for rseq.c */
void world_header(const struct attempt *a, struct ktrace_record *rec);
__u64 world_payload(unsigned int number, unsigned int word);

#endif
