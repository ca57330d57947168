// SPDX-License-Identifier: GPL-2.0
/*
 * test_sync_truth.c - estimated offsets of simulated clocks, compared with the truth
 *
 *   test_sync_truth [RUNS [FIRST]]
 *
 * FIRST is a seed. Without RUNS there are 300, with KTRACE_LONG=1 10000, under valgrind, for which
 * UNIT_STEP is set, fewer; then also those that failed once.
 *
 * In every run the true time is in the interval, at every time. The interval is compared with that
 * of a method that knows how the clocks drift, and uses the messages of the same time: for steady
 * traffic it is at most twice as wide on average. The interval of the regression, which is a
 * statistical one, holds as often as it says.
 */
#include "sync/estimate.h"

#include "sync_truth.h"

#define PLACES 64
#define ROUNDING 2.0	/* ns */
/*
 * Seeds that failed once. 6819: a clock was set after two hosts had exchanged no message for longer
 * than bounds reach; 15189: one was set by 0.7 s whose rate differed by 400 ppm; 26658: one was set
 * long after the last message, and the first one after it was far away, too; 10995: the reference's
 * was set.
 */
static const __u64 found[] = { 6819, 15189, 26658, 10995 };

#define STEADY 300	/* messages; with fewer, how the clocks drift is not known well */

/* struct tally - what was found in all runs */
static struct {
	__u64 intervals;
	__u64 unknown;
	__u64 failed_runs;
	__u64 compared;
	double log_ratio;
	double worst_ratio;
	__u64 lines;
	__u64 right_lines;
} tally;

static void feed(struct estimate *e, const struct truth *r)
{
	const struct truth_clock *c = r->clocks;
	const struct truth_message *m;
	size_t i;
	__u32 h;

	*e = (struct estimate){ .wander = TRUTH_WANDER, .max_rate = 1e-3, .reference = HOST_NONE };
	CHECK_EQ(ktrace_estimate_init(e, r->nr), 0);
	for (h = 0; h < r->nr; h++) {
		e->hosts[h].begin = truth_clock_at(&c[h], 0);
		e->hosts[h].end = truth_clock_at(&c[h], r->span);
	}
	for (i = 0; i < r->message_nr; i++) {
		m = &r->messages[i];
		CHECK_EQ(ktrace_estimate_message(e, m->from, m->to,
						 truth_clock_at(&c[m->from], m->sent),
						 truth_clock_at(&c[m->to], m->received)), 0);
	}
	CHECK_EQ(ktrace_estimate_solve(e), 0);
}

/* The interval at a time of a host, as ktrace_trace_error() says it; false: it is not known */
static bool interval_at(const struct host *h, double x, double *early, double *late)
{
	size_t low = 0, high = h->knot_nr, middle;

	if (h->knot_nr < 2)
		return false;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (h->knots[middle].x <= x)
			low = middle + 1;
		else
			high = middle;
	}
	low = low ? low - 1 : 0;
	high = low + 1 < h->knot_nr ? low + 1 : low;
	*early = fmax(h->knots[low].early, h->knots[high].early);
	*late = fmax(h->knots[low].late, h->knots[high].late);
	return isfinite(*early) && isfinite(*late);
}

static void tell_failure(const struct truth *r, __u64 seed, __u32 host, double t)
{
	fprintf(stderr, "seed %llu, host %u at %.9f s; %u hosts, %zu messages, %.1f s, traffic %d, "
		"jitter %d", seed, host, t / TRUTH_SECOND, r->nr, r->message_nr,
		r->span / TRUTH_SECOND, r->traffic, r->jitter);
	for (__u32 i = 0; i < r->nr; i++)
		if (isfinite(r->clocks[i].step_at))
			fprintf(stderr, ", host %u is set by %.0f ns at %.9f s", i,
				r->clocks[i].step_by, r->clocks[i].step_at / TRUTH_SECOND);
	fprintf(stderr, "\n");
}

/* Returns false if the true time is not in the interval. */
static bool check_place(const struct estimate *e, const struct truth *r, __u32 host, double t)
{
	const double x = truth_clock_at(&r->clocks[host], t);
	const double truth = truth_clock_at(&r->clocks[e->reference], t);
	const double time = ktrace_estimate_time(e, host, x);
	double early, late;

	if (host == e->reference)
		return true;
	if (!interval_at(&e->hosts[host], x, &early, &late)) {
		tally.unknown++;
		return true;
	}
	tally.intervals++;
	if (truth >= time - early - ROUNDING && truth <= time + late + ROUNDING)
		return true;
	fprintf(stderr, "wrong by %.1f, but stated -%.1f to %.1f ns: ", truth - time, early, late);
	return false;
}

static void check_run(const struct estimate *e, const struct truth *r, __u64 seed)
{
	const struct truth_message *m;
	double t = 0;
	__u32 h = 0;
	bool is_right = true;
	size_t i;

	for (i = 0; i < (size_t)r->nr * PLACES && is_right; i++) {
		h = (__u32)(i / PLACES);
		t = r->span * (double)(i % PLACES) / (PLACES - 1);
		is_right = check_place(e, r, h, t);
	}
	for (i = 0; i < 2 * r->message_nr && is_right; i++) {
		m = &r->messages[i / 2];
		h = i % 2 ? m->to : m->from;
		t = i % 2 ? m->received : m->sent;
		is_right = check_place(e, r, h, t);
	}
	if (is_right)
		return;
	tell_failure(r, seed, h, t);
	tally.failed_runs++;
}

