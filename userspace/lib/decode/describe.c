// SPDX-License-Identifier: LGPL-2.1
/*
 * describe.c - turns event descriptions into event types
 *
 * Recursive descent over the grammar in <linux/ktrace_events.h>. One allocation holds everything:
 * the type, its fields, their enumerators and a copy of the text, in which the parser ends each
 * name with a NUL. Counting separators gives upper bounds for fields and enumerators, so the space
 * is known before parsing.
 */
#include "base/ip_address.h"
#include "name_char.h"
#include "out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct scalar {
	const char *name;
	__u32 size;
} scalars[KTRACE_SCALAR_NR] = {
	[KTRACE_S8] = { "s8", 1 }, [KTRACE_U8] = { "u8", 1 },
	[KTRACE_S16] = { "s16", 2 }, [KTRACE_U16] = { "u16", 2 },
	[KTRACE_S32] = { "s32", 4 }, [KTRACE_U32] = { "u32", 4 },
	[KTRACE_S64] = { "s64", 8 }, [KTRACE_U64] = { "u64", 8 },
	[KTRACE_X8] = { "x8", 1 }, [KTRACE_X16] = { "x16", 2 },
	[KTRACE_X32] = { "x32", 4 }, [KTRACE_X64] = { "x64", 8 },
	[KTRACE_F32] = { "f32", 4 }, [KTRACE_F64] = { "f64", 8 },
	[KTRACE_PTR] = { "ptr", 8 }, [KTRACE_CHAR] = { "char", 1 },
};

/**
 * struct parser - state of the parser
 * @at:		next character of the copy; names before it may have got their NUL
 * @fields:	next free field
 * @enums:	next free enumerator
 * @labels:	room for the next label
 */
struct parser {
	char *at;
	struct ktrace_field *fields;
	struct ktrace_enumerator *enums;
	char *labels;
};

const char *ktrace_scalar_name(enum ktrace_scalar scalar)
{
	return scalars[scalar].name;
}

__u32 ktrace_scalar_size(enum ktrace_scalar scalar)
{
	return scalars[scalar].size;
}

/* Consumes @expected, if it is next. */
static bool take(struct parser *p, const char *expected)
{
	size_t n = strlen(expected);

	if (strncmp(p->at, expected, n))
		return false;
	p->at += n;
	return true;
}

/*
 * Consumes a name and the @end after it, which becomes its NUL. Returns NULL if they are not next.
 */
static const char *take_name(struct parser *p, char end)
{
	char *begin = p->at;

	while (is_name_char(*p->at))
		p->at++;
	if (p->at == begin || *p->at != end)
		return NULL;
	*p->at++ = '\0';
	return begin;
}

/* Consumes a decimal or hexadecimal number. */
static bool take_number(struct parser *p, __s64 *v)
{
	bool is_negative = *p->at == '-';
	char *digits = p->at + is_negative;
	int base = digits[0] == '0' && digits[1] == 'x' ? 16 : 10;
	char *end;

	if (*digits < '0' || *digits > '9')
		return false;
	errno = 0;
	*v = is_negative ? strtoll(p->at, &end, base) : (__s64)strtoull(p->at, &end, base);
	p->at = end;
	return errno == 0;
}

static bool take_scalar(struct parser *p, enum ktrace_scalar *scalar)
{
	size_t i, n;

	for (i = 0; i < KTRACE_SCALAR_NR; i++) {
		n = strlen(scalars[i].name);
		if (!strncmp(p->at, scalars[i].name, n) && !is_name_char(p->at[n])) {
			*scalar = (enum ktrace_scalar)i;
			p->at += n;
			return true;
		}
	}
	return false;
}

/* "<" scalar ">(" NAME "=" number { "," NAME "=" number } ")" */
static bool take_enum(struct parser *p, struct ktrace_field *f)
{
	struct ktrace_enumerator *e;

	if (!take_scalar(p, &f->scalar) || !take(p, ">("))
		return false;
	if (f->scalar == KTRACE_F32 || f->scalar == KTRACE_F64)
		return false;
	f->enums = p->enums;
	do {
		e = p->enums++;
		e->name = take_name(p, '=');
		if (!e->name || !take_number(p, &e->value))
			return false;
		f->enum_nr++;
	} while (take(p, ","));
	return take(p, ")");
}

static bool take_array(struct parser *p, struct ktrace_field *f)
{
	__s64 count;

	if (take(p, "[]")) {
		f->shape = KTRACE_COUNTED;
		return true;
	}
	if (!take(p, "["))
		return true;
	if (!take_number(p, &count) || count < 1 || count > 0xffffffffll)
		return false;
	f->shape = KTRACE_FIXED;
	f->count = (__u32)count;
	return take(p, "]");
}

