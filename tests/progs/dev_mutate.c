// SPDX-License-Identifier: GPL-2.0
/*
 * dev_mutate.c - what programs have asked of /dev/ktrace, asked again with changes
 *
 *   dev_mutate [-s SEED] [-n IOCTLS] [-u USER [-g GROUP] [-p]] [-w NAME,...] LOG...
 *
 * Replays logs of user/record_ioctls.c with descriptors and mappings of its own, as USER, who may
 * be in GROUP. With -p root opens the device and passes the descriptors on. First all logs come as
 * they were recorded; from then on most calls come changed up to seven times before they come so:
 * bits, numbers, sizes, addresses, request, descriptor, what pointers point to. Meanwhile a second
 * thread changes, protects and empties what is being read, and makes calls on the same descriptors.
 *
 * What the first thread does follows from the seed, but not how the two meet.
 *
 * Prints the seed, per request how many calls worked and how many failed with which error, and
 * whether the module has forgotten all sessions. Status 1: it has not, or a request did not work
 * once that worked when it was recorded (-w: that is in this list). Whether the kernel was hurt is
 * for the caller to see.
 */
#include <getopt.h>
#include <grp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <time.h>
#include "dev_descriptors.h"

enum {
	MAP_NR = 16,
	ROOM_PAGES = 40,	/* for arguments: the last is not mapped */
};

static struct options {
	unsigned long seed, calls;
	unsigned int user, group;
	int passes;
	const char *wanted;
} options;

static struct mapping {
	char *at;		/* NULL: none */
	size_t length;
	int prot, pid;
} mappings[MAP_NR];

/* What the second thread knows of the first. */
static char *room;		/* ROOM_PAGES pages */
static char *current_arg;
static size_t current_size;
static const struct log *current_log;	/* NULL: leave everything alone */
static volatile int is_done;
static volatile int is_racing;

/* ---- values ---- */

static void mutate_bytes(unsigned char *at, size_t size)
{
	static const size_t widths[] = { 1, 2, 4, 8 };
	const size_t width = widths[below(4)];
	uint64_t value = odd_number();
	size_t off;

	if (size < width)
		return;
	off = below(size / width) * width;
	if (one_in(3)) {
		at[off] ^= (unsigned char)(1u << below(8));
		return;
	}
	if (one_in(3)) {
		value = 0;
		memcpy(&value, at + off, width);
		value += one_in(2) ? 1 : ~0ull;
	} else if (learnt_nr && one_in(8)) {
		value = learnt[below(learnt_nr)].now;
	}
	memcpy(at + off, &value, width);
}

/* ---- one ioctl ---- */

/* A call that is to be made: the room has its argument. */
struct draft {
	unsigned int request;
	int fd;
	unsigned char arg[4096];
	size_t size;
	unsigned char *bytes[NESTED_MAX];	/* in the room */
};

/* Somewhere in the room; the end may be that of what is mapped. */
static char *place(size_t size)
{
	char *end = room + (ROOM_PAGES - 1) * PAGE;

	if (one_in(8))
		return end - size + (one_in(4) ? below(size + 1) : 0);
	return room + below((ROOM_PAGES - 3) * PAGE - size);
}

/* What pointers name comes into the room, too; often changed. */
static void place_nested(struct draft *d, const struct op *op, int changed)
{
	uint64_t where;
	unsigned int k = 0;
	size_t i;

	for (i = 0; i < NESTED_NR; i++) {
		struct bytes b;

		if (nested[i].request != op->request || d->size < nested[i].at + 8)
			continue;
		b = op->nested[k++];
		where = (uintptr_t)place(b.size);
		try_copy((void *)(uintptr_t)where, b.at, b.size);
		if (changed && b.size && one_in(2)) {
			unsigned char *copy = malloc(b.size);

			EXPECT(copy);
			memcpy(copy, b.at, b.size);
			mutate_bytes(copy, b.size);
			try_copy((void *)(uintptr_t)where, copy, b.size);
			free(copy);
		}
		if (changed && one_in(16))
			where = one_in(2) ? odd_number() : 0xffff888000000000ull + below(1 << 30);
		memcpy(d->arg + nested[i].at, &where, 8);
	}
}

