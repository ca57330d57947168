// SPDX-License-Identifier: GPL-2.0
/* test_posix_attr.c - attributes of POSIX streams, sets of event types, sysconf() */
#include <trace.h>

#include "check.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../userspace/lib/posix/base/attr.h"
#include "../../userspace/lib/posix/base/eventset.h"

static void test_defaults(void)
{
	struct timespec t = { 1, 1 };
	trace_attr_t attr;
	int policy;

	CHECK_EQ(posix_trace_attr_init(&attr), 0);
	CHECK_EQ(posix_trace_attr_getstreamfullpolicy(&attr, &policy), 0);
	CHECK_EQ(policy, POSIX_TRACE_LOOP);
	CHECK_EQ(posix_trace_attr_getlogfullpolicy(&attr, &policy), 0);
	CHECK_EQ(policy, POSIX_TRACE_LOOP);
	CHECK_EQ(posix_trace_attr_getinherited(&attr, &policy), 0);
	CHECK_EQ(policy, POSIX_TRACE_CLOSE_FOR_CHILD);
	CHECK_EQ(posix_trace_attr_getcreatetime(&attr, &t), 0);
	CHECK_EQ(t.tv_sec, 0);
	CHECK_EQ(t.tv_nsec, 0);
	CHECK_EQ(posix_trace_attr_getclockres(&attr, &t), 0);
	CHECK(!t.tv_sec && t.tv_nsec > 0);
}

/* Not set is what create_withlog() takes for FLUSH; set to LOOP is LOOP. */
static void test_policy_that_is_not_set(void)
{
	struct posix_attr a;
	trace_attr_t attr;

	CHECK_EQ(ktrace_posix_attr_read(NULL, &a), 0);
	CHECK_EQ(a.stream_policy, 0);
	CHECK_EQ(posix_trace_attr_init(&attr), 0);
	CHECK_EQ(ktrace_posix_attr_read(&attr, &a), 0);
	CHECK_EQ(a.stream_policy, 0);
	CHECK_EQ(posix_trace_attr_setstreamfullpolicy(&attr, POSIX_TRACE_LOOP), 0);
	CHECK_EQ(ktrace_posix_attr_read(&attr, &a), 0);
	CHECK_EQ(a.stream_policy, POSIX_TRACE_LOOP);
}

static void test_names(void)
{
	char name[TRACE_NAME_MAX + 3], buf[TRACE_NAME_MAX + 1];
	char *const million = malloc(1000001);
	trace_attr_t attr;

	CHECK_EQ(posix_trace_attr_init(&attr), 0);
	for (size_t n = TRACE_NAME_MAX - 2; n <= TRACE_NAME_MAX + 2; n++) {
		memset(name, 'n', n);
		name[n] = '\0';
		memset(buf, '#', sizeof(buf));
		CHECK_EQ(posix_trace_attr_setname(&attr, name), 0);
		CHECK_EQ(posix_trace_attr_getname(&attr, buf), 0);
		CHECK_EQ(strlen(buf), n < TRACE_NAME_MAX ? n : TRACE_NAME_MAX - 1);
		CHECK_EQ(buf[TRACE_NAME_MAX], '#');
	}
	memset(million, 'm', 1000000);
	million[1000000] = '\0';
	CHECK_EQ(posix_trace_attr_setname(&attr, million), 0);
	free(million);
	CHECK_EQ(posix_trace_attr_setname(&attr, "short"), 0);
	CHECK_EQ(posix_trace_attr_getname(&attr, buf), 0);
	CHECK_STR(buf, "short");
	memset(buf, '#', sizeof(buf));
	CHECK_EQ(posix_trace_attr_getgenversion(&attr, buf), 0);
	CHECK(strlen(buf) < TRACE_NAME_MAX && buf[TRACE_NAME_MAX] == '#');
	CHECK(!strncmp(buf, "ktrace ", 7));
}

static void test_policies(void)
{
	trace_attr_t attr;

	CHECK_EQ(posix_trace_attr_init(&attr), 0);
	for (int p = -1; p < 6; p++) {
		bool is_stream = p == POSIX_TRACE_LOOP || p == POSIX_TRACE_UNTIL_FULL ||
				 p == POSIX_TRACE_FLUSH;
		bool is_log = p == POSIX_TRACE_LOOP || p == POSIX_TRACE_UNTIL_FULL ||
			      p == POSIX_TRACE_APPEND;
		bool is_inheritance = p == POSIX_TRACE_CLOSE_FOR_CHILD ||
				      p == POSIX_TRACE_INHERITED;
		int now;

		CHECK_EQ(posix_trace_attr_setstreamfullpolicy(&attr, p), is_stream ? 0 : EINVAL);
		CHECK_EQ(posix_trace_attr_getstreamfullpolicy(&attr, &now), 0);
		CHECK(!is_stream || now == p);
		CHECK_EQ(posix_trace_attr_setlogfullpolicy(&attr, p), is_log ? 0 : EINVAL);
		CHECK_EQ(posix_trace_attr_getlogfullpolicy(&attr, &now), 0);
		CHECK(!is_log || now == p);
		CHECK_EQ(posix_trace_attr_setinherited(&attr, p), is_inheritance ? 0 : EINVAL);
		CHECK_EQ(posix_trace_attr_getinherited(&attr, &now), 0);
		CHECK(!is_inheritance || now == p);
	}
}

