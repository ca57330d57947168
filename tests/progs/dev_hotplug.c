// SPDX-License-Identifier: GPL-2.0
/*
 * dev_hotplug.c - kernel events of /dev/ktrace while CPUs go and come
 *
 *   dev_hotplug TEST          run a test; needs a second CPU that can go offline
 *   dev_hotplug toggle FILE   take CPUs off and back until FILE is gone
 *
 * Rings are so large that nothing need be lost: each event must be there exactly once,
 * in whatever ring. All CPUs are online again at the end of a test.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include "dev.h"

enum {
	WRITERS = 3,
	SEQ_MAX = 20000,	/* of each writer: WRITERS * SEQ_MAX records fit into a ring */
	RING_SIZE = 8 << 20,
	TOGGLES = 12,
	SESSIONS = 40,
};

/* What sets our system calls apart; the second argument is the writer, the third counts. */
#define MARK 0x6b747263u

struct seen {
	unsigned char got[WRITERS][SEQ_MAX];
	unsigned long nr;
	unsigned long in_ring[256];
	__u64 last_ts[256];
};

static struct seen seen;
static unsigned long written[WRITERS];
static atomic_int is_over;

static unsigned int cpu_nr(void)
{
	return (unsigned int)sysconf(_SC_NPROCESSORS_CONF);
}

static void set_online(unsigned int cpu, int on)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	fd = open(path, O_WRONLY);
	EXPECT(fd >= 0);
	EXPECT_EQ(write(fd, on ? "1" : "0", 1), 1);
	close(fd);
}

/* Every CPU but the first, one after the other and all together. */
static void toggle_all(void)
{
	unsigned int cpu;

	for (cpu = 1; cpu < cpu_nr(); cpu++) {
		set_online(cpu, 0);
		set_online(cpu, 1);
	}
	for (cpu = 1; cpu < cpu_nr(); cpu++)
		set_online(cpu, 0);
	for (cpu = 1; cpu < cpu_nr(); cpu++)
		set_online(cpu, 1);
}

static void run_on(unsigned int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	EXPECT_ERRNO(sched_setaffinity(0, sizeof(one), &one), 0);
}

static void see(const struct dev_record *rec, void *arg)
{
	struct ktrace_ev_syscall_enter ev;
	struct seen *s = arg;

	EXPECT_EQ(rec->head.id, KTRACE_EV_SYSCALL_ENTER);
	EXPECT(rec->head.ts >= s->last_ts[rec->ring]);
	s->last_ts[rec->ring] = rec->head.ts;
	memcpy(&ev, rec->payload, sizeof(ev));
	if (ev.nr != SYS_getppid || ev.args[0] != MARK)
		return;
	EXPECT(ev.args[1] < WRITERS && ev.args[2] < SEQ_MAX);
	EXPECT_EQ(s->got[ev.args[1]][ev.args[2]]++, 0);
	s->in_ring[rec->ring]++;
	s->nr++;
}

static void write_events(unsigned long writer, unsigned long nr)
{
	for (; nr; nr--)
		syscall(SYS_getppid, MARK, writer, written[writer]++);
}

static int open_session(struct dev_channel *ch)
{
	int fd = dev_open();

	ch->spec = dev_spec(KTRACE_CHANNEL_KERNEL);
	ch->spec.ring_size = RING_SIZE;
	dev_add_channel(fd, ch);
	dev_follow(fd, getpid());
	dev_enable(fd, KTRACE_EV_SYSCALL_ENTER, 1);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_START), 0);
	return fd;
}

/* Reads what is left; everything that was written is there, nothing was lost. */
static void expect_all(int fd, const struct dev_channel *ch)
{
	unsigned long all = 0;
	int i;

	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_STOP), 0);
	dev_drain(ch, see, &seen);
	for (i = 0; i < WRITERS; i++)
		all += written[i];
	EXPECT_EQ(dev_lost(ch), 0);
	EXPECT_EQ(dev_info(fd).lost_noring, 0);
	EXPECT_EQ(seen.nr, all);
}

/* A CPU that was offline when the session started has a ring when it comes. */
static void late_cpu(void)
{
	const unsigned int cpu = cpu_nr() - 1;
	struct dev_channel ch;
	int fd;

	set_online(cpu, 0);
	fd = open_session(&ch);
	EXPECT(ch.control->cpu_nr > cpu);
	write_events(0, 100);
	set_online(cpu, 1);
	run_on(cpu);
	write_events(0, 1000);
	EXPECT_EQ(dev_drain(&ch, NULL, NULL) > 1100, 1);
	write_events(1, 1000);
	memset(written, 0, sizeof(written));
	written[1] = 1000;
	expect_all(fd, &ch);
	EXPECT_EQ(seen.in_ring[cpu], 1000);
}

/* What a CPU had recorded is read after it has gone; its ring goes on when it is back. */
static void ring_outlives_cpu(void)
{
	const unsigned int cpu = cpu_nr() - 1;
	struct dev_channel ch;
	int fd = open_session(&ch);

	run_on(cpu);
	write_events(0, 500);
	run_on(0);
	set_online(cpu, 0);
	write_events(0, 10);
	dev_drain(&ch, see, &seen);
	EXPECT_EQ(seen.in_ring[cpu], 500);
	set_online(cpu, 1);
	run_on(cpu);
	write_events(0, 500);
	expect_all(fd, &ch);
	EXPECT_EQ(seen.in_ring[cpu], 1000);
}

static void *writer(void *arg)
{
	const unsigned long nr = (unsigned long)arg;

	while (!is_over && written[nr] < SEQ_MAX)
		write_events(nr, 1);
	return NULL;
}

/* Threads write, CPUs go and come, nobody reads. */
static void under_load(void)
{
	pthread_t threads[WRITERS];
	struct dev_channel ch;
	unsigned long i;
	int fd = open_session(&ch);

	for (i = 0; i < WRITERS; i++)
		EXPECT_EQ(pthread_create(&threads[i], NULL, writer, (void *)i), 0);
	for (i = 0; i < TOGGLES; i++)
		toggle_all();
	is_over = 1;
	for (i = 0; i < WRITERS; i++)
		EXPECT_EQ(pthread_join(threads[i], NULL), 0);
	expect_all(fd, &ch);
}

static void *toggler(void *arg)
{
	while (!is_over)
		toggle_all();
	return arg;
}

/* Sessions are made, used and closed while CPUs go and come. */
static void sessions(void)
{
	pthread_t thread;
	int i;

	EXPECT_EQ(pthread_create(&thread, NULL, toggler, NULL), 0);
	for (i = 0; i < SESSIONS; i++) {
		struct dev_channel ch;
		int fd = open_session(&ch);

		memset(&seen, 0, sizeof(seen));
		memset(written, 0, sizeof(written));
		write_events(0, 200);
		expect_all(fd, &ch);
		EXPECT_ERRNO(munmap(ch.map, ch.spec.map_size), 0);
		close(fd);
	}
	is_over = 1;
	EXPECT_EQ(pthread_join(thread, NULL), 0);
}

static void toggle_until_gone(const char *file)
{
	while (!access(file, F_OK))
		toggle_all();
}

int main(int argc, char **argv)
{
	static const struct dev_test tests[] = {
		{ "late_cpu", late_cpu },
		{ "ring_outlives_cpu", ring_outlives_cpu },
		{ "under_load", under_load },
		{ "sessions", sessions },
	};

	if (argc == 3 && !strcmp(argv[1], "toggle")) {
		toggle_until_gone(argv[2]);
		return 0;
	}
	return dev_main(argc, argv, tests, NELEM(tests));
}
