// SPDX-License-Identifier: GPL-2.0
/* test_posix_native.c - what ktraced wrote, as a pre-recorded POSIX stream */
#include <ktrace/tracefile.h>

#include "make_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include "../../userspace/lib/posix/base/attr.h"
#include "../../userspace/lib/posix/log/recorded.h"

static char path[64];

static void put(struct maker *m, __u64 ts, __u16 id, __u32 tid, __u64 n)
{
	struct ktrace_record rec = { .ts = ts, .id = id, .len = sizeof(n), .tid_flags = tid };

	make_record(m, &rec, &n);
}

/* Of a kernel event, two of a program, one that nobody described, and a loss. */
static void make_native(void)
{
	static struct maker kernel, user;
	struct ktrace_tracefile *tf = make_file(path, 1000000000ull);
	struct ktrace_lost lost = { .count = { 5 } };

	make_meta(tf, "trace version=1 start_ns=3000000007 clock=tsc cmd=./demo%20-x\n"
		  "event kind=kernel id=69 desc=sched:exit{u32%20tid;}\n"
		  "process pid=100 ppid=1 ts=0 comm=demo\nthread tid=7 pid=100 ts=0 comm=other\n");
	make_stream(&kernel, tf, 1);
	make_meta(tf, "stream id=1 kind=kernel cpu=1 ring=65536 block=4096 policy=overwrite\n");
	make_stream(&user, tf, 2);
	put(&kernel, 20, 69, 100, 0xabcd);
	put(&user, 10, 16, 7, 1);
	put(&user, 30, 99, 7, 2);
	make_end_block(&kernel);
	make_end_block(&user);
	CHECK_EQ(ktrace_tracefile_lost(tf, 2, 4096, 40, &lost, 5), 0);
	CHECK_EQ(ktrace_tracefile_close(tf), 0);
}

static struct posix_trace_event_info expect(struct posix_recorded *r, const char *name, __u64 data,
					    size_t size)
{
	struct posix_trace_event_info info;
	__u64 got = 0;
	size_t len;
	int none;

	CHECK_EQ(ktrace_posix_recorded_next(r, &info, &got, sizeof(got), &len, &none), 0);
	CHECK_EQ(none, 0);
	CHECK_STR(ktrace_posix_recorded_name(r, info.posix_event_id), name);
	CHECK_EQ(len, size);
	CHECK_EQ(got, data);
	return info;
}

static void test_events(struct posix_recorded *r)
{
	struct posix_trace_event_info info = expect(r, "t:e", 1, 8);
	size_t len;
	int none;

	CHECK_EQ(info.posix_pid, 100);
	CHECK_EQ((__u64)info.posix_thread_id, 7);
	CHECK(!info.posix_prog_address);
	CHECK_EQ(info.posix_timestamp.tv_sec, 1);
	CHECK_EQ(info.posix_timestamp.tv_nsec, 10);
	info = expect(r, "sched:exit", 0xabcd, 8);
	CHECK_EQ(info.posix_pid, 100);
	info = expect(r, "posix_trace_unnamed_userevent", 2, 8);
	CHECK_EQ(info.posix_event_id, POSIX_TRACE_UNNAMED_USEREVENT);
	info = expect(r, "posix_trace_overflow", 0, 0);
	CHECK_EQ(info.posix_event_id, POSIX_TRACE_OVERFLOW);
	CHECK_EQ(info.posix_pid, 0);
	CHECK_EQ(ktrace_posix_recorded_next(r, &info, NULL, 0, &len, &none), 0);
	CHECK(none);
}

static void test_facts(const struct posix_recorded *r)
{
	struct posix_trace_status_info status;
	struct posix_attr a;

	ktrace_posix_recorded_attr(r, &a);
	CHECK_STR(a.name, "./demo -x");
	CHECK_EQ(a.created.tv_sec, 3);
	CHECK_EQ(a.created.tv_nsec, 7);
	CHECK(ktrace_posix_attr_is_possible(&a));
	ktrace_posix_recorded_status(r, &status);
	CHECK_EQ(status.posix_stream_overrun_status, POSIX_TRACE_OVERRUN);
	CHECK_EQ(status.posix_stream_status, POSIX_TRACE_SUSPENDED);
}

/* Ids of this file, one for each type: kernel's first. */
static void test_types(struct posix_recorded *r)
{
	trace_event_id_t id;

	while ((id = ktrace_posix_recorded_next_type(r)) != POSIX_TRACE_UNNAMED_USEREVENT)
		CHECK(id);
	id = ktrace_posix_recorded_next_type(r);
	CHECK_EQ(id, POSIX_TRACE_UNNAMED_USEREVENT + 1);
	CHECK_STR(ktrace_posix_recorded_name(r, id), "sched:exit");
	id = ktrace_posix_recorded_next_type(r);
	CHECK_STR(ktrace_posix_recorded_name(r, id), "t:e");
	CHECK_EQ(ktrace_posix_recorded_next_type(r), 0);
}

/* A recording that goes on, or broke off, is not whole. */
static void test_not_closed(int fd)
{
	struct posix_recorded *r;
	off_t size = lseek(fd, 0, SEEK_END);

	CHECK_EQ(ftruncate(fd, size - 64), 0);
	CHECK_EQ(ktrace_posix_recorded_open(fd, &r), EINVAL);
}

int main(void)
{
	struct posix_recorded *r;
	int fd;

	temporary_file(path, sizeof(path), "test_posix_native");
	make_native();
	fd = open(path, O_RDWR);
	CHECK(fd >= 0);
	CHECK_EQ(ktrace_posix_recorded_open(fd, &r), 0);
	test_facts(r);
	test_types(r);
	test_events(r);
	CHECK_EQ(ktrace_posix_recorded_rewind(r), 0);
	expect(r, "t:e", 1, 8);
	ktrace_posix_recorded_close(r);
	test_not_closed(fd);
	close(fd);
	unlink(path);
	return 0;
}
