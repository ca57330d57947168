// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - usage: model [-l] [-q] [-n] [-w] [NAME...]
 *
 * Searches the scenarios (those named, or all; with KTRACE_LONG=1 the deeper ones, too)
 * and prints a TAP line for each with what was searched. Status 1 after a violation.
 *
 *   -l  list the names of the scenarios, search nothing
 *   -q  end with the first violation, do not show the way there
 *   -n  sections are not restarted: to see that it is found
 *   -w  the stores of a section may be seen in another order: to see that it is found
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "choice.h"
#include "world.h"

#define DROP KTRACE_POLICY_DROP
#define OVERWRITE KTRACE_POLICY_OVERWRITE
#define BLOCK KTRACE_POLICY_BLOCK
#define STOP KTRACE_POLICY_STOP

/*
 * The ring has four blocks; a large record fills one, a medium one a quarter, a small one
 * an eighth. Columns: policy, whether sections restart, before, program, inner, heir;
 * interrupts, depth, reorders, deaths, deaths of readers, losses of the reader, reads,
 * deviations, positions to begin at, whether only with KTRACE_LONG.
 */
static const struct scenario scenarios[] = {
	{ "drop: reader at any time", DROP, 0, "LL", "LLLL", "", NULL,
	  0, 0, 0, 0, 0, 0, 3, 0, 1, 0 },
	{ "overwrite: reader", OVERWRITE, 0, "LLLL", "LLMML", "", NULL,
	  0, 0, 0, 0, 0, 0, 2, 1, 1, 0 },
	{ "drop: full", DROP, 0, "LLLS", "LSL", "SL", NULL,
	  1, 1, 0, 0, 0, 0, 1, 0, 1, 0 },
	{ "drop: two interrupts, small", DROP, 0, "L", "SS", "S", NULL,
	  2, 2, 2, 0, 0, 0, 0, 0, 1, 0 },
	{ "stop: reader at any time", STOP, 0, "LL", "LLLLS", "", NULL,
	  0, 0, 0, 0, 0, 0, 3, 0, 1, 0 },
	{ "rseq overwrite: positions wrap", OVERWRITE, 1, "LLLLL", "MLL", "", NULL,
	  0, 0, 0, 0, 0, 0, 1, 1, 4, 0 },
	{ "drop: death of the reader", DROP, 0, "LL", "LLL", "", NULL,
	  0, 0, 1, 0, 1, 1, 3, 0, 1, 0 },
	{ "drop: interrupt", DROP, 0, "LLLR", "MLL", "SL", NULL,
	  1, 1, 1, 0, 0, 0, 1, 0, 4, 0 },
	{ "overwrite: interrupt", OVERWRITE, 0, "LLLLL", "LL", "SL", NULL,
	  1, 1, 1, 0, 0, 0, 1, 1, 1, 0 },
	{ "stop: interrupt", STOP, 0, "LLLS", "LSL", "SL", NULL,
	  1, 1, 1, 0, 0, 0, 1, 0, 1, 0 },
	{ "block: reader at any time", BLOCK, 0, "LL", "LLLL", "", NULL,
	  0, 0, 0, 0, 0, 0, 3, 0, 1, 0 },
	{ "block: interrupt", BLOCK, 0, "LLLS", "LSL", "SL", NULL,
	  1, 1, 1, 0, 0, 0, 1, 0, 1, 0 },
	{ "drop: two interrupts", DROP, 0, "LLLRR", "ML", "SL", NULL,
	  2, 2, 0, 0, 0, 0, 0, 0, 1, 0 },
	{ "drop: death", DROP, 0, "LLLR", "L", "S", "ML",
	  1, 1, 1, 1, 0, 0, 1, 0, 1, 0 },
	{ "drop: death of a small one", DROP, 0, "LLLR", "S", "S", "L",
	  1, 1, 1, 1, 0, 0, 1, 0, 1, 0 },
	{ "overwrite: two interrupts", OVERWRITE, 0, "LLLL", "L", "S", NULL,
	  2, 2, 0, 0, 0, 0, 1, 1, 1, 0 },
	{ "overwrite: death", OVERWRITE, 0, "LLLLL", "L", "S", "L",
	  1, 1, 0, 1, 0, 0, 1, 1, 1, 0 },
	{ "stop: death", STOP, 0, "LLLM", "L", "S", "L",
	  1, 1, 1, 1, 0, 0, 1, 0, 1, 0 },
	{ "block: death", BLOCK, 0, "LLLM", "L", "S", "L",
	  1, 1, 1, 1, 0, 0, 1, 0, 1, 0 },
	{ "rseq drop", DROP, 1, "LLLRRR", "ML", "SL", "L",
	  1, 1, 0, 1, 0, 0, 1, 0, 1, 0 },
	{ "rseq overwrite", OVERWRITE, 1, "LLLLL", "L", "SL", "L",
	  1, 1, 0, 1, 0, 0, 1, 1, 1, 0 },
	{ "rseq stop", STOP, 1, "LLLM", "L", "SL", "L",
	  1, 1, 0, 1, 0, 0, 1, 0, 1, 0 },
	{ "rseq block", BLOCK, 1, "LLLM", "L", "SL", "L",
	  1, 1, 0, 1, 0, 0, 1, 0, 1, 0 },
	{ "drop: positions wrap", DROP, 0, "LL", "LLLL", "", NULL,
	  0, 0, 0, 0, 0, 0, 4, 0, 4, 0 },
	{ "drop: records end with a block", DROP, 0, "SSSSSSSSSSSSSSS", "SS", "S", NULL,
	  1, 1, 1, 0, 0, 0, 0, 0, 4, 0 },
	{ "stop: positions wrap", STOP, 0, "LL", "LLLLS", "", NULL,
	  0, 0, 0, 0, 0, 0, 3, 0, 4, 0 },
	{ "block: positions wrap", BLOCK, 0, "LL", "LLLL", "", NULL,
	  0, 0, 0, 0, 0, 0, 3, 0, 4, 0 },
	{ "overwrite: positions wrap", OVERWRITE, 0, "LLLLL", "LL", "SL", NULL,
	  1, 1, 1, 0, 0, 0, 1, 1, 4, 0 },
	{ "drop: reader, long", DROP, 0, "LL", "LLLLLMM", "", NULL,
	  0, 0, 0, 0, 0, 0, 5, 0, 4, 1 },
	{ "drop: interrupts, long", DROP, 0, "LLLR", "MLL", "SL", NULL,
	  2, 2, 2, 0, 0, 0, 2, 0, 1, 1 },
	{ "drop: interrupts, positions wrap, long", DROP, 0, "LLLR", "MLL", "SL", NULL,
	  2, 2, 2, 0, 0, 0, 1, 0, 4, 1 },
	{ "drop: death and interrupts, long", DROP, 0, "LLLR", "ML", "SL", "ML",
	  2, 2, 1, 1, 0, 0, 1, 0, 1, 1 },
	{ "drop: death and reader, long", DROP, 0, "LLLR", "ML", "SL", "ML",
	  1, 1, 1, 1, 0, 0, 2, 0, 1, 1 },
	{ "drop: three levels, long", DROP, 0, "LLLRR", "LS", "S", NULL,
	  4, 2, 0, 0, 0, 0, 0, 0, 1, 1 },
	{ "block: death of the reader, long", BLOCK, 0, "LLL", "LLL", "S", "L",
	  1, 1, 1, 1, 1, 1, 2, 0, 1, 1 },
	{ "block: two deaths of the reader, long", BLOCK, 0, "LLL", "LLL", "S", "L",
	  1, 1, 1, 1, 2, 1, 1, 0, 1, 1 },
	{ "stop: reader, long", STOP, 0, "LL", "LLLLSL", "", NULL,
	  0, 0, 0, 0, 0, 0, 5, 0, 4, 1 },
	{ "stop: interrupts, long", STOP, 0, "LLLS", "LSL", "SL", NULL,
	  2, 2, 1, 0, 0, 0, 0, 0, 1, 1 },
	{ "stop: death, long", STOP, 0, "LLLM", "LS", "S", "LL",
	  2, 2, 1, 1, 0, 0, 0, 0, 1, 1 },
	{ "block: reader, long", BLOCK, 0, "LL", "LLLLS", "", NULL,
	  0, 0, 0, 0, 0, 0, 4, 0, 4, 1 },
	{ "block: interrupts, long", BLOCK, 0, "LLLS", "LSL", "SL", NULL,
	  2, 2, 1, 0, 0, 0, 2, 0, 1, 1 },
	{ "block: death, long", BLOCK, 0, "LLLM", "LS", "S", "LL",
	  1, 1, 1, 1, 0, 0, 2, 0, 1, 1 },
	{ "overwrite: reader, long", OVERWRITE, 0, "LLLL", "LLMMLLL", "", NULL,
	  0, 0, 0, 0, 0, 0, 3, 2, 4, 1 },
	{ "overwrite: interrupts, long", OVERWRITE, 0, "LLLL", "LL", "SL", NULL,
	  2, 2, 1, 0, 0, 0, 1, 1, 1, 1 },
	{ "overwrite: death, long", OVERWRITE, 0, "LLLLL", "ML", "SL", "L",
	  1, 1, 1, 1, 0, 0, 1, 1, 1, 1 },
	{ "rseq drop: interrupts, long", DROP, 1, "LLLR", "MLL", "SL", "L",
	  2, 1, 0, 1, 0, 0, 1, 0, 1, 1 },
	{ "rseq drop: reader, long", DROP, 1, "LLLR", "MLL", "SL", "L",
	  1, 1, 0, 1, 0, 0, 3, 0, 1, 1 },
	{ "rseq stop, long", STOP, 1, "LLLM", "LS", "SL", "L",
	  1, 1, 0, 1, 0, 0, 3, 0, 1, 1 },
	{ "rseq block, long", BLOCK, 1, "LLLM", "LS", "SL", "L",
	  1, 1, 0, 1, 0, 0, 3, 0, 1, 1 },
	{ "rseq overwrite, long", OVERWRITE, 1, "LLLLL", "MLL", "SL", "L",
	  1, 1, 0, 1, 0, 0, 1, 1, 1, 1 },
};

