/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * context.h - data recorded with kernel events in addition to their payloads
 *
 * ktraced --context selects it. An event with KTRACE_EVENT_CONTEXT has items, each of a kind listed
 * in <linux/ktrace_context.h>. The trace resolves the numbers of stacks and control groups, and
 * kernel addresses.
 */
#ifndef KTRACE_CONTEXT_H
#define KTRACE_CONTEXT_H

#include <ktrace/traceset.h>
#include <linux/ktrace_context.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/**
 * struct ktrace_item - one item of an event's context
 * @kind:	enum ktrace_item_kind
 * @value:	its value; the meaning depends on @kind
 */
struct ktrace_item {
	__u32 kind;
	__u64 value;
};

/** ktrace_event_items - get the number of items of an event, 0 = no context */
__u32 ktrace_event_items(const struct ktrace_trace_event *e);

/** ktrace_event_item - get item number @i of an event; @i is below ktrace_event_items() */
struct ktrace_item ktrace_event_item(const struct ktrace_trace_event *e, __u32 i);

/** ktrace_event_find_item - find the item of a kind; false if the event has none */
bool ktrace_event_find_item(const struct ktrace_trace_event *e, __u32 kind, __u64 *value);

/** ktrace_event_context_size - get the size of the context, in bytes after the payload */
__u32 ktrace_event_context_size(const struct ktrace_trace_event *e);

/**
 * ktrace_item_name - get the name of a kind: "kstack", "cgroup", "task-clock" ...; NULL if unknown
 */
const char *ktrace_item_name(__u32 kind);

/**
 * struct ktrace_trace_stack - a stack
 * @number:	its number, as in items
 * @kind:	enum ktrace_stack_kind
 * @pid:	process, for stacks of programs
 * @is_cut:	truncated: there may be more frames
 * @nr:		number of frames
 * @address:	innermost frame first; the others are return addresses
 */
struct ktrace_trace_stack {
	__u64 number;
	__u32 kind;
	__u32 pid;
	bool is_cut;
	__u32 nr;
	const __u64 *address;
};

/** ktrace_trace_stack - look up a stack by its number; NULL if the trace does not have it */
const struct ktrace_trace_stack *ktrace_trace_stack(const struct ktrace_trace *trace, __u64 number);

/**
 * struct ktrace_trace_code - what the recorder knew about a frame's code; NULL = unknown
 * @function:	name
 * @offset:	bytes from its beginning
 * @has_offset:	@offset is known
 * @module:	path of the program or library, or the recorder's name of a part of the kernel
 * @file:	source file
 * @line:	line in it
 * @is_inlined:	inlined into the function of the next frame, which has the same address
 */
struct ktrace_trace_code {
	const char *function;
	__u64 offset;
	bool has_offset;
	const char *module;
	const char *file;
	__u32 line;
	bool is_inlined;
};

/**
 * ktrace_trace_stack_code - get what the trace itself says about the code of a frame
 * @trace:	the trace
 * @stack:	a stack of ktrace_trace_stack()
 * @i:		number of the frame, 0 = innermost
 *
 * Traces that other tools recorded say it; ktraced records addresses only.
 *
 * Return: the code; NULL if the trace does not say it.
 */
const struct ktrace_trace_code *
ktrace_trace_stack_code(const struct ktrace_trace *trace, const struct ktrace_trace_stack *stack,
			__u32 i);

/** ktrace_trace_cgroup - get the path of a control group in its hierarchy; NULL if unknown */
const char *ktrace_trace_cgroup(const struct ktrace_trace *trace, __u64 id);

/**
 * ktrace_trace_kernel_symbol - find the kernel function at an address
 * @trace:	the trace
 * @address:	the address
 * @offset:	out: bytes from the function's start
 *
 * Return: its name, followed by " [MODULE]" if it belongs to a module; NULL if unknown.
 */
const char *ktrace_trace_kernel_symbol(const struct ktrace_trace *trace, __u64 address,
				       __u64 *offset);

/**
 * struct ktrace_kernel_image - the kernel or one of its modules
 * @name:	"vmlinux" or the module's name
 * @build:	its build id in hexadecimal, NULL = unknown
 * @text:	address of its .text section, 0 = unknown
 */
struct ktrace_kernel_image {
	const char *name;
	const char *build;
	__u64 text;
};

/**
 * ktrace_trace_kernel_image - find the kernel or a module by name
 *
 * Return: the image; NULL if the trace does not have it. Once the set's first event has been read,
 * the image neither moves nor changes until the set is closed; before that, it is valid until the
 * next ktrace_traceset_add().
 */
const struct ktrace_kernel_image *ktrace_trace_kernel_image(const struct ktrace_trace *trace,
							    const char *name);

#pragma GCC visibility pop
#ifdef __cplusplus
}

/* The same for callers with uint64_t, which in C++ is another type than __u64 */
static inline bool ktrace_event_find_item(const struct ktrace_trace_event *e, __u32 kind,
					  uint64_t *value)
{
	__u64 found = 0;
	bool is_there = ktrace_event_find_item(e, kind, &found);

	*value = found;
	return is_there;
}

static inline const char *ktrace_trace_kernel_symbol(const struct ktrace_trace *trace,
						     __u64 address, uint64_t *offset)
{
	__u64 bytes = 0;
	const char *name = ktrace_trace_kernel_symbol(trace, address, &bytes);

	*offset = bytes;
	return name;
}
#endif

#endif
