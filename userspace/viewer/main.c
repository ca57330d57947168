// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - ktrace(1): shows tracefiles
 *
 * A table of commands; each command has its own file, options and help.
 */
#include "base/viewer.h"

#include "base/pager.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <ktrace/nearest.h>

/* Commands that are separate programs: each prints its help itself. */
static const struct command serve = {
	.name = "serve",
	.summary = "Show the page of ktrace html over HTTP, for large traces",
};

static const struct command session = {
	.name = "session",
	.summary = "Start, watch and end sessions of ktraced --service",
};

static const struct command ship = {
	.name = "ship",
	.summary = "Send complete files to a store, through a broker",
};

static const struct command store = {
	.name = "store",
	.summary = "Write the files that hosts send into a folder",
};

static const struct command fleet = {
	.name = "fleet",
	.summary = "Show how recordings of many hosts go, and control them",
};

static const struct command load = {
	.name = "load",
	.summary = "Add rows of complete files to ClickHouse",
};

static const struct command sql = {
	.name = "sql",
	.summary = "Ask with SQL: events, types, threads, states, system calls",
};

static const struct command tui = {
	.name = "tui",
	.summary = "Browse events and threads on a terminal",
};

/* The commands in the order of the help text; a title starts a new group. */
static const struct {
	const char *title;
	const struct command *command;
} commands[] = {
	{ "Events", &cmd_list },
	{ NULL, &cmd_grep },
	{ NULL, &cmd_live },
	{ NULL, &tui },
	{ NULL, &cmd_html },
	{ NULL, &serve },
	{ NULL, &cmd_hist },
	{ NULL, &cmd_diff },
	{ NULL, &sql },
	{ "What threads, CPUs and devices did (kernel events)", &cmd_stat },
	{ NULL, &cmd_state },
	{ NULL, &cmd_flow },
	{ NULL, &cmd_resources },
	{ NULL, &cmd_sched },
	{ NULL, &cmd_syscalls },
	{ NULL, &cmd_irq },
	{ NULL, &cmd_io },
	{ NULL, &cmd_critical_path },
	{ NULL, &cmd_stacks },
	{ NULL, &cmd_ipoints },
	{ "What threads did with each other (ktraced --pthread)", &cmd_contention },
	{ NULL, &cmd_lock_order },
	{ NULL, &cmd_objects },
	{ NULL, &cmd_pthread },
	{ "Files", &cmd_info },
	{ NULL, &cmd_events },
	{ NULL, &cmd_check },
	{ NULL, &cmd_seq },
	{ NULL, &cmd_sync },
	{ NULL, &cmd_cut },
	{ NULL, &cmd_merge },
	{ NULL, &cmd_export },
	{ NULL, &cmd_import },
	{ NULL, &cmd_recv_shark },
	{ "Files of many hosts", &ship },
	{ NULL, &store },
	{ NULL, &load },
	{ "Recording", &cmd_control },
	{ NULL, &fleet },
	{ NULL, &cmd_level },
	{ NULL, &session },
	{ NULL, &cmd_doctor },
};

#define COMMAND_NR (sizeof(commands) / sizeof(commands[0]))

static void print_usage(FILE *to)
{
	size_t i;

	fprintf(to, "usage: ktrace [OPTION...] COMMAND [OPTION...] FILE...\n\n");
	for (i = 0; i < COMMAND_NR; i++) {
		if (commands[i].title)
			fprintf(to, "%s%s:\n", i ? "\n" : "", commands[i].title);
		fprintf(to, "  %-13s %s\n", commands[i].command->name,
			commands[i].command->summary);
	}
	fprintf(to, "  %-13s %s\n\n", "help", "Explain a command: ktrace help list");
	fprintf(to,
		"Before the command:\n"
		"      --no-pager     write to a terminal at once, not through KTRACE_PAGER,\n"
		"                     PAGER or less\n"
		"      --color=auto|always|never  auto: on a terminal, unless NO_COLOR is set\n"
		"      --progress=auto|always|never  how far long work is, on standard error;\n"
		"                     auto: on a terminal, after half a second\n"
		"\n"
		"Exit status: 0, 1 if a file is damaged or cannot be read, 2 for wrong usage.\n");
}

