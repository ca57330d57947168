// SPDX-License-Identifier: GPL-2.0
/*
 * dev_events.c - kernel events of /dev/ktrace: what is recorded, for whom, and when
 *
 *   dev_events TEST           run a test
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <ktrace/session.h>
#include "dev.h"

#define EVENT_NR 1024

/* What a session has seen; filled by see(). */
struct seen {
	unsigned long count[EVENT_NR];
	unsigned int pid;		/* of interest */
	unsigned long of_pid[EVENT_NR];	/* recorded by its main thread */
	unsigned long others;		/* forks by somebody else */
	unsigned int exits[8];		/* whose threads exited */
	unsigned long bad;		/* payload of the wrong size or nonsense */
	unsigned long in_irq;
	unsigned long getppid_enter;
	unsigned long getppid_exit;
	unsigned int child;
	__s64 last_ret;
	char exec_name[64];
	unsigned int renamed;		/* to "renamed" or "true" */
	__u64 last_ts[4096];
};

static int size_is_right(const struct ktrace_record *head)
{
	const struct ktrace_kernel_event *ev;
	__u32 i;

	for (i = 0; (ev = ktrace_kernel_event(i)); i++)
		if (ev->id == head->id)
			return strstr(ev->desc, ";string ") ? head->len > ev->size
							    : head->len == ev->size;
	return 0;
}

static void see_syscall(const struct dev_record *rec, struct seen *s)
{
	struct ktrace_ev_syscall_enter enter;
	struct ktrace_ev_syscall_exit leave;

	if (rec->head.id == KTRACE_EV_SYSCALL_ENTER) {
		memcpy(&enter, rec->payload, sizeof(enter));
		s->getppid_enter += enter.nr == SYS_getppid && enter.args[0] == 11 &&
				    enter.args[5] == 16;
	} else {
		memcpy(&leave, rec->payload, sizeof(leave));
		s->getppid_exit += leave.nr == SYS_getppid;
		if (leave.nr == SYS_getppid)
			s->last_ret = leave.ret;
	}
}

static void see_life(const struct dev_record *rec, struct seen *s)
{
	struct ktrace_ev_sched_fork fork_ev;
	struct ktrace_ev_sched_exit exit_ev;
	struct ktrace_ev_sched_comm comm_ev;

	switch (rec->head.id) {
	case KTRACE_EV_SCHED_FORK:
		memcpy(&fork_ev, rec->payload, sizeof(fork_ev));
		s->others += s->pid && fork_ev.parent_pid != s->pid;
		if (fork_ev.parent_pid == s->pid && fork_ev.child_pid != s->pid)
			s->child = fork_ev.child_pid;
		break;
	case KTRACE_EV_SCHED_EXEC:
		strncpy(s->exec_name, rec->payload + sizeof(struct ktrace_ev_sched_exec), 63);
		break;
	case KTRACE_EV_SCHED_EXIT:
		memcpy(&exit_ev, rec->payload, sizeof(exit_ev));
		s->exits[s->count[KTRACE_EV_SCHED_EXIT] % NELEM(s->exits)] = exit_ev.pid;
		break;
	case KTRACE_EV_SCHED_COMM:
		memcpy(&comm_ev, rec->payload, sizeof(comm_ev));
		s->renamed += !strcmp(comm_ev.comm, "renamed") || !strcmp(comm_ev.comm, "true");
		break;
	}
}

static void see(const struct dev_record *rec, void *arg)
{
	struct seen *s = arg;

	EXPECT(rec->head.id < EVENT_NR);
	EXPECT(rec->head.ts >= s->last_ts[rec->ring]);
	s->last_ts[rec->ring] = rec->head.ts;
	s->count[rec->head.id]++;
	s->bad += !size_is_right(&rec->head);
	s->in_irq += !!(rec->head.tid_flags & KTRACE_REC_IRQ);
	s->of_pid[rec->head.id] += (rec->head.tid_flags & KTRACE_TID_MASK) == s->pid;
	if (rec->head.id == KTRACE_EV_SYSCALL_ENTER || rec->head.id == KTRACE_EV_SYSCALL_EXIT)
		see_syscall(rec, s);
	else
		see_life(rec, s);
}

static void enable_all(int fd)
{
	const struct ktrace_kernel_event *ev;
	__u32 i;

	for (i = 0; (ev = ktrace_kernel_event(i)); i++)
		dev_try_enable(fd, ev->id);
}

