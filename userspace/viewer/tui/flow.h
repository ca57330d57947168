/* SPDX-License-Identifier: GPL-2.0 */
/* flow.h - what CPUs and threads did in a window of time, worked out in small steps */
#ifndef VIEWER_TUI_FLOW_H
#define VIEWER_TUI_FLOW_H

#include "analysis/flow_class.h"
#include "base/hash_table.h"
#include "base/text_timeline.h"
#include "base/thread_label.h"

#include <ktrace/position.h>

/* Beside those of flow_class.h */
enum {
	FLOW_EVENTS = FLOW_NR,	/* there are events, but what the thread does is not known */
	FLOW_LOST,		/* some were lost */
	FLOW_ALL_NR,
};

/**
 * struct flow_row - a CPU, a thread, or where events were lost
 * @key:	thread: the state's serial number; CPU: bit 63, machine and number; losses: ~0
 * @is_lost:	it is about losses
 * @is_cpu:	it is a CPU
 * @machine:	number of the first trace of its boot
 * @number:	of the CPU
 * @who:	the thread
 * @strip:	what it did
 * @run_ns:	ran so long
 * @events:	it recorded so many
 */
struct flow_row {
	__u64 key;
	bool is_lost;
	bool is_cpu;
	__u32 machine;
	__u32 number;
	struct thread_label who;
	__u64 *strip;
	__u64 run_ns;
	__u64 events;
};

enum flow_phase { FLOW_BEGINS, FLOW_READS, FLOW_READY };

/**
 * struct flow - the picture, and how far it has got
 * @set:	the files
 * @state:	of threads and CPUs
 * @watch:	for @state
 * @strip:	its window and width
 * @letters:	for @strip
 * @rows:	struct flow_row
 * @order:	the rows as they are shown
 * @order_nr:	how many of them
 * @by_run:	those that ran longest first, not by process
 * @phase:	how far it has got
 * @at:		where reading goes on
 * @reached:	time up to which it was read
 * @known:	time up to which the state can be had quickly
 * @lost:	in the window, by reason
 * @error:	what went wrong
 */
struct flow {
	struct ktrace_traceset *set;
	struct ktrace_states *state;
	struct ktrace_state_watch watch;
	struct timeline strip;
	char letters[FLOW_ALL_NR + 1];
	struct hash_table rows;
	struct flow_row **order;
	size_t order_nr;
	bool by_run;
	enum flow_phase phase;
	struct ktrace_position *at;
	__u64 reached;
	__u64 known;
	__u64 lost[KTRACE_LOST_NR];
	int error;
};

/* Return: 0, -errno. */
int flow_begin(struct flow *f, struct ktrace_traceset *set);
void flow_end(struct flow *f);
/* Begins again, with another window or width. */
void flow_show(struct flow *f, __u64 from, __u64 to, int width);
/* Goes on for so long. Return: 1 there is more to do, 0 it is ready, -errno. */
int flow_work(struct flow *f, unsigned int ms);
/* Percent of what is to be read that was read */
unsigned int flow_percent(const struct flow *f);
/* Puts rows in order. Return: 0, -ENOMEM. */
int flow_sort(struct flow *f);
/* Row number of a thread, or CPU where @tid is 0; -1 = there is none */
int flow_find(const struct flow *f, __u32 machine, __u32 tid, __s32 cpu);
/* "cpu 1", "100/101 name", "events LOST" */
void flow_name(const struct flow_row *row, char *text, size_t size);

#endif
