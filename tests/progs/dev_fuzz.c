// SPDX-License-Identifier: GPL-2.0
/*
 * dev_fuzz.c - random system calls on /dev/ktrace
 *
 *   dev_fuzz [-s SEED] [-n CALLS] [-p PROCESSES] [-t THREADS]
 *
 * Each process has its own users and a table of descriptors and mappings that its threads
 * use, close and unmap at random, without any locking; descriptors are passed on to other
 * processes as well. What a thread does follows from the seed, its process and its number.
 * 32-bit calls are made by int $0x80.
 *
 * Prints the seed, per kind of call how many worked and failed, and at the end whether the
 * module has forgotten all sessions. Status 1: it has not, a process was killed, or hardly a
 * call did anything.
 * Whether the kernel was hurt is for the caller to see.
 */
#include <getopt.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include "dev_fuzz.h"

struct options {
	unsigned long seed, calls, processes, threads;
};

static const struct options *options;
static int is_child;

/* ---- memory ---- */

static uint64_t map_offset(void)
{
	uint64_t off = below(one_in(8) ? 20 : one_in(4) ? 2 : 1) << KTRACE_MAP_SHIFT;

	if (one_in(2))
		off += below(one_in(4) ? 1024 : 16) * PAGE;
	return one_in(32) ? odd_number() & ~(PAGE - 1) : off;
}

static void do_mmap(void)
{
	const int rw = PROT_READ | PROT_WRITE;
	const int prot = one_in(2) ? PROT_READ : one_in(8) ? (int)below(8) : rw;
	size_t size = (1 + below(one_in(8) ? SLOT / PAGE : 8)) * PAGE;
	char *at = any_map() + (one_in(4) ? below(16) * PAGE : 0);
	int flags = MAP_FIXED | (one_in(16) ? MAP_PRIVATE : MAP_SHARED);

	if (size > SLOT - 16 * PAGE)
		size = SLOT - 16 * PAGE;
	if (one_in(16))
		flags |= MAP_POPULATE;
	count(MMAP, mmap(at, size, prot, flags, any_fd(), (off_t)map_offset()) == MAP_FAILED ?
	      -1 : 0);
}

static void do_munmap(void)
{
	char *at = any_map() + below(64) * PAGE;
	size_t size = one_in(2) ? SLOT - 64 * PAGE : (1 + below(32)) * PAGE;

	count(MUNMAP, munmap(at, size));
}

static void do_mremap(void)
{
	char *from = any_map() + below(16) * PAGE, *to = any_map();
	size_t old = below(32) * PAGE, new = (1 + below(64)) * PAGE;
	int flags = (int)below(3) ? MREMAP_MAYMOVE | MREMAP_FIXED : 0;

	if (flags && one_in(4))
		flags |= MREMAP_DONTUNMAP;
	count(MREMAP, mremap(from, old, new, flags, to) == MAP_FAILED ? -1 : 0);
}

static void do_madvise(void)
{
	static const int advice[] = {
		MADV_DONTNEED, MADV_REMOVE, MADV_DONTFORK, MADV_DOFORK, MADV_HUGEPAGE,
		MADV_WILLNEED, MADV_COLD, MADV_PAGEOUT, MADV_FREE, MADV_DODUMP,
		MADV_DONTDUMP, MADV_MERGEABLE,
	};
	char *at = any_map() + below(16) * PAGE;
	size_t size = (1 + below(64)) * PAGE;

	if (one_in(8))
		count(MADVISE, remap_file_pages(at, size, 0, below(128), 0));
	else if (one_in(8))
		count(MADVISE, one_in(2) ? mlock(at, size) : munlock(at, size));
	else
		count(MADVISE, madvise(at, size, advice[below(NELEM(advice))]));
}

/* Reads, or writes odd numbers: rings, tails, registry, whatever it is. */
static void do_touch(void)
{
	char *at = any_map() + below(one_in(4) ? 256 : 8) * PAGE + below(16) * 8;
	uint64_t value = odd_number();
	int ok = one_in(2) ? try_copy(&value, at, sizeof(value)) :
			     try_copy(at, &value, sizeof(value));

	count(TOUCH, ok ? 0 : -1);
}

/* ---- descriptors ---- */

static void do_open(void)
{
	static const int modes[] = { O_RDWR, O_RDWR, O_RDWR, O_RDONLY, O_WRONLY,
				     O_RDWR | O_NONBLOCK };
	int fd = open("/dev/ktrace", modes[below(NELEM(modes))] | O_CLOEXEC);

	count(OPEN, fd);
	put_fd(fd);
}

