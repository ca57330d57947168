// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_hist.c - ktrace hist: how many events there are, over time
 *
 * Each event is in exactly one bin. One whose time lies outside of what the files' headers
 * say is in the first or the last.
 */
#include "viewer.h"

#include "json.h"
#include "scope.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BINS_DEFAULT 20u
#define BINS_MAX 1000000u
#define BAR 50u

struct bin {
	__u64 events;
	__u64 lost;
};

/**
 * struct hist - one run of the command
 * @scope:	which events
 * @is_json:	one object
 * @nr:		bins
 * @width:	of each, ns; 0 = as @nr says
 * @bins:	@nr
 * @events:	in all bins
 */
struct hist {
	struct scope scope;
	bool is_json;
	__u64 nr;
	__u64 width;
	struct bin *bins;
	__u64 events;
};

/* Number and width of the bins, one of which is given. Returns 0, -E2BIG, -ENOMEM. */
static int make_bins(struct hist *h, __u64 end)
{
	struct scope *s = &h->scope;
	__u64 span;

	if (s->from < s->start)
		s->from = s->start;
	if (!s->until.is_set)
		s->to = end < ~0ull ? end + 1 : end;
	span = s->to > s->from ? s->to - s->from : 1;
	if (h->width)
		h->nr = (span - 1) / h->width + 1;
	else
		h->width = (span - 1) / h->nr + 1;
	if (h->nr > BINS_MAX)
		return -E2BIG;
	h->bins = calloc(h->nr, sizeof(*h->bins));
	return h->bins ? 0 : -ENOMEM;
}

static __u64 bin_of(const struct hist *h, __u64 time)
{
	__u64 i = time > h->scope.from ? (time - h->scope.from) / h->width : 0;

	return i < h->nr ? i : h->nr - 1;
}

static int count(struct hist *h)
{
	const struct ktrace_trace_event *e;
	__u64 lost = 0, now;
	struct bin *bin;
	int ret;

	while ((ret = scope_next(&h->scope, &e)) == 1) {
		bin = &h->bins[bin_of(h, e->time)];
		now = scope_lost(&h->scope);
		bin->lost += now - lost;
		lost = now;
		if (e->id == KTRACE_ID_LOST)
			continue;
		bin->events++;
		h->events++;
	}
	return ret;
}

static void put_padded(struct ktrace_out *out, __u64 v, size_t width)
{
	char text[24];
	int n = snprintf(text, sizeof(text), "%*llu", (int)width, v);

	ktrace_out_bytes(out, text, (size_t)n);
}

static void put_head(struct ktrace_out *out, const struct hist *h)
{
	__u64 lost = scope_lost(&h->scope);

	ktrace_out_u64(out, h->events);
	ktrace_out_str(out, " events in ");
	ktrace_out_u64(out, h->nr);
	ktrace_out_str(out, " bins of ");
	out_seconds(out, h->width, 0);
	ktrace_out_str(out, " s");
	if (lost) {
		ktrace_out_str(out, "; lost: ");
		ktrace_out_u64(out, lost);
	}
	ktrace_out_char(out, '\n');
}

/* A bar of at least one sign for what is not 0, and the longest for @max. */
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
		ktrace_out_char(out, ' ');
		put_padded(out, h->bins[i].events, 10);
		put_bar(out, h->bins[i].events, max);
		if (h->bins[i].lost) {
			ktrace_out_str(out, " (lost: ");
			ktrace_out_u64(out, h->bins[i].lost);
			ktrace_out_char(out, ')');
		}
		ktrace_out_char(out, '\n');
	}
}

static void put_json(struct ktrace_out *out, const struct hist *h)
{
	__u64 i;

	ktrace_out_str(out, "{\"start\":\"");
	out_seconds(out, h->scope.start, 0);
	ktrace_out_char(out, '"');
	json_u64(out, "ns", h->scope.from - h->scope.start);
	json_u64(out, "bin_ns", h->width);
	json_u64(out, "events", h->events);
	json_key(out, "lost");
	scope_json_lost(out, &h->scope);
	json_key(out, "bins");
	ktrace_out_char(out, '[');
	for (i = 0; i < h->nr; i++) {
		output_line_begin(out);
		ktrace_out_str(out, i ? ",[" : "[");
		ktrace_out_u64(out, h->bins[i].events);
		ktrace_out_char(out, ',');
		ktrace_out_u64(out, h->bins[i].lost);
		ktrace_out_char(out, ']');
	}
	ktrace_out_str(out, "]}\n");
}

