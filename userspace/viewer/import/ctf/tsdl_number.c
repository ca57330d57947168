// SPDX-License-Identifier: GPL-2.0
/* tsdl_number.c - reads the types of TSDL that have no parts: numbers and text */
#include "tsdl_type.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_NAMES "UTF8 utf8 utf-8 UTF-8 ASCII ascii"

static bool is_one_of(const char *text, const char *names)
{
	const size_t n = strlen(text);

	for (const char *at = names; n && (at = strstr(at, text)); at++)
		if ((at == names || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
			return true;
	return false;
}

static bool set_order(struct tsdl *p, struct ctf_layout *layout, const struct tsdl_value *v)
{
	if (is_one_of(v->text, "native"))
		layout->is_big = p->is_big;
	else if (is_one_of(v->text, "be network"))
		layout->is_big = true;
	else if (is_one_of(v->text, "le"))
		layout->is_big = false;
	else
		return tsdl_fail(p, "\"%s\" is no byte order", v->text);
	return true;
}

bool tsdl_set_align(struct tsdl *p, struct ctf_layout *layout, __u64 align)
{
	layout->align = align;
	return (align && !(align & (align - 1))) ||
	       tsdl_fail(p, "an alignment is not a power of two");
}

static bool set_clock(struct tsdl *p, struct ctf_layout *layout, const struct tsdl_value *v)
{
	const char *from = v->text, *end;

	if (strncmp(from, "clock.", 6))
		return tsdl_fail(p, "\"%s\" is no clock", from);
	from += 6;
	end = strrchr(from, '.');
	if (!end || strcmp(end, ".value"))
		return tsdl_fail(p, "\"%s\" is no clock", from);
	free(layout->clock);
	layout->clock = strndup(from, (size_t)(end - from));
	return layout->clock || tsdl_no_memory(p);
}

static bool set_integer(struct tsdl *p, void *to, const char *key, const struct tsdl_value *v)
{
	struct ctf_class *class = to;
	struct ctf_layout *layout = class->layout;

	if (!strcmp(key, "size"))
		layout->length = v->number;
	else if (!strcmp(key, "align"))
		return tsdl_set_align(p, layout, v->number);
	else if (!strcmp(key, "signed"))
		class->kind = (v->kind == TSDL_NUMBER && v->number) ||
			      is_one_of(v->text, "true TRUE") ? CTF_SIGNED : CTF_UNSIGNED;
	else if (!strcmp(key, "byte_order"))
		return set_order(p, layout, v);
	else if (!strcmp(key, "base"))
		class->is_hex = v->kind == TSDL_NUMBER ? v->number == 16 :
				is_one_of(v->text, "hexadecimal hex x X p");
	else if (!strcmp(key, "encoding"))
		layout->is_char = is_one_of(v->text, TEXT_NAMES);
	else if (!strcmp(key, "map"))
		return set_clock(p, layout, v);
	return true;
}

struct ctf_class *tsdl_integer(struct tsdl *p)
{
	static const struct tsdl_block block = { .assign = set_integer };
	struct ctf_class *class = ctf_schema_class(p->schema, CTF_UNSIGNED);
	struct ctf_layout *layout;

	if (!class)
		return tsdl_no_memory(p);
	layout = class->layout;
	layout->is_big = p->is_big;
	layout->align = 0;
	if (!tsdl_block(p, &block, class))
		return NULL;
	if (!layout->length || layout->length > 1u << 20) {
		tsdl_fail(p, "an integer of %llu bits", (unsigned long long)layout->length);
		return NULL;
	}
	if (!layout->align)
		layout->align = layout->length % 8 ? 1 : 8;
	class->bits = layout->length < 64 ? (unsigned int)layout->length : 64;
	if (layout->length > 64) {
		layout->form = CTF_WIDE;
		class->kind = CTF_TEXT;
	}
	return class;
}

static bool set_float(struct tsdl *p, void *to, const char *key, const struct tsdl_value *v)
{
	struct ctf_class *class = to;

	if (!strcmp(key, "exp_dig") || !strcmp(key, "mant_dig"))
		class->layout->length += v->number;
	else if (!strcmp(key, "align"))
		return tsdl_set_align(p, class->layout, v->number);
	else if (!strcmp(key, "byte_order"))
		return set_order(p, class->layout, v);
	return true;
}

struct ctf_class *tsdl_floating_point(struct tsdl *p)
{
	static const struct tsdl_block block = { .assign = set_float };
	struct ctf_class *class = ctf_schema_class(p->schema, CTF_DOUBLE);
	__u64 n;

	if (!class)
		return tsdl_no_memory(p);
	class->layout->is_big = p->is_big;
	if (!tsdl_block(p, &block, class))
		return NULL;
	n = class->layout->length;
	if (n != 16 && n != 32 && n != 64 && n != 128) {
		tsdl_fail(p, "no floating point number has %llu bits", (unsigned long long)n);
		return NULL;
	}
	class->kind = n <= 32 ? CTF_FLOAT : CTF_DOUBLE;
	return class;
}

static bool set_string(struct tsdl *p, void *to, const char *key, const struct tsdl_value *v)
{
	(void)to;
	return strcmp(key, "encoding") || is_one_of(v->text, TEXT_NAMES " none") ||
	       tsdl_fail(p, "\"%s\" is no encoding of text", v->text);
}

struct ctf_class *tsdl_string(struct tsdl *p)
{
	static const struct tsdl_block block = { .assign = set_string };
	struct ctf_class *class = ctf_schema_class(p->schema, CTF_TEXT);

	if (!class)
		return tsdl_no_memory(p);
	class->layout->form = CTF_TERMINATED;
	class->layout->align = 8;
	return p->lex.kind != '{' || tsdl_block(p, &block, class) ? class : NULL;
}
