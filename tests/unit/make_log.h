/* SPDX-License-Identifier: GPL-2.0 */
/* make_log.h - logs of POSIX streams, written by the library's own writer */
#ifndef TESTS_MAKE_LOG_H
#define TESTS_MAKE_LOG_H

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>
#include <ktrace/check.h>

#include "check.h"
#include "../../userspace/lib/posix/base/event.h"
#include "../../userspace/lib/posix/log/log.h"
#include "../../userspace/lib/posix/log/recorded.h"

#define MAKE_WORK ((trace_event_id_t)33)	/* "work" */
#define MAKE_ODD ((trace_event_id_t)34)		/* "odd name: \xff/+" */

/* One stamp is one ns, and 0 is this time. */
#define MAKE_EPOCH 1700000000000000000ull

static inline struct ktrace_reading make_reading(__u64 raw)
{
	return (struct ktrace_reading){
		.raw = raw, .mono_ns = raw, .real_ns = MAKE_EPOCH + raw, .boot_ns = raw,
		.hz = 1000000000,
	};
}

static inline struct posix_attr make_attr(int policy, size_t log_size, size_t data_size)
{
	struct posix_attr a;

	ktrace_posix_attr_defaults(&a);
	strcpy(a.name, "made");
	a.created = (struct timespec){ MAKE_EPOCH / 1000000000, 7 };
	a.stream_policy = POSIX_TRACE_FLUSH;
	a.log_policy = policy;
	a.log_size = log_size;
	a.data_size = data_size;
	return a;
}

static inline int make_open(int fd, const struct posix_attr *a, struct posix_log **log)
{
	struct posix_log_origin origin = {
		.backend = "shm", .clock = "monotonic", .now = make_reading(1000),
	};

	return ktrace_posix_log_open(fd, a, &origin, log);
}

static inline struct posix_log *make_log(int fd, const struct posix_attr *a)
{
	struct posix_log *log;

	CHECK_EQ(make_open(fd, a, &log), 0);
	CHECK_EQ(ktrace_posix_log_name(log, MAKE_WORK, "work"), 0);
	CHECK_EQ(ktrace_posix_log_name(log, MAKE_ODD, "odd name: \xff/+"), 0);
	return log;
}

/* An event of process 1, thread 1, whose data are @len bytes. */
static inline int make_add(struct posix_log *log, trace_event_id_t id, __u64 ts, const void *data,
			   size_t len)
{
	static char payload[sizeof(struct ktrace_posix_event) + POSIX_DATA_MAX];
	struct ktrace_posix_event e = {
		.address = 0x1234, .thread = 0x7f0012345678, .pid = 1, .size = (__u32)len,
	};
	struct ktrace_record rec = {
		.ts = ts, .id = (__u16)(POSIX_ID_BASE + id), .len = (__u16)(sizeof(e) + len),
		.tid_flags = 1,
	};

	memcpy(payload, &e, sizeof(e));
	if (len)
		memcpy(payload + sizeof(e), data, len);
	return ktrace_posix_log_add(log, &rec, payload);
}

/* "work" with its number, which is its stamp, too. */
static inline int make_work(struct posix_log *log, __u32 n)
{
	return make_add(log, MAKE_WORK, 1000 + n, &n, sizeof(n));
}

static inline int make_end(struct posix_log *log, __u64 ts)
{
	struct posix_trace_status_info status = { .posix_stream_lost = { 3 } };
	struct ktrace_reading now = make_reading(ts);
	struct posix_log_status lost;

	ktrace_posix_log_status(log, &lost, false);
	status.posix_stream_lost[KTRACE_LOST_OVERWRITTEN] = lost.overwritten;
	status.posix_stream_lost[KTRACE_LOST_UNWRITTEN] = lost.unwritten;
	return ktrace_posix_log_close(log, &status, &now);
}

static char path[64];

static inline void name_file(const char *name)
{
	char whole[32];

	snprintf(whole, sizeof(whole), "test_posix_%s", name);
	temporary_file(path, sizeof(path), whole);
}

static inline int new_file(void)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	CHECK(fd >= 0);
	return fd;
}

static inline __u64 size_of(int fd)
{
	struct stat st;

	CHECK_EQ(fstat(fd, &st), 0);
	return (__u64)st.st_size;
}

static inline void say(void *arg, const struct ktrace_damage *damage)
{
	(void)arg;
	fprintf(stderr, "%s: %llu: %s\n", damage->path, damage->offset, damage->message);
}

static inline struct posix_recorded *read_log(int fd)
{
	struct ktrace_check check;
	struct posix_recorded *r;

	CHECK_EQ(ktrace_check_fd(fd, say, NULL, &check), 0);
	CHECK(!check.damaged && check.is_closed);
	CHECK_EQ(ktrace_posix_recorded_open(fd, &r), 0);
	return r;
}

/* struct got - an event that was read */
struct got {
	struct posix_trace_event_info info;
	char data[POSIX_DATA_MAX];
	size_t len;
};

static inline bool next(struct posix_recorded *r, struct got *g)
{
	int none = -1;

	CHECK_EQ(ktrace_posix_recorded_next(r, &g->info, g->data, sizeof(g->data), &g->len, &none),
		 0);
	CHECK(none == 0 || none == 1);
	return !none;
}

/* All that is left are numbers that follow each other: the first one and how many. */
static inline void read_numbers(struct posix_recorded *r, __u32 *first, __u32 *nr)
{
	static struct got g;
	__u32 n;

	for (*nr = 0; next(r, &g) && g.info.posix_event_id == MAKE_WORK; (*nr)++) {
		CHECK_EQ(g.len, sizeof(n));
		memcpy(&n, g.data, sizeof(n));
		if (!*nr)
			*first = n;
		CHECK_EQ(n, *first + *nr);
		CHECK_EQ(g.info.posix_timestamp.tv_nsec, 1000 + n);
	}
}

static inline struct posix_log_status status_of(struct posix_log *log)
{
	struct posix_log_status status;

	ktrace_posix_log_status(log, &status, false);
	return status;
}

#endif
