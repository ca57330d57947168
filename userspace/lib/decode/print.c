// SPDX-License-Identifier: LGPL-2.1
/* print.c - values as text for people, or as JSON for programs */
#include "base/ip_address.h"
#include "out.h"
#include "value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How a scalar is printed. */
enum style { DECIMAL, SIGNED, HEX, FLOAT, LETTER };

static const unsigned char styles[KTRACE_SCALAR_NR] = {
	[KTRACE_S8] = SIGNED, [KTRACE_S16] = SIGNED, [KTRACE_S32] = SIGNED, [KTRACE_S64] = SIGNED,
	[KTRACE_X8] = HEX, [KTRACE_X16] = HEX, [KTRACE_X32] = HEX, [KTRACE_X64] = HEX,
	[KTRACE_PTR] = HEX, [KTRACE_F32] = FLOAT, [KTRACE_F64] = FLOAT, [KTRACE_CHAR] = LETTER,
};

static bool is_hex(enum ktrace_scalar s)
{
	return styles[s] == HEX;
}

static bool is_float(enum ktrace_scalar s)
{
	return styles[s] == FLOAT;
}

/* True for strings, and for char arrays, which end at their first NUL. */
static bool is_text(const struct ktrace_value *v, size_t *n)
{
	if (v->field->scalar != KTRACE_CHAR || v->field->shape == KTRACE_ONE)
		return false;
	*n = v->field->shape == KTRACE_STRING ? v->count : strnlen(v->data, v->count);
	return true;
}

/* Writes the shortest of the usual forms that reads back as the same number. */
static void put_float(struct ktrace_out *out, double x, bool is_single)
{
	char text[40];
	int precision = is_single ? 6 : 15;

	if (isnan(x)) {
		ktrace_out_str(out, "nan");	/* its sign has no meaning */
		return;
	}
	do {
		snprintf(text, sizeof(text), "%.*g", precision, x);
		precision++;
	} while (precision <= 17 &&
		 (is_single ? strtof(text, NULL) != (float)x : strtod(text, NULL) != x));
	ktrace_out_str(out, text);
}

static void put_integer(struct ktrace_out *out, enum ktrace_scalar scalar, __s64 x)
{
	if (styles[scalar] == HEX) {
		ktrace_out_bytes(out, "0x", 2);
		ktrace_out_hex(out, (__u64)x, 1);
	} else if (styles[scalar] == SIGNED) {
		ktrace_out_s64(out, x);
	} else {
		put_u64(out, (__u64)x);
	}
}

static void text_element(struct ktrace_out *out, const struct ktrace_value *v, __u32 i)
{
	const char *name;
	__s64 x;

	if (is_float(v->field->scalar)) {
		put_float(out, ktrace_value_f64(v, i), v->field->scalar == KTRACE_F32);
		return;
	}
	if (v->field->scalar == KTRACE_CHAR) {
		ktrace_out_quoted(out, v->data + i, 1);
		return;
	}
	x = ktrace_value_s64(v, i);
	name = ktrace_enumerator_find(v->field, x);
	if (name)
		ktrace_out_str(out, name);
	else
		put_integer(out, v->field->scalar, x);
}

static void json_element(struct ktrace_out *out, const struct ktrace_value *v, __u32 i)
{
	const char *name;
	double f;
	__s64 x;

	if (is_float(v->field->scalar)) {
		f = ktrace_value_f64(v, i);
		if (isfinite(f))
			put_float(out, f, v->field->scalar == KTRACE_F32);
		else
			ktrace_out_str(out, "null");
		return;
	}
	if (v->field->scalar == KTRACE_CHAR) {
		ktrace_out_json(out, v->data + i, 1);
		return;
	}
	x = ktrace_value_s64(v, i);
	name = ktrace_enumerator_find(v->field, x);
	if (name || is_hex(v->field->scalar))
		ktrace_out_char(out, '"');
	if (name)
		ktrace_out_str(out, name);
	else
		put_integer(out, v->field->scalar, x);
	if (name || is_hex(v->field->scalar))
		ktrace_out_char(out, '"');
}

static void text_elements(struct ktrace_out *out, const struct ktrace_value *v)
{
	__u32 i;

	ktrace_out_char(out, '{');
	for (i = 0; i < v->count && !out->error; i++) {
		if (i)
			ktrace_out_str(out, ", ");
		text_element(out, v, i);
	}
	ktrace_out_char(out, '}');
}

