// SPDX-License-Identifier: GPL-2.0
/* annotation.c - turns fields of an event into annotations with interned names */
#include "perfetto.h"

#include "base/ip_address.h"
#include "events/context.h"
#include "events/line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Annotations besides fields: @cpu, @flags, @bytes, @context */
#define EXTRAS 4u
/* Room for text not from the payload: context, names, and so on */
#define TEXT_ROOM (160u << 10)

/* struct name - an interned name; table, machine, what and which are the key */
struct name {
	__u32 table;
	__u32 machine;
	const void *what;
	__u64 which;
	__u64 number;
};

static void grow(struct perfetto *p, void *array, size_t size, size_t nr)
{
	void **at = array;
	void *new = realloc(*at, size * nr);

	if (!new)
		p->error = -ENOMEM;
	else
		*at = new;
}

static void grow_nodes(struct perfetto *p, size_t nr)
{
	const size_t cap = 2 * nr;
	int t;

	if (nr <= p->node_cap)
		return;
	grow(p, &p->nodes, sizeof(*p->nodes), cap);
	grow(p, &p->listed_nodes, sizeof(*p->listed_nodes), cap);
	for (t = 0; t < NAME_TABLES; t++) {
		grow(p, &p->fresh[t], sizeof(*p->fresh[t]), cap);
		grow(p, &p->listed[t], sizeof(*p->listed[t]), cap);
	}
	if (!p->error)
		p->node_cap = cap;
}

void names_forget(struct perfetto *p)
{
	hash_table_free(&p->names);
	p->names = (struct hash_table)HASH_TABLE_INIT(struct name, which);
}

/* Returns the room for cgroup paths: JSON may take six bytes per byte. */
static size_t path_room(const struct ktrace_trace_event *e)
{
	const __u32 nr = ktrace_event_items(e);
	struct ktrace_item item;
	size_t room = 0;
	const char *path;
	__u32 i;

	for (i = 0; i < nr; i++) {
		item = ktrace_event_item(e, i);
		path = item.kind == KTRACE_ITEM_CGROUP ?
		       ktrace_trace_cgroup(e->stream->trace, item.value) : NULL;
		room += path ? 6 * strlen(path) : 0;
	}
	return room;
}

/* Reserves room: text may need three bytes per byte that is not UTF-8, or two digits per byte. */
void event_room(struct perfetto *p, const struct ktrace_trace_event *e)
{
	const size_t text = TEXT_ROOM + 4 * (size_t)e->len + path_room(e);
	struct ktrace_values it;
	struct ktrace_value v;
	size_t nr = EXTRAS + 4;

	if (!p->names.size)
		names_forget(p);
	p->text.len = 0;
	p->node_nr = 0;
	if (line_has_fields(e)) {
		line_for_each_value(v, it, e)
			nr += 1 + v.count;
	}
	grow_nodes(p, nr);
	if (p->text.cap < text) {
		grow(p, &p->text.buf, 1, text);
		if (!p->error)
			p->text.cap = text;
	}
}

char *text_copy(struct perfetto *p, const char *s, size_t n)
{
	const size_t begin = p->text.len;

	ktrace_out_utf8(&p->text, s, n);
	ktrace_out_char(&p->text, '\0');
	return p->text.buf + begin;
}

__u64 name_iid(struct perfetto *p, enum name_table table, const void *what, __u64 which,
	       const char *text)
{
	const struct name key = {
		.table = table, .machine = p->machine, .what = what, .which = which,
	};
	const size_t nr = p->names.nr;
	struct name *name = hash_table_need(&p->names, &key, &p->error);
	InternedName *fresh;
	size_t i;

	if (!name)
		return 0;
	if (p->names.nr == nr)
		return name->number;
	name->number = nr + 1;
	i = p->fresh_nr[table]++;
	fresh = &p->fresh[table][i];
	perfetto__protos__interned_name__init(fresh);
	fresh->has_iid = true;
	fresh->iid = name->number;
	fresh->name = text_copy(p, text, strlen(text));
	p->listed[table][i] = fresh;
	return name->number;
}

static Annotation *add_node(struct perfetto *p)
{
	Annotation *node = &p->nodes[p->node_nr];

	perfetto__protos__debug_annotation__init(node);
	p->listed_nodes[p->node_nr++] = node;
	return node;
}

static Annotation *add_named(struct perfetto *p, const char *name)
{
	Annotation *node = add_node(p);

	node->has_name_iid = true;
	node->name_iid = name_iid(p, NAME_ANNOTATION, name, 0, name);
	return node;
}

