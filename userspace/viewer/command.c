// SPDX-License-Identifier: GPL-2.0
/*
 * command.c - what is around a command: its help, its messages, its process
 */
#include "viewer.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

void print_version(void)
{
	printf("ktrace %s\n", KTRACE_VERSION);
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

/* Beside the folder of this program, and so both in the build folder and installed */
static int program_path(const char *name, char *path, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", path, size - 1);
	char *slash;
	size_t room;

	if (n < 0)
		return -errno;
	path[n] = 0;
	slash = strrchr(path, '/');
	if (!slash)
		return -ENOENT;
	room = size - (size_t)(slash - path);
	if ((size_t)snprintf(slash, room, "/../libexec/ktrace/%s", name) >= room)
		return -ENAMETOOLONG;
	return 0;
}

int command_program(const char *name, char **argv)
{
	char path[4096];
	int ret = program_path(name, path, sizeof(path));

	if (!ret) {
		execv(path, argv);
		ret = -errno;
	}
	fprintf(stderr, "ktrace: %s: %s; it is installed with ktrace\n", path, strerror(-ret));
	return STATUS_DAMAGED;
}

int command_run(const struct command *cmd, int argc, char **argv)
{
	char name[32];

	if (!cmd->run)
		return command_program(cmd->name, argv);
	/* What getopt's messages begin with, as all others do. */
	snprintf(name, sizeof(name), "ktrace %s", cmd->name);
	argv[0] = name;
	return cmd->run(cmd, argc, argv);
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

int command_main(int (*run)(int argc, char **argv), int argc, char **argv)
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
