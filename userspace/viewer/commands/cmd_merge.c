// SPDX-License-Identifier: GPL-2.0
/* cmd_merge.c - ktrace merge: several tracefiles of one boot as one */
#include "base/viewer.h"

#include "events/subset.h"

static const struct option_set sets[] = {
	SUBSET_SETS,
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct subset x = { .scope.keeps_losses = true };
	int status = command_parse(cmd, &x, argc, argv);

	if (status < 0)
		status = command_check(cmd, x.path ? NULL : "-o FILE is missing");
	return status < 0 ? subset_files(&x, argc - optind, argv + optind) : status;
}

const struct command cmd_merge = {
	.name = "merge",
	.args = "[OPTION...] -o OUTPUT FILE...",
	.summary = "Write several tracefiles of one boot as one",
	.options = sets,
	.needs_files = true,
	.run = run,
};
