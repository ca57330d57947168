// SPDX-License-Identifier: GPL-2.0
/* test_posix_log_files.c - what logs are written to: files of all kinds, full ones among them */
#include "make_log.h"

#include <errno.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/* How often a file was cut when anybody could have been writing to it */
static int unlocked_cuts;

/* The C library's, which looks first whether the file is locked. */
int ftruncate(int fd, off_t size)
{
	char name[40];
	int other;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	other = open(name, O_RDWR);
	unlocked_cuts += other >= 0 && !flock(other, LOCK_EX | LOCK_NB);
	close(other);
	return (int)syscall(SYS_ftruncate, fd, size);
}

/* What is no log is not extended, and stays as it is. */
static void test_append_to_others(void)
{
	struct posix_attr a = make_attr(POSIX_TRACE_APPEND, 8192, 4);
	struct posix_log *log;
	int fd = new_file();
	__u64 size;

	CHECK_EQ(write(fd, "a letter", 8), 8);
	CHECK_EQ(make_open(fd, &a, &log), EINVAL);
	CHECK_EQ(size_of(fd), 8);
	CHECK_EQ(ftruncate(fd, 0), 0);
	log = make_log(fd, &a);
	CHECK_EQ(make_end(log, 2000), 0);
	size = size_of(fd);
	CHECK_EQ(ftruncate(fd, (off_t)size - 8), 0);
	CHECK_EQ(make_open(fd, &a, &log), EINVAL);
	CHECK_EQ(size_of(fd), size - 8);
	close(fd);
}

/* PTRC-23 */
static void test_descriptors(void)
{
	static const int policies[] = {
		POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND,
	};
	int pair[2], ends[2], fd = new_file(), read_only, null, dir;

	CHECK_EQ(pipe(pair), 0);
	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	read_only = open(path, O_RDONLY);
	null = open("/dev/null", O_WRONLY);
	dir = open("/", O_RDONLY | O_DIRECTORY);
	for (int i = 0; i < 3; i++) {
		int others = policies[i] == POSIX_TRACE_APPEND ? 0 : EINVAL;

		CHECK_EQ(ktrace_posix_log_check(fd, policies[i]), 0);
		CHECK_EQ(ktrace_posix_log_check(pair[1], policies[i]), others);
		CHECK_EQ(ktrace_posix_log_check(ends[0], policies[i]), others);
		CHECK_EQ(ktrace_posix_log_check(null, policies[i]), others);
		CHECK_EQ(ktrace_posix_log_check(read_only, policies[i]), EBADF);
		CHECK_EQ(ktrace_posix_log_check(pair[0], policies[i]), EBADF);
		CHECK_EQ(ktrace_posix_log_check(dir, policies[i]), EBADF);
		CHECK_EQ(ktrace_posix_log_check(-1, policies[i]), EBADF);
	}
	close(pair[0]);
	close(pair[1]);
	close(ends[0]);
	close(ends[1]);
	close(read_only);
	close(null);
	close(dir);
	close(fd);
}

/* What comes out of a pipe is a log. */
static void test_pipe(void)
{
	struct posix_attr a = make_attr(POSIX_TRACE_APPEND, 8192, 4);
	struct posix_recorded *r;
	struct posix_log *log;
	__u32 first = 0, nr = 0;
	char bytes[4096];
	int pair[2], fd = new_file();
	ssize_t n;

	CHECK_EQ(pipe2(pair, O_NONBLOCK), 0);
	log = make_log(pair[1], &a);
	for (__u32 i = 0; i < 500; i++) {
		CHECK_EQ(make_work(log, i), 0);
		if (i % 10 == 0)
			CHECK_EQ(ktrace_posix_log_flush(log), 0);
	}
	CHECK_EQ(make_end(log, 3000), 0);
	close(pair[1]);
	while ((n = read(pair[0], bytes, sizeof(bytes))) > 0)
		CHECK_EQ(write(fd, bytes, (size_t)n), n);
	close(pair[0]);
	r = read_log(fd);
	read_numbers(r, &first, &nr);
	CHECK_EQ(nr, 500);
	ktrace_posix_recorded_close(r);
	close(fd);
}

