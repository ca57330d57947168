/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * signals.h - signals of a waiting thread: a signal handled meanwhile ends the wait
 *
 * A wait consists of many sleeps with checks between them. It would miss a handler that runs during
 * a check, or just before or after a sleep. So signals stay blocked and are let in between two
 * sleeps.
 */
#ifndef KTRACE_POSIX_API_SIGNALS_H
#define KTRACE_POSIX_API_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* struct posix_signals - @mask: the caller's signal mask, while signals are held */
struct posix_signals {
	sigset_t mask;
};

/** ktrace_posix_signals_hold - block all signals except those of faults */
void ktrace_posix_signals_hold(struct posix_signals *s);

/**
 * ktrace_posix_signals_take - handle the pending signals
 *
 * A cancellation point.
 * Return: true if a handler without SA_RESTART has run.
 */
bool ktrace_posix_signals_take(const struct posix_signals *s);

/** ktrace_posix_signals_release - unblock them */
void ktrace_posix_signals_release(const struct posix_signals *s);

#endif
