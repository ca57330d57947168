// SPDX-License-Identifier: LGPL-2.1
/* stacks.c - stacks that were recorded with events: a row for each frame */
#include "event.h"

#include <ktrace/context.h>
#include <string.h>

#include "sql.h"

enum { STACK_KIND = EVENT_NAME + 1, STACK_FRAME, STACK_ADDRESS, STACK_FUNCTION, STACK_OFFSET,
       STACK_MODULE, STACK_FILE, STACK_LINE, STACK_INLINED, STACK_NUMBER, STACK_CUT };

static const struct column columns[] = {
	EVENT_COLUMNS,
	EVENT_NAME_COLUMN,
	{ "kind", "TEXT", "kstack or ustack", 0 },
	{ "frame", "INTEGER", "number of the frame, 0 = innermost", 0 },
	{ "address", "INTEGER", "address of its code; a return address, except for frame 0", 0 },
	{ "function", "TEXT", "name of the function, of the kernel or if the file says it; NULL = "
	  "unknown: ktrace stacks knows those of programs", 0 },
	{ "offset", "INTEGER", "bytes from the beginning of the function, or, if it is unknown, of "
	  "the file in module", 0 },
	{ "module", "TEXT", "program, library or module of the kernel, NULL = unknown", 0 },
	{ "file", "TEXT", "source file, if the file says it", 0 },
	{ "line", "INTEGER", "line in it", 0 },
	{ "inlined", "INTEGER", "1 = inlined into the next frame", 0 },
	{ "stack", "INTEGER", "number of the stack: equal stacks of a trace have the same", 0 },
	{ "cut", "INTEGER", "1 = there may be more frames", 0 },
};

/**
 * struct frame - what is known about a frame
 * @function:	name, NULL = unknown
 * @function_len: its length
 * @offset:	in it, or in @module
 * @has_offset:	it is known
 * @module:	path, or name of a module of the kernel; NULL = unknown
 * @module_len:	its length
 * @file:	source file, NULL = unknown
 * @line:	in it
 * @is_inlined:	into the next frame
 */
struct frame {
	const char *function;
	size_t function_len;
	__u64 offset;
	bool has_offset;
	const char *module;
	size_t module_len;
	const char *file;
	__u32 line;
	bool is_inlined;
};

/**
 * struct stack_cursor - frames of events
 * @e:		the events
 * @item:	number of the next item of the event's context
 * @stack:	the current stack, NULL = none
 * @kind:	its kind, as an item
 * @i:		the current frame
 */
struct stack_cursor {
	struct event_cursor e;
	__u32 item;
	const struct ktrace_trace_stack *stack;
	__u32 kind;
	__u32 i;
};

static int filter(struct cursor *base)
{
	struct stack_cursor *c = (struct stack_cursor *)base;

	c->stack = NULL;
	c->e.now = NULL;
	return ktrace_event_filter(base);
}

/* Goes to the next stack of the event; false: it has no more. */
static bool next_stack(struct stack_cursor *c)
{
	const struct ktrace_trace_event *e = c->e.now;
	struct ktrace_item item;

	c->stack = NULL;
	c->i = 0;
	while (e && !c->stack && c->item < ktrace_event_items(e)) {
		item = ktrace_event_item(e, c->item++);
		c->kind = item.kind;
		if (item.kind == KTRACE_ITEM_KSTACK || item.kind == KTRACE_ITEM_USTACK)
			c->stack = ktrace_trace_stack(e->stream->trace, item.value);
		if (c->stack && !c->stack->nr)
			c->stack = NULL;
	}
	return c->stack;
}

static int next(struct cursor *base)
{
	struct stack_cursor *c = (struct stack_cursor *)base;
	int ret;

	if (c->stack && ++c->i < c->stack->nr)
		return 1;
	while (!next_stack(c)) {
		c->item = 0;
		ret = ktrace_event_next(base);
		if (ret != 1)
			return ret;
	}
	return 1;
}

/* Splits "function [module]" of the kernel. */
static void find_module(struct frame *f)
{
	const char *bracket = f->function ? strstr(f->function, " [") : NULL;

	if (!bracket)
		return;
	f->function_len = (size_t)(bracket - f->function);
	f->module = bracket + 2;
	f->module_len = strcspn(f->module, "]");
}

