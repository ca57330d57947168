// SPDX-License-Identifier: GPL-2.0
/*
 * field.c - converts a field of a CTF event to fields of ours
 *
 * Structs and variants become their members, with names joined by dots. Numbers get the next
 * larger size. Arrays of numbers stay arrays; other arrays cannot be described and become text, as
 * do structs that are nested too deep.
 */
#include "field.h"

#include <stdio.h>
#include <string.h>

#include "import/import_writer.h"

#define DEPTH_MAX 32u
#define RANGE_MAX 16u		/* largest range of an enum whose values are all named */
#define LABELS_MAX 1024u

static bool is(const bt_field_class *class, bt_field_class_type type)
{
	return bt_field_class_type_is(bt_field_class_get_type(class), type);
}

/* Returns "s32" and so on, NULL if the class is not a number. @size: out, its bytes */
static const char *scalar_of(const bt_field_class *class, __u32 *size)
{
	static const char *const names[3][4] = {
		{ "u8", "u16", "u32", "u64" }, { "s8", "s16", "s32", "s64" },
		{ "x8", "x16", "x32", "x64" },
	};
	__u64 bits = 8;
	int kind = 0, i = 0;

	*size = 8;
	if (is(class, BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL)) {
		*size = 4;
		return "f32";
	}
	if (is(class, BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL))
		return "f64";
	if (is(class, BT_FIELD_CLASS_TYPE_BIT_ARRAY))
		return "x64";
	if (is(class, BT_FIELD_CLASS_TYPE_INTEGER)) {
		bits = bt_field_class_integer_get_field_value_range(class);
		if (is(class, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
			kind = 1;
		else if (bt_field_class_integer_get_preferred_display_base(class) ==
			 BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_HEXADECIMAL)
			kind = 2;
	} else if (!is(class, BT_FIELD_CLASS_TYPE_BOOL)) {
		return NULL;
	}
	while (bits > 8u << i && i < 3)
		i++;
	*size = 1u << i;
	return names[kind][i];
}

bool field_number(const bt_field *field, __s64 *value)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);

	if (is(class, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
		*value = (__s64)bt_field_integer_unsigned_get_value(field);
	else if (is(class, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
		*value = bt_field_integer_signed_get_value(field);
	else if (is(class, BT_FIELD_CLASS_TYPE_BOOL))
		*value = bt_field_bool_get_value(field);
	else if (is(class, BT_FIELD_CLASS_TYPE_BIT_ARRAY))
		*value = (__s64)bt_field_bit_array_get_value_as_integer(field);
	else
		return false;
	return true;
}

const char *field_text(const bt_field *field)
{
	if (!is(bt_field_borrow_class_const(field), BT_FIELD_CLASS_TYPE_STRING))
		return NULL;
	/* For an empty string, version 2.0.4 returns the value of an earlier event. */
	return bt_field_string_get_length(field) ? bt_field_string_get_value(field) : "";
}

static void put_value(struct ktrace_out *out, const bt_field *field, __u32 size)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);
	double d;
	float f;
	__s64 v;

	if (field_number(field, &v)) {
		ktrace_out_bytes(out, (const char *)&v, size);
	} else if (is(class, BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL)) {
		f = bt_field_real_single_precision_get_value(field);
		ktrace_out_bytes(out, (const char *)&f, size);
	} else {
		d = bt_field_real_double_precision_get_value(field);
		ktrace_out_bytes(out, (const char *)&d, size);
	}
}

static void put_label(struct ktrace_out *out, const char *label, __s64 value, __u32 *nr)
{
	if ((*nr)++ >= LABELS_MAX)
		return;
	ktrace_out_str(out, *nr > 1 ? "," : ">(");
	import_writer_name(out, label);
	ktrace_out_char(out, '=');
	ktrace_out_s64(out, value);
}

/* Writes the names of a short range; treats unsigned 64-bit numbers as signed. */
static void put_range(struct ktrace_out *out, const char *label, __s64 low, __s64 high, __u32 *nr)
{
	__u64 n = (__u64)high - (__u64)low;

	for (__u64 i = 0; i <= n && n < RANGE_MAX; i++)
		put_label(out, label, (__s64)((__u64)low + i), nr);
}

static void put_mapping(struct ktrace_out *out, const bt_field_class *class, __u64 i, __u32 *nr)
{
	const bt_field_class_enumeration_unsigned_mapping *u;
	const bt_field_class_enumeration_signed_mapping *s;
	const bt_integer_range_set_unsigned *us;
	const bt_integer_range_set_signed *ss;
	const char *label;

	if (is(class, BT_FIELD_CLASS_TYPE_UNSIGNED_ENUMERATION)) {
		u = bt_field_class_enumeration_unsigned_borrow_mapping_by_index_const(class, i);
		us = bt_field_class_enumeration_unsigned_mapping_borrow_ranges_const(u);
		label = bt_field_class_enumeration_mapping_get_label(
			bt_field_class_enumeration_unsigned_mapping_as_mapping_const(u));
		for (__u64 k = 0; k < bt_integer_range_set_get_range_count(
				bt_integer_range_set_unsigned_as_range_set_const(us)); k++) {
			const bt_integer_range_unsigned *r =
				bt_integer_range_set_unsigned_borrow_range_by_index_const(us, k);

			put_range(out, label, (__s64)bt_integer_range_unsigned_get_lower(r),
				  (__s64)bt_integer_range_unsigned_get_upper(r), nr);
		}
		return;
	}
	s = bt_field_class_enumeration_signed_borrow_mapping_by_index_const(class, i);
	ss = bt_field_class_enumeration_signed_mapping_borrow_ranges_const(s);
	label = bt_field_class_enumeration_mapping_get_label(
		bt_field_class_enumeration_signed_mapping_as_mapping_const(s));
	for (__u64 k = 0; k < bt_integer_range_set_get_range_count(
			bt_integer_range_set_signed_as_range_set_const(ss)); k++) {
		const bt_integer_range_signed *r =
			bt_integer_range_set_signed_borrow_range_by_index_const(ss, k);

		put_range(out, label, bt_integer_range_signed_get_lower(r),
			  bt_integer_range_signed_get_upper(r), nr);
	}
}

/* Writes "u32", or "enum<u32>(A=1,B=2)". */
static void put_type(struct ktrace_out *out, const bt_field_class *class, const char *scalar)
{
	const size_t begin = out->len;
	__u32 nr = 0;

	if (is(class, BT_FIELD_CLASS_TYPE_ENUMERATION)) {
		ktrace_out_str(out, "enum<");
		ktrace_out_str(out, scalar);
		for (__u64 i = 0; i < bt_field_class_enumeration_get_mapping_count(class); i++)
			put_mapping(out, class, i, &nr);
	}
	if (nr) {
		ktrace_out_char(out, ')');
	} else {
		out->len = begin;
		ktrace_out_str(out, scalar);
	}
}

static void put_field_name(struct record *r)
{
	ktrace_out_char(&r->desc, ' ');
	ktrace_out_bytes(&r->desc, r->name.buf, r->name.len);
	ktrace_out_char(&r->desc, ';');
}

static void put_string(struct record *r, const char *s)
{
	ktrace_out_str(&r->desc, "string");
	put_field_name(r);
	ktrace_out_bytes(&r->data, s, strlen(s) + 1);
}

static void put_text(struct ktrace_out *out, const bt_field *field, unsigned int depth);

static void put_struct_text(struct ktrace_out *out, const bt_field *field, unsigned int depth)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);

	ktrace_out_char(out, '{');
	for (__u64 i = 0; i < bt_field_class_structure_get_member_count(class); i++) {
		if (i)
			ktrace_out_char(out, ',');
		ktrace_out_str(out, bt_field_class_structure_member_get_name(
			bt_field_class_structure_borrow_member_by_index_const(class, i)));
		ktrace_out_char(out, '=');
		put_text(out, bt_field_structure_borrow_member_field_by_index_const(field, i),
			 depth + 1);
	}
	ktrace_out_char(out, '}');
}

