// SPDX-License-Identifier: GPL-2.0
/* schema.c - reads descriptions of messages */
#include "schema.h"

#include "base/viewer.h"
#include "packets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__asm__(".section .rodata\n"
	"schema_begin: .incbin \"" PACKETS_SCHEMA "\"\n"
	"schema_end:\n"
	".previous\n");

extern const unsigned char schema_begin[], schema_end[];

/* Limit for the fields that a trace may describe */
#define FIELDS_MAX 65536u

/* Numbers of fields of descriptors */
enum { SET_FILE = 1, FILE_MESSAGE = 4, FILE_ENUM = 5, FILE_EXTENSION = 7,
       MESSAGE_NAME = 1, MESSAGE_FIELD = 2, MESSAGE_NESTED = 3, MESSAGE_ENUM = 4,
       MESSAGE_EXTENSION = 6, FIELD_NAME = 1, FIELD_EXTENDEE = 2, FIELD_NUMBER = 3,
       FIELD_LABEL = 4, FIELD_TYPE = 5, FIELD_TYPE_NAME = 6, ENUM_NAME = 1, ENUM_VALUE = 2,
       VALUE_NAME = 1, VALUE_NUMBER = 2 };
#define LABEL_REPEATED 3
/* Events that a trace describes have numbers from here on. */
#define EVENT_NUMBER_MIN 65536u
#define FNV_BASIS 14695981039346656037ull
#define FNV_PRIME 1099511628211ull
#define NESTED_MAX 16

/* Appends text to a name, without dots. */
static void append(char to[SCHEMA_NAME], const unsigned char *text, size_t size)
{
	size_t n = strlen(to);

	for (size_t i = 0; i < size && text[i] && n + 1 < SCHEMA_NAME; i++)
		if (text[i] != '.')
			to[n++] = (char)text[i];
}

/* Copies a full name without the package, whose parts begin with small letters. */
static void full_name(char to[SCHEMA_NAME], const struct packet_field *f)
{
	size_t at = 0, n;

	memset(to, 0, SCHEMA_NAME);
	while (at < f->size) {
		const unsigned char *dot;

		at += f->data[at] == '.';
		dot = memchr(f->data + at, '.', f->size - at);
		n = dot ? (size_t)(dot - f->data) - at : f->size - at;
		if (!n || f->data[at] < 'a' || f->data[at] > 'z')
			break;
		at += n;
	}
	append(to, f->data + at, f->size - at);
}

static __u32 number_of(const struct schema *s, const void *row)
{
	return (__u32)((size_t)((const char *)row - s->types.at) / s->types.size);
}

/* Returns the number of a type, which need not be described yet; SCHEMA_NONE: out of memory */
static __u32 get_type(struct schema *s, const char name[SCHEMA_NAME])
{
	const struct schema_type *type = hash_table_get(&s->types, name);

	return type ? number_of(s, type) : SCHEMA_NONE;
}

static __u32 put_text(struct schema *s, const unsigned char *text, size_t size)
{
	const __u32 at = (__u32)s->text.len;

	ktrace_out_bytes(&s->text, (const char *)text, strnlen((const char *)text, size));
	ktrace_out_char(&s->text, '\0');
	return at;
}

static struct packet inner(const struct packet_field *f)
{
	return (struct packet){ .data = f->data, .size = f->size };
}

/* Returns a field of a message, the first with this number; size 0: none */
static struct packet_field find(const struct packet *m, __u32 number)
{
	struct packet_field f;
	size_t at = 0;

	while (packet_next(m, &at, &f) == 1)
		if (f.number == number)
			return f;
	return (struct packet_field){ .data = (const unsigned char *)"" };
}

/* Makes the row of a field. Return: NULL: it is known already, or -ENOMEM in @ret */
static struct schema_field *make_field(struct schema *s, __u32 type, __u32 number, int *ret)
{
	const struct schema_field key = { .type = type, .number = number };
	const size_t nr = s->fields.nr;
	struct schema_field *field;

	if (nr > FIELDS_MAX)
		return NULL;
	field = hash_table_get(&s->fields, &key);
	if (!field)
		*ret = -ENOMEM;
	return s->fields.nr == nr ? NULL : field;
}