/* Finds a frame's code by its address: that before a return address. */
static void find_code(const struct stack_cursor *c, struct frame *f)
{
	const struct ktrace_trace_event *e = c->e.now;
	const __u64 back = c->i > 0, address = c->stack->address[c->i] - back;
	const struct ktrace_map *map;

	if (c->kind == KTRACE_ITEM_KSTACK) {
		f->function = ktrace_trace_kernel_symbol(e->stream->trace, address, &f->offset);
		f->has_offset = f->function;
		f->offset += back;
		find_module(f);
		return;
	}
	map = ktrace_trace_map(e->stream->trace, c->stack->pid, e->raw, address);
	if (!map)
		return;
	f->module = map->path;
	f->offset = address - map->start + map->offset + back;
	f->has_offset = true;
}

static struct frame frame_of(const struct stack_cursor *c)
{
	const struct ktrace_trace_code *code =
		ktrace_trace_stack_code(c->e.now->stream->trace, c->stack, c->i);
	struct frame f = { .function = NULL };

	if (code)
		f = (struct frame){
			.function = code->function, .offset = code->offset,
			.has_offset = code->has_offset, .module = code->module,
			.file = code->file, .line = code->line, .is_inlined = code->is_inlined,
		};
	else
		find_code(c, &f);
	if (f.function && !f.function_len)
		f.function_len = strlen(f.function);
	if (f.module && !f.module_len)
		f.module_len = strlen(f.module);
	return f;
}

static void result_code(struct stack_cursor *c, sqlite3_context *to, int column)
{
	const struct frame f = frame_of(c);

	switch (column) {
	case STACK_FUNCTION:
		if (f.function)
			ktrace_result_text(to, &c->e.cell, f.function, f.function_len);
		break;
	case STACK_OFFSET:
		if (f.has_offset)
			sqlite3_result_int64(to, (sqlite3_int64)f.offset);
		break;
	case STACK_MODULE:
		if (f.module)
			ktrace_result_text(to, &c->e.cell, f.module, f.module_len);
		break;
	case STACK_FILE:
		ktrace_result_string(to, &c->e.cell, f.file);
		break;
	case STACK_LINE:
		if (f.file)
			sqlite3_result_int64(to, f.line);
		break;
	default:
		sqlite3_result_int(to, f.is_inlined);
	}
}

static void column(struct cursor *base, sqlite3_context *to, int i)
{
	struct stack_cursor *c = (struct stack_cursor *)base;

	if (i < EVENT_COMMON) {
		ktrace_result_event(base->table->sql, &c->e.cell, to, c->e.now,
				    (enum event_column)i);
		return;
	}
	switch (i) {
	case EVENT_NAME:
		ktrace_event_name(&c->e.cell, c->e.now);
		ktrace_result_cell(to, &c->e.cell);
		break;
	case STACK_KIND:
		ktrace_result_string(to, &c->e.cell, ktrace_item_name(c->kind));
		break;
	case STACK_FRAME:
		sqlite3_result_int64(to, c->i);
		break;
	case STACK_ADDRESS:
		sqlite3_result_int64(to, (sqlite3_int64)c->stack->address[c->i]);
		break;
	case STACK_NUMBER:
		sqlite3_result_int64(to, (sqlite3_int64)c->stack->number);
		break;
	case STACK_CUT:
		sqlite3_result_int(to, c->stack->is_cut);
		break;
	default:
		result_code(c, to, i);
	}
}

static const struct table_class stack_class = {
	.cursor_size = sizeof(struct stack_cursor), .cost = COST_EVENTS, .time = EVENT_TIME,
	.ns = EVENT_NS, .filter = filter, .next = next, .column = column,
	.close = ktrace_event_close,
};

const struct table ktrace_stack_tables[] = {
	{ .class = &stack_class, .name = "stacks",
	  .doc = "a frame of a stack that was recorded with an event, innermost first",
	  .columns = columns, .nr = sizeof(columns) / sizeof(columns[0]) },
	{ .name = NULL },
};
