// SPDX-License-Identifier: LGPL-2.1
/* field.c - values of fields, and conditions on them */
#include "field.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/ip_address.h"
#include "decode/value.h"
#include "table.h"

/* Enums of system calls have more names: those of other ABIs follow from other fields. */
#define ENUM_MAX 100u

/* Finds the place of a field that is the same in all payloads. Return: false = it is not. */
static bool find_offset(const struct ktrace_event_type *type, __u32 i, __u32 *offset)
{
	__u32 k, size;

	if (type->is_placed) {
		*offset = type->fields[i].offset;
		return type->fields[i].place == KTRACE_AT;
	}
	*offset = 0;
	for (k = 0; k < i; k++) {
		size = fixed_size(&type->fields[k]);
		if (!size || size > KTRACE_DESC_SIZE_MAX - *offset)
			return false;
		*offset += size;
	}
	return true;
}

void ktrace_field_condition_set(struct field_condition *c, const struct condition *condition,
				const struct ktrace_event_type *type, __u32 i)
{
	const struct ktrace_field *f = &type->fields[i];

	*c = (struct field_condition){
		.condition = condition, .field = i, .scalar = f->scalar, .size = f->size,
	};
	c->is_fixed = f->shape == KTRACE_ONE && f->scalar != KTRACE_CHAR && !f->enum_nr &&
		      find_offset(type, i, &c->offset);
}

static bool value_may_match(const struct condition *c, const struct ktrace_value *v)
{
	const struct ktrace_field *f = v->field;
	const char *name;

	if (f->scalar == KTRACE_CHAR)
		return ktrace_condition_may_match_text(c, v->data, strnlen(v->data, v->count));
	if (!v->count)
		return false;
	name = ktrace_enumerator_find(f, ktrace_value_s64(v, 0));
	return name ? ktrace_condition_may_match_text(c, name, strlen(name)) :
	       ktrace_condition_may_match(c, ktrace_value_s64(v, 0));
}

bool ktrace_field_may_match(const struct field_condition *c, const struct ktrace_trace_event *e)
{
	struct ktrace_values it;
	struct ktrace_value v;

	if (!event_has_fields(e))
		return false;
	if (c->is_fixed)
		return e->len >= c->offset + c->size &&
		       ktrace_condition_may_match(c->condition,
						  integer_at(e->payload + c->offset, c->scalar));
	ktrace_values_init(&it, e->type, e->payload, e->len);
	while (ktrace_values_next(&it, &v))
		if (it.next == c->field + 1)
			return value_may_match(c->condition, &v);
	return false;
}

int ktrace_field_row_begin(struct field_row *row, const struct ktrace_trace_event *e)
{
	const __u32 nr = e->type->field_nr;

	row->nr = 0;
	ktrace_values_init(&row->it, e->type, e->payload, e->len);
	if (nr <= row->room)
		return 0;
	if (!LIST_RESIZE(row->values, nr))
		return -ENOMEM;
	row->room = nr;
	return 0;
}

const struct ktrace_value *ktrace_field_row_at(struct field_row *row, __u32 i)
{
	while (row->nr <= i && ktrace_values_next(&row->it, &row->values[row->nr]))
		row->nr++;
	return i < row->nr ? &row->values[i] : NULL;
}

void ktrace_result_value(sqlite3_context *to, struct ktrace_out *cell,
			 const struct ktrace_value *v)
{
	const struct ktrace_field *f = v->field;
	char address[IP_ADDRESS_TEXT];
	const char *name;

	if (f->scalar == KTRACE_CHAR) {
		ktrace_result_text(to, cell, v->data, strnlen(v->data, v->count));
	} else if (f->is_address && !v->is_cut) {
		ip_address_text(v->data, address);
		ktrace_result_text(to, cell, address, strlen(address));
	} else if (f->shape != KTRACE_ONE) {
		ktrace_value_json(cell, v);
		ktrace_result_cell(to, cell);
	} else if (!v->count) {
		return;
	} else if (f->scalar == KTRACE_F32 || f->scalar == KTRACE_F64) {
		sqlite3_result_double(to, ktrace_value_f64(v, 0));
	} else {
		name = ktrace_enumerator_find(f, ktrace_value_s64(v, 0));
		if (name)
			ktrace_result_text(to, cell, name, strlen(name));
		else
			sqlite3_result_int64(to, ktrace_value_s64(v, 0));
	}
}
