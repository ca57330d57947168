// SPDX-License-Identifier: GPL-2.0
/* cmd_cut.c - ktrace cut: part of a tracefile as a new one */
#include "base/viewer.h"

#include "events/extraction.h"

#include <stdio.h>
#include <string.h>

/* Appends an option to what was asked for. */
static void note(struct extraction *x, const char *name, const char *value)
{
	size_t n = strlen(x->what);

	snprintf(x->what + n, sizeof(x->what) - n, "%s%s %s", n ? " " : "", name, value);
}

static const struct option options[] = {
	SCOPE_OPTIONS,
	EXTRACTION_OPTIONS,
	COMMON_OPTIONS
};

static const char *take_option(struct extraction *x, int option)
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
		return extraction_option(x, option);
	return scope_option(&x->scope, option);
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct extraction x = { .scope.keeps_losses = true, .single = cmd };
	const char *wrong = NULL;
	int option, status;

	while (!wrong && (option = command_option(argc, argv, "e:o:p:", options)) != -1) {
		if (option == '?' || option >= OPTION_HELP) {
			scope_free(&x.scope);
			return command_common_option(cmd, option);
		}
		wrong = take_option(&x, option);
	}
	if (!wrong && !x.path)
		wrong = "-o FILE is missing";
	if (!wrong)
		wrong = scope_wrong(&x.scope);
	if (!wrong && optind == argc)
		wrong = "no file";
	status = wrong ? command_usage(cmd, wrong) :
		 extraction_files(&x, argc - optind, argv + optind);
	scope_free(&x.scope);
	return status;
}

const struct command cmd_cut = {
	.name = "cut",
	.args = "[OPTION...] -o OUTPUT FILE...",
	.summary = "Write a part of a tracefile as a new one",
	.help =
EXTRACTION_HELP
SCOPE_HELP
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