static void mutate_draft(struct draft *d)
{
	const struct op *other = &current_log->ops[below(current_log->nr)];
	uint32_t value = (uint32_t)odd_number();
	int times = (int)(one_in(4) ? 3 : 1);

	switch (below(16)) {
	case 0:
		d->request = _IOC(_IOC_DIR(d->request), 'k', _IOC_NR(d->request), below(256));
		break;
	case 1:
		d->request = names[below(OTHER)].request;
		break;
	case 2:
		d->request = one_in(2) ? (unsigned int)next_random() :
			     _IOC(below(4), 'k', 0x3e + below(24), below(256));
		break;
	case 3:
		d->fd = any_fd();
		break;
	case 4:
		if (other->kind == IOCTL && other->before.at)
			memcpy(d->arg, other->before.at, other->before.size);
		break;
	case 5:		/* the size, where there is one */
		if (one_in(2))
			value = (uint32_t)d->size + (one_in(2) ? 8 : -1);
		memcpy(d->arg, &value, sizeof(value));
		break;
	default:
		while (times--)
			mutate_bytes(d->arg, d->size);
	}
}

/* Processes of the log are gone. */
static void choose_process(struct draft *d, const struct op *op)
{
	int32_t pid;

	if (op->request != KTRACE_IOC_FOLLOW || d->size < sizeof(pid))
		return;
	memcpy(&pid, d->arg, sizeof(pid));
	if (pid > 0)
		pid = getpid();
	memcpy(d->arg, &pid, sizeof(pid));
}

static void make_draft(struct draft *d, const struct op *op)
{
	d->request = op->request;
	d->fd = fd_for(op);
	d->size = op->before.size < sizeof(d->arg) ? op->before.size : sizeof(d->arg);
	memset(d->arg, 0, 256);
	if (d->size)
		memcpy(d->arg, op->before.at, d->size);
	apply_learnt(d->arg, d->size);
	choose_process(d, op);
}

/* When it was recorded there was a chunk, or one came soon. */
static void await_chunk(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	poll(&p, 1, 300);
}

static void do_ioctl(const struct op *op, int changed)
{
	/* A request that was changed may read more than there was. */
	static struct draft d;
	unsigned char now[4096];
	char *at;
	int err;

	make_draft(&d, op);
	place_nested(&d, op, changed);
	if (changed)
		mutate_draft(&d);
	at = place(sizeof(d.arg) > d.size + 256 ? d.size + 256 : d.size);
	try_copy(at, d.arg, d.size + 64);
	if (changed && one_in(64))
		at = one_in(2) ? NULL : (char *)(uintptr_t)odd_number();
	__atomic_store_n(&current_size, d.size, __ATOMIC_RELAXED);
	__atomic_store_n(&current_arg, at, __ATOMIC_RELAXED);
	if (!changed && d.request == KTRACE_IOC_SHARK_NEXT && !op->error)
		await_chunk(d.fd);
	err = call(d.fd, d.request, op->before.at || changed ? at : NULL);
	if (!err && !changed && op->after.at && !op->error && try_copy(now, at, d.size))
		learn(op, now, d.size);
}

/* ---- the other calls ---- */

static void do_mmap(const struct op *op, int changed)
{
	struct mapping *m = &mappings[below(MAP_NR)];
	uint64_t off = of_now(op->off);
	size_t length = (size_t)op->length;
	int prot = (int)op->prot, flags = (int)op->flags;
	void *at;

	if (changed && one_in(2))
		off = one_in(2) ? off + PAGE * (below(33) - 16) : odd_number() & ~(PAGE - 1ull);
	if (changed && one_in(2))
		length = one_in(2) ? PAGE * (1 + below(64)) : length + PAGE * (below(3) - 1);
	if (changed && one_in(2))
		prot = (int)below(8);
	if (changed && one_in(16))
		flags = MAP_PRIVATE | (one_in(2) ? MAP_POPULATE : 0);
	at = mmap(NULL, length, prot, flags, changed && one_in(8) ? any_fd() : fd_for(op),
		  (off_t)off);
	add(&counts->mapped[at != MAP_FAILED]);
	if (at == MAP_FAILED)
		return;
	if (m->at)
		munmap(m->at, m->length);
	*m = (struct mapping){ at, length, prot, op->pid };
}

/* Reads, or writes what makes no sense, where the module or another program will look. */
static void touch(void)
{
	const struct mapping *m = &mappings[below(MAP_NR)];
	uint64_t value = odd_number();
	int ok;

	if (!m->at)
		return;
	if (m->prot & PROT_WRITE && one_in(2))
		ok = try_copy(m->at + (below(m->length) & ~7ul), &value, sizeof(value));
	else
		ok = try_copy(&value, m->at + (below(m->length) & ~7ul), sizeof(value));
	add(&counts->touched[ok]);
}

