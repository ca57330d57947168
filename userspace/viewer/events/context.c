// SPDX-License-Identifier: GPL-2.0
/*
 * context.c - prints context recorded with an event besides its payload, as text and JSON
 *
 * The trace itself names kernel functions. Addresses in programs are looked up in their files if
 * requested; otherwise only the file and the offset in it are printed, both from the trace.
 */
#include "context.h"

#include "base/viewer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	__u32 item;
	const char *name;
	char letter;
} kinds[] = {
	{ KTRACE_ITEM_KSTACK, "kstack", 'k' },
	{ KTRACE_ITEM_USTACK, "ustack", 'u' },
};

#define KIND_NR (sizeof(kinds) / sizeof(kinds[0]))

static void put_hex(struct ktrace_out *out, __u64 value)
{
	ktrace_out_str(out, "0x");
	ktrace_out_hex(out, value, 1);
}

static void put_nspid(struct ktrace_out *out, __u64 value, const char *middle)
{
	ktrace_out_u64(out, value >> KTRACE_NSPID_SHIFT);
	ktrace_out_str(out, middle);
	ktrace_out_u64(out, value & ((1u << KTRACE_NSPID_SHIFT) - 1));
}

static void put_key(struct ktrace_out *out, char before, const char *key)
{
	ktrace_out_char(out, before);
	ktrace_out_char(out, '"');
	ktrace_out_str(out, key);
	ktrace_out_str(out, "\":");
}

static void put_value(struct ktrace_out *out, const struct ktrace_trace *trace,
		      const struct ktrace_item *item, bool is_json)
{
	const char *path = item->kind == KTRACE_ITEM_CGROUP ?
			   ktrace_trace_cgroup(trace, item->value) : NULL;

	if (path && is_json) {
		ktrace_out_json(out, path, strlen(path));
	} else if (path) {
		ktrace_out_safe(out, path);
	} else if (item->kind == KTRACE_ITEM_NSPID) {
		put_nspid(out, item->value, is_json ? ",\"nstid\":" : " nstid=");
	} else if (item->kind < KTRACE_ITEM_CGROUP) {
		ktrace_out_str(out, is_json ? "\"" : "");
		put_hex(out, item->value);
		ktrace_out_str(out, is_json ? "\"" : "");
	} else {
		ktrace_out_u64(out, item->value);
	}
}

/* Writes all items. Return: false, there is none. */
static bool put_items(struct ktrace_out *out, const struct ktrace_trace_event *e, bool is_json)
{
	__u32 i, nr = ktrace_event_items(e);
	struct ktrace_item item;
	bool has_any = false;
	const char *name;

	for (i = 0; i < nr; i++) {
		item = ktrace_event_item(e, i);
		name = ktrace_item_name(item.kind);
		if (!name)
			continue;
		if (is_json) {
			put_key(out, has_any ? ',' : '{', name);
		} else {
			ktrace_out_str(out, has_any ? " " : " {");
			ktrace_out_str(out, name);
			ktrace_out_char(out, '=');
		}
		put_value(out, e->stream->trace, &item, is_json);
		has_any = true;
	}
	return has_any;
}

void context_put(struct ktrace_out *out, const struct ktrace_trace_event *e)
{
	if (put_items(out, e, false))
		ktrace_out_char(out, '}');
}

void context_put_json(struct ktrace_out *out, const struct ktrace_trace_event *e)
{
	ktrace_out_str(out, put_items(out, e, true) ? "}" : "{}");
}

/* Fills in what the trace itself says about the frame's code; false: nothing. */
static bool take_told(const struct frame *f, struct symbol *to)
{
	const struct ktrace_trace_code *code = ktrace_trace_stack_code(f->trace, f->stack, f->i);

	if (!code || (!code->function && !code->module))
		return false;
	*to = (struct symbol){
		.module = code->module, .place = f->stack->address[f->i],
		.function = code->function, .offset = code->offset,
		.no_offset = !code->has_offset, .file = code->file, .line = (int)code->line,
		.is_kernel = f->stack->kind == KTRACE_STACK_KERNEL, .is_told = true,
	};
	return true;
}

static bool is_inlined(const struct frame *f)
{
	const struct ktrace_trace_code *code = ktrace_trace_stack_code(f->trace, f->stack, f->i);

	return code && code->is_inlined;
}

/* @own: memory for the symbol */
static const struct symbol *find_symbol(struct symbols *symbols, const struct frame *f,
					struct symbol *own)
{
	if (take_told(f, own))
		return own;
	if (!symbols)
		return NULL;
	if (f->stack->kind == KTRACE_STACK_KERNEL)
		return symbols_find_kernel(symbols, f->trace, f->stack->address[f->i], f->i);
	return symbols_find(symbols, f->trace, f->stack->pid, f->raw, f->stack->address[f->i],
			    f->i);
}

/* All addresses but the innermost are return addresses, which may be after the function's end. */
static __u64 looked_up(const struct frame *f)
{
	return f->stack->address[f->i] - !!f->i;
}

static const struct ktrace_map *find_map(const struct frame *f)
{
	return f->stack->kind == KTRACE_STACK_KERNEL ? NULL :
	       ktrace_trace_map(f->trace, f->stack->pid, f->raw, looked_up(f));
}

static const char *kernel_function(const struct frame *f, __u64 *offset)
{
	return f->stack->kind != KTRACE_STACK_KERNEL ? NULL :
	       ktrace_trace_kernel_symbol(f->trace, looked_up(f), offset);
}

