// SPDX-License-Identifier: GPL-2.0
/*
 * dev_chunk.c - chunks of the kernel's S.Ha.R.K. tracer, as their sender sees them
 *
 *   dev_chunk TEST MODULE
 *
 * MODULE is that of examples/shark_kernel, which makes chunks, and waits until they are sent.
 */
#include <sys/syscall.h>
#include <linux/ktrace_shark.h>
#include <zstd.h>
#include "dev.h"

#define SENT "/sys/module/shark_example/parameters/sent"
#define UID 4321
#define CONTENT_MAX 20

struct content {
	struct ktrace_shark_event e[CONTENT_MAX];
	unsigned int nr;
};

static const char *module_file;

/* ---- the module ---- */

static void load(void *parameters)
{
	int fd = open(module_file, O_RDONLY | O_CLOEXEC);

	EXPECT(fd >= 0);
	EXPECT_ERRNO(syscall(SYS_finit_module, fd, parameters, 0), 0);
}

static pid_t load_behind(const char *parameters)
{
	pid_t pid = fork();

	EXPECT(pid >= 0);
	if (!pid) {
		close_range(3, ~0u, 0);	/* the sender is ours alone */
		load((void *)parameters);
		_exit(0);
	}
	return pid;
}

static void unload(void)
{
	EXPECT_ERRNO(syscall(SYS_delete_module, "shark_example", O_NONBLOCK), 0);
}

static void loaded(pid_t pid, const char *sent)
{
	char line[32] = "";
	int status;
	FILE *f;

	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	f = fopen(SENT, "r");
	EXPECT(f && fgets(line, sizeof(line), f));
	fclose(f);
	if (strcmp(line, sent)) {
		fprintf(stderr, "sent: %s, expected %s\n", line, sent);
		exit(1);
	}
	unload();
}

/* ---- the sender ---- */

static int serve(__u32 kinds)
{
	struct ktrace_shark_serve s = { .size = sizeof(s), .kinds = kinds };
	int fd = dev_open();

	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_SHARK_SENDER, &s), 0);
	return fd;
}

static struct ktrace_shark_job next(int fd)
{
	struct ktrace_shark_job job = { .size = sizeof(job) };

	EXPECT_EQ(dev_poll(fd, 60000), POLLIN);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_SHARK_NEXT, &job), 0);
	return job;
}

static int end(int fd, __u64 job, int error)
{
	struct ktrace_shark_end e = { .job = job, .error = error };

	return ioctl(fd, KTRACE_IOC_SHARK_END, &e);
}

static void *map(int fd, const struct ktrace_shark_job *job)
{
	void *p = mmap(NULL, job->map_size, PROT_READ, MAP_SHARED, fd, (off_t)job->map_off);

	EXPECT(p != MAP_FAILED);
	return p;
}

/* What the job says that there is, uncompressed, in order. */
static struct content content(int fd, const struct ktrace_shark_job *job)
{
	const struct ktrace_shark_event *e = map(fd, job);
	struct content c = { .nr = job->events + job->emergency_events };
	unsigned int i;

	EXPECT(c.nr <= CONTENT_MAX);
	if (job->flags & FTRACE_CHUNK_FLAG_COMPR)
		EXPECT_EQ(ZSTD_decompress(c.e, sizeof(c.e), e, job->bytes),
			  c.nr * sizeof(*e));
	else
		for (i = 0; i < c.nr; i++)
			c.e[i] = i < job->events ? e[(job->first + i) % job->normal_nr] :
						   e[job->normal_nr + i - job->events];
	munmap((void *)e, job->map_size);
	return c;
}

static void check(const struct content *c, unsigned int i, unsigned int code, unsigned int par1,
		  unsigned int par2)
{
	EXPECT(i < c->nr);
	EXPECT_EQ(c->e[i].code, code);
	EXPECT_EQ(c->e[i].par1, par1);
	EXPECT_EQ(c->e[i].par2, par2);
}

static void stamps_ascend(const struct content *c)
{
	__u64 last = 0, ts;
	unsigned int i;

	for (i = 0; i < c->nr; i++) {
		ts = (__u64)c->e[i].tsc_high << 32 | c->e[i].tsc_low;
		EXPECT(ts >= last);
		last = ts;
	}
}

/* Filter, start, ids; while timers are off there is none of them; filter. */
static void check_first(int fd, const struct ktrace_shark_job *job)
{
	const struct content c = content(fd, job);
	unsigned int i;

	EXPECT_EQ(c.nr, 6);
	check(&c, 0, FTrace_filter_timer, 1, 0);
	check(&c, 1, FTrace_EVT_trace_start, 0, job->clk_per_msec);
	for (i = 1; i <= 3; i++)
		check(&c, 1 + i, FTrace_EVT_id, i, 100 + i);
	check(&c, 5, FTrace_filter_timer, 0, 0);
	stamps_ascend(&c);
}

