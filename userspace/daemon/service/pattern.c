// SPDX-License-Identifier: GPL-2.0
/*
 * pattern.c - regular expressions in bounded time
 *
 * An expression becomes steps, of which any number are tried at once, byte by byte: at most one of
 * each, so it does not matter in how many ways a step can be reached. Jumps are relative, as a part
 * of the expression moves when something is put before it:
 *
 *	a|b	FORK a, b   a..   JUMP behind   b..
 *	a*	FORK a, behind   a..   JUMP to the FORK
 *	a+	a..   FORK a, behind
 *	a?	FORK a, behind   a..
 */
#include "pattern.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

enum kind {
	BYTE,
	ANY,
	SET,
	FORK,		/* to the next, or @to */
	JUMP,
	BEGIN,
	END,
	DONE,
};

/* While it is compiled */
struct parser {
	struct pattern *p;
	const char *at;
	bool is_bad;
};

/* [:alpha:] and so on, and what a backslash may mean */
static const struct {
	const char *name;
	int (*is)(int c);
	char letter;
} classes[] = {
	{ "alnum", isalnum, 0 }, { "alpha", isalpha, 0 }, { "blank", isblank, 0 },
	{ "cntrl", iscntrl, 0 }, { "digit", isdigit, 'd' }, { "graph", isgraph, 0 },
	{ "lower", islower, 0 }, { "print", isprint, 0 }, { "punct", ispunct, 0 },
	{ "space", isspace, 's' }, { "upper", isupper, 0 }, { "xdigit", isxdigit, 0 },
};

#define CLASS_NR (sizeof(classes) / sizeof(*classes))

static void put_in(uint8_t *set, unsigned int byte)
{
	set[byte / 8] |= (uint8_t)(1 << byte % 8);
}

static bool is_in(const uint8_t *set, unsigned int byte)
{
	return set[byte / 8] & 1 << byte % 8;
}

static void put_class(uint8_t *set, int (*is)(int c))
{
	for (int c = 1; c < 256; c++)
		if (is(c))
			put_in(set, (unsigned int)c);
}

static void invert(uint8_t *set)
{
	for (int i = 0; i < 32; i++)
		set[i] = (uint8_t)~set[i];
}

static void append(struct parser *c, enum kind kind, uint8_t byte, ptrdiff_t to)
{
	c->p->steps[c->p->nr++] = (struct pattern_step){ (uint8_t)kind, byte, (int16_t)to };
}

/* Before the step @at: what is from there on moves, and so do its jumps, which stay in it. */
static void insert_fork(struct parser *c, uint16_t at, ptrdiff_t to)
{
	struct pattern_step *steps = c->p->steps;

	memmove(steps + at + 1, steps + at, (size_t)(c->p->nr++ - at) * sizeof(*steps));
	steps[at] = (struct pattern_step){ FORK, 0, (int16_t)to };
}

static uint8_t *new_set(struct parser *c)
{
	uint8_t *set = c->p->sets[c->p->set_nr];

	memset(set, 0, sizeof(c->p->sets[0]));
	append(c, SET, 0, c->p->set_nr++);
	return set;
}

/* "[:name:]", at its colon */
static void parse_class(struct parser *c, uint8_t *set)
{
	const char *end = strstr(++c->at, ":]");
	size_t len = end ? (size_t)(end - c->at) : 0;

	for (size_t i = 0; i < CLASS_NR; i++)
		if (len && len == strlen(classes[i].name) &&
		    !memcmp(c->at, classes[i].name, len)) {
			put_class(set, classes[i].is);
			c->at = end + 2;
			return;
		}
	c->is_bad = true;
}

static void parse_range(struct parser *c, uint8_t *set)
{
	unsigned int first = (uint8_t)*c->at++, last = first;

	if (c->at[0] == '-' && c->at[1] && c->at[1] != ']') {
		last = (uint8_t)c->at[1];
		c->at += 2;
		c->is_bad |= last < first || (last == '[' && strchr(".=:", *c->at));
	}
	for (unsigned int byte = first; byte <= last; byte++)
		put_in(set, byte);
}

/* Behind '[' */
static void parse_set(struct parser *c)
{
	uint8_t *set = new_set(c);
	bool is_inverse = *c->at == '^';
	const char *begin;

	c->at += is_inverse;
	begin = c->at;
	while (!c->is_bad && *c->at && (*c->at != ']' || c->at == begin)) {
		if (c->at[0] == '[' && c->at[1] == ':') {
			c->at++;
			parse_class(c, set);
		} else if (c->at[0] == '[' && (c->at[1] == '.' || c->at[1] == '=')) {
			c->is_bad = true;
		} else {
			parse_range(c, set);
		}
	}
	c->is_bad |= *c->at != ']';
	c->at += !c->is_bad;
	if (is_inverse)
		invert(set);
}

