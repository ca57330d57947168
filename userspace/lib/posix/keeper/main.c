// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - posix-keeper: owns a stream for a controller, which may die at any time
 *
 * libktrace-posix starts it, see rpc.h. It answers one request after the other. When the controller
 * shuts the stream down, ends, is killed or executes another program, it writes the rest into the
 * log, completes it, and ends (PTRC-28).
 *
 * If traced processes truncate the shared memory, empty pages replace it.
 */
#include "keeper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "posix/registry/names.h"
#include "posix/registry/place_types.h"

static struct keeper keeper = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.log_lock = PTHREAD_MUTEX_INITIALIZER,
	.changed = PTHREAD_COND_INITIALIZER,
};

static struct posix_registry *registry;	/* also used by the SIGBUS handler */
static int registry_fd = -1;		/* keeps the registry while this process lives */

static void mend(int sig, siginfo_t *info, void *context)
{
	char *page = (char *)((unsigned long)info->si_addr & ~4095ul);

	(void)context;
	/* The file outlives the session; another process may have truncated it. */
	if (registry && page >= (char *)registry && page < (char *)(registry + 1)) {
		if (mmap(page, 4096, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED)
			return;
	} else if (keeper.stream &&
		   ktrace_session_mend(ktrace_posix_stream_session(keeper.stream),
				       info->si_addr)) {
		return;
	}
	signal(sig, SIG_DFL);
}

static void set_signals(void)
{
	static const int ignored[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGXFSZ, SIGTSTP,
				       SIGTERM };
	struct sigaction action = { .sa_sigaction = mend, .sa_flags = SA_SIGINFO };
	sigset_t none;

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	sigaction(SIGBUS, &action, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	if (chdir("/"))
		return;
}

/* Gives programs of another user access to the rings; the folder stays ours. */
static int hand_over(uid_t uid)
{
	struct ktrace_session_info info;
	const char *where;
	char path[128];
	char *slash;

	/* Do not use the registry, which that user can write to. */
	ktrace_session_info(ktrace_posix_stream_session(keeper.stream), &info);
	where = info.env;
	if (uid == geteuid() || strncmp(where, "shm:", 4))
		return 0;
	snprintf(path, sizeof(path), "%s", where + 4);
	slash = strrchr(path, '/');
	if (!slash || lchown(path, uid, (gid_t)-1))
		return EPERM;
	*slash = '\0';
	return chmod(path, 0711) ? EPERM : 0;
}

static int open_log(const struct posix_attr *attr)
{
	struct ktrace_session *session = ktrace_posix_stream_session(keeper.stream);
	struct posix_log_origin origin = { .clock = "monotonic" };
	struct ktrace_session_info info;
	int error;

	ktrace_session_info(session, &info);
	origin.backend = info.backend;
	if (info.clock == KTRACE_CLOCK_TSC)
		origin.clock = "tsc";
	ktrace_session_clock(session, &origin.now);
	error = ktrace_posix_log_open(RPC_FD_LOG, attr, &origin, &keeper.log);
	return error ? error : keeper_start_flusher(&keeper);
}

static int create(struct rpc_request *r, struct rpc_answer *a)
{
	/*
	 * This process owns the slot: after the controller's death, it still has to complete the
	 * log.
	 */
	struct posix_owner self = { .pid = getpid() };
	int error;
	uid_t uid;

	registry_fd = ktrace_posix_registry_map(r->uid, &registry);
	if (registry_fd < 0)
		return registry_fd == -EACCES || registry_fd == -EPERM ? EPERM : ENOMEM;
	self.start = ktrace_posix_start_time(self.pid, &uid);
	if (r->has_log)
		r->attr.log_size = ktrace_posix_log_size(&r->attr);
	/* Another user's program may lack the right to open the device. */
	if (r->uid != geteuid())
		setenv("KTRACE_BACKEND", "shm", 1);
	error = ktrace_posix_stream_create(&r->attr, r->pid, &self, registry, &keeper.stream);
	if (error)
		return error;
	a->attr = *ktrace_posix_stream_attr(keeper.stream);
	a->nr = ktrace_posix_stream_nr(keeper.stream);
	error = hand_over(r->uid);
	if (!error && r->has_log)
		error = open_log(&a->attr);
	return error;
}

static void leave(uid_t uid)
{
	if (registry_fd < 0)
		return;
	ktrace_posix_registry_let_go(registry_fd);
	ktrace_posix_registry_remove(registry, uid);
}

/* Returns the error of the call. */
static int answer(struct rpc_request *r, struct rpc_answer *a, const void **data)
{
	struct keeper *k = &keeper;
	const void *address = (const void *)(unsigned long)r->address;
	struct posix_item item;

	switch (r->call) {
	case RPC_START:
		keeper_make_room(k);
		ktrace_posix_stream_start(k->stream, address);
		return 0;
	case RPC_STOP:
		ktrace_posix_stream_stop(k->stream, address);
		return 0;
	case RPC_CLEAR:
		keeper_clear(k);
		return 0;
	case RPC_STATUS:
		keeper_status(k, &a->status);
		return 0;
	case RPC_GET_FILTER:
		ktrace_posix_stream_get_filter(k->stream, &a->set);
		return 0;
	case RPC_SET_FILTER:
		keeper_make_room(k);
		return ktrace_posix_stream_set_filter(k->stream, &r->set, r->how, address);
	case RPC_NEXT:
		a->has_event = ktrace_posix_stream_next(k->stream, &item);
		if (!a->has_event)
			return 0;
		a->rec = item.rec;
		a->head = item.head;
		a->time = item.time;
		*data = item.data;
		return 0;
	case RPC_OPEN_TYPE:
		r->name[sizeof(r->name) - 1] = '\0';
		a->type = ktrace_posix_place_open(registry, ktrace_posix_stream_place(k->stream),
						  r->name);
		return 0;
	case RPC_TYPE_NAME:
		a->type = ktrace_posix_name_get(registry, r->type, a->name);
		return 0;
	case RPC_TYPES:
		ktrace_posix_place_types(registry, ktrace_posix_stream_place(k->stream), &a->set);
		return 0;
	case RPC_FLUSH:
		return keeper_ask_flush(k, address);
	default:
		return EINVAL;
	}
}

static void send_answer(struct rpc_answer *a, const void *data)
{
	struct iovec iov[2] = {
		{ a, sizeof(*a) }, { (void *)data, a->has_event ? a->head.size : 0 },
	};
	const struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };

	while (sendmsg(RPC_FD_SOCKET, &msg, MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

/* Receives the next request; returns false if the controller is gone. */
static bool receive(struct rpc_request *r)
{
	struct pollfd fds[2] = {
		{ .fd = RPC_FD_SOCKET, .events = POLLIN },
		{ .fd = RPC_FD_PROCESS, .events = POLLIN },
	};
	struct stat st;

	/* Without pidfds it is /dev/null, which is always readable. */
	if (fstat(RPC_FD_PROCESS, &st) || S_ISCHR(st.st_mode))
		fds[1].fd = -1;
	for (;;) {
		if (poll(fds, 2, -1) < 0)
			continue;
		if (fds[0].revents & POLLIN &&
		    recv(RPC_FD_SOCKET, r, sizeof(*r), MSG_DONTWAIT) == sizeof(*r))
			return true;
		if (fds[0].revents || fds[1].revents)
			return false;
	}
}

int main(void)
{
	static struct rpc_answer a;
	struct rpc_request r;
	uid_t uid;
	int error;

	set_signals();
	if (!receive(&r) || r.call != RPC_CREATE)
		return 1;
	uid = r.uid;
	a.error = create(&r, &a);
	send_answer(&a, NULL);
	if (a.error) {
		ktrace_posix_stream_destroy(keeper.stream);
		leave(uid);
		return 1;
	}
	while (receive(&r) && r.call != RPC_SHUTDOWN) {
		const void *data = NULL;

		a = (struct rpc_answer) { 0 };
		pthread_mutex_lock(&keeper.lock);
		a.error = answer(&r, &a, &data);
		send_answer(&a, data);
		pthread_mutex_unlock(&keeper.lock);
	}
	error = keeper_shutdown(&keeper, r.call == RPC_SHUTDOWN
				? (const void *)(unsigned long)r.address : NULL);
	a = (struct rpc_answer) { .error = error };
	send_answer(&a, NULL);
	leave(uid);
	return 0;
}