/* Of one process; 0: of all. */
static void unmap(int pid)
{
	int i;

	for (i = 0; i < MAP_NR; i++) {
		if (!mappings[i].at || (pid && mappings[i].pid != pid))
			continue;
		munmap(mappings[i].at, mappings[i].length);
		mappings[i].at = NULL;
	}
}

static void do_op(const struct op *op, int changed)
{
	struct entry *e;

	switch (op->kind) {
	case IOCTL: do_ioctl(op, changed); break;
	case MMAP: do_mmap(op, changed); break;
	case FORKED: copy_entries(op->pid, (int)op->other); break;
	case DUP: put_entry(op->pid, (int)op->other, dup(fd_for(op))); break;
	case CLOSED:
		e = find_entry(op->pid, op->fd);
		if (e && !changed)
			close(__atomic_exchange_n(&e->ours, -1, __ATOMIC_RELAXED));
		break;
	case EXITED:
		if (!changed) {
			unmap(op->pid);
			close_entries(op->pid);
		}
		break;
	}
}

/* ---- the second thread ---- */

static void disturb_memory(void)
{
	char *at = __atomic_load_n(&current_arg, __ATOMIC_RELAXED);
	const size_t size = __atomic_load_n(&current_size, __ATOMIC_RELAXED);
	char *page = one_in(2) ? room + below(ROOM_PAGES - 1) * PAGE :
				 (char *)((uintptr_t)at & ~(PAGE - 1));
	const uint64_t value = odd_number();

	if (at < room || at + size > room + (ROOM_PAGES - 1) * PAGE || page < room)
		return;
	switch (below(8)) {
	case 0: mprotect(page, PAGE, (int)below(4)); break;
	case 1: madvise(page, PAGE, MADV_DONTNEED); break;
	case 2:
		mmap(page, PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		break;
	default:
		try_copy(at + (size ? below(size) & ~3ul : 0), &value, one_in(2) ? 4 : 2);
	}
}

static void repair_room(void)
{
	char *at = mmap(room, (ROOM_PAGES - 1) * PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	EXPECT(at == room);
}

static void *disturb(void *arg)
{
	const struct log *log;

	state = options.seed * 2 + 0x9e3779b97f4a7c15ull;
	while (!is_done) {
		log = __atomic_load_n(&current_log, __ATOMIC_ACQUIRE);
		if (!log || !is_racing) {
			usleep(200);
			continue;
		}
		disturb_memory();
		if (one_in(16)) {
			const struct op *op = &log->ops[below(log->nr)];
			const int fd = any_fd();

			if (op->kind == IOCTL && fd >= 0)
				call(fd, op->request, room + below(PAGE));
		}
		if (one_in(4096))
			close(__atomic_exchange_n(&entries[below(FD_NR)].ours, -1,
						  __ATOMIC_RELAXED));
	}
	return arg;
}

/* ---- replays ---- */

static void replay_part(const struct log *log, size_t from, size_t to, int is_changed)
{
	unsigned int times;

	for (; from < to && from < log->nr && ioctl_nr() < options.calls; from++) {
		for (times = is_changed ? (unsigned int)below(8) : 0; times; times--)
			do_op(&log->ops[from], 1);
		if (!is_changed || !one_in(16))
			do_op(&log->ops[from], 0);
		if (one_in(4))
			touch();
		if (one_in(16)) {
			struct pollfd p = { .fd = any_fd(), .events = POLLIN };

			poll(&p, 1, 0);
		}
	}
}

/* A process with all descriptors, and the mappings that are inherited, goes on and ends. */
static void replay_in_child(const struct log *log, size_t from)
{
	pid_t pid = fork();
	int status;

	EXPECT(pid >= 0);
	if (!pid) {
		replay_part(log, from, from + 20, 1);
		_exit(0);
	}
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	add(&counts->forks);
}

/* What is kept takes the places of other sessions. */
static void forget_kept(void)
{
	int fd = open_device(), heir, more = fd >= 0;

	while (more > 0) {
		heir = open_device();
		more = forget_one(fd, heir);
		close(heir);
	}
	close(fd);
}

static void replay(const struct log *log, int is_changed)
{
	const size_t half = one_in(4) ? below(log->nr) : log->nr;

	is_racing = is_changed && one_in(2);
	__atomic_store_n(&current_log, log, __ATOMIC_RELEASE);
	replay_part(log, 0, half, is_changed);
	if (half < log->nr)
		replay_in_child(log, half);
	replay_part(log, half, log->nr, is_changed);
	__atomic_store_n(&current_log, NULL, __ATOMIC_RELEASE);
	repair_room();
	unmap(0);
	close_entries(0);
	learnt_nr = 0;
	if (one_in(2))
		forget_kept();
	add(&counts->replays);
}

/* ---- processes ---- */

static void become_user(void)
{
	const gid_t group = options.group;

	if (!options.user)
		return;
	EXPECT_ERRNO(setgroups(group ? 1 : 0, &group), 0);
	dev_become_user(options.user);
}

static void run(void)
{
	const struct sigaction fault = { .sa_handler = on_fault, .sa_flags = SA_NODEFER };
	pthread_t second;
	size_t at;
	int i;

	sigaction(SIGSEGV, &fault, NULL);
	sigaction(SIGBUS, &fault, NULL);
	room = mmap(NULL, ROOM_PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT(room != MAP_FAILED);
	repair_room();
	for (i = 0; i < FD_NR; i++)
		entries[i].ours = -1;
	state = (options.seed + 1) * 0x9e3779b97f4a7c15ull;
	EXPECT_EQ(pthread_create(&second, NULL, disturb, NULL), 0);
	/* At first all as they were recorded. */
	for (at = 0; ioctl_nr() < options.calls; at++)
		replay(&logs[at % log_nr], at >= log_nr && !one_in(4));
	is_done = 1;
	pthread_join(second, NULL);
	forget_kept();
}

/* The caller goes on when all has been done by somebody else. Return: how that has ended */
static int run_as_user(void)
{
	int ends[2] = { -1, -1 }, status;
	pid_t pid;

	if (options.passes) {
		EXPECT_ERRNO(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
		if (!fork()) {
			close(ends[1]);
			run_opener(ends[0]);
		}
		close(ends[0]);
		opener = ends[1];
	}
	pid = fork();
	EXPECT(pid >= 0);
	if (!pid) {
		become_user();
		run();
		_exit(0);
	}
	close(ends[1]);
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	return status;
}

/*
 * An answer goes where the request says, which may be into the program itself: seldom, where there
 * is much room between what is mapped. Then the next one goes on.
 */
static void run_all(void)
{
	int left = sizeof(void *) == 4 ? 20 : 0, status;

	for (; (status = run_as_user()) && WIFSIGNALED(status) && left; left--) {
		printf("ended by signal %d after %llu calls\n", WTERMSIG(status),
		       (unsigned long long)ioctl_nr());
		fflush(stdout);
		options.seed++;
	}
	EXPECT_EQ(status, 0);
}

/* Is @name among those that must have worked? */
static int is_wanted(const char *name)
{
	const size_t length = strlen(name);
	const char *at = options.wanted;

	while (at && strncmp(at, name, length + 1) &&
	       !(!strncmp(at, name, length) && at[length] == ',')) {
		at = strchr(at, ',');
		at += !!at;
	}
	return !options.wanted || at;
}

/* Replays whose calls all fail test nothing. */
static void check_depth(void)
{
	size_t i, k;

	for (i = 0; i < log_nr; i++)
		for (k = 0; k < logs[i].nr; k++) {
			const struct op *op = &logs[i].ops[k];
			const unsigned int name = name_of(op->request);

			if (op->kind != IOCTL || op->error || !is_wanted(names[name].name) ||
			    counts->ioctls[name][0])
				continue;
			printf("no %s has worked\n", names[name].name);
			exit(1);
		}
}

int main(int argc, char **argv)
{
	struct timespec begin, end;
	int c;

	options = (struct options){ .seed = (unsigned long)time(NULL), .calls = 20000 };
	while ((c = getopt(argc, argv, "s:n:u:g:pw:")) != -1)
		switch (c) {
		case 's': options.seed = strtoul(optarg, NULL, 10); break;
		case 'n': options.calls = strtoul(optarg, NULL, 10); break;
		case 'u': options.user = (unsigned int)strtoul(optarg, NULL, 10); break;
		case 'g': options.group = (unsigned int)strtoul(optarg, NULL, 10); break;
		case 'p': options.passes = 1; break;
		case 'w': options.wanted = optarg; break;
		default: return 2;
		}
	for (; optind < argc; optind++)
		read_log(argv[optind]);
	if (!log_nr)
		return 2;
	printf("seed %lu\n", options.seed);
	fflush(stdout);
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	EXPECT(counts != MAP_FAILED);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	run_all();
	clock_gettime(CLOCK_MONOTONIC, &end);
	report((double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9);
	check_depth();
	check_forgotten();
	return 0;
}
