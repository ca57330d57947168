// SPDX-License-Identifier: GPL-2.0
/*
 * import_stacks.c - stacks of another tool's events, with the names that the tool has given
 *
 * META says them, see Documentation/trace-format.md: "code" once for each different frame, "stack"
 * once for each different stack; events have the numbers of their stacks as context. Memory grows
 * with different frames and stacks, as it does for readers.
 */
#include "import_stacks.h"

#include <errno.h>
#include <ktrace/tracefile.h>
#include <stdlib.h>
#include <string.h>

#include "base/viewer.h"

#define TEXT_MAX 65536u		/* bytes of text after which META is written */
#define KINDS 2

/* struct entry - a text and its number; they are in lists by hash */
struct entry {
	struct entry *next;
	__u64 hash;
	__u32 number;
	size_t len;
	char text[];
};

/* struct numbers - numbers of texts; @nr: how many; @slots: lists, @slot_nr of them */
struct numbers {
	struct entry **slots;
	size_t slot_nr;
	__u32 nr;
};

/**
 * struct stack - one stack of the current event
 * @addresses:	text of META
 * @codes:	text of META: numbers of the code of its frames
 * @nr:		frames
 * @is_cut:	there are more
 */
struct stack {
	struct ktrace_out addresses;
	struct ktrace_out codes;
	__u32 nr;
	bool is_cut;
};

/**
 * struct import_stacks - all stacks so far
 * @f:		the tracefile
 * @session:	upper part of numbers
 * @codes:	numbers of code, by all that is known of it
 * @stacks:	numbers of stacks, by kind, process and frames
 * @now:	stacks of the current event, by enum ktrace_stack_kind
 * @key:	buffer for a text
 * @text:	META to be written
 * @cut:	number of stacks that were cut
 */
struct import_stacks {
	struct import_writer *f;
	__u32 session;
	struct numbers codes;
	struct numbers stacks;
	struct stack now[KINDS];
	struct ktrace_out key;
	struct ktrace_text text;
	__u64 cut;
};

static __u64 hash_of(const char *text, size_t len)
{
	__u64 hash = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3ull;
	return hash ^ hash >> 32;
}

static int grow(struct numbers *n)
{
	const size_t nr = n->slot_nr ? 2 * n->slot_nr : 1024;
	struct entry **slots = calloc(nr, sizeof(struct entry *)), *e, *next;

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < n->slot_nr; i++)
		for (e = n->slots[i]; e; e = next) {
			next = e->next;
			e->next = slots[e->hash % nr];
			slots[e->hash % nr] = e;
		}
	free(n->slots);
	n->slots = slots;
	n->slot_nr = nr;
	return 0;
}

/* Finds the number of a text, or gives it the next one: *@is_new. Return: 0, -ENOMEM. */
static int find_number(struct numbers *n, const struct ktrace_out *text, __u32 *number,
		       bool *is_new)
{
	const __u64 hash = hash_of(text->buf, text->len);
	struct entry *e;

	*is_new = false;
	if (n->nr >= n->slot_nr && grow(n))
		return -ENOMEM;
	for (e = n->slots[hash % n->slot_nr]; e; e = e->next)
		if (e->hash == hash && e->len == text->len &&
		    !memcmp(e->text, text->buf, text->len)) {
			*number = e->number;
			return 0;
		}
	e = malloc(sizeof(*e) + text->len);
	if (!e)
		return -ENOMEM;
	*e = (struct entry){
		.next = n->slots[hash % n->slot_nr], .hash = hash, .number = ++n->nr,
		.len = text->len,
	};
	memcpy(e->text, text->buf, text->len);
	n->slots[hash % n->slot_nr] = e;
	*number = e->number;
	*is_new = true;
	return 0;
}

static void free_numbers(struct numbers *n)
{
	struct entry *e, *next;

	for (size_t i = 0; i < n->slot_nr; i++)
		for (e = n->slots[i]; e; e = next) {
			next = e->next;
			free(e);
		}
	free(n->slots);
}

struct import_stacks *import_stacks_new(struct import_writer *f, const char *seed)
{
	struct import_stacks *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->f = f;
	s->session = (__u32)hash_of(seed, strlen(seed)) & 0xffffff;
	s->key.flush = output_grow;
	s->key.error = output_grow(&s->key);
	for (int i = 0; i < KINDS; i++) {
		struct stack *stack = &s->now[i];

		stack->addresses.flush = stack->codes.flush = output_grow;
		stack->addresses.error = output_grow(&stack->addresses);
		stack->codes.error = output_grow(&stack->codes);
	}
	return s;
}

void import_stacks_free(struct import_stacks *s)
{
	if (!s)
		return;
	free_numbers(&s->codes);
	free_numbers(&s->stacks);
	for (int i = 0; i < KINDS; i++) {
		free(s->now[i].addresses.buf);
		free(s->now[i].codes.buf);
	}
	free(s->key.buf);
	ktrace_text_free(&s->text);
	free(s);
}

int import_stacks_flush(struct import_stacks *s)
{
	return import_writer_text(s->f, &s->text);
}

static int flush_if_long(struct import_stacks *s)
{
	return s->text.len < TEXT_MAX ? s->text.error : import_stacks_flush(s);
}

static void put_key(struct ktrace_out *out, const char *text)
{
	ktrace_out_char(out, text ? 1 : 0);
	if (text)
		ktrace_out_bytes(out, text, strlen(text) + 1);
}

static void put_text(struct ktrace_text *t, const char *key, const char *text)
{
	if (text)
		ktrace_text_str(t, key, text);
}

