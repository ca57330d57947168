/* SPDX-License-Identifier: GPL-2.0 */
/*
 * import_stacks.h - stacks of another tool's events, with the names that the tool has given
 *
 * Frames are added innermost first; a frame of the kernel goes to the event's kernel stack, any
 * other one to that of the program. Each stack and each frame's code is written once.
 */
#ifndef VIEWER_IMPORT_IMPORT_STACKS_H
#define VIEWER_IMPORT_IMPORT_STACKS_H

#include "import_writer.h"

#include <ktrace/context.h>

struct import_stacks;

/**
 * import_stacks_new - begin
 * @f:		the tracefile
 * @seed:	makes the numbers of stacks differ from those of other files: their name
 *
 * Return: NULL: no memory.
 */
struct import_stacks *import_stacks_new(struct import_writer *f, const char *seed);
/** import_stacks_free - free everything; NULL is allowed */
void import_stacks_free(struct import_stacks *s);

/**
 * import_stacks_add - add a frame to the stacks of the event
 * @s:		the stacks
 * @is_kernel:	it is a frame of the kernel
 * @address:	its address
 * @code:	what is known about it
 *
 * Return: 0, -ENOMEM; a frame beyond KTRACE_STACK_FRAMES is left out, and the stack is marked cut.
 */
int import_stacks_add(struct import_stacks *s, bool is_kernel, __u64 address,
		      const struct ktrace_trace_code *code);

/**
 * import_stacks_put - write the stacks of the event, and begin those of the next
 * @s:		the stacks
 * @e:		the event; its flags tell that it has a context
 * @data:	its payload, to which the context is appended
 *
 * Return: 0, -errno.
 */
int import_stacks_put(struct import_stacks *s, struct import_writer_event *e,
		      struct ktrace_out *data);

/** import_stacks_flush - write the META lines that are still in memory; 0, -errno */
int import_stacks_flush(struct import_stacks *s);
/** import_stacks_cut - number of different stacks that were too long */
__u64 import_stacks_cut(const struct import_stacks *s);

#endif