static void add_kernel(int fd, struct dev_channel *ch)
{
	ch->spec = dev_spec(KTRACE_CHANNEL_KERNEL);
	ch->spec.ring_size = 1 << 23;
	dev_add_channel(fd, ch);
}

static void *thread(void *arg)
{
	usleep(1000);
	return arg;
}

/* A process that forks, renames itself, starts a thread and runs a program. */
static pid_t start_program(int *go)
{
	pthread_t t;
	pid_t pid;
	char c;
	int i;

	EXPECT_ERRNO(pipe(go), 0);
	pid = fork();
	if (pid)
		return pid;
	EXPECT_EQ(read(go[0], &c, 1), 1);
	prctl(PR_SET_NAME, "renamed");
	for (i = 0; i < 100; i++)
		syscall(SYS_getppid, 11, 12, 13, 14, 15, 16);
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	if (!fork()) {
		execl("/bin/true", "true", NULL);
		_exit(127);
	}
	wait(NULL);
	_exit(7);
}

static void finish_program(pid_t pid, int *go)
{
	int status;

	EXPECT_EQ(write(go[1], "x", 1), 1);
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(WEXITSTATUS(status), 7);
	close(go[0]);
	close(go[1]);
}

/* What start_program() does, all of it and nothing else. */
static void is_program(const struct seen *s)
{
	unsigned long i;

	EXPECT_EQ(s->bad, 0);
	EXPECT_EQ(s->others, 0);
	EXPECT_EQ(s->getppid_enter, 100);
	EXPECT_EQ(s->getppid_exit, 100);
	EXPECT_EQ(s->count[KTRACE_EV_SCHED_FORK], 2);	/* thread, child */
	EXPECT_EQ(s->count[KTRACE_EV_SCHED_EXEC], 1);
	EXPECT_EQ(s->count[KTRACE_EV_SCHED_EXIT], 3);
	for (i = 1; i <= 3; i++)
		EXPECT(s->exits[i] == s->pid || s->exits[i] == s->child);
}

static void families(void)
{
	static struct seen s;
	struct dev_channel ch;
	int fd = dev_open(), go[2];
	pid_t pid = start_program(go);

	add_kernel(fd, &ch);
	enable_all(fd);
	dev_follow(fd, pid);
	EXPECT_EQ(dev_info(fd).followed, 1);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_START), 0);
	finish_program(pid, go);
	EXPECT_EQ(dev_info(fd).followed, 0);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_STOP), 0);
	s.pid = (unsigned int)pid;
	EXPECT(dev_drain(&ch, see, &s));
	EXPECT_EQ(dev_lost(&ch), 0);
	is_program(&s);
	EXPECT_EQ(s.last_ret, getpid());
	EXPECT(!strcmp(s.exec_name, "/bin/true"));
	EXPECT_EQ(s.count[KTRACE_EV_SCHED_COMM], 2);
	EXPECT_EQ(s.renamed, 2);
	EXPECT(s.count[KTRACE_EV_SCHED_SWITCH] >= 4);
	EXPECT(s.count[KTRACE_EV_SCHED_WAKEUP] >= 3);
	EXPECT_EQ(s.count[KTRACE_EV_LOGEVENT], 0);
	EXPECT(dev_drain(&ch, see, &s) == 0);
}

/* Interrupts come to whichever thread runs, so all are followed. */
static void interrupts(void)
{
	static struct seen s;
	struct dev_channel ch;
	int fd = dev_open(), i;

	add_kernel(fd, &ch);
	enable_all(fd);
	dev_follow(fd, KTRACE_FOLLOW_ALL);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_START), 0);
	for (i = 0; i < 100 && !s.count[KTRACE_EV_IRQ_EXIT]; i++) {
		usleep(10000);
		/* The share with the host: each request is answered with an interrupt. */
		EXPECT_EQ(system("touch /mnt/out/interrupt && rm /mnt/out/interrupt"), 0);
		dev_drain(&ch, see, &s);
	}
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_STOP), 0);
	dev_drain(&ch, see, &s);
	EXPECT_EQ(s.bad, 0);
	EXPECT(s.count[KTRACE_EV_IRQ_ENTER]);
	EXPECT(s.count[KTRACE_EV_SOFTIRQ_ENTER]);
	EXPECT(s.count[KTRACE_EV_SOFTIRQ_EXIT]);
	EXPECT(s.in_irq >= s.count[KTRACE_EV_IRQ_ENTER]);
}

