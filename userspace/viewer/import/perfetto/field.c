// SPDX-License-Identifier: GPL-2.0
/* field.c - builds an event's description and payload, field by field */
#include "convert.h"

#include "import/perfetto_packet.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef Perfetto__Protos__DebugAnnotation Annotation;

#define TEXT_MAX (16u << 20)
/* More than a description may have; bytes of a field's name */
#define DESC_MAX (64u << 10)
#define FIELD_NAME 1024

void event_begin(struct conversion *c, const char *provider, const char *name, const char *suffix)
{
	c->desc.len = c->payload.len = 0;
	import_writer_name(&c->desc, provider);
	ktrace_out_char(&c->desc, ':');
	import_writer_name(&c->desc, name);
	ktrace_out_str(&c->desc, suffix);
	ktrace_out_char(&c->desc, '{');
}

/* Adds a field to the description, unless that is already too long. */
static void describe(struct conversion *c, const char *type, const char *name)
{
	char start[FIELD_NAME];

	if (c->desc.len > DESC_MAX)
		return;
	snprintf(start, sizeof(start), "%.*s", FIELD_NAME - 1, name);
	ktrace_out_str(&c->desc, type);
	ktrace_out_char(&c->desc, ' ');
	import_writer_name(&c->desc, start);
	ktrace_out_char(&c->desc, ';');
}

/* The type's name tells its size: 1, 4 or 8 bytes. */
void event_number(struct conversion *c, const char *type, const char *name, __u64 value)
{
	const size_t size = strstr(type, "64") ? 8 : strstr(type, "32") ? 4 : 1;

	describe(c, type, name);
	ktrace_out_bytes(&c->payload, (const char *)&value, size);
}

void event_numbers(struct conversion *c, const char *name, size_t count, size_t nr,
		   const __u64 *values)
{
	static const __u64 zero;
	char type[32];

	snprintf(type, sizeof(type), "x64[%zu]", count);
	describe(c, type, name);
	for (size_t i = 0; i < count; i++)
		ktrace_out_bytes(&c->payload, (const char *)(i < nr ? &values[i] : &zero),
				 sizeof(zero));
}

void event_double(struct conversion *c, const char *name, double value)
{
	describe(c, "f64", name);
	ktrace_out_bytes(&c->payload, (const char *)&value, sizeof(value));
}

size_t event_text_size(struct conversion *c, const unsigned char *text, size_t size)
{
	const __u64 room = c->payload.len < TEXT_MAX ? TEXT_MAX - c->payload.len : 0;
	const __u64 left = room < c->text_left ? room : c->text_left;
	const size_t all = strnlen((const char *)text, size);
	const size_t taken = all < left ? all : (size_t)left;

	c->text_left -= taken;
	c->cut += taken < all;
	return taken;
}

static size_t text_size(struct conversion *c, const char *text)
{
	return event_text_size(c, (const unsigned char *)text, strlen(text));
}

void event_string(struct conversion *c, const char *name, const unsigned char *text, size_t size)
{
	describe(c, "string", name);
	ktrace_out_bytes(&c->payload, (const char *)text, event_text_size(c, text, size));
	ktrace_out_char(&c->payload, '\0');
}

void event_text(struct conversion *c, const char *name, const char *text)
{
	event_string(c, name, (const unsigned char *)text, strlen(text));
}

void event_bytes(struct conversion *c, const char *name, const unsigned char *data, size_t size)
{
	const __u64 room = c->payload.len < TEXT_MAX ? TEXT_MAX - c->payload.len : 0;
	const __u32 count = (__u32)(size < room ? size : room);

	c->cut += count < size;
	describe(c, "bytes", name);
	ktrace_out_bytes(&c->payload, (const char *)&count, sizeof(count));
	ktrace_out_bytes(&c->payload, (const char *)data, count);
}

void event_enum(struct conversion *c, const char *name, const struct schema_type *type,
		__s64 value)
{
	ktrace_out_str(&c->desc, "enum<s32>(");
	for (__u32 i = 0; i < type->nr; i++) {
		const struct schema_field *v = schema_field_at(&c->schema, type->first + i);

		if (i)
			ktrace_out_char(&c->desc, ',');
		import_writer_name(&c->desc, schema_name(&c->schema, v));
		ktrace_out_char(&c->desc, '=');
		ktrace_out_s64(&c->desc, (__s32)v->number);
	}
	describe(c, ")", name);
	ktrace_out_bytes(&c->payload, (const char *)&value, sizeof(__s32));
}

