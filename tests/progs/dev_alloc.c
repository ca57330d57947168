// SPDX-License-Identifier: GPL-2.0
/*
 * dev_alloc.c - each request with its 1st, 2nd, ... allocation or user copy failing, until
 * none is left to fail
 *
 * The kernel fails the nth for the thread that says so in fail-nth; it takes
 * CONFIG_FAULT_INJECTION, and failslab and fail_page_alloc must be told not to spare
 * allocations that may sleep (tests/bats/alloc.bats). A request fails with ENOMEM, or
 * with EFAULT when it was a copy, or does what it should; afterwards the same request
 * works, and what is ended ends. That nothing is lost is seen by kmemleak.
 */
#include "dev.h"

#define PAGE 4096ul
#define NTH_MAX 100000

static int fail_nth;

/* The @n-th allocation from now fails; 0: none does. */
static void arm(unsigned int n)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", n);
	if (pwrite(fail_nth, text, strlen(text), 0) < 0)	/* it was this that failed */
		EXPECT(pwrite(fail_nth, text, strlen(text), 0) > 0);
}

/* Switch it off. True: it has happened. Reading that may be what fails: then it had not. */
static int disarm(void)
{
	char text[16] = "";
	int has_failed = pread(fail_nth, text, sizeof(text) - 1, 0) > 0 && !atoi(text);

	arm(0);
	return has_failed;
}

/* What a request may use; made again for each round. */
struct scene {
	int fd;
	int other;
	struct dev_channel kernel;
	struct dev_channel user;
	struct ktrace_attach attach;
	void *map;
	pid_t child;
};

/*
 * One request:
 * @prepare:	what comes before it, nothing fails
 * @act:	the request; 0 or -1 and errno
 * @allocates:	it may fail; otherwise it must succeed whatever happens
 */
struct request {
	const char *name;
	void (*prepare)(struct scene *s);
	int (*act)(struct scene *s);
	int allocates;
};

static void nothing(struct scene *s)
{
	(void)s;
}

static void fresh(struct scene *s)
{
	s->fd = dev_open();
}

static void with_channels(struct scene *s)
{
	fresh(s);
	EXPECT_ERRNO(ioctl(s->fd, KTRACE_IOC_CHANNEL, &s->kernel.spec), 0);
	EXPECT_ERRNO(ioctl(s->fd, KTRACE_IOC_CHANNEL, &s->user.spec), 0);
}

static void with_running(struct scene *s)
{
	with_channels(s);
	EXPECT_ERRNO(ioctl(s->fd, KTRACE_IOC_START), 0);
}

static const unsigned int events[] = {
	KTRACE_EV_LOGEVENT, KTRACE_EV_SCHED_SWITCH, KTRACE_EV_SCHED_WAKEUP, KTRACE_EV_SYSCALL_EXIT,
	KTRACE_EV_IRQ_ENTER, KTRACE_EV_SOFTIRQ_EXIT,
};

static void with_events(struct scene *s)
{
	size_t i;

	with_channels(s);
	for (i = 0; i < NELEM(events); i++)
		dev_enable(s->fd, events[i], 1);
}

static void with_all(struct scene *s)
{
	with_events(s);
	EXPECT_ERRNO(ioctl(s->fd, KTRACE_IOC_START), 0);
	dev_follow(s->fd, getpid());
}

static void with_other(struct scene *s)
{
	fresh(s);
	EXPECT_ERRNO(ioctl(s->fd, KTRACE_IOC_CHANNEL, &s->user.spec), 0);
	s->attach = (struct ktrace_attach){
		.size = sizeof(s->attach),
		.session = dev_info(s->fd).session,
	};
	s->other = dev_open();
}

static void with_writer(struct scene *s)
{
	with_other(s);
	EXPECT_ERRNO(ioctl(s->other, KTRACE_IOC_ATTACH, &s->attach), 0);
}

static void with_mapping(struct scene *s)
{
	with_writer(s);
	s->map = mmap(NULL, s->attach.map_size, PROT_READ, MAP_SHARED, s->other,
		      (off_t)s->attach.map_off);
	EXPECT(s->map != MAP_FAILED);
}

static int act_open(struct scene *s)
{
	s->fd = open("/dev/ktrace", O_RDWR | O_CLOEXEC);
	return s->fd < 0 ? -1 : 0;
}

static int act_kernel(struct scene *s)
{
	return ioctl(s->fd, KTRACE_IOC_CHANNEL, &s->kernel.spec);
}

static int act_user(struct scene *s)
{
	return ioctl(s->fd, KTRACE_IOC_CHANNEL, &s->user.spec);
}

static int act_start(struct scene *s)
{
	return ioctl(s->fd, KTRACE_IOC_START);
}

static int act_stop(struct scene *s)
{
	return ioctl(s->fd, KTRACE_IOC_STOP);
}

static int enable_all(struct scene *s, __u16 on)
{
	struct ktrace_enable e = { .on = on };
	size_t i;

	for (i = 0; i < NELEM(events); i++) {
		e.id = (__u16)events[i];
		if (ioctl(s->fd, KTRACE_IOC_ENABLE, &e))
			return -1;
	}
	return 0;
}

static int act_enable(struct scene *s)
{
	return enable_all(s, 1);
}

static int act_disable(struct scene *s)
{
	return enable_all(s, 0);
}

static int act_follow(struct scene *s)
{
	__s32 pid = getpid();

	return ioctl(s->fd, KTRACE_IOC_FOLLOW, &pid);
}

