// SPDX-License-Identifier: GPL-2.0
/* cmd_cut.c - ktrace cut: part of a tracefile as a new one */
#include "base/viewer.h"

#include "events/subset.h"

#include <stdio.h>
#include <string.h>

/* Appends an option to the description of the part that was asked for, if it says which. */
static void note(void *to, const struct option_row *row, const char *value)
{
	static const char *const others[] = { "output", "json", "mode", "min-free", "compress" };
	struct subset *x = to;
	size_t n = strlen(x->what), i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(row->name, others[i]))
			return;
	if (row->letter)
		snprintf(x->what + n, sizeof(x->what) - n, "%s-%c %s", n ? " " : "", row->letter,
			 value);
	else
		snprintf(x->what + n, sizeof(x->what) - n, "%s--%s %s", n ? " " : "", row->name,
			 value);
}

static const struct option_set sets[] = {
	TIME_RANGE_SETS(offsetof(struct subset, scope)),
	SUBSET_SETS,
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct subset x = { .scope.keeps_losses = true, .single = cmd };
	int status = command_parse(cmd, &x, argc, argv);

	if (status < 0)
		status = command_check(cmd, x.path ? time_range_wrong(&x.scope) :
				       "-o FILE is missing");
	if (status < 0)
		status = subset_files(&x, argc - optind, argv + optind);
	time_range_free(&x.scope);
	return status;
}

const struct command cmd_cut = {
	.name = "cut",
	.args = "[OPTION...] -o OUTPUT FILE...",
	.summary = "Write a part of a tracefile as a new one",
	.options = sets,
	.needs_files = true,
	.note = note,
	.run = run,
};
