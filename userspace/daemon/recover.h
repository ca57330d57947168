/* SPDX-License-Identifier: GPL-2.0 */
/* recover.h - ktraced --recover: writes out what a ktraced that was killed left behind */
#ifndef KTRACED_RECOVER_H
#define KTRACED_RECOVER_H

#include <stddef.h>
#include <sys/types.h>
#include <ktrace/session.h>

#include "options.h"

/**
 * recover_find - sessions left behind, of the caller first, then those of others
 * @list:	out, the caller's to free; NULL if there are none
 * @others:	out, how many are of other users
 *
 * Return: how many there are, or -ENOMEM.
 */
ssize_t recover_find(struct ktrace_stale **list, size_t *others);

/** recover - do what the options ask for; returns the exit status */
int recover(const struct options *o);

#endif
