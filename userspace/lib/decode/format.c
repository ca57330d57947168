// SPDX-License-Identifier: LGPL-2.1
/*
 * format.c - turns the kernel's own description of an event into an event type
 *
 * The text is a "format" file of tracefs. The kernel decides where the fields are in a record: the
 * type is "placed", value.c. The text may be hostile.
 *
 * A line of a field is "\tfield:DECLARATION;\toffset:N;\tsize:N;\tsigned:N;". The declaration is
 * from the kernel's source after preprocessing; its last word is the name of the field, with the
 * brackets of an array after it, or before it:
 *
 *   char comm[16]               an array in the record
 *   __data_loc char[] name      a dynamic array: the record has its position and bytes
 *   __rel_loc u32 list[]        the same, counted from the end of that entry
 *   __data_loc cpumask_t mask   the same, without brackets
 *   __data_loc char[][2] names  two texts, of a probe: fields names.0 and names.1
 *
 * Not the type of a field but the text for printing tells how the field is printed: a field that
 * is "name=0x%...", "name: 0x%..." or "name=%p..." there is shown in hexadecimal, and so are
 * addresses, masks, structures, and values of unknown types. Nothing else in that text is read.
 */
#include "base/grow.h"
#include "format_type.h"
#include "name_char.h"
#include "out.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define NAME_MAX_SIZE 256u
#define PAYLOAD_MAX 65536u
#define TEXTS_MAX 64u	/* elements of a probe's array */
#define INDEX_ROOM 4u	/* ".63" and a NUL */

static const char print_mark[] = "\nprint fmt:";

/**
 * struct declared - one field
 * @name:	its name, in the text
 * @len:	bytes of it
 * @index:	number among several with this name, -1 = the only one
 * @field:	all but its name and label
 */
struct declared {
	const char *name;
	size_t len;
	int index;
	struct ktrace_field field;
};

/**
 * struct reader - reads a description
 * @text:	all of it
 * @at:		the next character
 * @print:	its text for printing, NULL = none
 * @list:	fields found
 * @nr:		how many
 * @cap:	room in @list
 * @ret:	result of reading it
 * @error:	for the caller
 */
struct reader {
	const char *text;
	const char *at;
	const char *print;
	struct declared *list;
	size_t nr;
	size_t cap;
	int ret;
	struct ktrace_format_error *error;
};

/**
 * struct declaration - the parts of "char comm[16]"
 * @from:	its beginning
 * @place:	KTRACE_AT, or how a dynamic array is found
 * @type:	the type without brackets
 * @name:	the field's name
 * @len:	bytes of it
 * @is_array:	it has brackets
 * @count:	elements, 0 = none or not given as a number
 * @texts:	texts of a probe
 */
struct declaration {
	const char *from;
	enum ktrace_field_place place;
	struct c_type type;
	const char *name;
	size_t len;
	bool is_array;
	__u32 count;
	__u32 texts;
};

/* Reports an error and returns false. @at: where the text is wrong */
__attribute__((format(printf, 3, 4)))
static bool refuse(struct reader *r, const char *at, const char *format, ...)
{
	struct ktrace_format_error *e = r->error;
	const char *line = at, *c;
	va_list ap;

	r->ret = -EINVAL;
	while (line > r->text && line[-1] != '\n')
		line--;
	e->column = (__u32)(at - line) + 1;
	e->line = 1;
	for (c = r->text; c < line; c++)
		e->line += *c == '\n';
	va_start(ap, format);
	vsnprintf(e->message, sizeof(e->message), format, ap);
	va_end(ap);
	return false;
}

static size_t name_len(const char *s)
{
	size_t n = 0;

	while (is_name_char(s[n]))
		n++;
	return n;
}

static bool is_full_name(const char *s)
{
	size_t n = name_len(s), m;

	if (!n || s[n] != ':')
		return false;
	m = name_len(s + n + 1);
	return m && !s[n + 1 + m] && n + m < NAME_MAX_SIZE;
}

/* ---- declarations ---- */

/* Returns @end without the blanks before it. */
static const char *trim(const char *from, const char *end)
{
	while (end > from && end[-1] == ' ')
		end--;
	return end;
}