static bool take_type(struct parser *p, struct ktrace_field *f)
{
	f->shape = KTRACE_ONE;
	if (take(p, "string ")) {
		f->scalar = KTRACE_CHAR;
		f->shape = KTRACE_STRING;
		return true;
	}
	if (take(p, "bytes ")) {
		f->scalar = KTRACE_U8;
		f->shape = KTRACE_COUNTED;
		f->is_bytes = true;
		return true;
	}
	if (take(p, "enum<"))
		return take_enum(p, f) && take(p, " ");
	return take_scalar(p, &f->scalar) && take_array(p, f) && take(p, " ");
}

/* Makes the label " name=" with its NUL: 3 bytes more than the name. */
static void make_label(struct parser *p, struct ktrace_field *f)
{
	size_t n = strlen(f->name);

	f->label = p->labels;
	f->label_size = n + 2;
	*p->labels++ = ' ';
	memcpy(p->labels, f->name, n);
	p->labels += n;
	*p->labels++ = '=';
	*p->labels++ = '\0';
}

/* True for the fields of the kernel's network events for which the language has no type. */
static bool is_address(const struct ktrace_event_type *type, const struct ktrace_field *f)
{
	return f->shape == KTRACE_FIXED && f->scalar == KTRACE_U8 && f->count == IP_ADDRESS_SIZE &&
	       (!strcmp(f->name, "ip_src") || !strcmp(f->name, "ip_dst")) &&
	       !strcmp(type->provider, "net");
}

static bool take_fields(struct parser *p, struct ktrace_event_type *type)
{
	while (!take(p, "}")) {
		struct ktrace_field *f = p->fields++;

		if (!take_type(p, f))
			return false;
		f->name = take_name(p, ';');
		if (!f->name)
			return false;
		f->size = ktrace_scalar_size(f->scalar);
		f->is_address = is_address(type, f);
		make_label(p, f);
		type->field_nr++;
	}
	return true;
}

/* Consumes [ "@" file ":" line ]; the file's name may contain colons */
static bool take_source(struct parser *p, struct ktrace_event_type *type)
{
	struct parser number;
	char *colon;
	__s64 line;

	if (!*p->at)
		return true;
	if (!take(p, "@"))
		return false;
	colon = strrchr(p->at, ':');
	if (!colon || colon == p->at)
		return false;
	number.at = colon + 1;
	if (!take_number(&number, &line) || *number.at || line < 0 || line > 0xffffffffll)
		return false;
	*colon = '\0';
	type->file = p->at;
	type->line = (__u32)line;
	return true;
}

/* @full: buffer for the full name, with room for the whole description */
static bool take_event(struct parser *p, struct ktrace_event_type *type, char *full)
{
	size_t n = strcspn(p->at, "{");

	memcpy(full, p->at, n);
	full[n] = '\0';
	type->full_name = full;
	type->provider = take_name(p, ':');
	if (!type->provider)
		return false;
	type->name = take_name(p, '{');
	return type->name && take_fields(p, type) && take_source(p, type);
}

static size_t count_char(const char *s, char c)
{
	size_t n = 0;

	while (*s)
		n += *s++ == c;
	return n;
}

int ktrace_event_type_parse(const char *desc, struct ktrace_event_type **out)
{
	size_t len = strnlen(desc, KTRACE_DESC_SIZE_MAX);
	size_t fields, enums, size;
	struct ktrace_event_type *type;
	struct parser p;

	if (len == KTRACE_DESC_SIZE_MAX)
		return -EINVAL;
	/* The last attempt, which fails, may begin one more of each. */
	fields = count_char(desc, ';') + 1;
	enums = count_char(desc, '=') + 1;
	size = sizeof(*type) + fields * sizeof(*p.fields) + enums * sizeof(*p.enums);
	/* A copy, the full name, the labels: none is longer than the text it is made from. */
	type = calloc(1, size + 3 * (len + 1) + LABEL_ROOM);
	if (!type)
		return -ENOMEM;
	p.fields = (struct ktrace_field *)(type + 1);
	p.enums = (struct ktrace_enumerator *)(p.fields + fields);
	p.at = (char *)(p.enums + enums);
	memcpy(p.at, desc, len + 1);
	type->fields = p.fields;
	p.labels = p.at + 2 * (len + 1);
	if (!take_event(&p, type, p.at + len + 1)) {
		free(type);
		return -EINVAL;
	}
	*out = type;
	return 0;
}

void ktrace_event_type_free(struct ktrace_event_type *type)
{
	free(type);
}

const char *ktrace_enumerator_find(const struct ktrace_field *field, __s64 value)
{
	const __u64 place = field->enum_nr ? (__u64)value - (__u64)field->enums[0].value : 0;
	__u32 i;

	/* Long lists count up from their first value, with few gaps if any. */
	if (place < field->enum_nr && field->enums[place].value == value)
		return field->enums[place].name;
	for (i = 0; i < field->enum_nr; i++)
		if (field->enums[i].value == value)
			return field->enums[i].name;
	return NULL;
}
