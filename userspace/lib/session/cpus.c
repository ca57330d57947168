// SPDX-License-Identifier: LGPL-2.1
/*
 * cpus.c - which numbers CPUs can have
 *
 * sysconf(_SC_NPROCESSORS_CONF) only counts CPUs. That may be less than the highest number, if
 * there are gaps, and may include CPUs that a virtual machine could get.
 */
#include "internal.h"

#include <stdio.h>
#include <unistd.h>

#define CPUS "/sys/devices/system/cpu/"
#define NUMBER_MAX 65535

/* Returns the highest number in a list like "0-3,8-11"; -1: not a list */
static int highest(FILE *list)
{
	int number, last = -1, between = ',';

	while ((between == ',' || between == '-') && fscanf(list, "%5d", &number) == 1) {
		last = number > last ? number : last;
		between = getc(list);
	}
	return last;
}

static __u32 limit_in(const char *path)
{
	FILE *list = fopen(path, "re");
	long last = list ? highest(list) : -1;

	if (list)
		fclose(list);
	if (last < 0)
		last = sysconf(_SC_NPROCESSORS_CONF) - 1;
	return last >= 0 && last <= NUMBER_MAX ? (__u32)last + 1 : 1;
}

__u32 ktrace_cpu_limit(void)
{
	return limit_in(CPUS "possible");
}

__u32 cpus_present(void)
{
	return limit_in(CPUS "present");
}
