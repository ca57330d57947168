// SPDX-License-Identifier: GPL-2.0
/*
 * provoke.c - does what makes the kernel tell each kind of event that a program can provoke
 *
 *   provoke [-d DISK]         all of it, once; with -d also reads and writes of a block device
 *
 * tests/checkers/oracle/ftrace.py records this with two tracers; nothing here checks anything.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <net/if.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NELEM(a) (sizeof(a) / sizeof((a)[0]))

enum { PAGE = 4096, SECTOR = 512, ROUNDS = 10, PAGES = 32 };

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void run_on(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);	/* there may be one CPU only */
}

static void pause_ns(long ns)
{
	nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL);
}

/* ---- sched, signal ---- */

static void on_signal(int sig)
{
	(void)sig;
}

/* Signals of each result that can be had */
static void send_signals(void)
{
	const struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_NODEFER };
	sigset_t blocked;

	sigaction(SIGUSR1, &action, NULL);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	kill(getpid(), SIGURG);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	kill(getpid(), SIGUSR1);
	kill(getpid(), SIGUSR1);
	sigprocmask(SIG_UNBLOCK, &blocked, NULL);
}

static void be_child(int i)
{
	prctl(PR_SET_NAME, i & 1 ? "a name of fifteen and more" : "odd ;name\n");
	run_on(i & 1);
	send_signals();
	if (i % 4 == 0)
		execl("/bin/true", "true", NULL);
	if (i % 4 == 1)
		raise(SIGKILL);
	if (i % 4 == 2)
		raise(SIGSTOP);
	_exit(i);
}

static void make_processes(void)
{
	int i, status;

	for (i = 0; i < ROUNDS; i++) {
		const pid_t pid = fork();

		if (!pid)
			be_child(i);
		if (i % 4 == 2) {
			waitpid(pid, &status, WUNTRACED);
			kill(pid, SIGCONT);
		}
		waitpid(pid, &status, 0);
	}
}

static void migrate(void)
{
	for (int i = 0; i < ROUNDS; i++)
		run_on(i & 1);
}

/* ---- fault, memory ---- */

static char *map_pages(size_t size, int flags)
{
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		fail("mmap");
	return at;
}

/* Missing and forbidden pages, by the program and by the kernel for it */
static void touch_pages(void)
{
	char *pages = map_pages(PAGES * PAGE, MAP_PRIVATE);
	char *shared = map_pages(PAGES * PAGE, MAP_SHARED);
	const int zero = open("/dev/zero", O_RDONLY);

	for (int i = 0; i < PAGES; i += 2) {
		(void)*(volatile char *)(pages + i * PAGE);
		*(volatile char *)(pages + i * PAGE + 42) = 1;
		*(volatile char *)(shared + i * PAGE) = 1;
		if (read(zero, pages + (i + 1) * PAGE, 1) != 1)
			fail("/dev/zero");
	}
	close(zero);
	munmap(pages, PAGES * PAGE);
	munmap(shared, PAGES * PAGE);
}

/* ---- lock ---- */

static void map_and_unmap(size_t size, int flags)
{
	munmap(map_pages(size, MAP_PRIVATE | flags), size);
}

/* Holds the lock of the process's memory for long, again and again */
static void *hold(void *arg)
{
	run_on(1);
	while (!__atomic_load_n((bool *)arg, __ATOMIC_RELAXED))
		map_and_unmap(16 * PAGE, MAP_POPULATE);
	return NULL;
}

static void contend(void)
{
	bool is_over = false;
	pthread_t holder;

	if (pthread_create(&holder, NULL, hold, &is_over))
		fail("pthread_create");
	run_on(0);
	for (int i = 0; i < 5 * ROUNDS; i++)
		map_and_unmap(PAGE, 0);
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	pthread_join(holder, NULL);
}

/* ---- futex ---- */

static long call_futex(uint32_t *at, int op, uint32_t value, const void *timeout, uint32_t *other,
		       uint32_t value3)
{
	return syscall(SYS_futex, at, op, value, timeout, other, value3);
}

/* Each operation, private and shared; those that wait do so for a moment */
static void use_futexes(void)
{
	static const int ops[] = {
		FUTEX_WAKE, FUTEX_REQUEUE, FUTEX_CMP_REQUEUE, FUTEX_WAKE_OP, FUTEX_TRYLOCK_PI,
		FUTEX_UNLOCK_PI, FUTEX_WAKE_BITSET, FUTEX_CMP_REQUEUE_PI, FUTEX_FD, 77,
	};
	const struct timespec moment = { .tv_nsec = 1000000 };
	uint32_t a = 0, b = 0;
	size_t i;

	for (i = 0; i < 2 * NELEM(ops); i++) {
		a = 0;
		call_futex(&a, ops[i / 2] | (i & 1 ? FUTEX_PRIVATE_FLAG : 0), 1,
			   (void *)(uintptr_t)2, &b, 3);
	}
	a = 0;
	call_futex(&a, FUTEX_WAIT, 0, &moment, NULL, 0);
	call_futex(&a, FUTEX_WAIT, 1, NULL, NULL, 0);
	call_futex(&a, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &moment, NULL, 5);
	call_futex(&a, FUTEX_WAIT_REQUEUE_PI, 1, &moment, &b, 0);
	call_futex(&a, FUTEX_LOCK_PI, 0, NULL, NULL, 0);
	call_futex(&a, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0);
	syscall(SYS_futex_waitv, NULL, 1, 0, NULL, 0);
}