size_t event_array(struct conversion *c, const char *scalar, const char *name)
{
	const __u32 count = 0;
	char type[16];

	snprintf(type, sizeof(type), "%s[]", scalar);
	describe(c, type, name);
	ktrace_out_bytes(&c->payload, (const char *)&count, sizeof(count));
	return c->payload.len - sizeof(count);
}

void event_element(struct conversion *c, size_t array, __u64 value)
{
	__u32 count;

	ktrace_out_bytes(&c->payload, (const char *)&value, sizeof(value));
	if (c->payload.error)
		return;
	count = (__u32)((c->payload.len - array - sizeof(count)) / sizeof(value));
	memcpy(c->payload.buf + array, &count, sizeof(count));
}

void event_json_begin(struct conversion *c, const char *name)
{
	describe(c, "string", name);
}

void event_json_end(struct conversion *c)
{
	ktrace_out_char(&c->payload, '\0');
}

static const char *name_of(const struct conversion *c, const Annotation *a)
{
	const char *name = a->name;

	if (!name && a->has_name_iid)
		name = sequence_name(c->sequence, INTERNED_ANNOTATION, a->name_iid);
	return name ? name : "value";
}

static const char *string_of(const struct conversion *c, const Annotation *a)
{
	const char *text;

	switch (a->value_case) {
	case PERFETTO__PROTOS__DEBUG_ANNOTATION__VALUE_STRING_VALUE:
		return a->string_value;
	case PERFETTO__PROTOS__DEBUG_ANNOTATION__VALUE_LEGACY_JSON_VALUE:
		return a->legacy_json_value;
	case PERFETTO__PROTOS__DEBUG_ANNOTATION__VALUE_STRING_VALUE_IID:
		text = sequence_name(c->sequence, INTERNED_STRING, a->string_value_iid);
		return text ? text : "";
	default:
		return NULL;
	}
}

static void put_json(struct conversion *c, const Annotation *a);

static void put_json_list(struct conversion *c, const Annotation *a)
{
	struct ktrace_out *out = &c->payload;
	const bool is_dict = a->n_dict_entries;
	const size_t nr = is_dict ? a->n_dict_entries : a->n_array_values;
	const Annotation *entry;
	const char *name;

	ktrace_out_char(out, is_dict ? '{' : '[');
	for (size_t i = 0; i < nr; i++) {
		entry = is_dict ? a->dict_entries[i] : a->array_values[i];
		if (i)
			ktrace_out_char(out, ',');
		if (is_dict) {
			name = name_of(c, entry);
			ktrace_out_json(out, name, text_size(c, name));
			ktrace_out_char(out, ':');
		}
		put_json(c, entry);
	}
	ktrace_out_char(out, is_dict ? '}' : ']');
}

/* is_deep() of convert.c bounds the nesting. */
static void put_json(struct conversion *c, const Annotation *a)
{
	const char *text = string_of(c, a);
	struct ktrace_out *out = &c->payload;
	char number[32];

	if (text)
		ktrace_out_json(out, text, text_size(c, text));
	else if (a->value_case == PERFETTO__PROTOS__DEBUG_ANNOTATION__VALUE_BOOL_VALUE)
		ktrace_out_str(out, a->bool_value ? "true" : "false");
	else if (a->value_case == PERFETTO__PROTOS__DEBUG_ANNOTATION__VALUE_INT_VALUE)
		ktrace_out_s64(out, a->int_value);
	else if (a->value_case == PERFETTO__PROTOS__DEBUG_ANNOTATION__VALUE_UINT_VALUE)
		ktrace_out_u64(out, a->uint_value);
	else if (a->value_case == PERFETTO__PROTOS__DEBUG_ANNOTATION__VALUE_POINTER_VALUE)
		ktrace_out_u64(out, a->pointer_value);
	else if (a->value_case == PERFETTO__PROTOS__DEBUG_ANNOTATION__VALUE_DOUBLE_VALUE) {
		snprintf(number, sizeof(number), "%.17g", a->double_value);
		ktrace_out_str(out, number);
	} else {
		put_json_list(c, a);
	}
}

