// SPDX-License-Identifier: GPL-2.0
/* dev_ioctl.c - every ioctl of /dev/ktrace with every errno that is documented for it */
#include "dev.h"

#include <linux/ktrace_exec.h>
#include <sys/wait.h>

static const unsigned int uid = 12345;

static int try_spec(int fd, struct ktrace_channel_spec *spec)
{
	return ioctl(fd, KTRACE_IOC_CHANNEL, spec);
}

/* A fresh descriptor each time, so that one refusal does not hide another. */
static void refuse_spec(const struct ktrace_channel_spec *spec, int err)
{
	struct ktrace_channel_spec copy = *spec;
	int fd = dev_open();

	EXPECT_ERRNO(try_spec(fd, &copy), err);
	EXPECT_EQ(dev_info(fd).session, 0);
	close(fd);
}

#define REFUSE(kind_, field, value, err)                                \
	do {                                                            \
		struct ktrace_channel_spec spec_ = dev_spec(kind_);     \
		spec_.field = (value);                                  \
		refuse_spec(&spec_, err);                               \
	} while (0)

static void channel_geometry(void)
{
	const unsigned int kinds[] = { KTRACE_CHANNEL_KERNEL, KTRACE_CHANNEL_USER };
	size_t i;

	for (i = 0; i < NELEM(kinds); i++) {
		refuse_spec(&(struct ktrace_channel_spec){
				    .size = sizeof(struct ktrace_channel_spec) },
			    EINVAL);
		REFUSE(kinds[i], ring_size, 0, EINVAL);
		REFUSE(kinds[i], ring_size, (1 << 20) + 8, EINVAL);
		REFUSE(kinds[i], ring_size, 1ull << 35, EINVAL);
		REFUSE(kinds[i], ring_size, ~0ull, EINVAL);
		REFUSE(kinds[i], ring_size, 1 << 15, EINVAL);	/* less than 4 blocks */
		REFUSE(kinds[i], block_size, 0, EINVAL);
		REFUSE(kinds[i], block_size, 2048, EINVAL);
		REFUSE(kinds[i], block_size, 5000, EINVAL);
		REFUSE(kinds[i], block_size, 1u << 31, EINVAL);
		REFUSE(kinds[i], policy, KTRACE_POLICY_NR, EINVAL);
		REFUSE(kinds[i], watermark, (1 << 19) + 1, EINVAL);
		REFUSE(kinds[i], reserved, 1, EINVAL);
	}
	REFUSE(KTRACE_CHANNEL_USER, kind, 2, EINVAL);
	REFUSE(KTRACE_CHANNEL_KERNEL, policy, KTRACE_POLICY_BLOCK, EINVAL);
	REFUSE(KTRACE_CHANNEL_KERNEL, thread_nr, 1, EINVAL);
	REFUSE(KTRACE_CHANNEL_KERNEL, thread_size, 1 << 16, EINVAL);
	REFUSE(KTRACE_CHANNEL_KERNEL, registry_size, 4096, EINVAL);
	REFUSE(KTRACE_CHANNEL_USER, registry_size, 0, EINVAL);
	REFUSE(KTRACE_CHANNEL_USER, registry_size, 4097, EINVAL);
	REFUSE(KTRACE_CHANNEL_USER, registry_size, 1ull << 62, EINVAL);
	REFUSE(KTRACE_CHANNEL_USER, thread_size, 3 << 14, EINVAL);
	REFUSE(KTRACE_CHANNEL_USER, thread_nr, ~0u, EINVAL);
	REFUSE(KTRACE_CHANNEL_USER, thread_nr, 0, EINVAL);	/* a size without a number */
}