/* Returns the number in "[16]"; 0 if it is not a number, such as "[]" and "[TASK_COMM_LEN]". */
static __u32 number_in(const char *open, const char *close)
{
	__u32 n = 0;

	for (open++; open < close; open++) {
		if (*open < '0' || *open > '9' || n > PAYLOAD_MAX)
			return 0;
		n = n * 10 + (__u32)(*open - '0');
	}
	return n;
}

/*
 * Consumes all pairs of brackets before @end. Sets @d->count to the product of their numbers, 0 if
 * one has none.
 */
static const char *take_brackets(struct declaration *d, const char *from, const char *end)
{
	__u64 count = 1;
	__u32 number;
	const char *open;

	while (end > from && end[-1] == ']') {
		for (open = end - 1; open > from && *open != '['; open--)
			;
		if (*open != '[')
			return end;
		number = number_in(open, end - 1);
		if (number && d->place != KTRACE_AT)
			d->texts = number;
		count *= number;
		count = count > PAYLOAD_MAX ? 0 : count;
		d->is_array = true;
		d->count = (__u32)count;
		end = trim(from, open);
	}
	return end;
}

static bool take_name(struct reader *r, struct declaration *d, const char *from, const char *end)
{
	const char *name = end;

	while (name > from && is_name_char(name[-1]))
		name--;
	d->name = name;
	d->len = (size_t)(end - name);
	if (!d->len)
		return refuse(r, d->from, "the field has no name");
	if (d->len > NAME_MAX_SIZE)
		return refuse(r, name, "the name of the field is too long");
	return true;
}

/* Consumes the declaration from r->at to @end. */
static bool take_declaration(struct reader *r, const char *end, struct declaration *d)
{
	const char *from = r->at;

	*d = (struct declaration){ .from = from, .place = KTRACE_AT, .texts = 1 };
	if (!strncmp(from, "__data_loc ", 11))
		d->place = KTRACE_DATA_LOC;
	else if (!strncmp(from, "__rel_loc ", 10))
		d->place = KTRACE_REL_LOC;
	if (d->place != KTRACE_AT)
		from = strchr(from, ' ') + 1;
	end = take_brackets(d, from, trim(from, end));
	if (!take_name(r, d, from, end))
		return false;
	end = take_brackets(d, from, trim(from, d->name));
	if (end == from)
		return refuse(r, d->name, "the field has no type");
	d->type = ktrace_c_type(from, (size_t)(end - from));
	return true;
}

/* ---- fields ---- */