static const struct command *find_command(const char *name)
{
	const struct command *cmd;
	size_t i;

	for (i = 0; i < COMMAND_NR; i++) {
		cmd = commands[i].command;
		if (!strcmp(cmd->name, name))
			return cmd;
		if (cmd->old && !strcmp(cmd->old, name)) {
			fprintf(stderr, "ktrace: %s is deprecated, use %s\n", cmd->old, cmd->name);
			return cmd;
		}
	}
	return NULL;
}

/*
 * struct choice - an option before the command with one of three values, and its environment
 * variable
 */
static const struct choice {
	const char *option;
	const char *variable;
} choices[] = {
	{ "--color", "KTRACE_COLOR" },
	{ "--progress", "KTRACE_PROGRESS" },
};

#define CHOICE_NR (sizeof(choices) / sizeof(choices[0]))

static const struct choice *find_choice(const char *word)
{
	const size_t n = strcspn(word, "=");
	size_t i;

	for (i = 0; i < CHOICE_NR; i++)
		if (strlen(choices[i].option) == n && !strncmp(choices[i].option, word, n))
			return &choices[i];
	return NULL;
}

/* Return: 0; -1 = the value is not one of the three, as already reported. */
static int choose(const struct choice *c, const char *word)
{
	const char *is = strchr(word, '='), *value = is ? is + 1 : "";

	if (strcmp(value, "auto") && strcmp(value, "always") && strcmp(value, "never")) {
		fprintf(stderr, "ktrace: %s=auto, always or never\n", c->option);
		return -1;
	}
	setenv(c->variable, value, 1);
	return 0;
}

static int no_such_option(const char *word)
{
	struct ktrace_nearest near;
	char name[KTRACE_NEAREST_MAX];
	size_t i;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	ktrace_nearest_init(&near, name);
	ktrace_nearest_try(&near, "--no-pager");
	for (i = 0; i < CHOICE_NR; i++)
		ktrace_nearest_try(&near, choices[i].option);
	complain_safely("ktrace: unknown option '%s' before the command%s. Try 'ktrace help'.",
			name, ktrace_nearest_hint(&near));
	return STATUS_USAGE;
}

static int no_such_command(const char *name)
{
	struct ktrace_nearest near;
	size_t i;

	if (*name == '-')
		return no_such_option(name);
	ktrace_nearest_init(&near, name);
	for (i = 0; i < COMMAND_NR; i++)
		ktrace_nearest_try(&near, commands[i].command->name);
	if (access(name, F_OK))
		complain_safely("ktrace: unknown command '%s'%s. Try 'ktrace help'.", name,
				ktrace_nearest_hint(&near));
	else
		complain_safely("ktrace: '%s' is a file: ktrace COMMAND %s. Try 'ktrace help'.",
				name, name);
	return STATUS_USAGE;
}

static bool is_help(const char *word)
{
	return !strcmp(word, "help") || !strcmp(word, "--help") || !strcmp(word, "-h");
}

static int run_help(int argc, char **argv)
{
	const struct command *cmd;

	if (argc < 2 || is_help(argv[1])) {
		pager_begin();
		print_usage(stdout);
		return STATUS_OK;
	}
	cmd = find_command(argv[1]);
	if (!cmd)
		return no_such_command(argv[1]);
	command_manual(cmd->name);
	if (!cmd->run) {
		char *args[] = { argv[1], "--help", NULL };

		return command_program(cmd->name, args);
	}
	command_help(cmd);
	return STATUS_OK;
}

/*
 * Parses the options before the command. Returns the number of words; -1 = an option is wrong, as
 * already reported.
 */
static int take_options(int argc, char **argv)
{
	const struct choice *c;
	int i;

	for (i = 1; i < argc; i++) {
		c = find_choice(argv[i]);
		if (c && choose(c, argv[i]))
			return -1;
		if (!c && strcmp(argv[i], "--no-pager"))
			break;
		if (!c)
			setenv("KTRACE_PAGER", "cat", 1);
	}
	return i - 1;
}

static int run(int argc, char **argv)
{
	const struct command *cmd;
	const int taken = take_options(argc, argv);

	if (taken < 0)
		return STATUS_USAGE;
	argc -= taken;
	argv += taken;
	if (argc < 2) {
		print_usage(stderr);
		return STATUS_USAGE;
	}
	if (is_help(argv[1]))
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
