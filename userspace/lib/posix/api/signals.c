// SPDX-License-Identifier: LGPL-2.1
/* signals.c - signals of a waiting thread: a signal handled meanwhile ends the wait */
#include "signals.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <time.h>

void ktrace_posix_signals_hold(struct posix_signals *s)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS };
	sigset_t held;

	sigfillset(&held);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigdelset(&held, faults[i]);
	pthread_sigmask(SIG_BLOCK, &held, &s->mask);
}

static bool ends_wait(int number)
{
	struct sigaction action;

	return !sigaction(number, NULL, &action) && action.sa_handler != SIG_IGN &&
	       action.sa_handler != SIG_DFL && !(action.sa_flags & SA_RESTART);
}

bool ktrace_posix_signals_take(const struct posix_signals *s)
{
	static const struct timespec at_once = { 0, 0 };
	bool ends = false, any = false;
	sigset_t pending, mask;

	if (sigpending(&pending))
		return false;
	/* Keep later signals blocked until their actions have been checked. */
	sigfillset(&mask);
	for (int i = 1; i < NSIG; i++)
		if (sigismember(&pending, i) == 1 && sigismember(&s->mask, i) == 0) {
			sigdelset(&mask, i);
			any = true;
			ends |= ends_wait(i);
		}
	return any && ppoll(NULL, 0, &at_once, &mask) < 0 && errno == EINTR && ends;
}

void ktrace_posix_signals_release(const struct posix_signals *s)
{
	pthread_sigmask(SIG_SETMASK, &s->mask, NULL);
}
