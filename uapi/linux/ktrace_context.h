/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ktrace_context.h - context of kernel events: what a record can have in addition to the payload
 *
 * A record with KTRACE_REC_CONTEXT has, after the event's own payload, the context of the thread
 * that the event interrupted or that caused it. Readers parse it from the end, which works for
 * any payload:
 *
 *   payload | item | item | ... | __u16 number of items
 *
 * An item is a __u64, not aligned: KTRACE_ITEM_* in its upper 8 bits, the value in the other
 * 56. Readers ignore items of unknown kinds. If the record is too short for the number of items,
 * or the number is 0 or above KTRACE_ITEMS_MAX, the record has no context, and all of it
 * is payload.
 *
 * Each stack is stored once; records only have its number. KTRACE_IOC_STACKS returns the stacks
 * as struct ktrace_stack. The number has the lower 24 bits of the session's id above the 32 bits
 * of ktrace_stack.id, so that traces can be merged. User stacks also differ if their process or
 * program differs. The innermost address comes first; the others are return addresses.
 */
#ifndef _LINUX_KTRACE_CONTEXT_H
#define _LINUX_KTRACE_CONTEXT_H

#include <linux/types.h>

/* What to record: bits of struct ktrace_context */
#define KTRACE_CONTEXT_KSTACK (1u << 0)		/* kernel stack */
#define KTRACE_CONTEXT_USTACK (1u << 1)		/* user stack, by frame pointers */
#define KTRACE_CONTEXT_CGROUP (1u << 2)		/* in the hierarchy of version 2 */
#define KTRACE_CONTEXT_NSPID (1u << 3)		/* ids as seen in the process's pid namespace */
#define KTRACE_CONTEXT_COUNTER (1u << 8)	/* counter 0; higher bits: further ones, up to */
#define KTRACE_COUNTERS_MAX 8u

enum ktrace_item_kind {
	KTRACE_ITEM_KSTACK = 1,		/* number of a stack, 0 = could not be recorded */
	KTRACE_ITEM_USTACK = 2,		/* the same; kernel threads have none */
	KTRACE_ITEM_CGROUP = 3,		/* its id, see name_to_handle_at(2) */
	KTRACE_ITEM_NSPID = 4,		/* process << 28 | thread */
	KTRACE_ITEM_COUNTER = 16,	/* up to 47: + 16 * type + config, the CPU's counter */
};

#define KTRACE_COUNTER_TYPES 2u			/* PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE */
#define KTRACE_COUNTER_CONFIGS 16u
#define KTRACE_ITEMS_MAX (4u + KTRACE_COUNTERS_MAX)
#define KTRACE_ITEM_SHIFT 56
#define KTRACE_ITEM_MASK ((1ull << KTRACE_ITEM_SHIFT) - 1)
#define KTRACE_NSPID_SHIFT 28
#define KTRACE_STACK_NUMBER(session, id) (((__u64)(session) & 0xffffff) << 32 | (id))

enum ktrace_stack_kind {
	KTRACE_STACK_KERNEL = 0,
	KTRACE_STACK_USER = 1,
};

#define KTRACE_STACK_FRAMES 128u
#define KTRACE_STACK_CUT (1u << 0)	/* there may be more frames */

/**
 * struct ktrace_stack - one stack
 * @id:		its number, not 0; larger than that of the stack before
 * @nr:		addresses that follow, up to KTRACE_STACK_FRAMES
 * @kind:	enum ktrace_stack_kind
 * @flags:	KTRACE_STACK_CUT
 * @pid:	user stacks: the process
 * @program:	user stacks: changes when the process executes another program
 * @ts:		first occurrence, in the session's clock
 *
 * The addresses follow.
 */
struct ktrace_stack {
	__u32 id;
	__u16 nr;
	__u8 kind;
	__u8 flags;
	__u32 pid;
	__u32 program;
	__u64 ts;
};

#define KTRACE_STACK_ADDRESSES(stack) ((__u64 *)((stack) + 1))

#endif
