/* SPDX-License-Identifier: GPL-2.0 */
/* context.h - prints context recorded with an event besides its payload, as text and JSON */
#ifndef VIEWER_EVENTS_CONTEXT_H
#define VIEWER_EVENTS_CONTEXT_H

#include <ktrace/context.h>

#include "symbols/symbols.h"

/*
 * Writes " {kstack=0x22 cgroup=/a nspid=1 nstid=2 page-faults=7}"; nothing if there is no context.
 */
void context_put(struct ktrace_out *out, const struct ktrace_trace_event *e);
/* Writes the same as JSON: {...}. */
void context_put_json(struct ktrace_out *out, const struct ktrace_trace_event *e);

/**
 * struct frame - one frame of an event's stack
 * @trace:	the trace
 * @stack:	the stack
 * @i:		number of the frame, 0 = innermost
 * @raw:	stamp of the event
 */
struct frame {
	const struct ktrace_trace *trace;
	const struct ktrace_trace_stack *stack;
	__u32 i;
	__u64 raw;
};

/*
 * Writes the function of a frame: "ksys_read_[k]", "work", "[libc.so.6]", "[unknown]".
 * @symbols: here and below, NULL = addresses in programs are not looked up
 */
void context_put_function(struct ktrace_out *out, struct symbols *symbols, const struct frame *f);

/* Writes a line for each frame, kernel frames first, each "\tk " or "\tu " and the frame. */
void context_put_stacks(struct ktrace_out *out, struct symbols *symbols,
			const struct ktrace_trace_event *e);
/* Writes {"kstack":["ksys_read+0x5f","..."],...}; ends with "..." if the stack was truncated. */
void context_put_stacks_json(struct ktrace_out *out, struct symbols *symbols,
			     const struct ktrace_trace_event *e);

#endif
