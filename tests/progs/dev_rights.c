// SPDX-License-Identifier: GPL-2.0
/*
 * dev_rights.c - who may do what with /dev/ktrace: prints the table of security.md
 *
 * Each cell is tried for real: a child becomes the actor and does the action, which gives
 * 0 or an errno. Before, as root: a session of root, a session of user OWNER, and a
 * process of a stranger. The device is given to group MEMBERS meanwhile.
 */
#include <sched.h>
#include "dev_actors.h"

/* What actions are done to. */
static struct {
	__u64 root_session, owner_session;
	__u64 kept_session;	/* the owner's, who had CAP_PERFMON then */
	int owner_fd;		/* of the owner's session */
	pid_t stranger;
} world;

/* ---- actors ---- */

static void be_root(void)
{
}

static void be_root_without_capabilities(void)
{
	keep_capabilities(0);
}

static void be_owner(void)
{
	become(OWNER, MEMBERS);
}

static void be_member(void)
{
	become(MEMBER, MEMBERS);
}

static void be_stranger(void)
{
	become(STRANGER, STRANGER);
}

static void be_with_perfmon(unsigned int uid)
{
	EXPECT_ERRNO(prctl(PR_SET_KEEPCAPS, 1), 0);
	become(uid, MEMBERS);
	keep_capabilities(1ull << CAP_PERFMON);
}

static void be_member_with_perfmon(void)
{
	be_with_perfmon(MEMBER);
}

static void be_root_of_namespace(void)
{
	int fd;

	become(OWNER, MEMBERS);
	EXPECT_ERRNO(prctl(PR_SET_DUMPABLE, 1), 0);
	EXPECT_ERRNO(unshare(CLONE_NEWUSER), 0);
	fd = open("/proc/self/uid_map", O_WRONLY);
	EXPECT_EQ(write(fd, "0 1234 1", 8), 8);
	close(fd);
	EXPECT_EQ(geteuid(), 0);
}

static const struct {
	const char *name;
	void (*be)(void);
} actors[] = {
	{ "root", be_root },
	{ "root, no caps", be_root_without_capabilities },
	{ "owner", be_owner },
	{ "owner's ns root", be_root_of_namespace },
	{ "member", be_member },
	{ "member + PERFMON", be_member_with_perfmon },
	{ "non-member", be_stranger },
};

/* ---- actions: 0 or errno ---- */

#define TRY(call)                                       \
	do {                                            \
		if ((long)(call) == -1)                 \
			return errno;                   \
	} while (0)

static int fd_of_mine = -1;
static struct dev_channel mine;

static int open_device(void)
{
	TRY(fd_of_mine = open("/dev/ktrace", O_RDWR | O_CLOEXEC));
	return 0;
}

static int make_session(unsigned int kind)
{
	int err = open_device();

	if (err)
		return err;
	mine.spec = dev_spec(kind);
	TRY(ioctl(fd_of_mine, KTRACE_IOC_CHANNEL, &mine.spec));
	dev_map_owner(fd_of_mine, &mine);
	return 0;
}

static int user_session(void)
{
	return make_session(KTRACE_CHANNEL_USER);
}

static int kernel_session(void)
{
	return make_session(KTRACE_CHANNEL_KERNEL);
}

static int too_large_a_session(void)
{
	struct ktrace_channel_spec spec = dev_spec(KTRACE_CHANNEL_USER);
	int err = open_device();

	if (err)
		return err;
	spec.ring_size = 1ull << 30;
	TRY(ioctl(fd_of_mine, KTRACE_IOC_CHANNEL, &spec));
	return 0;
}

static int follow(__s32 pid)
{
	int err = kernel_session();

	if (err)
		return err;
	TRY(ioctl(fd_of_mine, KTRACE_IOC_FOLLOW, &pid));
	return 0;
}

static int follow_self(void)
{
	return follow(getpid());
}

static int follow_stranger(void)
{
	return follow(world.stranger);
}

static int follow_all(void)
{
	return follow(KTRACE_FOLLOW_ALL);
}