/* PTRC-08: a timespec has nothing smaller than a nanosecond. */
static void test_resolution(void)
{
	struct timespec t;
	trace_attr_t attr;

	CHECK_EQ(ktrace_posix_resolution(2500000000ull).tv_nsec, 1);
	CHECK_EQ(ktrace_posix_resolution(1000000000ull).tv_nsec, 1);
	CHECK_EQ(ktrace_posix_resolution(24000000ull).tv_nsec, 41);
	CHECK_EQ(posix_trace_attr_init(&attr), 0);
	CHECK_EQ(posix_trace_attr_getclockres(&attr, &t), 0);
	CHECK(t.tv_sec == 0 && t.tv_nsec == 1);
}

static void test_sizes(void)
{
	static const size_t some[] = { 0, 1, 4097, 1 << 20, (size_t)1 << 30 };
	trace_attr_t attr;
	size_t now;

	CHECK_EQ(posix_trace_attr_init(&attr), 0);
	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		CHECK_EQ(posix_trace_attr_setstreamsize(&attr, some[i]), 0);
		CHECK_EQ(posix_trace_attr_getstreamsize(&attr, &now), 0);
		CHECK(now >= some[i] && now >= POSIX_STREAM_SIZE_MIN);
		CHECK_EQ(posix_trace_attr_setlogsize(&attr, some[i]), 0);
		CHECK_EQ(posix_trace_attr_getlogsize(&attr, &now), 0);
		CHECK(now >= some[i] && now >= POSIX_LOG_SIZE_MIN);
	}
	CHECK_EQ(posix_trace_attr_setstreamsize(&attr, SIZE_MAX), EINVAL);
	CHECK_EQ(posix_trace_attr_setlogsize(&attr, SIZE_MAX), EINVAL);
	CHECK_EQ(posix_trace_attr_setmaxdatasize(&attr, SIZE_MAX), EINVAL);
	CHECK_EQ(posix_trace_attr_setmaxdatasize(&attr, POSIX_DATA_MAX), 0);
	CHECK_EQ(posix_trace_attr_getmaxdatasize(&attr, &now), 0);
	CHECK_EQ(now, POSIX_DATA_MAX);
	CHECK_EQ(posix_trace_attr_setmaxdatasize(&attr, 0), 0);
	CHECK_EQ(posix_trace_attr_getmaxdatasize(&attr, &now), 0);
	CHECK_EQ(now, 0);
}

static void test_event_sizes(void)
{
	size_t size, before = 0, most;
	trace_attr_t attr;

	CHECK_EQ(posix_trace_attr_init(&attr), 0);
	CHECK_EQ(posix_trace_attr_setmaxdatasize(&attr, 100), 0);
	CHECK_EQ(posix_trace_attr_getmaxusereventsize(&attr, 100, &most), 0);
	for (size_t len = 0; len < 300; len++) {
		CHECK_EQ(posix_trace_attr_getmaxusereventsize(&attr, len, &size), 0);
		CHECK(size >= before && size >= (len < 100 ? len : 100) && size <= most);
		before = size;
	}
	CHECK_EQ(posix_trace_attr_getmaxusereventsize(&attr, SIZE_MAX, &size), 0);
	CHECK_EQ(size, most);
	CHECK_EQ(posix_trace_attr_getmaxsystemeventsize(&attr, &size), 0);
	CHECK(size >= 2 * sizeof(trace_event_set_t));
}

