// SPDX-License-Identifier: GPL-2.0
/*
 * dev_exec.c - programs that run as somebody else, and sessions that may not see that
 *
 *   dev_exec TEST             run a test; group_kernel=1 must be set
 */
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <linux/capability.h>
#include "dev.h"

struct to_follow {
	const char *path;
	const char *arg;	/* NULL: none */
	bool is_undumpable;	/* before the program */
	unsigned int seen;	/* of exec and exit */
};

/* A program of the user's waits for a word on the pipe and becomes what is to be followed. */
static pid_t fork_program(const struct to_follow *what, const int *go, int out)
{
	pid_t pid = fork();
	char c;

	if (pid)
		return pid;
	dev_become_user(1234);
	EXPECT_EQ(read(go[0], &c, 1), 1);
	EXPECT_EQ(dup2(out, STDOUT_FILENO), STDOUT_FILENO);
	if (what->is_undumpable)
		EXPECT_ERRNO(prctl(PR_SET_DUMPABLE, 0), 0);
	execl(what->path, what->path, what->arg, NULL);
	_exit(127);
}

/*
 * Where a program has memory, and how often the kernel wrote there and faulted. It reads from the
 * program before, too, which has the same addresses where they are not random.
 */
struct places {
	struct {
		unsigned long begin, end;
	} maps[64];
	unsigned int nr;
	unsigned int faults;
};

static void read_places(struct places *p, FILE *maps)
{
	char line[512];

	while (fgets(line, sizeof(line), maps)) {
		EXPECT(p->nr < NELEM(p->maps));
		EXPECT_EQ(sscanf(line, "%lx-%lx", &p->maps[p->nr].begin, &p->maps[p->nr].end), 2);
		p->nr++;
	}
	EXPECT(p->nr);
}

static void see_fault(const struct dev_record *rec, void *arg)
{
	struct places *p = arg;
	struct ktrace_ev_fault fault;
	unsigned int i;

	if (rec->head.id != KTRACE_EV_FAULT_KERNEL)
		return;
	memcpy(&fault, rec->payload, sizeof(fault));
	if (fault.access != KTRACE_FAULT_WRITE)
		return;
	for (i = 0; i < p->nr; i++)
		p->faults += fault.address >= p->maps[i].begin && fault.address < p->maps[i].end;
}

/* Faults in the memory of a program that prints its map. */
static void fault_as_user(void *arg)
{
	const struct to_follow *what = arg;
	static struct places places;
	struct dev_channel ch;
	int fd = dev_open(), go[2], out[2], status;
	pid_t pid;

	EXPECT_ERRNO(pipe(go), 0);
	EXPECT_ERRNO(pipe(out), 0);
	pid = fork_program(what, go, out[1]);
	close(out[1]);
	dev_become_user(1234);
	ch = (struct dev_channel){ .spec = dev_spec(KTRACE_CHANNEL_KERNEL) };
	dev_add_channel(fd, &ch);
	dev_enable(fd, KTRACE_EV_FAULT_KERNEL, 1);
	while (ioctl(fd, KTRACE_IOC_FOLLOW, &pid))
		EXPECT_EQ(errno, EPERM);	/* not the user's yet */
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_START), 0);
	EXPECT_EQ(write(go[1], "x", 1), 1);
	read_places(&places, fdopen(out[0], "r"));
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_STOP), 0);
	dev_drain(&ch, see_fault, &places);
	EXPECT_EQ(dev_lost(&ch), 0);
	EXPECT_EQ(!!places.faults, what->seen);
}

struct lives {
	unsigned int calls;	/* of execve() */
	unsigned int execs;
	unsigned int exits;
};

static void see_life(const struct dev_record *rec, void *arg)
{
	struct lives *lives = arg;
	struct ktrace_ev_syscall_enter call;

	if (rec->head.id == KTRACE_EV_SYSCALL_ENTER) {
		memcpy(&call, rec->payload, sizeof(call));
		lives->calls += call.nr == SYS_execve;
	}
	lives->execs += rec->head.id == KTRACE_EV_SCHED_EXEC;
	lives->exits += rec->head.id == KTRACE_EV_SCHED_EXIT;
}

static void follow_as_user(void *arg)
{
	const struct to_follow *what = arg;
	struct lives lives = { 0 };
	struct dev_channel ch;
	int fd = dev_open(), go[2], status;
	pid_t pid;

	EXPECT_ERRNO(pipe(go), 0);
	pid = fork_program(what, go, STDOUT_FILENO);
	dev_become_user(1234);
	ch = (struct dev_channel){ .spec = dev_spec(KTRACE_CHANNEL_KERNEL) };
	dev_add_channel(fd, &ch);
	dev_enable(fd, KTRACE_EV_SYSCALL_ENTER, 1);
	dev_enable(fd, KTRACE_EV_SCHED_EXEC, 1);
	dev_enable(fd, KTRACE_EV_SCHED_EXIT, 1);
	while (ioctl(fd, KTRACE_IOC_FOLLOW, &pid))
		EXPECT_EQ(errno, EPERM);	/* not the user's yet */
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_START), 0);
	EXPECT_EQ(write(go[1], "x", 1), 1);
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	EXPECT(dev_poll(fd, 10000) & POLLHUP);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_STOP), 0);
	dev_drain(&ch, see_life, &lives);
	EXPECT_EQ(lives.calls, 1);
	EXPECT_EQ(lives.execs, what->seen);
	EXPECT_EQ(lives.exits, what->seen);
}

