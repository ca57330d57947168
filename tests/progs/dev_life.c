// SPDX-License-Identifier: GPL-2.0
/*
 * dev_life.c - poll(), hang-up, sudden deaths, and descriptors that are held
 *
 *   dev_life TEST
 *   dev_life hold FILE     open the device, create FILE, wait to be killed
 */
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include "dev.h"

static void call(int n)
{
	while (n--)
		syscall(SYS_getppid);
}

static void *poll_thread(void *arg)
{
	return (void *)(long)dev_poll(*(int *)arg, 20000);
}

static void open_kernel(int *fd, struct dev_channel *ch, unsigned int watermark)
{
	*fd = dev_open();
	ch->spec = dev_spec(KTRACE_CHANNEL_KERNEL);
	ch->spec.watermark = watermark;
	dev_add_channel(*fd, ch);
}

/* Below the watermark nothing; the event that reaches it wakes a sleeper. */
static void poll_kernel(void)
{
	struct dev_channel ch;
	pthread_t t;
	void *events;
	int fd;

	open_kernel(&fd, &ch, 1 << 15);
	dev_enable(fd, KTRACE_EV_SYSCALL_ENTER, 1);
	dev_follow(fd, getpid());
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_START), 0);
	EXPECT_EQ(dev_poll(fd, 0), 0);
	EXPECT_EQ(dev_poll(fd, 50), 0);
	pthread_create(&t, NULL, poll_thread, &fd);
	usleep(20000);
	call(2 * (1 << 15) / 72 + 100);
	pthread_join(t, &events);
	EXPECT_EQ((long)events, POLLIN);
	EXPECT_EQ(dev_poll(fd, 0), POLLIN);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_STOP), 0);
	dev_drain(&ch, NULL, NULL);
	EXPECT_EQ(dev_poll(fd, 0), 0);
}

static void *store_later(void *arg)
{
	struct ktrace_ring *r = arg;

	usleep(100000);
	__atomic_store_n(&r->head, 1 << 14, __ATOMIC_RELEASE);
	return NULL;
}

/* User rings are filled without the kernel; poll() and epoll notice all the same. */
static void poll_user(void)
{
	struct dev_channel ch = { .spec = dev_spec(KTRACE_CHANNEL_USER) };
	struct epoll_event ev = { .events = EPOLLIN };
	int fd = dev_open(), writer = dev_open(), ep = epoll_create1(0);
	struct ktrace_attach a;
	struct ktrace_ring *r = NULL;
	unsigned int i;

	ch.spec.watermark = 1 << 14;
	dev_add_channel(fd, &ch);
	EXPECT_ERRNO(dev_attach(writer, ch.control->session, &a), 0);
	EXPECT_ERRNO(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev), 0);
	for (i = 0; i < ch.control->ring_nr; i++) {
		__u64 off = (char *)dev_ring(&ch, i) - ch.map;
		pthread_t t;

		r = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, writer,
			 (off_t)(a.map_off + off));
		EXPECT(r != MAP_FAILED);
		EXPECT_EQ(dev_poll(fd, 0), 0);
		r->head = (1 << 14) - 8;
		EXPECT_EQ(dev_poll(fd, 30), 0);
		EXPECT_EQ(epoll_wait(ep, &ev, 1, 30), 0);
		pthread_create(&t, NULL, store_later, r);
		if (i % 2)
			EXPECT_EQ(epoll_wait(ep, &ev, 1, 20000), 1);
		else
			EXPECT_EQ(dev_poll(fd, 20000), POLLIN);
		pthread_join(t, NULL);
		dev_tail(&ch, i)->tail = 1 << 14;
	}
	/* a forged head wakes, and does no more */
	r->head = ~0ull - 7;
	EXPECT_EQ(dev_poll(fd, 1000), POLLIN);
}

