// SPDX-License-Identifier: GPL-2.0
/* test_posix_log.c - logs of POSIX streams: written with each policy, read again */
#include "make_log.h"

#include <errno.h>

#include "../../userspace/lib/posix/base/eventset.h"
#include "../../userspace/lib/posix/log/log_meta.h"

/* An event type that nobody has told the log of */
#define NAMELESS ((trace_event_id_t)35)

static void test_names(void)
{
	static const char *const names[] = {
		"", "plain", "a b", "+", "posix:x{u8 y;}", "\xff\x01\n", "1|2.3-4_5", "%41",
	};
	char full[POSIX_FULL_NAME_SIZE], back[TRACE_EVENT_NAME_MAX + 1];
	char long_name[TRACE_EVENT_NAME_MAX + 1];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		ktrace_posix_full_name(full, names[i]);
		CHECK(ktrace_posix_plain_name(back, full));
		CHECK_STR(back, names[i]);
	}
	memset(long_name, ' ', TRACE_EVENT_NAME_MAX);
	long_name[TRACE_EVENT_NAME_MAX] = '\0';
	ktrace_posix_full_name(full, long_name);
	CHECK(ktrace_posix_plain_name(back, full));
	CHECK_STR(back, long_name);
	CHECK(!ktrace_posix_plain_name(back, "demo:work"));
	CHECK(!ktrace_posix_plain_name(back, "posix:a+"));
	CHECK(!ktrace_posix_plain_name(back, "posix:a+0"));
	CHECK(!ktrace_posix_plain_name(back, "posix:a+00"));
	strcat(full, "x");
	CHECK(!ktrace_posix_plain_name(back, full));
}

/* All that the log says comes back, with each policy. */
static void test_round_trip(int policy)
{
	struct posix_attr a = make_attr(policy, 65536, 100), back;
	struct posix_trace_status_info status;
	struct posix_recorded *r;
	static struct got g;
	int fd = new_file();
	struct posix_log *log = make_log(fd, &a);
	int types = 0;

	CHECK_EQ(make_add(log, POSIX_TRACE_START, 2000, NULL, 0), 0);
	CHECK_EQ(make_add(log, MAKE_WORK, 2001, "abc", 3), 0);
	CHECK_EQ(make_add(log, MAKE_ODD, 2001, NULL, 0), 0);
	CHECK_EQ(ktrace_posix_log_flush(log), 0);
	CHECK_EQ(make_add(log, POSIX_TRACE_UNNAMED_USEREVENT, 2002, "", 1), 0);
	CHECK_EQ(make_add(log, NAMELESS, 2003, "de", 2), 0);
	CHECK_EQ(make_end(log, 3000), 0);

	r = read_log(fd);
	for (int round = 0; round < 2; round++) {
		CHECK(next(r, &g) && g.info.posix_event_id == POSIX_TRACE_START && !g.len);
		CHECK(next(r, &g) && g.info.posix_event_id == MAKE_WORK && g.len == 3);
		CHECK(!memcmp(g.data, "abc", 3));
		CHECK_EQ(g.info.posix_pid, 1);
		CHECK_EQ((__u64)g.info.posix_thread_id, 0x7f0012345678);
		CHECK_EQ((__u64)g.info.posix_prog_address, 0x1234);
		CHECK_EQ(g.info.posix_timestamp.tv_sec, MAKE_EPOCH / 1000000000);
		CHECK_EQ(g.info.posix_timestamp.tv_nsec, 2001);
		CHECK_EQ(g.info.posix_truncation_status, POSIX_TRACE_NOT_TRUNCATED);
		CHECK(next(r, &g) && g.info.posix_event_id == MAKE_ODD && !g.len);
		CHECK(next(r, &g) && g.info.posix_event_id == POSIX_TRACE_UNNAMED_USEREVENT);
		CHECK(next(r, &g) && g.info.posix_event_id == POSIX_TRACE_UNNAMED_USEREVENT);
		CHECK(g.len == 2 && !memcmp(g.data, "de", 2));
		CHECK(!next(r, &g));
		CHECK(!next(r, &g));
		CHECK_EQ(ktrace_posix_recorded_rewind(r), 0);
	}
	ktrace_posix_recorded_attr(r, &back);
	a.log_size = ktrace_posix_log_size(&a);
	CHECK(!memcmp(&back, &a, sizeof(a)));
	ktrace_posix_recorded_status(r, &status);
	CHECK_EQ(status.posix_stream_status, POSIX_TRACE_SUSPENDED);
	CHECK_EQ(status.posix_log_full_status, POSIX_TRACE_NOT_FULL);
	CHECK_EQ(status.posix_log_overrun_status, POSIX_TRACE_NO_OVERRUN);
	CHECK_EQ(status.posix_stream_lost[0], 3);
	CHECK_STR(ktrace_posix_recorded_name(r, MAKE_ODD), "odd name: \xff/+");
	CHECK_STR(ktrace_posix_recorded_name(r, POSIX_TRACE_STOP), "posix_trace_stop");
	CHECK(!ktrace_posix_recorded_name(r, NAMELESS) && !ktrace_posix_recorded_name(r, 0));
	while (ktrace_posix_recorded_next_type(r))
		types++;
	CHECK_EQ(types, 9 + 2);
	CHECK(!ktrace_posix_recorded_name(r, ~0u));
	ktrace_posix_recorded_close(r);
	CHECK(fcntl(fd, F_GETFD) >= 0);
	close(fd);
}

