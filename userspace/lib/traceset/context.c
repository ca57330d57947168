// SPDX-License-Identifier: LGPL-2.1
/*
 * context.c - what was recorded with events besides their payloads
 *
 * The items stay where they are in the record, after the payload; the upper 8 bits of an event's
 * flags hold their number.
 */
#include "context.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "trace.h"

#define ITEMS_SHIFT 24
#define IMAGES_MAX 4096u

/* Removes the context from the end of the payload. An invalid context stays payload. */
void ktrace_context_take_off(struct ktrace_trace_event *e)
{
	__u16 nr;
	__u32 size;

	if (e->len < sizeof(nr))
		return;
	memcpy(&nr, e->payload + e->len - sizeof(nr), sizeof(nr));
	size = (__u32)(nr * sizeof(__u64) + sizeof(nr));
	if (!nr || nr > KTRACE_ITEMS_MAX || size > e->len)
		return;
	e->len -= size;
	e->flags |= KTRACE_EVENT_CONTEXT | (__u32)nr << ITEMS_SHIFT;
}

__u32 ktrace_event_items(const struct ktrace_trace_event *e)
{
	return e->flags & KTRACE_EVENT_CONTEXT ? e->flags >> ITEMS_SHIFT : 0;
}

__u32 ktrace_event_context_size(const struct ktrace_trace_event *e)
{
	__u32 nr = ktrace_event_items(e);

	return nr ? (__u32)(nr * sizeof(__u64) + sizeof(__u16)) : 0;
}

struct ktrace_item ktrace_event_item(const struct ktrace_trace_event *e, __u32 i)
{
	__u64 item;

	memcpy(&item, e->payload + e->len + i * sizeof(item), sizeof(item));
	return (struct ktrace_item){
		.kind = (__u32)(item >> KTRACE_ITEM_SHIFT), .value = item & KTRACE_ITEM_MASK,
	};
}

bool ktrace_event_find_item(const struct ktrace_trace_event *e, __u32 kind, __u64 *value)
{
	__u32 i, nr = ktrace_event_items(e);
	struct ktrace_item item;

	for (i = 0; i < nr; i++) {
		item = ktrace_event_item(e, i);
		if (item.kind != kind)
			continue;
		*value = item.value;
		return true;
	}
	return false;
}

#define HARDWARE(config) [KTRACE_ITEM_COUNTER + (config)]
#define SOFTWARE(config) [KTRACE_ITEM_COUNTER + KTRACE_COUNTER_CONFIGS + (config)]

static const char *const names[] = {
	[KTRACE_ITEM_KSTACK] = "kstack",
	[KTRACE_ITEM_USTACK] = "ustack",
	[KTRACE_ITEM_CGROUP] = "cgroup",
	[KTRACE_ITEM_NSPID] = "nspid",
	HARDWARE(PERF_COUNT_HW_CPU_CYCLES) = "cycles",
	HARDWARE(PERF_COUNT_HW_INSTRUCTIONS) = "instructions",
	HARDWARE(PERF_COUNT_HW_CACHE_REFERENCES) = "cache-references",
	HARDWARE(PERF_COUNT_HW_CACHE_MISSES) = "cache-misses",
	HARDWARE(PERF_COUNT_HW_BRANCH_INSTRUCTIONS) = "branches",
	HARDWARE(PERF_COUNT_HW_BRANCH_MISSES) = "branch-misses",
	HARDWARE(PERF_COUNT_HW_BUS_CYCLES) = "bus-cycles",
	HARDWARE(PERF_COUNT_HW_STALLED_CYCLES_FRONTEND) = "stalled-cycles-frontend",
	HARDWARE(PERF_COUNT_HW_STALLED_CYCLES_BACKEND) = "stalled-cycles-backend",
	HARDWARE(PERF_COUNT_HW_REF_CPU_CYCLES) = "ref-cycles",
	SOFTWARE(PERF_COUNT_SW_CPU_CLOCK) = "cpu-clock",
	SOFTWARE(PERF_COUNT_SW_TASK_CLOCK) = "task-clock",
	SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS) = "page-faults",
	SOFTWARE(PERF_COUNT_SW_CONTEXT_SWITCHES) = "context-switches",
	SOFTWARE(PERF_COUNT_SW_CPU_MIGRATIONS) = "cpu-migrations",
	SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS_MIN) = "minor-faults",
	SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS_MAJ) = "major-faults",
	SOFTWARE(PERF_COUNT_SW_ALIGNMENT_FAULTS) = "alignment-faults",
	SOFTWARE(PERF_COUNT_SW_EMULATION_FAULTS) = "emulation-faults",
};

const char *ktrace_item_name(__u32 kind)
{
	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : NULL;
}

/*
 * Parses "ffffffff81000000,ffffffff81000010", up to the maximum. @out and @out_nr are valid on
 * -EINVAL, too. Returns 0, -EINVAL, -ENOMEM.
 */
static int take_numbers(const char *text, const __u64 **out, __u32 *out_nr)
{
	__u64 *list = calloc(KTRACE_STACK_FRAMES, sizeof(*list));
	char *end;
	__u32 nr;

	if (!list)
		return -ENOMEM;
	for (nr = 0; *text && nr < KTRACE_STACK_FRAMES; nr++) {
		list[nr] = strtoull(text, &end, 16);
		if (end == text || (*end && *end != ','))
			break;
		text = end + (*end == ',');
	}
	*out = list;
	*out_nr = nr;
	return *text ? -EINVAL : 0;
}

