// SPDX-License-Identifier: GPL-2.0
/* plot.c - results as SVG pictures */
#include "plot.h"

#include "base/clock.h"
#include "clock_warnings.h"
#include "table.h"
#include "when.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WIDTH 960
#define TOP 64
#define ROW 22
#define BAR_X 270
#define BAR_WIDTH 240
#define DIST_X 550
#define DIST_WIDTH 380
#define BINS_X 80
#define BINS_WIDTH 660
#define BINS_HEIGHT 300
#define LOST_HEIGHT 10
#define FOOT 20

/* The palette of Okabe and Ito, grey for the rest */
static const char *const colours[PLOT_SERIES] = {
	"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a800", "#8c8c8c",
};

/* Writes text from the trace: escapes markup, drops characters that XML does not allow. */
static void put_text(struct ktrace_out *out, const char *text)
{
	char safe[256];
	struct ktrace_out clean = { .buf = safe, .cap = sizeof(safe) };
	size_t i;

	ktrace_out_safe(&clean, text);
	for (i = 0; i < clean.len; i++) {
		if (safe[i] == '<')
			ktrace_out_str(out, "&lt;");
		else if (safe[i] == '>')
			ktrace_out_str(out, "&gt;");
		else if (safe[i] == '&')
			ktrace_out_str(out, "&amp;");
		else if (safe[i] == '"')
			ktrace_out_str(out, "&quot;");
		else if (i + 2 < clean.len && !memcmp(safe + i, "\xef\xbf", 2) &&
			 (unsigned char)safe[i + 2] >= 0xbe)
			i += 2;
		else
			ktrace_out_char(out, safe[i]);
	}
}

static void label(struct ktrace_out *out, double x, double y, const char *class, const char *text)
{
	output_line_begin(out);
	out_printf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
	put_text(out, text);
	ktrace_out_str(out, "</text>\n");
}

static void line(struct ktrace_out *out, double x1, double y1, double x2, double y2,
		 const char *class)
{
	out_printf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n",
		   x1, y1, x2, y2, class);
}

static void box(struct ktrace_out *out, double x, double y, double width, const char *colour)
{
	out_printf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"11\" fill=\"%s\"/>\n",
		   x, y, width, colour);
}

static void begin(struct ktrace_out *out, const char *title, int height)
{
	out_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
		   "width=\"%d\" height=\"%d\" font-family=\"DejaVu Sans, Arial, sans-serif\" "
		   "font-size=\"12\">\n", WIDTH, height, WIDTH, height);
	ktrace_out_str(out, "<title>");
	put_text(out, title);
	/* Draw the background, so that the text is readable in dark viewers, too. */
	ktrace_out_str(out, "</title>\n<style>\n"
		"text { fill: #202020 } .r { text-anchor: end } .m { text-anchor: middle }\n"
		".h { font-size: 16px; font-weight: bold } .s { font-size: 11px; fill: #505050 }\n"
		".a { stroke: #505050 } .g { stroke: #dcdcdc } .p { stroke: #000000; "
		"stroke-width: 2 } .q { stroke: #d55e00; stroke-width: 2 }\n"
		".lost { fill: #b03a00; font-weight: bold } .note { fill: #b03a00 }\n"
		".sm { text-anchor: middle; font-size: 11px }\n</style>\n");
	out_printf(out, "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", WIDTH, height);
	label(out, 16, 26, "h", title);
}

/* struct foot - where the next line of the foot goes */
struct foot {
	struct ktrace_out *out;
	int y;
};

static void tell_quality(void *arg, const char *path, const char *text)
{
	struct foot *f = arg;
	char both[256];

	snprintf(both, sizeof(both), "%.90s%s%s", path ? path : "", path ? ": " : "", text);
	label(f->out, 16, f->y, "note", both);
	f->y += FOOT;
}

static void count_quality(void *arg, const char *path, const char *text)
{
	(void)path;
	(void)text;
	++*(int *)arg;
}

static int foot_height(const struct plot_note *note)
{
	int nr = 3;

	clock_warnings_tell(note->set, count_quality, &nr);
	return nr * FOOT;
}