static void sized_arguments(void)
{
	struct {
		struct ktrace_channel_spec spec;
		char more[64];
	} big = { .spec = dev_spec(KTRACE_CHANNEL_USER) };
	struct ktrace_channel_spec spec = dev_spec(KTRACE_CHANNEL_USER);
	struct ktrace_info info = { .size = sizeof(info) - 1 };
	int fd = dev_open();

	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_CHANNEL, NULL), EFAULT);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_ENABLE, NULL), EFAULT);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_FOLLOW, NULL), EFAULT);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_INFO, NULL), EFAULT);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_ATTACH, NULL), EFAULT);
	spec.size--;
	EXPECT_ERRNO(try_spec(fd, &spec), EINVAL);
	spec.size = 1 << 20;
	EXPECT_ERRNO(try_spec(fd, &spec), E2BIG);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_INFO, &info), EINVAL);
	big.spec.size = sizeof(big);
	big.more[3] = 1;
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_CHANNEL, &big), E2BIG);
	big.more[3] = 0;
	EXPECT_ERRNO(ioctl(fd, _IOWR('k', 0x40, big), &big), 0);
	EXPECT(big.spec.map_size);
}

static unsigned int next_exec(int fd, struct ktrace_exec *e)
{
	*e = (struct ktrace_exec){ .size = sizeof(*e) };
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_EXEC, e), 0);
	return e->flags;
}

static void execs(void)
{
	struct dev_channel kernel = { .spec = dev_spec(KTRACE_CHANNEL_KERNEL) };
	struct dev_channel user = { .spec = dev_spec(KTRACE_CHANNEL_USER) };
	struct ktrace_exec e = { .size = sizeof(e) };
	int fd = dev_open(), writer = dev_open();
	struct ktrace_attach attach;
	int pid;

	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_EXEC, &e), EINVAL);
	dev_add_channel(fd, &kernel);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_EXEC, &e), EINVAL);	/* no user channel */
	dev_add_channel(fd, &user);
	e.reserved = 1;
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_EXEC, &e), EINVAL);
	e = (struct ktrace_exec){ .size = sizeof(e) - 1 };
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_EXEC, &e), EINVAL);
	EXPECT_EQ(dev_attach(writer, dev_info(fd).session, &attach), 0);
	e.size = sizeof(e);
	EXPECT_ERRNO(ioctl(writer, KTRACE_IOC_EXEC, &e), EPERM);
	EXPECT_EQ(next_exec(fd, &e), KTRACE_EXEC_NONE);
	pid = fork();
	if (!pid) {
		execle("/bin/true", "true", NULL, (char *[]){ "KTRACE_SESSION=x", NULL });
		_exit(1);
	}
	EXPECT_EQ(waitpid(pid, NULL, 0), pid);
	EXPECT_EQ(next_exec(fd, &e), KTRACE_EXEC_NO_LIBRARY);
	EXPECT_EQ(e.pid, pid);
	EXPECT(!strcmp(e.comm, "true") && !strcmp(e.name, "/bin/true"));
	EXPECT_EQ(e.lost, 0);
	EXPECT(e.limit == ~0ull && e.used);
	EXPECT_EQ(next_exec(fd, &e), KTRACE_EXEC_NONE);
	EXPECT(mmap(NULL, attach.map_size, PROT_READ, MAP_SHARED, writer,
		    (off_t)attach.map_off) != MAP_FAILED);
	EXPECT_EQ(next_exec(fd, &e), KTRACE_EXEC_NONE);
	EXPECT(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, writer,
		    (off_t)(attach.map_off + user.control->registry_off)) != MAP_FAILED);
	EXPECT_EQ(next_exec(fd, &e), KTRACE_EXEC_ATTACHED);
	EXPECT_EQ(e.pid, getpid());
	close(fd);
	close(writer);
}

static void unknown(void)
{
	int fd = dev_open();

	EXPECT_ERRNO(ioctl(fd, _IO('k', 0x7f), 0), ENOTTY);
	EXPECT_ERRNO(ioctl(fd, _IO('x', 0x41), 0), ENOTTY);
	EXPECT_ERRNO(ioctl(fd, _IOW('k', 0x43, __u64), 0), ENOTTY);
	EXPECT_ERRNO(ioctl(fd, _IOR('k', 0x45, struct ktrace_info), 0), ENOTTY);
}

