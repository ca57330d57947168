/* SPDX-License-Identifier: GPL-2.0 */
/* folded.h - shared by the parts of ktrace export --to folded */
#ifndef VIEWER_EXPORT_FOLDED_H
#define VIEWER_EXPORT_FOLDED_H

#include <ktrace/state.h>

#include "events/fold.h"
#include "export.h"

/* Appends the frames of a thread: its process, itself */
void folded_thread(const struct ktrace_states *states, struct fold_key *key,
		   const struct ktrace_process *p);

/* Reads the files and sums up waits of threads for locks. Return: 0, -errno. */
int folded_locks(struct export *x, struct fold *fold);

#endif
