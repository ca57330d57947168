/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pattern.h - regular expressions in bounded time, memory and stack
 *
 * Those of the C library have no bound: one of 400 bytes takes it half a second to compile, another
 * one as long to try, and names and expressions are given by others. These take as many steps as
 * the name has bytes, times the length of the expression.
 */
#ifndef KTRACED_SERVICE_PATTERN_H
#define KTRACED_SERVICE_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#define PATTERN_MAX 512		/* bytes of an expression */
/* Each byte makes at most two steps, and the end is one. */
#define PATTERN_STEP_MAX (2 * PATTERN_MAX + 1)
#define PATTERN_SET_MAX (PATTERN_MAX / 2)

struct pattern_step {
	uint8_t kind;
	uint8_t byte;
	int16_t to;		/* relative; or a set's number */
};

struct pattern {
	uint16_t nr, set_nr;
	struct pattern_step steps[PATTERN_STEP_MAX];
	uint8_t sets[PATTERN_SET_MAX][32];
};

/*
 * POSIX extended expressions without counts ({}), back-references, and classes [= =] and [. .]; and
 * \d \s \w \D \S \W. Return: whether @text is one.
 */
bool pattern_compile(struct pattern *p, const char *text);
/* Whether it is all of @name. */
bool pattern_matches(const struct pattern *p, const char *name);

#endif
