// SPDX-License-Identifier: GPL-2.0
/*
 * test_hooks.c - hooks, going forward and back by events that count, requests
 *
 * Events have their number as payload, so that what was delivered is known by it.
 */
#include <ktrace/request.h>

#include "make_trace.h"

#include <errno.h>
#include <unistd.h>

#define EVENTS 300u
#define JOBS 6u

static char paths[2][64];
static __u64 times[EVENTS];
static unsigned int seed = 3;

static unsigned int random_below(unsigned int n)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % n;
}

static struct ktrace_traceset *open_set(void)
{
	struct ktrace_traceset *set;
	unsigned int i;

	CHECK_EQ(ktrace_traceset_open(NULL, &set), 0);
	for (i = 0; i < 2; i++)
		CHECK_EQ(ktrace_traceset_add(set, paths[i]), 0);
	return set;
}

static __u64 number_of(const struct ktrace_trace_event *e)
{
	__u64 n;

	CHECK_EQ(e->len, sizeof(n));
	memcpy(&n, e->payload, sizeof(n));
	return n;
}

/* Two files with two streams; runs of equal stamps. Then numbers are given in order. */
static void make_files(void)
{
	struct ktrace_traceset *set;
	struct ktrace_trace_event e;
	unsigned int round, i, t;

	for (round = 0; round < 2; round++) {
		struct ktrace_tracefile *tf[2];
		struct maker m[2][2];
		static unsigned int number[2][2][EVENTS];
		unsigned int nr[2][2] = { { 0 } };
		__u64 ts = 100;

		seed = 3;
		for (t = 0; t < 2; t++) {
			tf[t] = make_file(paths[t], 0);
			make_stream(&m[t][0], tf[t], 1);
			make_stream(&m[t][1], tf[t], 2);
		}
		for (i = 0; i < EVENTS; i++) {
			unsigned int s = random_below(2);
			unsigned int *n;

			t = random_below(2);
			n = &number[t][s][nr[t][s]];
			make_event(&m[t][s], ts, round ? *n : t << 20 | s << 16 | nr[t][s]);
			nr[t][s]++;
			ts += random_below(3) ? 0 : 2;
			if (!random_below(20))
				make_end_block(&m[t][s]);
		}
		for (t = 0; t < 2; t++) {
			make_end_block(&m[t][0]);
			make_end_block(&m[t][1]);
			CHECK_EQ(ktrace_tracefile_close(tf[t]), 0);
		}
		set = open_set();
		for (i = 0; ktrace_traceset_next(set, &e) == 1; i++) {
			__u64 place = number_of(&e);

			times[i] = e.time;
			if (!round)
				number[place >> 20][place >> 16 & 1][place & 0xffff] = i;
			else
				CHECK_EQ(place, i);
		}
		CHECK_EQ(i, EVENTS);
		ktrace_traceset_close(set);
	}
}

/* struct calls - calls in the order in which they came */
struct calls {
	char text[4096];
	const char *name;
	int verdict;
};

static struct calls calls;

static int note(void *arg, const struct ktrace_hook_call *call)
{
	static const char points[] = "STseRtU";
	size_t len = strlen(calls.text);

	CHECK(call->set);
	CHECK_EQ(call->event != NULL, call->point == KTRACE_HOOK_EVENT);
	snprintf(calls.text + len, sizeof(calls.text) - len, "%c%s ", points[call->point],
		 (const char *)arg);
	return *(const char *)arg == '!' ? calls.verdict : 0;
}

static int add(struct ktrace_hooks *hooks, enum ktrace_hook_point point, const char *event,
	       int priority, const char *name)
{
	struct ktrace_hook hook = {
		.size = sizeof(hook), .point = point, .event = event, .priority = priority,
		.fn = note, .arg = (void *)name,
	};

	return ktrace_hooks_add(hooks, &hook);
}

static void expect_log(const char *text)
{
	CHECK_STR(calls.text, text);
	calls.text[0] = '\0';
}

