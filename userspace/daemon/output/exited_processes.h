/* SPDX-License-Identifier: GPL-2.0 */
/*
 * exited_processes.h - forgets the code of processes that have ended
 *
 * With stacks, the kernel reports all code that is mapped, and each part of a recording repeats it,
 * also on machines where programs start and end continually.
 */
#ifndef KTRACED_OUTPUT_EXITED_PROCESSES_H
#define KTRACED_OUTPUT_EXITED_PROCESSES_H

#include <ktrace/tracefile.h>

#include "base/pids.h"

/* Returns the processes of @facts that have ended, to be freed; NULL: out of memory. */
struct pids *exited_find(const struct ktrace_text *facts);
/*
 * Removes the lines "map" and "origin" of ended processes from @facts, except of those whose code a
 * running process inherited, and of those in @stay, which may be NULL. @gone: must be found before
 * @facts were complete, since later lines may include forks; NULL: none. Return: the bytes of the
 * lines that remain.
 */
__u64 exited_forget(struct ktrace_text *facts, const struct pids *gone, const struct pids *stay);

#endif
