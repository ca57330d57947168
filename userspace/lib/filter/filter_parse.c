// SPDX-License-Identifier: LGPL-2.1
/*
 * filter_parse.c - compile an expression to a program
 *
 * Recursive descent, one function for each level of precedence, which emits steps directly. Copies
 * words with a final NUL. Stops at the first error and keeps its place and what was expected.
 */
#include "decode/name_char.h"
#include "base/grow.h"
#include "filter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct parser - state of the parser
 * @f:		the filter being made
 * @begin:	the text
 * @at:		next character
 * @depth:	open parentheses
 * @test_cap:	room in f->tests
 * @step_cap:	room in f->steps
 * @try_fields:	suggests available fields; NULL = ktrace_filter_try_fields()
 * @error:	the first error
 * @ret:	0, or the error that stops parsing
 */
struct parser {
	struct ktrace_filter *f;
	const char *begin;
	const char *at;
	__u32 depth;
	__u32 test_cap;
	__u32 step_cap;
	void (*try_fields)(struct ktrace_nearest *near);
	struct ktrace_filter_error *error;
	int ret;
};

/* struct word - a run of characters, or the content of quotes */
struct word {
	const char *at;
	size_t len;
	bool is_quoted;
};

static void set_place(struct ktrace_filter_error *error, const char *begin, const char *at)
{
	const char *line = begin;

	error->at = (size_t)(at - begin);
	error->line = 1;
	for (; begin < at; begin++) {
		if (*begin == '\n') {
			error->line++;
			line = begin + 1;
		}
	}
	error->column = (__u32)(at - line) + 1;
}

