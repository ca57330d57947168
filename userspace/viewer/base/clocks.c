// SPDX-License-Identifier: GPL-2.0
/* clocks.c - corrects the times of several hosts when their files are opened */
#include "clocks.h"

#include "hosts.h"

static enum clocks clocks;

static const char *set_clocks(void *to, const char *text)
{
	static const char *const names[] = {
		[CLOCKS_MESSAGES] = "messages", [CLOCKS_TIES] = "ties", [CLOCKS_OWN] = "own", NULL
	};
	const char *wrong;
	const int i = command_choice("--clocks", text, names, &wrong);

	(void)to;
	if (i < 0)
		return wrong;
	clocks = (enum clocks)i;
	return NULL;
}

const struct option_row clocks_options[] = {
	{ .name = "clocks", .value = "messages|ties|own", .set = set_clocks,
	  .help = "of several hosts: times by one clock, from messages and\n"
		  "ties (default), from ties only, or by each host's own" },
	{ .help = NULL },
};

void clocks_leave(void)
{
	clocks = CLOCKS_OWN;
}

bool clocks_are_own(void)
{
	return clocks == CLOCKS_OWN;
}

int clocks_correct(struct ktrace_traceset *set, bool is_live)
{
	const struct ktrace_sync_options opts = {
		.size = sizeof(opts), .without_messages = is_live || clocks == CLOCKS_TIES,
	};
	struct ktrace_sync *sync;
	int ret;

	if (clocks == CLOCKS_OWN || hosts_count(set) < 2)
		return 0;
	ret = ktrace_sync_traceset(set, &opts, &sync);
	if (!ret)
		ktrace_sync_close(sync);
	return ret;
}
