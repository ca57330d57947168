// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_format.c - hostile descriptions as the kernel gives them, and hostile records for them
 *
 * The input is the text of a "format" file, a NUL, and a record. What is accepted has names
 * that are names; each value lies in the record, as text it is harmless to a terminal, as
 * JSON it is JSON.
 */
#include <errno.h>
#include <ktrace/decode.h>

#include "output.h"

#define TEXT_MAX (1u << 20)

static char text[TEXT_MAX];

static void check_type(const struct ktrace_event_type *t)
{
	__u32 i;

	REQUIRE(t->is_placed && !strcmp(t->full_name, "sys:event") && !strcmp(t->name, "event"));
	for (i = 0; i < t->field_nr; i++) {
		const struct ktrace_field *f = &t->fields[i];

		REQUIRE(f->size == ktrace_scalar_size(f->scalar) && f->place != KTRACE_FOLLOWS);
		REQUIRE(f->label_size == strlen(f->label) && strlen(f->name) + 2 == f->label_size);
		REQUIRE(is_clean_text(f->label, f->label_size));
	}
}

static void check_value(const struct ktrace_value *v)
{
	struct ktrace_out out = { .buf = text, .cap = sizeof(text) };

	ktrace_value_json(&out, v);
	REQUIRE(out.error || is_json(text, out.len));
}

static void check_values(const struct ktrace_event_type *t, const char *payload, size_t len)
{
	struct ktrace_out out = { .buf = text, .cap = sizeof(text) };
	struct ktrace_values it;
	struct ktrace_value v;
	__u32 nr = 0;

	ktrace_values_init(&it, t, payload, len);
	while (ktrace_values_next(&it, &v)) {
		size_t size = (size_t)v.count * v.field->size;

		REQUIRE(v.data >= payload && v.data + size <= payload + len);
		REQUIRE(v.field == &t->fields[nr++]);
		check_value(&v);
	}
	REQUIRE(nr == (len ? t->field_nr : 0));
	ktrace_fields_text(&out, t, payload, len);
	REQUIRE(out.error || is_clean_text(text, out.len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };
	char *format = input_string(&in), *payload;
	struct ktrace_event_type *type;
	size_t len = input_left(&in);
	int ret = ktrace_event_type_parse_format("sys:event", format, &type);

	REQUIRE(!ret || ret == -EINVAL);
	payload = malloc(len + !len);
	REQUIRE(payload);
	memcpy(payload, in.at, len);
	if (!ret) {
		check_type(type);
		check_values(type, payload, len);
		ktrace_event_type_free(type);
	}
	free(payload);
	free(format);
	return 0;
}
