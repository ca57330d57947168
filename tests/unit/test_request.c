// SPDX-License-Identifier: GPL-2.0
/* test_request.c - hooks and requests that change while others are served, and sets that go */
#include <ktrace/request.h>

#include "make_trace.h"

#include <unistd.h>

#define EVENTS 300u

static char path[64];

/* struct viewer - who asks, and what came of it; @left: calls until it removes its requests */
struct viewer {
	struct ktrace_hooks *hooks;
	struct ktrace_service *service;
	unsigned int nr;
	unsigned int left;
	unsigned int afters;
	__u64 first;
};

static void make_file_of(const char *event, unsigned int nr)
{
	struct ktrace_tracefile *tf;
	struct maker m;
	char text[256];
	unsigned int i;

	CHECK_EQ(ktrace_tracefile_create(path, &tf), 0);
	snprintf(text, sizeof(text), "clock raw=0 mono_ns=0 real_ns=1 hz=1000000000\n"
		 "event kind=user id=16 desc=%s{u64%%20n;}\n", event);
	make_meta(tf, text);
	make_stream(&m, tf, 1);
	for (i = 0; i < nr; i++)
		make_event(&m, 100 + i / 3, i);
	make_end_block(&m);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
}

static struct ktrace_traceset *open_set(void)
{
	struct ktrace_traceset *set;

	CHECK_EQ(ktrace_traceset_open(NULL, &set), 0);
	CHECK_EQ(ktrace_traceset_add(set, path), 0);
	return set;
}

static int view(void *arg, const struct ktrace_hook_call *call)
{
	struct viewer *v = arg;

	if (!v->nr++)
		memcpy(&v->first, call->event->payload, sizeof(v->first));
	return 0;
}

static int remove_all(void *arg, const struct ktrace_hook_call *call)
{
	struct viewer *v = arg;

	(void)call;
	if (!v->left--)
		ktrace_service_remove(v->service, v);
	return 0;
}

static void after(void *arg, int stop)
{
	(void)stop;
	((struct viewer *)arg)->afters++;
}

static void add(struct viewer *v, enum ktrace_hook_point point, const char *event,
		ktrace_hook_fn fn)
{
	const struct ktrace_hook hook = {
		.size = sizeof(hook), .point = point, .event = event, .fn = fn, .arg = v,
	};

	CHECK_EQ(ktrace_hooks_add(v->hooks, &hook), 0);
}

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=0:thread_local_quarantine_size_kb=0";
}

/* Types of a set are where those of the one before were. */
static void test_sets_that_go(void)
{
	static const char *const names[] = { "t:e", "t:f" };
	struct viewer v = { .nr = 0 };
	struct ktrace_traceset *set;
	struct ktrace_until until;
	unsigned int i;

	CHECK_EQ(ktrace_hooks_new(&v.hooks), 0);
	add(&v, KTRACE_HOOK_EVENT, "t:e", view);
	for (i = 0; i < 10; i++) {
		make_file_of(names[i % 2], 3);
		set = open_set();
		until = (struct ktrace_until)KTRACE_UNTIL_INIT;
		CHECK_EQ(ktrace_hooks_begin(v.hooks, set), 0);
		CHECK_EQ(ktrace_hooks_read(v.hooks, set, &until), 0);
		CHECK_EQ(ktrace_hooks_end(v.hooks, set), 0);
		CHECK_EQ(until.delivered, 3);
		ktrace_traceset_close(set);
		CHECK_EQ(v.nr, 3 * (i / 2 + 1));
	}
	ktrace_hooks_free(v.hooks);
}

/* What starts at the position where a pass stands between two chunks is served in that pass. */
static void test_joins_where_the_pass_stands(void)
{
	struct ktrace_traceset *set = open_set();
	struct viewer v[2] = { { .nr = 0 }, { .nr = 0 } };
	struct ktrace_request r = KTRACE_REQUEST_INIT;
	struct ktrace_traceset_stats stats;
	struct ktrace_service *service;
	struct ktrace_position *pos;
	int i;

	CHECK_EQ(ktrace_service_new(set, &service), 0);
	CHECK_EQ(ktrace_position_new(&pos), 0);
	for (i = 0; i < 2; i++) {
		CHECK_EQ(ktrace_hooks_new(&v[i].hooks), 0);
		add(&v[i], KTRACE_HOOK_EVENT, NULL, view);
		r.hooks = v[i].hooks;
		r.start_position = i ? pos : NULL;
		CHECK_EQ(ktrace_service_add(service, &r), 0);
		CHECK_EQ(ktrace_service_run(service, 100), 1);
		CHECK_EQ(ktrace_position_save(set, pos), 0);
	}
	while (ktrace_service_run(service, 70) == 1)
		;
	CHECK_EQ(v[0].nr, EVENTS);
	CHECK_EQ(v[1].nr, EVENTS - 100);
	CHECK_EQ(v[1].first, 100);
	ktrace_traceset_stats(set, &stats);
	CHECK_EQ(stats.events, EVENTS);
	ktrace_service_free(service);
	ktrace_position_free(pos);
	ktrace_hooks_free(v[0].hooks);
	ktrace_hooks_free(v[1].hooks);
	ktrace_traceset_close(set);
}

/* Who removes its requests in a hook gets nothing more, and can use the hooks again. */
static void test_removal_in_a_hook(enum ktrace_hook_point point, unsigned int left)
{
	struct ktrace_traceset *set = open_set();
	struct ktrace_request r = KTRACE_REQUEST_INIT;
	struct viewer v = { .left = left };

	CHECK_EQ(ktrace_service_new(set, &v.service), 0);
	CHECK_EQ(ktrace_hooks_new(&v.hooks), 0);
	add(&v, point, NULL, remove_all);
	add(&v, KTRACE_HOOK_EVENT, NULL, view);
	r.hooks = v.hooks;
	r.owner = r.arg = &v;
	r.after = after;
	CHECK_EQ(ktrace_service_add(v.service, &r), 0);
	CHECK_EQ(ktrace_service_run(v.service, 100), 0);
	CHECK_EQ(v.nr, left);
	CHECK_EQ(v.afters, 0);
	CHECK_EQ(ktrace_hooks_begin(v.hooks, set), 0);
	ktrace_service_free(v.service);
	ktrace_hooks_free(v.hooks);
	ktrace_traceset_close(set);
}

int main(void)
{
	temporary_file(path, sizeof(path), "test_request");
	test_sets_that_go();
	make_file_of("t:e", EVENTS);
	test_joins_where_the_pass_stands();
	test_removal_in_a_hook(KTRACE_HOOK_EVENT, 4);
	test_removal_in_a_hook(KTRACE_HOOK_BEFORE_SET, 0);
	unlink(path);
	return 0;
}