/* Roles: fresh, owner, writer. */
static void roles(void)
{
	struct dev_channel user = { .spec = dev_spec(KTRACE_CHANNEL_USER) };
	struct ktrace_channel_spec spec = user.spec;
	struct ktrace_enable enable = { .id = KTRACE_EV_SCHED_SWITCH, .on = 1 };
	struct ktrace_attach a;
	__s32 all = KTRACE_FOLLOW_ALL;
	int owner = dev_open(), writer = dev_open(), fresh = dev_open();

	dev_add_channel(owner, &user);
	EXPECT_ERRNO(dev_attach(owner, dev_info(owner).session, &a), EBUSY);
	EXPECT_ERRNO(dev_attach(writer, dev_info(owner).session, &a), 0);
	EXPECT_EQ(a.map_off, user.spec.map_off);
	EXPECT_EQ(a.map_size, user.spec.map_size);
	EXPECT_ERRNO(dev_attach(writer, dev_info(owner).session, &a), EBUSY);
	EXPECT_EQ(dev_info(writer).session, dev_info(owner).session);

	EXPECT_ERRNO(try_spec(writer, &spec), EPERM);
	EXPECT_ERRNO(ioctl(writer, KTRACE_IOC_START), EPERM);
	EXPECT_ERRNO(ioctl(writer, KTRACE_IOC_STOP), EPERM);
	EXPECT_ERRNO(ioctl(writer, KTRACE_IOC_ENABLE, &enable), EPERM);
	EXPECT_ERRNO(ioctl(writer, KTRACE_IOC_FOLLOW, &all), EPERM);

	EXPECT_ERRNO(ioctl(fresh, KTRACE_IOC_START), EINVAL);
	EXPECT_ERRNO(ioctl(fresh, KTRACE_IOC_STOP), EINVAL);
	EXPECT_ERRNO(ioctl(fresh, KTRACE_IOC_ENABLE, &enable), EINVAL);
	EXPECT_ERRNO(ioctl(fresh, KTRACE_IOC_FOLLOW, &all), EINVAL);
	EXPECT_EQ(dev_poll(fresh, 0), POLLERR);
	EXPECT_EQ(dev_poll(writer, 0), POLLERR);
}

static void start_stop(void)
{
	struct dev_channel user = { .spec = dev_spec(KTRACE_CHANNEL_USER) };
	struct ktrace_channel_spec spec = user.spec;
	int fd = dev_open();

	dev_add_channel(fd, &user);
	EXPECT_EQ(user.control->state, KTRACE_STATE_SUSPENDED);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_STOP), 0);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_START), 0);
	EXPECT_EQ(user.control->state, KTRACE_STATE_RUNNING);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_START), 0);
	EXPECT_ERRNO(try_spec(fd, &spec), EBUSY);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_STOP), 0);
	EXPECT_EQ(user.control->state, KTRACE_STATE_SUSPENDED);
	EXPECT_ERRNO(try_spec(fd, &spec), EBUSY);
}

static void enable_errors(void)
{
	struct dev_channel kernel = { .spec = dev_spec(KTRACE_CHANNEL_KERNEL) };
	const __u8 *shown;
	struct ktrace_enable e = { .id = KTRACE_EV_SCHED_EXEC, .on = 2 };
	const __u16 none[] = { 0, 1, KTRACE_EV_LOGEVENT - 1, KTRACE_EV_LOGEVENT + 1,
			       KTRACE_EV_SCHED_COMM + 1, KTRACE_EV_FUTEX_EXIT + 1, 1023, 1024,
			       0xffff };
	int fd = dev_open();
	size_t i;

	dev_add_channel(fd, &kernel);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_ENABLE, &e), EINVAL);
	for (i = 0; i < NELEM(none); i++) {
		e = (struct ktrace_enable){ .id = none[i], .on = 1 };
		EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_ENABLE, &e), EINVAL);
	}
	shown = (const __u8 *)kernel.map + kernel.control->enable_off;
	for (i = 0; i < 2; i++) {
		dev_enable(fd, KTRACE_EV_SCHED_EXEC, 1);
		EXPECT_EQ(shown[KTRACE_EV_SCHED_EXEC], 1);
	}
	for (i = 0; i < 2; i++) {
		dev_enable(fd, KTRACE_EV_SCHED_EXEC, 0);
		EXPECT_EQ(shown[KTRACE_EV_SCHED_EXEC], 0);
	}
}

