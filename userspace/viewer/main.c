// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - ktrace(1): shows tracefiles
 *
 * A table of commands; each has its own file, options and help.
 */
#include "viewer.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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
	&cmd_import,
	&cmd_recv,
	&cmd_level,
	&cmd_pthread,
	&cmd_objects,
	&cmd_contention,
	&cmd_lock_order,
	&cmd_doctor,
};

#define COMMAND_NR (sizeof(commands) / sizeof(commands[0]))

void print_version(void)
{
	printf("ktrace %s\n", KTRACE_VERSION);
}

static void print_usage(FILE *to)
{
	size_t i;

	fprintf(to, "usage: ktrace COMMAND [OPTION...] FILE...\n\n");
	for (i = 0; i < COMMAND_NR; i++)
		fprintf(to, "  %-13s %s\n", commands[i]->name, commands[i]->summary);
	fprintf(to, "  %-13s %s\n\n", "help", "Explain a command");
	fprintf(to,
		"Exit status: 0, 1 if a file is damaged or cannot be read, 2 for wrong usage.\n");
}

void command_help(const struct command *cmd)
{
	printf("usage: ktrace %s %s\n\n%s.\n\n%s", cmd->name, cmd->args, cmd->summary, cmd->help);
}

int command_usage(const struct command *cmd, const char *message)
{
	if (message)
		fprintf(stderr, "ktrace %s: %s\n", cmd->name, message);
	fprintf(stderr, "Try 'ktrace help %s'.\n", cmd->name);
	return STATUS_USAGE;
}

int command_common_option(const struct command *cmd, int option)
{
	if (option == OPTION_HELP)
		command_help(cmd);
	else if (option == OPTION_VERSION)
		print_version();
	else
		return command_usage(cmd, NULL);
	return STATUS_OK;
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
	if (access(name, F_OK))
		fprintf(stderr, "ktrace: there is no command '%s'. Try 'ktrace help'.\n", name);
	else
		fprintf(stderr, "ktrace: '%s' is a file: ktrace COMMAND %s. Try 'ktrace help'.\n",
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
	command_help(cmd);
	return STATUS_OK;
}

static int run(int argc, char **argv)
{
	const struct command *cmd;
	char name[32];

	if (argc < 2) {
		print_usage(stderr);
		return STATUS_USAGE;
	}
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help"))
		return run_help(argc - 1, argv + 1);
	if (!strcmp(argv[1], "--version")) {
		print_version();
		return STATUS_OK;
	}
	cmd = find_command(argv[1]);
	if (!cmd)
		return no_such_command(argv[1]);
	/* What getopt's messages begin with, as all others do. */
	snprintf(name, sizeof(name), "ktrace %s", cmd->name);
	argv[1] = name;
	return cmd->run(cmd, argc - 1, argv + 1);
}

/* A recording can have thousands of parts, each a file that is open. */
static void allow_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int argc, char **argv)
{
	int status;

	signal(SIGPIPE, SIG_IGN);
	allow_files();
	status = run(argc, argv);
	/* Help and version go through stdio, all else through output.c. */
	if (fflush(stdout) && errno != EPIPE) {
		perror("ktrace: standard output");
		return STATUS_DAMAGED;
	}
	return status;
}
