/* SPDX-License-Identifier: GPL-2.0 */
/* context.h - what was recorded with an event beside its payload, for people and programs */
#ifndef VIEWER_EVENTS_CONTEXT_H
#define VIEWER_EVENTS_CONTEXT_H

#include <ktrace/context.h>

#include "symbols/symbols.h"

/* " {kstack=0x22 cgroup=/a nspid=1 nstid=2 page-faults=7}"; nothing if there is none */
void context_put(struct ktrace_out *out, const struct ktrace_trace_event *e);
/* {...}, the same */
void context_put_json(struct ktrace_out *out, const struct ktrace_trace_event *e);

/**
 * struct frame - one frame of a stack that an event has
 * @trace:	the trace
 * @stack:	the stack
 * @i:		number of the frame, 0 is the innermost one
 * @raw:	stamp of the event
 */
struct frame {
	const struct ktrace_trace *trace;
	const struct ktrace_trace_stack *stack;
	__u32 i;
	__u64 raw;
};

/*
 * The function of a frame: "ksys_read_[k]", "work", "[libc.so.6]", "[unknown]".
 * @symbols: here and below, NULL = code of programs is not looked up
 */
void context_put_function(struct ktrace_out *out, struct symbols *symbols, const struct frame *f);

/* A line for each frame, those of the kernel first, each "\tk " or "\tu " and the frame */
void context_put_stacks(struct ktrace_out *out, struct symbols *symbols,
			const struct ktrace_trace_event *e);
/* {"kstack":["ksys_read+0x5f","..."],...}; the last "..." if the stack has more frames */
void context_put_stacks_json(struct ktrace_out *out, struct symbols *symbols,
			     const struct ktrace_trace_event *e);

#endif
