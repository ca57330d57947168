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

/* Returns "s32" and so on, NULL if the class is not a number. @size: out, its bytes */
static const char *scalar_of(const struct ctf_class *class, __u32 *size)
{
	static const char *const names[3][4] = {
		{ "u8", "u16", "u32", "u64" }, { "s8", "s16", "s32", "s64" },
		{ "x8", "x16", "x32", "x64" },
	};
	int kind = class->is_hex ? 2 : 0, i = 0;

	*size = class->kind == CTF_FLOAT ? 4 : 8;
	if (class->kind > CTF_DOUBLE)
		return NULL;
	if (class->kind == CTF_FLOAT || class->kind == CTF_DOUBLE)
		return class->kind == CTF_FLOAT ? "f32" : "f64";
	if (class->kind == CTF_SIGNED)
		kind = 1;
	if (class->kind == CTF_BITS)
		kind = 2;
	while (class->kind != CTF_BOOL && class->bits > 8u << i && i < 3)
		i++;
	*size = 1u << i;
	return names[kind][i];
}

static void put_value(struct ktrace_out *out, const struct ctf_value *value, __u32 size)
{
	const float f = value->class->kind == CTF_FLOAT ? (float)value->real : 0;

	if (value->class->kind == CTF_FLOAT)
		ktrace_out_bytes(out, (const char *)&f, size);
	else if (value->class->kind == CTF_DOUBLE)
		ktrace_out_bytes(out, (const char *)&value->real, size);
	else	/* Assumes little-endian, as on all supported machines. */
		ktrace_out_bytes(out, (const char *)&value->number, size);
}