static bool is_size(__u32 size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static enum ktrace_scalar integer(__u32 size, bool is_signed, bool hex)
{
	static const enum ktrace_scalar all[3][9] = {
		{ [1] = KTRACE_U8, [2] = KTRACE_U16, [4] = KTRACE_U32, [8] = KTRACE_U64 },
		{ [1] = KTRACE_S8, [2] = KTRACE_S16, [4] = KTRACE_S32, [8] = KTRACE_S64 },
		{ [1] = KTRACE_X8, [2] = KTRACE_X16, [4] = KTRACE_X32, [8] = KTRACE_X64 },
	};

	return all[hex ? 2 : is_signed][size];
}

/*
 * Returns the bytes of one element, derived from the field's size; if a macro gives the number of
 * elements, from the type.
 */
static __u32 element_size(const struct declaration *d, __u32 size)
{
	if (d->place != KTRACE_AT)
		return d->type.size;
	if (!d->is_array)
		return size;
	if (d->count && size % d->count == 0)
		return size / d->count;
	return d->type.size && size % d->type.size == 0 ? d->type.size : 0;
}

/* Sets the type of the elements: bytes, unless they have a usable size of their own. */
static void set_scalar(struct reader *r, const struct declaration *d, __u32 size, bool is_signed,
		       struct ktrace_field *f)
{
	const __u32 element = element_size(d, size);
	char name[NAME_MAX_SIZE + 1];
	bool hex;

	memcpy(name, d->name, d->len);
	name[d->len] = '\0';
	hex = d->type.is_pointer || !strncmp(name, "__probe_", 8) ||
	      ktrace_format_is_hex(r->print, name);
	if (d->place != KTRACE_AT)
		hex |= d->type.is_mask || ktrace_format_is_mask(r->print, name);
	if (d->type.is_struct || !is_size(element)) {
		f->size = 1;
		f->scalar = KTRACE_X8;
	} else if (d->type.is_char && (d->is_array || d->place != KTRACE_AT)) {
		f->size = 1;
		f->scalar = KTRACE_CHAR;
	} else {
		f->size = element;
		f->scalar = integer(element, is_signed, hex);
	}
}

static bool add_declared(struct reader *r, const struct declaration *d,
			 const struct ktrace_field *f, int index)
{
	if (!LIST_GROW(r->list, r->nr, r->cap)) {
		r->ret = -ENOMEM;
		return false;
	}
	r->list[r->nr++] = (struct declared){ d->name, d->len, index, *f };
	return true;
}

/* Adds a dynamic array, or the texts of a probe, each with its position */
static bool add_far(struct reader *r, const struct declaration *d, struct ktrace_field *f,
		    __u32 size)
{
	const __u32 nr = size / 4;
	__u32 i;

	if (size % 4 || nr > TEXTS_MAX || (nr > 1 && nr != d->texts))
		return refuse(r, d->from, "the location of %.*s has an invalid size, %u bytes",
			      (int)d->len, d->name, size);
	f->place = d->place;
	f->shape = f->scalar == KTRACE_CHAR ? KTRACE_STRING : KTRACE_COUNTED;
	for (i = 0; i < nr; i++, f->offset += 4)
		if (!add_declared(r, d, f, nr > 1 ? (int)i : -1))
			return false;
	return true;
}

/* struct numbers - what a field's line says besides its declaration */
struct numbers {
	__u32 offset;
	__u32 size;
	__u32 is_signed;
};

static bool add_field(struct reader *r, const struct declaration *d, const struct numbers *n)
{
	struct ktrace_field f = { .offset = n->offset, .place = KTRACE_AT };

	if (!n->size)	/* ends the record in some events that are never delivered */
		return true;
	set_scalar(r, d, n->size, n->is_signed, &f);
	if (d->place != KTRACE_AT)
		return add_far(r, d, &f, n->size);
	f.count = n->size / f.size;
	f.shape = d->is_array || d->type.is_struct || f.count != 1 ? KTRACE_FIXED : KTRACE_ONE;
	return add_declared(r, d, &f, -1);
}

/* ---- lines ---- */

/* Consumes @expected, or reports an error. */
static bool take(struct reader *r, const char *expected)
{
	size_t n = strlen(expected);
	const char *shown = n > 1 ? expected + strspn(expected, ";\t\n") : expected;

	if (strncmp(r->at, expected, n))
		return refuse(r, r->at, "expected '%.*s' here", (int)strcspn(shown, "\n"), shown);
	r->at += n;
	return true;
}

/* Consumes @head and the number after it. */
static bool take_number(struct reader *r, const char *head, __u32 max, __u32 *number)
{
	unsigned long n;
	char *end;

	if (!take(r, head))
		return false;
	if (*r->at < '0' || *r->at > '9')
		return refuse(r, r->at, "expected a number here");
	n = strtoul(r->at, &end, 10);
	if (n > max)
		return refuse(r, r->at, "the number is larger than %u", max);
	r->at = end;
	*number = (__u32)n;
	return true;
}

static void skip_line(struct reader *r)
{
	r->at += strcspn(r->at, "\n");
	r->at += *r->at == '\n';
}

/*
 * Reads the line of a field; @is_first: of the common ones. Later kernels may append to the line.
 */
static bool take_field(struct reader *r, bool is_first)
{
	struct declaration d;
	struct numbers n;
	const char *end;

	if (!take(r, "\tfield:"))
		return false;
	end = strstr(r->at, ";\toffset:");
	if (!end || end > r->at + strcspn(r->at, "\n"))
		return refuse(r, r->at + strcspn(r->at, "\n"), "expected ';' and 'offset:' here");
	if (!take_declaration(r, end, &d))
		return false;
	r->at = end;
	if (!take_number(r, ";\toffset:", PAYLOAD_MAX, &n.offset) ||
	    !take_number(r, ";\tsize:", PAYLOAD_MAX, &n.size) ||
	    !take_number(r, ";\tsigned:", 1, &n.is_signed) || !take(r, ";"))
		return false;
	skip_line(r);
	return (is_first && !strncmp(d.name, "common_", 7)) || add_field(r, &d, &n);
}

/* Reads all fields. Common fields come first; an empty line ends them. */
static bool take_fields(struct reader *r)
{
	bool is_first = true;

	while (*r->at && strncmp(r->at, print_mark + 1, sizeof(print_mark) - 2)) {
		if (*r->at == '\n') {
			is_first = false;
			r->at++;
		} else if (!take_field(r, is_first)) {
			return false;
		}
	}
	return true;
}

static bool take_format(struct reader *r)
{
	__u32 id;

	if (!take(r, "name: "))
		return false;
	r->at += name_len(r->at);
	return take_number(r, "\nID: ", ~0u, &id) && take(r, "\nformat:\n") && take_fields(r);
}

/* ---- the type ---- */

/**
 * struct maker - builds a type
 * @type:	the type, followed by its fields
 * @fields:	next free field
 * @text:	room for the next name
 */
struct maker {
	struct ktrace_event_type *type;
	struct ktrace_field *fields;
	char *text;
};

static char *add_text(struct maker *m, const char *s, size_t n)
{
	char *to = m->text;

	memcpy(to, s, n);
	to[n] = '\0';
	m->text += n + 1;
	return to;
}

static void make_field(struct maker *m, const struct declared *from)
{
	struct ktrace_field *f = m->fields++;
	char name[NAME_MAX_SIZE + INDEX_ROOM + 1];
	size_t n;

	if (from->index < 0)
		snprintf(name, sizeof(name), "%.*s", (int)from->len, from->name);
	else
		snprintf(name, sizeof(name), "%.*s.%d", (int)from->len, from->name, from->index);
	n = strlen(name);
	*f = from->field;
	f->label = m->text;
	f->label_size = n + 2;
	*m->text++ = ' ';
	add_text(m, name, n);
	m->text[-1] = '=';
	*m->text++ = '\0';
	f->name = add_text(m, name, n);
	m->type->field_nr++;
}

/* Returns the bytes that the texts of a type take. */
static size_t text_size(const char *name, const struct reader *r)
{
	size_t size = 2 * (strlen(name) + 2) + strlen(r->text) + 1 + LABEL_ROOM, i;

	for (i = 0; i < r->nr; i++)
		size += 2 * (r->list[i].len + INDEX_ROOM + 3);
	return size;
}

static int make_type(const char *name, const struct reader *r, struct ktrace_event_type **out)
{
	const char *colon = strchr(name, ':');
	struct maker m;
	size_t i;

	m.type = calloc(1, sizeof(*m.type) + r->nr * sizeof(*m.fields) + text_size(name, r));
	if (!m.type)
		return -ENOMEM;
	m.fields = (struct ktrace_field *)(m.type + 1);
	m.text = (char *)(m.fields + r->nr);
	m.type->fields = m.fields;
	m.type->is_placed = true;
	m.type->kind = KTRACE_CHANNEL_KERNEL;
	m.type->full_name = add_text(&m, name, strlen(name));
	m.type->provider = add_text(&m, name, (size_t)(colon - name));
	m.type->name = m.type->full_name + (colon + 1 - name);
	for (i = 0; i < r->nr; i++)
		make_field(&m, &r->list[i]);
	/* After the labels: code that prints them may read a few bytes more. */
	m.type->format = add_text(&m, r->text, strlen(r->text));
	*out = m.type;
	return 0;
}

int ktrace_event_type_read_format(const char *name, const char *format,
				  struct ktrace_event_type **out,
				  struct ktrace_format_error *error)
{
	struct reader r = { .text = format, .at = format, .error = error };

	*error = (struct ktrace_format_error){ 0 };
	if (!is_full_name(name) || strnlen(format, KTRACE_DESC_SIZE_MAX) == KTRACE_DESC_SIZE_MAX) {
		r.text = "";
		refuse(&r, r.text, is_full_name(name) ? "the description is too long" :
		       "the name of the event is invalid");
		return -EINVAL;
	}
	r.print = strstr(format, print_mark);
	if (take_format(&r))
		r.ret = make_type(name, &r, out);
	free(r.list);
	return r.ret;
}

int ktrace_event_type_parse_format(const char *name, const char *format,
				   struct ktrace_event_type **out)
{
	struct ktrace_format_error error;

	return ktrace_event_type_read_format(name, format, out, &error);
}