/* Edge-triggered: it tells once, and again when it has been asked again. */
static void poll_edge(void)
{
	struct dev_channel ch = { .spec = dev_spec(KTRACE_CHANNEL_USER) };
	struct epoll_event wanted = { .events = EPOLLIN | EPOLLET }, got;
	int fd = dev_open(), writer = dev_open(), ep = epoll_create1(0);
	struct ktrace_attach a;
	struct ktrace_ring *r;
	__u64 pos;

	ch.spec.watermark = 1 << 14;
	dev_add_channel(fd, &ch);
	EXPECT_ERRNO(dev_attach(writer, ch.control->session, &a), 0);
	r = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, writer,
		 (off_t)(a.map_off + (__u64)((char *)dev_ring(&ch, 0) - ch.map)));
	EXPECT(r != MAP_FAILED);
	EXPECT_ERRNO(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &wanted), 0);
	for (pos = 1 << 14; pos <= 4 << 14; pos += 1 << 14) {
		EXPECT_EQ(epoll_wait(ep, &got, 1, 0), 0);
		__atomic_store_n(&r->head, pos, __ATOMIC_RELEASE);
		EXPECT_EQ(epoll_wait(ep, &got, 1, 20000), 1);
		EXPECT_EQ(got.events, EPOLLIN);
		dev_tail(&ch, 0)->tail = pos;
		EXPECT_ERRNO(epoll_ctl(ep, EPOLL_CTL_MOD, fd, &wanted), 0);
	}
}

static void hangup_followed(void)
{
	struct dev_channel ch;
	int fd;
	pid_t pid, again;
	int go[2];
	char c;

	open_kernel(&fd, &ch, 1 << 15);
	EXPECT_EQ(dev_poll(fd, 0), 0);	/* nobody has been there yet */
	EXPECT_ERRNO(pipe(go), 0);
	pid = fork();
	if (!pid) {
		if (read(go[0], &c, 1) == 1 && !fork())
			_exit(read(go[0], &c, 1) != 1);
		_exit(0);
	}
	dev_follow(fd, pid);
	EXPECT_EQ(dev_poll(fd, 0), 0);
	EXPECT_EQ(write(go[1], "x", 1), 1);
	EXPECT_EQ(waitpid(pid, NULL, 0), pid);
	EXPECT_EQ(dev_info(fd).followed, 1);	/* the orphan */
	EXPECT_EQ(dev_poll(fd, 0), 0);
	EXPECT_EQ(write(go[1], "x", 1), 1);
	EXPECT_EQ(dev_poll(fd, 20000), POLLHUP);
	EXPECT_EQ(dev_info(fd).followed, 0);
	again = fork();
	if (!again)
		pause();
	dev_follow(fd, again);
	EXPECT_EQ(dev_poll(fd, 0), 0);
	kill(again, SIGKILL);
	EXPECT_EQ(dev_poll(fd, 20000), POLLHUP);
	waitpid(again, NULL, 0);
}

static void hangup_writers(void)
{
	struct dev_channel ch = { .spec = dev_spec(KTRACE_CHANNEL_USER) };
	struct ktrace_attach a;
	int fd = dev_open(), writer, pipe_fd[2];
	pid_t pid, grandchild;

	EXPECT_ERRNO(pipe(pipe_fd), 0);
	dev_add_channel(fd, &ch);
	EXPECT_EQ(dev_poll(fd, 0), 0);
	pid = fork();
	if (!pid) {
		writer = dev_open();
		EXPECT_ERRNO(dev_attach(writer, dev_info(fd).session, &a), 0);
		EXPECT(mmap(NULL, a.map_size, PROT_READ, MAP_SHARED, writer,
			    (off_t)a.map_off) != MAP_FAILED);
		close(writer);
		pid = fork();
		if (pid)
			EXPECT_EQ(write(pipe_fd[1], &pid, sizeof(pid)), sizeof(pid));
		for (;;)
			pause();
	}
	EXPECT_EQ(read(pipe_fd[0], &grandchild, sizeof(pid)), sizeof(pid));
	while (dev_info(fd).writers != 2)
		usleep(1000);
	EXPECT_EQ(dev_poll(fd, 0), 0);
	kill(pid, SIGKILL);
	EXPECT_EQ(waitpid(pid, NULL, 0), pid);
	EXPECT_EQ(dev_info(fd).writers, 1);
	EXPECT_EQ(dev_poll(fd, 50), 0);
	kill(grandchild, SIGKILL);
	EXPECT_EQ(dev_poll(fd, 20000), POLLHUP);
}

