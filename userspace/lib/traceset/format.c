// SPDX-License-Identifier: LGPL-2.1
/*
 * format.c - the kernel's own description of an event becomes an event type
 *
 * libtraceevent takes the fields out of the text, which is a "format" file of tracefs. Where
 * they lie is up to the kernel: the type is "placed", value.c. The text may be hostile, and
 * libtraceevent is not made for that: it gets no line that a kernel would not write, and not
 * what is for printing. What it finds is checked.
 *
 * How a field is printed is not told by its type, but by the text for printing: one that is
 * "name=0x%...", "name: 0x%..." or "name=%p..." there is shown in hexadecimal, and so are
 * addresses.
 */
#include "name_char.h"
#include "out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

#define NAME_MAX_SIZE 256u
/* The part with the fields: the longest of Linux 6.12 has 5,000 bytes. */
#define FIELDS_SIZE_MAX 32768u
#define PAYLOAD_MAX 65536

static const char print_mark[] = "\nprint fmt:";
static const char no_print[] = "\nprint fmt: \"\"\n";

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

static bool is_word_char(char c)
{
	return is_name_char(c) && c != '.' && c != '-' && c != '+' && c != '|';
}

static const char *take_word(const char *s)
{
	while (s && is_word_char(*s))
		s++;
	return s;
}

static const char *take_digits(const char *s)
{
	size_t n = s ? strspn(s, "0123456789") : 0;

	return n && n < 6 ? s + n : NULL;
}

/* What must be next; @s is NULL where something was not. */
static const char *take(const char *s, const char *expected)
{
	size_t n = strlen(expected);

	return s && !strncmp(s, expected, n) ? s + n : NULL;
}

/* "[16]" at the end, "[]" only where the array is elsewhere, and then before the name */
static const char *take_brackets(const char *s, bool is_dynamic)
{
	s = is_dynamic ? take(s, "[] ") : take(take_word(s + 1), "]");
	return s && (is_dynamic || *s == ';') ? s : NULL;
}

/* "char comm[16]", "__data_loc char[] name", "struct sk_buff * skb" */
static const char *take_declaration(const char *s)
{
	bool is_dynamic = take(s, "__data_loc ") || take(s, "__rel_loc ");
	bool is_name = false;	/* the latest was a word */
	unsigned int words = 0;

	while (s && *s && *s != ';') {
		const char *end = take_word(s);

		if (end > s) {
			words++;
			is_name = true;
		} else if (*s == '[') {
			end = is_name ? take_brackets(s, is_dynamic) : NULL;
		} else if (*s == '*') {
			end++;
			is_name = false;
		} else {
			end = take(s, " ");
		}
		s = end;
	}
	return s && words > 1u + is_dynamic && is_name ? s : NULL;
}

static const char *take_field(const char *s)
{
	s = take_declaration(take(s, "\tfield:"));
	s = take_digits(take(s, ";\toffset:"));
	s = take_digits(take(s, ";\tsize:"));
	s = take(s, ";\tsigned:");
	return s && (*s == '0' || *s == '1') ? take(s + 1, ";\n") : NULL;
}

/* Is the text what a kernel writes, as far as its fields go? */
static bool is_format(const char *s)
{
	s = take(take_word(take(s, "name: ")), "\nID: ");
	s = take(take_digits(s), "\nformat:\n");
	while (s && *s)
		s = *s == '\n' ? s + 1 : take_field(s);
	return s;
}

/* Is field @name printed in hexadecimal? @print: the text for printing. */
static bool is_hex(const char *print, const char *name)
{
	size_t n = strlen(name);
	const char *at = print;

	while (at && (at = strstr(at, name))) {
		bool begins = at == print || !is_name_char(at[-1]);

		at += n;
		if (begins && (!strncmp(at, "=0x%", 4) || !strncmp(at, ": 0x%", 5) ||
			       !strncmp(at, "=%p", 3)))
			return true;
	}
	return false;
}

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

static bool is_text(const struct tep_format_field *from)
{
	return from->flags & TEP_FIELD_IS_ARRAY && strstr(from->type, "char") &&
	       !strstr(from->type, "unsigned");
}

/* What the elements are. @size: bytes of one, if it can be */
static void set_scalar(struct ktrace_field *f, const struct tep_format_field *from, __u32 size,
		       const char *print)
{
	bool hex = from->flags & TEP_FIELD_IS_POINTER || !strncmp(from->name, "__probe_", 8) ||
		   is_hex(print, from->name);

	f->size = is_size(size) ? size : 1;
	if (is_text(from)) {
		f->size = 1;
		f->scalar = KTRACE_CHAR;
	} else {
		f->scalar = integer(f->size, from->flags & TEP_FIELD_IS_SIGNED, hex);
	}
}

