// SPDX-License-Identifier: LGPL-2.1
/*
 * client.c - start a keeper and talk to it
 *
 * The keeper is not a child of this process, which would otherwise get SIGCHLD and see it in
 * wait(): an intermediate child, whose end sends no signal, starts the keeper and exits. Both share
 * our memory until the keeper's image is executed, as with posix_spawn(3), so nothing is copied.
 */
#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/libexec.h"

#define STACK_SIZE 65536

/**
 * struct posix_client - see client.h
 * @fd:		socket
 * @nr:		slot in the registry
 * @attr:	attributes of the stream
 * @data:	data of the last answer
 */
struct posix_client {
	int fd;
	__u32 nr;
	struct posix_attr attr;
	char data[POSIX_DATA_MAX];
};

/* Data for the children, which share our memory. */
struct spawn {
	const char *path;
	char *stack;
	int fds[3];
	int error;
};

/* Moves the descriptors to where the keeper expects them. Returns 0 or -1. */
static int place_fds(const struct spawn *s)
{
	const int null = open("/dev/null", O_RDWR);
	int fds[RPC_FD_NR - RPC_FD_SOCKET];

	for (int i = 0; i < RPC_FD_NR - RPC_FD_SOCKET; i++) {
		fds[i] = fcntl(s->fds[i] >= 0 ? s->fds[i] : null, F_DUPFD, RPC_FD_NR);
		if (fds[i] < 0)
			return -1;
	}
	for (int i = 0; i < RPC_FD_NR; i++)
		if (dup2(i < RPC_FD_SOCKET ? null : fds[i - RPC_FD_SOCKET], i) < 0)
			return -1;
	return 0;
}

/* Executes the keeper, with its descriptors and no others. */
static int start_keeper(void *arg)
{
	struct spawn *s = arg;
	char *const argv[] = { (char *)"posix-keeper", NULL };

	/* The keeper opens files of its own, whatever limit its controller has. */
	descriptors_allow_all();
	if (!place_fds(s)) {
		syscall(SYS_close_range, RPC_FD_NR, ~0u, 0);
		execv(s->path, argv);
	}
	s->error = errno;
	_exit(127);
}

static int start_child(void *arg)
{
	struct spawn *s = arg;

	if (clone(start_keeper, s->stack + STACK_SIZE, CLONE_VM | CLONE_VFORK | SIGCHLD, s) < 0)
		s->error = errno;
	_exit(0);
}

static int spawn(struct spawn *s)
{
	char *stack = mmap(NULL, 2 * STACK_SIZE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigset_t all, saved;
	pid_t pid;

	if (stack == MAP_FAILED)
		return ENOMEM;
	s->stack = stack;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	pid = clone(start_child, stack + 2 * STACK_SIZE, CLONE_VM | CLONE_VFORK, s);
	if (pid < 0)
		s->error = errno;
	else
		waitpid(pid, NULL, __WCLONE);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	munmap(stack, 2 * STACK_SIZE);
	return s->error ? ENOMEM : 0;
}

/* Returns a descriptor; -1 if this kernel has none; -2 if no descriptor is available. */
static int open_self(void)
{
	const int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);

	return fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM) ? -2 : fd;
}

static int start(int log_fd, int *fd)
{
	char path[PATH_MAX];
	struct spawn s = { .path = path };
	int pair[2], process, error = ENOMEM;

	if (!libexec_find(path, "posix-keeper", (void *)start_keeper))
		return ENOMEM;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return ENOMEM;
	process = open_self();
	s.fds[0] = pair[1];
	s.fds[1] = process;
	s.fds[2] = log_fd;
	if (process >= -1)
		error = spawn(&s);
	if (process >= 0)
		close(process);
	close(pair[1]);
	if (error)
		close(pair[0]);
	else
		*fd = pair[0];
	return error;
}

/* Returns true if the keeper has answered. */
static bool exchange(struct posix_client *c, const struct rpc_request *request,
		     struct rpc_answer *answer)
{
	struct iovec iov[2] = { { answer, sizeof(*answer) }, { c->data, sizeof(c->data) } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };
	ssize_t n;

	do
		n = send(c->fd, request, sizeof(*request), MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return false;
	do
		n = recvmsg(c->fd, &msg, 0);
	while (n < 0 && errno == EINTR);
	return n >= (ssize_t)sizeof(*answer) &&
	       (!answer->has_event || answer->head.size <= (size_t)n - sizeof(*answer));
}

int ktrace_posix_client_ask(struct posix_client *c, const struct rpc_request *request,
			    struct rpc_answer *answer)
{
	return exchange(c, request, answer) ? answer->error : EINVAL;
}

int ktrace_posix_client_create(const struct rpc_request *create, int log_fd,
			       struct posix_client **out)
{
	struct posix_client *c = calloc(1, sizeof(*c));
	struct rpc_answer answer;
	int error;

	if (!c)
		return ENOMEM;
	error = start(log_fd, &c->fd);
	if (error) {
		free(c);
		return error;
	}
	error = exchange(c, create, &answer) ? answer.error : ENOMEM;
	if (error) {
		ktrace_posix_client_free(c);
		return error;
	}
	c->nr = answer.nr;
	c->attr = answer.attr;
	*out = c;
	return 0;
}

const void *ktrace_posix_client_data(const struct posix_client *c)
{
	return c->data;
}

const struct posix_attr *ktrace_posix_client_attr(const struct posix_client *c)
{
	return &c->attr;
}

__u32 ktrace_posix_client_nr(const struct posix_client *c)
{
	return c->nr;
}

void ktrace_posix_client_free(struct posix_client *c)
{
	if (!c)
		return;
	close(c->fd);
	free(c);
}