/* struct oracle - bounds of the constant part of the offset of host 1 to host 0 */
struct oracle {
	double low;
	double high;
};

/*
 * With the drift known, each message is a bound of the one number left. Those around @t count that
 * count for the estimate, too.
 */
static struct oracle make_oracle(const struct truth *r, double t, double reach)
{
	const struct truth_clock *a = &r->clocks[0], *b = &r->clocks[1];
	struct oracle o = { -INFINITY, INFINITY };
	const struct truth_message *m;
	double there, bound;
	size_t i;

	for (i = 0; i < r->message_nr; i++) {
		m = &r->messages[i];
		if (m->received < t - reach || m->sent > t + reach)
			continue;
		there = m->from ? m->sent : m->received;
		bound = truth_clock_at(a, m->from ? m->received : m->sent) -
			truth_clock_at(b, there) -
			(truth_clock_shape(a, there) - truth_clock_shape(b, there));
		if (m->from)
			o.high = fmin(o.high, bound);
		else
			o.low = fmax(o.low, bound);
	}
	return o;
}

static void compare_with_oracle(const struct estimate *e, const struct truth *r)
{
	const __u32 host = !e->reference;
	double sum = 0, oracle_sum = 0, t, early, late;
	struct oracle o;
	int i;

	for (i = 0; i < PLACES; i++) {
		t = r->span * (i + 0.5) / PLACES;
		if (!interval_at(&e->hosts[host], truth_clock_at(&r->clocks[host], t), &early,
				 &late))
			continue;
		o = make_oracle(r, t, e->edges[0]->pair.reach);
		sum += early + late;
		oracle_sum += o.high - o.low;
	}
	if (!(oracle_sum > 0 && oracle_sum < INFINITY))
		return;
	tally.compared++;
	tally.log_ratio += log(sum / oracle_sum);
	tally.worst_ratio = fmax(tally.worst_ratio, sum / oracle_sum);
}

static void run(__u64 seed, enum truth_wish wish)
{
	struct estimate e;
	struct truth r;

	truth_make(&r, seed, wish);
	feed(&e, &r);
	check_run(&e, &r, seed);
	if (r.nr == 2 && wish == TRUTH_ANY && r.message_nr >= STEADY && r.traffic <= TRAFFIC_MESH)
		compare_with_oracle(&e, &r);
	ktrace_estimate_free(&e);
	truth_free(&r);
}

/* Is the line right at a random time? */
static void run_regression(__u64 seed)
{
	struct regression_line line;
	struct estimate e;
	struct truth r;
	double t, x, wrong;

	truth_make(&r, seed, TRUTH_SYMMETRIC);
	feed(&e, &r);
	t = truth_random(&r) * r.span;
	x = truth_clock_at(&r.clocks[1], t);
	if (e.edge_nr && ktrace_regression_line(&e.edges[0]->pair.regression, x, INFINITY, &line) &&
	    isfinite(line.error)) {
		wrong = truth_clock_at(&r.clocks[0], t) - x - line.offset;
		tally.lines++;
		tally.right_lines += fabs(wrong) <= line.error + ROUNDING / 2;
	}
	ktrace_estimate_free(&e);
	truth_free(&r);
}

static void check_tally(void)
{
	const double lines = (double)tally.lines;
	const double mean = exp(tally.log_ratio / (double)tally.compared);

	printf("%llu intervals, %llu times without one; %.2f times as wide as with known drift on "
	       "average of %llu runs, at most %.2f times; regression right %llu of %llu times\n",
	       tally.intervals, tally.unknown, mean, tally.compared, tally.worst_ratio,
	       tally.right_lines, tally.lines);
	CHECK_EQ(tally.failed_runs, 0);
	CHECK(tally.intervals > tally.unknown);
	CHECK(tally.compared && mean <= 2);
	CHECK((double)tally.right_lines >= 0.95 * lines - 3 * sqrt(0.95 * 0.05 * lines));
}

static __u64 default_runs(void)
{
	const char *step = getenv("UNIT_STEP");

	if (step)
		return 300 / (strtoull(step, NULL, 10) + 1);
	return getenv("KTRACE_LONG") ? 10000 : 300;
}

int main(int argc, char **argv)
{
	const __u64 runs = argc > 1 ? strtoull(argv[1], NULL, 10) : default_runs();
	const __u64 first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	__u64 seed;
	size_t i;

	for (seed = first; seed < first + runs; seed++) {
		run(seed, seed % 3 ? TRUTH_ANY : TRUTH_STEPS);
		run_regression(seed);
	}
	for (i = 0; argc < 2 && i < sizeof(found) / sizeof(found[0]); i++)
		run(found[i], found[i] % 3 ? TRUTH_ANY : TRUTH_STEPS);
	check_tally();
	return 0;
}
