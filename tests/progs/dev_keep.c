// SPDX-License-Identifier: GPL-2.0
/*
 * dev_keep.c - sessions of owners that died: kept, listed, adopted, let go
 *
 *   dev_keep TEST
 *
 * Only root may run it; the user it speaks of is one without privilege.
 */
#include "dev.h"

static const unsigned int uid = 4321;

/* What the owner is to be like before it dies. */
struct owner {
	int fd;		/* opened as root, as if the group allowed it */
	__u32 keep;
	int is_user, has_kernel;
	__u64 bytes;	/* at least */
	__u64 session;	/* out */
};

static __u64 *shared;

static void own_and_die(void *arg)
{
	const struct owner *o = arg;
	struct dev_channel user = { .spec = dev_spec(KTRACE_CHANNEL_USER) };
	struct dev_channel kernel = { .spec = dev_spec(KTRACE_CHANNEL_KERNEL) };

	if (o->is_user)
		dev_become_user(uid);
	if (o->bytes) {
		user.spec.registry_size = (__u32)o->bytes & ~4095U;
		user.spec.ring_size = 1 << 16;
	}
	dev_add_channel(o->fd, &user);
	if (o->has_kernel)
		dev_add_channel(o->fd, &kernel);
	EXPECT_ERRNO(ioctl(o->fd, KTRACE_IOC_KEEP, &o->keep), 0);
	EXPECT_ERRNO(ioctl(o->fd, KTRACE_IOC_START), 0);
	*shared = dev_info(o->fd).session;
	strcpy(user.map + user.control->note_off, "a note");
	memset(user.map + user.control->enable_off, 1, user.control->id_nr);
	dev_tail(&user, 1)->tail = 8;
}

/* The owner is dead, but we have its descriptor. */
static struct owner almost_die(struct owner o)
{
	o.fd = dev_open();
	dev_in_child(own_and_die, &o);
	o.session = *shared;
	return o;
}

static struct owner die(struct owner o)
{
	o = almost_die(o);
	close(o.fd);
	return o;
}

static int adopt(int fd, __u64 session)
{
	struct ktrace_adopt a = { .size = sizeof(a), .session = session };

	return ioctl(fd, KTRACE_IOC_ADOPT, &a);
}

static int kept_at(int fd, __u32 index, struct ktrace_kept *k)
{
	*k = (struct ktrace_kept){ .size = sizeof(*k), .index = index };
	return ioctl(fd, KTRACE_IOC_KEPT, k);
}

static void discard(__u64 session)
{
	__u32 keep = 0;
	int fd = dev_open();

	EXPECT_ERRNO(adopt(fd, session), 0);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_KEEP, &keep), 0);
	close(fd);
}

static void expect_sessions(unsigned int all, unsigned int kept)
{
	int fd = dev_open();

	EXPECT_EQ(dev_info(fd).sessions, all);
	EXPECT_EQ(dev_info(fd).kept, kept);
	close(fd);
}

static void errors(void)
{
	struct dev_channel user = { .spec = dev_spec(KTRACE_CHANNEL_USER) };
	struct ktrace_adopt odd = { .size = sizeof(odd), .channels = 1 };
	int owner = dev_open(), writer = dev_open(), fresh = dev_open();
	__u32 keep = 1, two = 2;
	struct ktrace_attach a;
	struct ktrace_kept k;

	EXPECT_ERRNO(ioctl(fresh, KTRACE_IOC_KEEP, &keep), EINVAL);
	dev_add_channel(owner, &user);
	EXPECT_ERRNO(dev_attach(writer, dev_info(owner).session, &a), 0);
	EXPECT_ERRNO(ioctl(writer, KTRACE_IOC_KEEP, &keep), EPERM);
	EXPECT_ERRNO(ioctl(owner, KTRACE_IOC_KEEP, &two), EINVAL);
	EXPECT_ERRNO(kept_at(fresh, 0, &k), ENOENT);
	EXPECT_ERRNO(adopt(fresh, dev_info(owner).session), ENOENT);
	EXPECT_ERRNO(adopt(fresh, 0), ENOENT);
	EXPECT_ERRNO(ioctl(fresh, KTRACE_IOC_ADOPT, &odd), EINVAL);
	EXPECT_ERRNO(adopt(owner, 1), EBUSY);
	EXPECT_ERRNO(adopt(writer, 1), EBUSY);
}

/* What only a session that goes on could do. */
static void too_late(int fd)
{
	struct ktrace_channel_spec spec = dev_spec(KTRACE_CHANNEL_USER);
	struct ktrace_enable e = { .id = KTRACE_EV_SCHED_SWITCH, .on = 1 };
	__s32 pid = KTRACE_FOLLOW_ALL;

	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_START), EBUSY);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_ENABLE, &e), EBUSY);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_FOLLOW, &pid), EBUSY);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_CHANNEL, &spec), EBUSY);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_STOP), 0);
}