static void do_close(void)
{
	count(CLOSE, close(__atomic_exchange_n(&fds[below(FD_NR)], -1, __ATOMIC_RELAXED)));
}

static void do_poll(void)
{
	struct pollfd p[2] = { { .fd = any_fd(), .events = POLLIN },
			       { .fd = any_fd(), .events = -1 } };

	count(POLL, poll(p, 2, one_in(64) ? 20 : 0));
}

static void do_epoll(void)
{
	struct epoll_event ev = { .events = (uint32_t)(EPOLLIN | (one_in(2) ? EPOLLET : 0)) };
	int ep = epoll_create1(EPOLL_CLOEXEC), i;

	for (i = 0; i < 3; i++)
		epoll_ctl(ep, EPOLL_CTL_ADD, any_fd(), &ev);
	count(EPOLL, epoll_wait(ep, &ev, 1, one_in(32) ? 15 : 0));
	close(ep);
}

static void do_read(void)
{
	char buf[64] = "";
	int fd = any_fd();

	switch (below(5)) {
	case 0:
		count(READ, read(fd, buf, sizeof(buf)));
		break;
	case 1:
		count(READ, write(fd, buf, sizeof(buf)));
		break;
	case 2:
		count(READ, lseek(fd, (off_t)odd_number(), SEEK_SET));
		break;
	case 3:
		count(READ, ftruncate(fd, (off_t)odd_number()));
		break;
	default:
		count(READ, fcntl(fd, F_SETFL, one_in(2) ? O_ASYNC : O_NONBLOCK));
	}
}

