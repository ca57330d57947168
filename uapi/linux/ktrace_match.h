/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ktrace_match.h - programs of filters that the kernel evaluates, KTRACE_IOC_FILTER
 *
 * A program says whether an event is wanted, before anything is reserved in a ring. It is a
 * list of comparisons. Each names two places to go on at: another comparison, which must
 * be further behind, or the end: the number of comparisons is "wanted", one more is "not
 * wanted". So a program ends. It has texts beside it, that comparisons use pieces of.
 *
 * A comparison with what an event does not have, or that its payload ends before, is false;
 * KTRACE_MATCH_NE too. Payloads are those of <linux/ktrace_events.h>, and what the session's
 * owner may not see is 0 or empty for programs, too.
 *
 * Documentation/filter.md describes the language that becomes such programs.
 */
#ifndef _LINUX_KTRACE_MATCH_H
#define _LINUX_KTRACE_MATCH_H

#include <linux/types.h>

/* What is compared. All but the first two are of the thread that an event interrupts. */
enum ktrace_match_what {
	KTRACE_MATCH_NUMBER = 0,	/* @size bytes at @off of the payload */
	KTRACE_MATCH_TEXT = 1,		/* at most @size bytes at @off, up to a NUL */
	KTRACE_MATCH_PID = 2,		/* process, 0 = idle */
	KTRACE_MATCH_TID = 3,		/* thread, 0 = idle */
	KTRACE_MATCH_CPU = 4,
	KTRACE_MATCH_UID = 5,		/* its real user id in the initial namespace */
	KTRACE_MATCH_CGROUP = 6,	/* id of its cgroup, of version 2 */
	KTRACE_MATCH_FLAGS = 7,		/* KTRACE_REC_IRQ, KTRACE_REC_TRUNCATED */
	KTRACE_MATCH_COMM = 8,		/* its name; "swapper" = idle */
	KTRACE_MATCH_WHAT_NR,
};

enum ktrace_match_op {
	KTRACE_MATCH_EQ = 0,
	KTRACE_MATCH_NE = 1,
	KTRACE_MATCH_LT = 2,		/* this and the next three: numbers */
	KTRACE_MATCH_LE = 3,
	KTRACE_MATCH_GT = 4,
	KTRACE_MATCH_GE = 5,
	KTRACE_MATCH_HAS = 6,		/* numbers: it has any of these bits */
	KTRACE_MATCH_LIKE = 7,		/* text: glob * ? [a-z] [!a-z] \ */
	KTRACE_MATCH_OP_NR,
};

enum ktrace_match_flags {
	KTRACE_MATCH_SIGNED = 1 << 0,	/* NUMBER: it has a sign */
	KTRACE_MATCH_NEGATIVE = 1 << 1,	/* @value is below 0, -1 is ~0 */
	KTRACE_MATCH_WHOLE = 1 << 2,	/* TEXT: NULs do not end it */
	KTRACE_MATCH_FAR = 1 << 3,	/* TEXT: at @off is a __u32: length << 16 | offset */
	KTRACE_MATCH_REL = 1 << 4,	/* with FAR: the offset is from behind the __u32 on */
};

#define KTRACE_MATCH_STEPS_MAX 256u
#define KTRACE_MATCH_TEXTS_MAX 4096u
#define KTRACE_MATCH_SIZE_MAX 4096u

/*
 * The work that the filters of all sessions of a user may do for an event, together: each session's
 * that filters any event has an equal share. A unit is a nanosecond or two; these are the prices:
 *
 *   STEP	a comparison
 *   TEXT	what one of texts takes besides
 *   WORD	8 bytes that are compared for EQ or NE, or in which LIKE looks for the NUL
 *   GLOB	a byte of the text against a piece of a pattern, each time that it is tried
 *   SET	a byte or range between [ and ], each time that it is looked at
 *
 * A program is refused if any way through it takes more than all of it, where of a glob each byte
 * of the pattern counts once. What globs really take depends on the text: when a session's share
 * is used up, its program ends, and the event is recorded; struct ktrace_info counts these.
 */
#define KTRACE_MATCH_WORK_MAX 500u
#define KTRACE_MATCH_WORK_STEP 5u
#define KTRACE_MATCH_WORK_TEXT 6u
#define KTRACE_MATCH_WORK_WORD 1u
#define KTRACE_MATCH_WORK_GLOB 4u
#define KTRACE_MATCH_WORK_SET 2u

/**
 * struct ktrace_match_step - one comparison
 * @what:	enum ktrace_match_what
 * @op:		enum ktrace_match_op
 * @flags:	enum ktrace_match_flags
 * @reserved:	0
 * @yes:	where to go on if it is true
 * @no:		and if it is false
 * @off:	NUMBER, TEXT: where in the payload; otherwise 0
 * @size:	NUMBER: 1, 2, 4 or 8; TEXT: up to KTRACE_MATCH_SIZE_MAX; otherwise 0
 * @value:	what numbers are compared with; of texts 0
 * @text_off:	what texts are compared with: where in the program's texts; of numbers 0
 * @text_len:	its bytes
 */
struct ktrace_match_step {
	__u8 what;
	__u8 op;
	__u8 flags;
	__u8 reserved;
	__u16 yes;
	__u16 no;
	__u32 off;
	__u32 size;
	__u64 value;
	__u32 text_off;
	__u32 text_len;
};

/**
 * struct ktrace_kernel_filter - KTRACE_IOC_FILTER: which events of a type are recorded
 * @size:	sizeof(struct ktrace_kernel_filter)
 * @id:		event id, ktrace_events.h
 * @step_nr:	comparisons, up to KTRACE_MATCH_STEPS_MAX; 0: all events of the type are
 * @text_size:	bytes of texts, up to KTRACE_MATCH_TEXTS_MAX
 * @reserved:	0
 * @steps:	address of the program: struct ktrace_match_step[step_nr]
 * @texts:	address of its texts
 */
struct ktrace_kernel_filter {
	__u32 size;
	__u16 id;
	__u16 step_nr;
	__u32 text_size;
	__u32 reserved;
	__u64 steps;
	__u64 texts;
};

#endif