static const __u64 starts[] = { 0, (1ull << 32) - 512, (1ull << 47) - 512, 0 - 512ull };

static jmp_buf failed;
static bool is_list, is_quiet;
static char **names;	/* of scenarios, none: all */

_Noreturn void world_fail(const char *what)
{
	if (!machine.is_verbose && !is_quiet) {
		machine.is_verbose = true;
		longjmp(failed, 1);
	}
	printf("# %s\n", what);
	longjmp(failed, 2);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The name of a scenario, with the port if it is not the first. */
static const char *name_of(const struct scenario *s)
{
	static char name[96];

	snprintf(name, sizeof(name), "%s%s", s->name, world_port == PORT_ARM64 ? ", arm64" : "");
	return name;
}

/* False: a property does not hold. */
static bool search(const struct scenario *s, __u64 start)
{
	const double begin = seconds();
	int verdict;

	choice_reset();
	machine.total = 0;
	machine.is_verbose = false;
	verdict = setjmp(failed);
	if (verdict < 2) {
		world_setup(s, start);
		while (world_run() && !verdict)
			;
	}
	printf("%s - %s from %#llx: %lu executions, %lu states, %lu steps, %.2f s\n",
	       verdict ? "not ok" : "ok", name_of(s), (unsigned long long)start,
	       choices.executions, choices.nodes, machine.total, seconds() - begin);
	return !verdict;
}

static bool is_wanted(const struct scenario *s)
{
	char **name;

	if (!*names)
		return !s->is_long || getenv("KTRACE_LONG");
	for (name = names; *name; name++)
		if (!strcmp(name_of(s), *name))
			return true;
	return false;
}

/* False: unknown ones. */
static bool set_options(char **argv)
{
	for (; *argv && **argv == '-'; argv++) {
		if (strspn(*argv + 1, "lqnw") != strlen(*argv + 1))
			return false;
		is_list |= strchr(*argv, 'l') != NULL;
		is_quiet |= strchr(*argv, 'q') != NULL;
		world_never_restarts |= strchr(*argv, 'n') != NULL;
		world_is_weak |= strchr(*argv, 'w') != NULL;
	}
	names = argv;
	return true;
}

/* Searches a scenario from each of its positions, or only prints its name. */
static bool search_starts(const struct scenario *s)
{
	bool is_right = true;
	unsigned int i;

	if (!is_wanted(s))
		return true;
	if (is_list) {
		puts(name_of(s));
		return true;
	}
	for (i = 0; i < s->starts && (is_right || !is_quiet); i++) {
		is_right &= search(s, starts[i]);
		fflush(stdout);
	}
	return is_right;
}

int main(int argc, char **argv)
{
	const struct scenario *s;
	bool is_right = true;
	enum port port;

	(void)argc;
	if (!set_options(argv + 1)) {
		fprintf(stderr, "usage: model [-l] [-q] [-n] [-w] [NAME...]\n");
		return 2;
	}
	machine_init();
	for (s = scenarios; s < scenarios + sizeof(scenarios) / sizeof(scenarios[0]); s++)
		for (port = 0; port < (s->is_rseq ? PORT_NR : 1); port++) {
			world_port = port;
			is_right &= search_starts(s);
			if (!is_right && is_quiet)
				return 1;
		}
	return !is_right;
}
