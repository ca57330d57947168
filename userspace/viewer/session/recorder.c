// SPDX-License-Identifier: GPL-2.0
/* recorder.c - runs ktraced and takes the parts of its recording as they appear */
#include "recorder.h"

#include "base/clock.h"
#include "base/temporary.h"
#include "base/viewer.h"

#include <ktrace/port.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Room for ktraced's own arguments; those of the command follow. */
#define ARGS_OWN 16
/*
 * A command that runs on after SIGTERM no longer belongs to the session: a second SIGTERM ends
 * ktraced.
 */
#define PATIENCE_MS 3000
/* End of a part's name; a part still being made has another one. */
#define PART_END ".bin"
/* A part with lost events is not merged, so parts are kept small compared to a buffer. */
#define PART_SIZE (1 << 20)
#define SPEAKER "ktraced: "

/* Finds a program in bin/, two levels above this one's folder. */
static bool find_program(const char *name, char *path, size_t size)
{
	const ssize_t n = readlink("/proc/self/exe", path, size - 1);
	char *slash;
	size_t room;

	if (n < 0)
		return false;
	path[n] = '\0';
	slash = strrchr(path, '/');
	room = slash ? size - (size_t)(slash - path) : 0;
	return slash && (size_t)snprintf(slash, room, "/../../bin/%s", name) < room;
}

pid_t program_start(const char *name, char **args, int stderr_fd, int kept_fd)
{
	const pid_t parent = getpid();
	char path[4096];
	sigset_t none;
	pid_t pid;

	if (!find_program(name, path, sizeof(path)))
		return -ENOENT;
	pid = fork();
	if (pid)
		return pid < 0 ? -errno : pid;
	/* Ends with us, as a recording whose parts nobody takes would never end. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(127);
	if (stderr_fd >= 0)
		dup2(stderr_fd, STDERR_FILENO);
	if (kept_fd >= 0)
		fcntl(kept_fd, F_SETFD, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execv(path, args);
	complain_about(path, "%s", strerror(errno));
	_exit(127);
}

static int start_ktraced(struct recorder *r, const char *events, bool is_kernel, char **words,
			 int nr, int stderr_fd)
{
	char output[sizeof(r->folder) + 16];
	char **args = calloc(ARGS_OWN + (size_t)nr + 1, sizeof(*args));
	/* Never splits by itself: only we end parts, so that we know what each contains. */
	const char *own[] = { "ktraced", "-q", "--split-time", "8760h", "-o", output,
			      "-e", events, is_kernel ? "--all" : NULL };
	size_t n = 0;

	if (!args)
		return -ENOMEM;
	snprintf(output, sizeof(output), "%s/t" PART_END, r->folder);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]) && own[i]; i++)
		args[n++] = (char *)own[i];
	if (nr)
		args[n++] = (char *)"--";
	for (int i = 0; i < nr; i++)
		args[n++] = words[i];
	r->pid = program_start("ktraced", args, stderr_fd, -1);
	free(args);
	return r->pid < 0 ? r->pid : 0;
}

int recorder_begin(struct recorder *r, const char *events, bool is_kernel, char **words, int nr)
{
	int fds[2], ret;

	*r = (struct recorder){ .user = r->user, .dir_fd = -1, .watch_fd = -1, .said_fd = -1 };
	ret = snprintf(r->folder, sizeof(r->folder), "%s/ktrace-session-XXXXXX",
		       temporary_folder());
	if ((size_t)ret >= sizeof(r->folder)) {
		r->folder[0] = '\0';
		return -ENAMETOOLONG;
	}
	if (!mkdtemp(r->folder)) {
		ret = -errno;
		r->folder[0] = '\0';
		return ret;
	}
	r->dir_fd = open(r->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r->dir_fd < 0)
		return -errno;
	snprintf(r->dir, sizeof(r->dir), "/proc/self/fd/%d", r->dir_fd);
	r->watch_fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (r->watch_fd < 0 ||
	    inotify_add_watch(r->watch_fd, r->dir, IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE) < 0)
		return -errno;
	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	r->said_fd = fds[0];
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	ret = start_ktraced(r, events, is_kernel, words, nr, fds[1]);
	close(fds[1]);
	if (ret)
		r->pid = 0;
	return ret;
}

