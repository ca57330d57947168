// SPDX-License-Identifier: GPL-2.0
/*
 * fields.c - fields of a record of ftrace as fields of an event of ktrace
 *
 * Fields have the names and types of the kernel's description. The position of a field is checked
 * before it is read; a field beyond the record's end is 0 or empty.
 */
#include "fields.h"

#include <string.h>

#include "import/import_writer.h"

/*
 * struct place - where the value of a field is
 * data: its bytes; NULL = beyond the record's end
 * size: number of them
 */
struct place {
	const unsigned char *data;
	size_t size;
};

/* Addresses that ftrace's own events have as unsigned long */
static bool is_address(const struct tep_format_field *field)
{
	return !strcmp(field->event->system, "ftrace") &&
	       (!strcmp(field->name, "ip") || !strcmp(field->name, "parent_ip") ||
		!strcmp(field->name, "func"));
}

static const char *scalar_of(const struct tep_format_field *field, unsigned int size)
{
	static const char *const names[3][4] = {
		{ "u8", "u16", "u32", "u64" }, { "s8", "s16", "s32", "s64" },
		{ "x8", "x16", "x32", "x64" },
	};
	const int row = field->flags & TEP_FIELD_IS_POINTER || is_address(field) ? 2 :
			field->flags & TEP_FIELD_IS_SIGNED ? 1 : 0;

	for (int i = 0; i < 4; i++)
		if (size == 1u << i)
			return names[row][i];
	return NULL;
}

/* Finds a field's value; only as far as the record goes. */
static struct place find(const struct pages *p, const struct tep_format_field *field)
{
	const size_t end = p->size;
	size_t at = (size_t)field->offset, size = (size_t)field->size;
	__u32 where;

	if (field->offset < 0 || field->size < 0 || at > end)
		return (struct place){ NULL, 0 };
	if (field->flags & TEP_FIELD_IS_DYNAMIC) {
		if (end - at < sizeof(where))
			return (struct place){ NULL, 0 };
		where = (__u32)bytes_number_at(p->data + at, sizeof(where), p->f->all.is_big);
		at = (where & 0xffff) +
		     (field->flags & TEP_FIELD_IS_RELATIVE ? at + sizeof(where) : 0);
		size = where >> 16;
	} else if (!size) {
		size = end - at;		/* "char buf[]": the rest of the record */
	}
	if (at > end || size > end - at)
		return (struct place){ NULL, 0 };
	return (struct place){ p->data + at, size };
}

__u64 fields_find_number(const struct pages *p, const struct tep_format_field *field)
{
	const struct place at = field ? find(p, field) : (struct place){ NULL, 0 };

	return at.data ? bytes_number_at(at.data, (unsigned int)at.size, p->f->all.is_big) : 0;
}

void fields_name(struct record *r, const char *name)
{
	ktrace_out_char(&r->desc, ' ');
	import_writer_name(&r->desc, name);
	ktrace_out_char(&r->desc, ';');
}

void fields_string(struct record *r, const char *name, const char *text, size_t size)
{
	ktrace_out_str(&r->desc, "string");
	fields_name(r, name);
	if (text)
		ktrace_out_bytes(&r->data, text, strnlen(text, size));
	ktrace_out_char(&r->data, 0);
}

/* Appends numbers of 4 bytes as numbers of 8. */
static void put_wide(struct record *r, struct place at)
{
	for (size_t i = 0; i + 4 <= at.size; i += 4) {
		const __u64 wide = bytes_number_at(at.data + i, 4, r->f->all.is_big);

		ktrace_out_bytes(&r->data, (const char *)&wide, sizeof(wide));
	}
}

/* Appends numbers of the file's byte order in that of this machine. */
static void put_numbers(struct record *r, struct place at, unsigned int each)
{
	const __u16 probe = 1;
	const bool is_host_big = !*(const unsigned char *)&probe;

	if (each == 1 || r->f->all.is_big == is_host_big) {
		ktrace_out_bytes(&r->data, (const char *)at.data, at.size);
		return;
	}
	for (size_t i = 0; i + each <= at.size; i += each)
		for (unsigned int k = each; k; k--)
			ktrace_out_char(&r->data, (char)at.data[i + k - 1]);
}