static void life(void)
{
	struct owner o = die((struct owner){ .keep = 1, .has_kernel = 1 });
	struct dev_channel user = { 0 };
	int fd = dev_open(), second = dev_open();
	struct ktrace_attach a;
	struct ktrace_kept k;
	unsigned int i;

	expect_sessions(1, 1);
	EXPECT_ERRNO(kept_at(fd, 0, &k), 0);
	EXPECT_EQ(k.session, o.session);
	EXPECT(k.bytes > 2 << 20 && k.seconds > 3000 && !k.uid);
	EXPECT_ERRNO(kept_at(fd, 1, &k), ENOENT);
	EXPECT_ERRNO(dev_attach(second, o.session, &a), ENOENT);

	EXPECT_ERRNO(adopt(fd, o.session), 0);
	expect_sessions(1, 0);
	EXPECT_ERRNO(adopt(second, o.session), ENOENT);
	user.control = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	EXPECT(user.control != MAP_FAILED);
	user.spec.map_size = user.control->map_size;
	munmap((void *)user.control, 4096);
	dev_map_owner(fd, &user);
	EXPECT_EQ(user.control->session, o.session);
	EXPECT_EQ(user.control->state, KTRACE_STATE_CLOSED);
	EXPECT(!strcmp(user.map + user.control->note_off, "a note"));
	EXPECT_EQ(dev_tail(&user, 1)->tail, 8);
	for (i = 0; i < user.control->id_nr; i++)
		EXPECT_EQ(user.map[user.control->enable_off + i], 0);
	too_late(fd);

	/* The second owner dies as well. */
	munmap(user.map, user.spec.map_size);
	close(fd);
	expect_sessions(1, 1);
	discard(o.session);
	expect_sessions(0, 0);
}

static void set(const char *file, const char *value)
{
	int fd = open(file, O_WRONLY);

	EXPECT(fd >= 0);
	EXPECT_EQ(write(fd, value, strlen(value)), strlen(value));
	close(fd);
}

static void set_seconds(const char *value)
{
	set("/sys/module/ktrace/parameters/keep_seconds", value);
}

static void set_percent(const char *value)
{
	set("/sys/module/ktrace/parameters/max_kept_percent", value);
}

static unsigned int freed(void)
{
	int fd = dev_open();
	unsigned int nr = dev_info(fd).freed;

	close(fd);
	return nr;
}

static int is_kept(__u64 session)
{
	int fd = dev_open(), is = 0;
	struct ktrace_kept k;

	for (__u32 i = 0; !is && !kept_at(fd, i, &k); i++)
		is = k.session == session;
	close(fd);
	return is;
}