/* ---- timer, hrtimer, net ---- */

static int open_socket(struct sockaddr_in *to, long timeout_us)
{
	const struct timeval timeout = { .tv_usec = timeout_us };
	struct ifreq request = { .ifr_name = "lo" };
	socklen_t len = sizeof(*to);
	const int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	*to = (struct sockaddr_in){ AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	ioctl(s, SIOCGIFFLAGS, &request);
	request.ifr_flags |= IFF_UP;
	ioctl(s, SIOCSIFFLAGS, &request);
	if (bind(s, (struct sockaddr *)to, len) || getsockname(s, (struct sockaddr *)to, &len) ||
	    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)))
		fail("socket");
	return s;
}

/* Datagrams to this machine: some come in time, some do not, which a timer ends. */
static void send_packets(void)
{
	struct sockaddr_in to;
	const int s = open_socket(&to, 8000);
	char data[1234] = { 0 };
	int i;

	for (i = 0; i < ROUNDS; i++) {
		if (!fork()) {
			pause_ns(500000);
			sendto(s, data, sizeof(data) - i, 0, (struct sockaddr *)&to, sizeof(to));
			_exit(0);
		}
		recv(s, data, sizeof(data), 0);
		wait(NULL);
		if (i % 4 == 0)
			while (recv(s, data, sizeof(data), 0) > 0)
				;
	}
	close(s);
}

static void use_timers(void)
{
	const struct itimerval later = { .it_value.tv_usec = 900000 }, never = { 0 };

	for (int i = 0; i < ROUNDS; i++) {
		pause_ns(1000000);
		setitimer(ITIMER_REAL, &later, NULL);
		setitimer(ITIMER_REAL, &never, NULL);
	}
}

/* ---- block ---- */

/* All requests at once, far from each other, so that none becomes part of another. */
static void use_disk(const char *disk, int nr)
{
	const int fd = open(disk, O_RDWR | O_DIRECT | O_CLOEXEC);
	char *data = map_pages(PAGE, MAP_PRIVATE);
	struct iocb *cbs = calloc(nr, sizeof(*cbs)), **list = calloc(nr, sizeof(*list));
	struct io_event *events = calloc(nr, sizeof(*events));
	aio_context_t ctx = 0;
	uint64_t range[2] = { 1 << 20, 1 << 16 };
	int i;

	if (fd < 0 || syscall(SYS_io_setup, nr, &ctx))
		fail(disk);
	for (i = 0; i < nr; i++) {
		cbs[i] = (struct iocb){
			.aio_fildes = fd,
			.aio_lio_opcode = i % 4 ? IOCB_CMD_PWRITE : IOCB_CMD_PREAD,
			.aio_buf = (uintptr_t)data,
			.aio_nbytes = SECTOR,
			.aio_offset = (int64_t)i * 4 * SECTOR,
		};
		list[i] = &cbs[i];
	}
	for (i = 0; i < nr;) {
		const long n = syscall(SYS_io_submit, ctx, nr - i, list + i);

		if (n <= 0)
			fail("io_submit");
		i += (int)n;
	}
	syscall(SYS_io_getevents, ctx, nr, nr, events, NULL);
	syscall(SYS_io_destroy, ctx);
	ioctl(fd, BLKDISCARD, range);
	ioctl(fd, BLKZEROOUT, range);
	fsync(fd);
	close(fd);
}

/* A file system that no module has: the kernel asks for one. */
static void request_module(void)
{
	mount("none", "/", "no_such_file_system", 0, NULL);
}

int main(int argc, char **argv)
{
	static void (*const all[])(void) = {
		make_processes, migrate, touch_pages, contend, use_futexes, send_packets,
		use_timers, request_module,
	};
	const bool has_disk = argc == 3 && !strcmp(argv[1], "-d");

	if (argc != 1 && !has_disk) {
		fprintf(stderr, "usage: provoke [-d DISK]\n");
		return 2;
	}
	for (size_t i = 0; i < NELEM(all); i++)
		all[i]();
	if (has_disk)
		use_disk(argv[2], 4 * ROUNDS);
	return 0;
}
