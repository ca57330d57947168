/* SPDX-License-Identifier: GPL-2.0 */
/* histogram.h - distributions of durations, as text, JSON and for plots */
#ifndef VIEWER_BASE_HISTOGRAM_H
#define VIEWER_BASE_HISTOGRAM_H

#include <ktrace/decode.h>

#include "model/histogram.h"

/* Draws bars, one line an octave, each indented by @indent blanks. */
void histogram_show(const struct histogram *d, struct ktrace_out *out, int indent);
/* Writes nr, total_ns, min_ns, max_ns, p50_ns, p99_ns as members of a JSON object. */
void histogram_json(const struct histogram *d, struct ktrace_out *out);
/* Calls @put for each quarter of an octave that has any durations. */
void histogram_walk(const struct histogram *d, void (*put)(void *arg, __u64 low, __u64 high,
							   __u64 nr),
		    void *arg);

#endif