/* False: that cannot be. */
static bool set_field(struct ktrace_field *f, const struct tep_format_field *from,
		      const char *print)
{
	bool is_dynamic = from->flags & TEP_FIELD_IS_DYNAMIC;
	bool is_array = from->flags & TEP_FIELD_IS_ARRAY;

	if (from->offset < 0 || from->size < 1 || from->offset > PAYLOAD_MAX ||
	    from->size > PAYLOAD_MAX || (is_dynamic && from->size != 4))
		return false;
	f->offset = (__u32)from->offset;
	set_scalar(f, from, is_array ? from->elementsize : (__u32)from->size, print);
	if (is_dynamic) {
		f->place = from->flags & TEP_FIELD_IS_RELATIVE ? KTRACE_REL_LOC : KTRACE_DATA_LOC;
		f->shape = f->scalar == KTRACE_CHAR ? KTRACE_STRING : KTRACE_COUNTED;
		return true;
	}
	f->place = KTRACE_AT;
	f->count = (__u32)from->size / f->size;
	f->shape = is_array || f->count != 1 ? KTRACE_FIXED : KTRACE_ONE;
	return f->count;
}

/**
 * struct maker - puts a type together
 * @type:	the type, with its fields behind it
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

static bool add_field(struct maker *m, const struct tep_format_field *from, const char *print)
{
	struct ktrace_field *f = m->fields;
	size_t n = strlen(from->name);

	if (!from->size)	/* what the record ends with, in some that nobody gets */
		return true;
	if (!n || n > NAME_MAX_SIZE || name_len(from->name) != n || !set_field(f, from, print))
		return false;
	f->label = m->text;
	f->label_size = n + 2;
	*m->text++ = ' ';
	add_text(m, from->name, n);
	m->text[-1] = '=';
	*m->text++ = '\0';
	f->name = add_text(m, from->name, n);
	m->fields++;
	m->type->field_nr++;
	return true;
}

/* Bytes that the texts of a type take. */
static size_t text_size(const char *name, const char *format, const struct tep_event *event)
{
	const struct tep_format_field *f;
	size_t size = 2 * (strlen(name) + 2) + strlen(format) + 1 + LABEL_ROOM;

	for (f = event->format.fields; f; f = f->next)
		size += 2 * (strlen(f->name) + 3);
	return size;
}

static int make_type(const char *name, const char *format, const struct tep_event *event,
		     struct ktrace_event_type **out)
{
	const char *colon = strchr(name, ':'), *print = strstr(format, print_mark);
	const struct tep_format_field *f;
	struct maker m;
	size_t nr = 0;

	for (f = event->format.fields; f; f = f->next)
		nr++;
	m.type = calloc(1, sizeof(*m.type) + nr * sizeof(*m.fields) +
			   text_size(name, format, event));
	if (!m.type)
		return -ENOMEM;
	m.fields = (struct ktrace_field *)(m.type + 1);
	m.text = (char *)(m.fields + nr);
	m.type->fields = m.fields;
	m.type->is_placed = true;
	m.type->kind = KTRACE_CHANNEL_KERNEL;
	m.type->full_name = add_text(&m, name, strlen(name));
	m.type->provider = add_text(&m, name, (size_t)(colon - name));
	m.type->name = m.type->full_name + (colon + 1 - name);
	for (f = event->format.fields; f; f = f->next)
		if (!add_field(&m, f, print)) {
			free(m.type);
			return -EINVAL;
		}
	/* Behind the labels: who prints them may read a few bytes more. */
	m.type->format = add_text(&m, format, strlen(format));
	*out = m.type;
	return 0;
}

/* The text as far as its fields go: what is for printing is not parsed. */
static int parse_fields(struct tep_handle *tep, const char *format, struct tep_event **event)
{
	const char *end = strstr(format, print_mark);
	size_t n = end ? (size_t)(end - format) : strlen(format);
	char *text;

	if (n > FIELDS_SIZE_MAX)
		return -EINVAL;
	text = malloc(n + sizeof(no_print));
	if (!text)
		return -ENOMEM;
	memcpy(text, format, n);
	text[n] = '\n';
	text[n + 1] = '\0';
	if (!is_format(text)) {
		free(text);
		return -EINVAL;
	}
	memcpy(text + n, no_print, sizeof(no_print));
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(tep, 8);
	tep_parse_format(tep, event, text, n + sizeof(no_print) - 1, "ktrace");
	free(text);
	return *event ? 0 : -EINVAL;
}

int ktrace_event_type_parse_format(const char *name, const char *format,
				   struct ktrace_event_type **out)
{
	struct tep_event *event = NULL;
	struct tep_handle *tep;
	int ret;

	if (!is_full_name(name) || strnlen(format, KTRACE_DESC_SIZE_MAX) == KTRACE_DESC_SIZE_MAX)
		return -EINVAL;
	tep = tep_alloc();
	if (!tep)
		return -ENOMEM;
	ret = parse_fields(tep, format, &event);
	if (!ret)
		ret = make_type(name, format, event, out);
	tep_free(tep);
	return ret;
}
