// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_hist.c - ktrace hist: number of events over time
 *
 * Each event is in exactly one bin. Events outside the time range of the files' headers are in the
 * first or the last bin.
 */
#include "base/table.h"
#include "base/viewer.h"

#include "base/hash_table.h"
#include "base/json.h"
#include "base/when.h"
#include "base/plot.h"
#include "events/time_range.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BINS_DEFAULT 20u
#define BINS_DRAWN 120u
#define BINS_MAX 1000000u
#define BAR 50u

struct bin {
	__u64 events;
	__u64 lost;
};

/* struct kind - events of a type, for a picture; @name is the key */
struct kind {
	char name[64];
	__u64 events;
	__u64 *counts;
};

/**
 * struct hist - one run of the command
 * @scope:	which events
 * @is_json:	one object
 * @nr:		bins
 * @width:	of each, ns; 0 = follows from @nr
 * @bins:	@nr of them
 * @events:	in all bins
 * @svg:	file for the picture, NULL = print text
 * @has_bins:	the number of bins was given
 * @kinds:	of events, for a picture
 */
struct hist {
	struct time_range scope;
	bool is_json;
	__u64 nr;
	__u64 width;
	struct bin *bins;
	__u64 events;
	const char *svg;
	bool has_bins;
	struct hash_table kinds;
};

/* Allocates bins: number and width, one of which is given. Return: 0, -E2BIG, -ENOMEM. */
static int make_bins(struct hist *h, __u64 end)
{
	struct time_range *s = &h->scope;
	__u64 span;

	if (!s->until.is_set)
		s->to = end < ~0ull ? end + 1 : end;
	span = s->to > s->from ? s->to - s->from : 1;
	if (h->width)
		h->nr = (span - 1) / h->width + 1;
	else
		h->width = (span - 1) / h->nr + 1;
	if (h->nr > (h->svg ? PLOT_BINS : BINS_MAX))
		return -E2BIG;
	h->bins = calloc(h->nr, sizeof(*h->bins));
	return h->bins ? 0 : -ENOMEM;
}

static __u64 bin_of(const struct hist *h, __u64 time)
{
	__u64 i = time > h->scope.from ? (time - h->scope.from) / h->width : 0;

	return i < h->nr ? i : h->nr - 1;
}

/* Counts the event as one of its kind. Return: 0, -ENOMEM. */
static int count_kind(struct hist *h, const struct ktrace_trace_event *e, const struct bin *bin)
{
	char key[KTRACE_OUT_MIN] = "";
	struct ktrace_out out = { .buf = key, .cap = sizeof(key) };
	struct kind *kind;

	ktrace_event_name(&out, e);
	/* The key of a longer name is its beginning. */
	key[sizeof(kind->name) - 1] = '\0';
	kind = hash_table_get(&h->kinds, key);
	if (kind && !kind->counts)
		kind->counts = calloc(h->nr, sizeof(*kind->counts));
	if (!kind || !kind->counts)
		return -ENOMEM;
	kind->counts[bin - h->bins]++;
	kind->events++;
	return 0;
}

static int count(struct hist *h)
{
	const struct ktrace_trace_event *e;
	__u64 lost = 0, now;
	struct bin *bin;
	int ret;

	while ((ret = time_range_next(&h->scope, &e)) == 1) {
		bin = &h->bins[bin_of(h, e->time)];
		now = lost_total(h->scope.lost);
		bin->lost += now - lost;
		lost = now;
		if (e->id == KTRACE_ID_LOST)
			continue;
		bin->events++;
		h->events++;
		if (h->svg && count_kind(h, e, bin))
			return -ENOMEM;
	}
	return ret;
}

static void put_head(struct ktrace_out *out, const struct hist *h)
{
	__u64 lost = lost_total(h->scope.lost);

	out_printf(out, "%llu events in %llu bins of ", h->events, h->nr);
	out_seconds(out, h->width, 0);
	ktrace_out_str(out, " s");
	if (lost)
		out_printf(out, "; lost: %llu", lost);
	ktrace_out_char(out, '\n');
}

/* Draws a bar: full width for @max, at least one character for any value above 0. */
static void put_bar(struct ktrace_out *out, __u64 events, __u64 max)
{
	__u64 n = (__u64)((double)events * BAR / (double)max + 0.5);

	if (events && !n)
		n = 1;
	if (n)
		ktrace_out_char(out, ' ');
	while (n--)
		ktrace_out_char(out, '#');
}

static void put_text(struct ktrace_out *out, const struct hist *h)
{
	__u64 max = 1, i;

	for (i = 0; i < h->nr; i++)
		max = h->bins[i].events > max ? h->bins[i].events : max;
	put_head(out, h);
	for (i = 0; i < h->nr; i++) {
		output_line_begin(out);
		out_seconds(out, h->scope.from - h->scope.start + i * h->width, 15);
		out_printf(out, " %10llu", h->bins[i].events);
		put_bar(out, h->bins[i].events, max);
		if (h->bins[i].lost)
			out_printf(out, " (lost: %llu)", h->bins[i].lost);
		ktrace_out_char(out, '\n');
	}
}

static void put_json(struct ktrace_out *out, const struct hist *h)
{
	__u64 i;

	ktrace_out_char(out, '{');
	json_seconds(out, "start", h->scope.start);
	json_u64(out, "ns", h->scope.from - h->scope.start);
	json_u64(out, "bin_ns", h->width);
	json_u64(out, "events", h->events);
	lost_events_json(out, h->scope.lost);
	json_open(out, "bins", '[');
	for (i = 0; i < h->nr; i++) {
		output_line_begin(out);
		out_printf(out, "%s[%llu,%llu]", i ? "," : "", h->bins[i].events, h->bins[i].lost);
	}
	ktrace_out_str(out, "]}\n");
}