__attribute__((format(printf, 3, 4)))
static void fail(struct parser *p, const char *at, const char *format, ...)
{
	va_list ap;

	if (p->ret)
		return;
	p->ret = -EINVAL;
	set_place(p->error, p->begin, at);
	va_start(ap, format);
	ktrace_filter_say(p->error, format, ap);
	va_end(ap);
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_word_char(char c)
{
	return (unsigned char)c > ' ' && c != 0x7f && !strchr("()!&|^<>=~\"'", c);
}

/* Skips blanks, and comments from "#" to the end of the line. */
static void skip_blanks(struct parser *p)
{
	while (is_blank(*p->at) || *p->at == '#') {
		if (*p->at == '#')
			p->at += strcspn(p->at, "\n");
		else
			p->at++;
	}
}

static void expected(struct parser *p, const char *what)
{
	int n = 0;

	skip_blanks(p);
	if (!*p->at) {
		fail(p, p->at, "expected %s, found the end", what);
		return;
	}
	while (n < 20 && is_word_char(p->at[n]))
		n++;
	fail(p, p->at, "expected %s, found '%.*s'", what, n ? n : 1, p->at);
}

static bool take(struct parser *p, const char *token)
{
	size_t n = strlen(token);

	skip_blanks(p);
	if (strncmp(p->at, token, n))
		return false;
	p->at += n;
	return true;
}

/* Takes the content of quotes, with escapes undecoded. */
static bool take_quoted(struct parser *p, struct word *w)
{
	const char *end = p->at + 1;

	while (*end && *end != *p->at)
		end += end[0] == '\\' && end[1] ? 2 : 1;
	if (!*end) {
		fail(p, p->at, "the closing %c is missing", *p->at);
		return false;
	}
	*w = (struct word){ p->at + 1, (size_t)(end - p->at) - 1, true };
	p->at = end + 1;
	return true;
}

static bool take_word(struct parser *p, struct word *w, const char *what)
{
	skip_blanks(p);
	if (*p->at == '"' || *p->at == '\'')
		return take_quoted(p, w);
	*w = (struct word){ p->at, 0, false };
	while (is_word_char(p->at[w->len]))
		w->len++;
	if (!w->len) {
		expected(p, what);
		return false;
	}
	p->at += w->len;
	return true;
}

/* Copies the word to a new string and decodes it; NULL on failure. */
static char *copy_word(struct parser *p, const struct word *w, size_t *len)
{
	char *copy = malloc(w->len + 1);

	if (!copy) {
		p->ret = p->ret ? p->ret : -ENOMEM;
		return NULL;
	}
	memcpy(copy, w->at, w->len);
	copy[w->len] = '\0';
	*len = w->len;
	if (w->is_quoted && ktrace_filter_unquote(copy, len)) {
		fail(p, w->at + *len, "no such escape");
		free(copy);
		return NULL;
	}
	return copy;
}

static bool begins_with(const struct word *w, const char *prefix)
{
	return w->len >= strlen(prefix) && !memcmp(w->at, prefix, strlen(prefix));
}

void ktrace_filter_try_fields(const struct ktrace_filter *f, struct ktrace_nearest *near)
{
	const struct ktrace_filter_field *fields;
	__u32 nr, i;

	fields = ktrace_filter_fields(&nr);
	while (nr--)
		ktrace_nearest_try(near, fields[nr].name);
	for (i = 0; i < f->source_nr; i++)
		for (nr = f->sources[i]->field_nr; nr--;)
			ktrace_nearest_try(near, f->sources[i]->fields[nr].name);
}

static void fail_field(struct parser *p, const struct word *w)
{
	struct ktrace_nearest near;
	char name[KTRACE_NEAREST_MAX];

	snprintf(name, sizeof(name), "%.*s", (int)(w->len < 40 ? w->len : 40), w->at);
	ktrace_nearest_init(&near, name);
	if (p->try_fields)
		p->try_fields(&near);
	else
		ktrace_filter_try_fields(p->f, &near);
	fail(p, w->at, "there is no field '%s' here%s", name, ktrace_nearest_hint(&near));
}

/* Finds the owner of a name. Returns false if it is a payload's field. */
static bool find_owner(struct parser *p, struct test *t, const struct word *w)
{
	static const char *const prefixes[] = { "event.", "lost.", "state.", "stream.", "trace." };
	const struct ktrace_filter_source *source;
	const struct ktrace_filter_field *fields;
	bool is_reserved = false;
	__u32 nr, i;
	int field;

	fields = ktrace_filter_fields(&nr);
	field = ktrace_filter_find_field(fields, nr, w->at, w->len);
	t->owner = OWNER_LIBRARY;
	for (i = 0; i < p->f->source_nr && field < 0; i++) {
		source = p->f->sources[i];
		is_reserved |= begins_with(w, source->prefix);
		fields = source->fields;
		field = ktrace_filter_find_field(fields, source->field_nr, w->at, w->len);
		t->owner = OWNER_SOURCE + i;
	}
	if (field >= 0) {
		t->field = (__u32)field;
		t->type = fields[field].type;
		return true;
	}
	for (i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		is_reserved |= begins_with(w, prefixes[i]);
	if (is_reserved)
		fail_field(p, w);
	return is_reserved;
}

/* Takes "[3]" from the end of a payload's field. */
static void take_element(struct parser *p, struct test *t, struct word *w)
{
	const char *bracket = memchr(w->at, '[', w->len), *at;
	__u64 element = 0;

	if (!bracket)
		return;
	for (at = bracket + 1; *at >= '0' && *at <= '9' && element < 1ull << 32; at++)
		element = element * 10 + (__u64)(*at - '0');
	if (at == bracket + 1 || *at != ']' || at + 1 != w->at + w->len || element >= 1ull << 32) {
		fail(p, bracket, "expected the number of an element, as in [3]");
		return;
	}
	t->element = element;
	w->len = (size_t)(bracket - w->at);
}

/* True if it is a valid name in a description, not a number. [N] may follow. */
static bool is_name(const struct word *w)
{
	size_t i, end = w->len;

	for (i = 0; i < end; i++) {
		char c = w->at[i];

		if (c == '[')
			end = i;
		else if (!is_name_char(c))
			return false;
	}
	return end && !strchr("0123456789+-.", *w->at);
}

/* Parses event.field.NAME, field.NAME, field."NAME" or NAME, each with an optional [N]. */
static void parse_field(struct parser *p, struct test *t)
{
	struct ktrace_filter_error place;
	struct word w, index;
	size_t len;

	t->element = ELEMENT_ALL;
	t->type = KTRACE_FILTER_ANY;
	if (!take_word(p, &w, "a field"))
		return;
	set_place(&place, p->begin, w.at);
	t->at = place.at;
	t->line = place.line;
	t->column = place.column;
	if (w.is_quoted) {
		fail(p, w.at - 1, "expected a field, found text; field.\"...\" is a field");
		return;
	}
	if (begins_with(&w, "event.field.")) {
		w.at += 6;
		w.len -= 6;
	}
	if (begins_with(&w, "field.")) {
		w.at += 6;
		w.len -= 6;
		if (!w.len && (*p->at == '"' || *p->at == '\'') && !take_quoted(p, &w))
			return;
	} else if (find_owner(p, t, &w)) {
		return;
	}
	t->owner = OWNER_PAYLOAD;
	if (!w.is_quoted && !is_name(&w)) {
		p->at = w.at;
		expected(p, "the name of a field");
	}
	if (!w.is_quoted)
		take_element(p, t, &w);
	else if (*p->at == '[' && take_word(p, &index, "["))
		take_element(p, t, &index);
	if (!p->ret)
		t->name = copy_word(p, &w, &len);
}

static void parse_op(struct parser *p, struct test *t)
{
	static const struct {
		const char *text;
		enum filter_op op;
	} ops[] = {
		{ "==", OP_EQ }, { "=", OP_EQ }, { "!=", OP_NE }, { "<=", OP_LE }, { "<", OP_LT },
		{ ">=", OP_GE }, { ">", OP_GT }, { "~", OP_GLOB },
	};
	bool is_text = t->type == KTRACE_FILTER_TEXT;
	const char *at;
	size_t i;

	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		skip_blanks(p);
		at = p->at;
		if (!take(p, ops[i].text))
			continue;
		t->op = ops[i].op;
		if (t->op >= OP_LT && t->op <= OP_GE && (is_text || t->type == KTRACE_FILTER_FLAGS))
			fail(p, at, is_text ? "text has no order: expected ==, != or ~" :
			     "flags have no order: expected == or !=");
		else if (t->op == OP_GLOB && !is_text && t->type != KTRACE_FILTER_ANY)
			fail(p, at, "~ is for text: expected another operator");
		return;
	}
	expected(p, "==, !=, <, <=, >, >= or ~");
}

/* Returns the only possible texts of a field, ended by NULL; NULL: any text. */
static const char *const *values_of(const struct parser *p, const struct test *t)
{
	const struct ktrace_filter_source *source;

	if (t->owner < OWNER_SOURCE || t->op == OP_GLOB)
		return NULL;
	source = p->f->sources[t->owner - OWNER_SOURCE];
	return source->values ? source->values[t->field] : NULL;
}

/* Refuses a text that the field never has: the comparison would be meaningless. */
static void check_text(struct parser *p, const struct test *t, const char *at)
{
	const char *const *values = values_of(p, t), *const *v;
	char list[sizeof(p->error->message)] = "";
	size_t n = 0;

	for (v = values; v && *v; v++) {
		if (!strcmp(*v, t->literal.text) && strlen(*v) == t->literal.len)
			return;
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", v == values ? "" :
				      v[1] ? ", " : " or ", *v);
		n = n < sizeof(list) ? n : sizeof(list) - 1;
	}
	if (values)
		fail(p, at, "expected %s", list);
}

