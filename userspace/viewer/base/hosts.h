/* SPDX-License-Identifier: GPL-2.0 */
/* hosts.h - hosts of a traceset, each one boot of a machine; errors of their times */
#ifndef VIEWER_BASE_HOSTS_H
#define VIEWER_BASE_HOSTS_H

#include <ktrace/decode.h>
#include <ktrace/traceset.h>

#include "model/machine.h"

#define HOST_LABEL_MAX 64u

/* Counts the hosts. */
size_t hosts_count(const struct ktrace_traceset *set);
/*
 * Writes the name of a trace's host; with "#" and the number of the trace if the host has no name,
 * or if another trace has the same one.
 */
void hosts_put_label(struct ktrace_out *out, const struct ktrace_traceset *set,
		     const struct ktrace_trace *trace);
/* The same for all traces of host @machine: only another host of the same name adds the number. */
void hosts_put_name(struct ktrace_out *out, const struct ktrace_traceset *set, __u32 machine);
/* Returns the length of the longest label, at most HOST_LABEL_MAX. */
size_t hosts_label_width(const struct ktrace_traceset *set);

/**
 * struct time_error - what is known of the error of a time, or of the distance between two times
 * @is_known:	the interval is known
 * @early_ns:	it begins this much earlier; meaningless unless it is known, as below
 * @late_ns:	it ends this much later
 */
struct time_error {
	bool is_known;
	__u64 early_ns;
	__u64 late_ns;
};

/* Returns the error of a stamp's time, in a set of several hosts. */
struct time_error time_error_of(const struct ktrace_trace *trace, __u64 raw);
/* Returns the error of a distance between times of two hosts, from their errors. */
struct time_error time_error_between(const struct time_error *from, const struct time_error *to);
/* Returns the larger side of a known error. */
__u64 time_error_larger(const struct time_error *error);
/* Returns "±" where the user's locale can print it, otherwise "+-". */
const char *plus_minus(void);
/* Writes "±1.3us", rounded up, or "±?" if it is not known; nothing for no error. */
void out_time_error(struct ktrace_out *out, const struct time_error *error);
/* Writes ,"error_ns":1300, and both sides if they differ; null if it is not known. */
void json_time_error(struct ktrace_out *out, const struct time_error *error);

#endif
