// SPDX-License-Identifier: GPL-2.0
/* choice.c - see choice.h */
#include "choice.h"

#include <stdio.h>
#include <stdlib.h>

#define DEPTH_MAX 4096

static struct {
	unsigned short nr;
	unsigned short taken;
} path[DEPTH_MAX];

static unsigned int path_nr, path_at;

struct choices choices;

/** choice_reset - forget everything, a new search begins */
void choice_reset(void)
{
	path_nr = 0;
	choices = (struct choices){ 0 };
}

/** choice_begin - an execution begins */
void choice_begin(void)
{
	path_at = 0;
	choices.executions++;
}

/** choose - one of 0..@n-1; the first execution gets 0 everywhere */
unsigned int choose(unsigned int n)
{
	if (n <= 1)
		return 0;
	if (path_at == path_nr) {
		if (path_nr == DEPTH_MAX) {
			printf("Bail out! execution asks too many questions\n");
			exit(2);
		}
		path[path_nr].nr = (unsigned short)n;
		path[path_nr++].taken = 0;
		choices.nodes++;
	}
	if (path[path_at].nr != n) {
		printf("Bail out! execution is not repeatable\n");
		exit(2);
	}
	return path[path_at++].taken;
}

/** choice_next - prepare the next sequence of answers; false: that was the last */
bool choice_next(void)
{
	path_nr = path_at;
	while (path_nr && path[path_nr - 1].taken + 1u == path[path_nr - 1].nr)
		path_nr--;
	if (!path_nr)
		return false;
	path[path_nr - 1].taken++;
	return true;
}
