/* SPDX-License-Identifier: GPL-2.0 */
/*
 * attributes.h - what the tests of attributes that are policies, or sizes, have in common
 *
 * PAGE is the page of the function under test.
 */
#ifndef ATTRIBUTES_H
#define ATTRIBUTES_H

#include "suite.h"

struct policy {
	int (*get)(const trace_attr_t *restrict attr, int *restrict value);
	int (*set)(trace_attr_t *attr, int value);
	const int *values;	/* those that it can have, the default first */
	size_t n;
};

struct size {
	int (*get)(const trace_attr_t *restrict attr, size_t *restrict value);
	int (*set)(trace_attr_t *attr, size_t value);
};

static inline void get_policy(const struct policy *p)
{
	trace_attr_t a;
	int value = -1;

	need(posix_trace_attr_init(&a));
	same(RETURNS, p->get(&a, &value), 0, "an object has one at once");
	same(DESCRIPTION, value, p->values[0], "which is the default");
	for (size_t i = 0; i < p->n; i++) {
		need(p->set(&a, p->values[i]));
		need(p->get(&a, &value));
		same(DESCRIPTION, value, p->values[i], "the one that was set: %d", p->values[i]);
	}
	need(posix_trace_attr_destroy(&a));
	choice(ERRORS, p->get(&a, &value) == EINVAL, "a destroyed object: EINVAL");
}

static inline void set_policy(const struct policy *p)
{
	static const int never[] = { -1, 1000, 0x7fffffff };
	trace_attr_t a;
	int value = -1;

	need(posix_trace_attr_init(&a));
	for (size_t i = 0; i < p->n; i++)
		same(RETURNS, p->set(&a, p->values[i]), 0, "%d can be set", p->values[i]);
	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		choice(ERRORS, p->set(&a, never[i]) == EINVAL, "%d is unknown: EINVAL", never[i]);
	need(p->get(&a, &value));
	choice(ERRORS, value == p->values[p->n - 1], "it is as before then");
	need(posix_trace_attr_destroy(&a));
	choice(ERRORS, p->set(&a, p->values[0]) == EINVAL, "a destroyed object: EINVAL");
}

static inline void get_size(const struct size *s)
{
	trace_attr_t a;
	size_t value = 0;

	need(posix_trace_attr_init(&a));
	same(RETURNS, s->get(&a, &value), 0, "an object has one at once");
	check(DESCRIPTION, value > 0, "which is not 0: %zu", value);
	need(s->set(&a, 12345));
	need(s->get(&a, &value));
	check(DESCRIPTION, value >= 12345, "what was set, or more: %zu", value);
	need(posix_trace_attr_destroy(&a));
	choice(ERRORS, s->get(&a, &value) == EINVAL, "a destroyed object: EINVAL");
}

static inline void set_size(const struct size *s)
{
	static const size_t sizes[] = { 1, 100, 4096, 4097, 20000 };
	trace_attr_t a;
	size_t value = 0;

	need(posix_trace_attr_init(&a));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		same(RETURNS, s->set(&a, sizes[i]), 0, "%zu can be set", sizes[i]);
		need(s->get(&a, &value));
		check(DESCRIPTION, value >= sizes[i], "and is then what it is, or more: %zu",
		      value);
	}
	need(posix_trace_attr_destroy(&a));
	choice(ERRORS, s->set(&a, 4096) == EINVAL, "a destroyed object: EINVAL");
}

#endif /* ATTRIBUTES_H */
