// SPDX-License-Identifier: GPL-2.0
/* tsdl_block.c - reads blocks of TSDL, and keeps the names of types */
#include "tsdl_type.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tsdl_fail(struct tsdl *p, const char *format, ...)
{
	va_list args;

	if (p->error[0])
		return false;
	va_start(args, format);
	vsnprintf(p->error, sizeof(p->error), format, args);
	va_end(args);
	return false;
}

void *tsdl_no_memory(struct tsdl *p)
{
	tsdl_fail(p, "out of memory");
	return NULL;
}

bool tsdl_expect(struct tsdl *p, int kind)
{
	const char *name = kind == TSDL_NAME ? "a name" : kind == TSDL_NUMBER ? "a number" :
			   kind == TSDL_ASSIGN ? ":=" : NULL;

	if (p->lex.kind != kind)
		return name ? tsdl_fail(p, "%s is missing", name) :
		       tsdl_fail(p, "'%c' is missing", kind);
	tsdl_next(&p->lex);
	return true;
}

bool tsdl_take(struct tsdl *p, int kind)
{
	if (p->lex.kind != kind)
		return false;
	tsdl_next(&p->lex);
	return true;
}

void tsdl_enter(struct tsdl *p, struct tsdl_scope *scope)
{
	scope->names = NULL;
	scope->up = p->scope;
	p->scope = scope;
}

void tsdl_leave(struct tsdl *p)
{
	struct tsdl_name *next;

	for (struct tsdl_name *n = p->scope->names; n; n = next) {
		next = n->next;
		free(n->name);
		free(n);
	}
	p->scope = p->scope->up;
}

bool tsdl_define(struct tsdl *p, char kind, const char *name, struct ctf_class *class)
{
	struct tsdl_name *n = calloc(1, sizeof(*n));

	if (!n || !(n->name = strdup(name))) {
		free(n);
		return tsdl_no_memory(p);
	}
	n->kind = kind;
	n->class = class;
	n->next = p->scope->names;
	p->scope->names = n;
	return true;
}

struct ctf_class *tsdl_find(struct tsdl *p, char kind, const char *name)
{
	for (const struct tsdl_scope *s = p->scope; s; s = s->up)
		for (const struct tsdl_name *n = s->names; n; n = n->next)
			if (n->kind == kind && !strcmp(n->name, name))
				return n->class;
	tsdl_fail(p, "no type has the name \"%s\"", name);
	return NULL;
}

bool tsdl_append(struct tsdl *p, char **to, const char *between, const char *text)
{
	char *all = NULL;

	if (asprintf(&all, "%s%s%s", *to ? *to : "", *to ? between : "", text) < 0)
		return tsdl_no_memory(p);
	free(*to);
	*to = all;
	return true;
}

bool tsdl_dotted(struct tsdl *p, char **text)
{
	unsigned int nr = 0;

	*text = NULL;
	do {
		if (p->lex.kind != TSDL_NAME || nr++ >= TSDL_NAMES_MAX)
			return tsdl_fail(p, "a name is missing");
		if (!tsdl_append(p, text, ".", p->lex.text))
			return false;
		tsdl_next(&p->lex);
	} while (tsdl_take(p, '.'));
	return true;
}

bool tsdl_take_number(struct tsdl *p, __u64 *number)
{
	const bool is_negative = tsdl_take(p, '-');

	if (!is_negative)
		tsdl_take(p, '+');
	*number = is_negative ? -p->lex.number : p->lex.number;
	return tsdl_expect(p, TSDL_NUMBER);
}

/* Reads the right side of an assignment, with its semicolon, and hands it on. */
static bool assign(struct tsdl *p, const struct tsdl_block *block, void *to, const char *key)
{
	struct tsdl_value value = { .kind = p->lex.kind };
	char *text = NULL;
	bool is_fine;

	if (value.kind == TSDL_NAME) {
		is_fine = tsdl_dotted(p, &text);
	} else if (value.kind == TSDL_TEXT) {
		is_fine = tsdl_append(p, &text, "", p->lex.text);
		tsdl_next(&p->lex);
	} else {
		value.kind = TSDL_NUMBER;
		is_fine = tsdl_take_number(p, &value.number);
	}
	value.text = text ? text : "";
	is_fine = is_fine && tsdl_expect(p, ';') && block->assign(p, to, key, &value);
	free(text);
	return is_fine;
}

static bool take_assignment(struct tsdl *p, const struct tsdl_block *block, void *to,
			    const char *key)
{
	struct ctf_class *class;

	if (tsdl_take(p, '='))
		return assign(p, block, to, key);
	if (!block->type || !tsdl_expect(p, TSDL_ASSIGN))
		return tsdl_fail(p, "'=' is missing after \"%s\"", key);
	class = tsdl_type(p, NULL);
	return class && tsdl_expect(p, ';') && block->type(p, to, key, class);
}

static bool take_item(struct tsdl *p, const struct tsdl_block *block, void *to)
{
	char *key;
	bool is_fine;

	if (block->type && tsdl_is_declaration(p))
		return tsdl_declaration(p);
	is_fine = tsdl_dotted(p, &key) && take_assignment(p, block, to, key);
	free(key);
	return is_fine;
}

bool tsdl_block(struct tsdl *p, const struct tsdl_block *block, void *to)
{
	struct tsdl_scope scope;
	bool is_fine = tsdl_expect(p, '{');

	tsdl_enter(p, &scope);
	while (is_fine && p->lex.kind != '}')
		is_fine = take_item(p, block, to);
	tsdl_leave(p);
	return is_fine && tsdl_expect(p, '}');
}
