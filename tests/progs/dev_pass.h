/* SPDX-License-Identifier: GPL-2.0 */
/* dev_pass.h - for tests of /dev/ktrace: descriptors that go to other processes */
#ifndef TESTS_DEV_PASS_H
#define TESTS_DEV_PASS_H

#include <sys/socket.h>
#include "dev.h"

static inline void send_fd(int to, int fd)
{
	char byte = 0, space[CMSG_SPACE(sizeof(int))] = "";
	struct iovec iov = { &byte, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = space,
			    .msg_controllen = sizeof(space) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	EXPECT_EQ(sendmsg(to, &m, 0), 1);
}

/* -1: none came. */
static inline int receive_fd(int from)
{
	char byte, space[CMSG_SPACE(sizeof(int))] = "";
	struct iovec iov = { &byte, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = space,
			    .msg_controllen = sizeof(space) };
	int fd = -1;

	if (recvmsg(from, &m, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&m))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
	return fd;
}

#endif
