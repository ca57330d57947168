/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * machine.h - the hosts of a traceset, and the clock of each
 *
 * Offsets are estimated between the clocks that stamps are from: a cycle counter, scaled to ns, or
 * CLOCK_MONOTONIC. Readings of other clocks, each a little late or early, play no part in that. If
 * traces of a host have stamps of different clocks, their times take the place of stamps.
 */
#ifndef KTRACE_SYNC_MACHINE_H
#define KTRACE_SYNC_MACHINE_H

#include <ktrace/traceset.h>

/**
 * struct machine - a boot of a host
 * @name:	its name, NULL
 * @boot:	its boot id, NULL: of a trace that names none, which is a host of its own
 * @path:	of its first trace
 * @trace:	number of its first trace
 * @has_stamps:	all its traces have stamps of the same clock
 * @zero:	stamp, or time, that is time 0 of the estimate
 * @scale:	ns of a stamp's unit
 * @begin:	earliest time of interest, ns after @zero
 * @end:	latest one
 */
struct machine {
	char *name;
	char *boot;
	char *path;
	size_t trace;
	bool has_stamps;
	__u64 zero;
	double scale;
	double begin;
	double end;
};

/**
 * struct machines - all of a traceset
 * @at:		them
 * @nr:		how many
 * @of_trace:	number of each trace's
 * @trace_nr:	number of traces
 */
struct machines {
	struct machine *at;
	__u32 nr;
	__u32 *of_trace;
	size_t trace_nr;
};

int ktrace_machines_find(struct machines *m, const struct ktrace_traceset *set);
void ktrace_machine_extend(struct machine *m, const struct ktrace_trace *trace, __u64 raw);
double ktrace_machine_ns(const struct machine *m, const struct ktrace_trace *trace, __u64 raw);
__u64 ktrace_machine_raw(const struct machine *m, const struct ktrace_trace *trace, double ns);
void ktrace_machines_free(struct machines *m);

#endif