static void test_order_of_calls(void)
{
	struct ktrace_traceset *set = open_set();
	struct ktrace_until until = KTRACE_UNTIL_INIT;
	struct ktrace_hooks *hooks;
	struct ktrace_trace_event e;

	CHECK_EQ(ktrace_hooks_new(&hooks), 0);
	CHECK_EQ(add(hooks, KTRACE_HOOK_EVENT, NULL, 50, "a"), 0);
	CHECK_EQ(add(hooks, KTRACE_HOOK_EVENT, NULL, 99, "z"), 0);
	CHECK_EQ(add(hooks, KTRACE_HOOK_EVENT, "t:?", 26, "named"), 0);
	CHECK_EQ(add(hooks, KTRACE_HOOK_EVENT, "t:f", 26, "never"), 0);
	CHECK_EQ(add(hooks, KTRACE_HOOK_EVENT, NULL, KTRACE_PRIORITY_STATE, "state"), 0);
	CHECK_EQ(add(hooks, KTRACE_HOOK_EVENT, NULL, 50, "!"), 0);
	CHECK_EQ(add(hooks, KTRACE_HOOK_EVENT, NULL, 0, "0"), 0);
	CHECK_EQ(add(hooks, KTRACE_HOOK_BEFORE_SET, NULL, 1, ""), 0);
	CHECK_EQ(add(hooks, KTRACE_HOOK_BEFORE_TRACE, NULL, 1, ""), 0);
	CHECK_EQ(add(hooks, KTRACE_HOOK_BEFORE_STREAM, NULL, 2, "2"), 0);
	CHECK_EQ(add(hooks, KTRACE_HOOK_BEFORE_STREAM, NULL, 1, "1"), 0);
	CHECK_EQ(add(hooks, KTRACE_HOOK_AFTER_STREAM, NULL, 1, ""), 0);
	CHECK_EQ(add(hooks, KTRACE_HOOK_AFTER_TRACE, NULL, 1, ""), 0);
	CHECK_EQ(add(hooks, KTRACE_HOOK_AFTER_SET, NULL, 1, ""), 0);
	CHECK_EQ(add(hooks, KTRACE_HOOK_EVENT, NULL, 100, "x"), -EINVAL);
	CHECK_EQ(add(hooks, KTRACE_HOOK_EVENT, NULL, -1, "x"), -EINVAL);
	CHECK_EQ(add(hooks, KTRACE_HOOK_AFTER_SET, "t:e", 1, "x"), -EINVAL);
	CHECK_EQ(add(hooks, (enum ktrace_hook_point)7, NULL, 1, "x"), -EINVAL);
	CHECK_EQ(ktrace_hooks_read(hooks, set, &until), -EINVAL);
	CHECK_EQ(ktrace_hooks_end(hooks, set), -EINVAL);
	CHECK_EQ(ktrace_hooks_begin(hooks, set), 0);
	expect_log("S T s1 s2 s1 s2 T s1 s2 s1 s2 ");
	CHECK_EQ(ktrace_hooks_begin(hooks, set), -EBUSY);
	CHECK_EQ(add(hooks, KTRACE_HOOK_EVENT, NULL, 1, "x"), -EBUSY);
	until.count = 2;
	CHECK_EQ(ktrace_hooks_read(hooks, set, &until), 0);
	CHECK_EQ(until.stop, KTRACE_STOP_COUNT);
	expect_log("e0 estate enamed ea e! ez e0 estate enamed ea e! ez ");
	/* A verdict is for behind the event; a failure is at once. */
	calls.verdict = 1;
	until.count = KTRACE_COUNT_NONE;
	CHECK_EQ(ktrace_hooks_read(hooks, set, &until), 0);
	CHECK_EQ(until.stop, KTRACE_STOP_HOOK);
	CHECK_EQ(until.delivered, 3);
	expect_log("e0 estate enamed ea e! ez ");
	calls.verdict = -EIO;
	CHECK_EQ(ktrace_hooks_read(hooks, set, &until), -EIO);
	expect_log("e0 estate enamed ea e! ");
	calls.verdict = 0;
	CHECK_EQ(ktrace_traceset_next(set, &e), 1);
	CHECK_EQ(number_of(&e), 4);
	CHECK_EQ(ktrace_hooks_end(hooks, set), 0);
	expect_log("R R t R R t U ");
	while (!add(hooks, KTRACE_HOOK_EVENT, NULL, 1, "x"))
		;
	CHECK_EQ(add(hooks, KTRACE_HOOK_EVENT, NULL, 1, "x"), -ENOSPC);
	ktrace_hooks_free(hooks);
	ktrace_hooks_free(NULL);
	ktrace_traceset_close(set);
}

/* One event of @arg counts. */
static bool is_multiple(void *arg, const struct ktrace_trace_event *e)
{
	return !(number_of(e) % *(unsigned int *)arg);
}