static void put_scalar_text(struct ktrace_out *out, const bt_field *field)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);
	char text[64] = "";
	__s64 v;

	if (field_number(field, &v)) {
		if (is(class, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
			ktrace_out_s64(out, v);
		else
			ktrace_out_u64(out, (__u64)v);
		return;
	}
	if (is(class, BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL))
		snprintf(text, sizeof(text), "%.9g",
			 (double)bt_field_real_single_precision_get_value(field));
	else if (is(class, BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL))
		snprintf(text, sizeof(text), "%.17g",
			 bt_field_real_double_precision_get_value(field));
	ktrace_out_str(out, text);
}

/* Writes an array element as text. */
static void put_text(struct ktrace_out *out, const bt_field *field, unsigned int depth)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);
	const bt_field *inner = NULL;

	if (depth > DEPTH_MAX) {
		ktrace_out_str(out, "...");
	} else if (is(class, BT_FIELD_CLASS_TYPE_STRING)) {
		ktrace_out_quoted(out, field_text(field), strlen(field_text(field)));
	} else if (is(class, BT_FIELD_CLASS_TYPE_STRUCTURE)) {
		put_struct_text(out, field, depth);
	} else if (is(class, BT_FIELD_CLASS_TYPE_ARRAY)) {
		ktrace_out_char(out, '[');
		for (__u64 i = 0; i < bt_field_array_get_length(field); i++) {
			if (i)
				ktrace_out_char(out, ',');
			put_text(out, bt_field_array_borrow_element_field_by_index_const(field, i),
				 depth + 1);
		}
		ktrace_out_char(out, ']');
	} else if (is(class, BT_FIELD_CLASS_TYPE_VARIANT)) {
		inner = bt_field_variant_borrow_selected_option_field_const(field);
	} else if (is(class, BT_FIELD_CLASS_TYPE_OPTION)) {
		inner = bt_field_option_borrow_field_const(field);
	} else {
		put_scalar_text(out, field);
	}
	if (inner)
		put_text(out, inner, depth + 1);
}