/* What no program can have recorded is counted, and nothing else happens. */
static void test_forged(void)
{
	struct posix_attr a = make_attr(POSIX_TRACE_LOOP, 8192, 10);
	int fd = new_file();
	struct posix_log *log = make_log(fd, &a);
	static char data[POSIX_DATA_MAX];

	CHECK_EQ(make_add(log, MAKE_WORK, 2000, data, sizeof(data)), 0);
	CHECK_EQ(make_add(log, 0, 2001, NULL, 0), 0);
	CHECK_EQ(make_add(log, POSIX_ID_NR, 2002, NULL, 0), 0);
	CHECK_EQ(make_add(log, MAKE_WORK, 2003, NULL, 0), 0);
	CHECK_EQ(status_of(log).unwritten, 3);
	CHECK(status_of(log).is_overrun && !status_of(log).error);
	CHECK_EQ(make_end(log, 3000), 0);
	close(fd);
}

/* PTRC-73: what a reader gets whose buffer is short. */
static void test_truncation(void)
{
	static const size_t room[] = { 0, 1, 9, 10, 11 };
	struct posix_attr a = make_attr(POSIX_TRACE_LOOP, 8192, 10);
	struct ktrace_posix_event e = { .size = 10 };
	struct ktrace_record rec = {
		.ts = 2000, .id = POSIX_ID_BASE + MAKE_WORK, .len = sizeof(e) + 10,
		.tid_flags = KTRACE_REC_TRUNCATED,
	};
	char payload[sizeof(e) + 10], data[16];
	struct posix_trace_event_info info;
	struct posix_recorded *r;
	int fd = new_file(), none;
	struct posix_log *log = make_log(fd, &a);
	size_t len;

	memcpy(payload, &e, sizeof(e));
	memcpy(payload + sizeof(e), "0123456789", 10);
	CHECK_EQ(ktrace_posix_log_add(log, &rec, payload), 0);
	CHECK_EQ(make_end(log, 3000), 0);
	r = read_log(fd);
	for (size_t i = 0; i < sizeof(room) / sizeof(room[0]); i++) {
		memset(data, '#', sizeof(data));
		CHECK_EQ(ktrace_posix_recorded_rewind(r), 0);
		CHECK_EQ(ktrace_posix_recorded_next(r, &info, room[i] ? data : NULL, room[i], &len,
						    &none), 0);
		CHECK_EQ(none, 0);
		CHECK_EQ(len, room[i] < 10 ? room[i] : 10);
		CHECK(!memcmp(data, "0123456789", len) && data[len] == '#');
		CHECK_EQ(info.posix_truncation_status, room[i] < 10 ?
			 POSIX_TRACE_TRUNCATED_READ : POSIX_TRACE_TRUNCATED_RECORD);
	}
	ktrace_posix_recorded_close(r);
	close(fd);
}

/* PTRC-44, PTRC-49: whenever it ends, the log has the newest events, no gap, and all names. */
static void test_loop(void)
{
	struct posix_attr a = make_attr(POSIX_TRACE_LOOP, 16384, 4);
	struct posix_trace_status_info status;
	__u32 first = 0, nr = 0;

	for (__u32 total = 0; total < 3000; total += 1 + total / 7) {
		int fd = new_file();
		struct posix_log *log = make_log(fd, &a);
		struct posix_recorded *r;

		for (__u32 n = 0; n < total; n++) {
			CHECK_EQ(make_work(log, n), 0);
			if (n % 50 == 49)
				CHECK_EQ(ktrace_posix_log_flush(log), 0);
		}
		CHECK_EQ(make_end(log, 1000000), 0);
		CHECK(size_of(fd) < 16384 + 8192);
		r = read_log(fd);
		read_numbers(r, &first, &nr);
		CHECK(!total || first + nr == total);
		CHECK(nr == total || nr * posix_event_size(4) >= 16384 - 4096 - 4 * 64);
		ktrace_posix_recorded_status(r, &status);
		CHECK_EQ(status.posix_log_full_status == POSIX_TRACE_FULL, nr != total);
		CHECK_EQ(status.posix_log_overrun_status == POSIX_TRACE_OVERRUN, nr != total);
		CHECK_STR(ktrace_posix_recorded_name(r, MAKE_WORK), "work");
		ktrace_posix_recorded_close(r);
		close(fd);
	}
}

