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

static const struct option options[] = {
	{ "follow", no_argument, NULL, 'F' },
	COMMON_OPTIONS
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct tui t = { 0 };
	int option, status, shown;

	setlocale(LC_CTYPE, "");
	while ((option = command_option(argc, argv, "F", options)) != -1) {
		if (option != 'F')
			return command_common_option(cmd, option);
		t.follows = true;
	}
	if (optind == argc)
		return command_usage(cmd, "no file");
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
	.summary = "Look at events and threads on a terminal",
	.help =
"  -F, --follow       go to the end as the files grow\n"
"  -h, --help, --version\n"
"\n"
"Above, what CPUs and threads did in a window of time, below, the events; a\n"
"current time that both share. Keys, of which ? tells all:\n"
"\n"
"  arrows, PgUp, PgDn, Home, End  move; TAB goes from the list to the picture and\n"
"                     back\n"
"  + - 0              zoom in, out, to all of the trace; < > move the window\n"
"  t                  go to a time\n"
"  / n N              search for text in the lines of events, next, previous\n"
"  f                  filter: an expression, see ktrace help grep\n"
"  m '                set a bookmark, go to it\n"
"  Enter              all of the event\n"
"  L                  losses, clocks, damages\n"
"  q                  quit\n"
"\n"
"Letters say what colours do, which NO_COLOR in the environment switches off.\n"
"Events are read where they are shown, so the size of a trace does not matter for\n"
"the list; for the picture its window is read, and what lies before it once.\n",
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
