// SPDX-License-Identifier: LGPL-2.1
/*
 * state_bind.c - find an event type's rule and the places of the rule's fields
 *
 * Events are identified by name and fields, not by number and struct: files may come from other
 * versions and describe their own events. Only fields at the same place in each payload are used;
 * all fields before them have a fixed size.
 */
#include "decode/value.h"
#include "base/grow.h"
#include "state.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Finds field number @i of the rule. Returns false if it is missing and not optional. */
static bool bind_field(struct binding *b, const struct ktrace_event_type *type, __u32 i)
{
	const char *name = b->rule->fields[i] + (b->rule->fields[i][0] == '?');
	const bool is_optional = name != b->rule->fields[i];
	const struct ktrace_field *f;
	__u32 at = 0, n, size;

	for (n = 0; n < type->field_nr; n++, at += size) {
		f = &type->fields[n];
		size = fixed_size(f);
		if (!size || at > KTRACE_DESC_SIZE_MAX)
			return is_optional;
		if (strcmp(f->name, name))
			continue;
		b->offset[i] = at;
		b->size[i] = size;
		b->is_signed[i] = is_signed(f->scalar);
		if (at + size > b->need)
			b->need = at + size;
		return f->shape == KTRACE_ONE || f->scalar == KTRACE_CHAR;
	}
	return is_optional;
}

static struct binding make_binding(const struct ktrace_event_type *type)
{
	struct binding b = { .rule = ktrace_rule_find(type->full_name) };
	__u32 i;

	if (type->kind != KTRACE_CHANNEL_KERNEL || type->is_placed)
		b.rule = NULL;
	for (i = 0; b.rule && b.rule->fields[i]; i++)
		if (!bind_field(&b, type, i))
			b.rule = NULL;
	return b;
}

/* Remembers the fields whose values have names. */
static void remember_names(struct ktrace_states *s, const struct ktrace_event_type *type)
{
	const struct ktrace_field *f = type->fields;

	if (!type->field_nr || !f->enum_nr)
		return;
	if (!strcmp(type->provider, "softirq"))
		s->vec_field = f;
	if (!strcmp(type->provider, "syscall"))
		s->nr_field = f;
}

/* Returns 0 or -ENOMEM. */
int ktrace_step_bind(struct ktrace_states *s, const struct ktrace_event_type *type,
	       const struct binding **out)
{
	__u32 place = ktrace_map_get(&s->by_type, (uintptr_t)type);
	struct binding *b;

	if (place != ~0u) {
		*out = &s->bindings[place];
		return 0;
	}
	if (!LIST_RESIZE(s->bindings, s->binding_nr + 1) || ktrace_map_reserve(&s->by_type, 1))
		return -ENOMEM;
	b = &s->bindings[s->binding_nr];
	*b = make_binding(type);
	if (b->rule)
		remember_names(s, type);
	ktrace_map_set(&s->by_type, (uintptr_t)type, s->binding_nr++);
	*out = b;
	return 0;
}

__s64 ktrace_step_value(const struct step *st, __u32 field)
{
	const struct binding *b = st->binding;
	__u32 size = b->size[field] < 8 ? b->size[field] : 8;
	__u64 v = 0;

	memcpy(&v, st->event->payload + b->offset[field], size);
	if (b->is_signed[field] && size < 8)
		return (__s64)(v << (64 - 8 * size)) >> (64 - 8 * size);
	return (__s64)v;
}

void ktrace_step_text(const struct step *st, __u32 field, char *to)
{
	const struct binding *b = st->binding;
	size_t n = b->size[field] < 15 ? b->size[field] : 15;

	memset(to, 0, 16);
	memcpy(to, st->event->payload + b->offset[field],
	       strnlen(st->event->payload + b->offset[field], n));
}
