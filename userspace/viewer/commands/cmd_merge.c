// SPDX-License-Identifier: GPL-2.0
/* cmd_merge.c - ktrace merge: several tracefiles of one boot as one */
#include "base/viewer.h"

#include "events/subset.h"

static const struct option options[] = {
	SUBSET_OPTIONS,
	COMMON_OPTIONS
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct subset x = { .scope.keeps_losses = true };
	const char *wrong = NULL;
	int option;

	while (!wrong && (option = command_option(argc, argv, "o:", options)) != -1) {
		if (option == '?' || option >= OPTION_HELP)
			return command_common_option(cmd, option);
		wrong = subset_option(&x, option);
	}
	if (!wrong && !x.path)
		wrong = "-o FILE is missing";
	if (!wrong && optind == argc)
		wrong = "no file";
	if (wrong)
		return command_usage(cmd, wrong);
	return subset_files(&x, argc - optind, argv + optind);
}

const struct command cmd_merge = {
	.name = "merge",
	.args = "[OPTION...] -o OUTPUT FILE...",
	.summary = "Write several tracefiles of one boot as one",
	.help =
SUBSET_HELP
"  --json             one JSON object\n"
"  -h, --help, --version\n"
"\n"
"For files that were recorded side by side: the new one has the events of all,\n"
"with the same times and in the same order as ktrace list shows them for all\n"
"files together. Its stamps are those of CLOCK_MONOTONIC; streams and user events\n"
"have new numbers; how commands ended is not kept. ktrace info shows the\n"
"commands and what recorded them, those of several with semicolons between. A\n"
"tracefile has one host, one boot and one clock, so files of several cannot be\n"
"merged; every command reads them together as they are.\n"
"\n"
"JSON members: file, events, bytes, lost (by reason).\n",
	.run = run,
};
