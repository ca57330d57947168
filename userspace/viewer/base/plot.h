/* SPDX-License-Identifier: GPL-2.0 */
/*
 * plot.h - results as SVG pictures: axes with units, legend, lost events
 *
 * The colours are safe for colour-blind people. Each mark carries its values as a title, which
 * browsers show, and as attributes data-*, which programs read.
 */
#ifndef VIEWER_BASE_PLOT_H
#define VIEWER_BASE_PLOT_H

#include "histogram.h"
#include "viewer.h"

#define PLOT_SERIES 8u		/* number of colours; the last is for all other kinds */
#define PLOT_ROWS 30u
#define PLOT_BINS 2000u

/* The option --svg; refers to a const char *, the file */
extern const struct option_row svg_options[];

/**
 * struct plot_note - the text below every picture
 * @set:	the files
 * @events:	number of events shown
 * @from:	start of the window, ns since the first event of all
 * @to:		its end
 * @lost:	events lost in the window, by reason
 */
struct plot_note {
	const struct ktrace_traceset *set;
	__u64 events;
	__u64 from;
	__u64 to;
	const __u64 *lost;
};

/**
 * struct plot_row - a bar and a distribution of durations
 * @label:	what it shows
 * @ns:		length of the bar
 * @dist:	the durations; may be empty
 */
struct plot_row {
	char label[KTRACE_OUT_MIN + 1];
	__u64 ns;
	const struct histogram *dist;
};

/**
 * struct plot_rows - rows, the first on top
 * @title:	of the picture
 * @bars:	meaning of the bars
 * @dists:	meaning of the durations
 * @rows:	at most PLOT_ROWS
 * @nr:		number of rows
 * @more:	number of rows not shown
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
 * @series:	the kinds, most frequent first
 * @series_nr:	number of kinds, at most PLOT_SERIES
 * @lost:	lost events, by bin
 * @nr:		number of bins
 * @width:	width of a bin, ns
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
