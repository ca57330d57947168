/* SPDX-License-Identifier: GPL-2.0 */
/* dev_counts.h - for dev_mutate.c: ioctls that are made, and how they went */
#ifndef TESTS_DEV_COUNTS_H
#define TESTS_DEV_COUNTS_H

#include <linux/ktrace_exec.h>
#include <linux/ktrace_shark.h>
#include "dev_random.h"

enum { ERROR_NR = 134 };

static const struct name {
	unsigned int request;
	const char *name;
} names[] = {
	{ KTRACE_IOC_CHANNEL, "channel" }, { KTRACE_IOC_START, "start" },
	{ KTRACE_IOC_STOP, "stop" }, { KTRACE_IOC_ENABLE, "enable" },
	{ KTRACE_IOC_FOLLOW, "follow" }, { KTRACE_IOC_INFO, "info" },
	{ KTRACE_IOC_ATTACH, "attach" }, { KTRACE_IOC_KEEP, "keep" },
	{ KTRACE_IOC_KEPT, "kept" }, { KTRACE_IOC_ADOPT, "adopt" },
	{ KTRACE_IOC_FILTER, "filter" }, { KTRACE_IOC_CONTEXT, "context" },
	{ KTRACE_IOC_COUNTER, "counter" }, { KTRACE_IOC_STACKS, "stacks" },
	{ KTRACE_IOC_TRACEPOINT, "tracepoint" }, { KTRACE_IOC_MISSED, "missed" },
	{ KTRACE_IOC_EXEC, "exec" },
	{ KTRACE_IOC_SHARK_SENDER, "shark-sender" }, { KTRACE_IOC_SHARK_NEXT, "shark-next" },
	{ KTRACE_IOC_SHARK_END, "shark-end" }, { 0, "other" },
};

enum { OTHER = NELEM(names) - 1, NAME_NR };

/* [0]: it worked. What a process of ours does counts as well. */
static struct counts {
	uint64_t ioctls[NAME_NR][ERROR_NR];
	uint64_t mapped[2], opened[2], passed, touched[2], forks, replays;
} *counts;

static inline unsigned int name_of(unsigned int request)
{
	const unsigned int size_bits = _IOC_SIZEMASK << _IOC_SIZESHIFT;
	unsigned int i;

	for (i = 0; i < OTHER; i++)
		if ((request & ~size_bits) == (names[i].request & ~size_bits))
			break;
	return i;
}

static inline void add(uint64_t *count)
{
	__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

static inline int call(int fd, unsigned int request, void *arg)
{
	const int err = ioctl(fd, request, arg) < 0 ? errno : 0;

	add(&counts->ioctls[name_of(request)][err < ERROR_NR ? err : ERROR_NR - 1]);
	return err;
}

static inline uint64_t ioctl_nr(void)
{
	uint64_t sum = 0;
	int i, k;

	for (i = 0; i < NAME_NR; i++)
		for (k = 0; k < ERROR_NR; k++)
			sum += counts->ioctls[i][k];
	return sum;
}

static inline void report(double seconds)
{
	int i, k;

	for (i = 0; i < NAME_NR; i++) {
		printf("%-12s %9llu worked", names[i].name,
		       (unsigned long long)counts->ioctls[i][0]);
		for (k = 1; k < ERROR_NR; k++)
			if (counts->ioctls[i][k])
				printf(", %s %llu", strerrorname_np(k),
				       (unsigned long long)counts->ioctls[i][k]);
		printf("\n");
	}
	printf("%llu ioctls in %llu replays and %llu forks, %.1f s\n",
	       (unsigned long long)ioctl_nr(), (unsigned long long)counts->replays,
	       (unsigned long long)counts->forks, seconds);
	printf("opened %llu, refused %llu, passed on %llu; mapped %llu, refused %llu; "
	       "touched %llu, not there %llu\n",
	       (unsigned long long)counts->opened[1], (unsigned long long)counts->opened[0],
	       (unsigned long long)counts->passed, (unsigned long long)counts->mapped[1],
	       (unsigned long long)counts->mapped[0], (unsigned long long)counts->touched[1],
	       (unsigned long long)counts->touched[0]);
}

#endif