/* Writes "ksys_read+0x5f", "work+0x1c at prog.c:41", "libc.so.6+0x1234", "0xffffffff81000000". */
static void put_frame(struct ktrace_out *out, struct symbols *symbols, const struct frame *f)
{
	struct symbol own;
	const struct symbol *symbol = find_symbol(symbols, f, &own);
	const struct ktrace_map *map = symbol ? NULL : find_map(f);
	const __u64 address = f->stack->address[f->i];
	__u64 offset = 0;
	const char *name = kernel_function(f, &offset);

	if (symbol) {
		symbols_put(out, symbol);
		ktrace_out_str(out, is_inlined(f) ? " (inlined)" : "");
	} else if (name) {
		ktrace_out_safe(out, name);
		ktrace_out_char(out, '+');
		put_hex(out, offset + !!f->i);
	} else if (map) {
		ktrace_out_safe(out, basename(map->path));
		ktrace_out_char(out, '+');
		put_hex(out, address - map->start + map->offset);
	} else {
		put_hex(out, address);
	}
}

/* Replaces the characters that separate frames. */
static void put_word(struct ktrace_out *out, const char *name)
{
	char *copy = strdup(name), *at;

	if (!copy) {
		out->error = out->error ? out->error : -ENOMEM;
		return;
	}
	for (at = copy; (at = strpbrk(at, ";\n"));)
		*at = ':';
	ktrace_out_safe(out, copy);
	free(copy);
}

void context_put_function(struct ktrace_out *out, struct symbols *symbols, const struct frame *f)
{
	struct symbol own;
	const struct symbol *symbol = find_symbol(symbols, f, &own);
	const struct ktrace_map *map = symbol ? NULL : find_map(f);
	__u64 offset;
	const char *name = kernel_function(f, &offset);

	const char *end = f->stack->kind == KTRACE_STACK_KERNEL ? "_[k]" : "";

	if (name || (symbol && symbol->function)) {
		put_word(out, name ? name : symbol->function);
	} else if (map || symbol) {
		ktrace_out_char(out, '[');
		put_word(out, basename(map ? map->path : symbol->module));
		ktrace_out_char(out, ']');
	} else {
		ktrace_out_str(out, "[unknown]");
	}
	ktrace_out_str(out, end);
	for (size_t i = symbol ? symbol->inlined_nr : 0; i--;) {
		ktrace_out_char(out, ';');
		put_word(out, symbol->inlined[i].function ? symbol->inlined[i].function : "?");
		ktrace_out_str(out, end);
	}
}

/* Finds the event's stack of a kind; false: it has none, or the trace lacks it. */
static bool find_stack(const struct ktrace_trace_event *e, __u32 item, struct frame *f)
{
	__u64 number;

	*f = (struct frame){ .trace = e->stream->trace, .raw = e->raw };
	if (!ktrace_event_find_item(e, item, &number))
		return false;
	f->stack = ktrace_trace_stack(f->trace, number);
	return f->stack;
}

static void begin_frame(struct ktrace_out *out, char letter)
{
	output_line_begin(out);
	ktrace_out_char(out, '\t');
	ktrace_out_char(out, letter);
	ktrace_out_char(out, ' ');
}

/* Writes a line for the frame, after one for each function inlined there. */
static void put_frame_lines(struct ktrace_out *out, struct symbols *symbols,
			    const struct frame *f, char letter)
{
	struct symbol own;
	const struct symbol *symbol = find_symbol(symbols, f, &own);

	for (size_t i = 0; symbol && i < symbol->inlined_nr; i++) {
		begin_frame(out, letter);
		symbols_put_inlined(out, &symbol->inlined[i]);
		ktrace_out_str(out, " (inlined)\n");
	}
	begin_frame(out, letter);
	if (symbol) {
		symbols_put_outer(out, symbol);
		ktrace_out_str(out, is_inlined(f) ? " (inlined)" : "");
	} else {
		put_frame(out, symbols, f);
	}
	ktrace_out_char(out, '\n');
}

void context_put_stacks(struct ktrace_out *out, struct symbols *symbols,
			const struct ktrace_trace_event *e)
{
	struct frame f;
	size_t i;

	for (i = 0; i < KIND_NR; i++) {
		if (!find_stack(e, kinds[i].item, &f))
			continue;
		for (; f.i < f.stack->nr; f.i++)
			put_frame_lines(out, symbols, &f, kinds[i].letter);
		if (f.stack->is_cut)
			ktrace_out_str(out, "\t...\n");
	}
}

/* Writes frames as JSON strings; @text is a buffer for one of them. */
static void put_json_frames(struct ktrace_out *out, struct symbols *symbols, struct frame f,
			    struct ktrace_out *text)
{
	for (; f.i < f.stack->nr; f.i++) {
		if (f.i)
			ktrace_out_char(out, ',');
		text->len = 0;
		put_frame(text, symbols, &f);
		ktrace_out_json(out, text->buf, text->len);
	}
	if (f.stack->is_cut)
		ktrace_out_str(out, f.i ? ",\"...\"" : "\"...\"");
}

void context_put_stacks_json(struct ktrace_out *out, struct symbols *symbols,
			     const struct ktrace_trace_event *e)
{
	struct ktrace_out text = { .flush = output_grow };
	char before = '{';
	struct frame f;
	size_t i;

	text.error = output_grow(&text);
	for (i = 0; i < KIND_NR && !text.error; i++) {
		if (!find_stack(e, kinds[i].item, &f))
			continue;
		put_key(out, before, kinds[i].name);
		ktrace_out_char(out, '[');
		put_json_frames(out, symbols, f, &text);
		ktrace_out_char(out, ']');
		before = ',';
	}
	if (text.error && !out->error)
		out->error = text.error;
	free(text.buf);
	ktrace_out_str(out, before == '{' ? "{}" : "}");
}