static bool is_even_time(void *arg, const struct ktrace_trace_event *e)
{
	(void)arg;
	return !(e->time % 4);
}

static bool model_counts(unsigned int i, unsigned int multiple, bool is_even)
{
	return !(i % multiple) && (!is_even || !(times[i] % 4));
}

static void check_at(struct ktrace_traceset *set, unsigned int at)
{
	struct ktrace_position *pos;
	struct ktrace_trace_event e;

	CHECK_EQ(ktrace_position_new(&pos), 0);
	CHECK_EQ(ktrace_position_save(set, pos), 0);
	CHECK_EQ(ktrace_traceset_next(set, &e), at < EVENTS);
	if (at < EVENTS)
		CHECK_EQ(number_of(&e), at);
	CHECK_EQ(ktrace_traceset_seek_position(set, pos), 0);
	ktrace_position_free(pos);
}

static void test_forward_and_back(void)
{
	struct ktrace_traceset *set = open_set();
	unsigned int multiple = 1, at = 0, i, n;
	__u64 found, left;

	for (i = 0; i < 3000; i++) {
		struct ktrace_search search = { .size = sizeof(search), .window = 1 + i % 50 };
		bool is_even = random_below(2);

		multiple = 1 + random_below(4) * random_below(30);
		search.filters[0] = multiple > 1 ? is_multiple : NULL;
		search.args[0] = &multiple;
		search.filters[2] = is_even ? is_even_time : NULL;
		n = random_below(3) ? random_below(6) : random_below(200);
		left = n;
		if (random_below(2)) {
			CHECK_EQ(ktrace_traceset_forward(set, n, &search, &found), 0);
			for (; left && at < EVENTS; at++)
				left -= model_counts(at, multiple, is_even);
		} else {
			unsigned int to = at, j;

			CHECK_EQ(ktrace_traceset_back(set, n, &search, &found), 0);
			for (j = at; left && j-- > 0;)
				if (model_counts(j, multiple, is_even)) {
					to = j;
					left--;
				}
			at = to;
		}
		CHECK_EQ(found, n - left);
		check_at(set, at);
	}
	ktrace_traceset_close(set);
}

static bool stop_after(void *arg)
{
	return !(*(unsigned int *)arg)--;
}

static int seek_earlier(void *arg, struct ktrace_traceset *set, __u64 time)
{
	++*(unsigned int *)arg;
	return ktrace_traceset_seek(set, time > 20 ? time - 20 : 0);
}

static void test_search_options(void)
{
	struct ktrace_traceset *set = open_set();
	unsigned int left = 5, seeks = 0;
	struct ktrace_search search = {
		.size = sizeof(search), .is_stopped = stop_after, .stop_arg = &left,
	};
	__u64 found;

	CHECK_EQ(ktrace_traceset_forward(set, 10, &search, &found), -ECANCELED);
	CHECK_EQ(found, 5);
	check_at(set, 5);
	CHECK_EQ(ktrace_traceset_forward(set, ~0ull, NULL, &found), 0);
	CHECK_EQ(found, EVENTS - 5);
	left = 5;
	CHECK_EQ(ktrace_traceset_back(set, 10, &search, &found), -ECANCELED);
	check_at(set, EVENTS);
	search.is_stopped = NULL;
	search.seek = seek_earlier;
	search.seek_arg = &seeks;
	search.window = 1;
	CHECK_EQ(ktrace_traceset_back(set, 10, &search, &found), 0);
	CHECK_EQ(found, 10);
	CHECK(seeks);
	check_at(set, EVENTS - 10);
	search.size = 1;
	CHECK_EQ(ktrace_traceset_back(set, 10, &search, &found), -EINVAL);
	CHECK_EQ(ktrace_traceset_forward(set, 10, &search, &found), -EINVAL);
	ktrace_traceset_close(set);
}

/* struct viewer - what a request has got */
struct viewer {
	struct ktrace_hooks *hooks;
	unsigned int got[EVENTS];
	unsigned int nr;
	unsigned int stop_at;
	unsigned int befores;
	unsigned int afters;
	unsigned int chunks;
	int stop;
};

static int view(void *arg, const struct ktrace_hook_call *call)
{
	struct viewer *v = arg;

	CHECK(v->nr < EVENTS);
	v->got[v->nr++] = (unsigned int)number_of(call->event);
	return v->nr == v->stop_at;
}

static int count_chunk(void *arg, const struct ktrace_hook_call *call)
{
	(void)call;
	((struct viewer *)arg)->chunks++;
	return 0;
}

