// SPDX-License-Identifier: GPL-2.0
/* content.c - converts messages by their descriptions */
#include "content.h"

#include "convert.h"

#include <stdio.h>
#include <string.h>

/* Different fields of a message; the others are left out, and counted */
#define NUMBERS_MAX 128u
/* Deepest nesting of messages */
#define DEPTH_MAX 16
/* Messages whose fields become fields of the event, not JSON text */
#define FLAT_MAX 6
/* Bytes of a field's name with those of the messages around it */
#define PATH_SIZE 256
/* Values of an enumeration that a description may list; names of others become text. */
#define VALUES_MAX 48u
/* An event with more bytes than that gets no further JSON text. */
#define JSON_MAX (16u << 20)

/* struct numbers - the different fields of a message, in order */
struct numbers {
	__u32 at[NUMBERS_MAX];
	__u32 nr;
};

static struct packet inner(const struct packet_field *f)
{
	return (struct packet){ .data = f->data, .size = f->size };
}

static void find_numbers(struct conversion *c, const struct packet *m, struct numbers *numbers)
{
	struct packet_field f;
	size_t at = 0;
	__u32 i;

	numbers->nr = 0;
	while (packet_next(m, &at, &f) == 1) {
		for (i = 0; i < numbers->nr && numbers->at[i] != f.number;)
			i++;
		if (i < numbers->nr)
			continue;
		if (i == NUMBERS_MAX) {
			c->cut++;
			return;
		}
		numbers->at[numbers->nr++] = f.number;
	}
}

struct packet_field content_find(const struct packet *m, __u32 number)
{
	struct packet_field f, found = { .wire = 8, .data = (const unsigned char *)"" };
	size_t at = 0;

	while (packet_next(m, &at, &f) == 1)
		if (f.number == number)
			found = f;
	return found;
}

static __u64 fixed(const struct packet_field *v)
{
	__u64 value = 0;

	memcpy(&value, v->data, v->size < sizeof(value) ? v->size : sizeof(value));
	return value;
}

bool content_number(const struct schema_field *f, const struct packet_field *v, __s64 *out)
{
	if (v->wire == 1 || v->wire == 5) {
		*out = f->kind == SCHEMA_SFIXED32 ? (__s32)fixed(v) : (__s64)fixed(v);
		return f->kind == SCHEMA_FIXED64 || f->kind == SCHEMA_FIXED32 ||
		       f->kind == SCHEMA_SFIXED32 || f->kind == SCHEMA_SFIXED64;
	}
	*out = (__s64)v->value;
	if (f->kind == SCHEMA_SINT32 || f->kind == SCHEMA_SINT64)
		*out = (__s64)(v->value >> 1 ^ -(v->value & 1));
	if (f->kind == SCHEMA_INT32 || f->kind == SCHEMA_ENUM)
		*out = (__s32)v->value;
	return v->wire == 0 && f->kind != SCHEMA_STRING && f->kind != SCHEMA_BYTES &&
	       f->kind != SCHEMA_MESSAGE;
}

static bool real_of(const struct schema_field *f, const struct packet_field *v, double *out)
{
	const __u64 bits = v->wire == 1 || v->wire == 5 ? fixed(v) : 0;
	float value;

	if (f->kind == SCHEMA_DOUBLE && v->wire == 1) {
		memcpy(out, &bits, sizeof(*out));
		return true;
	}
	if (f->kind != SCHEMA_FLOAT || v->wire != 5)
		return false;
	memcpy(&value, &bits, sizeof(value));
	*out = value;
	return true;
}

__u64 content_u64(const struct packet *m, __u32 number)
{
	const struct packet_field f = content_find(m, number);

	return f.wire == 0 ? f.value : 0;
}

void content_text(const struct packet *m, __u32 number, char *to, size_t size)
{
	const struct packet_field f = content_find(m, number);

	snprintf(to, size, "%.*s", f.wire == 2 ? (int)(f.size < size ? f.size : size) : 0,
		 (const char *)f.data);
}

/* Returns the name of an enumeration's value, NULL if it has none. */
static const char *value_name(struct conversion *c, const struct schema_field *f, __s64 value)
{
	const struct schema_field *v = f->kind == SCHEMA_ENUM ?
				       schema_field(&c->schema, f->of, (__u32)value) : NULL;

	return v ? schema_name(&c->schema, v) : NULL;
}