static int by_events(const void *x, const void *y)
{
	const struct kind *a = x, *b = y;

	return a->events != b->events ? (a->events < b->events ? 1 : -1) :
	       strcmp(a->name, b->name);
}

/* Adds the kinds with the most events; the last series is for all others. */
static void plot_kinds(struct hist *h, struct plot_bins *p)
{
	const size_t nr = h->kinds.nr > PLOT_SERIES ? PLOT_SERIES - 1 : h->kinds.nr;
	struct kind *kind, *rest = NULL;
	size_t i, k;

	hash_table_sort(&h->kinds, by_events);
	for (i = 0; i < h->kinds.nr; i++) {
		kind = hash_table_at(&h->kinds, i);
		if (i < nr) {
			p->series[p->series_nr].name = kind->name;
			p->series[p->series_nr++].counts = kind->counts;
			continue;
		}
		for (k = 0; rest && k < h->nr; k++)
			rest->counts[k] += kind->counts[k];
		rest = rest ? rest : kind;
	}
	if (rest)
		p->series[p->series_nr++] = (struct plot_series){ "others", rest->counts };
}

/* Return: 0, -ENOMEM. */
static int put_svg(struct hist *h)
{
	const struct plot_note note = {
		.set = h->scope.set, .events = h->events, .from = h->scope.from - h->scope.start,
		.to = h->scope.to - h->scope.start, .lost = h->scope.lost,
	};
	struct plot_bins p = { .title = "Events over time", .nr = h->nr, .width = h->width };
	__u64 *lost = calloc(h->nr, sizeof(*lost));
	size_t i;

	if (!lost)
		return -ENOMEM;
	for (i = 0; i < h->nr; i++)
		lost[i] = h->bins[i].lost;
	p.lost = lost;
	plot_kinds(h, &p);
	plot_bins(output(), &p, &note);
	free(lost);
	return 0;
}

/* Reads the files and prints. Return: 0, -errno. */
static int hist_set(struct hist *h, struct ktrace_traceset *set)
{
	__u64 start, end;
	int ret = files_span(set, &start, &end);

	if (!ret)
		ret = time_range_begin(&h->scope, set);
	if (!ret)
		ret = make_bins(h, end);
	if (!ret)
		ret = count(h);
	if (!ret && h->svg)
		ret = put_svg(h);
	if (ret == -E2BIG)
		fprintf(stderr, "ktrace: more than %u bins\n", h->svg ? PLOT_BINS : BINS_MAX);
	else if (ret)
		fprintf(stderr, "ktrace: %s\n", strerror(-ret));
	else if (h->is_json && !h->svg)
		put_json(output(), h);
	else if (!h->svg)
		put_text(output(), h);
	time_range_complain(&h->scope);
	return ret;
}

static int hist_files(struct hist *h, int nr, char **paths)
{
	struct ktrace_traceset *set;
	int status, ret;

	set = open_files(nr, paths, &status);
	if (!set)
		return status;
	if (h->svg && output_to(h->svg, nr, paths)) {
		ktrace_traceset_close(set);
		return STATUS_DAMAGED;
	}
	ret = hist_set(h, set);
	if (ret)
		output_void();
	status = output_end(ret ? STATUS_DAMAGED : files_status(set, status));
	ktrace_traceset_close(set);
	return ret == -E2BIG ? STATUS_USAGE : status;
}

static const char *set_bins(void *to, const char *text)
{
	struct hist *h = to;

	h->has_bins = true;
	h->width = 0;
	return number_parse(text, 1, BINS_MAX, &h->nr) ? NULL :
	       "--bins: not a number from 1 to 1000000";
}

static const char *set_width(void *to, const char *text)
{
	struct hist *h = to;
	struct ktrace_when width;

	if (!ktrace_when_parse(text, &width) || !width.is_relative || !width.ns)
		return "--width: not a time such as 1s or 10ms";
	h->width = width.ns;
	return NULL;
}

static const struct option_row rows[] = {
	{ .letter = 'b', .name = "bins", .value = "N", .set = set_bins,
	  .help = "number of bins, in a picture at most 2000 (default: 20;\n"
		  "in a picture 120)" },
	{ .letter = 'w', .name = "width", .value = "TIME", .set = set_width,
	  .help = "width of each bin: 1s, 10ms, ..." },
	{ .help = NULL },
};

static const struct option_set sets[] = {
	{ rows, 0 },
	{ svg_options, offsetof(struct hist, svg) },
	TIME_RANGE_SETS(offsetof(struct hist, scope)),
	{ json_options, offsetof(struct hist, is_json) },
	{ NULL, 0 },
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct hist h = {
		.nr = BINS_DEFAULT, .scope.keeps_losses = true,
		.kinds = HASH_TABLE_INIT(struct kind, name),
	};
	int status = command_parse(cmd, &h, argc, argv);
	size_t i;

	if (h.svg && !h.has_bins && !h.width)
		h.nr = BINS_DRAWN;
	if (status < 0)
		status = command_check(cmd, time_range_wrong(&h.scope));
	if (status < 0)
		status = hist_files(&h, argc - optind, argv + optind);
	for (i = 0; i < h.kinds.nr; i++)
		free(((struct kind *)hash_table_at(&h.kinds, i))->counts);
	hash_table_free(&h.kinds);
	free(h.bins);
	time_range_free(&h.scope);
	return status;
}

const struct command cmd_hist = {
	.name = "hist",
	.args = "[OPTION...] FILE...",
	.summary = "Count events over time",
	.options = sets,
	.needs_files = true,
	.run = run,
};
