// SPDX-License-Identifier: GPL-2.0
/*
 * storm.c - controllers and traced programs that fork, execute programs, and are killed, stopped
 * and continued at any moment, and so are their keepers
 *
 *   posix_storm SECONDS SEED	in an empty folder, which logs go to
 *
 * Afterwards: each name had one id; whatever a stream or a log gave was in order, per process;
 * each log is complete whose keeper was not killed; no keeper is left, and no stream. What happened
 * is printed when it is over, and what should not have.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <trace.h>
#include <unistd.h>

#include "../../unit/check.h"

#define WORKERS 8
#define NAMES 60
#define PIDS (1u << 22)

/* What all processes of the storm share */
static struct shared {
	pid_t workers[WORKERS];
	uint32_t ids[NAMES];
	uint64_t logs, read, created, refused, shut, executed;
} *shared;

static const char *self;
static unsigned int seed;

static unsigned int pick(unsigned int nr)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % nr;
}

static void count(uint64_t *what)
{
	__atomic_fetch_add(what, 1, __ATOMIC_RELAXED);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void nap_ms(unsigned int ms)
{
	const struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

/* A name has the same id in each process that opens it. */
static trace_event_id_t open_name(void)
{
	const unsigned int nr = pick(NAMES);
	uint32_t known = 0;
	trace_event_id_t id;
	char name[32];

	snprintf(name, sizeof(name), "storm %u", nr);
	CHECK_EQ(posix_trace_eventid_open(name, &id), 0);
	CHECK(id != POSIX_TRACE_UNNAMED_USEREVENT);
	if (!__atomic_compare_exchange_n(&shared->ids[nr], &known, id, false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		CHECK_EQ(id, known);
	return id;
}

static void tell(trace_event_id_t id)
{
	for (unsigned int nr = pick(200); nr; nr--) {
		const uint64_t now = now_ns();

		posix_trace_event(id, &now, sizeof(now));
	}
}

/* Events of a process are in the order in which it told them. */
static void check_event(uint64_t *last, const struct posix_trace_event_info *info,
			const void *data, size_t len)
{
	const size_t pid = (size_t)info->posix_pid % PIDS;
	uint64_t ns;

	if (info->posix_event_id <= POSIX_TRACE_UNNAMED_USEREVENT)
		return;
	CHECK_EQ(len, sizeof(ns));
	memcpy(&ns, data, sizeof(ns));
	CHECK(ns > last[pid]);
	last[pid] = ns;
	count(&shared->read);
}

static uint64_t *new_lasts(void)
{
	uint64_t *last = mmap(NULL, PIDS * sizeof(*last), PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	CHECK(last != MAP_FAILED);
	return last;
}

static void read_log(const char *path)
{
	struct posix_trace_event_info info;
	uint64_t *last = new_lasts();
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	char data[64];
	trace_id_t trid;
	size_t len;
	int none = 0, error = posix_trace_open(fd, &trid);

	if (error) {
		fprintf(stderr, "%s: posix_trace_open: %d\n", path, error);
		exit(1);
	}
	while (!posix_trace_getnext_event(trid, &info, data, sizeof(data), &len, &none) && !none)
		check_event(last, &info, data, len);
	CHECK_EQ(posix_trace_close(trid), 0);
	close(fd);
	munmap(last, PIDS * sizeof(*last));
	count(&shared->logs);
}

/* A stream of a controller: @log is its file's name, if it has one */
struct made {
	trace_id_t trid;
	char log[64];
	int fd;
};

static pid_t some_pid(void)
{
	const pid_t pid = shared->workers[pick(WORKERS)];

	return pick(3) == 0 ? POSIX_TRACE_ALLPROC : pick(2) && pid > 0 ? pid : 0;
}

static bool make(struct made *m)
{
	static const int policies[] = {
		POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_FLUSH,
	}, log_policies[] = { POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND };
	static unsigned int nr;
	trace_attr_t attr;
	int error;

	CHECK_EQ(posix_trace_attr_init(&attr), 0);
	CHECK_EQ(posix_trace_attr_setstreamsize(&attr, 8192u << pick(4)), 0);
	CHECK_EQ(posix_trace_attr_setlogsize(&attr, 8192u << pick(6)), 0);
	CHECK_EQ(posix_trace_attr_setinherited(&attr, pick(2) ? POSIX_TRACE_INHERITED
							   : POSIX_TRACE_CLOSE_FOR_CHILD), 0);
	m->log[0] = '\0';
	m->fd = -1;
	if (pick(2)) {
		CHECK_EQ(posix_trace_attr_setstreamfullpolicy(&attr, policies[pick(3)]), 0);
		CHECK_EQ(posix_trace_attr_setlogfullpolicy(&attr, log_policies[pick(3)]), 0);
		snprintf(m->log, sizeof(m->log), "log.%d.%llu", getpid(),
			 (unsigned long long)now_ns() + nr++);
		m->fd = open(m->log, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		CHECK(m->fd >= 0);
		error = posix_trace_create_withlog(some_pid(), &attr, m->fd, &m->trid);
	} else {
		CHECK_EQ(posix_trace_attr_setstreamfullpolicy(&attr, policies[pick(2)]), 0);
		error = posix_trace_create(some_pid(), &attr, &m->trid);
	}
	posix_trace_attr_destroy(&attr);
	if (!error) {
		count(&shared->created);
		return true;
	}
	/* Who was to be traced may have ended, or the keeper been killed. */
	if (error != ESRCH && error != EAGAIN && error != ENOMEM) {
		fprintf(stderr, "create: %d\n", error);
		exit(1);
	}
	count(&shared->refused);
	if (m->fd >= 0) {
		close(m->fd);
		unlink(m->log);
	}
	return false;
}

static void read_some(const struct made *m)
{
	struct posix_trace_event_info info;
	uint64_t *last = new_lasts();
	unsigned int left = pick(3000);
	char data[64];
	size_t len;
	int none = 0;

	while (left-- && !posix_trace_trygetnext_event(m->trid, &info, data, sizeof(data), &len,
						       &none) && !none)
		check_event(last, &info, data, len);
	munmap(last, PIDS * sizeof(*last));
}

static void have_child(void)
{
	const pid_t pid = fork();

	if (pid > 0) {
		waitpid(pid, NULL, 0);
		return;
	}
	if (pid < 0)
		return;
	tell(open_name());
	_exit(0);
}

/* One thing that a controller does. EINVAL: the keeper was killed. */
static int act(const struct made *m)
{
	struct posix_trace_status_info status;
	trace_event_set_t set;

	switch (pick(12)) {
	case 0: case 1: case 2:
		return posix_trace_start(m->trid);
	case 3:
		return posix_trace_stop(m->trid);
	case 4:
		return pick(4) ? 0 : posix_trace_clear(m->trid);
	case 5: case 6:
		return m->log[0] ? posix_trace_flush(m->trid) : 0;
	case 7:
		return posix_trace_get_status(m->trid, &status);
	case 8:
		posix_trace_eventset_empty(&set);
		posix_trace_eventset_add(open_name(), &set);
		return posix_trace_set_filter(m->trid, &set, POSIX_TRACE_SET_EVENTSET);
	case 9:
		read_some(m);
		return 0;
	case 10:
		have_child();
		return 0;
	default:
		tell(open_name());
		return 0;
	}
}

static void end(const struct made *m)
{
	const int error = posix_trace_shutdown(m->trid);

	count(&shared->shut);
	if (!m->log[0])
		return;
	close(m->fd);
	if (!error) {
		read_log(m->log);
		unlink(m->log);
	}
}

static void execute(void)
{
	char text[16];

	count(&shared->executed);
	snprintf(text, sizeof(text), "%u", seed);
	execl(self, self, "worker", text, NULL);
	_exit(1);
}

static void work(void)
{
	struct made made[3];

	for (;;) {
		unsigned int nr = 0;

		tell(open_name());
		for (unsigned int i = pick(4); i; i--)
			nr += make(&made[nr]);
		for (unsigned int i = pick(60); i; i--) {
			if (nr)
				act(&made[pick(nr)]);
			tell(open_name());
			nap_ms(pick(3));
		}
		if (pick(8) == 0)
			execute();
		while (nr)
			end(&made[--nr]);
		if (pick(16) == 0)
			exit(0);
	}
}

/* The storm itself. */
static bool is_keeper(const char *pid, char log[64])
{
	char path[300], name[32] = "", where[256];
	const char *slash;
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? 0 : read(fd, name, sizeof(name) - 1);
	close(fd);
	if (len <= 0 || strcmp(name, "posix-keeper\n"))
		return false;
	snprintf(path, sizeof(path), "/proc/%s/fd/5", pid);
	len = readlink(path, where, sizeof(where) - 1);
	if (len <= 0)
		return false;
	where[len] = '\0';
	slash = strrchr(where, '/');
	if (!slash || strncmp(slash, "/log.", 5))
		return false;
	snprintf(log, 64, "%.60s", slash + 1);
	return true;
}

/* Does something to the keepers there are. Return: how many. */
static unsigned int keepers(void (*function)(pid_t pid, const char *log))
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	unsigned int nr = 0;
	char log[64];

	CHECK(dir);
	while ((entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]) && is_keeper(entry->d_name, log)) {
			function((pid_t)atoi(entry->d_name), log);
			nr++;
		}
	closedir(dir);
	return nr;
}

static void harm_keeper(pid_t pid, const char *log)
{
	static const int signals[] = { SIGSTOP, SIGCONT, SIGCONT, SIGTERM, SIGKILL };
	const int signal = signals[pick(5)];
	char mark[80];

	if (pick(10))
		return;
	if (signal == SIGKILL) {
		snprintf(mark, sizeof(mark), "killed.%s", log);
		close(open(mark, O_WRONLY | O_CREAT, 0600));
	}
	kill(pid, signal);
}

static void continue_keeper(pid_t pid, const char *log)
{
	(void)log;
	kill(pid, SIGCONT);
}

static void begin_worker(unsigned int i)
{
	const pid_t pid = fork();

	CHECK(pid >= 0);
	if (!pid) {
		seed += 77 * i;
		work();
	}
	shared->workers[i] = pid;
}

/* Return: whether it has ended by itself as it should, or not at all. */
static void look_at_worker(unsigned int i, int options)
{
	int status;

	if (!shared->workers[i] || waitpid(shared->workers[i], &status, options) <= 0)
		return;
	CHECK(WIFEXITED(status) ? !WEXITSTATUS(status) : WTERMSIG(status) == SIGKILL);
	shared->workers[i] = 0;
}

static void blow(void)
{
	const unsigned int i = pick(WORKERS);

	look_at_worker(i, WNOHANG);
	if (!shared->workers[i]) {
		begin_worker(i);
		return;
	}
	switch (pick(8)) {
	case 0: case 1:
		kill(shared->workers[i], SIGKILL);
		look_at_worker(i, 0);
		break;
	case 2:
		kill(shared->workers[i], SIGSTOP);
		break;
	case 3:
		keepers(harm_keeper);
		break;
	default:
		kill(shared->workers[i], SIGCONT);
	}
	nap_ms(pick(20));
}

static void calm(void)
{
	for (unsigned int i = 0; i < WORKERS; i++) {
		if (shared->workers[i])
			kill(shared->workers[i], SIGKILL);
		look_at_worker(i, 0);
	}
	for (int i = 0; i < 3000 && keepers(continue_keeper); i++)
		nap_ms(10);
	CHECK_EQ(keepers(continue_keeper), 0);
}

static void check_logs(void)
{
	DIR *dir = opendir(".");
	struct dirent *entry;
	char mark[300];
	struct stat st;

	CHECK(dir);
	while ((entry = readdir(dir))) {
		snprintf(mark, sizeof(mark), "killed.%s", entry->d_name);
		/* A process killed before its keeper knew the stream leaves an empty file. */
		if (strncmp(entry->d_name, "log.", 4) || !access(mark, F_OK) ||
		    stat(entry->d_name, &st) || !st.st_size)
			continue;
		read_log(entry->d_name);
	}
	closedir(dir);
}

/* A stream that is made finds those of the dead, and takes them away. */
static void make_one_more(void)
{
	trace_id_t trid;

	CHECK_EQ(posix_trace_create(0, NULL, &trid), 0);
	CHECK_EQ(posix_trace_shutdown(trid), 0);
}

int main(int argc, char **argv)
{
	uint64_t until;
	int fd;

	CHECK(argc == 3);
	self = "/proc/self/exe";
	seed = (unsigned int)strtoul(argv[2], NULL, 0);
	fd = open("shared", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	CHECK(fd >= 0 && !ftruncate(fd, sizeof(*shared)));
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(shared != MAP_FAILED);
	close(fd);
	if (!strcmp(argv[1], "worker"))
		work();
	until = now_ns() + strtoull(argv[1], NULL, 0) * 1000000000;
	while (now_ns() < until)
		blow();
	calm();
	check_logs();
	make_one_more();
	printf("%llu streams, %llu refused, %llu shut down, %llu programs executed, "
	       "%llu logs, %llu events read\n", (unsigned long long)shared->created,
	       (unsigned long long)shared->refused, (unsigned long long)shared->shut,
	       (unsigned long long)shared->executed, (unsigned long long)shared->logs,
	       (unsigned long long)shared->read);
	return 0;
}
