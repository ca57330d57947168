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
	};

	if (argc == 3 && !strcmp(argv[1], "hold"))
		return hold_until_killed(argv[2]);
	return dev_main(argc, argv, tests, NELEM(tests));
}
