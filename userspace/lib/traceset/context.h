/* SPDX-License-Identifier: LGPL-2.1 */
/* context.h - what was recorded with events besides their payloads */
#ifndef KTRACE_TRACESET_CONTEXT_H
#define KTRACE_TRACESET_CONTEXT_H

#include "symbol_tables.h"

struct trace;

/* For an event whose record has KTRACE_REC_CONTEXT: removes the context from its payload. */
void ktrace_context_take_off(struct ktrace_trace_event *e);

/*
 * Add META lines stack, code, image, cgroup and symbol. @frames: NULL = the code of its frames is
 * unknown. Return 0, -EINVAL, -ENOMEM.
 */
int ktrace_context_add_stack(struct trace *t, const struct ktrace_trace_stack *head,
			     const char *addresses, const char *frames);
int ktrace_context_add_code(struct trace *t, __u64 number, const struct ktrace_trace_code *code);
int ktrace_context_add_image(struct trace *t, const char *name, const char *build, __u64 text);
int ktrace_context_add_name(struct symbol_table *table, __u64 key, __u64 end,
			    const char *text);
/* To be called once all META text has been read */
void ktrace_context_sort(struct trace *t);
void ktrace_context_free(struct trace *t);

#endif