/* The first that there is: numbers have gaps, and names are in files that not all may read. */
static int map_tracepoint(void)
{
	struct ktrace_tracepoint t = { .size = sizeof(t), .number = 2 };
	int err = kernel_session();

	if (err)
		return err;
	while (ioctl(fd_of_mine, KTRACE_IOC_TRACEPOINT, &t)) {
		if (errno != EINVAL || t.number == 10000)
			return errno;
		t.number++;
	}
	return 0;
}

static int log_events(void)
{
	struct ktrace_enable on = { .id = KTRACE_EV_LOGEVENT, .on = 1 };
	int err = kernel_session();

	if (err)
		return err;
	TRY(ioctl(fd_of_mine, KTRACE_IOC_ENABLE, &on));
	TRY(ioctl(fd_of_mine, KTRACE_IOC_START));
	TRY(ioctl(fd_of_mine, KTRACE_IOC_STOP));
	return 0;
}

static int map_mine(__u64 off, int prot)
{
	return mmap(NULL, 4096, prot, MAP_SHARED, fd_of_mine, (off_t)(mine.spec.map_off + off)) ==
	       MAP_FAILED ? errno : 0;
}

static int write_own_user_ring(void)
{
	int err = user_session();

	return err ? err : map_mine(mine.control->rings_off, PROT_READ | PROT_WRITE);
}

static int write_own_control(void)
{
	int err = user_session();

	return err ? err : map_mine(0, PROT_READ | PROT_WRITE);
}

static int read_kernel_ring(void)
{
	int err = kernel_session();

	return err ? err : map_mine(mine.control->rings_off, PROT_READ);
}

static int write_kernel_ring(void)
{
	int err = kernel_session();

	return err ? err : map_mine(mine.control->rings_off, PROT_READ | PROT_WRITE);
}

static int write_kernel_tail(void)
{
	int err = kernel_session();

	return err ? err : map_mine(mine.control->tail_off, PROT_READ | PROT_WRITE);
}

static int attach(__u64 session)
{
	struct ktrace_attach a;
	int err = open_device();

	if (err)
		return err;
	TRY(dev_attach(fd_of_mine, session, &a));
	mine.spec.map_off = a.map_off;
	mine.control = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd_of_mine, (off_t)a.map_off);
	return mine.control == MAP_FAILED ? errno : 0;
}

static int attach_to_root(void)
{
	return attach(world.root_session);
}

static int attach_to_owner(void)
{
	return attach(world.owner_session);
}

static int write_attached_ring(void)
{
	int err = attach_to_owner();

	return err ? err : map_mine(mine.control->rings_off, PROT_READ | PROT_WRITE);
}

static int write_attached_control(void)
{
	int err = attach_to_owner();

	return err ? err : map_mine(0, PROT_READ | PROT_WRITE);
}

static int start_attached(void)
{
	int err = attach_to_owner();

	if (err)
		return err;
	TRY(ioctl(fd_of_mine, KTRACE_IOC_START));
	return 0;
}

/* A descriptor that was given away is used with its rights, not with the user's. */
static int start_by_descriptor(void)
{
	TRY(ioctl(world.owner_fd, KTRACE_IOC_START));
	TRY(ioctl(world.owner_fd, KTRACE_IOC_STOP));
	return 0;
}

/* It is kept again when we go. */
static int adopt(void)
{
	struct ktrace_adopt a = { .size = sizeof(a), .session = world.kept_session };
	int err = open_device();

	if (err)
		return err;
	TRY(ioctl(fd_of_mine, KTRACE_IOC_ADOPT, &a));
	return 0;
}

static int unload(void)
{
	TRY(syscall(SYS_delete_module, "ktrace", O_NONBLOCK));
	return 0;
}

