/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * signals.h - signals of a thread that waits: each that is handled meanwhile ends the wait
 *
 * A wait of many sleeps, with looks between them, would miss a handler that runs during a look, or
 * just before or after a sleep. So signals are held all the time, and let in between two sleeps.
 */
#ifndef KTRACE_POSIX_API_SIGNALS_H
#define KTRACE_POSIX_API_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* struct posix_signals - @mask: the caller's signal mask, while signals are held */
struct posix_signals {
	sigset_t mask;
};

/** ktrace_posix_signals_hold - hold all signals but those of faults */
void ktrace_posix_signals_hold(struct posix_signals *s);

/**
 * ktrace_posix_signals_take - let in the signals that have come
 *
 * A cancellation point.
 * Return: whether a handler has run that does not ask for a restart (SA_RESTART).
 */
bool ktrace_posix_signals_take(const struct posix_signals *s);

/** ktrace_posix_signals_release - hold them no more */
void ktrace_posix_signals_release(const struct posix_signals *s);

#endif
