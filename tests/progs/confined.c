// SPDX-License-Identifier: GPL-2.0
/*
 * confined.c - record events where most system calls kill
 *
 *   confined filter|open|strict|clock
 *
 * filter: a filter of seccomp(2); open: the same without a filter, for strace(1). The first thread,
 * new threads and the child of a fork record: 4 x 10000 small events, 3 that are long. strict: a
 * thread that has recorded enters the strict mode and goes on; clock: it may not read the clock any
 * more, then it may again. Prints "recorded NUMBER", what is to be in the trace.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <ktrace/ktrace.h>

#include "filter.h"

#define EVENT_NR 10000

KTRACE_EVENT(confined, small, ktrace_u32(number));
KTRACE_EVENT(confined, big, ktrace_seq(u8, bytes));

static const uint8_t bytes[100000];

static void *record(void *arg)
{
	for (uint32_t i = 0; i < EVENT_NR; i++)
		ktrace(confined, small, i);
	return arg;
}

static int all_threads(void)
{
	int i;

	record(NULL);
	for (i = 0; i < 3; i++)
		ktrace(confined, big, bytes, sizeof(bytes));
	if (in_threads(2, record))
		return 2;
	return 0;
}

static int in_child(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		record(NULL);
		_exit(0);
	}
	return waitpid(pid, &status, 0) != pid || status;
}

static void say(const char *text)
{
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		syscall(SYS_exit, 3);
}

static int strictly(void)
{
	ktrace(confined, small, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
		return 2;
	for (uint32_t i = 1; i < 4; i++)
		ktrace(confined, small, i);
	ktrace(confined, big, bytes, sizeof(bytes));
	say("recorded 1\n");
	syscall(SYS_exit, 0);
	return 2;
}

static int without_clock(void)
{
#ifdef PR_SET_TSC
	ktrace(confined, small, 0);
	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0))
		return 2;
	ktrace(confined, small, 1);
	prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0);
	ktrace(confined, small, 2);
	say("recorded 2\n");
#endif
	return 0;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "open";

	if (!strcmp(how, "strict"))
		return strictly();
	if (!strcmp(how, "clock"))
		return without_clock();
	if (!strcmp(how, "filter") && install_filter())
		return 2;
	mark();
	if (all_threads() || in_child())
		return 2;
	say("recorded 40003\n");
	return 0;
}