static void check_second(int fd, const struct ktrace_shark_job *job)
{
	const struct content c = content(fd, job);
	unsigned int i;

	EXPECT_EQ(c.nr, 7);
	for (i = 0; i < 5; i++)
		check(&c, i, FTrace_EVT_ipoint | KTRACE_SHARK_FAST, 1000 * (i + 1), 0);
	check(&c, 5, FTrace_EVT_ipoint, 6000, 0);
	check(&c, 6, FTrace_EVT_trace_stop, 0, 0);
	stamps_ascend(&c);
}

/* Takes the two jobs of the example and reports their ends. */
static void serve_both(int fd, __u32 kind, __u32 flags)
{
	struct ktrace_shark_job job = next(fd);
	const __u32 first = job.chunk;

	EXPECT_EQ(job.kind, kind);
	EXPECT_EQ(job.flags, flags);
	check_first(fd, &job);
	EXPECT_ERRNO(end(fd, job.job, 0), 0);
	job = next(fd);
	EXPECT_EQ(job.kind, kind);
	EXPECT(job.chunk != first);
	EXPECT_EQ(job.flags, FTRACE_CHUNK_FLAG_JTN);
	EXPECT_EQ(job.normal_nr, 4000);
	check_second(fd, &job);
	EXPECT_ERRNO(end(fd, job.job, 0), 0);
}

/* ---- tests ---- */

static void test_disk(void)
{
	int fd = serve(KTRACE_SHARK_TO_DISK);
	pid_t pid = load_behind("disk=trace.dat");
	struct ktrace_shark_job job = next(fd);

	EXPECT_EQ(strcmp(job.name, "trace.dat"), 0);
	EXPECT_EQ(end(fd, job.job, 0), 0);
	EXPECT_EQ(end(fd, next(fd).job, 0), 0);
	loaded(pid, "0,0\n");
	pid = load_behind("disk=trace.dat");
	serve_both(fd, KTRACE_SHARK_TO_DISK, FTRACE_CHUNK_FLAG_CYC | FTRACE_CHUNK_FLAG_FULL);
	loaded(pid, "0,0\n");
}

static void test_udp(void)
{
	int fd = serve(KTRACE_SHARK_TO_DISK | KTRACE_SHARK_TO_UDP);
	pid_t pid = load_behind("udp=192.0.2.1");
	struct ktrace_shark_job job = next(fd);

	EXPECT_EQ(job.kind, KTRACE_SHARK_TO_UDP);
	EXPECT_EQ(strcmp(job.target, "192.0.2.1"), 0);
	EXPECT_EQ(job.local[0], 0);
	EXPECT_EQ(end(fd, job.job, 0), 0);
	EXPECT_EQ(end(fd, next(fd).job, 0), 0);
	loaded(pid, "0,0\n");
}

static void test_compress(void)
{
	int fd = serve(KTRACE_SHARK_TO_DISK);
	pid_t pid = load_behind("disk=trace.dat compress=1");

	serve_both(fd, KTRACE_SHARK_TO_DISK, FTRACE_CHUNK_FLAG_CYC | FTRACE_CHUNK_FLAG_COMPR);
	loaded(pid, "0,0\n");
}

static void test_no_sender(void)
{
	int fd = serve(KTRACE_SHARK_TO_UDP);

	loaded(load_behind("disk=trace.dat"), "-1,-1\n");
	EXPECT_EQ(dev_poll(fd, 0), 0);
	close(fd);
	loaded(load_behind("udp=192.0.2.1"), "-1,-1\n");
}

static void test_failure(void)
{
	int fd = serve(KTRACE_SHARK_TO_DISK);
	pid_t pid = load_behind("disk=trace.dat");

	EXPECT_ERRNO(end(fd, next(fd).job, -EIO), 0);
	EXPECT_ERRNO(end(fd, next(fd).job, 0), 0);
	loaded(pid, "-1,0\n");
}

static void test_death(void)
{
	int fd = serve(KTRACE_SHARK_TO_DISK);
	pid_t pid = load_behind("disk=trace.dat");

	next(fd);
	close(fd);
	loaded(pid, "-1,-1\n");
}

/* A module whose init was killed stays: what it waited for has failed. */
static void test_killed(void)
{
	int fd = serve(KTRACE_SHARK_TO_DISK), status;
	pid_t pid = load_behind("disk=trace.dat");
	struct ktrace_shark_job job = next(fd);
	char *p = map(fd, &job);

	kill(pid, SIGKILL);
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_ERRNO(end(fd, job.job, 0), ENOENT);
	EXPECT_ERRNO(mmap(NULL, job.map_size, PROT_READ, MAP_SHARED, fd, (off_t)job.map_off) ==
		     MAP_FAILED ? -1 : 0, ENXIO);
	unload();
	EXPECT_EQ((unsigned char)p[0], FTrace_filter_timer);	/* the pages are still ours */
}

static void test_later(void)
{
	int fd;

	loaded(load_behind("disk=trace.dat later=1"), "0,0\n");
	fd = serve(KTRACE_SHARK_TO_DISK);
	next(fd);
	close(fd);
	fd = serve(KTRACE_SHARK_TO_DISK);
	serve_both(fd, KTRACE_SHARK_TO_DISK, FTRACE_CHUNK_FLAG_CYC | FTRACE_CHUNK_FLAG_FULL);
	EXPECT_EQ(dev_poll(fd, 0), 0);
}

