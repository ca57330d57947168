// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - writes a mark into a live recording, for ktrace control
 *
 * usage: mark TEXT, with the recording in KTRACE_SESSION
 *
 * A program like any other that takes part: so a mark is an event, in order with the others.
 */
#include <stdio.h>
#include <ktrace/ktrace.h>

KTRACE_EVENT(ktrace, mark, ktrace_string(text));

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: KTRACE_SESSION=... mark TEXT; ktrace control calls it\n");
		return 2;
	}
	ktrace(ktrace, mark, argv[1]);
	return ktrace_enabled(ktrace, mark) ? 0 : 1;
}