/* JSON */

static void json_message(struct conversion *c, __u32 type, const struct packet *m, int depth);

static void json_bytes(struct conversion *c, const struct packet_field *v)
{
	struct ktrace_out *out = &c->payload;

	ktrace_out_char(out, '"');
	for (size_t i = 0; i < v->size && out->len < JSON_MAX; i++)
		ktrace_out_hex(out, v->data[i], 2);
	ktrace_out_char(out, '"');
}

static void json_number(struct conversion *c, const struct schema_field *f, __s64 value)
{
	const char *name = value_name(c, f, value);

	if (name)
		ktrace_out_json(&c->payload, name, strlen(name));
	else if (f->kind == SCHEMA_BOOL)
		ktrace_out_str(&c->payload, value ? "true" : "false");
	else if (f->kind == SCHEMA_UINT64 || f->kind == SCHEMA_FIXED64)
		ktrace_out_u64(&c->payload, (__u64)value);
	else
		ktrace_out_s64(&c->payload, value);
}

static void json_value(struct conversion *c, const struct schema_field *f,
		       const struct packet_field *v, int depth)
{
	const struct packet m = inner(v);
	char text[32];
	__s64 number;
	double real;

	if (real_of(f, v, &real)) {
		/* JSON has neither infinity nor NaN. */
		snprintf(text, sizeof(text), real - real == 0 ? "%.17g" : "\"%g\"", real);
		ktrace_out_str(&c->payload, text);
	} else if (content_number(f, v, &number)) {
		json_number(c, f, number);
	} else if (v->wire == 2 && f->kind == SCHEMA_MESSAGE && depth < DEPTH_MAX) {
		json_message(c, f->of, &m, depth + 1);
	} else if (v->wire == 2 && f->kind == SCHEMA_STRING) {
		ktrace_out_json(&c->payload, (const char *)v->data,
				event_text_size(c, v->data, v->size));
	} else if (v->wire == 0) {
		ktrace_out_u64(&c->payload, v->value);
	} else {
		json_bytes(c, v);
	}
}

/* Tells how often a field occurs; packed numbers count as one. */
static size_t count_of(const struct packet *m, __u32 number)
{
	struct packet_field f;
	size_t at = 0, nr = 0;

	while (packet_next(m, &at, &f) == 1)
		nr += f.number == number;
	return nr;
}

bool content_varint(const struct packet_field *f, size_t *at, __u64 *out)
{
	*out = 0;
	for (unsigned int shift = 0; *at < f->size && shift < 64; shift += 7) {
		*out |= (__u64)(f->data[*at] & 0x7f) << shift;
		if (f->data[(*at)++] < 0x80)
			return true;
	}
	return false;
}

/* Reads the next of the numbers that are packed in a field. Return: false at the end */
static bool next_packed(const struct schema_field *f, const struct packet_field *from, size_t *at,
			struct packet_field *v)
{
	const bool is_fixed32 = f->kind == SCHEMA_FIXED32 || f->kind == SCHEMA_SFIXED32 ||
				f->kind == SCHEMA_FLOAT;
	const bool is_fixed64 = f->kind == SCHEMA_FIXED64 || f->kind == SCHEMA_SFIXED64 ||
				f->kind == SCHEMA_DOUBLE;
	const size_t size = is_fixed32 ? 4 : 8;

	*v = (struct packet_field){ 0 };
	if (is_fixed32 || is_fixed64) {
		if (from->size - *at < size)
			return false;
		*v = (struct packet_field){ .wire = is_fixed32 ? 5 : 1, .data = from->data + *at,
					    .size = size };
		*at += size;
		return true;
	}
	return content_varint(from, at, &v->value);
}

static bool is_number(const struct schema_field *f)
{
	return f->kind != SCHEMA_STRING && f->kind != SCHEMA_BYTES && f->kind != SCHEMA_MESSAGE &&
	       f->kind != SCHEMA_GROUP;
}

