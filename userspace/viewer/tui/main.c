// SPDX-License-Identifier: GPL-2.0
/* main.c - the program of ktrace tui: options, and the loop that handles keys */
#include "tui.h"

#include "base/viewer.h"
#include "term.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DRAW_KEYS 64	/* maximum number of keys handled before the screen is drawn */

/* Returns the signal that ended the loop, 0 = a key did. */
static int loop(struct tui *t)
{
	int key, taken;

	while (!t->is_over && !term_signal()) {
		tui_draw(t);
		key = term_key(tui_work(t));
		for (taken = 0; key != TERM_NONE && !t->is_over && taken < DRAW_KEYS; taken++) {
			tui_key(t, key);
			key = term_key(0);
		}
	}
	return term_signal();
}

/* Ends the program by the signal, so that its sender sees that it took effect. */
static void die_by(int number)
{
	signal(number, SIG_DFL);
	raise(number);
}

static int show(struct tui *t)
{
	int ret, signal_nr = 0;

	if (term_begin())
		return STATUS_USAGE;
	ret = tui_begin(t);
	if (!ret || ret == -ECANCELED)
		signal_nr = loop(t);
	term_end();
	if (ret && ret != -ECANCELED)
		fprintf(stderr, "ktrace: %s\n", strerror(-ret));
	tui_end(t);
	if (signal_nr)
		die_by(signal_nr);
	return ret && ret != -ECANCELED ? STATUS_DAMAGED : STATUS_OK;
}

#define MEMBER(member) OPTION_MEMBER(struct tui, member)

static const struct option_row rows[] = {
	{ .letter = 'F', .name = "follow", .flag = MEMBER(follows),
	  .help = "go to the end as the files grow" },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ rows, 0 },
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct tui t = { 0 };
	int status, shown;

	setlocale(LC_CTYPE, "");
	status = command_parse(cmd, &t, argc, argv);
	if (status >= 0)
		return status;
	t.nr = argc - optind;
	t.paths = argv + optind;
	t.set = open_growing_files(t.nr, t.paths, &status);
	if (!t.set)
		return status;
	shown = show(&t);
	status = shown == STATUS_USAGE ? shown : files_status(t.set, shown ? shown : status);
	ktrace_traceset_close(t.set);
	return status;
}

static const struct command cmd_tui = {
	.name = "tui",
	.args = "[OPTION...] FILE...",
	.summary = "Browse events and threads on a terminal",
	.options = sets,
	.needs_files = true,
	.is_live = true,
	.run = run,
};

static int run_program(int argc, char **argv)
{
	return command_run(&cmd_tui, argc, argv);
}

int main(int argc, char **argv)
{
	return command_main(run_program, argc, argv);
}
