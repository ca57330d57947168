// SPDX-License-Identifier: GPL-2.0
/*
 * sigbus_guard.c - survives when another process truncates the session's memory
 *
 * A session in shared memory is a file that every program of its user can truncate. A process
 * that then touches a page beyond the end gets SIGBUS. The page is replaced by an empty one
 * and the damage is counted; SIGBUS from any other cause still ends ktraced.
 *
 * The only global: a signal handler has no other way to find the session.
 */
#include "sigbus_guard.h"

#include <errno.h>
#include <signal.h>

static struct ktrace_session *const *guarded;

static void on_bus_error(int sig, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	if (info->si_code <= 0 || !guarded || !*guarded ||
	    !ktrace_session_mend(*guarded, info->si_addr)) {
		signal(sig, SIG_DFL);
		raise(sig);
	}
	errno = saved;
}

void sigbus_guard_session(struct ktrace_session *const *s)
{
	struct sigaction action = { .sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO };

	guarded = s;
	sigaction(SIGBUS, &action, NULL);
}

void sigbus_guard_end(void)
{
	signal(SIGBUS, SIG_DFL);
	guarded = NULL;
}
