// SPDX-License-Identifier: GPL-2.0
/*
 * baseline.c - runs the command without recording, and reports how long a command took
 *
 * Shows what recording costs: runs the same command in the same environment and prints the same
 * line about its time after it. Removes the session of another ktraced from the environment:
 * the command would record there.
 */
#include "baseline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/log.h"


static unsigned long long ms_of(const struct timeval *t)
{
	return (unsigned long long)t->tv_sec * 1000 + (unsigned long long)t->tv_usec / 1000;
}

void baseline_say(const struct command *c, __u64 start_ns)
{
	unsigned long long elapsed = (c->gone_ns - start_ns) / NS_PER_MS, user, system;
	struct rusage usage;

	if (!c->is_gone || getrusage(RUSAGE_CHILDREN, &usage))
		return;
	user = ms_of(&usage.ru_utime);
	system = ms_of(&usage.ru_stime);
	log_note("the command took %llu.%03llu s, %llu.%03llu s user, %llu.%03llu s system",
		 elapsed / 1000, elapsed % 1000, user / 1000, user % 1000, system / 1000,
		 system % 1000);
}

int baseline(const struct options *o, const struct command_signals *before,
	     const sigset_t *signals)
{
	const struct command_variable none = { NULL, NULL };
	struct command command;
	__u64 start;
	int error;

	unsetenv("KTRACE_SESSION");
	unsetenv("KTRACE_PIDNS");
	error = command_fork(&command, o->argv, &none, before);
	if (error) {
		log_error("cannot start the command: %s", strerror(-error));
		return EXIT_OWN;
	}
	start = now_ns();
	error = command_release(&command);
	if (error)
		return command_refuse(o->argv[0], error);
	command_wait(&command, signals);
	baseline_say(&command, start);
	command_exit(&command);
}