static int add_field(struct schema *s, __u32 type, const struct packet_field *told)
{
	const struct packet m = inner(told);
	const struct packet_field name = find(&m, FIELD_NAME), of = find(&m, FIELD_TYPE_NAME);
	char of_name[SCHEMA_NAME];
	struct schema_field *f;
	__u32 of_type = SCHEMA_NONE;
	int ret = 0;

	if (of.size) {
		full_name(of_name, &of);
		of_type = get_type(s, of_name);
		if (of_type == SCHEMA_NONE)
			return -ENOMEM;
	}
	f = make_field(s, type, (__u32)find(&m, FIELD_NUMBER).value, &ret);
	if (!f)
		return ret;
	f->kind = (__u32)find(&m, FIELD_TYPE).value;
	f->is_repeated = find(&m, FIELD_LABEL).value == LABEL_REPEATED;
	f->of = of_type;
	f->name = put_text(s, name.data, name.size);
	return s->text.error;
}

static int add_extension(struct schema *s, const struct packet_field *told)
{
	const struct packet m = inner(told);
	const struct packet_field extendee = find(&m, FIELD_EXTENDEE);
	char name[SCHEMA_NAME];
	__u32 type;

	full_name(name, &extendee);
	type = schema_find(s, name);
	return type == SCHEMA_NONE ? 0 : add_field(s, type, told);
}

static int add_value(struct schema *s, __u32 type, const struct packet_field *told)
{
	const struct packet m = inner(told);
	const struct packet_field name = find(&m, VALUE_NAME);
	struct schema_field *f;
	int ret = 0;

	f = make_field(s, type, (__u32)find(&m, VALUE_NUMBER).value, &ret);
	if (!f)
		return ret;
	f->of = SCHEMA_NONE;
	f->name = put_text(s, name.data, name.size);
	return s->text.error;
}

/*
 * Adds a message, or an enumeration whose values are its fields: those with @number in it. Ignores
 * one that is described already.
 */
static int add_rows(struct schema *s, const char name[SCHEMA_NAME], const struct packet *m,
		    __u32 number, int (*add)(struct schema *, __u32, const struct packet_field *))
{
	const __u32 type = get_type(s, name);
	const size_t first = s->fields.nr;
	struct schema_type *row;
	struct packet_field f;
	size_t at = 0;
	int ret = 0;

	if (type == SCHEMA_NONE)
		return -ENOMEM;
	if (schema_type(s, type)->nr)
		return 0;
	while (!ret && packet_next(m, &at, &f) == 1)
		if (f.number == number && f.wire == 2)
			ret = add(s, type, &f);
	row = hash_table_at(&s->types, type);
	row->first = (__u32)first;
	row->nr = (__u32)(s->fields.nr - first);
	return ret;
}

static int add_enum(struct schema *s, const char *outer, const struct packet_field *told)
{
	const struct packet m = inner(told);
	const struct packet_field f = find(&m, ENUM_NAME);
	char name[SCHEMA_NAME] = "";

	append(name, (const unsigned char *)outer, strlen(outer));
	append(name, f.data, f.size);
	return add_rows(s, name, &m, ENUM_VALUE, add_value);
}

static int add_message(struct schema *s, const char *outer, const struct packet_field *told,
		       int depth)
{
	const struct packet m = inner(told);
	const struct packet_field title = find(&m, MESSAGE_NAME);
	char name[SCHEMA_NAME] = "";
	struct packet_field f;
	size_t at = 0;
	int ret;

	append(name, (const unsigned char *)outer, strlen(outer));
	append(name, title.data, title.size);
	ret = add_rows(s, name, &m, MESSAGE_FIELD, add_field);
	while (!ret && depth < NESTED_MAX && packet_next(&m, &at, &f) == 1) {
		if (f.wire != 2)
			continue;
		if (f.number == MESSAGE_NESTED)
			ret = add_message(s, name, &f, depth + 1);
		else if (f.number == MESSAGE_ENUM)
			ret = add_enum(s, name, &f);
		else if (f.number == MESSAGE_EXTENSION)
			ret = add_extension(s, &f);
	}
	return ret;
}

