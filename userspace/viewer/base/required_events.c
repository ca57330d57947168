// SPDX-License-Identifier: GPL-2.0
/* required_events.c - checks that the trace has any of the events a command needs */
#include "required_events.h"

#include <stdio.h>
#include <string.h>

static bool has_word(const char *list, const char *word)
{
	const size_t n = strlen(word);
	size_t k;

	for (;; list += k + 1) {
		k = strcspn(list, ",");
		if (k == n && !strncmp(list, word, n))
			return true;
		if (!list[k])
			return false;
	}
}

void required_events_see(struct required_events *n, const struct ktrace_trace_event *e)
{
	if (!n->providers || n->is_met || !e->type || e->type == n->last)
		return;
	n->is_met = has_word(n->providers, e->type->provider);
	n->last = e->type;
}

void required_events_complain(const struct required_events *n)
{
	if (!n->providers || n->is_met)
		return;
	if (!strcmp(n->providers, "pthread"))
		fputs("ktrace: no event of family pthread is there, of which this is made; "
		      "'ktraced --pthread' records them\n", stderr);
	else
		fprintf(stderr, "ktrace: no event of family %s is there, of which this is made; "
			"'ktraced -e %s' records them, if 'ktrace doctor' finds nothing wrong\n",
			n->providers, n->providers);
}
