/* SPDX-License-Identifier: GPL-2.0 */
/*
 * exited_processes.h - forgets the code of processes that are gone
 *
 * With stacks, the kernel tells of all code that is mapped, and each part of a recording says it
 * again, on a machine where programs come and go without end.
 */
#ifndef KTRACED_OUTPUT_EXITED_PROCESSES_H
#define KTRACED_OUTPUT_EXITED_PROCESSES_H

#include <ktrace/tracefile.h>

#include "base/pids.h"

/* Processes of @facts that are gone, to be freed; NULL: no memory. */
struct pids *exited_find(const struct ktrace_text *facts);
/*
 * Takes lines "map" and "origin" of processes that are gone out of @facts, but for those that one
 * which is there has its code from, and those in @stay, which may be NULL. @gone: found before all
 * that they did was told in @facts, as it may be a fork; NULL: none. Return: the bytes of those
 * that remain.
 */
__u64 exited_forget(struct ktrace_text *facts, const struct pids *gone, const struct pids *stay);

#endif