static void signal_part(struct recorder *r)
{
	r->is_wanted = false;
	r->asked++;
	kill(r->pid, SIGUSR1);
}

__u64 recorder_ask(struct recorder *r)
{
	if (!r->pid || r->ending_ms)
		return r->done;
	if (r->is_there && r->asked == r->done) {
		signal_part(r);
		return r->asked;
	}
	/* ktraced does not retry by itself, and reports the failure only once. */
	if (r->has_failed)
		kill(r->pid, SIGUSR1);
	/* The part on its way may have ended before this call. */
	r->is_wanted = true;
	return r->asked + 1;
}

bool recorder_has_much(const struct recorder *r)
{
	struct stat st;

	return r->is_there && r->asked == r->done && !fstatat(r->dir_fd, r->part, &st, 0) &&
	       st.st_size > PART_SIZE;
}

/* Any process may own a socket with that pid; only ktraced itself answers. */
char *recorder_session(const struct recorder *r)
{
	size_t nr = 0, mine = 0;
	struct ktrace_port *list = ktrace_port_list_all(&nr);
	char **answers = calloc(nr + 1, sizeof(*answers)), *value = NULL;
	int *errors = calloc(nr + 1, sizeof(*errors));

	for (size_t i = 0; list && i < nr; i++)
		if (list[i].pid == (__u32)r->pid && list[i].uid == geteuid())
			list[mine++] = list[i];
	if (list && answers && errors)
		ktrace_port_ask_all(list, mine, "show", answers, errors);
	for (size_t i = 0; answers && i < mine; i++) {
		if (answers[i] && !value)
			value = ktrace_port_value(answers[i], "session");
		free(answers[i]);
	}
	free(list);
	free(answers);
	free(errors);
	return value;
}

void recorder_end(struct recorder *r)
{
	if (r->ending_ms)
		return;
	r->ending_ms = now_ms();
	if (r->pid)
		kill(r->pid, SIGTERM);
}

/* Exports the packets of a part to a file, and hands over both. */
static int export_part(struct recorder *r, char *from)
{
	char packets[sizeof(r->dir) + 16];
	char *args[] = { (char *)"ktrace", (char *)"export", (char *)"--to", (char *)"perfetto",
			 (char *)"--apart", (char *)"-o", packets, from, NULL };
	int status = 1, ret;
	pid_t pid;

	snprintf(packets, sizeof(packets), "%s/packets", r->dir);
	pid = program_start("ktrace", args, -1, r->dir_fd);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid <= 0 || status)
		r->user.error(r->user.arg, "a part of the recording could not be exported");
	ret = r->user.part(r->user.arg, from, access(packets, R_OK) ? NULL : packets);
	unlink(packets);
	return ret;
}

static bool is_part(const char *name)
{
	const size_t n = strlen(name), end = strlen(PART_END);

	return n > end && !strncmp(name, "t.", 2) && !strcmp(name + n - end, PART_END);
}

static int take_part(struct recorder *r, const char *name)
{
	char path[sizeof(r->dir) + NAME_MAX + 2];
	int ret;

	snprintf(path, sizeof(path), "%s/%s", r->dir, name);
	if (access(path, R_OK)) {
		r->user.error(r->user.arg, "a part of the recording is gone");
		return 0;
	}
	ret = export_part(r, path);
	unlink(path);
	return ret;
}

static int see_file(struct recorder *r, const struct inotify_event *e)
{
	int ret;

	if (!e->len || !is_part(e->name))
		return 0;
	if (!(e->mask & IN_CLOSE_WRITE)) {
		r->is_there = true;
		snprintf(r->part, sizeof(r->part), "%s", e->name);
		return 0;
	}
	ret = take_part(r, e->name);
	r->done = r->asked;
	r->has_failed = false;
	return ret;
}

