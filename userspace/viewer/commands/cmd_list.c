// SPDX-License-Identifier: GPL-2.0
/* cmd_list.c - ktrace list: one line an event */
#include "base/viewer.h"

#include "events/list_events.h"

static const struct option_set sets[] = {
	TIME_RANGE_SETS(offsetof(struct list_events, scope)),
	LIST_EVENTS_SETS(0),
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct list_events p = { .left = ~0ull };
	int status = command_parse(cmd, &p, argc, argv);

	if (status < 0)
		status = command_check(cmd, time_range_wrong(&p.scope));
	if (status < 0)
		status = list_events_files(&p, argc - optind, argv + optind);
	list_events_free(&p);
	return status;
}

const struct command cmd_list = {
	.name = "list",
	.args = "[OPTION...] FILE...",
	.summary = "Print the events of all files in order of time",
	.options = sets,
	.needs_files = true,
	.run = run,
};
