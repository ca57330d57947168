/* SPDX-License-Identifier: LGPL-2.1 */
/* proc_stat.h - /proc/PID/stat: state, parent and start of a process or thread */
#ifndef KTRACE_BASE_PROC_STAT_H
#define KTRACE_BASE_PROC_STAT_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/read_text.h"

/**
 * struct proc_stat - fields of the file
 * @state:	a letter, as in ps(1)
 * @ppid:	parent
 * @flags:	PF_* of the kernel
 * @threads:	of the process
 * @start:	when it started, in ticks since boot; unique together with its pid
 */
struct proc_stat {
	char state;
	unsigned int ppid;
	unsigned long flags;
	long threads;
	unsigned long long start;
};

/* Reads an open file; returns false and zeros if it has ended. */
static inline bool proc_stat_get(int fd, struct proc_stat *s)
{
	char text[1024];
	const char *rest;

	*s = (struct proc_stat){ .state = 0 };
	read_text_of(fd, text, sizeof(text));
	/* The name is in parentheses and may contain anything. */
	rest = strrchr(text, ')');
	return rest && sscanf(rest, ") %c %u %*d %*d %*d %*d %lu %*u %*u %*u %*u %*u %*u %*d %*d "
			      "%*d %*d %ld %*d %llu", &s->state, &s->ppid, &s->flags, &s->threads,
			      &s->start) == 5;
}

/* Likewise by path; returns false also if it cannot be opened. */
static inline bool proc_stat_read(const char *path, struct proc_stat *s)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	const bool is_there = proc_stat_get(fd, s);

	if (fd >= 0)
		close(fd);
	return is_there;
}

static inline bool proc_stat_of(unsigned long pid, struct proc_stat *s)
{
	char path[48];

	snprintf(path, sizeof(path), "/proc/%lu/stat", pid);
	return proc_stat_read(path, s);
}

#endif
