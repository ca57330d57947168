// SPDX-License-Identifier: GPL-2.0
/* json.c - members of JSON objects */
#include "json.h"

#include "base/viewer.h"
#include "base/when.h"

#include <string.h>

/* JavaScript numbers represent every integer up to here. */
#define EXACT (1ull << 53)

void json_key(struct ktrace_out *out, const char *key)
{
	if (out->len && out->buf[out->len - 1] != '{')
		ktrace_out_char(out, ',');
	ktrace_out_json(out, key, strlen(key));
	ktrace_out_char(out, ':');
}

void json_u64(struct ktrace_out *out, const char *key, __u64 v)
{
	json_key(out, key);
	ktrace_out_u64(out, v);
}

void json_s64(struct ktrace_out *out, const char *key, __s64 v)
{
	json_key(out, key);
	ktrace_out_s64(out, v);
}

void json_bool(struct ktrace_out *out, const char *key, bool v)
{
	json_key(out, key);
	ktrace_out_str(out, v ? "true" : "false");
}

void json_seconds(struct ktrace_out *out, const char *key, __u64 ns)
{
	json_key(out, key);
	ktrace_out_char(out, '"');
	out_seconds(out, ns, 0);
	ktrace_out_char(out, '"');
}

void json_open(struct ktrace_out *out, const char *key, char bracket)
{
	json_key(out, key);
	ktrace_out_char(out, bracket);
}

void json_item(struct ktrace_out *out)
{
	output_line_begin(out);
	json_element(out);
	ktrace_out_char(out, '{');
}

void json_element(struct ktrace_out *out)
{
	if (out->len && out->buf[out->len - 1] != '[')
		ktrace_out_char(out, ',');
}

void json_address(struct ktrace_out *out, const char *key, __u64 v)
{
	json_key(out, key);
	ktrace_out_str(out, "\"0x");
	ktrace_out_hex(out, v, 1);
	ktrace_out_char(out, '"');
}

void json_str(struct ktrace_out *out, const char *key, const char *value)
{
	if (!value)
		return;
	json_key(out, key);
	ktrace_out_json(out, value, strlen(value));
}

static bool is_exact(const struct ktrace_value *v)
{
	bool is_negative;
	__s64 number;
	__u32 i;

	if (v->field->size < sizeof(number) || v->field->scalar == KTRACE_F64)
		return true;
	for (i = 0; i < v->count; i++) {
		number = ktrace_value_s64(v, i);
		is_negative = number < 0 && v->field->scalar == KTRACE_S64;
		if ((is_negative ? -(__u64)number : (__u64)number) > EXACT)
			return false;
	}
	return true;
}

void json_exact(struct ktrace_out *out, const struct ktrace_value *v)
{
	struct ktrace_value element = *v;
	__u32 i;

	if (v->field->shape == KTRACE_ONE && (!v->count || v->field->enum_nr || is_exact(v) ||
	    v->field->scalar == KTRACE_PTR || v->field->scalar == KTRACE_X64)) {
		ktrace_value_json(out, v);
	} else if (is_exact(v)) {
		ktrace_value_json(out, v);
	} else if (v->field->shape == KTRACE_ONE) {
		ktrace_out_char(out, '"');
		ktrace_value_json(out, v);
		ktrace_out_char(out, '"');
	} else {
		struct ktrace_field one = *v->field;

		one.shape = KTRACE_ONE;
		element.field = &one;
		element.count = 1;
		for (i = 0; i < v->count; i++) {
			element.data = v->data + (size_t)i * one.size;
			ktrace_out_char(out, i ? ',' : '[');
			json_exact(out, &element);
		}
		ktrace_out_char(out, ']');
	}
}
