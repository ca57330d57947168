// SPDX-License-Identifier: LGPL-2.1
/*
 * control.c - the functions of <trace.h> that create streams and control them
 */
#include "control.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "posix/log/log.h"
#include "posix/log/recorded.h"
#include "posix/registry/member.h"
#include "posix/registry/single_thread.h"

bool ktrace_posix_call_begin(struct posix_call *c, trace_id_t trid)
{
	posix_caller_enter(&c->caller);
	c->trid = ktrace_posix_trid_get(trid);
	c->control = c->trid ? c->trid->control : NULL;
	if (c->control)
		pthread_mutex_lock(&c->control->lock);
	if (c->control && c->control->stream)
		posix_single_thread_check(ktrace_posix_stream_nr(c->control->stream));
	if (c->trid)
		return true;
	posix_caller_leave(&c->caller, 0);
	return false;
}

int ktrace_posix_call_end(struct posix_call *c, int error)
{
	if (c->control)
		pthread_mutex_unlock(&c->control->lock);
	ktrace_posix_trid_put(c->trid);
	return posix_caller_leave(&c->caller, error);
}

/* Begins a call that only active streams support. */
static bool begin(struct posix_call *c, trace_id_t trid)
{
	if (!ktrace_posix_call_begin(c, trid))
		return false;
	if (c->control)
		return true;
	ktrace_posix_call_end(c, 0);
	return false;
}

static int ask(struct posix_control *c, const struct rpc_request *request,
	       struct rpc_answer *answer)
{
	return ktrace_posix_client_ask(c->client, request, answer);
}

void ktrace_posix_control_interrupt(struct posix_control *c)
{
	__atomic_store_n(&c->is_ended, true, __ATOMIC_RELAXED);
	if (c->place)
		ktrace_posix_place_wake(c->place);
}

void ktrace_posix_control_forget(struct posix_control *c)
{
	ktrace_posix_stream_forget(c->stream);
	ktrace_posix_client_free(c->client);
	free(c);
}

/* True if @pid is a process: /proc also has numbers of threads, which never get events. */
static bool is_process(pid_t pid)
{
	return !syscall(SYS_tgkill, pid, pid, 0) || errno != ESRCH;
}

/*
 * Returns the user of the registry of a process whose files appear to be root's. If it is not
 * dumpable, its folder still belongs to its user. It uses root's registry if it started as root.
 */
static uid_t registry_user(pid_t pid, __u64 start)
{
	struct posix_registry *b = ktrace_posix_registry();
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return (b && ktrace_posix_registry_find(b, pid, start)) || stat(path, &st) ? 0 : st.st_uid;
}

/* Checks that this process may inspect the other: the check of ptrace(2), without attaching. */
static int check_target(pid_t pid, uid_t *owner)
{
	char path[32];
	__u64 start;
	uid_t uid;
	int fd;

	if (pid == POSIX_TRACE_ALLPROC)
		return 0;
	/* This process itself, regardless of user changes and of whether others may inspect it. */
	if (pid == getpid()) {
		*owner = ktrace_posix_registry_uid;
		return 0;
	}
	start = pid > 0 ? ktrace_posix_start_time(pid, &uid) : 0;
	if (!start || !is_process(pid))
		return ESRCH;
	if (start == POSIX_START_UNKNOWN)
		return ENOMEM;
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT || errno == ESRCH ? ESRCH :
		       errno == EMFILE || errno == ENFILE ? ENOMEM : EPERM;
	close(fd);
	*owner = uid || geteuid() ? uid : registry_user(pid, start);
	return uid == geteuid() || !geteuid() ? 0 : EPERM;
}

/*
 * Creates a stream. Without a log, it is in this process. With a log it has a keeper, and also if
 * its events come from a process on another user's registry: that user could truncate shared
 * memory.
 */
static int make_stream(struct posix_control *c, struct rpc_request *r, int log_fd)
{
	struct posix_registry *registry = ktrace_posix_registry();
	int error;

	if (!registry)
		return ENOMEM;
	if (!r->has_log && r->uid == ktrace_posix_registry_uid) {
		error = ktrace_posix_stream_create(&r->attr, r->pid, &r->owner, registry,
						   &c->stream);
		if (error)
			return error;
		c->place = ktrace_posix_stream_place(c->stream);
		if (r->pid == r->owner.pid && r->attr.inheritance != POSIX_TRACE_INHERITED)
			posix_single_thread_begin(ktrace_posix_stream_nr(c->stream));
		return 0;
	}
	error = ktrace_posix_client_create(r, log_fd, &c->client);
	if (!error && r->uid == ktrace_posix_registry_uid)
		c->place = &registry->stream[ktrace_posix_client_nr(c->client) % POSIX_STREAM_NR];
	return error;
}

