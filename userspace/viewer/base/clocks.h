/* SPDX-License-Identifier: GPL-2.0 */
/* clocks.h - whose clock the times of several hosts are from */
#ifndef VIEWER_BASE_CLOCKS_H
#define VIEWER_BASE_CLOCKS_H

#include "viewer.h"

#include <ktrace/sync.h>

/**
 * enum clocks - values of --clocks
 * @CLOCKS_MESSAGES:	the reference host's, by messages, pings and synchronised wall clocks
 * @CLOCKS_TIES:	the same without messages: events need not be read before
 * @CLOCKS_OWN:		each host's wall clock at the beginning of its trace
 * @CLOCKS_FILE:	as a file says that ktrace sync -o has made
 */
enum clocks {
	CLOCKS_MESSAGES,
	CLOCKS_TIES,
	CLOCKS_OWN,
	CLOCKS_FILE,
};

/* The option --clocks of all commands that read files; it refers to nothing. */
extern const struct option_row clocks_options[];

/*
 * Corrects the times of several hosts as the option wants it, and reports errors. Files that grow
 * are not read before. What was found is kept for the next time. Return: 0, -errno.
 */
int clocks_correct(struct ktrace_traceset *set, bool is_live);

/* Lets open_files() leave times as they are: the command corrects them itself. */
void clocks_leave(void);

/* True if that is so, or --clocks own was given. */
bool clocks_are_own(void);

#endif