static void put_as_text(struct record *r, const bt_field *field)
{
	ktrace_out_str(&r->desc, "string");
	put_field_name(r);
	put_text(&r->data, field, 0);
	ktrace_out_char(&r->data, 0);
}

static void put_array(struct record *r, const bt_field *field)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);
	const __u64 nr = bt_field_array_get_length(field);
	const bool is_fixed = is(class, BT_FIELD_CLASS_TYPE_STATIC_ARRAY) && nr;
	const __u32 count = (__u32)nr;
	const char *scalar;
	__u32 size;

	scalar = scalar_of(bt_field_class_array_borrow_element_field_class_const(class), &size);
	if (!scalar || nr > 0xffffffffu) {
		put_as_text(r, field);
		return;
	}
	ktrace_out_str(&r->desc, scalar);
	ktrace_out_char(&r->desc, '[');
	if (is_fixed)
		ktrace_out_u64(&r->desc, nr);
	else
		ktrace_out_bytes(&r->data, (const char *)&count, sizeof(count));
	ktrace_out_char(&r->desc, ']');
	put_field_name(r);
	for (__u64 i = 0; i < nr; i++)
		put_value(&r->data, bt_field_array_borrow_element_field_by_index_const(field, i),
			  size);
}

/*
 * True for "_x_length", which LTTng puts before an array or text "x"; our arrays contain their
 * length.
 */
static bool is_length(const bt_field_class *class, __u64 i)
{
	const bt_field_class_structure_member *next;
	const char *name, *of;
	char length[256];

	if (i + 1 >= bt_field_class_structure_get_member_count(class))
		return false;
	name = bt_field_class_structure_member_get_name(
		bt_field_class_structure_borrow_member_by_index_const(class, i));
	next = bt_field_class_structure_borrow_member_by_index_const(class, i + 1);
	of = bt_field_class_structure_member_get_name(next);
	snprintf(length, sizeof(length), "_%s_length", of);
	return !strcmp(length, name) &&
	       (is(bt_field_class_structure_member_borrow_field_class_const(next),
		   BT_FIELD_CLASS_TYPE_DYNAMIC_ARRAY) ||
		is(bt_field_class_structure_member_borrow_field_class_const(next),
		   BT_FIELD_CLASS_TYPE_STRING));
}

void field_put_members(struct record *r, const bt_field *field)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);

	for (__u64 i = 0; i < bt_field_class_structure_get_member_count(class); i++)
		if (!is_length(class, i))
			field_put(r, bt_field_class_structure_member_get_name(
				  bt_field_class_structure_borrow_member_by_index_const(class, i)),
				  bt_field_structure_borrow_member_field_by_index_const(field, i));
}

static void put_variant(struct record *r, const bt_field *field)
{
	const bt_field_class_variant_option *option =
		bt_field_variant_borrow_selected_option_class_const(field);
	const char *name = bt_field_class_variant_option_get_name(option);

	field_put(r, name ? name : "", bt_field_variant_borrow_selected_option_field_const(field));
}

static void put_field(struct record *r, const bt_field *field)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);
	const char *scalar, *text = field_text(field);
	__u32 size;

	scalar = scalar_of(class, &size);
	if (scalar) {
		put_type(&r->desc, class, scalar);
		put_field_name(r);
		put_value(&r->data, field, size);
	} else if (text) {
		put_string(r, text);
	} else if (is(class, BT_FIELD_CLASS_TYPE_ARRAY)) {
		put_array(r, field);
	} else if (r->depth > DEPTH_MAX) {
		put_as_text(r, field);
	} else if (is(class, BT_FIELD_CLASS_TYPE_STRUCTURE)) {
		field_put_members(r, field);
	} else if (is(class, BT_FIELD_CLASS_TYPE_VARIANT)) {
		put_variant(r, field);
	} else if (bt_field_option_borrow_field_const(field)) {
		put_field(r, bt_field_option_borrow_field_const(field));
	}
}

void field_put(struct record *r, const char *name, const bt_field *field)
{
	const size_t outer = r->name.len;

	if (outer)
		ktrace_out_char(&r->name, '.');
	import_writer_name(&r->name, name ? name : "");
	r->depth++;
	put_field(r, field);
	r->depth--;
	r->name.len = outer;
}