static void before(void *arg)
{
	((struct viewer *)arg)->befores++;
}

static void after(void *arg, int stop)
{
	((struct viewer *)arg)->afters++;
	((struct viewer *)arg)->stop = stop;
}

static void make_viewer(struct viewer *v)
{
	struct ktrace_hook hook = { .size = sizeof(hook), .point = KTRACE_HOOK_EVENT, .fn = view,
				    .arg = v, .priority = KTRACE_PRIORITY_DEFAULT };

	memset(v, 0, sizeof(*v));
	CHECK_EQ(ktrace_hooks_new(&v->hooks), 0);
	CHECK_EQ(ktrace_hooks_add(v->hooks, &hook), 0);
	hook.point = KTRACE_HOOK_BEFORE_SET;
	hook.fn = count_chunk;
	CHECK_EQ(ktrace_hooks_add(v->hooks, &hook), 0);
}

static struct ktrace_position *position_at(struct ktrace_traceset *set, unsigned int at)
{
	struct ktrace_position *pos;
	__u64 found;

	CHECK_EQ(ktrace_position_new(&pos), 0);
	CHECK_EQ(ktrace_traceset_seek(set, 0), 0);
	CHECK_EQ(ktrace_traceset_forward(set, at, NULL, &found), 0);
	CHECK_EQ(ktrace_position_save(set, pos), 0);
	return pos;
}

static struct ktrace_position *positions[EVENTS + 1];

static struct ktrace_request random_request(struct viewer *v)
{
	struct ktrace_request r = KTRACE_REQUEST_INIT;

	make_viewer(v);
	r.owner = v;
	r.hooks = v->hooks;
	r.arg = v;
	r.before = before;
	r.after = after;
	r.is_background = !random_below(3);
	if (random_below(2))
		r.start = 95 + random_below(220);
	else
		r.start_position = positions[random_below(EVENTS + 1)];
	if (random_below(2))
		r.until.time = 95 + random_below(220);
	if (random_below(2))
		r.until.position = positions[random_below(EVENTS + 1)];
	if (random_below(2))
		r.until.count = random_below(100);
	r.until.completes_time = random_below(2);
	v->stop_at = random_below(4) ? 0 : 1 + random_below(50);
	return r;
}

/* Alone: the same by hand. */
static void expect_alone(struct ktrace_traceset *set, const struct ktrace_request *r,
			 const struct viewer *v)
{
	struct ktrace_until until = r->until;
	struct ktrace_trace_event e;
	unsigned int nr = 0;

	if (r->start_position)
		CHECK_EQ(ktrace_traceset_seek_position(set, r->start_position), 0);
	else
		CHECK_EQ(ktrace_traceset_seek(set, r->start), 0);
	while (ktrace_traceset_next_until(set, &until, &e) == 1) {
		CHECK(nr < v->nr);
		CHECK_EQ(v->got[nr++], number_of(&e));
		if (nr == v->stop_at) {
			until.stop = KTRACE_STOP_HOOK;
			break;
		}
	}
	CHECK_EQ(v->nr, nr);
	CHECK_EQ(v->stop, until.stop);
	CHECK_EQ(v->befores, 1);
	CHECK_EQ(v->afters, 1);
}

static void test_requests_are_strict(void)
{
	struct ktrace_traceset *set = open_set();
	struct ktrace_service *service;
	static struct viewer viewers[JOBS];
	struct ktrace_request requests[JOBS];
	unsigned int round, i;
	int ret;

	for (i = 0; i <= EVENTS; i++)
		positions[i] = position_at(set, i);
	for (round = 0; round < 400; round++) {
		CHECK_EQ(ktrace_service_new(set, &service), 0);
		for (i = 0; i < JOBS; i++) {
			requests[i] = random_request(&viewers[i]);
			CHECK_EQ(ktrace_service_add(service, &requests[i]), 0);
			if (!random_below(3))
				CHECK(ktrace_service_run(service, random_below(40)) >= 0);
		}
		while ((ret = ktrace_service_run(service, 1 + random_below(60))) == 1)
			if (random_below(2))	/* somebody else uses the traceset */
				CHECK_EQ(ktrace_traceset_seek(set, 100 + random_below(200)), 0);
		CHECK_EQ(ret, 0);
		CHECK_EQ(ktrace_service_pending(service, NULL), 0);
		ktrace_service_free(service);
		for (i = 0; i < JOBS; i++) {
			expect_alone(set, &requests[i], &viewers[i]);
			ktrace_hooks_free(viewers[i].hooks);
		}
	}
	ktrace_traceset_close(set);
}