/* What could not be handed out is handed out again. */
static void test_nowhere(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct ktrace_shark_job *job = mmap(NULL, page, PROT_READ | PROT_WRITE,
					    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = serve(KTRACE_SHARK_TO_DISK);
	pid_t pid = load_behind("disk=trace.dat");

	EXPECT(job != MAP_FAILED);
	job->size = sizeof(*job);
	EXPECT_EQ(mprotect(job, page, PROT_READ), 0);
	EXPECT_EQ(dev_poll(fd, 60000), POLLIN);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_SHARK_NEXT, job), EFAULT);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_SHARK_NEXT, job), EFAULT);
	serve_both(fd, KTRACE_SHARK_TO_DISK, FTRACE_CHUNK_FLAG_CYC | FTRACE_CHUNK_FLAG_FULL);
	loaded(pid, "0,0\n");
}

static void test_mappings(void)
{
	int fd = serve(KTRACE_SHARK_TO_DISK);
	pid_t pid = load_behind("disk=trace.dat");
	struct ktrace_shark_job job = next(fd);
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const off_t off = (off_t)job.map_off;

	EXPECT_ERRNO((long)mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, off), EPERM);
	EXPECT_ERRNO((long)mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_SHARED, fd, off), EPERM);
	EXPECT_ERRNO((long)mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, off), EINVAL);
	EXPECT_ERRNO((long)mmap(NULL, job.map_size + page, PROT_READ, MAP_SHARED, fd, off),
		     EINVAL);
	EXPECT_ERRNO((long)mmap(NULL, page, PROT_READ, MAP_SHARED, fd,
				off + (off_t)job.map_size), EINVAL);
	EXPECT_ERRNO((long)mmap(NULL, page, PROT_READ, MAP_SHARED, fd,
				off + (1ll << KTRACE_MAP_SHIFT)), ENXIO);
	EXPECT_ERRNO(mprotect(map(fd, &job), page, PROT_READ | PROT_WRITE), EACCES);
	EXPECT_ERRNO(end(fd, job.job, 0), 0);
	EXPECT_ERRNO(end(fd, job.job, 0), ENOENT);
	EXPECT_ERRNO(end(fd, next(fd).job, 0), 0);
	loaded(pid, "0,0\n");
}

static void ask_as_user(void *arg)
{
	struct ktrace_shark_serve s = { .size = sizeof(s), .kinds = KTRACE_SHARK_TO_DISK };
	const int *fd = arg;

	dev_become_user(UID);
	EXPECT_ERRNO(ioctl(*fd, KTRACE_IOC_SHARK_SENDER, &s), EPERM);
}

static void test_rights(void)
{
	struct ktrace_shark_serve s = { .size = sizeof(s) };
	struct ktrace_shark_job job = { .size = sizeof(job) };
	struct ktrace_channel_spec channel = dev_spec(KTRACE_CHANNEL_KERNEL);
	int fd = dev_open(), other = dev_open();

	dev_in_child(ask_as_user, &fd);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_SHARK_NEXT, &job), EINVAL);
	EXPECT_ERRNO(end(fd, 1, 0), EINVAL);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_SHARK_SENDER, &s), EINVAL);
	s.kinds = 4;
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_SHARK_SENDER, &s), EINVAL);
	s.kinds = KTRACE_SHARK_TO_DISK;
	s.reserved = 1;
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_SHARK_SENDER, &s), EINVAL);
	s.reserved = 0;
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_SHARK_SENDER, &s), 0);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_SHARK_SENDER, &s), EBUSY);
	s.kinds |= KTRACE_SHARK_TO_UDP;
	EXPECT_ERRNO(ioctl(other, KTRACE_IOC_SHARK_SENDER, &s), EBUSY);
	s.kinds = KTRACE_SHARK_TO_UDP;
	EXPECT_ERRNO(ioctl(other, KTRACE_IOC_SHARK_SENDER, &s), 0);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_SHARK_NEXT, &job), EAGAIN);
	EXPECT_ERRNO(end(fd, 0, 0), ENOENT);
	EXPECT_ERRNO(end(fd, 0, 1), EINVAL);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_CHANNEL, &channel), EPERM);
	EXPECT_ERRNO(ioctl(fd, KTRACE_IOC_START), EPERM);
	EXPECT_ERRNO((long)mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0), ENXIO);
	EXPECT_EQ(dev_poll(fd, 0), 0);
	dev_info(fd);
}

static const struct dev_test tests[] = {
	{ "disk", test_disk },
	{ "udp", test_udp },
	{ "compress", test_compress },
	{ "no_sender", test_no_sender },
	{ "failure", test_failure },
	{ "death", test_death },
	{ "killed", test_killed },
	{ "later", test_later },
	{ "nowhere", test_nowhere },
	{ "mappings", test_mappings },
	{ "rights", test_rights },
};

int main(int argc, char **argv)
{
	if (argc == 3)
		module_file = argv[2];
	return dev_main(argc - (argc == 3), argv, tests, NELEM(tests));
}