static int act_info(struct scene *s)
{
	struct ktrace_info info = { .size = sizeof(info) };

	return ioctl(s->fd, KTRACE_IOC_INFO, &info);
}

static int act_attach(struct scene *s)
{
	return ioctl(s->other, KTRACE_IOC_ATTACH, &s->attach);
}

static int act_map(struct scene *s)
{
	void *map = mmap(NULL, s->attach.map_size, PROT_READ, MAP_SHARED, s->other,
			 (off_t)s->attach.map_off);

	if (map == MAP_FAILED)
		return -1;
	s->map = map;
	return 0;
}

/* Page faults: a thread that cannot be given a page table tries again. */
static int act_touch(struct scene *s)
{
	volatile const char *map = s->map;
	__u64 off;
	unsigned int n = 0;

	for (off = 0; off < s->attach.map_size; off += PAGE)
		n += map[off] != 0;
	return n ? 0 : -1;
}

/* The middle of a mapping: what is left is two. */
static int act_unmap_a_part(struct scene *s)
{
	return munmap((char *)s->map + PAGE, PAGE);
}

static int act_move(struct scene *s)
{
	const size_t size = s->attach.map_size;
	void *to = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int err;

	if (to == MAP_FAILED)
		return -1;
	if (mremap(s->map, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED) {
		err = errno;
		munmap(to, size);
		errno = err;
		return -1;
	}
	s->map = to;
	return 0;
}

static int act_fork(struct scene *s)
{
	s->child = fork();
	if (!s->child)
		_exit(0);
	return s->child < 0 ? -1 : 0;
}

static int act_poll(struct scene *s)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };

	return poll(&p, 1, 0) < 0 ? -1 : 0;
}

static int act_close(struct scene *s)
{
	int err = close(s->fd);

	s->fd = -1;
	return err;
}

static const struct request requests[] = {
	{ "open", nothing, act_open, 1 },
	{ "kernel", fresh, act_kernel, 1 },
	{ "user", fresh, act_user, 1 },
	{ "start", with_events, act_start, 1 },
	{ "enable", with_running, act_enable, 1 },
	{ "attach", with_other, act_attach, 1 },
	{ "map", with_writer, act_map, 1 },
	{ "unmap a part", with_mapping, act_unmap_a_part, 1 },
	{ "move", with_mapping, act_move, 1 },
	{ "fork", with_mapping, act_fork, 1 },
	{ "poll", with_all, act_poll, 1 },
	{ "follow", with_channels, act_follow, 1 },
	{ "info", with_all, act_info, 1 },
	{ "touch", with_mapping, act_touch, 0 },
	{ "stop", with_all, act_stop, 0 },
	{ "disable", with_all, act_disable, 1 },
	{ "close", with_all, act_close, 0 },
};

static void set_scene(struct scene *s)
{
	*s = (struct scene){ .fd = -1, .other = -1, .child = -1 };
	s->kernel.spec = dev_spec(KTRACE_CHANNEL_KERNEL);
	s->user.spec = dev_spec(KTRACE_CHANNEL_USER);
	s->kernel.spec.ring_size = s->user.spec.ring_size = 4 * PAGE;
	s->kernel.spec.block_size = s->user.spec.block_size = PAGE;
	s->user.spec.thread_size = 4 * PAGE;
	s->user.spec.thread_nr = 1;
	s->user.spec.registry_size = PAGE;
}

static void clear_scene(struct scene *s)
{
	if (s->child > 0)
		EXPECT_EQ(waitpid(s->child, NULL, 0), s->child);
	if (s->map)
		munmap(s->map, s->attach.map_size);
	if (s->fd >= 0)
		close(s->fd);
	if (s->other >= 0)
		close(s->other);
}

/* True: there was no @nth allocation. */
static int fail_one(const struct request *r, unsigned int nth)
{
	struct scene s;
	int failed, err, why;

	set_scene(&s);
	r->prepare(&s);
	arm(nth);
	err = r->act(&s);
	why = errno;
	failed = disarm();
	if (err) {
		EXPECT(failed && r->allocates);
		if (why != ENOMEM && why != EFAULT && why != EAGAIN)
			fprintf(stderr, "%s, allocation %u: %s\n", r->name, nth, strerror(why));
		EXPECT(why == ENOMEM || why == EFAULT || why == EAGAIN);
	}
	/* after EFAULT the request may have been done, but for the answer */
	if (err && why != EFAULT)
		EXPECT_ERRNO(r->act(&s), 0);
	clear_scene(&s);
	return !failed;
}

/* The first ones are the module's own; of the pages behind them every @stride-th will do. */
static void fail_each(const struct request *r, unsigned int stride)
{
	unsigned int nth = 1;

	while (!fail_one(r, nth)) {
		nth += nth < 10 ? 1 : stride;
		EXPECT(nth < NTH_MAX);
	}
	printf("%s: less than %u\n", r->name, nth);
	if (!strcmp(r->name, "kernel") || !strcmp(r->name, "user"))
		EXPECT(nth > 10);
}

int main(int argc, char **argv)
{
	const unsigned int stride = argc > 1 ? (unsigned int)atoi(argv[1]) : 1;
	size_t i;

	EXPECT(stride > 0);

	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (fail_nth < 0) {
		perror("/proc/thread-self/fail-nth");
		return 77;
	}
	setlinebuf(stdout);
	for (i = 0; i < NELEM(requests); i++)
		fail_each(&requests[i], stride);
	return 0;
}