static void json_list(struct conversion *c, const struct schema_field *f, const struct packet *m,
		      int depth)
{
	struct ktrace_out *out = &c->payload;
	struct packet_field v, one;
	size_t at = 0, inside;
	bool is_first = true;

	ktrace_out_char(out, '[');
	while (packet_next(m, &at, &v) == 1) {
		if (v.number != f->number)
			continue;
		inside = 0;
		one = v;
		if (v.wire == 2 && is_number(f) && !next_packed(f, &v, &inside, &one))
			continue;
		do {
			if (out->len > JSON_MAX) {
				c->cut++;
				at = m->size;
				break;
			}
			if (!is_first)
				ktrace_out_char(out, ',');
			is_first = false;
			json_value(c, f, &one, depth);
		} while (inside && next_packed(f, &v, &inside, &one));
	}
	ktrace_out_char(out, ']');
}

/* Returns the description of a field; for one without, describes it by what it has. */
static struct schema_field describe(struct conversion *c, __u32 type, __u32 number)
{
	const struct schema_field *f = schema_field(&c->schema, type, number);

	if (f)
		return *f;
	if (!c->unnamed++)
		snprintf(c->first_unnamed, sizeof(c->first_unnamed), "field %u of %s", number,
			 schema_type(&c->schema, type) ?
			 schema_type(&c->schema, type)->name : "a message");
	return (struct schema_field){ .number = number, .of = SCHEMA_NONE,
				      .kind = SCHEMA_GROUP, .type = type };
}

static void name_of(struct conversion *c, const struct schema_field *f, const char *prefix,
		    char to[PATH_SIZE])
{
	if (f->kind == SCHEMA_GROUP && !f->name)
		snprintf(to, PATH_SIZE, "%sfield_%u", prefix, f->number);
	else
		snprintf(to, PATH_SIZE, "%s%s", prefix, schema_name(&c->schema, f));
}

static void json_message(struct conversion *c, __u32 type, const struct packet *m, int depth)
{
	struct numbers numbers;
	char name[PATH_SIZE];

	find_numbers(c, m, &numbers);
	ktrace_out_char(&c->payload, '{');
	for (__u32 i = 0; i < numbers.nr; i++) {
		const struct schema_field f = describe(c, type, numbers.at[i]);
		const struct packet_field v = content_find(m, f.number);

		name_of(c, &f, "", name);
		if (i)
			ktrace_out_char(&c->payload, ',');
		ktrace_out_json(&c->payload, name, strlen(name));
		ktrace_out_char(&c->payload, ':');
		if (f.is_repeated || (f.kind == SCHEMA_GROUP && count_of(m, f.number) > 1))
			json_list(c, &f, m, depth);
		else
			json_value(c, &f, &v, depth);
	}
	ktrace_out_char(&c->payload, '}');
}

void content_json(struct conversion *c, __u32 type, const struct packet *m)
{
	json_message(c, type, m, 0);
}

/* Fields of the event */

static void put_message(struct conversion *c, const char *prefix, __u32 type,
			const struct packet *m, int depth);

static void put_enum(struct conversion *c, const struct schema_field *f, const char *name,
		     __s64 value)
{
	const struct schema_type *type = schema_type(&c->schema, f->of);
	const char *text = value_name(c, f, value);
	char number[16];

	if (type && type->nr && type->nr <= VALUES_MAX) {
		event_enum(c, name, type, value);
		return;
	}
	snprintf(number, sizeof(number), "%lld", (long long)value);
	event_text(c, name, text ? text : number);
}

static const char *scalar_of(const struct schema_field *f)
{
	switch (f->kind) {
	case SCHEMA_INT64:
	case SCHEMA_SFIXED64:
	case SCHEMA_SINT64:
		return "s64";
	case SCHEMA_INT32:
	case SCHEMA_SFIXED32:
	case SCHEMA_SINT32:
		return "s32";
	case SCHEMA_UINT32:
	case SCHEMA_FIXED32:
		return "u32";
	default:
		return f->kind == SCHEMA_BOOL ? "u8" : "u64";
	}
}

static void put_value(struct conversion *c, const char *prefix, const struct schema_field *f,
		      const struct packet_field *v, int depth)
{
	const struct packet m = inner(v);
	char name[PATH_SIZE];
	__s64 number;
	double real;

	name_of(c, f, prefix, name);
	if (real_of(f, v, &real))
		event_double(c, name, real);
	else if (content_number(f, v, &number) && f->kind == SCHEMA_ENUM)
		put_enum(c, f, name, number);
	else if (content_number(f, v, &number))
		event_number(c, scalar_of(f), name, (__u64)number);
	else if (v->wire == 2 && f->kind == SCHEMA_STRING)
		event_string(c, name, v->data, v->size);
	else if (v->wire == 2 && f->kind == SCHEMA_MESSAGE && depth < FLAT_MAX) {
		snprintf(name + strlen(name), PATH_SIZE - strlen(name), ".");
		put_message(c, name, f->of, &m, depth + 1);
	} else if (v->wire == 2) {
		event_bytes(c, name, v->data, v->size);
	} else {
		event_number(c, "u64", name, v->wire ? fixed(v) : v->value);
	}
}