static void test_identical_requests_are_read_once(void)
{
	struct ktrace_traceset *set = open_set();
	struct ktrace_traceset_stats stats;
	struct ktrace_service *service;
	static struct viewer v[5];
	unsigned int i;

	CHECK_EQ(ktrace_service_new(set, &service), 0);
	for (i = 0; i < 5; i++) {
		struct ktrace_request r = KTRACE_REQUEST_INIT;

		make_viewer(&v[i]);
		r.hooks = v[i].hooks;
		r.owner = &v[i];
		CHECK_EQ(ktrace_service_add(service, &r), 0);
		CHECK_EQ(ktrace_service_add(service, &r), -EINVAL);
	}
	while (ktrace_service_run(service, 100) == 1)
		;
	ktrace_traceset_stats(set, &stats);
	CHECK_EQ(stats.events, EVENTS);
	for (i = 0; i < 5; i++) {
		CHECK_EQ(v[i].nr, EVENTS);
		CHECK_EQ(v[i].chunks, 3);
		ktrace_hooks_free(v[i].hooks);
	}
	ktrace_service_free(service);
	ktrace_service_free(NULL);
	ktrace_traceset_close(set);
}

static void test_removal_and_background(void)
{
	struct ktrace_traceset *set = open_set();
	struct ktrace_service *service;
	static struct viewer slow, gone, fast;
	struct ktrace_request r = KTRACE_REQUEST_INIT;

	make_viewer(&slow);
	make_viewer(&gone);
	make_viewer(&fast);
	CHECK_EQ(ktrace_service_new(set, &service), 0);
	r.is_background = true;
	r.hooks = slow.hooks;
	r.after = after;
	r.arg = r.owner = &slow;
	CHECK_EQ(ktrace_service_add(service, &r), 0);
	/* Asked for twice, made once; both hear of it. */
	CHECK_EQ(ktrace_service_add(service, &r), 0);
	CHECK_EQ(ktrace_service_run(service, 50), 1);
	CHECK_EQ(slow.nr, 50);
	r.is_background = false;
	r.hooks = gone.hooks;
	r.arg = r.owner = &gone;
	CHECK_EQ(ktrace_service_add(service, &r), 0);
	r.hooks = fast.hooks;
	r.arg = r.owner = &fast;
	CHECK_EQ(ktrace_service_add(service, &r), 0);
	CHECK_EQ(ktrace_service_pending(service, NULL), 4);
	CHECK_EQ(ktrace_service_pending(service, &slow), 2);
	CHECK_EQ(ktrace_service_run(service, 50), 1);
	CHECK_EQ(gone.nr, 50);
	ktrace_service_remove(service, &gone);
	CHECK_EQ(ktrace_service_pending(service, &gone), 0);
	ktrace_hooks_free(gone.hooks);
	while (!fast.afters) {
		CHECK_EQ(slow.nr, 50);
		CHECK_EQ(ktrace_service_run(service, 50), 1);
	}
	CHECK_EQ(fast.nr, EVENTS);
	CHECK_EQ(gone.nr, 50);
	CHECK_EQ(gone.afters, 0);
	CHECK(slow.nr < EVENTS);
	while (ktrace_service_run(service, 50) == 1)
		;
	CHECK_EQ(slow.nr, EVENTS);
	CHECK_EQ(slow.afters, 2);
	CHECK_EQ(slow.got[EVENTS - 1], EVENTS - 1);
	r.size = 1;
	CHECK_EQ(ktrace_service_add(service, &r), -EINVAL);
	ktrace_hooks_free(slow.hooks);
	ktrace_hooks_free(fast.hooks);
	ktrace_service_free(service);
	ktrace_traceset_close(set);
}

int main(void)
{
	unsigned int i;

	for (i = 0; i < 2; i++)
		temporary_file(paths[i], sizeof(paths[i]), "test_hooks");
	make_files();
	test_order_of_calls();
	test_forward_and_back();
	test_search_options();
	test_requests_are_strict();
	test_identical_requests_are_read_once();
	test_removal_and_background();
	for (i = 0; i <= EVENTS; i++)
		ktrace_position_free(positions[i]);
	for (i = 0; i < 2; i++)
		unlink(paths[i]);
	return 0;
}