/* Bytes, of a line of /proc/meminfo */
static __u64 memory(const char *name)
{
	FILE *f = fopen("/proc/meminfo", "r");
	unsigned long long kb = 0;
	char line[128];

	EXPECT(f);
	while (!kb && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			kb = strtoull(line + strlen(name), NULL, 10);
	fclose(f);
	EXPECT(kb);
	return kb << 10;
}

/* The user who keeps most pays, with a session that was adopted before. */
static void bound(void)
{
	/* Of a hundredth, two of them fit and three do not. */
	const struct owner root = { .keep = 1, .bytes = memory("MemTotal:") / 300 };
	struct owner user = root, first, second;
	const unsigned int before = freed();
	int fd = dev_open();

	user.is_user = 1;
	first = die(root);
	second = die(root);
	EXPECT_ERRNO(adopt(fd, first.session), 0);
	user = die(user);
	set_percent("1");
	close(fd);
	EXPECT(!is_kept(first.session) && is_kept(second.session) && is_kept(user.session));
	EXPECT_EQ(freed(), before + 1);

	first = die(root);
	EXPECT(is_kept(first.session) && !is_kept(second.session) && is_kept(user.session));
	set_percent("0");
	die(root);
	expect_sessions(0, 0);
	EXPECT_EQ(freed(), before + 5);
	set_percent("50");
}

/* Takes memory until hardly any is left; what it was is to be given to munmap(). */
static char *eat(size_t *len)
{
	const __u64 all = memory("MemTotal:"), piece = 4 << 20;
	char *at = mmap(NULL, all, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	EXPECT(at != MAP_FAILED);
	for (*len = 0; memory("MemAvailable:") > all / 25; *len += piece) {
		EXPECT(*len + piece <= all);
		memset(at + *len, 1, piece);
	}
	return at;
}

/* Caches go any time; events only when memory is short, and if that gives some back. */
static void memory_short(void)
{
	const unsigned int before = freed();
	struct owner lone, mapped;
	struct ktrace_attach a;
	int writer = dev_open();
	char *eaten;
	size_t len;

	lone = die((struct owner){ .keep = 1, .has_kernel = 1 });
	mapped = almost_die((struct owner){ .keep = 1 });
	EXPECT_ERRNO(dev_attach(writer, mapped.session, &a), 0);
	close(mapped.fd);
	set("/proc/sys/vm/drop_caches", "3");
	EXPECT(is_kept(lone.session) && is_kept(mapped.session));
	eaten = eat(&len);
	set("/proc/sys/vm/drop_caches", "2");
	munmap(eaten, len);
	EXPECT(!is_kept(lone.session) && is_kept(mapped.session));
	EXPECT_EQ(freed(), before + 1);
	close(writer);
	discard(mapped.session);
	expect_sessions(0, 0);
}

static void until_gone(void)
{
	int i, fd = dev_open();

	for (i = 0; dev_info(fd).sessions; i++) {
		EXPECT(i < 600);
		usleep(100000);
	}
	close(fd);
}

static void ends(void)
{
	struct owner o;

	die((struct owner){ .keep = 0 });
	expect_sessions(0, 0);
	set_seconds("0");
	die((struct owner){ .keep = 1 });
	expect_sessions(0, 0);
	set_seconds("1");
	die((struct owner){ .keep = 1 });
	set_seconds("3600");
	o = die((struct owner){ .keep = 1 });
	/* The one whose time is up goes, the other one stays. */
	while (dev_info(dev_open()).kept > 1)
		usleep(50000);
	discard(o.session);
	until_gone();
}

static void too_many(void)
{
	struct owner o[5];
	struct ktrace_kept k;
	int i, fd = dev_open();

	for (i = 0; i < 5; i++)
		o[i] = die((struct owner){ .keep = 1, .is_user = i == 0 });
	/* Another user's does not count. */
	expect_sessions(5, 5);
	for (i = 0; i < 5; i++)
		EXPECT_ERRNO(kept_at(fd, (__u32)i, &k), 0);
	die((struct owner){ .keep = 1 });
	expect_sessions(5, 5);
	EXPECT_ERRNO(adopt(fd, o[1].session), ENOENT);
	discard(o[0].session);
	while (!kept_at(fd, 0, &k))
		discard(k.session);
	expect_sessions(0, 0);
}

struct stranger {
	int fd;
	__u64 session;
	int err;
};

static void adopt_as_user(void *arg)
{
	const struct stranger *p = arg;
	struct ktrace_kept k;

	dev_become_user(uid);
	EXPECT_ERRNO(kept_at(p->fd, 0, &k), p->err == EPERM ? ENOENT : 0);
	EXPECT_ERRNO(adopt(p->fd, p->session), p->err);
}

static void set_group_kernel(const char *value)
{
	int fd = open("/sys/module/ktrace/parameters/group_kernel", O_WRONLY);

	EXPECT_EQ(write(fd, value, strlen(value)), strlen(value));
	close(fd);
}

static void see_but_not_adopt(void *arg)
{
	const struct stranger *p = arg;
	struct ktrace_kept k;

	dev_become_user(uid);
	EXPECT_ERRNO(kept_at(p->fd, 0, &k), 0);
	EXPECT_ERRNO(adopt(p->fd, p->session), EPERM);
}

static void rights(void)
{
	struct owner root = die((struct owner){ .keep = 1 }), user;
	struct stranger s = { dev_open(), root.session, EPERM };

	dev_in_child(adopt_as_user, &s);
	discard(root.session);

	user = die((struct owner){ .keep = 1, .is_user = 1 });
	s = (struct stranger){ dev_open(), user.session, 0 };
	dev_in_child(adopt_as_user, &s);
	close(s.fd);
	discard(user.session);

	/* Kernel events, once the group may not see them any more */
	set_group_kernel("1");
	user = die((struct owner){ .keep = 1, .is_user = 1, .has_kernel = 1 });
	set_group_kernel("0");
	s = (struct stranger){ dev_open(), user.session, EPERM };
	dev_in_child(see_but_not_adopt, &s);
	discard(user.session);
	expect_sessions(0, 0);
}

static void take(void *arg)
{
	const size_t *len = arg;
	char *at = mmap(NULL, *len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	EXPECT(at != MAP_FAILED);
	memset(at, 1, *len);
}

/* Who needs the memory gets it, and is not killed. */
static void no_kill(void)
{
	const size_t bytes = 256 << 20;
	const unsigned int before = freed();
	struct owner o = die((struct owner){ .keep = 1, .bytes = bytes });
	size_t len = memory("MemAvailable:") + bytes / 2;

	dev_in_child(take, &len);
	EXPECT(!is_kept(o.session));
	EXPECT_EQ(freed(), before + 1);
}

/* Left for the module to free when it goes. */
static void leave(void)
{
	die((struct owner){ .keep = 1, .has_kernel = 1 });
	expect_sessions(1, 1);
}

int main(int argc, char **argv)
{
	static const struct dev_test tests[] = {
		{ "errors", errors },
		{ "life", life },
		{ "ends", ends },
		{ "too_many", too_many },
		{ "rights", rights },
		{ "bound", bound },
		{ "memory_short", memory_short },
		{ "no_kill", no_kill },
		{ "leave", leave },
	};

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return dev_main(argc, argv, tests, NELEM(tests));
}
