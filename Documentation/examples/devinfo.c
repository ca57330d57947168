/* SPDX-License-Identifier: MIT */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <linux/ktrace.h>

int main(void)
{
	struct ktrace_info info = { .size = sizeof(info) };
	int fd = open("/dev/ktrace", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		err(1, "/dev/ktrace");
	if (ioctl(fd, KTRACE_IOC_INFO, &info))
		err(1, "KTRACE_IOC_INFO");
	printf("version %u, %s\n", info.abi,
	       info.clock == KTRACE_CLOCK_TSC ? "cycle counter" : "monotonic clock");
	return 0;
}