/* What is no object is refused by all, and written to by none. */
static void test_no_object(void)
{
	struct timespec t;
	trace_attr_t attr;
	char text[TRACE_NAME_MAX];
	size_t size;
	int i;

	CHECK_EQ(posix_trace_attr_init(NULL), EINVAL);
	CHECK_EQ(posix_trace_attr_destroy(NULL), EINVAL);
	CHECK_EQ(posix_trace_attr_init(&attr), 0);
	CHECK_EQ(posix_trace_attr_getname(&attr, NULL), EINVAL);
	CHECK_EQ(posix_trace_attr_setname(&attr, NULL), EINVAL);
	CHECK_EQ(posix_trace_attr_getstreamsize(&attr, NULL), EINVAL);
	CHECK_EQ(posix_trace_attr_destroy(&attr), 0);
	CHECK_EQ(posix_trace_attr_destroy(&attr), EINVAL);
	CHECK_EQ(posix_trace_attr_getclockres(&attr, &t), EINVAL);
	CHECK_EQ(posix_trace_attr_getcreatetime(&attr, &t), EINVAL);
	CHECK_EQ(posix_trace_attr_getgenversion(&attr, text), EINVAL);
	CHECK_EQ(posix_trace_attr_getname(&attr, text), EINVAL);
	CHECK_EQ(posix_trace_attr_getinherited(&attr, &i), EINVAL);
	CHECK_EQ(posix_trace_attr_getlogfullpolicy(&attr, &i), EINVAL);
	CHECK_EQ(posix_trace_attr_getstreamfullpolicy(&attr, &i), EINVAL);
	CHECK_EQ(posix_trace_attr_getlogsize(&attr, &size), EINVAL);
	CHECK_EQ(posix_trace_attr_getmaxdatasize(&attr, &size), EINVAL);
	CHECK_EQ(posix_trace_attr_getmaxsystemeventsize(&attr, &size), EINVAL);
	CHECK_EQ(posix_trace_attr_getmaxusereventsize(&attr, 1, &size), EINVAL);
	CHECK_EQ(posix_trace_attr_getstreamsize(&attr, &size), EINVAL);
	CHECK_EQ(posix_trace_attr_setname(&attr, "n"), EINVAL);
	CHECK_EQ(posix_trace_attr_setinherited(&attr, POSIX_TRACE_INHERITED), EINVAL);
	CHECK_EQ(posix_trace_attr_setlogfullpolicy(&attr, POSIX_TRACE_LOOP), EINVAL);
	CHECK_EQ(posix_trace_attr_setstreamfullpolicy(&attr, POSIX_TRACE_LOOP), EINVAL);
	CHECK_EQ(posix_trace_attr_setlogsize(&attr, 1), EINVAL);
	CHECK_EQ(posix_trace_attr_setmaxdatasize(&attr, 1), EINVAL);
	CHECK_EQ(posix_trace_attr_setstreamsize(&attr, 1), EINVAL);
	CHECK_EQ(posix_trace_attr_init(&attr), 0);
}

/* Whatever somebody wrote into an object: it is refused, or can be used. */
static void test_spoilt_object(void)
{
	struct posix_attr a;
	trace_attr_t attr;
	int ret;

	srand(1);
	for (int i = 0; i < 20000; i++) {
		CHECK_EQ(posix_trace_attr_init(&attr), 0);
		for (int n = rand() % 4; n >= 0; n--)
			((unsigned char *)&attr)[(size_t)rand() % sizeof(attr)] =
				(unsigned char)rand();
		ret = ktrace_posix_attr_read(&attr, &a);
		CHECK(ret == EINVAL || (!ret && ktrace_posix_attr_is_possible(&a)));
		CHECK(ret || strlen(a.name) < TRACE_NAME_MAX);
	}
}

/* The same operations on an array of bool. */
static void test_sets(void)
{
	static bool model[POSIX_ID_NR];
	trace_event_set_t set, copy;
	int has;

	srand(2);
	CHECK_EQ(posix_trace_eventset_empty(&set), 0);
	for (int i = 0; i < 30000; i++) {
		trace_event_id_t id = 1 + (trace_event_id_t)rand() % (POSIX_ID_NR - 1);
		bool adds = rand() & 1;

		CHECK_EQ(adds ? posix_trace_eventset_add(id, &set) :
				posix_trace_eventset_del(id, &set), 0);
		model[id] = adds;
	}
	copy = set;
	for (trace_event_id_t id = 1; id < POSIX_ID_NR; id++) {
		CHECK_EQ(posix_trace_eventset_ismember(id, &copy, &has), 0);
		CHECK_EQ(has, model[id]);
	}
}

static int count(const trace_event_set_t *set)
{
	int n = 0, has;

	for (trace_event_id_t id = 1; id < POSIX_ID_NR; id++) {
		CHECK_EQ(posix_trace_eventset_ismember(id, set, &has), 0);
		n += has;
	}
	return n;
}

static int has(const trace_event_set_t *set, trace_event_id_t id)
{
	int is;

	CHECK_EQ(posix_trace_eventset_ismember(id, set, &is), 0);
	return is;
}

