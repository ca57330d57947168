/* SPDX-License-Identifier: GPL-2.0 */
/*
 * choice.h - depth-first search over everything that is left open
 *
 * An execution asks choose(n) wherever n things can happen. It is run again and again,
 * each time with the next sequence of answers, until there is none left. The executions
 * must ask the same questions when they get the same answers.
 */
#ifndef MODEL_CHOICE_H
#define MODEL_CHOICE_H

#include <stdbool.h>

struct choices {
	unsigned long executions;
	unsigned long nodes;	/* different states in which a question was asked */
};

extern struct choices choices;

void choice_reset(void);
void choice_begin(void);
unsigned int choose(unsigned int n);
bool choice_next(void);

#endif