/* Writes an array; elements of any other size become bytes. */
static void put_array(struct record *r, const struct tep_event *event,
		      const struct tep_format_field *field, struct place at)
{
	unsigned int each = field->elementsize ? field->elementsize : 1;
	const char *scalar = scalar_of(field, each);
	/* Arguments of system calls have 64 bits, also those of machines with 32. */
	const bool is_wide = each == 4 && !strcmp(event->system, "raw_syscalls");
	const bool is_fixed = !(field->flags & TEP_FIELD_IS_DYNAMIC) && field->size > 0;
	__u32 count;

	if (!scalar || at.size % each)
		each = 1;
	count = (__u32)(at.size / each);
	if (is_wide)
		scalar = "x64";
	ktrace_out_str(&r->desc, each == 1 && (!scalar || !strchr(scalar, '8')) ? "x8" : scalar);
	ktrace_out_char(&r->desc, '[');
	if (is_fixed && count)
		ktrace_out_u64(&r->desc, count);
	else
		ktrace_out_bytes(&r->data, (const char *)&count, sizeof(count));
	ktrace_out_char(&r->desc, ']');
	fields_name(r, field->name);
	if (is_wide)
		put_wide(r, at);
	else if (count)
		put_numbers(r, at, each);
}

/* libtraceevent takes each array of bytes for text; of u8 and unsigned char it is none. */
static bool is_text(const struct tep_format_field *field)
{
	return field->flags & TEP_FIELD_IS_STRING && strstr(field->type, "char") &&
	       !strstr(field->type, "unsigned") && !strstr(field->type, "uchar");
}

static void put_scalar(struct record *r, const struct tep_event *event,
		       const struct tep_format_field *field, const char *scalar, struct place at)
{
	static const unsigned char zeros[8];
	const char *named = enums_find(&r->enums, event, field, scalar);

	if (!at.data)
		at = (struct place){ zeros, (size_t)field->size };
	ktrace_out_str(&r->desc, named ? named : scalar);
	fields_name(r, field->name);
	put_numbers(r, at, (unsigned int)field->size);
}

static void put_field(struct record *r, const struct pages *p, const struct tep_event *event,
		      const struct tep_format_field *field)
{
	const struct place at = find(p, field);
	const char *scalar = scalar_of(field, (unsigned int)field->size);

	if (is_text(field)) {
		fields_string(r, field->name, (const char *)at.data, at.size);
	} else if (field->flags & TEP_FIELD_IS_ARRAY || !scalar) {
		put_array(r, event, field, at);
	} else {
		put_scalar(r, event, field, scalar, at);
	}
}

void fields_number(struct record *r, const char *name, __u64 number)
{
	ktrace_out_str(&r->desc, "u64");
	fields_name(r, name);
	ktrace_out_bytes(&r->data, (const char *)&number, sizeof(number));
}

void fields_rest(struct record *r, const struct pages *p, const struct tep_format_field *field,
		 unsigned int each)
{
	const size_t from = field->offset >= 0 && (size_t)field->offset < p->size ?
			    (size_t)field->offset : p->size;
	const __u32 count = (__u32)((p->size - from) / each);
	const struct place at = { p->data + from, (size_t)count * each };

	ktrace_out_str(&r->desc, each == 1 ? "x8[]" : each == 4 ? "x32[]" : "x64[]");
	fields_name(r, field->name);
	ktrace_out_bytes(&r->data, (const char *)&count, sizeof(count));
	put_numbers(r, at, each);
}

void fields_all(struct record *r, const struct pages *p, const struct tep_event *event,
		const struct tep_format_field *except)
{
	for (const struct tep_format_field *f = event->format.fields; f; f = f->next)
		if (f != except)
			put_field(r, p, event, f);
}
