// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_describe.c - hostile event descriptions and hostile payloads for them
 *
 * The input is a description, a NUL, and a payload. A description that is accepted can
 * be written down again, and means the same then. Values lie in the payload and follow
 * each other; as text they are harmless to a terminal, as JSON they are JSON.
 */
#include <errno.h>
#include <ktrace/decode.h>

#include "output.h"

#define TEXT_MAX (1u << 20)

static char text[TEXT_MAX];
static char again[2 * KTRACE_DESC_SIZE_MAX];

/* A second grammar, for writing. */
static void write_field(struct ktrace_out *out, const struct ktrace_field *f)
{
	__u32 i;

	if (f->enum_nr) {
		ktrace_out_str(out, "enum<");
		ktrace_out_str(out, ktrace_scalar_name(f->scalar));
		ktrace_out_str(out, ">(");
		for (i = 0; i < f->enum_nr; i++) {
			ktrace_out_str(out, i ? "," : "");
			ktrace_out_str(out, f->enums[i].name);
			ktrace_out_char(out, '=');
			ktrace_out_s64(out, f->enums[i].value);
		}
		ktrace_out_char(out, ')');
	} else {
		ktrace_out_str(out, f->shape == KTRACE_STRING ? "string" :
			       ktrace_scalar_name(f->scalar));
	}
	if (f->shape == KTRACE_FIXED || f->shape == KTRACE_COUNTED)
		ktrace_out_char(out, '[');
	if (f->shape == KTRACE_FIXED)
		ktrace_out_u64(out, f->count);
	if (f->shape == KTRACE_FIXED || f->shape == KTRACE_COUNTED)
		ktrace_out_char(out, ']');
	ktrace_out_char(out, ' ');
	ktrace_out_str(out, f->name);
	ktrace_out_char(out, ';');
}

static void write_type(struct ktrace_out *out, const struct ktrace_event_type *t)
{
	__u32 i;

	ktrace_out_str(out, t->provider);
	ktrace_out_char(out, ':');
	ktrace_out_str(out, t->name);
	ktrace_out_char(out, '{');
	for (i = 0; i < t->field_nr; i++)
		write_field(out, &t->fields[i]);
	ktrace_out_char(out, '}');
	if (t->file) {
		ktrace_out_char(out, '@');
		ktrace_out_str(out, t->file);
		ktrace_out_char(out, ':');
		ktrace_out_u64(out, t->line);
	}
	REQUIRE(!out->error);
	out->buf[out->len] = '\0';
}

static void require_same(const struct ktrace_event_type *a, const struct ktrace_event_type *b)
{
	__u32 i, k;

	REQUIRE(!strcmp(a->full_name, b->full_name) && a->field_nr == b->field_nr);
	REQUIRE(!a->file == !b->file && a->line == b->line);
	REQUIRE(!a->file || !strcmp(a->file, b->file));
	for (i = 0; i < a->field_nr; i++) {
		const struct ktrace_field *x = &a->fields[i], *y = &b->fields[i];

		REQUIRE(!strcmp(x->name, y->name) && x->scalar == y->scalar &&
			x->shape == y->shape && x->count == y->count && x->enum_nr == y->enum_nr);
		for (k = 0; k < x->enum_nr; k++)
			REQUIRE(!strcmp(x->enums[k].name, y->enums[k].name) &&
				x->enums[k].value == y->enums[k].value);
	}
}

/* Numbers may grow when they are written in decimal: up to 20 digits for "0x1". */
static void check_again(const struct ktrace_event_type *t)
{
	struct ktrace_out out = { .buf = again, .cap = sizeof(again) - 1 };
	struct ktrace_event_type *t2;

	write_type(&out, t);
	if (out.len >= KTRACE_DESC_SIZE_MAX)
		return;
	REQUIRE(!ktrace_event_type_parse(again, &t2));
	require_same(t, t2);
	ktrace_event_type_free(t2);
}

static void check_json(const struct ktrace_value *v)
{
	struct ktrace_out out = { .buf = text, .cap = sizeof(text) };

	ktrace_value_json(&out, v);
	REQUIRE(out.error || is_json(text, out.len));
	out = (struct ktrace_out){ .buf = text, .cap = sizeof(text) };
	ktrace_value_text(&out, v);
	REQUIRE(is_clean_text(text, out.len));
}

static void check_values(const struct ktrace_event_type *t, const char *payload, size_t len)
{
	struct ktrace_values it;
	struct ktrace_value v;
	const char *end = payload;
	__u32 nr = 0;

	ktrace_values_init(&it, t, payload, len);
	while (ktrace_values_next(&it, &v)) {
		size_t size = (size_t)v.count * ktrace_scalar_size(v.field->scalar);

		REQUIRE(v.data >= end && v.data + size <= payload + len);
		REQUIRE(v.field == &t->fields[nr++]);
		check_json(&v);
		end = v.data + size;
	}
	REQUIRE(nr <= t->field_nr);
}

/* Buffers of any size, and flushes that fail: no more is stored than there is room for. */
static void check_small_buffers(const char *s, size_t n)
{
	char *buf = malloc(KTRACE_OUT_MIN);
	struct ktrace_out out = { .buf = buf, .cap = KTRACE_OUT_MIN };

	REQUIRE(buf);
	ktrace_out_quoted(&out, s, n);
	REQUIRE(out.len <= out.cap && (!out.error || out.error == -ENOSPC));
	out = (struct ktrace_out){ .buf = buf, .cap = KTRACE_OUT_MIN };
	ktrace_out_json(&out, s, n);
	REQUIRE(out.len <= out.cap && (out.error || is_json(buf, out.len)));
	free(buf);
}

static void check_safe(const char *s)
{
	struct ktrace_out out = { .buf = text, .cap = sizeof(text) };

	ktrace_out_safe(&out, s);
	REQUIRE(is_clean_text(text, out.len) && !memchr(text, '\n', out.len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };
	char *desc = input_string(&in), *payload;
	struct ktrace_event_type *type;
	size_t len = input_left(&in);
	int ret = ktrace_event_type_parse(desc, &type);

	REQUIRE(!ret || ret == -EINVAL);
	payload = malloc(len + !len);
	REQUIRE(payload);
	memcpy(payload, in.at, len);
	if (!ret) {
		check_again(type);
		check_values(type, payload, len);
		ktrace_event_type_free(type);
	}
	check_small_buffers(payload, len);
	check_safe(desc);
	free(payload);
	free(desc);
	return 0;
}