static const struct {
	const char *name;
	int (*act)(void);
	char group_kernel;
} actions[] = {
	{ "open the device", open_device, '0' },
	{ "own a session", user_session, '0' },
	{ "more memory than the limits", too_large_a_session, '0' },
	{ "write its control area, tails", write_own_control, '0' },
	{ "write its user rings", write_own_user_ring, '0' },
	{ "attach to the owner's session", attach_to_owner, '0' },
	{ "write its user rings, attached", write_attached_ring, '0' },
	{ "write its control area, attached", write_attached_control, '0' },
	{ "start it, attached", start_attached, '0' },
	{ "start it by a descriptor given away", start_by_descriptor, '0' },
	{ "attach to root's session", attach_to_root, '0' },
	{ "kernel events", kernel_session, '0' },
	{ "read the kernel ring", read_kernel_ring, '0' },
	{ "write the kernel ring", write_kernel_ring, '0' },
	{ "write the kernel ring's tail", write_kernel_tail, '0' },
	{ "TRACER_LOGEVENT()", log_events, '0' },
	{ "follow a process of its own", follow_self, '0' },
	{ "follow another user's process", follow_stranger, '0' },
	{ "follow all", follow_all, '0' },
	{ "record a tracepoint", map_tracepoint, '0' },
	{ "kernel events", kernel_session, '1' },
	{ "write the kernel ring", write_kernel_ring, '1' },
	{ "TRACER_LOGEVENT()", log_events, '1' },
	{ "follow a process of its own", follow_self, '1' },
	{ "follow another user's process", follow_stranger, '1' },
	{ "follow all", follow_all, '1' },
	{ "record a tracepoint", map_tracepoint, '1' },
	{ "adopt the owner's, of all users' events", adopt, '1' },
	{ "unload the module in use", unload, '0' },
};

/* ---- the table ---- */

static const char *try_cell(void (*be)(void), int (*act)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		be();
		_exit(act());
	}
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT(WIFEXITED(status));
	return WEXITSTATUS(status) ? strerrorname_np(WEXITSTATUS(status)) : "yes";
}

static void print_table(void)
{
	size_t i, j;

	printf("| `group_kernel` | action |");
	for (j = 0; j < NELEM(actors); j++)
		printf(" %s |", actors[j].name);
	printf("\n|---|---|");
	for (j = 0; j < NELEM(actors); j++)
		printf("---|");
	for (i = 0; i < NELEM(actions); i++) {
		set_group_kernel(actions[i].group_kernel);
		printf("\n| %c | %s |", actions[i].group_kernel, actions[i].name);
		for (j = 0; j < NELEM(actors); j++) {
			fflush(stdout);
			printf(" %s |", try_cell(actors[j].be, actions[i].act));
		}
	}
	putchar('\n');
	set_group_kernel('0');
}

/* A session whose descriptor is ours, made by a process that was user @uid then. */
static int make_session_as(unsigned int uid, __u64 *session)
{
	static struct dev_channel ch;
	int fd = dev_open();

	EXPECT_ERRNO(setresuid(-1, uid, -1), 0);
	ch.spec = dev_spec(KTRACE_CHANNEL_USER);
	dev_add_channel(fd, &ch);
	EXPECT_ERRNO(setresuid(-1, 0, -1), 0);
	*session = ch.control->session;
	return fd;
}

/* @id: shared with the caller */
static void make_kept_session(void *id)
{
	struct dev_channel ch = { .spec = dev_spec(KTRACE_CHANNEL_KERNEL) };
	__u32 keep = 1;
	int fd = dev_open();

	be_with_perfmon(OWNER);
	dev_add_channel(fd, &ch);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_KEEP, &keep), 0);
	*(__u64 *)id = ch.control->session;
}

static void free_kept_session(void)
{
	struct ktrace_adopt a = { .size = sizeof(a), .session = world.kept_session };
	__u32 keep = 0;
	int fd = dev_open();

	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_ADOPT, &a), 0);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_KEEP, &keep), 0);
	close(fd);
}

int main(void)
{
	__u64 *kept;
	int root_fd;

	give_device(MEMBERS);
	root_fd = make_session_as(0, &world.root_session);
	world.owner_fd = make_session_as(OWNER, &world.owner_session);
	kept = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	dev_in_child(make_kept_session, kept);
	world.kept_session = *kept;
	world.stranger = fork();
	if (!world.stranger) {
		be_stranger();
		pause();
		_exit(0);
	}
	print_table();
	kill(world.stranger, SIGKILL);
	waitpid(world.stranger, NULL, 0);
	give_device(0);
	close(root_fd);
	free_kept_session();
	return 0;
}