/* The owner is killed while it records everything, and while others write. */
static void owner_killed(void)
{
	struct ktrace_attach a;
	int pipe_fd[2], writer = dev_open(), round;
	const struct ktrace_control *c;
	__u64 session;

	EXPECT_ERRNO(pipe(pipe_fd), 0);
	for (round = 0; round < 10; round++) {
		struct dev_channel ch, user = { .spec = dev_spec(KTRACE_CHANNEL_USER) };
		pid_t pid = fork();
		int fd;

		if (!pid) {
			open_kernel(&fd, &ch, 1);
			dev_add_channel(fd, &user);
			dev_enable(fd, KTRACE_EV_SYSCALL_ENTER, 1);
			dev_enable(fd, KTRACE_EV_SCHED_SWITCH, 1);
			dev_follow(fd, KTRACE_FOLLOW_ALL);
			EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_START), 0);
			session = dev_info(fd).session;
			EXPECT_EQ(write(pipe_fd[1], &session, 8), 8);
			for (;;)
				dev_poll(fd, 1);
		}
		EXPECT_EQ(read(pipe_fd[0], &session, 8), 8);
		EXPECT_ERRNO(dev_attach(writer, session, &a), 0);
		c = mmap(NULL, a.map_size, PROT_READ, MAP_SHARED, writer, (off_t)a.map_off);
		EXPECT((void *)c != MAP_FAILED);
		EXPECT_EQ(c->state, KTRACE_STATE_RUNNING);
		usleep(3000 * (unsigned int)round);
		kill(pid, SIGKILL);
		EXPECT_EQ(waitpid(pid, NULL, 0), pid);
		while (__atomic_load_n(&c->state, __ATOMIC_RELAXED) != KTRACE_STATE_CLOSED)
			usleep(1000);
		munmap((void *)c, a.map_size);
		close(writer);
		writer = dev_open();
		EXPECT_ERRNO(dev_attach(writer, session, &a), ENOENT);
	}
}

/* Sessions come and go on two CPUs while events pour in. */
static void churn(void)
{
	pid_t pids[4];
	size_t i;
	int n;

	for (i = 0; i < NELEM(pids); i++) {
		pids[i] = fork();
		for (n = 0; !pids[i] && n < 10; n++) {
			struct dev_channel ch;
			int fd;

			open_kernel(&fd, &ch, 1);
			dev_enable(fd, KTRACE_EV_SYSCALL_ENTER, 1);
			dev_enable(fd, KTRACE_EV_SCHED_WAKEUP, 1);
			dev_follow(fd, n % 2 ? KTRACE_FOLLOW_ALL : getpid());
			EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_START), 0);
			call(200);
			EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_STOP), 0);
			EXPECT(dev_drain(&ch, NULL, NULL) >= 200);
			munmap(ch.map, ch.spec.map_size);
			close(fd);
		}
		if (!pids[i])
			_exit(0);
	}
	for (i = 0; i < NELEM(pids); i++) {
		EXPECT_EQ(waitpid(pids[i], &n, 0), pids[i]);
		EXPECT_EQ(n, 0);
	}
}

/* Full rings: drop and stop refuse and count, overwrite goes on; tails may be forged. */
static void policies(void)
{
	const unsigned int list[] = { KTRACE_POLICY_DROP, KTRACE_POLICY_STOP,
				      KTRACE_POLICY_OVERWRITE };
	size_t i;

	for (i = 0; i < NELEM(list); i++) {
		struct dev_channel ch = { .spec = dev_spec(KTRACE_CHANNEL_KERNEL) };
		int fd = dev_open();
		unsigned int r;

		ch.spec.policy = list[i];
		ch.spec.ring_size = 1 << 16;
		dev_add_channel(fd, &ch);
		dev_enable(fd, KTRACE_EV_SYSCALL_ENTER, 1);
		dev_follow(fd, getpid());
		EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_START), 0);
		call(5000);
		if (list[i] == KTRACE_POLICY_OVERWRITE) {
			EXPECT_EQ(dev_lost(&ch), 0);
		} else {
			EXPECT(dev_lost(&ch) > 1000);
			for (r = 0; r < ch.control->ring_nr; r++)
				dev_tail(&ch, r)->tail = r % 2 ? ~0ull : 1ull << 63;
			call(5000);
			for (r = 0; r < ch.control->ring_nr; r++)
				dev_tail(&ch, r)->tail = dev_ring(&ch, r)->head;
			call(100);
		}
		close(fd);
	}
}

static int hold(const char *file)
{
	dev_open();
	EXPECT(open(file, O_CREAT | O_WRONLY, 0600) >= 0);
	return pause();
}

int main(int argc, char **argv)
{
	static const struct dev_test tests[] = {
		{ "poll_kernel", poll_kernel },
		{ "poll_user", poll_user },
		{ "poll_edge", poll_edge },
		{ "hangup_followed", hangup_followed },
		{ "hangup_writers", hangup_writers },
		{ "owner_killed", owner_killed },
		{ "churn", churn },
		{ "policies", policies },
	};

	if (argc == 3 && !strcmp(argv[1], "hold"))
		return hold(argv[2]);
	return dev_main(argc, argv, tests, NELEM(tests));
}