/* Reads the files and prints. Return: 0, -errno. */
static int hist_set(struct hist *h, struct ktrace_traceset *set)
{
	__u64 start, end;
	int ret = files_span(set, &start, &end);

	if (!ret)
		ret = scope_begin(&h->scope, set);
	if (!ret)
		ret = make_bins(h, end);
	if (!ret)
		ret = count(h);
	if (ret == -E2BIG)
		fprintf(stderr, "ktrace: more than %u bins\n", BINS_MAX);
	else if (ret)
		fprintf(stderr, "ktrace: %s\n", strerror(-ret));
	else if (h->is_json)
		put_json(output(), h);
	else
		put_text(output(), h);
	scope_complain(&h->scope);
	return ret;
}

static int hist_files(struct hist *h, int nr, char **paths)
{
	struct ktrace_traceset *set;
	int status, ret;

	set = open_files(nr, paths, &status);
	if (!set)
		return status;
	ret = hist_set(h, set);
	status = output_end(ret ? STATUS_DAMAGED : files_status(set, status));
	ktrace_traceset_close(set);
	return ret == -E2BIG ? STATUS_USAGE : status;
}

static const char *take_option(struct hist *h, int option)
{
	struct ktrace_when width;
	char *end;

	switch (option) {
	case 'j':
		h->is_json = true;
		return NULL;
	case 'b':
		h->width = 0;
		h->nr = strtoull(optarg, &end, 10);
		return *optarg >= '0' && *optarg <= '9' && !*end && h->nr && h->nr <= BINS_MAX ?
		       NULL : "--bins: not a number from 1 to 1000000";
	case 'w':
		if (!ktrace_when_parse(optarg, &width) || !width.is_relative || !width.ns)
			return "--width: not a length of time";
		h->width = width.ns;
		return NULL;
	default:
		return scope_option(&h->scope, option);
	}
}

static const struct option options[] = {
	SCOPE_OPTIONS,
	{ "bins", required_argument, NULL, 'b' },
	{ "width", required_argument, NULL, 'w' },
	{ "json", no_argument, NULL, 'j' },
	COMMON_OPTIONS
};

static int run(const struct command *cmd, int argc, char **argv)
{
	struct hist h = { .nr = BINS_DEFAULT, .scope.keeps_losses = true };
	const char *wrong = NULL;
	int option, status;

	while (!wrong && (option = getopt_long(argc, argv, "b:e:p:w:", options, NULL)) != -1) {
		if (option == '?' || option >= OPTION_HELP) {
			scope_free(&h.scope);
			return command_common_option(cmd, option);
		}
		wrong = take_option(&h, option);
	}
	if (!wrong && optind == argc)
		wrong = "no file";
	if (wrong)
		status = command_usage(cmd, wrong);
	else
		status = hist_files(&h, argc - optind, argv + optind);
	free(h.bins);
	scope_free(&h.scope);
	return status;
}

const struct command cmd_hist = {
	.name = "hist",
	.args = "[OPTION...] FILE...",
	.summary = "Count events over time",
	.help =
"  -b, --bins N       so many bins (20)\n"
"  -w, --width TIME   of each bin: 1s, 10ms, ...\n"
SCOPE_HELP
"  --json             one JSON object\n"
"  --help, --version\n"
"\n"
"A line is a bin: its beginning in seconds since the first event, its number of events,\n"
"a bar. All events are in one bin each; losses are not events, and said in parentheses.\n"
"\n"
"JSON members: start (string, time of the first event of all, seconds since the epoch),\n"
"ns (beginning of the first bin, since then), bin_ns (width), events, lost (by reason),\n"
"bins, an array of [events, lost].\n",
	.run = run,
};