static void put_lost(struct ktrace_out *out, int y, const struct plot_note *note)
{
	char text[256] = "No events were lost.", part[64];
	__u64 sum = 0;
	__u32 i;

	for (i = 0; i < KTRACE_LOST_NR; i++)
		sum += note->lost[i];
	if (sum)
		snprintf(text, sizeof(text), "%llu events were LOST here, the picture is "
			 "incomplete:", sum);
	for (i = 0; i < KTRACE_LOST_NR; i++) {
		if (!note->lost[i])
			continue;
		snprintf(part, sizeof(part), " %s %llu", ktrace_lost_name(i), note->lost[i]);
		strncat(text, part, sizeof(text) - strlen(text) - 1);
	}
	out_printf(out, "<g data-lost=\"%llu\">\n", sum);
	label(out, 16, y, sum ? "lost" : "s", text);
	ktrace_out_str(out, "</g>\n");
}

static void end(struct ktrace_out *out, int y, const struct plot_note *note)
{
	struct foot foot = { out, y + 2 * FOOT };
	char text[160];

	snprintf(text, sizeof(text), "%llu events from %.6f to %.6f s since the first one",
		 note->events, (double)note->from / (double)NS_PER_S,
		 (double)note->to / (double)NS_PER_S);
	label(out, 16, y, "s", text);
	put_lost(out, y + FOOT, note);
	clock_warnings_tell(note->set, tell_quality, &foot);
	ktrace_out_str(out, "</svg>\n");
}

#define TICKS_MAX 12

/* Returns the distance of ticks: 1, 2 or 5 times a power of ten, about @nr of them up to @max. */
static double step_of(double max, int nr)
{
	double step = pow(10, floor(log10(max / nr)));

	if (step * nr >= max)
		return step;
	if (2 * step * nr >= max)
		return 2 * step;
	return 5 * step * nr >= max ? 5 * step : 10 * step;
}

static const struct unit {
	double ns;
	const char *name;
} units[] = { { 1, "ns" }, { 1e3, "µs" }, { 1e6, "ms" }, { 1e9, "s" } };

static const struct unit *unit_of(double ns)
{
	size_t i = 3;

	while (i && units[i].ns > ns)
		i--;
	return &units[i];
}

static void duration(char *text, size_t size, double ns)
{
	const struct unit *unit = unit_of(ns);

	snprintf(text, size, "%.3g %s", ns / unit->ns, unit->name);
}

/* Draws a time scale below @y, in one unit, starting at @from. */
static void time_axis(struct ktrace_out *out, const double x[2], const double y[2], double from,
		      double span)
{
	const double step = step_of(span, 6);
	const struct unit *unit = unit_of(from + span);
	char text[40];
	double at, px;
	int i;

	/* Count ticks: late in a long trace, adding a step to a double may not change it. */
	for (i = 0; i <= TICKS_MAX; i++) {
		at = (ceil(from / step) + i) * step;
		if (at > from + span + step / 1000)
			break;
		px = x[0] + (at - from) / span * (x[1] - x[0]);
		line(out, px, y[0], px, y[1], "g");
		snprintf(text, sizeof(text), "%.10g", at / unit->ns);
		label(out, px, y[1] + 14, "sm", text);
	}
	label(out, x[0] - 20, y[1] + 14, "r", unit->name);
	line(out, x[0], y[1], x[1], y[1], "a");
}

/* Finds the first and last decade of the duration scale. */
static void find_decades(const struct plot_rows *p, double decades[2])
{
	__u64 min = ~0ull, max = 1;
	size_t i;

	for (i = 0; i < p->nr; i++) {
		if (!p->rows[i].dist->nr)
			continue;
		min = p->rows[i].dist->min < min ? p->rows[i].dist->min : min;
		max = p->rows[i].dist->max > max ? p->rows[i].dist->max : max;
	}
	decades[0] = floor(log10(min == ~0ull || !min ? 1 : (double)min));
	decades[1] = floor(log10((double)max)) + 1;
}

/* Returns the x of a duration; draws those shorter than the scale at its beginning. */
static double dist_x(const double decades[2], double ns)
{
	const double at = ns > 0 ? log10(ns) : decades[0];

	return DIST_X + (at < decades[0] ? 0 : (at - decades[0]) / (decades[1] - decades[0])) *
	       DIST_WIDTH;
}

static void dist_axis(struct ktrace_out *out, const double decades[2], double y0, double y1)
{
	char text[32];
	double d, x;

	for (d = decades[0]; d <= decades[1]; d++) {
		x = dist_x(decades, pow(10, d));
		line(out, x, y0, x, y1, "g");
		duration(text, sizeof(text), pow(10, d));
		label(out, x, y1 + 14, "sm", text);
	}
	line(out, DIST_X, y1, DIST_X + DIST_WIDTH, y1, "a");
}

