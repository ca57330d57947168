// SPDX-License-Identifier: LGPL-2.1
/* filter_places.c - find the fields of a payload that have the same place in all events */
#include <ktrace/kernel_filter.h>

#include "decode/value.h"

#include <errno.h>
#include <stdlib.h>

static enum ktrace_place_kind kind_of(const struct ktrace_field *f)
{
	if (f->shape == KTRACE_COUNTED)
		return KTRACE_PLACE_OTHER;
	if (f->shape == KTRACE_STRING)
		return KTRACE_PLACE_STRING;
	switch (f->scalar) {
	case KTRACE_CHAR:
		return f->count > KTRACE_MATCH_SIZE_MAX ? KTRACE_PLACE_OTHER : KTRACE_PLACE_CHAR;
	case KTRACE_F32:
	case KTRACE_F64:
		return KTRACE_PLACE_OTHER;
	default:
		return is_signed(f->scalar) ? KTRACE_PLACE_SIGNED : KTRACE_PLACE_UNSIGNED;
	}
}

/* Returns the kind of a field with a place set by the kernel; texts may be stored elsewhere. */
static enum ktrace_place_kind kind_of_placed(const struct ktrace_field *f)
{
	if (f->place == KTRACE_AT)
		return kind_of(f);
	if (f->shape != KTRACE_STRING)
		return KTRACE_PLACE_OTHER;
	return f->place == KTRACE_DATA_LOC ? KTRACE_PLACE_FAR : KTRACE_PLACE_REL;
}

int ktrace_places(const struct ktrace_event_type *type, struct ktrace_place **out)
{
	struct ktrace_place *places = calloc(type->field_nr + 1, sizeof(*places)), *p;
	bool is_fixed = true;
	__u32 i, size, off = 0;

	if (!places)
		return -ENOMEM;
	for (i = 0, p = places; i < type->field_nr; i++, p++) {
		const struct ktrace_field *f = &type->fields[i];

		p->name = f->name;
		if (type->is_placed) {
			p->kind = kind_of_placed(f);
			p->off = f->offset;
		} else {
			p->kind = is_fixed ? kind_of(f) : KTRACE_PLACE_OTHER;
			p->off = off;
		}
		p->size = p->kind <= KTRACE_PLACE_CHAR ? f->size : 0;
		p->count = f->shape == KTRACE_FIXED ? f->count : 0;
		p->field = f->enum_nr || f->is_address ? f : NULL;
		size = fixed_size(f);
		off += size;
		is_fixed = is_fixed && size && off <= KTRACE_DESC_SIZE_MAX;
	}
	*out = places;
	return (int)type->field_nr;
}
