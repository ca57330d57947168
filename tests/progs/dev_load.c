// SPDX-License-Identifier: GPL-2.0
/*
 * dev_load.c - the module is loaded and unloaded, again and again, on a busy machine
 *
 *   dev_load ROUNDS KTRACE.KO LOGEVENT.KO
 *
 * Processes make system calls, sleep, fork and die all the time, so probes run on every
 * CPU at any moment. Each round loads the module, records all events of all processes,
 * and ends the session in one of three ways; at once the module is unloaded. Before that
 * it must be refused: while a session is open, while a mapping of it is left, and while a
 * client module is there.
 *
 * The module must not be loaded when it begins, and is not when it ends.
 */
#include <sched.h>
#include <sys/syscall.h>
#include "dev.h"

enum { LOADS = 4, EVENTS = 200 };

static const unsigned short events[] = {
	KTRACE_EV_LOGEVENT, KTRACE_EV_SCHED_SWITCH, KTRACE_EV_SCHED_WAKEUP,
	KTRACE_EV_SCHED_MIGRATE, KTRACE_EV_SCHED_FORK, KTRACE_EV_SCHED_EXEC,
	KTRACE_EV_SCHED_EXIT, KTRACE_EV_SCHED_COMM, KTRACE_EV_SYSCALL_ENTER,
	KTRACE_EV_SYSCALL_EXIT, KTRACE_EV_IRQ_ENTER, KTRACE_EV_IRQ_EXIT,
	KTRACE_EV_SOFTIRQ_ENTER, KTRACE_EV_SOFTIRQ_EXIT, KTRACE_EV_BLOCK_ISSUE,
	KTRACE_EV_BLOCK_COMPLETE, KTRACE_EV_SIGNAL_GENERATE, KTRACE_EV_SIGNAL_DELIVER,
	KTRACE_EV_FAULT_USER, KTRACE_EV_FAULT_KERNEL, KTRACE_EV_LOCK_CONTENDED,
	KTRACE_EV_LOCK_ACQUIRED, KTRACE_EV_POWER_IDLE, KTRACE_EV_MODULE_LOAD,
	KTRACE_EV_NET_QUEUE, KTRACE_EV_NET_RECEIVE, KTRACE_EV_SOFTIRQ_RAISE,
	KTRACE_EV_WORKQUEUE_QUEUE, KTRACE_EV_WORKQUEUE_START, KTRACE_EV_TIMER_START,
	KTRACE_EV_TIMER_ENTER, KTRACE_EV_HRTIMER_START, KTRACE_EV_HRTIMER_ENTER,
	KTRACE_EV_MEMORY_RSS, KTRACE_EV_FUTEX_ENTER, KTRACE_EV_FUTEX_EXIT,
};

static pid_t load_pids[LOADS];

static void load_machine(int is_forking)
{
	for (;;) {
		int i;

		for (i = 0; i < 50; i++)
			syscall(SYS_getppid);
		usleep(100);
		if (!is_forking)
			continue;
		if (!fork())
			_exit(0);
		wait(NULL);
	}
}

static void start_loads(void)
{
	int i;

	for (i = 0; i < LOADS; i++) {
		load_pids[i] = fork();
		EXPECT(load_pids[i] >= 0);
		if (!load_pids[i])
			load_machine(i & 1);
	}
}

static void stop_loads(void)
{
	int i;

	for (i = 0; i < LOADS; i++)
		kill(load_pids[i], SIGKILL);
	while (wait(NULL) > 0)
		;
}

static void insert(const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);

	EXPECT(fd >= 0);
	EXPECT_ERRNO(syscall(SYS_finit_module, fd, "", 0), 0);
	close(fd);
}

/* 0 or errno; never waits. */
static int try_remove(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? errno : 0;
}

/* A session with a user and a kernel channel that records everything. */
static int open_session(struct dev_channel *user, struct dev_channel *kernel)
{
	int fd = dev_open();
	size_t i;

	user->spec = dev_spec(KTRACE_CHANNEL_USER);
	kernel->spec = dev_spec(KTRACE_CHANNEL_KERNEL);
	dev_add_channel(fd, user);
	dev_add_channel(fd, kernel);
	dev_follow(fd, KTRACE_FOLLOW_ALL);
	for (i = 0; i < NELEM(events); i++)
		dev_try_enable(fd, events[i]);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_START), 0);
	return fd;
}

static void read_some(const struct dev_channel *kernel)
{
	unsigned long n = 0;

	while (n < EVENTS)
		n += dev_drain(kernel, NULL, NULL);
}

static void close_session(int fd, const struct dev_channel *user, const struct dev_channel *kernel)
{
	close(fd);
	EXPECT_EQ(try_remove("ktrace"), EAGAIN);	/* the mappings hold it */
	EXPECT_ERRNO(munmap(user->map, user->spec.map_size), 0);
	EXPECT_ERRNO(munmap(kernel->map, kernel->spec.map_size), 0);
}

/* Ends with a session that is being read, by SIGKILL. */
static void be_killed(int ready)
{
	struct dev_channel user, kernel;

	open_session(&user, &kernel);
	read_some(&kernel);
	EXPECT_EQ(write(ready, "x", 1), 1);
	for (;;)
		dev_drain(&kernel, NULL, NULL);
}

static void round_killed(void)
{
	int status, ready[2];
	pid_t pid;
	char c;

	EXPECT_ERRNO(pipe(ready), 0);
	pid = fork();
	EXPECT(pid >= 0);
	if (!pid)
		be_killed(ready[1]);
	EXPECT_EQ(read(ready[0], &c, 1), 1);
	EXPECT_EQ(try_remove("ktrace"), EAGAIN);
	kill(pid, SIGKILL);
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(WTERMSIG(status), SIGKILL);
	close(ready[0]);
	close(ready[1]);
}

static void round_closed(void)
{
	struct dev_channel user, kernel;
	int fd = open_session(&user, &kernel);

	read_some(&kernel);
	EXPECT_EQ(try_remove("ktrace"), EAGAIN);
	close_session(fd, &user, &kernel);
}

static void round_client(const char *logevent)
{
	struct dev_channel user, kernel;
	int fd = open_session(&user, &kernel);

	insert(logevent);
	read_some(&kernel);
	close_session(fd, &user, &kernel);
	EXPECT_EQ(try_remove("ktrace"), EAGAIN);
	EXPECT_EQ(try_remove("logevent"), 0);
}

int main(int argc, char **argv)
{
	int i;

	if (argc != 4)
		return 2;
	start_loads();
	for (i = 0; i < atoi(argv[1]); i++) {
		insert(argv[2]);
		if (i % 3 == 0)
			round_killed();
		else if (i % 3 == 1)
			round_closed();
		else
			round_client(argv[3]);
		EXPECT_EQ(try_remove("ktrace"), 0);
	}
	stop_loads();
	return 0;
}