int ktrace_context_add_stack(struct trace *t, const struct ktrace_trace_stack *head,
			     const char *addresses, const char *frames)
{
	struct symbol k = { .key = head->number, .stack = *head };
	const __u64 *list = NULL;
	__u32 nr = 0;
	int ret = take_numbers(addresses, &k.stack.address, &k.stack.nr);

	if (!ret && frames)
		ret = take_numbers(frames, &list, &nr);
	k.frames = (__u64 *)list;
	if (!ret && frames && nr != k.stack.nr)
		ret = -EINVAL;
	if (!ret)
		return ktrace_symbol_table_add(&t->stacks, &k);
	free((void *)k.stack.address);
	free(k.frames);
	return ret;
}

static int copy_text(const char **text)
{
	if (*text)
		*text = strdup(*text);
	return *text ? 0 : -ENOMEM;
}

int ktrace_context_add_code(struct trace *t, __u64 number, const struct ktrace_trace_code *code)
{
	struct symbol k = { .key = number, .code = *code };
	bool is_short = false;

	is_short |= code->function && copy_text(&k.code.function);
	is_short |= code->module && copy_text(&k.code.module);
	is_short |= code->file && copy_text(&k.code.file);
	if (!is_short)
		return ktrace_symbol_table_add(&t->codes, &k);
	free((char *)k.code.function);
	free((char *)k.code.module);
	free((char *)k.code.file);
	return -ENOMEM;
}

int ktrace_context_add_name(struct symbol_table *table, __u64 key, __u64 end,
			    const char *text)
{
	struct symbol k = { .key = key, .end = end, .text = strdup(text) };

	return k.text ? ktrace_symbol_table_add(table, &k) : -ENOMEM;
}

static void free_image(struct ktrace_kernel_image *image)
{
	free((char *)image->name);
	free((char *)image->build);
	free(image);
}

int ktrace_context_add_image(struct trace *t, const char *name, const char *build, __u64 text)
{
	struct ktrace_kernel_image *image;

	if (t->image_nr == IMAGES_MAX)
		return -EINVAL;
	if (!LIST_RESIZE(t->images, t->image_nr + 1))
		return -ENOMEM;
	image = calloc(1, sizeof(*image));
	if (!image)
		return -ENOMEM;
	image->name = strdup(name);
	image->build = build ? strdup(build) : NULL;
	image->text = text;
	if (!image->name || (build && !image->build)) {
		free_image(image);
		return -ENOMEM;
	}
	t->images[t->image_nr++] = image;
	return 0;
}

const struct ktrace_kernel_image *ktrace_trace_kernel_image(const struct ktrace_trace *trace,
							    const char *name)
{
	const struct trace *t = (const struct trace *)trace;

	for (size_t i = 0; i < t->image_nr; i++)
		if (!strcmp(t->images[i]->name, name))
			return t->images[i];
	return NULL;
}

static void free_images(struct trace *t)
{
	for (size_t i = 0; i < t->image_nr; i++)
		free_image(t->images[i]);
	free(t->images);
}

void ktrace_context_sort(struct trace *t)
{
	ktrace_symbol_table_sort(&t->stacks);
	ktrace_symbol_table_sort(&t->codes);
	ktrace_symbol_table_sort(&t->cgroups);
	ktrace_symbol_table_sort(&t->symbols);
}

void ktrace_context_free(struct trace *t)
{
	ktrace_symbol_table_free(&t->stacks);
	ktrace_symbol_table_free(&t->codes);
	ktrace_symbol_table_free(&t->cgroups);
	ktrace_symbol_table_free(&t->symbols);
	free_images(t);
}

const struct ktrace_trace_stack *ktrace_trace_stack(const struct ktrace_trace *trace, __u64 number)
{
	const struct trace *t = (const struct trace *)trace;
	const struct symbol *k = ktrace_symbol_table_find(&t->stacks, number);

	return k && k->key == number ? &k->stack : NULL;
}

const struct ktrace_trace_code *
ktrace_trace_stack_code(const struct ktrace_trace *trace, const struct ktrace_trace_stack *stack,
			__u32 i)
{
	const struct trace *t = (const struct trace *)trace;
	const struct symbol *k = ktrace_symbol_table_find(&t->stacks, stack->number);
	__u64 number;

	if (!k || &k->stack != stack || !k->frames || i >= stack->nr)
		return NULL;
	number = k->frames[i];
	k = ktrace_symbol_table_find(&t->codes, number);
	return k && k->key == number ? &k->code : NULL;
}

const char *ktrace_trace_cgroup(const struct ktrace_trace *trace, __u64 id)
{
	const struct trace *t = (const struct trace *)trace;
	const struct symbol *k = ktrace_symbol_table_find(&t->cgroups, id);

	return k && k->key == id ? k->text : NULL;
}

const char *ktrace_trace_kernel_symbol(const struct ktrace_trace *trace, __u64 address,
				       __u64 *offset)
{
	const struct trace *t = (const struct trace *)trace;
	const struct symbol *k = ktrace_symbol_table_find(&t->symbols, address);

	if (!k || address >= k->end)
		return NULL;
	*offset = address - k->key;
	return k->text;
}