/* CAP_NET_RAW, as ping(8) has it. False: this kernel's file system keeps no such thing. */
static bool add_capability(const char *path)
{
	const struct vfs_cap_data data = {
		.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE,
		.data[0].permitted = 1u << CAP_NET_RAW,
	};

	if (!setxattr(path, "security.capability", &data, sizeof(data), 0))
		return true;
	EXPECT_EQ(errno, EOPNOTSUPP);
	return false;
}

static void copy_program(const char *from, const char *path, unsigned int uid, unsigned int gid,
			 unsigned int mode)
{
	char command[256];

	snprintf(command, sizeof(command), "cp %s %s", from, path);
	EXPECT_EQ(system(command), 0);
	EXPECT_ERRNO(chown(path, uid, gid), 0);
	EXPECT_ERRNO(chmod(path, mode), 0);
}

/*
 * Has @as_user look at a program as it is, which is seen, even if a process that is no longer
 * dumpable becomes it, and then as a set-user-ID and a set-group-ID one, and as one that the user
 * may not read; @has_capabilities: and with these.
 */
static void try_privileged(const char *program, const char *arg, void (*as_user)(void *),
			   bool has_capabilities)
{
	char dir[] = "/tmp/dev_exec.XXXXXX", path[64];
	struct to_follow what = { .path = path, .arg = arg, .seen = 1 };

	EXPECT(mkdtemp(dir));
	EXPECT_ERRNO(chmod(dir, 0755), 0);
	snprintf(path, sizeof(path), "%s/program", dir);
	copy_program(program, path, 0, 0, 0755);
	dev_in_child(as_user, &what);
	what.is_undumpable = true;
	dev_in_child(as_user, &what);
	what.is_undumpable = false;
	what.seen = 0;
	if (has_capabilities && add_capability(path))
		dev_in_child(as_user, &what);
	copy_program(program, path, 4321, 0, 04755);
	dev_in_child(as_user, &what);
	copy_program(program, path, 0, 4321, 02755);
	dev_in_child(as_user, &what);
	copy_program(program, path, 0, 0, 0711);
	dev_in_child(as_user, &what);
	unlink(path);
	rmdir(dir);
}

/*
 * A user's session loses sight of a program that begins to run as somebody else, or with
 * capabilities, or that the user may not read.
 */
static void leaves_privileged_programs_alone(void)
{
	try_privileged("/bin/true", NULL, follow_as_user, true);
}

/*
 * A user's session learns no address of such a program from what the kernel does for it before it
 * runs.
 */
static void leaves_privileged_memory_alone(void)
{
	if (!dev_has_faults())
		exit(DEV_SKIPPED);
	try_privileged("/bin/cat", "/proc/self/maps", fault_as_user, false);
}

/* A process of the user's; dumpable or not. Ends when its parent does. */
static pid_t fork_dumpable(bool is_dumpable)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	EXPECT_ERRNO(prctl(PR_SET_DUMPABLE, is_dumpable), 0);
	EXPECT_ERRNO(prctl(PR_SET_PDEATHSIG, SIGKILL), 0);
	EXPECT_ERRNO(raise(SIGSTOP), 0);
	_exit(0);
}

static void follow_dumpable(void *arg)
{
	struct dev_channel ch = { .spec = dev_spec(KTRACE_CHANNEL_KERNEL) };
	int fd = dev_open(), status, i;
	__s32 pid;

	(void)arg;
	dev_become_user(1234);
	dev_add_channel(fd, &ch);
	for (i = 0; i < 2; i++) {
		pid = fork_dumpable(i);
		EXPECT_EQ(waitpid(pid, &status, WUNTRACED), pid);
		EXPECT(WIFSTOPPED(status));
		EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_FOLLOW, &pid), i ? 0 : EPERM);
		EXPECT_EQ(dev_info(fd).followed, i);
		EXPECT_ERRNO(kill(pid, SIGKILL), 0);
		EXPECT_EQ(waitpid(pid, &status, 0), pid);
	}
	/* itself, whatever it is */
	pid = getpid();
	EXPECT_ERRNO(prctl(PR_SET_DUMPABLE, 0), 0);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_FOLLOW, &pid), 0);
}

/* A user's session does not follow what ptrace(2) and perf may not look into, either. */
static void leaves_undumpable_processes_alone(void)
{
	dev_in_child(follow_dumpable, NULL);
}

int main(int argc, char **argv)
{
	static const struct dev_test tests[] = {
		{ "leaves_privileged_programs_alone", leaves_privileged_programs_alone },
		{ "leaves_privileged_memory_alone", leaves_privileged_memory_alone },
		{ "leaves_undumpable_processes_alone", leaves_undumpable_processes_alone },
	};

	return dev_main(argc, argv, tests, NELEM(tests));
}