/* Behind the backslash: a class, or a byte that means nothing else to other libraries */
static void parse_escape(struct parser *c)
{
	const char letter = *c->at, lower = (char)tolower((uint8_t)letter);
	uint8_t *set;

	c->at += letter != 0;
	if (ispunct((uint8_t)letter) && !strchr("<>`'", letter)) {
		append(c, BYTE, (uint8_t)letter, 0);
		return;
	}
	set = new_set(c);
	for (size_t i = 0; i < CLASS_NR; i++)
		if (letter && classes[i].letter == lower)
			put_class(set, classes[i].is);
	if (lower == 'w') {
		put_class(set, isalnum);
		put_in(set, '_');
	}
	c->is_bad |= !is_in(set, '0') && !is_in(set, ' ');
	if (letter != lower)
		invert(set);
}

static void parse_all(struct parser *c);

static void parse_atom(struct parser *c)
{
	const char byte = *c->at++;

	switch (byte) {
	case '(':
		parse_all(c);
		c->is_bad |= *c->at != ')';
		c->at += !c->is_bad;
		break;
	case '[':
		parse_set(c);
		break;
	case '\\':
		parse_escape(c);
		break;
	case '*':
	case '+':
	case '?':
	case '{':
		c->is_bad = true;
		break;
	case '.':
		append(c, ANY, 0, 0);
		break;
	case '^':
		append(c, BEGIN, 0, 0);
		break;
	case '$':
		append(c, END, 0, 0);
		break;
	default:
		append(c, BYTE, (uint8_t)byte, 0);
	}
}

/* Behind an atom whose steps begin at @begin */
static void parse_repeats(struct parser *c, uint16_t begin)
{
	for (; !c->is_bad && *c->at && strchr("*+?", *c->at); c->at++) {
		const int nr = c->p->nr - begin;

		if (*c->at == '+') {
			append(c, FORK, 0, -nr);
			continue;
		}
		insert_fork(c, begin, *c->at == '*' ? nr + 2 : nr + 1);
		if (*c->at == '*')
			append(c, JUMP, 0, -nr - 1);
	}
}

/* Alternatives, up to the end or a parenthesis */
static void parse_all(struct parser *c)
{
	const uint16_t begin = c->p->nr;
	uint16_t jump;

	while (!c->is_bad && *c->at && *c->at != '|' && *c->at != ')') {
		const uint16_t atom = c->p->nr;

		parse_atom(c);
		parse_repeats(c, atom);
	}
	if (c->is_bad || *c->at != '|')
		return;
	c->at++;
	insert_fork(c, begin, c->p->nr - begin + 2);
	jump = c->p->nr;
	append(c, JUMP, 0, 0);
	parse_all(c);
	c->p->steps[jump].to = (int16_t)(c->p->nr - jump);
}

bool pattern_compile(struct pattern *p, const char *text)
{
	struct parser c = { .p = p, .at = text };

	p->nr = p->set_nr = 0;
	if (strlen(text) > PATTERN_MAX)
		return false;
	parse_all(&c);
	if (c.is_bad || *c.at)
		return false;
	append(&c, DONE, 0, 0);
	return true;
}

/* Steps that can be next, each once */
struct steps {
	uint16_t nr;
	uint16_t list[PATTERN_STEP_MAX];
	bool has[PATTERN_STEP_MAX];
};

static void add(struct steps *s, unsigned int step)
{
	if (s->has[step])
		return;
	s->has[step] = true;
	s->list[s->nr++] = (uint16_t)step;
}

/* What is reached from them without a byte; @is_first, @is_last: of all bytes. */
static void spread(const struct pattern *p, struct steps *s, bool is_first, bool is_last)
{
	for (uint16_t i = 0; i < s->nr; i++) {
		const unsigned int at = s->list[i];
		const struct pattern_step *step = &p->steps[at];

		if (step->kind == FORK || step->kind == JUMP)
			add(s, (unsigned int)((int)at + step->to));
		if (step->kind == FORK || (step->kind == BEGIN && is_first) ||
		    (step->kind == END && is_last))
			add(s, at + 1);
	}
}

static bool takes(const struct pattern *p, const struct pattern_step *step, uint8_t byte)
{
	return step->kind == ANY || (step->kind == BYTE && step->byte == byte) ||
	       (step->kind == SET && is_in(p->sets[step->to], byte));
}

bool pattern_matches(const struct pattern *p, const char *name)
{
	struct steps both[2] = { 0 }, *now = &both[0], *next = &both[1], *old;

	add(now, 0);
	for (const char *at = name; ; at++) {
		spread(p, now, at == name, !*at);
		if (!*at || !now->nr)
			return now->has[p->nr - 1];
		for (uint16_t i = 0; i < now->nr; i++)
			if (takes(p, &p->steps[now->list[i]], (uint8_t)*at))
				add(next, now->list[i] + 1u);
		old = now;
		now = next;
		next = old;
		memset(next, 0, sizeof(*next));
	}
}