/* Writes "u32", or "enum<u32>(A=1,B=2)". */
static void put_type(struct ktrace_out *out, const struct ctf_class *class, const char *scalar)
{
	if (class->labels)
		ktrace_out_str(out, "enum<");
	ktrace_out_str(out, scalar);
	if (!class->labels)
		return;
	ktrace_out_str(out, ">(");
	ktrace_out_str(out, class->labels);
	ktrace_out_char(out, ')');
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

/* Writes the names of the bits that a bit map has, as a field of its own. */
static void put_flags(struct record *r, const struct ctf_value *value)
{
	const size_t outer = r->name.len;
	const char *between = "";

	ktrace_out_str(&r->name, ".flags");
	ktrace_out_str(&r->desc, "string");
	put_field_name(r);
	for (__u32 i = 0; i < value->class->flag_nr; i++)
		if (value->number & value->class->flags[i].mask) {
			ktrace_out_str(&r->data, between);
			ktrace_out_str(&r->data, value->class->flags[i].name);
			between = "|";
		}
	ktrace_out_char(&r->data, 0);
	r->name.len = outer;
}

static void put_text(struct ktrace_out *out, const struct ctf_value *value, unsigned int depth);

static void put_struct_text(struct ktrace_out *out, const struct ctf_value *value,
			    unsigned int depth)
{
	ktrace_out_char(out, '{');
	for (__u64 i = 0; i < value->nr; i++) {
		if (i)
			ktrace_out_char(out, ',');
		ktrace_out_str(out, value->class->members[i].name);
		ktrace_out_char(out, '=');
		put_text(out, &value->items[i], depth + 1);
	}
	ktrace_out_char(out, '}');
}

static void put_array_text(struct ktrace_out *out, const struct ctf_value *value,
			   unsigned int depth)
{
	ktrace_out_char(out, '[');
	for (__u64 i = 0; i < value->nr; i++) {
		if (i)
			ktrace_out_char(out, ',');
		if (value->class->kind == CTF_BYTES)
			ktrace_out_u64(out, (unsigned char)value->text[i]);
		else
			put_text(out, &value->items[i], depth + 1);
	}
	ktrace_out_char(out, ']');
}

static void put_scalar_text(struct ktrace_out *out, const struct ctf_value *value)
{
	char text[64];

	if (value->class->kind == CTF_SIGNED) {
		ktrace_out_s64(out, (__s64)value->number);
	} else if (value->class->kind <= CTF_BITS) {
		ktrace_out_u64(out, value->number);
	} else {
		snprintf(text, sizeof(text), "%.17g", value->real);
		ktrace_out_str(out, text);
	}
}

/* Writes an array element as text. */
static void put_text(struct ktrace_out *out, const struct ctf_value *value, unsigned int depth)
{
	if (depth > DEPTH_MAX) {
		ktrace_out_str(out, "...");
		return;
	}
	switch (value->class->kind) {
	case CTF_TEXT:
		ktrace_out_quoted(out, value->text, strlen(value->text));
		break;
	case CTF_STRUCT:
		put_struct_text(out, value, depth);
		break;
	case CTF_ARRAY:
	case CTF_BYTES:
		put_array_text(out, value, depth);
		break;
	case CTF_OPTION:
	case CTF_VARIANT:
		if (value->nr)
			put_text(out, value->items, depth + 1);
		break;
	default:
		put_scalar_text(out, value);
	}
}

static void put_as_text(struct record *r, const struct ctf_value *value)
{
	ktrace_out_str(&r->desc, "string");
	put_field_name(r);
	put_text(&r->data, value, 0);
	ktrace_out_char(&r->data, 0);
}

static void put_array(struct record *r, const struct ctf_value *value)
{
	const bool is_bytes = value->class->kind == CTF_BYTES;
	const __u32 count = (__u32)value->nr;
	const char *scalar;
	__u32 size = 1;

	scalar = is_bytes ? "x8" : scalar_of(value->class->inner, &size);
	if (!scalar || value->nr > 0xffffffffu) {
		put_as_text(r, value);
		return;
	}
	ktrace_out_str(&r->desc, scalar);
	ktrace_out_char(&r->desc, '[');
	if (value->class->is_fixed && count)
		ktrace_out_u64(&r->desc, count);
	else
		ktrace_out_bytes(&r->data, (const char *)&count, sizeof(count));
	ktrace_out_char(&r->desc, ']');
	put_field_name(r);
	if (is_bytes)
		ktrace_out_bytes(&r->data, value->text, count);
	else
		for (__u32 i = 0; i < count; i++)
			put_value(&r->data, &value->items[i], size);
}

/*
 * True for "_x_length", which LTTng puts before an array or text "x"; our arrays contain their
 * length.
 */
static bool is_length(const struct ctf_class *class, __u64 i)
{
	const struct ctf_member *next = class->members + i + 1;
	const char *name = class->members[i].name;
	size_t n;

	if (i + 1 >= class->member_nr || name[0] != '_')
		return false;
	n = strlen(next->name);
	return !strncmp(name + 1, next->name, n) && !strcmp(name + 1 + n, "_length") &&
	       ((next->class->kind == CTF_ARRAY && !next->class->is_fixed) ||
		next->class->kind == CTF_TEXT || next->class->kind == CTF_BYTES);
}

void field_put_members(struct record *r, const struct ctf_value *value)
{
	for (__u64 i = 0; i < value->nr; i++)
		if (!is_length(value->class, i))
			field_put(r, value->class->members[i].name, &value->items[i]);
}

static void put_number(struct record *r, const struct ctf_value *value)
{
	__u32 size;
	const char *scalar = scalar_of(value->class, &size);

	put_type(&r->desc, value->class, scalar);
	put_field_name(r);
	put_value(&r->data, value, size);
	if (value->class->flag_nr)
		put_flags(r, value);
}

static void put_field(struct record *r, const struct ctf_value *value)
{
	switch (value->class->kind) {
	case CTF_TEXT:
		put_string(r, value->text);
		return;
	case CTF_ARRAY:
	case CTF_BYTES:
		put_array(r, value);
		return;
	case CTF_STRUCT:
	case CTF_OPTION:
	case CTF_VARIANT:
		break;
	default:
		put_number(r, value);
		return;
	}
	if (r->depth > DEPTH_MAX)
		put_as_text(r, value);
	else if (value->class->kind == CTF_STRUCT)
		field_put_members(r, value);
	else if (value->nr && value->class->kind == CTF_VARIANT)
		field_put(r, value->class->members[value->option].name, value->items);
	else if (value->nr)
		put_field(r, value->items);
}

void field_put(struct record *r, const char *name, const struct ctf_value *value)
{
	const size_t outer = r->name.len;

	if (outer)
		ktrace_out_char(&r->name, '.');
	import_writer_name(&r->name, name);
	r->depth++;
	put_field(r, value);
	r->depth--;
	r->name.len = outer;
}