static void set_text(Annotation *node, char *text)
{
	node->value_case = PERFETTO__PROTOS__DEBUG_ANNOTATION__VALUE_STRING_VALUE;
	node->string_value = text;
}

static void set_integer(Annotation *node, enum ktrace_scalar scalar, __s64 number)
{
	switch (scalar) {
	case KTRACE_S8: case KTRACE_S16: case KTRACE_S32: case KTRACE_S64:
		node->value_case = PERFETTO__PROTOS__DEBUG_ANNOTATION__VALUE_INT_VALUE;
		node->int_value = number;
		break;
	case KTRACE_X8: case KTRACE_X16: case KTRACE_X32: case KTRACE_X64: case KTRACE_PTR:
		node->value_case = PERFETTO__PROTOS__DEBUG_ANNOTATION__VALUE_POINTER_VALUE;
		node->pointer_value = (__u64)number;
		break;
	default:
		node->value_case = PERFETTO__PROTOS__DEBUG_ANNOTATION__VALUE_UINT_VALUE;
		node->uint_value = (__u64)number;
	}
}

static void set_element(struct perfetto *p, Annotation *node, const struct ktrace_value *v, __u32 i)
{
	const struct ktrace_field *f = v->field;
	const char *name;
	__s64 number;

	if (f->scalar == KTRACE_F32 || f->scalar == KTRACE_F64) {
		node->value_case = PERFETTO__PROTOS__DEBUG_ANNOTATION__VALUE_DOUBLE_VALUE;
		node->double_value = ktrace_value_f64(v, i);
		return;
	}
	if (f->scalar == KTRACE_CHAR) {
		set_text(node, text_copy(p, v->data + i, v->data[i] != '\0'));
		return;
	}
	number = ktrace_value_s64(v, i);
	name = f->enum_nr ? ktrace_enumerator_find(f, number) : NULL;
	if (name)
		set_text(node, text_copy(p, name, strlen(name)));
	else
		set_integer(node, f->scalar, number);
}

static void set_value(struct perfetto *p, Annotation *node, const struct ktrace_value *v)
{
	char address[IP_ADDRESS_TEXT];
	__u32 i;

	if (v->field->scalar == KTRACE_CHAR && v->field->shape != KTRACE_ONE) {
		set_text(node, text_copy(p, v->data, strnlen(v->data, v->count)));
	} else if (v->field->is_address && !v->is_cut) {
		ip_address_text(v->data, address);
		set_text(node, text_copy(p, address, strlen(address)));
	} else if (v->field->shape == KTRACE_ONE) {
		if (v->count)
			set_element(p, node, v, 0);
	} else {
		node->array_values = &p->listed_nodes[p->node_nr];
		node->n_array_values = v->count;
		for (i = 0; i < v->count; i++)
			set_element(p, add_node(p), v, i);
	}
}

static void set_written(struct perfetto *p, Annotation *node,
			void (*put)(struct ktrace_out *out, const struct ktrace_trace_event *e),
			const struct ktrace_trace_event *e)
{
	char *text = p->text.buf + p->text.len;

	put(&p->text, e);
	ktrace_out_char(&p->text, '\0');
	set_text(node, text);
}

static void put_flags(struct ktrace_out *out, const struct ktrace_trace_event *e)
{
	line_put_flags(out, e->flags);
}

static void add_extras(struct perfetto *p, const struct ktrace_trace_event *e)
{
	if (e->stream->cpu >= 0)
		set_integer(add_named(p, "@cpu"), KTRACE_U32, e->stream->cpu);
	if (e->flags & (KTRACE_EVENT_CONTEXT - 1))
		set_written(p, add_named(p, "@flags"), put_flags, e);
	if (!line_has_fields(e))
		set_written(p, add_named(p, "@bytes"), line_put_bytes, e);
	if (e->flags & KTRACE_EVENT_CONTEXT)
		set_written(p, add_named(p, "@context"), context_put_json, e);
}

/* Puts array elements after all named annotations, so that the named ones are one list. */
size_t annotate(struct perfetto *p, const struct ktrace_trace_event *e, Annotation ***out)
{
	struct ktrace_values it;
	struct ktrace_value v;
	size_t i = 0, nr;

	if (p->error)
		return 0;
	if (line_has_fields(e)) {
		line_for_each_value(v, it, e)
			add_named(p, v.field->name);
	}
	add_extras(p, e);
	nr = p->node_nr;
	if (line_has_fields(e)) {
		line_for_each_value(v, it, e)
			set_value(p, p->listed_nodes[i++], &v);
	}
	*out = p->listed_nodes;
	return p->text.error ? 0 : nr;
}