/* Puts repeated numbers as an array. */
static void put_numbers(struct conversion *c, const char *name, const struct schema_field *f,
			const struct packet *m)
{
	const bool is_real = f->kind == SCHEMA_DOUBLE || f->kind == SCHEMA_FLOAT;
	const bool is_signed = f->kind == SCHEMA_INT64 || f->kind == SCHEMA_INT32 ||
			       f->kind == SCHEMA_SINT64 || f->kind == SCHEMA_SINT32;
	struct packet_field v, one;
	size_t at = 0, inside, begin;
	__u64 bits;
	double real;

	begin = event_array(c, is_real ? "f64" : is_signed ? "s64" : "u64", name);
	while (packet_next(m, &at, &v) == 1) {
		if (v.number != f->number)
			continue;
		inside = 0;
		one = v;
		if (v.wire == 2 && !next_packed(f, &v, &inside, &one))
			continue;
		do {
			if (is_real && real_of(f, &one, &real))
				memcpy(&bits, &real, sizeof(bits));
			else if (is_real || !content_number(f, &one, (__s64 *)&bits))
				bits = 0;
			if (c->payload.len < JSON_MAX)
				event_element(c, begin, bits);
		} while (inside && next_packed(f, &v, &inside, &one));
	}
}

static void put_field(struct conversion *c, const char *prefix, const struct schema_field *f,
		      const struct packet *m, int depth)
{
	const struct packet_field v = content_find(m, f->number);
	const bool is_list = f->is_repeated ||
			     (f->kind == SCHEMA_GROUP && count_of(m, f->number) > 1);
	char name[PATH_SIZE];

	name_of(c, f, prefix, name);
	if (is_list && is_number(f) && f->kind != SCHEMA_ENUM) {
		put_numbers(c, name, f, m);
	} else if (is_list) {
		event_json_begin(c, name);
		json_list(c, f, m, 0);
		event_json_end(c);
	} else {
		put_value(c, prefix, f, &v, depth);
	}
}

void content_put_field(struct conversion *c, const char *prefix, __u32 type,
		       const struct packet *m, __u32 number)
{
	const struct schema_field f = describe(c, type, number);

	put_field(c, prefix, &f, m, 0);
}

static void put_message(struct conversion *c, const char *prefix, __u32 type,
			const struct packet *m, int depth)
{
	struct numbers numbers;

	find_numbers(c, m, &numbers);
	for (__u32 i = 0; i < numbers.nr; i++) {
		const struct schema_field f = describe(c, type, numbers.at[i]);

		put_field(c, prefix, &f, m, depth);
	}
}

void content_put(struct conversion *c, const char *prefix, __u32 type, const struct packet *m)
{
	put_message(c, prefix, type, m, 0);
}

/* Returns the wire type of an empty value. */
static __u32 absent_wire(const struct schema_field *f)
{
	if (f->kind == SCHEMA_STRING || f->kind == SCHEMA_BYTES)
		return 2;
	return f->kind == SCHEMA_DOUBLE ? 1 : f->kind == SCHEMA_FLOAT ? 5 : 0;
}

void content_put_all(struct conversion *c, __u32 type, const struct packet *m)
{
	const struct schema_type *row = schema_type(&c->schema, type);
	const __u32 first = row ? row->first : 0, nr = row ? row->nr : 0;
	struct packet_field v;

	for (__u32 i = first; i < first + nr; i++) {
		const struct schema_field f = *schema_field_at(&c->schema, i);

		v = content_find(m, f.number);
		/* What is absent has the value 0. */
		if (v.wire == 8)
			v = (struct packet_field){
				.wire = absent_wire(&f),
				.data = (const unsigned char *)"",
			};
		if (f.is_repeated)
			put_field(c, "", &f, m, 0);
		else if (f.kind != SCHEMA_MESSAGE || v.wire == 2)
			put_value(c, "", &f, &v, 0);
	}
}