/* A thousand times round; names that come late are there, and the file does not grow. */
static void test_loop_for_long(void)
{
	struct posix_attr a = make_attr(POSIX_TRACE_LOOP, 8192, 4);
	int fd = new_file();
	struct posix_log *log = make_log(fd, &a);
	struct posix_recorded *r;
	__u32 first = 0, nr = 0;

	for (__u32 n = 0; n < 200000; n++) {
		struct ktrace_reading now = make_reading(1001 + n);

		if (n == 100000)
			CHECK_EQ(ktrace_posix_log_name(log, 35, "late"), 0);
		CHECK_EQ(make_work(log, n), 0);
		if (n % 100 == 0)
			CHECK_EQ(ktrace_posix_log_clock(log, &now), 0);
	}
	CHECK(status_of(log).overwritten > 199000);
	CHECK_EQ(make_end(log, 1000000), 0);
	CHECK(size_of(fd) < 8192 + 32768);
	r = read_log(fd);
	CHECK_STR(ktrace_posix_recorded_name(r, 35), "late");
	read_numbers(r, &first, &nr);
	CHECK_EQ(first + nr, 200000);
	ktrace_posix_recorded_close(r);
	close(fd);
}

/* Stamps that go back where a round ends: the order is that in which they were added. */
static void test_loop_keeps_order(void)
{
	struct posix_attr a = make_attr(POSIX_TRACE_LOOP, 8192, 4);
	int fd = new_file();
	struct posix_log *log = make_log(fd, &a);
	struct posix_recorded *r;
	static struct got g;
	__u32 n, before = 0;

	for (n = 1; n < 1000; n++)
		CHECK_EQ(make_add(log, MAKE_WORK, 5000 - n % 5, &n, sizeof(n)), 0);
	CHECK_EQ(make_end(log, 1000000), 0);
	r = read_log(fd);
	while (next(r, &g)) {
		memcpy(&n, g.data, sizeof(n));
		CHECK(!before || n == before + 1);
		before = n;
	}
	CHECK_EQ(before, 999);
	ktrace_posix_recorded_close(r);
	close(fd);
}

/* PTRC-45 */
static void test_until_full(void)
{
	struct posix_attr a = make_attr(POSIX_TRACE_UNTIL_FULL, 16384, 4);
	struct posix_trace_status_info status;
	int fd = new_file();
	struct posix_log *log = make_log(fd, &a);
	struct posix_recorded *r;
	static struct got g;
	__u32 n = 0;
	__s32 cause;

	for (__u32 i = 0; i < 1000; i++)
		CHECK_EQ(make_work(log, i), 0);
	CHECK(status_of(log).is_full && status_of(log).is_overrun);
	CHECK(status_of(log).unwritten > 500);
	CHECK_EQ(make_end(log, 1000000), 0);
	CHECK(size_of(fd) < 16384 + 8192);
	r = read_log(fd);
	while (next(r, &g) && g.info.posix_event_id == MAKE_WORK) {
		CHECK_EQ(*(__u32 *)g.data, n);
		n++;
	}
	CHECK((n + 1) * posix_event_size(4) > 16384 - 4 * 64 - 4 * posix_event_size(4));
	CHECK_EQ(g.info.posix_event_id, POSIX_TRACE_STOP);
	CHECK_EQ(g.len, sizeof(cause));
	memcpy(&cause, g.data, sizeof(cause));
	CHECK(cause != 0);
	CHECK(!next(r, &g));
	ktrace_posix_recorded_status(r, &status);
	CHECK_EQ(status.posix_log_full_status, POSIX_TRACE_FULL);
	ktrace_posix_recorded_close(r);
	close(fd);
}

/* The longest events leave room for STOP, too. */
static void test_until_full_of_long_events(void)
{
	for (size_t len = 0; len <= POSIX_DATA_MAX; len += 1 + len / 3) {
		struct posix_attr a = make_attr(POSIX_TRACE_UNTIL_FULL, 8192, len);
		static char data[POSIX_DATA_MAX];
		int fd = new_file();
		struct posix_log *log = make_log(fd, &a);
		struct posix_recorded *r;
		static struct got g, last;
		int n = 0;

		while (!status_of(log).is_full)
			CHECK_EQ(make_add(log, MAKE_WORK, 2000, data, len), 0);
		CHECK_EQ(make_end(log, 3000), 0);
		r = read_log(fd);
		for (; next(r, &g); n++)
			last = g;
		CHECK(n > 2 && last.info.posix_event_id == POSIX_TRACE_STOP);
		ktrace_posix_recorded_close(r);
		close(fd);
	}
}