static void destroy(struct posix_control *c)
{
	if (c->stream)
		posix_single_thread_end(ktrace_posix_stream_nr(c->stream));
	ktrace_posix_stream_destroy(c->stream);
	ktrace_posix_client_free(c->client);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

static int make_control(struct rpc_request *r, int log_fd, trace_id_t *trid)
{
	struct posix_trid what = { .control = calloc(1, sizeof(*what.control)) };
	int error;

	if (!what.control)
		return ENOMEM;
	pthread_mutex_init(&what.control->lock, NULL);
	what.control->has_log = r->has_log;
	error = make_stream(what.control, r, log_fd);
	if (!error)
		error = ktrace_posix_trid_new(&what, trid);
	if (error)
		destroy(what.control);
	return error;
}

static int create(pid_t pid, const trace_attr_t *attr, bool has_log, int log_fd, trace_id_t *trid)
{
	struct rpc_request r = {
		.call = RPC_CREATE, .pid = pid ? pid : getpid(), .uid = geteuid(),
		.has_log = has_log,
	};
	int error = ktrace_posix_attr_read(attr, &r.attr);

	if (error)
		return error;
	if (!r.attr.stream_policy)
		r.attr.stream_policy = has_log ? POSIX_TRACE_FLUSH : POSIX_TRACE_LOOP;
	if ((r.attr.stream_policy == POSIX_TRACE_FLUSH && !has_log) || !trid)
		return EINVAL;
	if (has_log)
		error = ktrace_posix_log_check(log_fd, r.attr.log_policy);
	if (!error)
		error = check_target(r.pid, &r.uid);
	if (error)
		return error;
	ktrace_posix_registry();	/* from now on @ktrace_posix_member has our owner */
	r.owner = ktrace_posix_member.owner;
	return make_control(&r, log_fd, trid);
}

static int create_for_caller(pid_t pid, const trace_attr_t *attr, bool has_log, int log_fd,
			      trace_id_t *trid)
{
	struct posix_caller caller;

	posix_caller_enter(&caller);
	return posix_caller_leave(&caller, create(pid, attr, has_log, log_fd, trid));
}

/**
 * posix_trace_create - create a stream for the events of a process; it does not record yet
 * @pid:	the process, 0 = the caller, POSIX_TRACE_ALLPROC = all of the caller's user
 * @attr:	attributes, copied; NULL = the defaults
 * @trid:	out: the stream, valid in this process only
 *
 * Return: 0; EAGAIN if the user has TRACE_SYS_MAX streams; EINVAL for invalid attributes, or the
 * policy POSIX_TRACE_FLUSH; ENOMEM; EPERM if the process may not be inspected; ESRCH if there is
 * none.
 */
int posix_trace_create(pid_t pid, const trace_attr_t *restrict attr, trace_id_t *restrict trid)
{
	return create_for_caller(pid, attr, false, -1, trid);
}

/**
 * posix_trace_create_withlog - create a stream whose events go into a log
 * @pid:	as for posix_trace_create()
 * @attr:	as for posix_trace_create()
 * @file_desc:	the log, open for writing; must not be used until the shutdown
 * @trid:	as for posix_trace_create()
 *
 * A separate process, the keeper, writes the log. It completes the log even if this process ends
 * abnormally (PTRC-28).
 *
 * Return: as posix_trace_create(); EBADF if @file_desc is not open for writing; EINVAL also if its
 * kind of file does not support the log's policy (PTRC-23); ENOSPC if there is no room for the log.
 */
int posix_trace_create_withlog(pid_t pid, const trace_attr_t *restrict attr, int file_desc,
			       trace_id_t *restrict trid)
{
	return create_for_caller(pid, attr, true, file_desc, trid);
}

/**
 * posix_trace_shutdown - end a stream and free its resources
 * @trid:	the stream
 *
 * Unread events of a stream without a log are lost; a log is complete when the function returns.
 * Threads waiting for the stream's events return with EINVAL (PTRC-27).
 *
 * Return: 0, EINVAL not an active stream; EFBIG, ENOSPC if the log is incomplete, and other errors
 * of write(2).
 */
int posix_trace_shutdown(trace_id_t trid)
{
	const struct rpc_request r = {
		.call = RPC_SHUTDOWN, .address = (__u64)(uintptr_t)__builtin_return_address(0),
	};
	struct posix_caller caller;
	struct rpc_answer answer;
	struct posix_trid t;
	int error;

	posix_caller_enter(&caller);
	error = ktrace_posix_trid_take(trid, true, &t);
	if (!error) {
		if (t.control->client)
			error = ask(t.control, &r, &answer);
		destroy(t.control);
	}
	return posix_caller_leave(&caller, error);
}

/* Makes a call without arguments. */
static int simple_call(trace_id_t trid, enum rpc_call call, const void *address)
{
	const struct rpc_request r = { .call = call, .address = (__u64)(uintptr_t)address };
	struct rpc_answer answer;
	struct posix_call c;
	int error = 0;

	if (!begin(&c, trid))
		return EINVAL;
	if (c.control->client)
		error = ask(c.control, &r, &answer);
	else if (call == RPC_START)
		ktrace_posix_stream_start(c.control->stream, address);
	else if (call == RPC_STOP)
		ktrace_posix_stream_stop(c.control->stream, address);
	else if (call == RPC_CLEAR)
		ktrace_posix_stream_clear(c.control->stream);
	if (call == RPC_FLUSH && !c.control->has_log)
		error = EINVAL;
	return ktrace_posix_call_end(&c, error);
}

/**
 * posix_trace_flush - write the stream's events to its log (PTRC-43)
 *
 * May return before that is done: posix_trace_get_status() tells.
 *
 * Return: 0; EINVAL not an active stream with a log; EFBIG, ENOSPC if the log is incomplete.
 */
int posix_trace_flush(trace_id_t trid)
{
	return simple_call(trid, RPC_FLUSH, __builtin_return_address(0));
}

/**
 * posix_trace_start - start recording (PTRC-24)
 *
 * Return: 0, EINVAL not an active stream.
 */
int posix_trace_start(trace_id_t trid)
{
	return simple_call(trid, RPC_START, __builtin_return_address(0));
}

/**
 * posix_trace_stop - stop recording (PTRC-25)
 *
 * A stream that had stopped because it was full does not restart on its own then.
 *
 * Return: 0, EINVAL not an active stream.
 */
int posix_trace_stop(trace_id_t trid)
{
	return simple_call(trid, RPC_STOP, __builtin_return_address(0));
}

/**
 * posix_trace_clear - reset a stream, except for names and whether it runs (PTRC-26)
 *
 * The filter is empty afterwards.
 *
 * Return: 0, EINVAL not an active stream.
 */
int posix_trace_clear(trace_id_t trid)
{
	return simple_call(trid, RPC_CLEAR, __builtin_return_address(0));
}

/**
 * posix_trace_get_attr - get the attributes of a stream
 * @trid:	the stream
 * @attr:	out: the attributes; need not have been initialized (PTRC-29)
 *
 * Return: 0, EINVAL not a stream.
 */
int posix_trace_get_attr(trace_id_t trid, trace_attr_t *attr)
{
	struct posix_attr recorded;
	struct posix_call c;

	if (!attr || !ktrace_posix_call_begin(&c, trid))
		return EINVAL;
	if (!c.control) {
		ktrace_posix_recorded_attr(c.trid->recorded, &recorded);
		ktrace_posix_attr_write(&recorded, attr);
	} else {
		ktrace_posix_attr_write(c.control->client
					? ktrace_posix_client_attr(c.control->client)
					: ktrace_posix_stream_attr(c.control->stream), attr);
	}
	return ktrace_posix_call_end(&c, 0);
}

/**
 * posix_trace_get_status - get the state of a stream; reports an overrun once (PTRC-30)
 *
 * Return: 0, EINVAL not a stream.
 */
int posix_trace_get_status(trace_id_t trid, struct posix_trace_status_info *info)
{
	const struct rpc_request r = { .call = RPC_STATUS };
	struct rpc_answer answer;
	struct posix_call c;
	int error = 0;

	if (!info || !ktrace_posix_call_begin(&c, trid))
		return EINVAL;
	if (!c.control) {
		ktrace_posix_recorded_status(c.trid->recorded, info);
	} else if (c.control->client) {
		error = ask(c.control, &r, &answer);
		if (!error)
			*info = answer.status;
	} else {
		ktrace_posix_stream_status(c.control->stream, info);
	}
	return ktrace_posix_call_end(&c, error);
}

/**
 * posix_trace_get_filter - get the events that a stream does not record
 *
 * Return: 0, EINVAL not an active stream.
 */
int posix_trace_get_filter(trace_id_t trid, trace_event_set_t *set)
{
	const struct rpc_request r = { .call = RPC_GET_FILTER };
	struct rpc_answer answer;
	struct posix_call c;
	int error = 0;

	if (!set || !begin(&c, trid))
		return EINVAL;
	if (c.control->client) {
		error = ask(c.control, &r, &answer);
		if (!error)
			*set = answer.set;
	} else {
		ktrace_posix_stream_get_filter(c.control->stream, set);
	}
	return ktrace_posix_call_end(&c, error);
}

/**
 * posix_trace_set_filter - change which events a stream does not record (PTRC-60, PTRC-61)
 * @trid:	the stream
 * @set:	events
 * @how:	POSIX_TRACE_SET_EVENTSET, POSIX_TRACE_ADD_EVENTSET, POSIX_TRACE_SUB_EVENTSET
 *
 * Return: 0, EINVAL if it is not an active stream or @how is invalid.
 */
int posix_trace_set_filter(trace_id_t trid, const trace_event_set_t *set, int how)
{
	struct rpc_request r = {
		.call = RPC_SET_FILTER, .how = how,
		.address = (__u64)(uintptr_t)__builtin_return_address(0),
	};
	struct rpc_answer answer;
	struct posix_call c;
	int error;

	if (!set || !begin(&c, trid))
		return EINVAL;
	r.set = *set;
	if (c.control->client)
		error = ask(c.control, &r, &answer);
	else
		error = ktrace_posix_stream_set_filter(c.control->stream, set, how,
						       __builtin_return_address(0));
	return ktrace_posix_call_end(&c, error);
}
