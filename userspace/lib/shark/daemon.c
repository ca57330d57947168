// SPDX-License-Identifier: LGPL-2.1
/*
 * daemon.c - asks ktraced to send the content of a chunk
 *
 * Once the request is sent, ktraced has the memory and finishes the work, even if this process
 * dies. <ktrace/shark_port.h> has the protocol. Each chunk has its own connection, so no state is
 * kept that fork() or closing all descriptors could break.
 */
#include "daemon.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/peer.h"

/* Makes the socket's address: a zero byte, then the name. Returns false without a session. */
static bool make_address(struct sockaddr_un *addr, socklen_t *size)
{
	const char *session = secure_getenv("KTRACE_SESSION");
	const size_t room = sizeof(addr->sun_path) - 1;
	int n;

	if (!session || !*session)
		return false;
	*addr = (struct sockaddr_un) { .sun_family = AF_UNIX };
	n = snprintf(addr->sun_path + 1, room, KTRACE_SHARK_PORT "%s", session);
	*size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
	return n > 0 && (size_t)n < room;
}

static int connect_daemon(void)
{
	struct sockaddr_un addr;
	struct ucred cred;
	socklen_t size;
	int fd;

	if (!make_address(&addr, &size))
		return -ENOTCONN;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -ENOTCONN;
	if (!connect(fd, (const struct sockaddr *)&addr, size) &&
	    peer_is_trusted(fd, &cred))
		return fd;
	close(fd);
	return -ENOTCONN;
}

bool daemon_is_there(void)
{
	int fd = connect_daemon();

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool send_request(int fd, struct ktrace_shark_request *request, int memory)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control = { .header = {
		.cmsg_len = CMSG_LEN(sizeof(int)),
		.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
	} };
	struct iovec iov = { request, sizeof(*request) };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	ssize_t n;

	memcpy(CMSG_DATA(&control.header), &memory, sizeof(memory));
	do {
		n = sendmsg(fd, &msg, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(*request);
}

static bool receive_answer(int fd, struct ktrace_shark_answer *answer)
{
	ssize_t n;

	do {
		n = recv(fd, answer, sizeof(*answer), 0);
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(*answer);
}

int daemon_send(struct ktrace_shark_request *request, const struct content *content)
{
	struct ktrace_shark_answer answer;
	int fd = content->fd < 0 ? -ENOTCONN : connect_daemon();
	bool is_done;

	if (fd < 0)
		return fd;
	request->magic = KTRACE_SHARK_REQUEST_MAGIC;
	request->size = sizeof(*request);
	request->bytes = content->bytes;
	is_done = send_request(fd, request, content->fd) && receive_answer(fd, &answer);
	close(fd);
	/* Without permission, or if ktraced is gone, this process sends by itself. */
	if (!is_done || answer.error == -EACCES)
		return -ENOTCONN;
	return answer.error < 0 ? answer.error : 0;
}