/* PTRC-46: no limit, and a log that is there is extended: names keep their ids. */
static void test_append(void)
{
	struct posix_attr a = make_attr(POSIX_TRACE_APPEND, 8192, 4);
	struct posix_recorded *r;
	struct posix_log *log;
	__u32 first = 0, nr = 0;
	static struct got g;
	trace_event_set_t set = { { 1ull << MAKE_ODD, 1ull << (99 - 64) } };
	int fd;

	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
	CHECK(fd >= 0);
	log = make_log(fd, &a);
	for (__u32 n = 0; n < 5000; n++)
		CHECK_EQ(make_work(log, n), 0);
	CHECK(!status_of(log).is_full);
	CHECK_EQ(make_end(log, 10000), 0);
	CHECK(fcntl(fd, F_GETFL) & O_APPEND);
	r = read_log(fd);
	read_numbers(r, &first, &nr);
	CHECK_EQ(nr, 5000);
	ktrace_posix_recorded_close(r);

	/* The stamps begin at 1000 again: of another boot, as it were. */
	CHECK_EQ(make_open(fd, &a, &log), 0);
	CHECK_EQ(ktrace_posix_log_name(log, 33, "other"), 0);
	CHECK_EQ(ktrace_posix_log_name(log, 99, "work"), 0);
	CHECK_EQ(make_add(log, POSIX_TRACE_START, 1999, &set, sizeof(set)), 0);
	CHECK_EQ(make_add(log, 33, 2000, NULL, 0), 0);
	CHECK_EQ(make_add(log, 99, 2001, "\1\0\0", 4), 0);
	CHECK_EQ(make_end(log, 10000), 0);
	r = read_log(fd);
	for (nr = 0; nr < 5000; nr++)
		CHECK(next(r, &g) && g.info.posix_event_id == MAKE_WORK);
	/* START: "work" is left out, and 34 is nobody's any more, but "odd name" in the file */
	CHECK(next(r, &g) && g.len == sizeof(set));
	memcpy(&set, g.data, sizeof(set));
	CHECK_EQ(set.__word[0], 1ull << MAKE_WORK);
	CHECK_EQ(set.__word[1], 0);
	CHECK(next(r, &g));
	CHECK_STR(ktrace_posix_recorded_name(r, g.info.posix_event_id), "other");
	CHECK(g.info.posix_timestamp.tv_nsec > 10000);
	CHECK(next(r, &g) && g.info.posix_event_id == MAKE_WORK);
	CHECK(!next(r, &g));
	ktrace_posix_recorded_close(r);
	close(fd);
}

/* PTRC-26: what was added is gone, names are not. */
static void test_clear(int policy)
{
	struct posix_attr a = make_attr(policy, 8192, 4);
	__u32 first = 0, nr = 0;

	for (__u32 before = 0; before < 1000; before += 1 + before / 2) {
		int fd = new_file();
		struct posix_log *log = make_log(fd, &a);
		struct posix_recorded *r;

		for (__u32 n = 0; n < before; n++)
			CHECK_EQ(make_work(log, n), 0);
		CHECK_EQ(ktrace_posix_log_clear(log), 0);
		CHECK(!status_of(log).is_full && !status_of(log).is_overrun);
		for (__u32 n = 0; n < 50; n++)
			CHECK_EQ(make_work(log, 5000 + n), 0);
		CHECK_EQ(make_end(log, 100000), 0);
		r = read_log(fd);
		CHECK_STR(ktrace_posix_recorded_name(r, MAKE_WORK), "work");
		read_numbers(r, &first, &nr);
		CHECK_EQ(first, 5000);
		CHECK_EQ(nr, 50);
		ktrace_posix_recorded_close(r);
		close(fd);
	}
}

int main(void)
{
	static const int policies[] = {
		POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND,
	};

	name_file("log");
	test_names();
	for (int i = 0; i < 3; i++)
		test_round_trip(policies[i]);
	test_forged();
	test_truncation();
	test_loop();
	test_loop_for_long();
	test_loop_keeps_order();
	test_until_full();
	test_until_full_of_long_events();
	test_append();
	test_clear(POSIX_TRACE_LOOP);
	test_clear(POSIX_TRACE_UNTIL_FULL);
	unlink(path);
	return 0;
}