static int add_file(struct schema *s, const struct packet_field *told)
{
	const struct packet m = inner(told);
	struct packet_field f;
	size_t at = 0;
	int ret = 0;

	while (!ret && packet_next(&m, &at, &f) == 1) {
		if (f.wire != 2)
			continue;
		if (f.number == FILE_MESSAGE)
			ret = add_message(s, "", &f, 0);
		else if (f.number == FILE_ENUM)
			ret = add_enum(s, "", &f);
		else if (f.number == FILE_EXTENSION)
			ret = add_extension(s, &f);
	}
	return ret;
}

int schema_add(struct schema *s, const unsigned char *data, size_t size)
{
	const struct packet set = { .data = data, .size = size };
	struct packet_field f;
	size_t at = 0;
	int ret = 0;

	while (!ret && packet_next(&set, &at, &f) == 1)
		if (f.number == SET_FILE && f.wire == 2)
			ret = add_file(s, &f);
	return ret;
}

/* Makes the type of an event. What differs gets a name of its own. */
static int add_event_type(struct schema *s, const struct packet *m,
			  const struct packet_field *title, __u32 *out)
{
	char name[SCHEMA_NAME] = "";
	__u64 sum = FNV_BASIS;
	int ret;

	for (size_t i = 0; i < m->size; i++)
		sum = (sum ^ m->data[i]) * FNV_PRIME;
	snprintf(name, sizeof(name), "event %016llx ", sum);
	append(name, title->data, title->size);
	ret = add_rows(s, name, m, MESSAGE_FIELD, add_field);
	*out = ret ? SCHEMA_NONE : get_type(s, name);
	return *out == SCHEMA_NONE ? -ENOMEM : 0;
}

int schema_add_event(struct schema *s, __u32 number, const char *group,
		     const unsigned char *data, size_t size)
{
	const struct packet m = { .data = data, .size = size };
	const struct packet_field title = find(&m, MESSAGE_NAME);
	const struct schema_field key = { .type = schema_find(s, "FtraceEvent"), .number = number };
	struct schema_field *f;
	__u32 type;
	int ret = add_event_type(s, &m, &title, &type);

	if (ret)
		return ret;
	f = hash_table_find(&s->fields, &key);
	/* Another session may use the number for another event. */
	if ((f && (f->of == type || number < EVENT_NUMBER_MIN)) || s->fields.nr > FIELDS_MAX)
		return 0;
	f = hash_table_get(&s->fields, &key);
	if (!f)
		return -ENOMEM;
	f->kind = SCHEMA_MESSAGE;
	f->of = type;
	f->name = put_text(s, title.data, title.size);
	f->group = *group ? put_text(s, (const unsigned char *)group, strlen(group)) : 0;
	return s->text.error;
}

int schema_init(struct schema *s)
{
	*s = (struct schema){
		.types = HASH_TABLE_INIT(struct schema_type, name),
		.fields = HASH_TABLE_INIT(struct schema_field, number),
		.text.flush = output_grow,
	};
	ktrace_out_char(&s->text, '\0');
	return schema_add(s, schema_begin, (size_t)(schema_end - schema_begin));
}

void schema_free(struct schema *s)
{
	hash_table_free(&s->types);
	hash_table_free(&s->fields);
	free(s->text.buf);
}

__u32 schema_find(const struct schema *s, const char *name)
{
	char key[SCHEMA_NAME] = "";
	const struct schema_type *type;

	append(key, (const unsigned char *)name, strlen(name));
	type = hash_table_find(&s->types, key);
	return type ? number_of(s, type) : SCHEMA_NONE;
}

const struct schema_type *schema_type(const struct schema *s, __u32 type)
{
	return type == SCHEMA_NONE ? NULL : hash_table_at(&s->types, type);
}

const struct schema_field *schema_field(const struct schema *s, __u32 type, __u32 number)
{
	const struct schema_field key = { .type = type, .number = number };

	return hash_table_find(&s->fields, &key);
}

const struct schema_field *schema_field_at(const struct schema *s, __u32 place)
{
	return hash_table_at(&s->fields, place);
}

const char *schema_name(const struct schema *s, const struct schema_field *f)
{
	return s->text.buf + f->name;
}

const char *schema_group(const struct schema *s, const struct schema_field *f)
{
	return s->text.buf + f->group;
}