enum { READS = 16, WRITES = 4, READ_SIZE = 65536, WRITE_SIZE = 4096 };

/* What block events have told of one device: of the reads, then of the writes. */
struct requests {
	__u32 dev;
	struct {
		unsigned int issued;
		unsigned int done;
		__u32 tags[2];
		__u64 ts[2];
	} is[READS + WRITES];
	unsigned int bad;
};

/* Which one of use_disk() it is. */
static unsigned int number_of(const struct ktrace_ev_block_complete *ev)
{
	const __u64 offset = ev->sector * 512;

	if (ev->op == KTRACE_BLOCK_READ && ev->bytes == READ_SIZE)
		return (unsigned int)(offset / READ_SIZE);
	if (ev->op == KTRACE_BLOCK_WRITE && ev->bytes == WRITE_SIZE)
		return READS + (unsigned int)(offset / WRITE_SIZE);
	return READS + WRITES;
}

static void see_request(const struct dev_record *rec, void *arg)
{
	const bool is_end = rec->head.id == KTRACE_EV_BLOCK_COMPLETE;
	struct ktrace_ev_block_complete ev = { 0 };
	struct requests *r = arg;
	unsigned int i;

	EXPECT(size_is_right(&rec->head));
	memcpy(&ev, rec->payload, rec->head.len);
	i = number_of(&ev);
	if (ev.dev != r->dev)
		return;
	if (i >= READS + WRITES || rec->head.id == KTRACE_EV_BLOCK_REQUEUE || ev.error || ev.left) {
		r->bad++;
		return;
	}
	r->is[i].issued += !is_end;
	r->is[i].done += is_end;
	r->is[i].tags[is_end] = ev.tag;
	r->is[i].ts[is_end] = rec->head.ts;
}

/* One at a time, past the cache: each is one request. */
static void use_disk(int fd)
{
	void *data;
	int i;

	EXPECT_EQ(posix_memalign(&data, READ_SIZE, READ_SIZE), 0);
	memset(data, 0, READ_SIZE);
	for (i = 0; i < READS; i++)
		EXPECT_EQ(pread(fd, data, READ_SIZE, (off_t)i * READ_SIZE), READ_SIZE);
	for (i = 0; i < WRITES; i++)
		EXPECT_EQ(pwrite(fd, data, WRITE_SIZE, (off_t)i * WRITE_SIZE), WRITE_SIZE);
	free(data);
}

/* A disk is read and written: each request is issued, then done, once. */
static void requests(void)
{
	static struct requests r;
	struct dev_channel ch;
	struct stat st;
	unsigned int i;
	int fd, disk = open("/dev/vda", O_RDWR | O_DIRECT);

	if (disk < 0)
		exit(DEV_SKIPPED);
	fd = dev_open();
	EXPECT_ERRNO(fstat(disk, &st), 0);
	r.dev = major(st.st_rdev) << 20 | minor(st.st_rdev);
	add_kernel(fd, &ch);
	dev_enable(fd, KTRACE_EV_BLOCK_ISSUE, 1);
	dev_enable(fd, KTRACE_EV_BLOCK_COMPLETE, 1);
	dev_enable(fd, KTRACE_EV_BLOCK_REQUEUE, 1);
	dev_follow(fd, KTRACE_FOLLOW_ALL);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_START), 0);
	use_disk(disk);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_STOP), 0);
	dev_drain(&ch, see_request, &r);
	EXPECT_EQ(dev_lost(&ch), 0);
	EXPECT_EQ(r.bad, 0);
	for (i = 0; i < READS + WRITES; i++) {
		EXPECT_EQ(r.is[i].issued, 1);
		EXPECT_EQ(r.is[i].done, 1);
		EXPECT_EQ(r.is[i].tags[0], r.is[i].tags[1]);
		EXPECT(r.is[i].ts[0] <= r.is[i].ts[1]);
	}
}

/* Where a task moves: pinned from CPU to CPU. */
static void migrate(void)
{
	static struct seen s;
	struct dev_channel ch;
	int fd = dev_open(), i;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		exit(DEV_SKIPPED);
	add_kernel(fd, &ch);
	dev_enable(fd, KTRACE_EV_SCHED_MIGRATE, 1);
	dev_follow(fd, getpid());
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_START), 0);
	for (i = 0; i < 20; i++) {
		cpu_set_t cpus;

		CPU_ZERO(&cpus);
		CPU_SET(i % 2, &cpus);
		EXPECT_ERRNO(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
	}
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_STOP), 0);
	dev_drain(&ch, see, &s);
	EXPECT(s.count[KTRACE_EV_SCHED_MIGRATE] >= 19);
}

