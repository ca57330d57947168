// SPDX-License-Identifier: GPL-2.0
/*
 * uevent.c - kernel messages about CPUs and modules that come and go
 *
 * The kernel sends a message for each device that changes, "online@/devices/system/cpu/cpu1", and
 * for each module, "add@/module/ext4", after its initialisation. Polling the list of online CPUs
 * would not do: a CPU may have been off in between.
 */
#include "uevent.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#define FROM_KERNEL 1u		/* the kernel's own group; udev has another one */
#define MESSAGE_SIZE 4096

int uevent_open(void)
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

/* Reads the next message as text. Return: 0; -EAGAIN there is none; -ENOBUFS some were dropped */
static int next_message(int fd, char message[MESSAGE_SIZE])
{
	struct sockaddr_nl from;

	while (fd >= 0) {
		socklen_t size = sizeof(from);
		ssize_t n = recvfrom(fd, message, MESSAGE_SIZE - 1, 0, (struct sockaddr *)&from,
				     &size);

		if (n < 0 && errno == ENOBUFS)
			return -ENOBUFS;
		if (n < 0)
			break;
		message[n] = '\0';
		/* Ignores messages that programs have sent. */
		if (!from.nl_pid)
			return 0;
	}
	return -EAGAIN;
}

int uevent_next_cpu(int fd)
{
	char message[MESSAGE_SIZE];
	int cpu, error;

	while (!(error = next_message(fd, message)))
		if (sscanf(message, "%*[a-z]@/devices/system/cpu/cpu%d", &cpu) == 1)
			return cpu;
	return error;
}

int uevent_next_module(int fd, char name[UEVENT_MODULE_MAX])
{
	char message[MESSAGE_SIZE];
	int error;

	while (!(error = next_message(fd, message)))
		if (sscanf(message, "add@/module/%63[^/]", name) == 1)
			break;
	return error;
}
