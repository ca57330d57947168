// SPDX-License-Identifier: GPL-2.0
/*
 * hotplug.c - which CPUs come and go, told by the kernel
 *
 * The kernel sends a message for each device that changes, here "online@/devices/system/cpu/cpu1".
 * Reading what is on now and then would not do: a CPU may have been off in between.
 */
#include "hotplug.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define FROM_KERNEL 1u		/* the kernel's own group; udev has another one */

int hotplug_open(void)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK, .nl_groups = FROM_KERNEL };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);
	int error;

	if (fd < 0)
		return -errno;
	if (!bind(fd, (const struct sockaddr *)&addr, sizeof(addr)))
		return fd;
	error = -errno;
	close(fd);
	return error;
}

int hotplug_next(int fd)
{
	struct sockaddr_nl from;
	char message[4096];
	int cpu;

	while (fd >= 0) {
		socklen_t size = sizeof(from);
		ssize_t n = recvfrom(fd, message, sizeof(message) - 1, 0,
				     (struct sockaddr *)&from, &size);

		if (n < 0 && errno == ENOBUFS)
			return -ENOBUFS;
		if (n < 0)
			break;
		message[n] = '\0';
		if (!from.nl_pid && sscanf(message, "%*[a-z]@/devices/system/cpu/cpu%d", &cpu) == 1)
			return cpu;
	}
	return -EAGAIN;
}