static void follow_errors(void)
{
	struct dev_channel kernel = { .spec = dev_spec(KTRACE_CHANNEL_KERNEL) };
	int fd = dev_open(), user_only = dev_open();
	struct dev_channel user = { .spec = dev_spec(KTRACE_CHANNEL_USER) };
	__s32 pid = -1;

	dev_add_channel(user_only, &user);
	EXPECT_ERRNO(ioctl(user_only, KTRACE_IOC_FOLLOW, &pid), EINVAL);
	dev_add_channel(fd, &kernel);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_FOLLOW, &pid), EINVAL);
	pid = 0x3ffffe;
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_FOLLOW, &pid), ESRCH);
	pid = fork();
	if (!pid)
		_exit(0);
	waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_FOLLOW, &pid), ESRCH);	/* a zombie */
	EXPECT_EQ(dev_info(fd).followed, 0);
	waitpid(pid, NULL, 0);
	dev_follow(fd, getpid());
	dev_follow(fd, getpid());
	EXPECT_EQ(dev_info(fd).followed, 1);
	dev_follow(fd, KTRACE_FOLLOW_ALL);
}

static void attach_errors(void)
{
	struct dev_channel kernel = { .spec = dev_spec(KTRACE_CHANNEL_KERNEL) };
	struct ktrace_attach a = { .size = sizeof(a) - 1 };
	int owner = dev_open(), fd = dev_open();

	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_ATTACH, &a), EINVAL);
	EXPECT_ERRNO(dev_attach(fd, 1, &a), ENOENT);
	EXPECT_ERRNO(dev_attach(fd, 0, &a), ENOENT);
	dev_add_channel(owner, &kernel);
	EXPECT_ERRNO(dev_attach(fd, dev_info(owner).session, &a), ENXIO);
	EXPECT_EQ(dev_info(fd).session, 0);
}

struct peer {
	int fd;
	__u64 session;
	int err;
	pid_t other;	/* our user's, but for its effective user */
};

static void attach_as_user(void *arg)
{
	const struct peer *p = arg;
	struct ktrace_attach a;

	dev_become_user(uid);
	EXPECT_ERRNO(dev_attach(p->fd, p->session, &a), p->err);
}

static void attach_as_root_to_user(void *arg)
{
	struct dev_channel user = { .spec = dev_spec(KTRACE_CHANNEL_USER) };
	int *pipe_fd = arg;
	__u64 session;

	dev_become_user(uid);
	dev_add_channel(pipe_fd[2], &user);
	session = dev_info(pipe_fd[2]).session;
	EXPECT_EQ(write(pipe_fd[1], &session, sizeof(session)), sizeof(session));
	pause();
}

