// SPDX-License-Identifier: GPL-2.0
/* cmd_list.c - ktrace list: one line an event */
#include "base/viewer.h"

#include "events/list_events.h"

static const struct option options[] = {
	LIST_EVENTS_OPTIONS,
	COMMON_OPTIONS
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct list_events p = { .left = ~0ull };
	const char *wrong = NULL;
	int option, status;

	while (!wrong && (option = command_option(argc, argv, "a:ce:n:p:", options)) != -1) {
		if (option == '?' || option >= OPTION_HELP) {
			list_events_free(&p);
			return command_common_option(cmd, option);
		}
		wrong = list_events_option(&p, option);
	}
	if (!wrong)
		wrong = time_range_wrong(&p.scope);
	if (!wrong && optind == argc)
		wrong = "no file";
	if (wrong)
		status = command_usage(cmd, wrong);
	else
		status = list_events_files(&p, argc - optind, argv + optind);
	list_events_free(&p);
	return status;
}

const struct command cmd_list = {
	.name = "list",
	.args = "[OPTION...] FILE...",
	.summary = "Print the events of all files in order of time",
	.help =
LIST_EVENTS_HELP
"\n"
"TIME: 12.5 or 12.5s, 3ms, 200us, 7ns, 5m, 1.5h since the first event;\n"
"2026-01-31T12:00:00.5 local time, with Z behind it UTC; @SECONDS since the\n"
"epoch. That of --until must not lie before that of --since.\n"
"\n"
"A line has: time, #file if there are several, [cpu], pid/tid (-/tid where the\n"
"process is not known, as for kernel threads), name of the thread (? where not\n"
"known), event, fields, in braces what was recorded besides (ktraced --context),\n"
"and in parentheses what is special: irq (recorded in interrupt context),\n"
"truncated, incomplete (fragments are missing), no-start, critical, backwards\n"
"(stamp below its predecessor's), short (fewer bytes than described). Lost events\n"
"are shown where they were lost as ktrace:lost. With --stacks a line follows for\n"
"each frame of its stacks, the innermost first: a tab, k (kernel) or u (program),\n"
"and where it is.\n"
"\n"
"The position is the last line: the word behind \"position \", or the member\n"
"position of an object of its own. It holds for the same files in the same order,\n"
"also when they have grown.\n"
"\n"
"JSON members, in this order; those in brackets may be missing: time (string,\n"
"seconds since the epoch), ns (since the first event), raw (stamp), trace (number\n"
"of the file), stream, [cpu], [pid], [tid], [comm], event, [flags], then fields,\n"
"an object, or bytes, a string of hexadecimal digits, if the event is not\n"
"described; [before], [filter], arrays of the types that a POSIX stream leaves\n"
"out; [symbols], an object that has for each address of code an object of module,\n"
"place, [function], [offset], [file], [line], [inlined]; [context], an object of\n"
"what was recorded besides; [stacks], with --stacks, an object of kstack and\n"
"ustack, arrays of strings. Values: integers are numbers, hexadecimal types and\n"
"pointers strings \"0x...\", enums their name or else a number, floats a number or\n"
"null, char arrays and strings are strings, arrays arrays.\n",
	.run = run,
};
