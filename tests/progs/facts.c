// SPDX-License-Identifier: GPL-2.0
/*
 * facts.c - what the kernel says of the time in which a command runs
 *
 *   facts DIR COMMAND [ARG...]
 *
 * Does a known number of things on each CPU, runs the command, and copies what the kernel has
 * counted before and after that to DIR/before.* and DIR/after.*. Four calls of getppid() with
 * arguments MARK and 1 to 4 tell in a trace when: the first copies are made between marks 1 and
 * 2, the others between 3 and 4. DIR/work has what was done, DIR/io the program's own
 * /proc/self/io, before and after.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MARK = 0x6b74, GETPPIDS = 500 };
enum { READS = 100, READ_SIZE = 4096, WRITES = 50, WRITE_SIZE = 100 };
enum { DISK_READS = 16, DISK_SIZE = 65536 };

static const char *dir;

static void die(const char *what)
{
	fprintf(stderr, "facts: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int open_or_die(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0644);

	if (fd < 0)
		die(path);
	return fd;
}

__attribute__((format(printf, 2, 3)))
static void put(const char *name, const char *format, ...)
{
	char path[512];
	va_list args;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	if (!f)
		die(path);
	va_start(args, format);
	vfprintf(f, format, args);
	va_end(args);
	if (fclose(f))
		die(path);
}

static void copy(const char *path, const char *when, const char *name)
{
	static char text[1 << 18];
	char to[64];
	size_t nr = 0;
	ssize_t n;
	int fd = open_or_die(path, O_RDONLY);

	while ((n = read(fd, text + nr, sizeof(text) - 1 - nr)) > 0)
		nr += (size_t)n;
	close(fd);
	text[nr] = 0;
	snprintf(to, sizeof(to), "%s.%s", when, name);
	put(to, "%s", text);
}

static void mark(long nr)
{
	syscall(SYS_getppid, MARK, nr);
}

static void copy_all(const char *when)
{
	struct rusage r;
	char name[64];

	copy("/proc/stat", when, "stat");
	copy("/proc/interrupts", when, "interrupts");
	copy("/proc/softirqs", when, "softirqs");
	copy("/sys/block/vda/stat", when, "disk");
	copy("/proc/thread-self/schedstat", when, "schedstat");
	getrusage(RUSAGE_THREAD, &r);
	snprintf(name, sizeof(name), "%s.switches", when);
	put(name, "%ld\n", r.ru_nvcsw + r.ru_nivcsw);
}

/* One read of all: it is counted itself, but not yet in what it reads. */
static void read_io(char *text, size_t size)
{
	int fd = open_or_die("/proc/self/io", O_RDONLY);
	ssize_t n = read(fd, text, size - 1);

	if (n <= 0)
		die("/proc/self/io");
	text[n] = 0;
	close(fd);
}

static void work(void)
{
	char from[1024], to[1024], data[READ_SIZE] = { 0 };
	int in = open_or_die("/dev/zero", O_RDONLY), out = open_or_die("/dev/null", O_WRONLY), i;

	read_io(from, sizeof(from));
	for (i = 0; i < GETPPIDS; i++)
		syscall(SYS_getppid, 0, 0);
	for (i = 0; i < READS; i++)
		if (pread(in, data, READ_SIZE, 0) != READ_SIZE)
			die("/dev/zero");
	for (i = 0; i < WRITES; i++)
		if (write(out, data, WRITE_SIZE) != WRITE_SIZE)
			die("/dev/null");
	read_io(to, sizeof(to));
	put("io", "%s%s", from, to);
	close(in);
	close(out);
}

static void visit_all_cpus(void)
{
	cpu_set_t all, one;
	int cpu;

	sched_getaffinity(0, sizeof(all), &all);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (sched_setaffinity(0, sizeof(one), &one))
			die("sched_setaffinity");
	}
	sched_setaffinity(0, sizeof(all), &all);
}

static void read_disk(void)
{
	int fd = open_or_die("/dev/vda", O_RDONLY | O_DIRECT), i;
	void *data;

	if (posix_memalign(&data, DISK_SIZE, DISK_SIZE))
		die("memory");
	for (i = 0; i < DISK_READS; i++)
		if (pread(fd, data, DISK_SIZE, (off_t)i * DISK_SIZE) != DISK_SIZE)
			die("/dev/vda");
	free(data);
	close(fd);
}

static int run(char **argv)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		execvp(argv[0], argv);
		die(argv[0]);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
	int status;

	if (argc < 3) {
		fprintf(stderr, "usage: facts DIR COMMAND [ARG...]\n");
		return 2;
	}
	dir = argv[1];
	put("work", "tid %d\nmark %d\ngetppid %d\nread_size %d\nwrite_size %d\ndisk_reads %d\n"
	    "cpus %ld\n", getpid(), MARK, GETPPIDS, READ_SIZE, WRITE_SIZE, DISK_READS,
	    sysconf(_SC_NPROCESSORS_ONLN));
	mark(1);
	copy_all("before");
	mark(2);
	visit_all_cpus();
	read_disk();
	work();
	status = run(argv + 2);
	mark(3);
	copy_all("after");
	mark(4);
	return status;
}