/* struct strip_at - a row of durations being drawn */
struct strip_at {
	struct ktrace_out *out;
	const double *decades;
	double y;
	__u64 most;
};

static void find_most(void *arg, __u64 low, __u64 high, __u64 nr)
{
	struct strip_at *s = arg;

	(void)low;
	(void)high;
	s->most = nr > s->most ? nr : s->most;
}

static void put_strip(void *arg, __u64 low, __u64 high, __u64 nr)
{
	const struct strip_at *s = arg;
	const double from = dist_x(s->decades, (double)low);
	const double to = dist_x(s->decades, (double)high + 1);
	char a[32], b[32];

	duration(a, sizeof(a), (double)low);
	duration(b, sizeof(b), (double)high + 1);
	output_line_begin(s->out);
	out_printf(s->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"14\" "
		   "fill=\"#0072b2\" fill-opacity=\"%.2f\" data-low=\"%llu\" data-nr=\"%llu\">"
		   "<title>%llu from %s to %s</title></rect>\n", from, s->y, to - from,
		   0.15 + 0.85 * sqrt((double)nr / (double)s->most), low, nr, nr, a, b);
}

static void put_dist(struct ktrace_out *out, const struct histogram *d, const double decades[2],
		     double y)
{
	struct strip_at s = { .out = out, .decades = decades, .y = y };
	const __u64 p50 = histogram_percentile(d, 50), p99 = histogram_percentile(d, 99);
	double x;

	histogram_walk(d, find_most, &s);
	histogram_walk(d, put_strip, &s);
	x = dist_x(decades, (double)p50);
	line(out, x, y, x, y + 14, "p");
	x = dist_x(decades, (double)p99);
	line(out, x, y, x, y + 14, "q");
}

static void put_row(struct ktrace_out *out, const struct plot_row *r, const double decades[2],
		    double y, double max)
{
	const struct histogram *d = r->dist;
	char text[32], name[64];

	output_line_begin(out);
	ktrace_out_str(out, "<g class=\"row\" data-name=\"");
	put_text(out, r->label);
	out_printf(out, "\" data-ns=\"%llu\" data-nr=\"%llu\" data-p50=\"%llu\" data-p99=\"%llu\" "
		   "data-max=\"%llu\">\n<title>", r->ns, d->nr, d->nr ?
			   histogram_percentile(d, 50) : 0,
		   d->nr ? histogram_percentile(d, 99) : 0, d->max);
	put_text(out, r->label);
	duration(text, sizeof(text), (double)r->ns);
	out_printf(out, ": %s</title>\n", text);
	snprintf(name, sizeof(name), "%.36s", r->label);
	label(out, BAR_X - 8, y + 12, "r", name);
	out_printf(out, "<rect x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"14\" fill=\"%s\"/>\n",
		   BAR_X, y, (double)r->ns / max * BAR_WIDTH, colours[2]);
	if (d->nr)
		put_dist(out, d, decades, y);
	ktrace_out_str(out, "</g>\n");
}

static void rows_legend(struct ktrace_out *out, const struct plot_rows *p)
{
	label(out, BAR_X, TOP - 12, "s", p->bars);
	label(out, DIST_X, TOP - 12, "s", p->dists);
	box(out, DIST_X + 190, TOP - 22, 14, colours[0]);
	label(out, DIST_X + 208, TOP - 12, "s", "how many");
	line(out, DIST_X + 276, TOP - 23, DIST_X + 276, TOP - 9, "p");
	label(out, DIST_X + 282, TOP - 12, "s", "half");
	line(out, DIST_X + 322, TOP - 23, DIST_X + 322, TOP - 9, "q");
	label(out, DIST_X + 328, TOP - 12, "s", "99 %");
}

const struct option_row svg_options[] = {
	{ .name = "svg", .value = "FILE", .text = OPTION_SELF,
	  .help = "instead of text, write a picture into FILE" },
	{ .help = NULL },
};

