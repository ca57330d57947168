// SPDX-License-Identifier: GPL-2.0
/*
 * keeper.c - a controller whose keeper cannot be started, is stopped, or is killed
 *
 *   posix_keeper CASE	see cases[]
 *
 * Status 0: all is as it should be.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <trace.h>
#include <unistd.h>

#include "../../unit/check.h"

#define LOG "keeper.log"
#define WHILE_MS 300

/* Opens the log's file again: descriptors of a stream are not to be touched. */
static int open_log(void)
{
	int fd = open(LOG, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	CHECK(fd >= 0);
	return fd;
}

static trace_id_t make_stream(int fd)
{
	trace_id_t trid;

	CHECK_EQ(posix_trace_create_withlog(0, NULL, fd, &trid), 0);
	CHECK_EQ(posix_trace_start(trid), 0);
	return trid;
}

static bool is_keeper_of(const char *pid, const struct stat *file)
{
	char path[64], name[32] = "";
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (read(fd, name, sizeof(name) - 1) < 0)
		name[0] = '\0';
	close(fd);
	snprintf(path, sizeof(path), "/proc/%.20s/fd/5", pid);
	return !strcmp(name, "posix-keeper\n") && !stat(path, &st) && st.st_ino == file->st_ino &&
	       st.st_dev == file->st_dev;
}

/* The keeper of the stream whose log is @fd */
static pid_t keeper_of(int fd)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	struct stat file;
	pid_t pid = 0;

	CHECK(dir && !fstat(fd, &file));
	while (!pid && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]) &&
		    is_keeper_of(entry->d_name, &file))
			pid = (pid_t)atoi(entry->d_name);
	closedir(dir);
	CHECK(pid);
	return pid;
}

static void nap(long ms)
{
	const struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

static __s64 now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (__s64)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Stops the keeper; a child sends it @signal a while later. */
static pid_t stop_for_a_while(pid_t keeper, int signal)
{
	pid_t pid;

	CHECK(!kill(keeper, SIGSTOP));
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		nap(WHILE_MS);
		_exit(kill(keeper, signal) ? 1 : 0);
	}
	return pid;
}

static int count_fds(void)
{
	int nr = 0;

	for (int fd = 0; fd < 1024; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

/* Every function that needs the keeper says EINVAL; what it had is freed. */
static void killed(void)
{
	struct posix_trace_event_info info;
	struct posix_trace_status_info status;
	int before = count_fds(), fd = open_log(), none;
	trace_id_t trid = make_stream(fd);
	trace_event_id_t id, known;
	trace_event_set_t set;
	char name[TRACE_EVENT_NAME_MAX + 1], data[8];
	size_t len;

	CHECK_EQ(posix_trace_eventid_open("known", &known), 0);
	CHECK(!kill(keeper_of(fd), SIGKILL));
	CHECK_EQ(posix_trace_get_status(trid, &status), EINVAL);
	CHECK_EQ(posix_trace_start(trid), EINVAL);
	CHECK_EQ(posix_trace_stop(trid), EINVAL);
	CHECK_EQ(posix_trace_clear(trid), EINVAL);
	CHECK_EQ(posix_trace_flush(trid), EINVAL);
	CHECK_EQ(posix_trace_get_filter(trid, &set), EINVAL);
	CHECK_EQ(posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET), EINVAL);
	CHECK_EQ(posix_trace_trid_eventid_open(trid, "new", &id), EINVAL);
	CHECK_EQ(posix_trace_eventid_get_name(trid, known, name), EINVAL);
	CHECK_EQ(posix_trace_eventtypelist_getnext_id(trid, &id, &none), EINVAL);
	CHECK_EQ(posix_trace_getnext_event(trid, &info, data, sizeof(data), &len, &none), EINVAL);
	CHECK_EQ(posix_trace_trygetnext_event(trid, &info, data, sizeof(data), &len, &none),
		 EINVAL);
	posix_trace_event(known, "", 1);
	CHECK_EQ(posix_trace_shutdown(trid), EINVAL);
	CHECK_EQ(posix_trace_shutdown(trid), EINVAL);
	close(fd);
	CHECK_EQ(count_fds(), before);
	trid = make_stream(fd = open_log());
	CHECK_EQ(posix_trace_shutdown(trid), 0);
}

/* A call waits for a keeper that is stopped, until it goes on, or is killed. */
static void stopped(void)
{
	int fd = open_log(), status;
	trace_id_t trid = make_stream(fd);
	const pid_t keeper = keeper_of(fd);
	__s64 begin = now_ms();
	trace_event_id_t id;

	CHECK_EQ(posix_trace_eventid_open("told", &id), 0);
	stop_for_a_while(keeper, SIGCONT);
	posix_trace_event(id, "", 1);	/* who records waits for nobody */
	CHECK(now_ms() - begin < WHILE_MS);
	CHECK_EQ(posix_trace_stop(trid), 0);
	CHECK(now_ms() - begin >= WHILE_MS);
	CHECK(wait(&status) > 0 && !status);
	stop_for_a_while(keeper, SIGKILL);
	CHECK_EQ(posix_trace_flush(trid), EINVAL);
	CHECK(wait(&status) > 0 && !status);
	CHECK_EQ(posix_trace_shutdown(trid), EINVAL);
}

static void limit_fds(rlim_t nr)
{
	struct rlimit limit;

	CHECK(!getrlimit(RLIMIT_NOFILE, &limit));
	limit.rlim_cur = nr;
	CHECK(!setrlimit(RLIMIT_NOFILE, &limit));
}

/* Whatever a controller's limit of descriptors: it has its log, or is told ENOMEM. */
static void few_descriptors(void)
{
	int fd = open_log(), before = count_fds(), errors = 0;
	trace_id_t trid;

	for (rlim_t nr = 64; nr > (rlim_t)fd; nr--) {
		int error;

		limit_fds(nr);
		error = posix_trace_create_withlog(0, NULL, fd, &trid);
		if (error)
			CHECK_EQ(error, ENOMEM);
		else
			CHECK_EQ(posix_trace_shutdown(trid), 0);
		errors += error != 0;
		limit_fds(64);
		CHECK_EQ(count_fds(), before);
	}
	CHECK(errors && errors <= 6);
}

/* There may be no more processes, or threads: ENOMEM. */
static void few_processes(void)
{
	int fd = open_log();
	trace_id_t trid;

	CHECK(geteuid());	/* root has no such limit */
	for (rlim_t nr = 0; nr < 4; nr++) {
		const struct rlimit limit = { nr, 4 };
		int error;

		CHECK(!setrlimit(RLIMIT_NPROC, &limit));
		error = posix_trace_create_withlog(0, NULL, fd, &trid);
		if (error)
			CHECK_EQ(error, ENOMEM);
		else
			CHECK_EQ(posix_trace_shutdown(trid), 0);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "killed", killed },
	{ "stopped", stopped },
	{ "few_descriptors", few_descriptors },
	{ "few_processes", few_processes },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (argc == 2 && !strcmp(argv[1], cases[i].name)) {
			cases[i].run();
			return 0;
		}
	fprintf(stderr, "usage: posix_keeper CASE\n");
	return 2;
}
