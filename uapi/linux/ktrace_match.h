/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ktrace_match.h - programs of filters that the kernel evaluates, KTRACE_IOC_FILTER
 *
 * A program decides whether an event is recorded, before any room is reserved in a ring. It is a
 * list of comparisons. Each has two targets: a later comparison, or the end: the number of
 * comparisons accepts the event, one more rejects it. Jumps only go forward, so every program
 * ends. Comparisons use pieces of the program's texts.
 *
 * A comparison with a field that an event does not have, or that lies beyond the end of its
 * payload, is false, even KTRACE_MATCH_NE. Payloads are those of <linux/ktrace_events.h>; values
 * that the session's owner may not see are 0 or empty for programs, too.
 *
 * Documentation/filter.md describes the language that is compiled to such programs.
 */
#ifndef _LINUX_KTRACE_MATCH_H
#define _LINUX_KTRACE_MATCH_H

#include <linux/types.h>

/* What is compared. All but the first two belong to the thread that an event interrupts. */
enum ktrace_match_what {
	KTRACE_MATCH_NUMBER = 0,	/* @size bytes at @off of the payload */
	KTRACE_MATCH_TEXT = 1,		/* at most @size bytes at @off, up to a NUL */
	KTRACE_MATCH_PID = 2,		/* process, 0 = idle */
	KTRACE_MATCH_TID = 3,		/* thread, 0 = idle */
	KTRACE_MATCH_CPU = 4,
	KTRACE_MATCH_UID = 5,		/* its real user id in the initial namespace */
	KTRACE_MATCH_CGROUP = 6,	/* id of its cgroup in the hierarchy of version 2 */
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
	KTRACE_MATCH_HAS = 6,		/* numbers: any of these bits is set */
	KTRACE_MATCH_LIKE = 7,		/* text: glob * ? [a-z] [!a-z] \ */
	KTRACE_MATCH_OP_NR,
};

enum ktrace_match_flags {
	KTRACE_MATCH_SIGNED = 1 << 0,	/* NUMBER: signed */
	KTRACE_MATCH_NEGATIVE = 1 << 1,	/* @value is below 0, -1 is ~0 */
	KTRACE_MATCH_WHOLE = 1 << 2,	/* TEXT: NULs do not end it */
	KTRACE_MATCH_FAR = 1 << 3,	/* TEXT: at @off is a __u32: length << 16 | offset */
	KTRACE_MATCH_REL = 1 << 4,	/* with FAR: the offset counts from the end of the __u32 */
};

#define KTRACE_MATCH_STEPS_MAX 256u
#define KTRACE_MATCH_TEXTS_MAX 4096u
#define KTRACE_MATCH_SIZE_MAX 4096u

/*
 * Limit of the work that the filters of all sessions of a user do for one event. The sessions with
 * filters have equal shares. A unit is a nanosecond or two; these are the costs:
 *
 *   STEP	a comparison
 *   TEXT	a comparison of texts, in addition
 *   WORD	8 bytes that EQ or NE compare, or in which LIKE searches the NUL
 *   GLOB	a byte of the text against a piece of a pattern, for each attempt
 *   SET	a byte or range between [ and ], for each test
 *
 * A program is refused if any path through it costs more than the limit, counting each byte of a
 * glob's pattern once. The real cost of globs depends on the text: when a session's share
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
 * @yes:	target if it is true
 * @no:		target if it is false
 * @off:	NUMBER, TEXT: offset in the payload; otherwise 0
 * @size:	NUMBER: 1, 2, 4 or 8; TEXT: up to KTRACE_MATCH_SIZE_MAX; otherwise 0
 * @value:	numbers: value to compare with; texts: 0
 * @text_off:	texts: offset of the text to compare with, in the program's texts; numbers: 0
 * @text_len:	bytes of that text
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
 * @step_nr:	comparisons, up to KTRACE_MATCH_STEPS_MAX; 0: all events of the type are recorded
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