/* Descriptors are opened as root, as if the group allowed it, and used as a user. */
static void credentials(void)
{
	struct dev_channel user = { .spec = dev_spec(KTRACE_CHANNEL_USER) };
	struct ktrace_attach a;
	int owner = dev_open(), pipe_fd[3];
	__u64 session;
	pid_t pid;

	dev_add_channel(owner, &user);
	dev_in_child(attach_as_user, &(struct peer){ dev_open(), dev_info(owner).session, 0, 0 });

	EXPECT_ERRNO(pipe(pipe_fd), 0);
	pipe_fd[2] = dev_open();
	pid = fork();
	if (!pid)
		attach_as_root_to_user(pipe_fd);
	EXPECT_EQ(read(pipe_fd[0], &session, sizeof(session)), sizeof(session));
	EXPECT_ERRNO(dev_attach(dev_open(), session, &a), EPERM);
	dev_in_child(attach_as_user, &(struct peer){ dev_open(), session, 0, 0 });
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void kernel_as_user(void *arg)
{
	const struct peer *p = arg;
	struct ktrace_channel_spec spec = dev_spec(KTRACE_CHANNEL_KERNEL);
	__s32 pid;

	dev_become_user(uid);
	EXPECT_ERRNO(try_spec(p->fd, &spec), p->err);
	if (p->err)
		return;
	pid = KTRACE_FOLLOW_ALL;
	EXPECT_ERRNO(ioctl(p->fd, KTRACE_IOC_FOLLOW, &pid), EPERM);
	pid = getppid();
	EXPECT_ERRNO(ioctl(p->fd, KTRACE_IOC_FOLLOW, &pid), EPERM);
	pid = p->other;
	EXPECT_ERRNO(ioctl(p->fd, KTRACE_IOC_FOLLOW, &pid), EPERM);
	pid = getpid();
	EXPECT_ERRNO(ioctl(p->fd, KTRACE_IOC_FOLLOW, &pid), 0);
}

static void set_parameter(const char *name, const char *value)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/sys/module/ktrace/parameters/%s", name);
	fd = open(path, O_WRONLY);
	EXPECT(fd >= 0);
	EXPECT_EQ(write(fd, value, strlen(value)), strlen(value));
	close(fd);
}

