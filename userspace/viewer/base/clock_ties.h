/* SPDX-License-Identifier: GPL-2.0 */
/* clock_ties.h - summary of what a trace says about its clock and other clocks */
#ifndef KTRACE_VIEWER_CLOCK_TIES_H
#define KTRACE_VIEWER_CLOCK_TIES_H

#include <ktrace/traceset.h>

struct ktrace_out;

/* Prints a line for the kernel's estimate, each time source and each peer of pings. */
void clock_ties_put(struct ktrace_out *out, const struct ktrace_trace *t,
		    void (*label)(struct ktrace_out *out, const char *text));
/* Prints the same as members of the object of a file. */
void clock_ties_json(struct ktrace_out *out, const struct ktrace_trace *t);

#endif
