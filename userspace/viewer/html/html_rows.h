/* SPDX-License-Identifier: GPL-2.0 */
/*
 * html_rows.h - the rows of a page: hosts, CPUs, processes, threads, locks, waits, spans
 *
 * Rows are numbered as they appear. A row is in one state at a time, or in none; the states of all
 * rows share one numbering. Changes go to the current block of events, and to the lanes of all
 * levels.
 */
#ifndef VIEWER_HTML_HTML_ROWS_H
#define VIEWER_HTML_HTML_ROWS_H

#include "base/hash_table.h"
#include "base/thread_label.h"
#include "html_block.h"
#include "html_lod.h"

#define HTML_NO_ROW (~0u)

/* In the order in which rows of one parent are displayed */
enum html_kind {
	HTML_HOST, HTML_CPU, HTML_IRQ, HTML_SOFTIRQ, HTML_TRAP, HTML_BLOCK_DEVICE, HTML_PROCESS,
	HTML_LOCK, HTML_THREAD, HTML_WAIT, HTML_SPAN, HTML_KIND_NR,
};

/* struct html_key - identifies a row; @number: serial, CPU or pid, depending on the kind */
struct html_key {
	__u32 kind;
	__u32 machine;
	__u64 number;
	__u64 depth;
};

/**
 * struct html_row - one row
 * @key:	identifies it
 * @who:	name of a thread
 * @name:	name of any other row
 * @pid:	its process, 0 = none, or unknown
 * @thread:	row of the thread that it belongs to, HTML_NO_ROW = none
 * @state:	its state, + 1; 0 = unknown
 * @since:	time up to which the lanes know @state
 */
struct html_row {
	struct html_key key;
	struct thread_label who;
	char name[48];
	__u32 pid;
	__u32 thread;
	__u32 state;
	__u64 since;
};

/**
 * struct html_state - a state that rows can be in; the first three members are the key
 * @name:	for a CPU that runs a thread: the thread's name
 * @group:	which kinds of rows have it; "run": a CPU runs a thread
 * @thread:	row of that thread, + 1; 0 = none
 * @is_run:	its time in a bin counts together with that of other threads
 */
struct html_state {
	char name[56];
	char group[8];
	__u32 thread;
	bool is_run;
};

/**
 * struct html_options - all of them
 * @rows:	rows by key
 * @states:	states by name, group and thread
 * @lanes:	receive the states with their durations
 * @blocks:	receive the changes of states
 * @is_open:	the window has begun
 * @error:	0, -ENOMEM
 */
struct html_options {
	struct hash_table rows;
	struct hash_table states;
	struct html_lod *lanes;
	struct html_blocks *blocks;
	bool is_open;
	int error;
};

void html_rows_init(struct html_options *r, struct html_lod *lanes, struct html_blocks *blocks);
void html_rows_free(struct html_options *r);
/* Returns the row's number; makes the row if it is new. @is_new may be NULL. HTML_NO_ROW: error */
__u32 html_row_get(struct html_options *r, const struct html_key *key, bool *is_new);
/* Returns the row's number, HTML_NO_ROW if there is no such row. */
__u32 html_row_find(struct html_options *r, const struct html_key *key);
struct html_row *html_row_at(struct html_options *r, __u32 i);
/* Returns the number of a state, + 1; makes the state if it is new. 0: error */
__u32 html_state_get(struct html_options *r, const char *group, const char *name);
/* The same for a CPU that runs @thread, a row or HTML_NO_ROW, with name @name */
__u32 html_state_get_run(struct html_options *r, __u32 thread, const char *name);
/* Puts the row into @state, + 1, from @time on; 0 = unknown. */
void html_row_enter(struct html_options *r, __u32 i, __u32 state, __u64 time);
/* Reports states that still last to the lanes, up to @time. */
void html_rows_flush(struct html_options *r, __u64 time);
/* Appends the current states of all rows, for a block that begins. */
void html_rows_put_states(const struct html_options *r, struct bytes *b);

#endif