/* Checks that the field can be compared with the value. */
static void check_literal(struct parser *p, struct test *t, const struct word *w)
{
	struct literal *l = &t->literal;
	bool is_ordered = t->op >= OP_LT && t->op <= OP_GE;

	switch (t->type) {
	case KTRACE_FILTER_TIME:
		if (!ktrace_when_parse(l->text, &l->when))
			fail(p, w->at, "expected a time: 1.5s, 3ms, 2026-01-31T12:00 or @SECONDS");
		break;
	case KTRACE_FILTER_FLAGS:
		l->flag = ktrace_filter_flag(l->text, l->len);
		if (!l->flag)
			fail(p, w->at, "expected irq, truncated, incomplete, no-start, critical or "
			     "backwards");
		break;
	case KTRACE_FILTER_NUMBER:
	case KTRACE_FILTER_ANY:
		if (!l->is_number && (t->type == KTRACE_FILTER_NUMBER || is_ordered))
			fail(p, w->at, "expected a number");
		break;
	case KTRACE_FILTER_TEXT:
		check_text(p, t, w->at);
		break;
	}
}

static void parse_value(struct parser *p, struct test *t)
{
	struct ktrace_filter_error place;
	struct word w;

	if (!take_word(p, &w, "a value"))
		return;
	set_place(&place, p->begin, w.at);
	t->value_at = place.at;
	t->value_line = place.line;
	t->value_column = place.column;
	t->literal.text = copy_word(p, &w, &t->literal.len);
	if (!t->literal.text)
		return;
	if (!w.is_quoted)
		ktrace_filter_number(&t->literal);
	t->literal.is_address = ip_address_parse(t->literal.text, t->literal.address);
	check_literal(p, t, &w);
}

