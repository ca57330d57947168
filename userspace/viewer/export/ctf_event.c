// SPDX-License-Identifier: GPL-2.0
/*
 * ctf_event.c - one event of a stream: number of its class, time, thread, context, fields
 *
 * Metadata describes payloads as packed, so values are copied as they are: integers and floats in
 * the byte order of the file, which is little-endian, arrays after their count, strings up to
 * their NUL.
 */
#include "ctf.h"

#include "events/line.h"

#include <ktrace/context.h>
#include <stdio.h>
#include <string.h>

static void put_u32(struct ktrace_out *out, __u32 v)
{
	ktrace_out_bytes(out, (const char *)&v, sizeof(v));
}

static void put_u64(struct ktrace_out *out, __u64 v)
{
	ktrace_out_bytes(out, (const char *)&v, sizeof(v));
}

static void put_string(struct ktrace_out *out, const char *s)
{
	ktrace_out_bytes(out, s, strlen(s) + 1);
}

static void put_stack(struct ktrace_out *out, const struct ktrace_trace *trace, __u64 number)
{
	const struct ktrace_trace_stack *stack = ktrace_trace_stack(trace, number);

	put_u64(out, number);
	put_u32(out, stack ? stack->nr : 0);
	if (stack)
		ktrace_out_bytes(out, (const char *)stack->address,
				 stack->nr * sizeof(*stack->address));
}

static void put_item(struct ktrace_out *out, const struct ktrace_trace *trace,
		     const struct ktrace_item *item)
{
	const char *path;
	char number[24];

	switch (item->kind) {
	case KTRACE_ITEM_KSTACK:
	case KTRACE_ITEM_USTACK:
		put_stack(out, trace, item->value);
		break;
	case KTRACE_ITEM_CGROUP:
		path = ktrace_trace_cgroup(trace, item->value);
		snprintf(number, sizeof(number), "%llu", (unsigned long long)item->value);
		put_string(out, path ? path : number);
		break;
	case KTRACE_ITEM_NSPID:
		put_u32(out, (__u32)(item->value >> KTRACE_NSPID_SHIFT));
		put_u32(out, (__u32)item->value & ((1u << KTRACE_NSPID_SHIFT) - 1));
		break;
	default:
		put_u64(out, item->value);
	}
}

/* Writes items ordered by kind. Returns the kinds written. */
static __u64 put_context(struct ktrace_out *out, const struct ktrace_trace_event *e)
{
	const __u32 nr = e->flags & KTRACE_EVENT_CONTEXT ? ktrace_event_items(e) : 0;
	struct ktrace_item item;
	__u64 kinds = 0;
	__u32 i, kind;

	for (i = 0; i < nr; i++) {
		item = ktrace_event_item(e, i);
		if (item.kind < 64 && ktrace_item_name(item.kind))
			kinds |= 1ull << item.kind;
	}
	for (kind = 0; kind < 64; kind++)
		if (kinds >> kind & 1 && ktrace_event_find_item(e, kind, &item.value)) {
			item.kind = kind;
			put_item(out, e->stream->trace, &item);
		}
	return kinds;
}

/* Returns false if not even one element is present, which CTF cannot express. */
static bool put_value(struct ktrace_out *out, const struct ktrace_value *v)
{
	const struct ktrace_field *f = v->field;

	if (f->shape == KTRACE_ONE && !v->count)
		return false;
	if (f->shape == KTRACE_COUNTED || (f->shape == KTRACE_FIXED && v->count != f->count))
		put_u32(out, v->count);
	ktrace_out_bytes(out, v->data, (size_t)v->count * f->size);
	if (f->shape == KTRACE_STRING)
		ktrace_out_char(out, '\0');
	return true;
}

/*
 * Returns false if a field with an offset of its own is truncated: the missing fields need not be
 * the last ones, so the event is written as bytes.
 */
static bool put_fields(struct ktrace_out *out, const struct ktrace_trace_event *e,
		       struct ctf_class *class)
{
	struct ktrace_values it;
	struct ktrace_value v;

	line_for_each_value(v, it, e) {
		if (v.is_cut && e->type->is_placed)
			return false;
		if (!put_value(out, &v))
			return true;
		if (!class->fields && v.field != e->type->fields)
			class->first = v.field;
		class->fields++;
		class->is_cut = v.field->shape == KTRACE_FIXED && v.count != v.field->count;
	}
	return true;
}

static void put_payload(struct ktrace_out *out, const struct ktrace_trace_event *e,
			struct ctf_class *class)
{
	const size_t begin = out->len;

	if (line_has_fields(e) && put_fields(out, e, class))
		return;
	out->len = begin;
	class->fields = CTF_BYTES;
	put_u32(out, e->len);
	ktrace_out_bytes(out, e->payload, e->len);
}

/* Returns the number of a class. Compares keys bytewise: the caller has cleared all of it. */
static __u32 number_of(struct ctf *c, const struct ctf_class *key)
{
	const size_t nr = c->classes.nr;
	struct ctf_class *class = hash_table_need(&c->classes, key, &c->error);

	if (!class)
		return 0;
	if (c->classes.nr != nr)
		class->number = (__u32)nr + 1;
	return class->number - 1;
}

void ctf_put_event(struct ctf *c, struct ctf_stream *s, const struct ktrace_trace_event *e,
		   __u64 time)
{
	struct line_thread thread = { .comm = "" };
	struct ktrace_out *out = &s->body;
	const size_t begin = out->len;
	struct ctf_class class;
	__u32 number;

	memset(&class, 0, sizeof(class));
	class.type = e->type;
	class.kind = e->type ? 0 : e->stream->kind;
	class.id = e->type ? 0 : e->id;
	class.is_late = e->time != c->start + time;
	line_find_thread(e, &thread);
	put_u32(out, 0);
	put_u64(out, time);
	put_u32(out, e->id == KTRACE_ID_LOST ? 0 : e->tid);
	put_u32(out, thread.pid);
	put_string(out, *thread.comm ? thread.comm : "?");
	ktrace_out_char(out, (char)(e->flags & (KTRACE_EVENT_CONTEXT - 1)));
	if (class.is_late)
		put_u64(out, e->time);
	class.kinds = put_context(out, e);
	put_payload(out, e, &class);
	number = number_of(c, &class);
	if (!out->error)
		memcpy(out->buf + begin, &number, sizeof(number));
}
