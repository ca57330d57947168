// SPDX-License-Identifier: GPL-2.0
/*
 * dev_passed.c - what descriptors of /dev/ktrace are worth to others: prints a table of security.md
 *
 *   dev_passed [flight]
 *
 * Each cell is tried twice, each time with a new descriptor: it is passed to another user by
 * SCM_RIGHTS, and its maker becomes that user, which loses groups and capabilities. Both ways have
 * the same result: 0 or an errno.
 *
 * With flight: a session whose descriptor is only in a socket, which is itself only in that socket,
 * ends.
 */
#include <linux/ktrace_context.h>
#include <linux/ktrace_exec.h>
#include <linux/ktrace_shark.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include "dev_actors.h"
#include "dev_pass.h"

/* What requests name. */
static struct {
	__u64 root_session, owner_session, kept_session;
} world;

/* ---- descriptors ---- */

static int make_session(uid_t user, unsigned int kind, __u64 *session)
{
	struct dev_channel ch = { .spec = dev_spec(kind) };
	int fd = dev_open();

	EXPECT_ERRNO(setresuid(-1, user, -1), 0);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_CHANNEL, &ch.spec), 0);
	EXPECT_ERRNO(setresuid(-1, 0, -1), 0);
	*session = dev_info(fd).session;
	return fd;
}

static int fresh(void)
{
	return dev_open();
}

static int session_of_root(void)
{
	__u64 unused;

	return make_session(0, KTRACE_CHANNEL_KERNEL, &unused);
}

static int session_of_owner(void)
{
	__u64 unused;

	return make_session(OWNER, KTRACE_CHANNEL_USER, &unused);
}

static int writer_of_owner(void)
{
	struct ktrace_attach a;
	int fd = dev_open();

	EXPECT_ERRNO(setresuid(-1, OWNER, -1), 0);
	EXPECT_ERRNO(dev_attach(fd, world.owner_session, &a), 0);
	EXPECT_ERRNO(setresuid(-1, 0, -1), 0);
	return fd;
}

static int sender(void)
{
	struct ktrace_shark_serve s = { .size = sizeof(s), .kinds = KTRACE_SHARK_TO_DISK };
	int fd = dev_open();

	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_SHARK_SENDER, &s), 0);
	return fd;
}

/* ---- who has them ---- */

static void be_stranger(void)
{
	become(STRANGER, STRANGER);
}

static void be_root(void)
{
}

static const struct {
	const char *name;
	int (*make)(void);
	void (*be)(void);
} columns[] = {
	{ "fresh, of root", fresh, be_stranger },
	{ "root's session", session_of_root, be_stranger },
	{ "owner's session", session_of_owner, be_stranger },
	{ "owner's writer", writer_of_owner, be_stranger },
	{ "root's sender", sender, be_stranger },
	{ "owner's session, to root", session_of_owner, be_root },
};

/* ---- requests: 0 or errno ---- */

static int ask(int fd, unsigned long request, const void *arg)
{
	return ioctl(fd, request, arg) ? errno : 0;
}

#define ASK(fd, request, type, ...) \
	ask(fd, request, &(struct type){ .size = sizeof(struct type), __VA_ARGS__ })

static int info(int fd)
{
	return ASK(fd, KTRACE_IOC_INFO, ktrace_info, .session = 0);
}

static int channel(int fd, unsigned int kind)
{
	struct ktrace_channel_spec spec = dev_spec(kind);

	return ask(fd, KTRACE_IOC_CHANNEL, &spec);
}

static int user_channel(int fd)
{
	return channel(fd, KTRACE_CHANNEL_USER);
}

static int kernel_channel(int fd)
{
	return channel(fd, KTRACE_CHANNEL_KERNEL);
}

static int start(int fd)
{
	return ask(fd, KTRACE_IOC_START, NULL);
}

static int stop(int fd)
{
	return ask(fd, KTRACE_IOC_STOP, NULL);
}

static int enable(int fd)
{
	return ask(fd, KTRACE_IOC_ENABLE,
		   &(struct ktrace_enable){ .id = KTRACE_EV_SYSCALL_ENTER, .on = 1 });
}

static int follow_all(int fd)
{
	return ask(fd, KTRACE_IOC_FOLLOW, &(__s32){ KTRACE_FOLLOW_ALL });
}