/* Finds the number of @code, 0 = nothing is known; writes it if it is new. */
static int code_number(struct import_stacks *s, const struct ktrace_trace_code *code,
		       __u64 *number)
{
	struct ktrace_text *t = &s->text;
	bool is_new;
	__u32 nr;
	int ret;

	*number = 0;
	if (!code->function && !code->module && !code->file)
		return 0;
	s->key.len = 0;
	put_key(&s->key, code->function);
	put_key(&s->key, code->module);
	put_key(&s->key, code->file);
	ktrace_out_bytes(&s->key, (const char *)&code->offset, sizeof(code->offset));
	ktrace_out_bytes(&s->key, (const char *)&code->line, sizeof(code->line));
	ktrace_out_char(&s->key, (char)(code->has_offset | code->is_inlined << 1));
	ret = s->key.error ? s->key.error : find_number(&s->codes, &s->key, &nr, &is_new);
	if (ret)
		return ret;
	*number = KTRACE_STACK_NUMBER(s->session, nr);
	if (!is_new)
		return 0;
	ktrace_text_line(t, "code");
	ktrace_text_u64(t, "id", *number);
	put_text(t, "name", code->function);
	if (code->has_offset)
		ktrace_text_u64(t, "offset", code->offset);
	put_text(t, "module", code->module);
	put_text(t, "file", code->file);
	if (code->file)
		ktrace_text_u64(t, "line", code->line);
	if (code->is_inlined)
		ktrace_text_u64(t, "inlined", 1);
	return flush_if_long(s);
}

int import_stacks_add(struct import_stacks *s, bool is_kernel, __u64 address,
		      const struct ktrace_trace_code *code)
{
	struct stack *stack = &s->now[is_kernel ? KTRACE_STACK_KERNEL : KTRACE_STACK_USER];
	__u64 number;
	int ret;

	if (stack->nr == KTRACE_STACK_FRAMES) {
		stack->is_cut = true;
		return 0;
	}
	ret = code_number(s, code, &number);
	if (ret)
		return ret;
	if (stack->nr++) {
		ktrace_out_char(&stack->addresses, ',');
		ktrace_out_char(&stack->codes, ',');
	}
	ktrace_out_hex(&stack->addresses, address, 1);
	ktrace_out_hex(&stack->codes, number, 1);
	return stack->addresses.error ? stack->addresses.error : stack->codes.error;
}

static void put_line(struct import_stacks *s, int kind, const struct import_writer_event *e,
		     __u64 number)
{
	struct stack *stack = &s->now[kind];
	struct ktrace_text *t = &s->text;

	ktrace_text_line(t, "stack");
	ktrace_text_u64(t, "id", number);
	ktrace_text_str(t, "kind", kind == KTRACE_STACK_KERNEL ? "kernel" : "user");
	if (kind == KTRACE_STACK_USER && e->pid)
		ktrace_text_u64(t, "pid", e->pid);
	ktrace_text_u64(t, "ts", e->ts);
	if (stack->is_cut)
		ktrace_text_u64(t, "cut", 1);
	ktrace_text_str(t, "addresses", stack->addresses.buf);
	ktrace_text_str(t, "code", stack->codes.buf);
	s->cut += stack->is_cut;
}

/* Finds the number of a stack of the event; writes the stack if it is new. */
static int stack_number(struct import_stacks *s, int kind, const struct import_writer_event *e,
			__u64 *number)
{
	struct stack *stack = &s->now[kind];
	const __u32 pid = kind == KTRACE_STACK_USER ? e->pid : 0;
	bool is_new;
	__u32 nr;
	int ret;

	s->key.len = 0;
	ktrace_out_char(&s->key, (char)(kind | stack->is_cut << 1));
	ktrace_out_bytes(&s->key, (const char *)&pid, sizeof(pid));
	ktrace_out_bytes(&s->key, stack->addresses.buf, stack->addresses.len);
	ktrace_out_char(&s->key, ';');
	ktrace_out_bytes(&s->key, stack->codes.buf, stack->codes.len);
	ret = s->key.error ? s->key.error : find_number(&s->stacks, &s->key, &nr, &is_new);
	if (ret)
		return ret;
	*number = KTRACE_STACK_NUMBER(s->session, nr);
	if (!is_new)
		return 0;
	ktrace_out_char(&stack->addresses, 0);
	ktrace_out_char(&stack->codes, 0);
	if (stack->addresses.error || stack->codes.error)
		return -ENOMEM;
	put_line(s, kind, e, *number);
	return flush_if_long(s);
}

static void clear(struct stack *stack)
{
	stack->addresses.len = stack->codes.len = 0;
	stack->nr = 0;
	stack->is_cut = false;
}

int import_stacks_put(struct import_stacks *s, struct import_writer_event *e,
		      struct ktrace_out *data)
{
	static const __u64 items[KINDS] = {
		[KTRACE_STACK_KERNEL] = KTRACE_ITEM_KSTACK,
		[KTRACE_STACK_USER] = KTRACE_ITEM_USTACK,
	};
	__u64 number = 0, item;
	__u16 nr = 0;
	int ret = 0;

	for (int kind = 0; kind < KINDS && !ret; kind++) {
		if (!s->now[kind].nr)
			continue;
		ret = stack_number(s, kind, e, &number);
		item = items[kind] << KTRACE_ITEM_SHIFT | number;
		ktrace_out_bytes(data, (const char *)&item, sizeof(item));
		nr++;
	}
	for (int kind = 0; kind < KINDS; kind++)
		clear(&s->now[kind]);
	if (!nr)
		return ret;
	ktrace_out_bytes(data, (const char *)&nr, sizeof(nr));
	e->flags |= KTRACE_REC_CONTEXT;
	return ret ? ret : data->error;
}

__u64 import_stacks_cut(const struct import_stacks *s)
{
	return s->cut;
}
