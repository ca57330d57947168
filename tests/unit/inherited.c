// SPDX-License-Identifier: GPL-2.0
/*
 * inherited.c - linked into each unit test: resets signals, umask and limits
 *
 * With SIGCHLD ignored, for example, waitpid() finds no child.
 */
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define FILES 1024	/* the usual soft limit */

__attribute__((constructor)) static void reset_inherited(void)
{
	struct rlimit limit;
	sigset_t none;
	int i;

	sigemptyset(&none);
	for (i = 1; i < NSIG; i++) {
		struct sigaction action;

		/* Sanitizers have handlers of their own. */
		if (!sigaction(i, NULL, &action) && action.sa_handler == SIG_IGN)
			signal(i, SIG_DFL);
	}
	sigprocmask(SIG_SETMASK, &none, NULL);
	umask(022);
	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max < FILES ? limit.rlim_max : FILES;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}