/* PTRC-47: a limit on the size of files; what there was room for can be read. */
static void test_size_limit(void)
{
	struct posix_attr a = make_attr(POSIX_TRACE_APPEND, 8192, 4);
	struct rlimit old, limit;
	struct posix_trace_status_info status;
	struct posix_log_status state;
	struct posix_recorded *r;
	struct posix_log *log;
	__u32 first = 0, nr = 0;
	int fd = new_file(), errors = 0;

	signal(SIGXFSZ, SIG_IGN);
	CHECK_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = (struct rlimit){ 300000, old.rlim_max };
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
	log = make_log(fd, &a);
	for (__u32 n = 0; n < 9000; n++) {
		int ret = make_work(log, n);

		CHECK(!ret || ret == EFBIG);
		errors += ret != 0;
	}
	CHECK(errors);
	CHECK_EQ(ktrace_posix_log_flush(log), EFBIG);
	ktrace_posix_log_status(log, &state, true);
	CHECK_EQ(state.error, EFBIG);
	CHECK(state.is_overrun && state.unwritten);
	ktrace_posix_log_status(log, &state, false);
	CHECK(!state.error && !state.is_overrun);
	/* PTRC-26: what was written stays, what was said of it does not. */
	CHECK_EQ(ktrace_posix_log_flush(log), EFBIG);
	CHECK_EQ(ktrace_posix_log_clear(log), 0);
	ktrace_posix_log_status(log, &state, false);
	CHECK(!state.error);
	CHECK_EQ(make_end(log, 100000), EFBIG);
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &old), 0);
	r = read_log(fd);
	read_numbers(r, &first, &nr);
	CHECK(first == 0 && nr > 1000 && nr < 9000);
	ktrace_posix_recorded_status(r, &status);
	CHECK_EQ(status.posix_log_overrun_status, POSIX_TRACE_OVERRUN);
	ktrace_posix_recorded_close(r);
	close(fd);
}

/* Limits files to what this one has, and @more. Return: the limit before that. */
static struct rlimit limit_to(int fd, __u64 more)
{
	struct rlimit old, limit;

	CHECK_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = (struct rlimit){ size_of(fd) + more, old.rlim_max };
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
	return old;
}

static void add_names(struct posix_log *log, trace_event_id_t nr)
{
	char name[64];

	for (trace_event_id_t id = 35; id < 35 + nr; id++) {
		snprintf(name, sizeof(name), "name of type %u, which came late", id);
		CHECK_EQ(ktrace_posix_log_name(log, id, name), 0);
	}
}

/*
 * PTRC-49: there is no room for the end of the log: names stay, and events that follow each other,
 * which are the newest unless the last slot has those.
 */
static void test_no_room_for_the_end(void)
{
	struct posix_attr a = make_attr(POSIX_TRACE_LOOP, 32768, 4);
	struct posix_trace_status_info status;
	int rounds = 0, newest = 0;

	for (__u32 total = 800; total < 1800; total += 100 * (__u32)unit_step(), rounds++) {
		int fd = new_file();
		struct posix_log *log = make_log(fd, &a);
		struct posix_recorded *r;
		__u32 first = 0, nr = 0;
		struct rlimit old;

		for (__u32 n = 0; n < total; n++) {
			if (n == total - 10)
				add_names(log, 200);
			CHECK_EQ(make_work(log, n), 0);
		}
		CHECK_EQ(ktrace_posix_log_flush(log), 0);
		old = limit_to(fd, 0);
		CHECK_EQ(make_end(log, 100000), 0);
		CHECK_EQ(setrlimit(RLIMIT_FSIZE, &old), 0);
		r = read_log(fd);
		for (trace_event_id_t id = 33; id < 235; id++)
			CHECK(ktrace_posix_recorded_name(r, id));
		read_numbers(r, &first, &nr);
		ktrace_posix_recorded_status(r, &status);
		CHECK(nr > 50);
		CHECK_EQ(nr + status.posix_stream_lost[KTRACE_LOST_OVERWRITTEN] +
			 status.posix_stream_lost[KTRACE_LOST_UNWRITTEN], total);
		newest += first + nr == total;
		ktrace_posix_recorded_close(r);
		close(fd);
	}
	CHECK(newest >= rounds - 2);
}

/* No more than this log has: what the file had before stays, and can be read. */
static void test_no_room_to_extend(void)
{
	struct posix_attr a = make_attr(POSIX_TRACE_APPEND, 8192, 4);
	int fd = new_file();
	struct posix_log *log = make_log(fd, &a);
	struct posix_recorded *r;
	__u32 first = 0, nr = 0;
	struct rlimit old;
	int ret;

	for (__u32 n = 0; n < 1000; n++)
		CHECK_EQ(make_work(log, n), 0);
	CHECK_EQ(make_end(log, 100000), 0);
	old = limit_to(fd, 100);
	ret = make_open(fd, &a, &log);
	CHECK_EQ(ret, EFBIG);
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &old), 0);
	r = read_log(fd);
	read_numbers(r, &first, &nr);
	CHECK_EQ(nr, 1000);
	ktrace_posix_recorded_close(r);
	close(fd);
}