/* Makes the text of a value that is an IP address, "" = none. False: it is another, or cut off. */
static bool is_address(const struct ktrace_value *v, char text[IP_ADDRESS_TEXT])
{
	if (!v->field->is_address || v->is_cut)
		return false;
	ip_address_text(v->data, text);
	return true;
}

void ktrace_value_text(struct ktrace_out *out, const struct ktrace_value *v)
{
	char address[IP_ADDRESS_TEXT];
	size_t n;

	if (is_text(v, &n))
		ktrace_out_quoted(out, v->data, n);
	else if (is_address(v, address))
		ktrace_out_str(out, *address ? address : "-");
	else if (v->field->is_bytes)
		ktrace_out_quoted(out, v->data, v->count);
	else if (v->field->shape != KTRACE_ONE)
		text_elements(out, v);
	else if (v->count)
		text_element(out, v, 0);
	if (v->is_cut)
		ktrace_out_str(out, "...");
}

/* True for one integer without names, as most fields are. */
static bool is_number(const struct ktrace_field *f)
{
	return f->shape == KTRACE_ONE && !f->enum_nr && styles[f->scalar] <= HEX;
}

/* Writes a string that has its NUL, as most of the other fields are. */
static bool put_string(struct ktrace_out *out, struct ktrace_values *it)
{
	size_t left = (size_t)(it->end - it->at);
	const char *end = memchr(it->at, '\0', left);

	if (!end)
		return false;
	ktrace_out_quoted(out, it->at, (size_t)(end - it->at));
	it->at = end + 1;
	it->next++;
	return true;
}

static bool put_number(struct ktrace_out *out, const struct ktrace_field *f,
		       struct ktrace_values *it)
{
	__s64 x;

	if ((size_t)(it->end - it->at) < f->size)
		return false;
	x = integer_at(it->at, f->scalar);
	if (styles[f->scalar] == DECIMAL)
		put_u64(out, (__u64)x);
	else
		put_integer(out, f->scalar, x);
	it->at += f->size;
	it->next++;
	return true;
}

/* Writes the fields of a placed type */
static bool placed_text(struct ktrace_out *out, struct ktrace_values *it)
{
	struct ktrace_value v;
	bool is_cut = false;

	while (ktrace_values_next(it, &v)) {
		put_label(out, v.field);
		ktrace_value_text(out, &v);
		is_cut |= v.is_cut;
	}
	return is_cut || it->next < it->type->field_nr;
}

bool ktrace_fields_text(struct ktrace_out *out, const struct ktrace_event_type *type,
			const void *payload, size_t len)
{
	const struct ktrace_field *f;
	struct ktrace_values it;
	struct ktrace_value v;
	bool is_cut = false;

	ktrace_values_init(&it, type, payload, len);
	if (type->is_placed)
		return placed_text(out, &it);
	while (it.next < type->field_nr && it.at != it.end) {
		f = &type->fields[it.next];
		put_label(out, f);
		if (f->shape == KTRACE_STRING ? put_string(out, &it) :
		    is_number(f) && put_number(out, f, &it))
			continue;
		ktrace_values_next(&it, &v);
		ktrace_value_text(out, &v);
		is_cut = v.is_cut;
	}
	return is_cut || it.next < type->field_nr;
}

void ktrace_value_json(struct ktrace_out *out, const struct ktrace_value *v)
{
	char address[IP_ADDRESS_TEXT];
	__u32 i;
	size_t n;

	if (is_text(v, &n)) {
		ktrace_out_json(out, v->data, n);
	} else if (is_address(v, address)) {
		ktrace_out_json(out, address, strlen(address));
	} else if (v->field->shape != KTRACE_ONE) {
		ktrace_out_char(out, '[');
		for (i = 0; i < v->count && !out->error; i++) {
			if (i)
				ktrace_out_char(out, ',');
			json_element(out, v, i);
		}
		ktrace_out_char(out, ']');
	} else if (v->count) {
		json_element(out, v, 0);
	} else {
		ktrace_out_str(out, "null");
	}
}

void ktrace_fields_json(struct ktrace_out *out, const struct ktrace_event_type *type,
			const void *payload, size_t len)
{
	struct ktrace_values it;
	struct ktrace_value v;
	char comma = '{';

	ktrace_values_init(&it, type, payload, len);
	while (ktrace_values_next(&it, &v)) {
		ktrace_out_char(out, comma);
		ktrace_out_char(out, '"');
		ktrace_out_str(out, v.field->name);
		ktrace_out_str(out, "\":");
		ktrace_value_json(out, &v);
		comma = ',';
	}
	ktrace_out_str(out, comma == '{' ? "{}" : "}");
}