void event_annotation(struct conversion *c, const Annotation *a)
{
	const char *name = name_of(c, a), *text = string_of(c, a);

	if (text) {
		event_text(c, name, text);
		return;
	}
	switch (a->value_case) {
	case PERFETTO__PROTOS__DEBUG_ANNOTATION__VALUE_BOOL_VALUE:
		event_number(c, "u8", name, a->bool_value);
		break;
	case PERFETTO__PROTOS__DEBUG_ANNOTATION__VALUE_UINT_VALUE:
		event_number(c, "u64", name, a->uint_value);
		break;
	case PERFETTO__PROTOS__DEBUG_ANNOTATION__VALUE_INT_VALUE:
		event_number(c, "s64", name, (__u64)a->int_value);
		break;
	case PERFETTO__PROTOS__DEBUG_ANNOTATION__VALUE_POINTER_VALUE:
		event_number(c, "x64", name, a->pointer_value);
		break;
	case PERFETTO__PROTOS__DEBUG_ANNOTATION__VALUE_DOUBLE_VALUE:
		event_double(c, name, a->double_value);
		break;
	default:
		describe(c, "string", name);
		put_json_list(c, a);
		ktrace_out_char(&c->payload, '\0');
	}
}

static void put_packet(struct conversion *c)
{
	const struct perfetto_packet head = {
		.magic = PERFETTO_PACKET_MAGIC, .size = (__u32)c->packet->size,
		.number = c->packet->number,
	};

	if (c->has_packet || c->packet->is_inner)
		return;
	c->has_packet = true;
	ktrace_out_bytes(&c->payload, (const char *)&head, sizeof(head));
	ktrace_out_bytes(&c->payload, (const char *)c->packet->data, c->packet->size);
}

/* Writes the fields as text: they are too many, or no type is left for them. */
static int describe_as_text(struct conversion *c, __u32 kind, const struct import_type **type)
{
	const Annotation fields = { .dict_entries = c->notes, .n_dict_entries = c->note_nr };

	c->as_text++;
	c->payload.len = 0;
	ktrace_out_bytes(&c->payload, c->desc.buf, strcspn(c->desc.buf, "{"));
	ktrace_out_char(&c->payload, '\0');
	if (c->note_nr)
		put_json_list(c, &fields);
	else if (c->content)
		content_json(c, c->content_type, c->content);
	/* Ends the text; the call chain is empty */
	ktrace_out_bytes(&c->payload, "\0", 2);
	return c->payload.error ? c->payload.error :
		import_type(c->f, kind, IMPORT_WRITER_TEXT, type);
}

int event_spool(struct conversion *c, struct spooled e)
{
	put_packet(c);
	e.len = (__u32)c->payload.len;
	losses_event(&c->losses, e.ts);
	return c->payload.error ? c->payload.error : spool_add(&c->spool, e, c->payload.buf);
}

/* Writes an event that was made from one in the spool, which has its packet. */
static int write_event(struct conversion *c, const struct spooled *e)
{
	ktrace_out_bytes(&c->payload, c->tail, c->tail_size);
	c->tail_size = 0;
	return c->payload.error ? c->payload.error : spool_write_one(c->f, e, &c->payload);
}

int event_put(struct conversion *c, struct spooled e)
{
	const __u32 kind = e.cpu < 0 ? KTRACE_CHANNEL_USER : KTRACE_CHANNEL_KERNEL;
	int ret;

	ktrace_out_bytes(&c->desc, "}", 2);
	c->put_nr++;
	ret = c->desc.error ? c->desc.error : c->payload.error;
	if (!ret)
		ret = import_type(c->f, kind, c->desc.buf, &e.type);
	if (ret == -EINVAL || ret == -EOVERFLOW)
		ret = describe_as_text(c, kind, &e.type);
	if (ret)
		return ret;
	return c->is_writing ? write_event(c, &e) : event_spool(c, e);
}

int event_end(struct conversion *c, const struct track_thread *thread)
{
	struct spooled e = { .ts = c->ts, .tid = thread->tid, .pid = thread->pid, .cpu = -1 };

	if (thread->comm)
		strncpy(e.comm, thread->comm, sizeof(e.comm) - 1);
	return event_put(c, e);
}
