/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dev.h - for tests of /dev/ktrace: checks, channels, and a reader of its own
 *
 * The reader here walks rings by the text of uapi/linux/ktrace_ring.h and shares no
 * code with module/ring/, so that a mistake there does not hide itself.
 */
#ifndef TESTS_DEV_H
#define TESTS_DEV_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/ktrace.h>
#include <linux/ktrace_events.h>

/* Exit status of a test that cannot be run on this machine */
#define DEV_SKIPPED 77

#define NELEM(a) (sizeof(a) / sizeof((a)[0]))

/* A check that fails ends the program with the place and the values. */
#define EXPECT(cond)                                                              \
	do {                                                                      \
		if (!(cond)) {                                                    \
			fprintf(stderr, "%s:%d: not true: %s\n", __FILE__,        \
				__LINE__, #cond);                                 \
			exit(1);                                                  \
		}                                                                 \
	} while (0)

#define EXPECT_EQ(a, b)                                                           \
	do {                                                                      \
		long long got_ = (long long)(a), want_ = (long long)(b);          \
		if (got_ != want_) {                                              \
			fprintf(stderr, "%s:%d: %s is %lld, expected %lld\n",     \
				__FILE__, __LINE__, #a, got_, want_);             \
			exit(1);                                                  \
		}                                                                 \
	} while (0)

/* The call returns -1 with errno @err, or succeeds if @err is 0. */
#define EXPECT_ERRNO(call, err)                                                   \
	do {                                                                      \
		errno = 0;                                                        \
		int err_ = (long)(call) == -1 ? errno : 0;                        \
		if (err_ != (err)) {                                              \
			fprintf(stderr, "%s:%d: %s: %s, expected %s\n", __FILE__, \
				__LINE__, #call, strerror(err_), strerror(err));  \
			exit(1);                                                  \
		}                                                                 \
	} while (0)

/* A channel, mapped as its owner may: read-only, what is writable mapped over it. */
struct dev_channel {
	struct ktrace_channel_spec spec;
	const struct ktrace_control *control;
	char *map;
};

/* One record as the reader delivers it. */
struct dev_record {
	struct ktrace_record head;
	const char *payload;
	unsigned int ring;
};

typedef void (*dev_visit)(const struct dev_record *rec, void *arg);

static inline int dev_open(void)
{
	int fd = open("/dev/ktrace", O_RDWR | O_CLOEXEC);

	EXPECT(fd >= 0);
	return fd;
}

static inline struct ktrace_channel_spec dev_spec(unsigned int kind)
{
	struct ktrace_channel_spec spec = {
		.size = sizeof(spec),
		.kind = kind,
		.ring_size = 1 << 20,
		.block_size = 1 << 14,
		.policy = KTRACE_POLICY_DROP,
		.watermark = 1,
	};

	if (kind == KTRACE_CHANNEL_USER) {
		spec.registry_size = 1 << 16;
		spec.thread_size = 1 << 16;
		spec.thread_nr = 4;
	}
	return spec;
}

static inline void dev_map_owner(int fd, struct dev_channel *ch)
{
	const struct ktrace_control *c;
	__u64 from, to;

	ch->map = mmap(NULL, ch->spec.map_size, PROT_READ, MAP_SHARED, fd,
		       (off_t)ch->spec.map_off);
	EXPECT(ch->map != MAP_FAILED);
	c = ch->control = (const struct ktrace_control *)ch->map;
	from = c->kind == KTRACE_CHANNEL_KERNEL ? c->tail_off : 0;
	to = c->registry_off ? c->registry_off : c->rings_off;
	EXPECT(mmap(ch->map + from, to - from, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		    fd, (off_t)(ch->spec.map_off + from)) != MAP_FAILED);
}

static inline void dev_add_channel(int fd, struct dev_channel *ch)
{
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_CHANNEL, &ch->spec), 0);
	dev_map_owner(fd, ch);
}

static inline void dev_enable(int fd, unsigned int id, int on)
{
	struct ktrace_enable e = { .id = (__u16)id, .on = (__u16)on };

	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_ENABLE, &e), 0);
}

/* True if the kernel has tracepoints for page faults: only some architectures have. */
static inline bool dev_has_faults(void)
{
	return !access("/sys/kernel/tracing/events/exceptions/page_fault_user", F_OK);
}

/* True if all kernels have the event: family "lock" came with 5.19. */
static inline bool dev_is_everywhere(unsigned int id)
{
	if (id == KTRACE_EV_FAULT_USER || id == KTRACE_EV_FAULT_KERNEL)
		return dev_has_faults();
	return id != KTRACE_EV_LOCK_CONTENDED && id != KTRACE_EV_LOCK_ACQUIRED;
}

/* Enables an event; 0: the kernel has no tracepoint for it. */
static inline int dev_try_enable(int fd, unsigned int id)
{
	struct ktrace_enable e = { .id = (__u16)id, .on = 1 };
	const int failed = ioctl(fd, KTRACE_IOC_ENABLE, &e);

	if (failed)
		EXPECT(errno == EOPNOTSUPP && !dev_is_everywhere(id));
	return !failed;
}

static inline void dev_follow(int fd, int pid)
{
	__s32 arg = pid;

	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_FOLLOW, &arg), 0);
}

