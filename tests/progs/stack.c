// SPDX-License-Identifier: GPL-2.0
/*
 * stack.c - how much stack an event takes: the first one of a thread, and the most of 3000
 *
 * Each kind of event is recorded in a handler on a painted stack, also as the first event of the
 * child of a fork of which the library has heard nothing. Status 1: one takes more than 1 KiB, or
 * than that and STACK_FIELD for each field after the second.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <ktrace/ktrace.h>

#include "painted.h"

KTRACE_EVENT(stack, none);
KTRACE_EVENT(stack, small, ktrace_u32(a), ktrace_u64(b));
KTRACE_EVENT(stack, text, ktrace_string(a), ktrace_u32(b));
KTRACE_EVENT(stack, wide, ktrace_u64(a), ktrace_string(b), ktrace_u64(c), ktrace_string(d),
	     ktrace_u64(e), ktrace_string(f), ktrace_u64(g), ktrace_string(h));
KTRACE_EVENT(stack, big, ktrace_seq(u8, bytes));

static uint8_t bytes[70000];

static void put_none(void)
{
	ktrace(stack, none);
}

static void put_small(void)
{
	ktrace(stack, small, 1, 2);
}

static void put_text(void)
{
	ktrace(stack, text, "some text", 3);
}

static void put_wide(void)
{
	ktrace(stack, wide, 1, "b", 2, "d", 3, "f", 4, "h");
}

static void put_long(void)
{
	ktrace(stack, big, bytes, 3000);
}

/* Several records */
static void put_fragments(void)
{
	ktrace(stack, big, bytes, sizeof(bytes));
}

/* The C library does not know of the child, nor does libktrace until it records. */
static void in_child(void)
{
	pid_t pid;
	int status;

	fflush(stdout);
	pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (!pid) {
		size_t used = painted(put_small);

		printf("child first %zu\n", used);
		fflush(stdout);
		_exit(used > STACK_MAX);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		painted_status = 1;
}

int main(void)
{
	painted_show("none", put_none, STACK_MAX);
	painted_show("small", put_small, STACK_MAX);
	painted_show("text", put_text, STACK_MAX);
	painted_show("wide", put_wide, STACK_MAX + 6 * STACK_FIELD);
	painted_show("long", put_long, STACK_MAX);
	painted_show("fragments", put_fragments, STACK_MAX);
	in_child();
	return painted_status;
}