/* Passes a descriptor to any process that takes it: all share the socket. */
static void do_pass(void)
{
	char byte = 0, space[CMSG_SPACE(sizeof(int))] = "";
	struct iovec iov = { &byte, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = space,
			    .msg_controllen = sizeof(space) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	int fd = any_fd();

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	count(PASS, sendmsg(sockets[0], &m, MSG_DONTWAIT));
}

static void do_take(void)
{
	char byte, space[CMSG_SPACE(sizeof(int))] = "";
	struct iovec iov = { &byte, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = space,
			    .msg_controllen = sizeof(space) };
	long ret = count(TAKE, recvmsg(sockets[1], &m, MSG_DONTWAIT));
	struct cmsghdr *c = ret < 0 ? NULL : CMSG_FIRSTHDR(&m);
	int fd = -1;

	if (c && c->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	put_fd(fd);
}

/* ---- processes ---- */

static void do_one(void);

/* With all mappings and descriptors; its own threads are gone. */
static void do_fork(int with_exec)
{
	pid_t pid = fork();
	int i;

	if (!pid) {
		is_child = 1;
		for (i = 0; i < 20; i++)
			do_one();
		if (with_exec)
			execl("/bin/true", "true", NULL);
		_exit(0);
	}
	count(with_exec ? EXEC : FORK, pid < 0 ? -1 : waitpid(pid, NULL, 0));
}

/* The thread alone: the C library would take the others along. */
static void do_setuid(void)
{
	static const unsigned int users[] = { 0, 0, 1234, 4321 };

	count(SETUID, syscall(SYS_setresuid, -1, users[below(NELEM(users))], -1));
}

/* Half of the calls are those that get further. */
static enum call any_call(void)
{
	static const enum call deep[] = {
		CHANNEL, CHANNEL, START, INFO, ENABLE, FOLLOW, ATTACH, MMAP, MMAP, MMAP, TOUCH,
	};

	return one_in(2) ? deep[below(NELEM(deep))] : (enum call)below(CALL_NR);
}

static void do_one(void)
{
	const enum call what = any_call();

	switch (what) {
	case OPEN: do_open(); break;
	case CLOSE: do_close(); break;
	case DUP: put_fd((int)count(DUP, dup(any_fd()))); break;
	case IOCTL32: do_ioctl32(); break;
	case MMAP: do_mmap(); break;
	case MUNMAP: do_munmap(); break;
	case MREMAP: do_mremap(); break;
	case MPROTECT: count(MPROTECT, mprotect(any_map(), (1 + below(64)) * PAGE, (int)below(8)));
		break;
	case MADVISE: do_madvise(); break;
	case TOUCH: do_touch(); break;
	case POLL: do_poll(); break;
	case EPOLL: do_epoll(); break;
	case READ: do_read(); break;
	case FORK:
	case EXEC:
		if (!is_child && one_in(32))
			do_fork(what == EXEC);
		break;
	case PASS: do_pass(); break;
	case TAKE: do_take(); break;
	case SETUID: do_setuid(); break;
	default: do_ioctl(what);
	}
}

/*
 * Nobody begins before all are there: what is unmapped makes holes in the room for mappings,
 * and the stack of a thread that is made later would lie in one, to be unmapped in its turn.
 */
static pthread_barrier_t all_there;

struct thread {
	pthread_t id;
	uint64_t seed;
	uint64_t calls;
};

static void *run_thread(void *arg)
{
	const struct thread *t = arg;
	uint64_t i;

	state = t->seed;
	pthread_barrier_wait(&all_there);
	for (i = 0; i < t->calls; i++)
		do_one();
	return NULL;
}

static void make_room(void)
{
	const int prot = PROT_READ | PROT_WRITE;
	char *at;
	size_t i;

	at = mmap(NULL, MAP_NR * SLOT, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		  0);
	EXPECT(at != MAP_FAILED);
	for (i = 0; i < MAP_NR; i++)
		maps[i] = at + i * SLOT;
	for (i = 0; i < FD_NR; i++)
		fds[i] = -1;
	args = mmap(NULL, 4 * PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS | ARCH_MAP_LOW, -1, 0);
	EXPECT(args != MAP_FAILED);
	EXPECT_ERRNO(munmap(args + 2 * PAGE, PAGE), 0);
	EXPECT_ERRNO(mprotect(args + 3 * PAGE, PAGE, PROT_READ), 0);
}

static void run_process(unsigned long nr)
{
	const struct sigaction fault = { .sa_handler = on_fault, .sa_flags = SA_NODEFER };
	struct thread threads[32];
	unsigned long i;

	make_room();
	sigaction(SIGSEGV, &fault, NULL);
	sigaction(SIGBUS, &fault, NULL);
	pthread_barrier_init(&all_there, NULL, (unsigned int)options->threads);
	for (i = 0; i < options->threads; i++) {
		struct thread *t = &threads[i];

		t->seed = (options->seed * 1000 + nr * 32 + i + 1) * 0x9e3779b97f4a7c15ull;
		t->calls = options->calls / options->processes / options->threads;
		EXPECT_EQ(pthread_create(&t->id, NULL, run_thread, t), 0);
	}
	for (i = 0; i < options->threads; i++)
		pthread_join(threads[i].id, NULL);
}

static unsigned long report(double seconds)
{
	unsigned long sum = 0;
	int i;

	for (i = 0; i < CALL_NR; i++) {
		printf("%-12s %9llu worked %9llu failed\n", names[i],
		       (unsigned long long)shared->worked[i],
		       (unsigned long long)shared->failed[i]);
		sum += shared->worked[i] + shared->failed[i];
	}
	printf("%lu calls in %.1f s\n", sum, seconds);
	return sum;
}

/* A fuzzer whose calls all fail at once tests nothing. Some work in few states only: in one of
 * a hundred calls or fewer, so a short run may have none of them.
 */
static void check_depth(unsigned long sum)
{
	int i;

	if (sum < 200000)
		return;
	for (i = 0; i < CALL_NR; i++)
		if (!shared->worked[i] && i != OTHER_IOCTL && i != STACKS && i != CONTEXT &&
		    i != COUNTER) {
			printf("no %s has worked\n", names[i]);
			exit(1);
		}
}

static void run_all(void)
{
	unsigned long i;
	int status;

	for (i = 0; i < options->processes; i++)
		if (!fork()) {
			run_process(i);
			_exit(0);
		}
	while (wait(&status) > 0)
		EXPECT_EQ(status, 0);
	close(sockets[0]);
	close(sockets[1]);
}

int main(int argc, char **argv)
{
	struct options o = { .seed = (unsigned long)time(NULL), .calls = 10000, .processes = 5,
			     .threads = 4 };
	struct timespec begin, end;
	int c;

	while ((c = getopt(argc, argv, "s:n:p:t:")) != -1)
		switch (c) {
		case 's': o.seed = strtoul(optarg, NULL, 10); break;
		case 'n': o.calls = strtoul(optarg, NULL, 10); break;
		case 'p': o.processes = strtoul(optarg, NULL, 10); break;
		case 't': o.threads = strtoul(optarg, NULL, 10); break;
		default: return 2;
		}
	if (!o.processes || !o.threads || o.threads > 32)
		return 2;
	options = &o;
	printf("seed %lu\n", o.seed);
	fflush(stdout);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	EXPECT(shared != MAP_FAILED);
	EXPECT_ERRNO(socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets), 0);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	run_all();
	clock_gettime(CLOCK_MONOTONIC, &end);
	check_depth(report((double)(end.tv_sec - begin.tv_sec) +
			   (double)(end.tv_nsec - begin.tv_nsec) / 1e9));
	check_forgotten();
	return 0;
}