/* A channel for @ids, a list that ends with 0; follows @pid, and is started. */
static inline int dev_start(struct dev_channel *ch, const unsigned int *ids, int pid)
{
	int fd = dev_open();

	*ch = (struct dev_channel){ .spec = dev_spec(KTRACE_CHANNEL_KERNEL) };
	dev_add_channel(fd, ch);
	for (; *ids; ids++)
		dev_enable(fd, *ids, 1);
	dev_follow(fd, pid);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_START), 0);
	return fd;
}

static inline struct ktrace_info dev_info(int fd)
{
	struct ktrace_info info = { .size = sizeof(info) };

	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_INFO, &info), 0);
	return info;
}

static inline int dev_attach(int fd, __u64 session, struct ktrace_attach *a)
{
	*a = (struct ktrace_attach){ .size = sizeof(*a), .session = session };
	return ioctl(fd, KTRACE_IOC_ATTACH, a);
}

static inline int dev_poll(int fd, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	EXPECT(poll(&p, 1, timeout_ms) >= 0);
	return p.revents;
}

static inline struct ktrace_ring *dev_ring(const struct dev_channel *ch, unsigned int i)
{
	const struct ktrace_control *c = ch->control;
	__u64 off = i < c->cpu_nr ? c->rings_off + i * c->ring_stride :
				    c->threads_off + (i - c->cpu_nr) * c->thread_stride;

	return (struct ktrace_ring *)(ch->map + off);
}

static inline struct ktrace_tail *dev_tail(const struct dev_channel *ch, unsigned int i)
{
	return (struct ktrace_tail *)(ch->map + ch->control->tail_off) + i;
}

/* Visits the records of one block's part [pos, end); returns their number. */
static inline unsigned long dev_walk_block(const struct dev_channel *ch, unsigned int ring,
					   __u64 pos, __u64 end, dev_visit visit, void *arg)
{
	const struct ktrace_control *c = ch->control;
	const char *data = (const char *)dev_ring(ch, ring) + c->data_off;
	const __u64 mask = (ring < c->cpu_nr ? c->ring_size : c->thread_size) - 1;
	unsigned long n = 0;

	if (!(pos & (c->block_size - 1))) {
		const struct ktrace_block *b = (const void *)(data + (pos & mask));

		EXPECT_EQ(b->magic, KTRACE_BLOCK_MAGIC);
		EXPECT_EQ(b->pos, pos);
		EXPECT_EQ(b->ring, ring);
		pos += sizeof(*b);
	}
	while (end - pos >= sizeof(struct ktrace_record)) {
		struct dev_record rec = { .ring = ring };
		const char *at = data + (pos & mask);

		memcpy(&rec.head, at, sizeof(rec.head));
		if (rec.head.id == KTRACE_ID_PAD)
			break;
		rec.payload = at + sizeof(rec.head);
		pos += KTRACE_RECORD_SIZE(rec.head.len);
		EXPECT(pos <= end);
		if (rec.head.id == KTRACE_ID_LOST)
			continue;
		if (visit)
			visit(&rec, arg);
		n++;
	}
	return n;
}

/* Reads all that is unread in all rings and moves the tails; returns the records. */
static inline unsigned long dev_drain(const struct dev_channel *ch, dev_visit visit, void *arg)
{
	const __u64 block = ch->control->block_size;
	unsigned long n = 0;
	unsigned int i;

	for (i = 0; i < ch->control->ring_nr; i++) {
		__u64 head = __atomic_load_n(&dev_ring(ch, i)->head, __ATOMIC_ACQUIRE);
		__u64 pos = dev_tail(ch, i)->tail, end;

		for (; pos != head; pos = end) {
			end = (pos | (block - 1)) + 1;
			if (end > head)
				end = head;
			n += dev_walk_block(ch, i, pos, end, visit, arg);
		}
		__atomic_store_n(&dev_tail(ch, i)->tail, pos, __ATOMIC_RELEASE);
	}
	return n;
}

/* Lost in all rings, all reasons. */
static inline __u64 dev_lost(const struct dev_channel *ch)
{
	__u64 sum = 0;
	unsigned int i, j;

	for (i = 0; i < ch->control->ring_nr; i++)
		for (j = 0; j < KTRACE_LOST_NR; j++)
			sum += dev_ring(ch, i)->lost.count[j];
	return sum;
}

/* Like a user without privilege: another uid, no capabilities. */
static inline void dev_become_user(unsigned int uid)
{
	EXPECT_ERRNO(setgid(uid), 0);
	EXPECT_ERRNO(setuid(uid), 0);
	/* as after exec() */
	EXPECT_ERRNO(prctl(PR_SET_DUMPABLE, 1), 0);
}

/* Runs @fn in a child and wants it to succeed. */
static inline void dev_in_child(void (*fn)(void *), void *arg)
{
	pid_t pid = fork();
	int status;

	EXPECT(pid >= 0);
	if (!pid) {
		fn(arg);
		_exit(0);
	}
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
}

struct dev_test {
	const char *name;
	void (*run)(void);
};

/* main() of the test programs: run the test named on the command line. */
static inline int dev_main(int argc, char **argv, const struct dev_test *tests, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (argc == 2 && !strcmp(argv[1], tests[i].name)) {
			tests[i].run();
			return 0;
		}
	fprintf(stderr, "usage: %s TEST\n", argv[0]);
	for (i = 0; i < nr; i++)
		fprintf(stderr, "  %s\n", tests[i].name);
	return 2;
}

#endif
