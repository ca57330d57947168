// SPDX-License-Identifier: GPL-2.0
/*
 * dying.c - ktraced processes that have been killed but still exist
 *
 * kill(2) returns at once; a process with gigabytes of buffers takes a while to end. It is dying
 * if one of its threads has SIGKILL pending or is exiting, or if one has ended while another one
 * is left. For a moment between the first two states a thread shows neither, so a process that
 * looks alive is checked several times.
 */
#include "dying.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/proc_stat.h"
#include "base/read_text.h"
#include "log.h"

#define WAIT_NS 10000000000ull
#define NAP_NS 5000000
/* Checks of a process that looks alive */
#define LOOKS 3
#define PATH_SIZE 96
/* A bit of the field flags of /proc/PID/stat: the thread has begun to exit */
#define EXITING 0x4ul
#define KILL_BIT 0x100ull

enum life { LIFE_NONE, LIFE_GONE, LIFE_DYING, LIFE_ALIVE };

static bool is_killed(const char *folder)
{
	static const char *const keys[] = { "\nSigPnd:\t", "\nShdPnd:\t" };
	char path[PATH_SIZE + 8], text[4096];
	const char *at;

	snprintf(path, sizeof(path), "%s/status", folder);
	read_text(path, text, sizeof(text));
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		at = strstr(text, keys[i]);
		if (at && strtoull(at + strlen(keys[i]), NULL, 16) & KILL_BIT)
			return true;
	}
	return false;
}

/* Returns the state of the thread whose folder in /proc is @folder. */
static enum life life_of(const char *folder)
{
	char path[PATH_SIZE + 8];
	struct proc_stat stat;

	snprintf(path, sizeof(path), "%s/stat", folder);
	if (!proc_stat_read(path, &stat))
		return LIFE_NONE;
	if (strchr("ZX", stat.state))
		return LIFE_GONE;
	return stat.flags & EXITING || is_killed(folder) ? LIFE_DYING : LIFE_ALIVE;
}

/* Returns LIFE_GONE if all its threads have ended: it has no open files any more. */
static enum life life_of_process(unsigned long pid)
{
	bool has[LIFE_ALIVE + 1] = { false };
	char folder[PATH_SIZE];
	struct dirent *e;
	DIR *dir;

	snprintf(folder, sizeof(folder), "/proc/%lu/task", pid);
	dir = opendir(folder);
	while (dir && (e = readdir(dir))) {
		if (!isdigit((unsigned char)*e->d_name))
			continue;
		snprintf(folder, sizeof(folder), "/proc/%lu/task/%.16s", pid, e->d_name);
		has[life_of(folder)] = true;
	}
	if (dir)
		closedir(dir);
	if (has[LIFE_DYING] || (has[LIFE_GONE] && has[LIFE_ALIVE]))
		return LIFE_DYING;
	return has[LIFE_ALIVE] ? LIFE_ALIVE : LIFE_GONE;
}

static bool is_ktraced(unsigned long pid)
{
	char path[PATH_SIZE], name[32];

	snprintf(path, sizeof(path), "/proc/%lu/comm", pid);
	read_line(path, name, sizeof(name));
	return pid != (unsigned long)getpid() && !strcmp(name, "ktraced");
}

/*
 * Returns LIFE_DYING if another ktraced is dying, else LIFE_ALIVE if one is alive, else LIFE_NONE.
 * @pid: out: which one
 */
static enum life look(unsigned long *pid)
{
	enum life most = LIFE_NONE, life;
	DIR *dir = opendir("/proc");
	struct dirent *e;

	while (dir && most != LIFE_DYING && (e = readdir(dir))) {
		const unsigned long number = strtoul(e->d_name, NULL, 10);

		if (!number || !is_ktraced(number))
			continue;
		life = life_of_process(number);
		if (life == LIFE_DYING || (life == LIFE_ALIVE && most != LIFE_DYING)) {
			most = life;
			*pid = number;
		}
	}
	if (dir)
		closedir(dir);
	return most;
}

void dying_wait(void)
{
	static const struct timespec nap = { .tv_nsec = NAP_NS };
	const __u64 end = now_ns() + WAIT_NS;
	unsigned long pid = 0;
	unsigned int looks = 0;
	enum life life;

	for (;;) {
		life = look(&pid);
		looks = life == LIFE_ALIVE ? looks + 1 : 0;
		if ((life != LIFE_DYING && life != LIFE_ALIVE) || looks == LOOKS)
			return;
		if (now_ns() >= end)
			break;
		nanosleep(&nap, NULL);
	}
	log_note("ktraced %lu was killed but has not ended yet; its session cannot be recovered "
		 "until it has", pid);
}
