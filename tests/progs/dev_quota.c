// SPDX-License-Identifier: GPL-2.0
/*
 * dev_quota.c - who pays for the memory of a session that has ended
 *
 *   dev_quota TEST
 *   dev_quota hold ID: attach to session ID, say so, and wait to be killed
 *
 * Only root may run the tests. The users that attack have opened the device, as members of its
 * group can.
 */
#include <glob.h>
#include <sched.h>
#include "dev.h"

enum {
	ATTACKER = 4321,
	OTHER = 4322,
	SESSION_MB = 8,
};

static void set_max_user_mb(unsigned int mb)
{
	int fd = open("/sys/module/ktrace/parameters/max_user_mb", O_WRONLY);

	EXPECT(fd >= 0);
	EXPECT(dprintf(fd, "%u", mb) > 0);
	close(fd);
}

/* A session of SESSION_MB MiB and a bit. */
static int try_session(struct dev_channel *ch)
{
	int fd = dev_open();

	*ch = (struct dev_channel){ .spec = dev_spec(KTRACE_CHANNEL_USER) };
	ch->spec.registry_size = SESSION_MB << 20;
	ch->spec.ring_size = 1 << 16;
	if (!ioctl(fd, KTRACE_IOC_CHANNEL, &ch->spec))
		return fd;
	close(fd);
	return -1;
}

/* Attaches as @uid and maps the channel, then closes the descriptor. */
static int hold_as(unsigned int uid, __u64 session, struct ktrace_attach *a, char **map)
{
	int fd = dev_open(), err;

	EXPECT_ERRNO(seteuid(uid), 0);
	err = dev_attach(fd, session, a) ? errno : 0;
	EXPECT_ERRNO(seteuid(0), 0);
	if (!err) {
		*map = mmap(NULL, a->map_size, PROT_READ, MAP_SHARED, fd, (off_t)a->map_off);
		EXPECT(*map != MAP_FAILED);
	}
	close(fd);
	return err;
}

static void attack(void)
{
	struct ktrace_attach a, b, c;
	char *held, *again, *other;
	struct dev_channel ch;
	int fd;

	set_max_user_mb(SESSION_MB * 3 / 2);
	fd = try_session(&ch);
	EXPECT(fd >= 0);
	EXPECT_EQ(hold_as(ATTACKER, dev_info(fd).session, &a, &held), 0);
	close(fd);
	/* The memory stays, but root can record again, and other users are recorded. */
	fd = try_session(&ch);
	EXPECT(fd >= 0);
	EXPECT_EQ(dev_info(fd).sessions, 2);
	EXPECT_EQ(dev_info(fd).refused, 0);
	EXPECT_EQ(hold_as(ATTACKER, dev_info(fd).session, &b, &again), EDQUOT);
	EXPECT_EQ(dev_info(fd).refused, 1);
	EXPECT_EQ(hold_as(OTHER, dev_info(fd).session, &c, &other), 0);
	/* Nor can the attacker make more of his own. */
	EXPECT_ERRNO(seteuid(ATTACKER), 0);
	EXPECT_ERRNO(ioctl(dev_open(), KTRACE_IOC_CHANNEL, &ch.spec), EDQUOT);
	EXPECT_ERRNO(seteuid(0), 0);
	/* When he lets go, he is like everybody else. */
	munmap(held, a.map_size);
	EXPECT_EQ(dev_info(fd).sessions, 1);
	EXPECT_EQ(hold_as(ATTACKER, dev_info(fd).session, &b, &again), 0);
	EXPECT_EQ(dev_info(fd).refused, 1);
	set_max_user_mb(2048);
}

/* Gives user namespace @pid ids when it is there: somebody has written to @is_ready then. */
static void map_ids(pid_t pid, int is_ready)
{
	char path[64], byte;
	int fd;

	EXPECT_EQ(read(is_ready, &byte, 1), 1);
	snprintf(path, sizeof(path), "/proc/%d/uid_map", (int)pid);
	fd = open(path, O_WRONLY);
	EXPECT(fd >= 0);
	EXPECT(dprintf(fd, "0 %d 1\n1 100000 100", ATTACKER) > 0);
	close(fd);
}

/* Becomes a user of the namespace, and has @fd make a session. */
static int make_as(int fd, uid_t inner)
{
	struct dev_channel ch = { .spec = dev_spec(KTRACE_CHANNEL_USER) };

	ch.spec.registry_size = SESSION_MB << 20;
	ch.spec.ring_size = 1 << 16;
	EXPECT_ERRNO(seteuid(0), 0);
	EXPECT_ERRNO(seteuid(inner), 0);
	return ioctl(fd, KTRACE_IOC_CHANNEL, &ch.spec) ? errno : 0;
}

