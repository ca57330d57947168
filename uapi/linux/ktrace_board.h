/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ktrace_board.h - how a recording reaches programs that already run: a user's board
 *
 * The board is one segment of System V shared memory for each user, in each IPC namespace and PID
 * namespace. Programs map it when they load libktrace. Their events test a byte of it, also while
 * no recording has them: a disabled event does nothing else. A segment, unlike a file, cannot be
 * truncated under the programs that have it mapped, needs no path, and stays reachable after
 * chroot(2).
 *
 *   0             struct ktrace_board
 *   slots_off     struct ktrace_board_slot slot[KTRACE_BOARD_SLOTS]
 *   wants_off     struct ktrace_board_want want[KTRACE_BOARD_SLOTS][KTRACE_BOARD_WANTS]
 *
 * The key of the segment is board_key() of the effective user id, the PID namespace, and a name:
 * the value of KTRACE_BOARD in the environment, which programs with more rights than their caller
 * ignore, or "". The value "none" means no board. A segment is used only if its creator is the
 * user, and no other user may write to it. All zero is an empty board.
 *
 * 1. Slots
 *
 *   free (0, or the pid of a process that is dead)
 *     --program: CAS--> BUSY|pid --program: store release--> pid
 *
 *   "since" is CLOCK_BOOTTIME when the slot was taken: a live process with that pid has started
 *   before. A new image after exec() keeps the slot of its pid. A forked child takes a
 *   slot of its own. Without a free slot the program takes part in no late recording, and
 *   "full" is incremented.
 *
 * 2. Events
 *
 *   The events of a program test two bytes of its slot: those that a recording of the program has
 *   on test "on", the others "off". "off" is 0. "on" is 1 while the program records into one
 *   recording by itself, and 2 while its library does so, for several. Whoever changes what the
 *   program has to know - a want, or which events are on - stores that first, then pokes the
 *   slot: 2 to "off", 3 to "on". The next event of either kind enters the library, which
 *   puts the bytes back first and looks second.
 *
 *   A recording that a program has joined at its start may be unable to reach this board: its owner
 *   is in another IPC or PID namespace, or is another user and not root. Then the program's events
 *   test the recording's own bytes, the flag DIRECT is set, and the program takes part in no other
 *   recording.
 *
 * 3. Wanting
 *
 *   A recorder claims a number n by storing its pid in recorder[n], by compare-and-swap of 0 or of
 *   the pid of a dead recorder, whose bits it clears first. If it wants a process, it writes
 *   want[slot][n], clears fate[n], sets bit n of "wanted", and pokes. The want names the process
 *   (pid, since), so that another one that takes the slot at that moment is not meant. The
 *   program's next event copies the want, checks it, attaches to its session as a program that
 *   starts with KTRACE_SESSION does, in addition to those that it takes part in, and stores the
 *   outcome in fate[n].
 *   "want" in struct ktrace_board is the same for every program that takes a slot later: it
 *   copies these to its own. A child, or what it executes, copies those of its parent.
 *
 * 4. The end
 *
 *   The recorder clears the bit and ends its session: KTRACE_STATE_CLOSED, rings sealed, enable
 *   bytes 1, all slots poked. So the next event enters the library, which finds the session closed
 *   and leaves it. Sealing: head of each ring of a CPU becomes KTRACE_HEAD_SEALED, while no
 *   restartable sequence of that CPU is under way. A writer finds no room there, and calls the
 *   library.
 *
 * 5. Trust
 *
 *   Any process of the user can write anything here. Programs and recorders read each word once
 *   and check it. What a forged board can do: make programs of that user join a recording, which
 *   must belong to the user or to root, or none; and tell recorders of the user, or of root, wrong
 *   things about that user's processes.
 */
#ifndef _LINUX_KTRACE_BOARD_H
#define _LINUX_KTRACE_BOARD_H

#include <linux/types.h>