void plot_rows(struct ktrace_out *out, const struct plot_rows *p, const struct plot_note *note)
{
	const int bottom = TOP + ROW * (int)(p->nr ? p->nr : 1) + 4;
	const double bars[] = { BAR_X, BAR_X + BAR_WIDTH }, y[] = { TOP, bottom };
	double decades[2], max = 1;
	char text[64];
	size_t i;

	for (i = 0; i < p->nr; i++)
		max = (double)p->rows[i].ns > max ? (double)p->rows[i].ns : max;
	find_decades(p, decades);
	begin(out, p->title, bottom + 48 + foot_height(note) + (p->more ? FOOT : 0));
	rows_legend(out, p);
	time_axis(out, bars, y, 0, max);
	dist_axis(out, decades, TOP, bottom);
	for (i = 0; i < p->nr; i++)
		put_row(out, &p->rows[i], decades, TOP + 4 + ROW * (double)i, max);
	if (!p->nr)
		label(out, BAR_X - 8, TOP + 16, "r", "nothing to show");
	if (p->more) {
		snprintf(text, sizeof(text), "%zu more are not shown", p->more);
		label(out, 16, bottom + 44, "s", text);
	}
	end(out, bottom + 44 + (p->more ? FOOT : 0), note);
}

static void bins_legend(struct ktrace_out *out, const struct plot_bins *p)
{
	const double x = BINS_X + BINS_WIDTH + 24;
	char name[40];
	size_t i;

	for (i = 0; i < p->series_nr; i++) {
		box(out, x, TOP + 20 * (double)i, 14, colours[i]);
		snprintf(name, sizeof(name), "%.24s", p->series[i].name);
		label(out, x + 20, TOP + 10 + 20 * (double)i, "s", name);
	}
	box(out, x, TOP + 20 * (double)i, 14, "#b03a00");
	label(out, x + 20, TOP + 10 + 20 * (double)i, "s", "lost (below)");
}

static void put_bin(struct ktrace_out *out, const struct plot_bins *p, size_t i, double max)
{
	const double width = (double)BINS_WIDTH / (double)p->nr;
	double x = BINS_X + width * (double)i, y = TOP + BINS_HEIGHT, height;
	size_t s;

	for (s = 0; s < p->series_nr; s++) {
		const __u64 n = p->series[s].counts[i];

		if (!n)
			continue;
		height = (double)n / max * BINS_HEIGHT;
		y -= height;
		output_line_begin(out);
		out_printf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
			   "fill=\"%s\" data-bin=\"%zu\" data-nr=\"%llu\"><title>", x, y, width,
			   height, colours[s], i, n);
		put_text(out, p->series[s].name);
		out_printf(out, ": %llu</title></rect>\n", n);
	}
	if (p->lost[i])
		out_printf(out, "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" "
			   "fill=\"#b03a00\" data-bin=\"%zu\" data-lost=\"%llu\"><title>lost: "
			   "%llu</title></rect>\n", x, TOP + BINS_HEIGHT + 2,
			   width < 2 ? 2 : width, LOST_HEIGHT - 3, i, p->lost[i], p->lost[i]);
}

static __u64 sum_of(const struct plot_bins *p, size_t bin)
{
	__u64 sum = 0;
	size_t s;

	for (s = 0; s < p->series_nr; s++)
		sum += p->series[s].counts[bin];
	return sum;
}

static void count_axis(struct ktrace_out *out, double max)
{
	const double step = step_of(max, 5) < 1 ? 1 : step_of(max, 5);
	char text[40];
	double n, y;

	for (n = 0; n <= max; n += step) {
		y = TOP + BINS_HEIGHT * (1 - n / max);
		line(out, BINS_X, y, BINS_X + BINS_WIDTH, y, "g");
		snprintf(text, sizeof(text), "%.0f", n);
		label(out, BINS_X - 6, y + 4, "r", text);
	}
}

void plot_bins(struct ktrace_out *out, const struct plot_bins *p, const struct plot_note *note)
{
	const int bottom = TOP + BINS_HEIGHT + LOST_HEIGHT;
	const double x[] = { BINS_X, BINS_X + BINS_WIDTH }, y[] = { TOP, bottom };
	char text[80], width[32];
	double max = 1;
	size_t i;

	for (i = 0; i < p->nr; i++)
		max = (double)sum_of(p, i) > max ? (double)sum_of(p, i) : max;
	begin(out, p->title, bottom + 60 + foot_height(note));
	duration(width, sizeof(width), (double)p->width);
	snprintf(text, sizeof(text), "events in %s", width);
	label(out, 16, TOP - 12, "s", text);
	count_axis(out, max);
	time_axis(out, x, y, (double)note->from, (double)p->width * (double)p->nr);
	for (i = 0; i < p->nr; i++)
		put_bin(out, p, i, max);
	bins_legend(out, p);
	label(out, BINS_X + BINS_WIDTH / 2.0, bottom + 32, "sm", "time since the first event");
	end(out, bottom + 56, note);
}
