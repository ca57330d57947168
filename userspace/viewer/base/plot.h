/* SPDX-License-Identifier: GPL-2.0 */
/*
 * plot.h - pictures of results as SVG: axes with units, legend, what was lost
 *
 * Colours are told apart by colour-blind people. Each mark has what it shows as a title, which
 * browsers show, and as attributes data-*, which programs read.
 */
#ifndef VIEWER_BASE_PLOT_H
#define VIEWER_BASE_PLOT_H

#include "histogram.h"
#include "viewer.h"

#define PLOT_SERIES 8u		/* colours there are; the last is for all others */
#define PLOT_ROWS 30u
#define PLOT_BINS 2000u

#define PLOT_OPTIONS { "svg", required_argument, NULL, OPTION_SVG }
enum { OPTION_SVG = 980 };
#define PLOT_HELP \
"  --svg FILE         instead of text, a picture, into FILE\n"

/**
 * struct plot_note - what all pictures say below
 * @set:	the files
 * @events:	how many it is made of
 * @from:	begin of the window, ns since the first event of all
 * @to:		its end
 * @lost:	lost in it, by reason
 */
struct plot_note {
	const struct ktrace_traceset *set;
	__u64 events;
	__u64 from;
	__u64 to;
	const __u64 *lost;
};

/**
 * struct plot_row - a bar, and how durations are distributed
 * @label:	what it is of
 * @ns:		length of the bar
 * @dist:	the durations; empty = there are none
 */
struct plot_row {
	char label[KTRACE_OUT_MIN + 1];
	__u64 ns;
	const struct histogram *dist;
};

/**
 * struct plot_rows - rows, the first on top
 * @title:	of the picture
 * @bars:	what the bars are
 * @dists:	what the durations are
 * @rows:	at most PLOT_ROWS
 * @nr:		how many
 * @more:	rows that are not shown
 */
struct plot_rows {
	const char *title;
	const char *bars;
	const char *dists;
	struct plot_row rows[PLOT_ROWS];
	size_t nr;
	size_t more;
};

void plot_rows(struct ktrace_out *out, const struct plot_rows *p, const struct plot_note *note);

/**
 * struct plot_series - counts of one kind
 * @name:	its name
 * @counts:	by bin
 */
struct plot_series {
	const char *name;
	const __u64 *counts;
};

/**
 * struct plot_bins - counts over time, one kind on top of the other
 * @title:	of the picture
 * @series:	kinds, that with the most first
 * @series_nr:	how many, at most PLOT_SERIES
 * @lost:	lost, by bin
 * @nr:		bins
 * @width:	of a bin, ns
 */
struct plot_bins {
	const char *title;
	struct plot_series series[PLOT_SERIES];
	size_t series_nr;
	const __u64 *lost;
	size_t nr;
	__u64 width;
};

void plot_bins(struct ktrace_out *out, const struct plot_bins *p, const struct plot_note *note);

#endif
