/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * context.h - what was recorded with kernel events beside their payloads
 *
 * ktraced --context chooses it. An event with KTRACE_EVENT_CONTEXT has items, each of a kind of
 * <linux/ktrace_context.h>; what stacks, control groups and addresses of the kernel mean, the
 * trace says.
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
 * @value:	as there
 */
struct ktrace_item {
	__u32 kind;
	__u64 value;
};

/** ktrace_event_items - how many items an event has, 0 = no context */
__u32 ktrace_event_items(const struct ktrace_trace_event *e);

/** ktrace_event_item - item number @i of an event, which is below their number */
struct ktrace_item ktrace_event_item(const struct ktrace_trace_event *e, __u32 i);

/** ktrace_event_find_item - the item of a kind; false: the event has none */
bool ktrace_event_find_item(const struct ktrace_trace_event *e, __u32 kind, __u64 *value);

/** ktrace_event_context_size - bytes behind the payload that belong to the event, too */
__u32 ktrace_event_context_size(const struct ktrace_trace_event *e);

/** ktrace_item_name - "kstack", "cgroup", "task-clock" ...; NULL for kinds not known */
const char *ktrace_item_name(__u32 kind);

/**
 * struct ktrace_trace_stack - a stack
 * @number:	what items have
 * @kind:	enum ktrace_stack_kind
 * @pid:	of programs: the process
 * @is_cut:	there may be more frames
 * @nr:		frames
 * @address:	the innermost one first, the others are return addresses
 */
struct ktrace_trace_stack {
	__u64 number;
	__u32 kind;
	__u32 pid;
	bool is_cut;
	__u32 nr;
	const __u64 *address;
};

/** ktrace_trace_stack - what a stack's number means; NULL: the trace does not say */
const struct ktrace_trace_stack *ktrace_trace_stack(const struct ktrace_trace *trace, __u64 number);

/** ktrace_trace_cgroup - path of a control group in its hierarchy; NULL: not known */
const char *ktrace_trace_cgroup(const struct ktrace_trace *trace, __u64 id);

/**
 * ktrace_trace_kernel_symbol - the kernel's function at an address
 * @trace:	the trace
 * @address:	the address
 * @offset:	out: bytes from its beginning
 *
 * Return: its name, with " [MODULE]" behind it if it is one's; NULL: not known.
 */
const char *ktrace_trace_kernel_symbol(const struct ktrace_trace *trace, __u64 address,
				       __u64 *offset);

/**
 * struct ktrace_kernel_image - the kernel, or a module of it
 * @name:	"vmlinux" or the module's
 * @build:	its build id in hexadecimal, NULL = not known
 * @text:	address of its section .text, 0 = not known
 */
struct ktrace_kernel_image {
	const char *name;
	const char *build;
	__u64 text;
};

/**
 * ktrace_trace_kernel_image - the one with a name
 *
 * Return: what stays where it is, and as it is, once the set's first event has been read, until
 * the set is closed; before that, until the next ktrace_traceset_add(). NULL: the trace does not
 * say.
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
