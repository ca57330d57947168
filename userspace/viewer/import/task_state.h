/* SPDX-License-Identifier: GPL-2.0 */
/*
 * task_state.h - converts task states of sched_switch to enum ktrace_task_state
 *
 * The kernel has numbered the states in several ways. The kernel's release tells which one, except
 * for some releases that were repaired later. Then, and without a release, the events tell it:
 * what they rule out is excluded, until one numbering is left.
 */
#ifndef VIEWER_IMPORT_TASK_STATE_H
#define VIEWER_IMPORT_TASK_STATE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include <ktrace/decode.h>

/**
 * enum task_numbering - ways to number task states
 * @TASK_RAW:		bits of the task itself, before Linux 4.14
 * @TASK_RAW_LATER:	the same of 4.14 and later: LTTng-modules until 2.10.11
 * @TASK_REPORT:	one bit of those that the kernel reports: 4.14 and later
 * @TASK_SHIFTED:	the same bit, shifted by one too many: 4.15 to 4.19
 * @TASK_INDEX:		the number of that bit instead of the bit: early 4.14
 */
enum task_numbering {
	TASK_RAW, TASK_RAW_LATER, TASK_REPORT, TASK_SHIFTED, TASK_INDEX, TASK_NUMBERING_NR,
};

#define TASK_STATES_ENDED 64u

/**
 * struct task_states - what is known about the numbering
 * @possible:	bits of those in enum task_numbering that no event has ruled out
 * @likely:	the one to use while several are possible
 * @release:	release of the kernel; "" = unknown
 * @version:	the release as a number: major << 8 | minor; 0 = unknown
 * @ended:	threads that have ended, as a ring
 * @ended_nr:	number of them
 * @waiting:	threads whose state is parked or dead, as a ring
 * @waiting_nr:	number of them
 * @converted:	switches converted so far
 * @settled:	switches whose state the events had to tell
 * @guessed:	switches whose state is read by @likely though another was possible
 */
struct task_states {
	__u32 possible;
	enum task_numbering likely;
	char release[64];
	__u32 version;
	__u32 ended[TASK_STATES_ENDED];
	__u32 ended_nr;
	__u32 waiting[TASK_STATES_ENDED];
	__u32 waiting_nr;
	__u64 converted;
	__u64 settled;
	__u64 guessed;
};

/**
 * struct task_switch - a switch as recorded
 * @prev_tid:	thread that stops running
 * @next_tid:	thread that runs from now on
 * @prev_comm:	name of @prev_tid, "" = unknown
 * @bits:	its state, if @is_bits
 * @is_bits:	the state is a number
 */
struct task_switch {
	__u32 prev_tid;
	__u32 next_tid;
	char prev_comm[16];
	__s64 bits;
	bool is_bits;
};

/**
 * task_states_init - begin, with what is known from the start
 * @t:		the numbering
 * @release:	release of the kernel, NULL = unknown
 * @tool:	tool that recorded the trace, NULL = unknown
 */
void task_states_init(struct task_states *t, const char *release, const char *tool);

/**
 * task_states_print_fmt - use the names of the states in the kernel's description of the event
 * @t:		the numbering
 * @print_fmt:	"print fmt" of the event sched_switch
 */
void task_states_print_fmt(struct task_states *t, const char *print_fmt);

/* Events that rule out numberings, in order of time: a switch, and the end of a thread */
void task_states_switch(struct task_states *t, const struct task_switch *s);
void task_states_exit(struct task_states *t, __u32 tid);

/** task_states_is_known - true if one numbering is left */
bool task_states_is_known(const struct task_states *t);

/** task_states_agree - true if all possible numberings give the same state */
bool task_states_agree(const struct task_states *t, __s64 bits, const char *comm);

/**
 * task_states_convert - convert a state
 * @t:		the numbering; counts a state that is guessed
 * @bits:	the state as recorded
 * @comm:	name of the thread, "" = unknown
 *
 * Return: enum ktrace_task_state.
 */
__u32 task_states_convert(struct task_states *t, __s64 bits, const char *comm);

/**
 * task_state_letters - convert letters as the kernel and perf print them, such as D|K or R+
 *
 * Return: enum ktrace_task_state; DISK for a letter that no kernel prints.
 */
__u32 task_state_letters(const char *text, size_t len);

/**
 * task_states_say - say how the states were read, if the release does not tell it
 * @t:		the numbering
 * @out:	a sentence is appended to it
 *
 * Return: false: there is nothing to say.
 */
bool task_states_say(const struct task_states *t, struct ktrace_out *out);

#endif
