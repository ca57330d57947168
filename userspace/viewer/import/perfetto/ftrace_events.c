// SPDX-License-Identifier: GPL-2.0
/* ftrace_events.c - puts the fields of events that perfetto.proto does not have */
#include "ftrace_events.h"

#include "convert.h"

#include <string.h>

/* Numbers of fields */
enum { BUNDLE_ERRORS = 8, BUNDLE_DESCRIPTORS = 11, DESCRIPTOR_NUMBER = 1, DESCRIPTOR_EVENT = 2,
       DESCRIPTOR_GROUP = 3, INTERNED_KERNEL_SYMBOLS = 26, SYMBOL_TEXT = 2 };

/* Fields with the address of a kernel function, or with the number of its name if it is interned */
static const char *const symbols[][2] = {
	{ "sched_blocked_reason", "caller" }, { "funcgraph_entry", "func" },
	{ "funcgraph_exit", "func" }, { "workqueue_execute_start", "function" },
	{ "workqueue_execute_end", "function" }, { "workqueue_queue_work", "function" },
	{ "mm_shrink_slab_start", "shrink" }, { "mm_shrink_slab_end", "shrink" },
	{ "hrtimer_start", "function" }, { "hrtimer_expire_entry", "function" },
	{ "timer_start", "function" }, { "timer_expire_entry", "function" },
};

int ftrace_describe(struct conversion *c, const struct packet *bundle)
{
	struct packet_field f;
	size_t at = 0;
	int ret = 0;

	while (!ret && packet_next(bundle, &at, &f) == 1) {
		const struct packet told = { .data = f.data, .size = f.size };
		struct packet_field event;
		char group[SCHEMA_NAME];

		if (f.number != BUNDLE_DESCRIPTORS || f.wire != 2)
			continue;
		event = content_find(&told, DESCRIPTOR_EVENT);
		content_text(&told, DESCRIPTOR_GROUP, group, sizeof(group));
		if (event.wire == 2)
			ret = schema_add_event(&c->schema,
					       (__u32)content_u64(&told, DESCRIPTOR_NUMBER),
					       group, event.data, event.size);
	}
	return ret;
}

__u64 ftrace_errors(const struct packet *bundle)
{
	struct packet_field f;
	size_t at = 0;
	__u64 nr = 0;

	while (packet_next(bundle, &at, &f) == 1)
		nr += f.number == BUNDLE_ERRORS;
	return nr;
}

/* Returns the last field without a description in perfetto.proto, NULL: none. */
static const ProtobufCMessageUnknownField *last_unknown(const Perfetto__Protos__FtraceEvent *e)
{
	const unsigned int nr = e->base.n_unknown_fields;

	return nr ? &e->base.unknown_fields[nr - 1] : NULL;
}

const struct schema_field *ftrace_event_field(struct conversion *c,
					      const Perfetto__Protos__FtraceEvent *e)
{
	const ProtobufCMessageUnknownField *u = last_unknown(e);
	const struct schema_field *f = u ? schema_field(&c->schema, c->ftrace_event_type,
							(__u32)u->tag) : NULL;

	return f && f->kind == SCHEMA_MESSAGE &&
	       u->wire_type == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED ? f : NULL;
}

/* Adds the name of the function whose number @field of the message has. */
static void put_symbol(struct conversion *c, const struct schema_field *event,
		       const struct packet *m, const char *field)
{
	const struct schema_type *type = schema_type(&c->schema, event->of);
	const struct schema_field *f = NULL;
	struct packet symbol;
	char text[256] = "", name[64];

	for (__u32 i = 0; type && i < type->nr; i++) {
		f = schema_field_at(&c->schema, type->first + i);
		if (!strcmp(schema_name(&c->schema, f), field))
			break;
		f = NULL;
	}
	if (f && sequence_interned(c->sequence, INTERNED_KERNEL_SYMBOLS,
				   content_u64(m, f->number), &symbol))
		content_text(&symbol, SYMBOL_TEXT, text, sizeof(text));
	snprintf(name, sizeof(name), "%s_name", field);
	event_text(c, name, text);
}

void ftrace_event_content(struct conversion *c, const Perfetto__Protos__FtraceEvent *e)
{
	const struct schema_field *f = ftrace_event_field(c, e);
	const ProtobufCMessageUnknownField *u = last_unknown(e);
	const struct schema_field event = f ? *f : (struct schema_field){ 0 };
	struct packet m = { 0 };
	size_t prefix = 0;

	if (!f)
		return;
	/* The size is in front of the data. */
	while (prefix < u->len && u->data[prefix] & 0x80)
		prefix++;
	if (prefix < u->len) {
		m.data = u->data + prefix + 1;
		m.size = u->len - prefix - 1;
	}
	content_put_all(c, event.of, &m);
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
		if (!strcmp(symbols[i][0], schema_name(&c->schema, &event)))
			put_symbol(c, &event, &m, symbols[i][1]);
}