/* Suspended means nothing is recorded; switching off counts at once. */
static void start_stop(void)
{
	static struct seen s;
	struct dev_channel ch;
	int fd = dev_open(), i, round;

	add_kernel(fd, &ch);
	dev_enable(fd, KTRACE_EV_SYSCALL_ENTER, 1);
	dev_follow(fd, getpid());
	for (round = 0; round < 5; round++) {
		for (i = 0; i < 50; i++)
			syscall(SYS_getppid, 11, 12, 13, 14, 15, 16);
		EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_START), 0);
		for (i = 0; i < 10; i++)
			syscall(SYS_getppid, 11, 12, 13, 14, 15, 16);
		dev_enable(fd, KTRACE_EV_SYSCALL_ENTER, 0);
		for (i = 0; i < 50; i++)
			syscall(SYS_getppid, 11, 12, 13, 14, 15, 16);
		dev_enable(fd, KTRACE_EV_SYSCALL_ENTER, 1);
		EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_STOP), 0);
	}
	dev_drain(&ch, see, &s);
	EXPECT_EQ(s.getppid_enter, 50);
}

/* Two sessions follow two programs; each sees its own, as if alone. */
static void two_sessions(void)
{
	static struct seen seen[2];
	struct dev_channel ch[2];
	int fd[2], go[2][2], i;
	pid_t pid[2];

	for (i = 0; i < 2; i++) {
		pid[i] = start_program(go[i]);
		fd[i] = dev_open();
		add_kernel(fd[i], &ch[i]);
		enable_all(fd[i]);
		dev_follow(fd[i], pid[i]);
		EXPECT_ERRNO(ioctl(fd[i], KTRACE_IOC_START), 0);
	}
	for (i = 0; i < 2; i++)
		finish_program(pid[i], go[i]);
	EXPECT_ERRNO(ioctl(fd[0], KTRACE_IOC_STOP), 0);
	close(fd[0]);
	for (i = 0; i < 2; i++) {
		seen[i].pid = (unsigned int)pid[i];
		dev_drain(&ch[i], see, &seen[i]);
		is_program(&seen[i]);
	}
}

/*
 * Many processes come and go: every fork and exit once, and nobody is left behind.
 * KTRACE_FORKS: how many, where each takes long
 */
static void fork_storm(void)
{
	enum { THREADS = 4 };
	const char *wanted = getenv("KTRACE_FORKS");
	const int forks = wanted ? atoi(wanted) : 300;
	static struct seen s;
	struct dev_channel ch;
	int fd = dev_open(), go[2], i, j;
	pid_t pid;
	char c;

	EXPECT_ERRNO(pipe(go), 0);
	pid = fork();
	if (!pid) {
		EXPECT_EQ(read(go[0], &c, 1), 1);
		for (i = 0; i < forks; i++) {
			if (fork())
				continue;
			for (j = 0; j < THREADS; j++) {
				pthread_t t;

				pthread_create(&t, NULL, thread, NULL);
			}
			_exit(0);	/* takes the threads along */
		}
		while (wait(NULL) > 0)
			;
		_exit(7);
	}
	add_kernel(fd, &ch);
	dev_enable(fd, KTRACE_EV_SCHED_FORK, 1);
	dev_enable(fd, KTRACE_EV_SCHED_EXIT, 1);
	dev_follow(fd, pid);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_START), 0);
	finish_program(pid, go);
	EXPECT_EQ(dev_info(fd).followed, 0);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_STOP), 0);
	dev_drain(&ch, see, &s);
	EXPECT_EQ(dev_lost(&ch), 0);
	EXPECT_EQ(s.count[KTRACE_EV_SCHED_FORK], forks * (1 + THREADS));
	EXPECT_EQ(s.count[KTRACE_EV_SCHED_EXIT], forks * (1 + THREADS) + 1);
}

int main(int argc, char **argv)
{
	static const struct dev_test tests[] = {
		{ "families", families },
		{ "interrupts", interrupts },
		{ "requests", requests },
		{ "migrate", migrate },
		{ "start_stop", start_stop },
		{ "two_sessions", two_sessions },
		{ "fork_storm", fork_storm },
	};

	return dev_main(argc, argv, tests, NELEM(tests));
}