static int see_files(struct recorder *r)
{
	char buf[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	const struct inotify_event *e;
	int ret = 0;
	ssize_t n;

	while (!ret && (n = read(r->watch_fd, buf, sizeof(buf))) > 0)
		for (char *at = buf; !ret && at < buf + n; at += sizeof(*e) + e->len) {
			e = (const struct inotify_event *)(const void *)at;
			ret = see_file(r, e);
		}
	if (r->pid && r->is_there && r->is_wanted && r->asked == r->done && !r->ending_ms)
		signal_part(r);
	return ret;
}

static void take_line(struct recorder *r)
{
	r->said[r->said_len] = '\0';
	r->said_len = 0;
	if (strncmp(r->said, SPEAKER, strlen(SPEAKER)) != 0)
		return;
	r->has_failed = r->asked != r->done;
	r->user.error(r->user.arg, r->said + strlen(SPEAKER));
}

/* Reads standard error of ktraced and its command; copies all of it to ours. */
static void hear(struct recorder *r)
{
	char buf[1024];
	ssize_t n;

	while (r->said_fd >= 0 && (n = read(r->said_fd, buf, sizeof(buf))) > 0) {
		fwrite(buf, 1, (size_t)n, stderr);
		for (ssize_t i = 0; i < n; i++) {
			if (buf[i] == '\n')
				take_line(r);
			else if (r->said_len < sizeof(r->said) - 1)
				r->said[r->said_len++] = buf[i];
		}
	}
	if (r->said_fd >= 0 && !n) {
		if (r->said_len)
			take_line(r);
		close(r->said_fd);
		r->said_fd = -1;
	}
}

static int compare(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int filter(const struct dirent *e)
{
	return is_part(e->d_name);
}

/* Takes the remaining parts once ktraced has ended. */
static int take_rest(struct recorder *r)
{
	struct dirent **list;
	const int nr = scandir(r->dir, &list, filter, compare);
	int ret = 0;

	for (int i = 0; i < nr; i++) {
		if (!ret)
			ret = take_part(r, list[i]->d_name);
		free(list[i]);
	}
	if (nr >= 0)
		free(list);
	r->done = r->asked;
	return ret;
}

static int check_end(struct recorder *r)
{
	char text[64];
	int status, ret;

	if (r->ending_ms && !r->is_pressed && now_ms() - r->ending_ms > PATIENCE_MS) {
		r->is_pressed = true;
		kill(r->pid, SIGTERM);
	}
	if (waitpid(r->pid, &status, WNOHANG) != r->pid)
		return 0;
	r->pid = 0;
	r->is_wanted = false;
	hear(r);
	if (WIFSIGNALED(status) && !r->is_pressed) {
		snprintf(text, sizeof(text), "killed by signal %d", WTERMSIG(status));
		r->user.error(r->user.arg, text);
	}
	/* First the parts that inotify has reported, as each must be handed over once. */
	ret = see_files(r);
	return ret ? ret : take_rest(r);
}

int recorder_serve(struct recorder *r)
{
	int ret;

	hear(r);
	ret = see_files(r);
	return !ret && r->pid ? check_end(r) : ret;
}

bool recorder_is_over(const struct recorder *r)
{
	return !r->pid;
}

static void remove_folder(const struct recorder *r)
{
	DIR *d = r->dir_fd >= 0 ? opendir(r->dir) : NULL;
	const struct dirent *e;

	while (d && (e = readdir(d)))
		unlinkat(r->dir_fd, e->d_name, 0);
	if (d)
		closedir(d);
	rmdir(r->folder);
}

void recorder_free(struct recorder *r)
{
	const struct timespec moment = { .tv_nsec = 10000000 };

	recorder_end(r);
	while (r->pid && waitpid(r->pid, NULL, WNOHANG) != r->pid) {
		if (!r->is_pressed && now_ms() - r->ending_ms > PATIENCE_MS) {
			r->is_pressed = true;
			kill(r->pid, SIGTERM);
		}
		nanosleep(&moment, NULL);
	}
	r->pid = 0;
	if (r->watch_fd >= 0)
		close(r->watch_fd);
	if (r->said_fd >= 0)
		close(r->said_fd);
	if (*r->folder)
		remove_folder(r);
	if (r->dir_fd >= 0)
		close(r->dir_fd);
}