/* What newuidmap(1) gives a user does not make him several. */
static void subordinate(void)
{
	int asks[2], answers[2], first = dev_open(), second = dev_open(), third = dev_open();
	int status;
	pid_t pid;
	char byte;

	set_max_user_mb(SESSION_MB * 3 / 2);
	EXPECT(!pipe(asks) && !pipe(answers));
	pid = fork();
	if (!pid) {
		dev_become_user(ATTACKER);
		EXPECT_ERRNO(unshare(CLONE_NEWUSER), 0);
		EXPECT_EQ(write(asks[1], "", 1), 1);
		EXPECT_EQ(read(answers[0], &byte, 1), 1);
		EXPECT_EQ(make_as(first, 5), 0);
		EXPECT_EQ(make_as(second, 6), EDQUOT);
		EXPECT_EQ(make_as(third, 0), EDQUOT);
		_exit(0);
	}
	map_ids(pid, asks[0]);
	EXPECT_EQ(write(answers[1], "", 1), 1);
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	set_max_user_mb(2048);
}

/* Clock ticks that all threads of the kernel's workqueues have run */
static unsigned long worker_ticks(void)
{
	unsigned long sum = 0, user, system;
	char path[64], line[512], *behind;
	glob_t g;
	FILE *f;
	size_t i;

	EXPECT_EQ(glob("/proc/[0-9]*/stat", 0, NULL, &g), 0);
	for (i = 0; i < g.gl_pathc; i++) {
		snprintf(path, sizeof(path), "%s", g.gl_pathv[i]);
		f = fopen(path, "r");
		if (!f)
			continue;
		if (fgets(line, sizeof(line), f) && strstr(line, "(kworker/")) {
			behind = strrchr(line, ')');
			EXPECT_EQ(sscanf(behind + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u "
						     "%*u %lu %lu", &user, &system), 2);
			sum += user + system;
		}
		fclose(f);
	}
	globfree(&g);
	return sum;
}

/*
 * Somebody sleeps until any of very many rings has data. Workers look at them meanwhile, which is
 * charged to nobody: at most every third tick of an emulated CPU. It was nine of ten.
 */
static void many_rings(void)
{
	struct dev_channel ch = { .spec = dev_spec(KTRACE_CHANNEL_USER) };
	struct pollfd p = { .fd = dev_open(), .events = POLLIN };
	unsigned long before;

	ch.spec.ring_size = ch.spec.thread_size = 1 << 14;
	ch.spec.block_size = 1 << 12;
	ch.spec.watermark = 1 << 13;
	ch.spec.thread_nr = 4096;
	for (int i = 0; i < 6; i++)
		EXPECT_ERRNO(ioctl(p.fd, KTRACE_IOC_CHANNEL, &ch.spec), 0);
	before = worker_ticks();
	EXPECT_EQ(poll(&p, 1, 4000), 0);
	EXPECT((long)(worker_ticks() - before) < 4 * sysconf(_SC_CLK_TCK) / 3);
}

static __u64 available(void)
{
	FILE *f = fopen("/proc/meminfo", "r");
	unsigned long long all = 0, kb = 0;
	char line[128];

	EXPECT(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "MemTotal: %llu", &all) || sscanf(line, "MemAvailable: %llu", &kb))
			continue;
	fclose(f);
	EXPECT(all && kb);
	return kb * 100 / all;
}

/* Takes memory until there is none for a user; the percentage that is left. */
static void take_all(void *left)
{
	struct ktrace_channel_spec spec = dev_spec(KTRACE_CHANNEL_USER);
	int fds[8], i, n = 0;

	for (i = 0; i < (int)NELEM(fds); i++)
		fds[i] = dev_open();
	dev_become_user(ATTACKER);
	spec.registry_size = 32 << 20;
	for (i = 0; i < 64; i++)
		n += !ioctl(fds[i % 8], KTRACE_IOC_CHANNEL, &spec);
	EXPECT(n > 4 && n < 64);
	EXPECT_EQ(errno, ENOMEM);
	*(__u64 *)left = available();
}

static void spare(void)
{
	__u64 *left = mmap(NULL, sizeof(*left), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	EXPECT(left != MAP_FAILED);
	set_max_user_mb(65536);
	dev_in_child(take_all, left);
	EXPECT(*left >= 3);
	set_max_user_mb(2048);
}

static int hold_until_killed(const char *id)
{
	struct ktrace_attach a;
	int fd = dev_open();

	EXPECT_ERRNO(dev_attach(fd, strtoull(id, NULL, 16), &a), 0);
	puts("attached");
	fflush(stdout);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	static const struct dev_test tests[] = {
		{ "attack", attack },
		{ "subordinate", subordinate },
		{ "many_rings", many_rings },
		{ "spare", spare },
	};

	if (argc == 3 && !strcmp(argv[1], "hold"))
		return hold_until_killed(argv[2]);
	return dev_main(argc, argv, tests, NELEM(tests));
}