#define KTRACE_BOARD_MAGIC 0x4b544244u
#define KTRACE_BOARD_VERSION 2u
#define KTRACE_BOARD_SLOTS 1024u
#define KTRACE_BOARD_WANTS 8u
#define KTRACE_BOARD_SESSION 96u
#define KTRACE_BOARD_BUSY (1u << 31)	/* in ktrace_board_slot.pid */

/**
 * struct ktrace_board_want - a recording that wants a process
 * @seq:	odd while it is written
 * @pid:	the process; 0 in struct ktrace_board
 * @since:	as in its slot
 * @pidns:	inode of the recorder's PID namespace, as in KTRACE_PIDNS; 0 = unknown
 * @reserved:	0
 * @session:	as in KTRACE_SESSION, NUL-terminated; empty = none
 *
 * Written by recorders, and by a program for itself and its children.
 */
struct ktrace_board_want {
	__u32 seq;
	__u32 pid;
	__u64 since;
	__u64 pidns;
	__u64 reserved;
	char session[KTRACE_BOARD_SESSION];
};

enum ktrace_board_fate {
	KTRACE_BOARD_WAITS = 0,		/* the want is not known yet */
	KTRACE_BOARD_JOINED = 1,	/* takes part */
	KTRACE_BOARD_REFUSED = 2,	/* could not join, see error */
};

/* Values of the bytes that events test */
#define KTRACE_BOARD_ALONE 1u		/* on: the program records by itself */
#define KTRACE_BOARD_POKED_OFF 2u	/* off: call the library */
#define KTRACE_BOARD_MANY 2u		/* on: the library records */
#define KTRACE_BOARD_POKED_ON 3u	/* on: call the library */

/* In ktrace_board_slot.flags: its events test a recording's bytes; some record into one only */
#define KTRACE_BOARD_DIRECT 1u
#define KTRACE_BOARD_OLD 2u

/**
 * struct ktrace_board_slot - a program, in a cache line of its own
 * @wanted:	bit n: want n is for this process
 * @on:		tested by events that are on
 * @off:	tested by events that are off
 * @flags:	KTRACE_BOARD_*
 * @pid:	its pid, with KTRACE_BOARD_BUSY while it is taking the slot
 * @since:	CLOCK_BOOTTIME when it took the slot, ns
 * @fate:	enum ktrace_board_fate of each want
 * @error:	REFUSED: errno
 * @joins:	recordings that it has joined so far
 * @leaves:	recordings that it has left
 * @reserved:	0
 *
 * Written by the program; @wanted, @on, @off and @fate also by recorders.
 */
struct ktrace_board_slot {
	__u8 wanted;
	__u8 on;
	__u8 off;
	__u8 flags;
	__u32 pid;
	__u64 since;
	__u8 fate[KTRACE_BOARD_WANTS];
	__u8 error[KTRACE_BOARD_WANTS];
	__u32 joins;
	__u32 leaves;
	__u32 reserved[6];
};

/**
 * struct ktrace_board - begins the segment
 * @magic:	KTRACE_BOARD_MAGIC, or 0: nobody has used it yet
 * @version:	KTRACE_BOARD_VERSION
 * @full:	programs that found no free slot
 * @wanted:	bit n: want n is for every program that takes a slot
 * @recorder:	pid of the recorder that has a number, 0 = none
 * @reserved:	0
 * @want:	for every program
 */
struct ktrace_board {
	__u32 magic;
	__u32 version;
	__u32 full;
	__u32 wanted;
	__u32 recorder[KTRACE_BOARD_WANTS];
	__u32 reserved[4 + 2 * KTRACE_BOARD_WANTS];
	struct ktrace_board_want want[KTRACE_BOARD_WANTS];
};

#define KTRACE_BOARD_SLOTS_OFF 4096u
#define KTRACE_BOARD_WANTS_OFF (KTRACE_BOARD_SLOTS_OFF + KTRACE_BOARD_SLOTS * 64u)
#define KTRACE_BOARD_SIZE \
	(KTRACE_BOARD_WANTS_OFF + KTRACE_BOARD_SLOTS * KTRACE_BOARD_WANTS * 128u)

#endif