/* What a set-user-id program of the user is to others. */
static pid_t start_set_user_id(void)
{
	int ready[2];
	char byte;
	pid_t pid;

	EXPECT_ERRNO(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		EXPECT_ERRNO(setresuid(uid, 0, 0), 0);
		EXPECT_EQ(write(ready[1], "x", 1), 1);
		pause();
	}
	EXPECT_EQ(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void kernel_privilege(void)
{
	pid_t other = start_set_user_id();

	dev_in_child(kernel_as_user, &(struct peer){ .fd = dev_open(), .err = EPERM });
	set_parameter("group_kernel", "1");
	dev_in_child(kernel_as_user, &(struct peer){ .fd = dev_open(), .other = other });
	set_parameter("group_kernel", "0");
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
}

static void second_kernel_channel(void)
{
	struct dev_channel kernel = { .spec = dev_spec(KTRACE_CHANNEL_KERNEL) };
	struct ktrace_channel_spec spec = kernel.spec;
	int fd = dev_open();

	dev_add_channel(fd, &kernel);
	EXPECT_ERRNO(try_spec(fd, &spec), EBUSY);
}

static void too_many(void)
{
	struct ktrace_channel_spec spec = dev_spec(KTRACE_CHANNEL_USER);
	int fds[8], fd = dev_open(), i;

	for (i = 0; i < 8; i++) {
		fds[i] = dev_open();
		EXPECT_ERRNO(try_spec(fds[i], &spec), 0);
		EXPECT_EQ(spec.map_off, 0);
	}
	EXPECT_ERRNO(try_spec(fd, &spec), EBUSY);
	close(fds[0]);
	EXPECT_ERRNO(try_spec(fd, &spec), 0);
	for (i = 1; i < 8; i++) {
		EXPECT_ERRNO(try_spec(fd, &spec), 0);
		EXPECT_EQ(spec.map_off, (__u64)i << KTRACE_MAP_SHIFT);
	}
	EXPECT_ERRNO(try_spec(fd, &spec), ENOSPC);
}

/* Other users take all @nr places there are for channels of a kind; root has its own. */
static void fill(unsigned int kind, int nr)
{
	struct ktrace_channel_spec spec = dev_spec(kind);
	int fds[64], fd = dev_open(), i;

	EXPECT((size_t)nr <= NELEM(fds));
	for (i = 0; i < nr; i++) {
		fds[i] = dev_open();
		EXPECT_ERRNO(seteuid(2000 + (uid_t)i / 8), 0);
		EXPECT_ERRNO(try_spec(fds[i], &spec), 0);
		EXPECT_ERRNO(seteuid(0), 0);
	}
	EXPECT_ERRNO(seteuid(3000), 0);
	EXPECT_ERRNO(try_spec(fd, &spec), EBUSY);
	EXPECT_ERRNO(seteuid(0), 0);
	EXPECT_ERRNO(try_spec(fd, &spec), 0);
	for (i = 0; i < nr; i++)
		close(fds[i]);
	close(fd);
}

static void places(void)
{
	fill(KTRACE_CHANNEL_USER, 64);
	set_parameter("group_kernel", "1");
	fill(KTRACE_CHANNEL_KERNEL, 16);
	set_parameter("group_kernel", "0");
}

static void limits(void)
{
	struct ktrace_channel_spec spec = dev_spec(KTRACE_CHANNEL_USER);
	int fds[4] = { dev_open(), dev_open(), dev_open(), dev_open() };
	unsigned int cpu_nr = (unsigned int)sysconf(_SC_NPROCESSORS_CONF);

	EXPECT(cpu_nr < 6);
	set_parameter("max_session_mb", "8");
	set_parameter("max_user_mb", "14");
	spec.thread_nr = 8 - cpu_nr;			/* rings of 1 MiB, and a bit more */
	spec.thread_size = 1 << 20;
	EXPECT_ERRNO(try_spec(fds[0], &spec), EDQUOT);
	spec.thread_nr = 6 - cpu_nr;
	EXPECT_ERRNO(try_spec(fds[0], &spec), 0);
	EXPECT_ERRNO(try_spec(fds[0], &spec), EDQUOT);	/* the session */
	EXPECT_ERRNO(try_spec(fds[1], &spec), 0);
	EXPECT_ERRNO(try_spec(fds[2], &spec), EDQUOT);	/* the user */
	close(fds[0]);
	EXPECT_ERRNO(try_spec(fds[2], &spec), 0);
	set_parameter("max_session_mb", "1024");
	set_parameter("max_user_mb", "2048");
}

/* More than there is: refused without harm to anybody else. */
static void no_memory(void)
{
	struct ktrace_channel_spec spec = dev_spec(KTRACE_CHANNEL_USER);
	int fd = dev_open();

	set_parameter("max_session_mb", "1000000");
	set_parameter("max_user_mb", "1000000");
	spec.ring_size = 1ull << 32;
	EXPECT_ERRNO(try_spec(fd, &spec), ENOMEM);
	spec.ring_size = 1 << 20;
	EXPECT_ERRNO(try_spec(fd, &spec), 0);
	set_parameter("max_session_mb", "1024");
	set_parameter("max_user_mb", "2048");
}

static void info(void)
{
	struct dev_channel user = { .spec = dev_spec(KTRACE_CHANNEL_USER) };
	int a = dev_open(), b = dev_open();
	struct ktrace_info i = dev_info(a);

	EXPECT_EQ(i.abi, KTRACE_ABI_VERSION);
	EXPECT_EQ(i.session, 0);
	dev_add_channel(a, &user);
	dev_add_channel(b, &user);
	EXPECT(dev_info(a).session != dev_info(b).session);
	EXPECT(dev_info(a).session);
	EXPECT_EQ(dev_info(b).session, user.control->session);
	EXPECT_EQ(dev_info(b).clock, user.control->clock);
	EXPECT_EQ(dev_info(b).writers, 0);
	EXPECT_EQ(dev_info(b).followed, 0);
	EXPECT_EQ(dev_info(b).lost_noring, 0);
}

int main(int argc, char **argv)
{
	static const struct dev_test tests[] = {
		{ "channel_geometry", channel_geometry },
		{ "sized_arguments", sized_arguments },
		{ "execs", execs },
		{ "unknown", unknown },
		{ "roles", roles },
		{ "start_stop", start_stop },
		{ "enable_errors", enable_errors },
		{ "follow_errors", follow_errors },
		{ "attach_errors", attach_errors },
		{ "credentials", credentials },
		{ "kernel_privilege", kernel_privilege },
		{ "second_kernel_channel", second_kernel_channel },
		{ "too_many", too_many },
		{ "places", places },
		{ "limits", limits },
		{ "no_memory", no_memory },
		{ "info", info },
	};

	return dev_main(argc, argv, tests, NELEM(tests));
}