/* Appends a step. Returns its index. */
static __u32 emit(struct parser *p, enum step_op op, __u32 arg)
{
	struct ktrace_filter *f = p->f;

	if (!p->ret && !LIST_GROW(f->steps, f->step_nr, p->step_cap))
		p->ret = -ENOMEM;
	if (p->ret)
		return 0;
	f->steps[f->step_nr] = (struct step){ op, arg };
	return f->step_nr++;
}

static void parse_comparison(struct parser *p)
{
	struct ktrace_filter *f = p->f;
	struct test *t;

	if (f->test_nr == KTRACE_FILTER_TESTS_MAX)
		fail(p, p->at, "too many comparisons");
	if (!p->ret && !LIST_GROW(f->tests, f->test_nr, p->test_cap))
		p->ret = -ENOMEM;
	if (p->ret)
		return;
	t = &f->tests[f->test_nr++];
	memset(t, 0, sizeof(*t));
	parse_field(p, t);
	if (!p->ret)
		parse_op(p, t);
	if (!p->ret)
		parse_value(p, t);
	emit(p, STEP_TEST, f->test_nr - 1);
}

static void parse_or(struct parser *p);

/* Parses any number of "!", then a comparison or parentheses. */
static void parse_not(struct parser *p)
{
	bool is_inverse = false;

	while (take(p, "!"))
		is_inverse = !is_inverse;
	if (!take(p, "(")) {
		skip_blanks(p);
		parse_comparison(p);
	} else if (++p->depth == KTRACE_FILTER_DEPTH_MAX) {
		fail(p, p->at - 1, "parentheses are nested too deeply");
	} else {
		parse_or(p);
		p->depth--;
		if (!p->ret && !take(p, ")"))
			expected(p, "&&, ||, ^ or )");
	}
	if (is_inverse)
		emit(p, STEP_NOT, 0);
}

/* Parses the operands of one level, joined by "&&" or "||". */
static void parse_joined(struct parser *p, const char *token, enum step_op op,
			 void (*operand)(struct parser *p))
{
	__u32 jump;

	operand(p);
	while (!p->ret && take(p, token)) {
		jump = emit(p, op, 0);
		operand(p);
		if (!p->ret)
			p->f->steps[jump].arg = p->f->step_nr;
	}
}

static void parse_and(struct parser *p)
{
	parse_joined(p, "&&", STEP_AND, parse_not);
}

static void parse_xor(struct parser *p)
{
	parse_and(p);
	while (!p->ret && take(p, "^")) {
		emit(p, STEP_PUSH, 0);
		parse_and(p);
		emit(p, STEP_XOR, 0);
	}
}

static void parse_or(struct parser *p)
{
	parse_joined(p, "||", STEP_OR, parse_xor);
}

static void parse_all(struct parser *p)
{
	parse_or(p);
	skip_blanks(p);
	if (!p->ret && *p->at)
		expected(p, "&&, || or ^");
}

static int make_spare(struct ktrace_filter *f)
{
	f->spare.checks = calloc(f->test_nr, sizeof(*f->spare.checks));
	return f->spare.checks ? 0 : -ENOMEM;
}

int ktrace_filter_parse_with(const char *text, const struct ktrace_filter_options *opts,
			     void (*try_fields)(struct ktrace_nearest *near),
			     struct ktrace_filter **out, struct ktrace_filter_error *error)
{
	struct ktrace_filter_error unwanted;
	struct parser p = {
		.begin = text, .at = text, .error = error ? error : &unwanted,
		.try_fields = try_fields,
	};
	__u32 i;

	memset(p.error, 0, sizeof(*p.error));
	if (opts && (opts->size != sizeof(*opts) || opts->source_nr > KTRACE_FILTER_SOURCES))
		return -EINVAL;
	p.f = calloc(1, sizeof(*p.f));
	if (!p.f)
		return -ENOMEM;
	p.f->source_nr = opts ? opts->source_nr : 0;
	for (i = 0; i < p.f->source_nr; i++)
		p.f->sources[i] = opts->sources[i];
	if (strnlen(text, KTRACE_FILTER_TEXT_MAX + 1) > KTRACE_FILTER_TEXT_MAX)
		fail(&p, text, "the expression is too long");
	if (!p.ret)
		parse_all(&p);
	if (!p.ret)
		p.ret = make_spare(p.f);
	if (p.ret) {
		ktrace_filter_free(p.f);
		return p.ret;
	}
	*out = p.f;
	return 0;
}

int ktrace_filter_parse(const char *text, const struct ktrace_filter_options *opts,
			struct ktrace_filter **out, struct ktrace_filter_error *error)
{
	return ktrace_filter_parse_with(text, opts, NULL, out, error);
}