/* PTRC-26: names are said again in a log that is cleared, whether it gets its room or not. */
static void test_no_room_after_clear(void)
{
	struct posix_attr a = make_attr(POSIX_TRACE_LOOP, 65536, 4);
	int fd = new_file();
	struct posix_log *log = make_log(fd, &a);
	struct posix_recorded *r;
	struct rlimit old;

	CHECK_EQ(make_work(log, 1), 0);
	CHECK_EQ(ktrace_posix_log_flush(log), 0);
	old = limit_to(fd, 1000);
	CHECK_EQ(ktrace_posix_log_clear(log), EFBIG);
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &old), 0);
	CHECK_EQ(make_work(log, 2), 0);
	CHECK_EQ(make_end(log, 100000), 0);
	r = read_log(fd);
	CHECK_STR(ktrace_posix_recorded_name(r, MAKE_WORK), "work");
	ktrace_posix_recorded_close(r);
	close(fd);
}

/* PTRC-44: what cannot be written over is not given up, and what is given up is counted once. */
static void test_no_room_to_write_over(void)
{
	struct posix_attr a = make_attr(POSIX_TRACE_LOOP, 32768, 4);
	struct posix_trace_status_info status;

	/* In the last slots of the second round, which are all behind the new limit */
	for (__u32 total = 1100; total < 1340; total += 20 * (__u32)unit_step()) {
		int fd = new_file();
		struct posix_log *log = make_log(fd, &a);
		struct posix_recorded *r;
		__u32 first = 0, nr = 0, n = 0;
		struct rlimit old;

		for (; n < total; n++)
			CHECK_EQ(make_work(log, n), 0);
		CHECK_EQ(ktrace_posix_log_flush(log), 0);
		CHECK(status_of(log).overwritten);
		old = limit_to(fd, 0 - size_of(fd) / 2);
		while (make_work(log, n++) != EFBIG)
			;
		CHECK_EQ(make_end(log, 100000), EFBIG);
		CHECK_EQ(setrlimit(RLIMIT_FSIZE, &old), 0);
		r = read_log(fd);
		read_numbers(r, &first, &nr);
		ktrace_posix_recorded_status(r, &status);
		CHECK_EQ(nr + status.posix_stream_lost[KTRACE_LOST_OVERWRITTEN] +
			 status.posix_stream_lost[KTRACE_LOST_UNWRITTEN], n);
		ktrace_posix_recorded_close(r);
		close(fd);
	}
}

/* No stream, no log: the file is empty again, before anybody else can write to it. */
static void test_no_room_to_begin(void)
{
	struct posix_attr a = make_attr(POSIX_TRACE_LOOP, 32768, 4);
	int fd = new_file();
	struct rlimit old = limit_to(fd, 8192);
	struct posix_log *log;

	unlocked_cuts = 0;	/* so far tests have */
	CHECK_EQ(make_open(fd, &a, &log), EFBIG);
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &old), 0);
	CHECK_EQ(size_of(fd), 0);
	CHECK_EQ(unlocked_cuts, 0);
	close(fd);
}

static void test_full_device(void)
{
	struct posix_attr a = make_attr(POSIX_TRACE_APPEND, 8192, 4);
	struct posix_log *log;
	int fd = open("/dev/full", O_WRONLY);

	CHECK(fd >= 0);
	CHECK_EQ(make_open(fd, &a, &log), ENOSPC);
	close(fd);
}

/* Nobody else writes to a file that is being written. */
static void test_two_writers(void)
{
	struct posix_attr a = make_attr(POSIX_TRACE_LOOP, 8192, 4);
	int fd = new_file(), other = open(path, O_RDWR);
	struct posix_log *log = make_log(fd, &a), *second;

	CHECK_EQ(make_open(other, &a, &second), EINVAL);
	CHECK_EQ(make_end(log, 2000), 0);
	CHECK_EQ(make_open(other, &a, &second), 0);
	CHECK_EQ(make_end(second, 2000), 0);
	close(other);
	close(fd);
}

int main(void)
{
	name_file("log_files");
	test_append_to_others();
	test_descriptors();
	test_pipe();
	test_size_limit();
	test_no_room_for_the_end();
	test_no_room_to_extend();
	test_no_room_after_clear();
	test_no_room_to_write_over();
	test_no_room_to_begin();
	test_full_device();
	test_two_writers();
	unlink(path);
	return 0;
}