static int follow_init(int fd)
{
	return ask(fd, KTRACE_IOC_FOLLOW, &(__s32){ 1 });
}

static int filter(int fd)
{
	return ASK(fd, KTRACE_IOC_FILTER, ktrace_kernel_filter, .id = KTRACE_EV_SYSCALL_ENTER);
}

static int kernel_stacks(int fd)
{
	return ask(fd, KTRACE_IOC_CONTEXT,
		   &(struct ktrace_context){ KTRACE_EV_SYSCALL_ENTER, KTRACE_CONTEXT_KSTACK });
}

static int counter(int fd)
{
	return ASK(fd, KTRACE_IOC_COUNTER, ktrace_counter, .type = PERF_TYPE_SOFTWARE,
		   .config = PERF_COUNT_SW_PAGE_FAULTS);
}

static int stacks(int fd)
{
	__u64 room[64];

	return ASK(fd, KTRACE_IOC_STACKS, ktrace_stacks, .bytes = sizeof(room),
		   .buf = (uintptr_t)room);
}

/* The first that there is: numbers have gaps. */
static int tracepoint(int fd)
{
	__u32 number = 1;
	int err;

	do
		err = ASK(fd, KTRACE_IOC_TRACEPOINT, ktrace_tracepoint, .number = ++number);
	while (err == EINVAL && number < 10000);
	return err;
}

static int missed(int fd)
{
	return ASK(fd, KTRACE_IOC_MISSED, ktrace_missed, .id = KTRACE_EV_DYNAMIC);
}

static int exec(int fd)
{
	return ASK(fd, KTRACE_IOC_EXEC, ktrace_exec, .reserved = 0);
}

static int attach_root(int fd)
{
	return ASK(fd, KTRACE_IOC_ATTACH, ktrace_attach, .session = world.root_session);
}

static int attach_owner(int fd)
{
	return ASK(fd, KTRACE_IOC_ATTACH, ktrace_attach, .session = world.owner_session);
}

static int keep(int fd)
{
	return ask(fd, KTRACE_IOC_KEEP, &(__u32){ 0 });
}

static int kept(int fd)
{
	return ASK(fd, KTRACE_IOC_KEPT, ktrace_kept, .index = 0);
}

/* It is kept again when the descriptor is gone. */
static int adopt(int fd)
{
	return ASK(fd, KTRACE_IOC_ADOPT, ktrace_adopt, .session = world.kept_session);
}

static int become_sender(int fd)
{
	return ASK(fd, KTRACE_IOC_SHARK_SENDER, ktrace_shark_serve, .kinds = KTRACE_SHARK_TO_UDP);
}

static int next_chunk(int fd)
{
	return ASK(fd, KTRACE_IOC_SHARK_NEXT, ktrace_shark_job, .kind = 0);
}

static int end_chunk(int fd)
{
	return ask(fd, KTRACE_IOC_SHARK_END, &(struct ktrace_shark_end){ .job = 1 });
}

static int map(int fd, int prot)
{
	return mmap(NULL, 4096, prot, MAP_SHARED, fd, 0) == MAP_FAILED ? errno : 0;
}

static int read_control(int fd)
{
	return map(fd, PROT_READ);
}

static int write_control(int fd)
{
	return map(fd, PROT_READ | PROT_WRITE);
}

/* As another program may be told to. */
static int open_again(int fd)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDWR | O_CLOEXEC) < 0 ? errno : 0;
}

static const struct {
	const char *name;
	int (*ask)(int fd);
} rows[] = {
	{ "`INFO`", info },
	{ "`CHANNEL`, user", user_channel },
	{ "`CHANNEL`, kernel", kernel_channel },
	{ "`START`", start },
	{ "`STOP`", stop },
	{ "`ENABLE`", enable },
	{ "`FOLLOW` all", follow_all },
	{ "`FOLLOW` init", follow_init },
	{ "`FILTER`", filter },
	{ "`CONTEXT`, kernel stacks", kernel_stacks },
	{ "`COUNTER`", counter },
	{ "`STACKS`", stacks },
	{ "`TRACEPOINT`", tracepoint },
	{ "`MISSED`", missed },
	{ "`EXEC`", exec },
	{ "`ATTACH` to root's session", attach_root },
	{ "`ATTACH` to the owner's", attach_owner },
	{ "`KEEP`", keep },
	{ "`KEPT`: root's", kept },
	{ "`ADOPT` root's", adopt },
	{ "`SHARK_SENDER`", become_sender },
	{ "`SHARK_NEXT`", next_chunk },
	{ "`SHARK_END`", end_chunk },
	{ "map the control area", read_control },
	{ "the same, to write", write_control },
	{ "open it again: `/proc/self/fd`", open_again },
};

