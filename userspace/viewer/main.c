// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - ktrace(1): shows tracefiles
 *
 * A table of commands; each has its own file, options and help.
 */
#include "viewer.h"

#include "pager.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Programs of their own: each prints its help itself. */
static const struct command serve = {
	.name = "serve",
	.summary = "Show the page of ktrace html over HTTP, for large traces",
};

static const struct command session = {
	.name = "session",
	.summary = "Start, watch and end sessions of ktraced --service",
};

static const struct command tui = {
	.name = "tui",
	.summary = "Look at events and threads on a terminal",
};

static const struct command *const commands[] = {
	&cmd_list,
	&cmd_info,
	&cmd_events,
	&cmd_grep,
	&cmd_hist,
	&cmd_check,
	&cmd_cut,
	&cmd_merge,
	&cmd_diff,
	&cmd_seq,
	&cmd_stat,
	&cmd_state,
	&cmd_flow,
	&cmd_resources,
	&cmd_sched,
	&cmd_syscalls,
	&cmd_irq,
	&cmd_io,
	&cmd_ipoints,
	&cmd_critical_path,
	&cmd_stacks,
	&cmd_export,
	&cmd_html,
	&serve,
	&cmd_import,
	&cmd_recv,
	&cmd_live,
	&tui,
	&session,
	&cmd_level,
	&cmd_pthread,
	&cmd_objects,
	&cmd_contention,
	&cmd_lock_order,
	&cmd_doctor,
};

#define COMMAND_NR (sizeof(commands) / sizeof(commands[0]))

static void print_usage(FILE *to)
{
	size_t i;

	fprintf(to, "usage: ktrace [OPTION...] COMMAND [OPTION...] FILE...\n\n");
	for (i = 0; i < COMMAND_NR; i++)
		fprintf(to, "  %-13s %s\n", commands[i]->name, commands[i]->summary);
	fprintf(to, "  %-13s %s\n\n", "help", "Explain a command");
	fprintf(to,
		"Exit status: 0, 1 if a file is damaged or cannot be read, 2 for wrong usage.\n"
		"\n"
		"      --no-pager     write to a terminal at once, not through KTRACE_PAGER,\n"
		"                     PAGER or less\n"
		"      --color=WHEN   auto: on a terminal, unless NO_COLOR is set (default);\n"
		"                     always; never\n");
}

static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < COMMAND_NR; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static int no_such_command(const char *name)
{
	struct ktrace_nearest near;
	size_t i;

	ktrace_nearest_init(&near, name);
	for (i = 0; i < COMMAND_NR; i++)
		ktrace_nearest_try(&near, commands[i]->name);
	if (access(name, F_OK))
		complain_safely("ktrace: there is no command '%s'%s. Try 'ktrace help'.", name,
				ktrace_nearest_hint(&near));
	else
		complain_safely("ktrace: '%s' is a file: ktrace COMMAND %s. Try 'ktrace help'.",
				name, name);
	return STATUS_USAGE;
}

static int run_help(int argc, char **argv)
{
	const struct command *cmd;

	if (argc < 2) {
		print_usage(stdout);
		return STATUS_OK;
	}
	cmd = find_command(argv[1]);
	if (!cmd)
		return no_such_command(argv[1]);
	if (!cmd->run) {
		char *args[] = { argv[1], "--help", NULL };

		return command_program(cmd->name, args);
	}
	command_help(cmd);
	return STATUS_OK;
}

/* Those before the command. Returns how many words they are, -1 = one is wrong, and was said. */
static int take_options(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--no-pager"))
			setenv("KTRACE_PAGER", "cat", 1);
		else if (!strcmp(argv[i], "--color=always") || !strcmp(argv[i], "--color=never") ||
			 !strcmp(argv[i], "--color=auto"))
			setenv("KTRACE_COLOR", strchr(argv[i], '=') + 1, 1);
		else if (!strncmp(argv[i], "--color", strlen("--color")))
			return -1;
		else
			break;
	return i - 1;
}

static int run(int argc, char **argv)
{
	const struct command *cmd;
	const int taken = take_options(argc, argv);

	if (taken < 0) {
		fprintf(stderr, "ktrace: --color=always, never or auto\n");
		return STATUS_USAGE;
	}
	argc -= taken;
	argv += taken;
	if (argc < 2) {
		print_usage(stderr);
		return STATUS_USAGE;
	}
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return run_help(argc - 1, argv + 1);
	if (!strcmp(argv[1], "--version")) {
		print_version();
		return STATUS_OK;
	}
	cmd = find_command(argv[1]);
	if (!cmd)
		return no_such_command(argv[1]);
	return command_run(cmd, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	return command_main(run, argc, argv);
}
