// SPDX-License-Identifier: GPL-2.0
/* test_nearest.c - which name is near enough to a mistyped one */
#include "check.h"

#include <ktrace/nearest.h>
#include <string.h>

/* struct row - @names separated by spaces; @nearest of them, NULL = none */
struct row {
	const char *wanted;
	const char *names;
	const char *nearest;
};

static const struct row rows[] = {
	{ "lsit", "info list events", "list" },
	{ "lst", "list", "list" },
	{ "llist", "list", "list" },
	{ "lyst", "list", "list" },
	{ "lits", "list lots", "list" },	/* equally near: the first */
	{ "list", "lists list", "list" },
	{ "xy", "ab cd", NULL },
	{ "x", "y", NULL },			/* nothing of it is left */
	{ "", "a", NULL },
	{ "ab", "", NULL },
	{ "lsti", "sched", NULL },
	{ "cricitla-paht", "critical-path", "critical-path" },
	{ "crxxxxxx-path", "critical-path", NULL },
	{ "state.xyz", "state.cpu state.pid", NULL },	/* nothing but the family */
	{ "state.pidd", "state.cpu state.pid", "state.pid" },
	{ "shced:swicth", "sched:wakeup sched:switch", "sched:switch" },
};

static void search(const struct row *row)
{
	char names[64], *word, *rest = names;
	struct ktrace_nearest near;

	strcpy(names, row->names);
	ktrace_nearest_init(&near, row->wanted);
	while ((word = strsep(&rest, " ")))
		ktrace_nearest_try(&near, word);
	if (strcmp(near.name, row->nearest ? row->nearest : ""))
		fprintf(stderr, "%s of %s: %s\n", row->wanted, row->names, near.name);
	CHECK(!strcmp(near.name, row->nearest ? row->nearest : ""));
}

/* As long as there may be, and longer: nothing is said of those. */
static void limits(void)
{
	char wanted[KTRACE_NEAREST_MAX + 1], name[KTRACE_NEAREST_MAX + 1];
	struct ktrace_nearest near;
	size_t n;

	for (n = KTRACE_NEAREST_MAX - 2; n <= KTRACE_NEAREST_MAX; n++) {
		memset(wanted, 'a', n);
		memset(name, 'a', n);
		wanted[n] = name[n] = '\0';
		name[0] = '\n';
		ktrace_nearest_init(&near, wanted);
		ktrace_nearest_try(&near, name);
		CHECK(!*near.name == (n >= KTRACE_NEAREST_MAX));
		CHECK(!strchr(ktrace_nearest_hint(&near), '\n'));
	}
}

int main(void)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		search(&rows[i]);
	limits();
	return 0;
}
