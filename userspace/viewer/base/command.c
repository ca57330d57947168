// SPDX-License-Identifier: GPL-2.0
/*
 * command.c - what all commands share: help, messages, start and end of the process
 */
#include "viewer.h"

#include "base/beside.h"
#include "base/descriptors.h"
#include "base/standard.h"
#include "clocks.h"
#include "pager.h"
#include "store_files.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <ktrace/nearest.h>

void print_version(void)
{
	printf("ktrace %s\n", KTRACE_VERSION);
}

int command_check(const struct command *cmd, const char *message)
{
	return message ? command_usage(cmd, message) : -1;
}

static const struct option_row common_options[] = {
	{ .letter = 'h', .name = "help", .help = "print this" },
	{ .name = "version", .help = "print the version" },
	{ .help = NULL },
};

const struct option_row json_options[] = {
	{ .name = "json", .flag = OPTION_SELF, .help = "print JSON objects" },
	{ .help = NULL },
};

#define SETS_MAX 16

/* struct sets - the options of a command and those of all commands */
struct sets {
	struct option_set all[SETS_MAX + 1];
};

static void add_common(struct sets *sets, const struct command *cmd)
{
	size_t nr = 0;

	for (; cmd->options[nr].rows; nr++) {
		assert(nr < SETS_MAX - 3);
		sets->all[nr] = cmd->options[nr];
	}
	if ((cmd->needs_files || cmd->reads_files) && !cmd->lacks_clocks)
		sets->all[nr++] = (struct option_set) { clocks_options, 0 };
	if ((cmd->needs_files || cmd->reads_files) && !cmd->lacks_store)
		sets->all[nr++] = (struct option_set) { store_options, 0 };
	sets->all[nr] = (struct option_set) { common_options, 0 };
	sets->all[nr + 1] = (struct option_set) { NULL, 0 };
}

void command_help(const struct command *cmd)
{
	struct sets sets;

	pager_begin();
	printf("usage: ktrace %s %s\n\n%s.\n\n", cmd->name, cmd->args, cmd->summary);
	add_common(&sets, cmd);
	option_table_help(stdout, sets.all);
	printf("\n'ktrace help %s' shows the manual page.\n", cmd->name);
}

/* The command whose options are being parsed; its name begins messages. */
static const struct command *current;

static void complain_current(const char *text)
{
	complain_safely("ktrace %s: %s", current->name, text);
}

int command_parse(const struct command *cmd, void *to, int argc, char **argv)
{
	struct sets sets;
	const struct option_parser parser = {
		.sets = sets.all, .complain = complain_current, .note = cmd->note,
	};
	int ret;

	current = cmd;
	add_common(&sets, cmd);
	ret = option_table_parse(&parser, to, argc, argv);
	if (ret == OPTIONS_REFUSED || ret == OPTIONS_WRONG)
		return command_usage(cmd, NULL);
	if (ret == OPTIONS_HELP)
		command_help(cmd);
	else if (ret)
		print_version();
	if (ret)
		return STATUS_OK;
	if (store_wrong())
		return command_usage(cmd, store_wrong());
	return command_check(cmd, cmd->needs_files && !has_files(argc - optind) ? "no file" : NULL);
}

int command_usage(const struct command *cmd, const char *message)
{
	if (message)
		complain_safely("ktrace %s: %s", cmd->name, message);
	fprintf(stderr, "Try 'ktrace %s --help'.\n", cmd->name);
	return STATUS_USAGE;
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

int command_sibling(char *path, size_t size, const char *name)
{
	return path_beside(path, size, "/%s", name);
}

int command_part(char *path, size_t size, const char *name)
{
	return path_beside(path, size, "/../libexec/ktrace/%s", name);
}

int command_program(const char *name, char **argv)
{
	char path[4096];
	int ret = command_part(path, sizeof(path), name);

	if (!ret) {
		execv(path, argv);
		ret = -errno;
	}
	complain_about(path, "%s; it is installed with ktrace", strerror(-ret));
	return STATUS_DAMAGED;
}

void command_manual(const char *name)
{
	const char *pager = getenv("KTRACE_PAGER");
	char path[4096], *argv[] = { "man", "-l", path, NULL };
	int ret = path_beside(path, sizeof(path), "/../share/man/man1/ktrace-%s.1", name);

	if (!ret && access(path, R_OK))
		ret = path_beside(path, sizeof(path), "/../share/man/man1/ktrace-%s.1.gz", name);
	if (!ret && access(path, R_OK))
		ret = -errno;
	if (pager)
		setenv("MANPAGER", pager, 1);
	if (!ret) {
		execvp(argv[0], argv);
		complain_safely("ktrace: man: %s; only the options follow", strerror(errno));
	} else {
		complain_about(path, "%s; only the options follow", strerror(-ret));
	}
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