static void test_fill(void)
{
	trace_event_set_t set;

	CHECK_EQ(posix_trace_eventset_fill(&set, POSIX_TRACE_ALL_EVENTS), 0);
	CHECK_EQ(count(&set), POSIX_ID_NR - 1);
	CHECK_EQ(posix_trace_eventset_fill(&set, POSIX_TRACE_WOPID_EVENTS), 0);
	CHECK(has(&set, POSIX_TRACE_OVERFLOW) && has(&set, POSIX_TRACE_FLUSH_START));
	CHECK(!has(&set, POSIX_TRACE_START) && !has(&set, POSIX_TRACE_UNNAMED_USEREVENT));
	CHECK_EQ(posix_trace_eventset_fill(&set, POSIX_TRACE_SYSTEM_EVENTS), 0);
	CHECK(has(&set, POSIX_TRACE_START) && has(&set, POSIX_TRACE_ERROR));
	CHECK(has(&set, POSIX_TRACE_FILTER) && !has(&set, POSIX_TRACE_UNNAMED_USEREVENT));
	CHECK_EQ(posix_trace_eventset_empty(&set), 0);
	CHECK_EQ(count(&set), 0);
}

static void test_bad_sets(void)
{
	trace_event_set_t set;
	int is;

	CHECK_EQ(posix_trace_eventset_empty(NULL), EINVAL);
	CHECK_EQ(posix_trace_eventset_fill(NULL, POSIX_TRACE_ALL_EVENTS), EINVAL);
	CHECK_EQ(posix_trace_eventset_fill(&set, 0), EINVAL);
	CHECK_EQ(posix_trace_eventset_fill(&set, 4), EINVAL);
	CHECK_EQ(posix_trace_eventset_empty(&set), 0);
	CHECK_EQ(posix_trace_eventset_add(0, &set), EINVAL);
	CHECK_EQ(posix_trace_eventset_add(POSIX_ID_NR, &set), EINVAL);
	CHECK_EQ(posix_trace_eventset_add(1, NULL), EINVAL);
	CHECK_EQ(posix_trace_eventset_del(~0u, &set), EINVAL);
	CHECK_EQ(posix_trace_eventset_del(1, NULL), EINVAL);
	CHECK_EQ(posix_trace_eventset_ismember(0, &set, &is), EINVAL);
	CHECK_EQ(posix_trace_eventset_ismember(1, &set, NULL), EINVAL);
	CHECK_EQ(posix_trace_eventset_ismember(1, NULL, &is), EINVAL);
	CHECK_EQ(count(&set), 0);
}

static void test_predefined(void)
{
	trace_event_id_t id, before = 0;
	unsigned int i;

	for (i = 0; (id = ktrace_posix_system_id(i)); i++) {
		CHECK(id > before && ktrace_posix_system_name(id));
		before = id;
	}
	CHECK_EQ(i, 9);
	CHECK_STR(ktrace_posix_system_name(POSIX_TRACE_FLUSH_STOP), "posix_trace_flush_stop");
	CHECK_STR(ktrace_posix_system_name(POSIX_TRACE_UNNAMED_USER_EVENT),
		  "posix_trace_unnamed_userevent");
	CHECK(!ktrace_posix_system_name(0) && !ktrace_posix_system_name(33));
}

/* sysconf() itself is asked by the programs of the suite, which have no sanitizer between. */
static void test_sysconf(void)
{
	CHECK_EQ(ktrace_posix_sysconf(_SC_TRACE), 200809L);
	CHECK_EQ(ktrace_posix_sysconf(_SC_TRACE_EVENT_FILTER), 200809L);
	CHECK_EQ(ktrace_posix_sysconf(_SC_TRACE_LOG), 200809L);
	CHECK_EQ(ktrace_posix_sysconf(_SC_TRACE_INHERIT), 200809L);
	CHECK(ktrace_posix_sysconf(_SC_TRACE_EVENT_NAME_MAX) >= _POSIX_TRACE_EVENT_NAME_MAX);
	CHECK(ktrace_posix_sysconf(_SC_TRACE_NAME_MAX) >= _POSIX_TRACE_NAME_MAX);
	CHECK(ktrace_posix_sysconf(_SC_TRACE_SYS_MAX) >= _POSIX_TRACE_SYS_MAX);
	CHECK(ktrace_posix_sysconf(_SC_TRACE_USER_EVENT_MAX) >= _POSIX_TRACE_USER_EVENT_MAX);
	CHECK(ktrace_posix_sysconf(_SC_PAGESIZE) >= 4096);
	errno = 0;
	CHECK_EQ(ktrace_posix_sysconf(-1), -1);
	CHECK_EQ(errno, EINVAL);
}

int main(void)
{
	test_defaults();
	test_policy_that_is_not_set();
	test_names();
	test_policies();
	test_resolution();
	test_sizes();
	test_event_sizes();
	test_no_object();
	test_spoilt_object();
	test_sets();
	test_fill();
	test_bad_sets();
	test_predefined();
	test_sysconf();
	return 0;
}