/* ---- the table ---- */

enum { TRIED = 100 };	/* and the errno: a check that fails ends with 1 */

static int result_of(pid_t pid)
{
	int status;

	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) >= TRIED);
	return WEXITSTATUS(status) - TRIED;
}

static int try_passed(size_t column, size_t row)
{
	int ends[2], fd;
	pid_t pid;

	EXPECT_ERRNO(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	pid = fork();
	if (!pid) {
		close(ends[1]);
		columns[column].be();
		fd = receive_fd(ends[0]);
		EXPECT(fd >= 0);
		_exit(TRIED + rows[row].ask(fd));
	}
	close(ends[0]);
	fd = columns[column].make();
	send_fd(ends[1], fd);
	close(fd);
	close(ends[1]);
	return result_of(pid);
}

static int try_dropped(size_t column, size_t row)
{
	pid_t pid = fork();
	int fd;

	if (!pid) {
		fd = columns[column].make();
		columns[column].be();
		_exit(TRIED + rows[row].ask(fd));
	}
	return result_of(pid);
}

static void print_table(void)
{
	size_t i, j;

	printf("| request |");
	for (j = 0; j < NELEM(columns); j++)
		printf(" %s |", columns[j].name);
	printf("\n|---|");
	for (j = 0; j < NELEM(columns); j++)
		printf("---|");
	for (i = 0; i < NELEM(rows); i++) {
		printf("\n| %s |", rows[i].name);
		for (j = 0; j < NELEM(columns); j++) {
			int err;

			fflush(stdout);
			err = try_passed(j, i);
			EXPECT_EQ(try_dropped(j, i), err);
			printf(" %s |", err ? strerrorname_np(err) : "yes");
		}
	}
	putchar('\n');
}

/* @id: shared with the caller */
static void make_kept_session(void *id)
{
	int fd = make_session(0, KTRACE_CHANNEL_USER, id);
	__u32 on = 1;

	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_KEEP, &on), 0);
}

static void free_kept_session(void)
{
	int fd = dev_open();

	EXPECT_EQ(adopt(fd), 0);
	EXPECT_EQ(keep(fd), 0);
	close(fd);
}

/* ---- in flight ---- */

/* Garbage that the kernel finds when sockets are closed, or soon after. */
static void flight(void)
{
	const unsigned int before = dev_info(dev_open()).sessions;
	int ends[2], other[2], fd, watch = dev_open();
	__u64 session;

	EXPECT_ERRNO(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends), 0);
	fd = make_session(0, KTRACE_CHANNEL_KERNEL, &session);
	EXPECT_EQ(enable(fd), 0);
	EXPECT_EQ(start(fd), 0);
	send_fd(ends[0], fd);
	send_fd(ends[0], ends[0]);
	send_fd(ends[0], ends[1]);
	close(fd);
	EXPECT_EQ(dev_info(watch).sessions, before + 1);
	close(ends[0]);
	close(ends[1]);
	while (dev_info(watch).sessions != before) {
		EXPECT_ERRNO(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, other), 0);
		send_fd(other[0], other[0]);
		close(other[0]);
		close(other[1]);
		usleep(10000);
	}
}

int main(int argc, char **argv)
{
	int root_fd, owner_fd;
	__u64 *id;

	if (argc == 2 && !strcmp(argv[1], "flight")) {
		flight();
		return 0;
	}
	give_device(MEMBERS);
	root_fd = make_session(0, KTRACE_CHANNEL_USER, &world.root_session);
	owner_fd = make_session(OWNER, KTRACE_CHANNEL_USER, &world.owner_session);
	id = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	EXPECT(id != MAP_FAILED);
	dev_in_child(make_kept_session, id);
	world.kept_session = *id;
	print_table();
	give_device(0);
	close(root_fd);
	close(owner_fd);
	free_kept_session();
	return 0;
}
