// SPDX-License-Identifier: GPL-2.0
/*
 * command.c - what all commands share: help, messages, start and end of the process
 */
#include "viewer.h"

#include "base/descriptors.h"
#include "base/option_text.h"
#include "base/standard.h"
#include "pager.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void print_version(void)
{
	printf("ktrace %s\n", KTRACE_VERSION);
}

void command_help(const struct command *cmd)
{
	pager_begin();
	printf("usage: ktrace %s %s\n\n%s.\n\n%s", cmd->name, cmd->args, cmd->summary, cmd->help);
}

int command_usage(const struct command *cmd, const char *message)
{
	if (message)
		complain_safely("ktrace %s: %s", cmd->name, message);
	fprintf(stderr, "Try 'ktrace help %s'.\n", cmd->name);
	return STATUS_USAGE;
}

/* Suggests a similar option after getopt has rejected a long option. */
static void suggest_option(const char *word, const struct option *options)
{
	struct ktrace_nearest near;
	char name[KTRACE_NEAREST_MAX];
	const size_t n = strcspn(word, "=");

	if (n >= sizeof(name))
		return;
	snprintf(name, sizeof(name), "%.*s", (int)n, word);
	ktrace_nearest_init(&near, name);
	for (; options->name; options++)
		ktrace_nearest_try(&near, options->name);
	if (*near.name)
		fprintf(stderr, "Did you mean '--%s'?\n", near.name);
}

int command_option(int argc, char **argv, const char *letters,
		   const struct option *options)
{
	char all[64], name[3];
	int option;

	snprintf(all, sizeof(all), "%sh", letters);
	opterr = option_is_printable(argv);
	do
		option = getopt_long(argc, argv, all, options, NULL);
	while ((option == OPTION_MODE && output_set_mode(optarg)) ||
	       (option == OPTION_MIN_FREE && output_set_min_free(optarg)));
	if (option == OPTION_MODE || option == OPTION_MIN_FREE)
		return '?';
	if (option == 'h')
		return OPTION_HELP;
	if (option == '?' && !opterr)
		complain_safely("%s: " OPTION_FAULT, argv[0],
				option_at_fault(optopt, name, argv[optind - 1]));
	else if (option == '?' && !optopt && !strncmp(argv[optind - 1], "--", 2))
		suggest_option(argv[optind - 1] + 2, options);
	return option;
}

static void put_names(struct ktrace_out *out, const char *const *names)
{
	ktrace_out_str(out, ", but ");
	for (size_t i = 0; names[i]; i++) {
		ktrace_out_str(out, !i ? "" : names[i + 1] ? ", " : " and ");
		ktrace_out_str(out, names[i]);
	}
}

int command_choice(const char *option, const char *word, const char *const *names,
		   const char **wrong)
{
	static char message[512];
	struct ktrace_out out = { .buf = message, .cap = sizeof(message) - 1 };
	struct ktrace_nearest near;

	ktrace_nearest_init(&near, word);
	for (int i = 0; names[i]; i++) {
		ktrace_nearest_try(&near, names[i]);
		if (!strcmp(names[i], word))
			return i;
	}
	ktrace_out_str(&out, option);
	ktrace_out_str(&out, ": there is no '");
	ktrace_out_safe(&out, word);
	ktrace_out_char(&out, '\'');
	if (*near.name)
		ktrace_out_str(&out, ktrace_nearest_hint(&near));
	else
		put_names(&out, names);
	message[out.len] = '\0';
	*wrong = message;
	return -1;
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

/*
 * Finds a program relative to the folder of this one, so that it works in the build folder and when
 * installed.
 */
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
	complain_about(path, "%s; it is installed with ktrace", strerror(-ret));
	return STATUS_DAMAGED;
}

int command_run(const struct command *cmd, int argc, char **argv)
{
	char name[32];

	if (!cmd->run)
		return command_program(cmd->name, argv);
	if (cmd->is_live)
		pager_off();
	/* getopt's messages begin with argv[0]; make them begin as all others do. */
	snprintf(name, sizeof(name), "ktrace %s", cmd->name);
	argv[0] = name;
	return cmd->run(cmd, argc, argv);
}

static bool is_wrong;

void command_wrong(void)
{
	is_wrong = true;
}

int command_main(int (*run)(int argc, char **argv), int argc, char **argv)
{
	int status;

	standard_hold();
	signal(SIGPIPE, SIG_IGN);
	/* With SIGCHLD ignored, exit statuses of children are lost. */
	signal(SIGCHLD, SIG_DFL);
	descriptors_allow_all();	/* a recording can have thousands of open parts */
	status = run(argc, argv);
	/* Help and version go through stdio, all else through output.c. */
	if (fflush(stdout) && errno != EPIPE) {
		perror("ktrace: standard output");
		return STATUS_DAMAGED;
	}
	return status || !is_wrong ? status : STATUS_USAGE;
}
