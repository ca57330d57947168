// SPDX-License-Identifier: GPL-2.0
/* cmd_cut.c - ktrace cut: part of a tracefile as a new one */
#include "base/viewer.h"

#include "events/subset.h"

#include <stdio.h>
#include <string.h>

/* Appends an option to the description of the part that was asked for. */
static void note(struct subset *x, const char *name, const char *value)
{
	size_t n = strlen(x->what);

	snprintf(x->what + n, sizeof(x->what) - n, "%s%s %s", n ? " " : "", name, value);
}

static const struct option options[] = {
	TIME_RANGE_OPTIONS,
	SUBSET_OPTIONS,
	COMMON_OPTIONS
};

static const char *take_option(struct subset *x, int option)
{
	static const struct {
		int option;
		const char *name;
	} notes[] = {
		{ OPTION_SINCE, "--since" }, { OPTION_UNTIL, "--until" }, { OPTION_EVENT, "-e" },
		{ 'e', "-e" }, { 'p', "-p" }, { OPTION_FILTER, "--filter" },
		{ OPTION_FILTER_FILE, "--filter-file" },
	};
	size_t i;

	for (i = 0; i < sizeof(notes) / sizeof(notes[0]); i++)
		if (notes[i].option == option)
			note(x, notes[i].name, optarg);
	if (option == 'o' || option == 'j' || option == 'z')
		return subset_option(x, option);
	return time_range_option(&x->scope, option);
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct subset x = { .scope.keeps_losses = true, .single = cmd };
	const char *wrong = NULL;
	int option, status;

	while (!wrong && (option = command_option(argc, argv, "e:o:p:", options)) != -1) {
		if (option == '?' || option >= OPTION_HELP) {
			time_range_free(&x.scope);
			return command_common_option(cmd, option);
		}
		wrong = take_option(&x, option);
	}
	if (!wrong && !x.path)
		wrong = "-o FILE is missing";
	if (!wrong)
		wrong = time_range_wrong(&x.scope);
	if (!wrong && optind == argc)
		wrong = "no file";
	status = wrong ? command_usage(cmd, wrong) :
		 subset_files(&x, argc - optind, argv + optind);
	time_range_free(&x.scope);
	return status;
}

const struct command cmd_cut = {
	.name = "cut",
	.args = "[OPTION...] -o OUTPUT FILE...",
	.summary = "Write a part of a tracefile as a new one",
	.help =
SUBSET_HELP
TIME_RANGE_HELP
"  --json             one JSON object\n"
"  -h, --help, --version\n"
"\n"
"The new file has the clocks, streams, event types and names of the old one, and\n"
"the events that were asked for, with their stamps. Losses in the window stay\n"
"losses; what was left out is none. ktrace info shows what was asked for. All of\n"
"a file, with another --compress, is the same file stored otherwise. Several\n"
"files are the parts of one recording, and become one file.\n"
"\n"
"JSON members: file, events, bytes, lost (by reason).\n",
	.run = run,
};
