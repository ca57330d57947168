// SPDX-License-Identifier: GPL-2.0
/* cmd_list.c - ktrace list: one line an event */
#include "viewer.h"

#include "printout.h"

static const struct option options[] = {
	PRINTOUT_OPTIONS,
	COMMON_OPTIONS
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct printout p = { .left = ~0ull };
	const char *wrong = NULL;
	int option, status;

	while (!wrong && (option = command_option(argc, argv, "a:ce:n:p:", options)) != -1) {
		if (option == '?' || option >= OPTION_HELP) {
			printout_free(&p);
			return command_common_option(cmd, option);
		}
		wrong = printout_option(&p, option);
	}
	if (!wrong && optind == argc)
		wrong = "no file";
	if (wrong)
		status = command_usage(cmd, wrong);
	else
		status = printout_files(&p, argc - optind, argv + optind);
	printout_free(&p);
	return status;
}

const struct command cmd_list = {
	.name = "list",
	.args = "[OPTION...] FILE...",
	.summary = "Print the events of all files in order of time",
	.help =
PRINTOUT_HELP
"\n"
"TIME: 12.5 or 12.5s, 3ms, 200us, 7ns, 5m, 1.5h since the first event;\n"
"2026-01-31T12:00:00.5 local time, with Z behind it UTC; @SECONDS since the epoch.\n"
"\n"
"A line has: time, #file if there are several, [cpu], pid/tid (-/tid where the process\n"
"is not known, as for kernel threads), name of the thread (? where not known), event,\n"
"fields, in braces what was recorded besides (ktraced --context), and in parentheses what\n"
"is special: irq (recorded in interrupt context), truncated, incomplete (fragments are\n"
"missing), no-start, critical, backwards (stamp below its predecessor's), short (fewer\n"
"bytes than described). Lost events are shown where they were lost as ktrace:lost. With\n"
"--stacks a line follows for each frame of its stacks, the innermost first: a tab,\n"
"k (kernel) or u (program), and where it is.\n"
"\n"
"The position is the last line: the word behind \"position \", or the member position of\n"
"an object of its own. It holds for the same files in the same order, also when they have\n"
"grown.\n"
"\n"
"JSON members, in this order; those in brackets may be missing: time (string, seconds\n"
"since the epoch), ns (since the first event), raw (stamp), trace (number of the file),\n"
"stream, [cpu], [pid], [tid], [comm], event, [flags], then fields, an object, or bytes,\n"
"a string of hexadecimal digits, if the event is not described; [before], [filter], arrays\n"
"of the types that a POSIX stream leaves out; [symbols], an object that has for each\n"
"address of code an object of module, place, [function], [offset], [file], [line],\n"
"[inlined]; [context], an object of what was recorded besides; [stacks], with --stacks, an\n"
"object of kstack and ustack, arrays of strings. Values: integers are numbers, hexadecimal\n"
"types and pointers strings \"0x...\", enums their name or else a number, floats a number or\n"
"null, char arrays and strings are strings, arrays arrays.\n",
	.run = run,
};
