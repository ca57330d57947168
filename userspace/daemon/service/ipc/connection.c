// SPDX-License-Identifier: GPL-2.0
/* connection.c - one connection: receives frames, sends replies */
#include "connection.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clocks.h"
#include "base/work.h"
#include "descriptor.h"
#include "service.pb-c.h"
#include "user.h"

/*
 * Limit on the bytes from a peer before others have their turn, which also ends after TURN_NS if
 * its calls or its end take long.
 */
#define TURN_MAX (256u * 1024)
/* The only service id: a socket offers one port. */
#define PORT_ID 1

/*
 * Maximum number of descriptors that the kernel passes at once: it would close those without room
 * here, which may take long.
 */
#define SENT_MAX 253
/* Pause before checking for room for a descriptor */
#define ROOM_MS 100

/* Room for descriptors */
union control {
	char bytes[CMSG_SPACE(SENT_MAX * sizeof(int))];
	struct cmsghdr align;
};

static void count_sent(struct connection *p, size_t size)
{
	p->queued -= size;
	p->user->held -= size;
}

static void free_reply(struct connection *p, struct reply *r)
{
	TAILQ_REMOVE(&p->replies, r, link);
	count_sent(p, r->size - r->sent);
	if (r->fd >= 0)
		close(r->fd);
	free(r);
}

void connection_drop(struct connection *p)
{
	struct connections *all = p->all;

	if (p->is_dropped)
		return;
	p->is_dropped = true;
	timer_stop(all->timers, &p->turn);
	timer_stop(all->timers, &p->room);
	loop_leave(all->loop, &p->source);
	shutdown(p->source.fd, SHUT_RDWR);
	TAILQ_REMOVE(&all->connected, p, link);
	TAILQ_INSERT_TAIL(&all->dropped, p, link);
	timer_set(all->timers, &all->reaper, 0);
}

int connection_take_fd(struct connection *p)
{
	int fd = p->received_fd;

	if (fd >= 0)
		descriptor_went(p->user);
	p->received_fd = -1;
	return fd;
}

void connection_close_fd(struct connection *p, int fd)
{
	descriptor_close(p->user, fd);
}

static void drop_received(struct connection *p)
{
	int fd = connection_take_fd(p);

	if (fd >= 0)
		connection_close_fd(p, fd);
}

/* Unread data may have descriptors, which are closed with the socket. */
static void close_socket(struct user *u, int fd)
{
	int unread;

	shutdown(fd, SHUT_RDWR);
	if (ioctl(fd, FIONREAD, &unread) || unread)
		descriptor_close(u, fd);
	else
		close(fd);
}

static void free_peer(struct connection *p)
{
	struct reply *r;

	while ((r = TAILQ_FIRST(&p->replies)))
		free_reply(p, r);
	drop_received(p);
	frames_exit(&p->frames);
	p->user->held -= p->left;
	p->user->peer_nr--;
	close_socket(p->user, p->source.fd);
	free(p);
}

/* Frees dropped connections; continues in a later turn if it takes long. */
static void reap(void *arg)
{
	struct connections *all = arg;
	const uint64_t end_ns = clocks_boot_ns() + TURN_NS;
	struct connection *p;

	while ((p = TAILQ_FIRST(&all->dropped))) {
		if (clocks_boot_ns() > end_ns) {
			timer_set(all->timers, &all->reaper, 0);
			return;
		}
		if (p->end)
			p->port->close(p);
		TAILQ_REMOVE(&all->dropped, p, link);
		free_peer(p);
	}
}

void connections_init(struct connections *all, struct service *s, struct loop *loop,
		      struct timers *timers)
{
	*all = (struct connections) { .service = s, .loop = loop, .timers = timers, .uid =
				     geteuid(),
				.reaper = { .fire = reap, .arg = all } };
	TAILQ_INIT(&all->connected);
	TAILQ_INIT(&all->dropped);
	LIST_INIT(&all->users);
}

void connections_exit(struct connections *all)
{
	struct connection *p;

	while ((p = TAILQ_FIRST(&all->connected)))
		connection_drop(p);
	while (!TAILQ_EMPTY(&all->dropped))
		reap(all);
}

/* Return: bytes sent, 0: none now, or -errno. */
static ssize_t send_some(struct connection *p, struct reply *r)
{
	struct iovec vec = { .iov_base = r->bytes + r->sent, .iov_len = r->size - r->sent };
	struct msghdr message = { .msg_iov = &vec, .msg_iovlen = 1 };
	union control control = { 0 };
	ssize_t n;

	if (r->fd >= 0) {
		struct cmsghdr *head;

		message.msg_control = control.bytes;
		message.msg_controllen = CMSG_SPACE(sizeof(int));
		head = CMSG_FIRSTHDR(&message);
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(head), &r->fd, sizeof(int));
	}
	n = sendmsg(p->source.fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (r->fd >= 0) {
		close(r->fd);
		r->fd = -1;
	}
	return n;
}

/* Watches a paused connection only for its end, and for room to send. */
static uint32_t wanted(const struct connection *p)
{
	return (p->is_paused ? EPOLLRDHUP : EPOLLIN) | (p->is_writing ? EPOLLOUT : 0);
}

static void watch_writing(struct connection *p, bool is_writing)
{
	if (p->is_writing == is_writing)
		return;
	p->is_writing = is_writing;
	loop_change(p->all->loop, &p->source, wanted(p));
}

/*
 * Handles a peer that receives nothing any more. Still reads what it has sent, up to its end; but
 * drops a consumer, whose calls are useless then.
 */
static void turn_deaf(struct connection *p, ssize_t error)
{
	struct reply *r;

	if (p->port->calls_for_itself || (error != -EPIPE && error != -ECONNRESET)) {
		connection_drop(p);
		return;
	}
	while ((r = TAILQ_FIRST(&p->replies)))
		free_reply(p, r);
	watch_writing(p, false);
}

static void flush_replies(struct connection *p)
{
	struct reply *r;

	while ((r = TAILQ_FIRST(&p->replies))) {
		ssize_t n = send_some(p, r);

		if (n < 0) {
			turn_deaf(p, n);
			return;
		}
		if (!n)
			break;
		r->sent += (size_t)n;
		count_sent(p, (size_t)n);
		if (r->sent == r->size)
			free_reply(p, r);
	}
	watch_writing(p, r != NULL);
}

static void queue_frame(struct connection *p, const Pft__IPCFrame *frame, int fd)
{
	size_t len = pft__ipcframe__get_packed_size(frame);
	struct reply *r = malloc(sizeof(*r) + FRAME_HEADER + len);
	int copy = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (!r || (fd >= 0 && copy < 0) ||
	    (p->queued && !p->is_answering && p->queued + len > p->port->queue_max)) {
		if (copy >= 0)
			close(copy);
		free(r);
		connection_drop(p);
		return;
	}
	for (int i = 0; i < FRAME_HEADER; i++)
		r->bytes[i] = (uint8_t)(len >> 8 * i);
	pft__ipcframe__pack(frame, r->bytes + FRAME_HEADER);
	r->size = FRAME_HEADER + len;
	r->sent = 0;
	r->fd = copy;
	TAILQ_INSERT_TAIL(&p->replies, r, link);
	p->queued += r->size;
	p->user->held += r->size;
	if (!p->is_writing)
		flush_replies(p);
	if (p->queued && user_holds_too_much(p->user, p->is_answering ? p->queued : 0))
		connection_drop(p);
}

bool connection_reply_fd(struct connection *p, struct call *call, const ProtobufCMessage *reply,
			 bool has_more,
			 int fd)
{
	Pft__IPCFrame__InvokeMethodReply result = PFT__IPCFRAME__INVOKE_METHOD_REPLY__INIT;
	Pft__IPCFrame frame = PFT__IPCFRAME__INIT;

	if (!call->is_open || p->is_dropped)
		return false;
	call->is_open = has_more;
	result.has_success = true;
	result.success = reply != NULL;
	if (reply) {
		result.has_reply_proto = true;
		result.reply_proto.len = protobuf_c_message_get_packed_size(reply);
		result.reply_proto.data = malloc(result.reply_proto.len + 1);
		if (!result.reply_proto.data) {
			connection_drop(p);
			return false;
		}
		protobuf_c_message_pack(reply, result.reply_proto.data);
	}
	result.has_has_more = true;
	result.has_more = has_more;
	frame.has_request_id = true;
	frame.request_id = call->request;
	frame.msg_case = PFT__IPCFRAME__MSG_MSG_INVOKE_METHOD_REPLY;
	frame.msg_invoke_method_reply = &result;
	queue_frame(p, &frame, fd);
	free(result.reply_proto.data);
	return !p->is_dropped;
}

bool connection_reply(struct connection *p, struct call *call, const ProtobufCMessage *reply)
{
	return connection_reply_fd(p, call, reply, false, -1);
}

void connection_done(struct connection *p, struct call *call)
{
	/* Without fields, messages of all types have the same bytes: none. */
	const Pft__SyncResponse r = PFT__SYNC_RESPONSE__INIT;

	connection_reply(p, call, &r.base);
}

bool connection_stream(struct connection *p, struct call *call, const ProtobufCMessage *reply,
		       bool has_more)
{
	return connection_reply_fd(p, call, reply, has_more, -1);
}

void connection_reject(struct connection *p, struct call *call)
{
	connection_reply_fd(p, call, NULL, false, -1);
}

static void bind_service(struct connection *p, Pft__IPCFrame *frame, const char *name)
{
	Pft__IPCFrame__BindServiceReply result = PFT__IPCFRAME__BIND_SERVICE_REPLY__INIT;
	uint32_t nr = p->port->method_nr;
	Pft__IPCFrame__BindServiceReply__MethodInfo info[PORT_METHOD_MAX], *infos[PORT_METHOD_MAX];

	if (name && !strcmp(name, p->port->name)) {
		result.has_success = result.success = true;
		result.has_service_id = true;
		result.service_id = PORT_ID;
		for (uint32_t i = 0; i < nr; i++) {
			pft__ipcframe__bind_service_reply__method_info__init(&info[i]);
			info[i].has_id = true;
			info[i].id = i + 1;
			info[i].name = (char *)p->port->methods[i].name;
			infos[i] = &info[i];
		}
		result.methods = infos;
		result.n_methods = nr;
	}
	frame->msg_case = PFT__IPCFRAME__MSG_MSG_BIND_SERVICE_REPLY;
	frame->msg_bind_service_reply = &result;
	queue_frame(p, frame, -1);
}

static void invoke(struct connection *p, uint64_t request,
		   const Pft__IPCFrame__InvokeMethod *invoked)
{
	struct call call = { .is_open = true, .request = request };
	uint32_t id = invoked->has_method_id ? invoked->method_id : 0;
	const struct method *method;
	ProtobufCMessage *message;

	if (!invoked->has_service_id || invoked->service_id != PORT_ID || !id ||
	    id > p->port->method_nr) {
		connection_reject(p, &call);
		return;
	}
	method = &p->port->methods[id - 1];
	message = protobuf_c_message_unpack(method->request, NULL, invoked->args_proto.len,
					    invoked->args_proto.data);
	if (!message) {
		connection_reject(p, &call);
		return;
	}
	call.is_open = !invoked->drop_reply;
	if (!method->needs_no_end && !p->end && p->port->open)
		p->port->open(p);
	if (method->needs_no_end || p->end)
		method->invoke(p, &call, message);
	else
		connection_reject(p, &call);
	protobuf_c_message_free_unpacked(message, NULL);
}

static void send_error(struct connection *p, Pft__IPCFrame *frame, const char *text)
{
	Pft__IPCFrame__RequestError error = PFT__IPCFRAME__REQUEST_ERROR__INIT;

	error.error = (char *)text;
	frame->msg_case = PFT__IPCFRAME__MSG_MSG_REQUEST_ERROR;
	frame->msg_request_error = &error;
	queue_frame(p, frame, -1);
}

void connection_complain(struct connection *p, const char *error)
{
	Pft__IPCFrame frame = PFT__IPCFRAME__INIT;

	send_error(p, &frame, error);
}

static void handle_frame(struct connection *p, const uint8_t *bytes, size_t size)
{
	Pft__IPCFrame *frame = pft__ipcframe__unpack(NULL, size, bytes);
	Pft__IPCFrame answer = PFT__IPCFRAME__INIT;

	if (!frame) {
		connection_drop(p);
		return;
	}
	answer.has_request_id = frame->has_request_id;
	answer.request_id = frame->request_id;
	switch (frame->msg_case) {
	case PFT__IPCFRAME__MSG_MSG_BIND_SERVICE:
		bind_service(p, &answer, frame->msg_bind_service->service_name);
		break;
	case PFT__IPCFRAME__MSG_MSG_INVOKE_METHOD:
		invoke(p, frame->request_id, frame->msg_invoke_method);
		break;
	case PFT__IPCFRAME__MSG_SET_PEER_IDENTITY:
		break;	/* the kernel knows better */
	default:
		send_error(p, &answer, "unknown request");
	}
	pft__ipcframe__free_unpacked(frame, NULL);
}

/* Keeps the first descriptor; closes the others. */
static void keep_fd(struct connection *p, struct msghdr *message)
{
	struct cmsghdr *head = CMSG_FIRSTHDR(message);
	int fds[SENT_MAX];
	size_t nr;

	if (!head || head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
		return;
	nr = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	memcpy(fds, CMSG_DATA(head), nr * sizeof(int));
	drop_received(p);
	descriptor_came(p->user);
	p->received_fd = fds[0];
	for (size_t i = 1; i < nr; i++)
		connection_close_fd(p, fds[i]);
}

static void join(struct connection *p)
{
	if (loop_join(p->all->loop, &p->source, wanted(p)))
		connection_drop(p);
}

static void wait_for_room(void *arg)
{
	struct connection *p = arg;

	if (!descriptor_may_come(p->user))
		timer_set(p->all->timers, &p->room, ROOM_MS);
	else if (!p->is_paused)
		join(p);
}

/* Without room for a descriptor, reads only up to the next one, which waits. */
static ssize_t look_ahead(struct connection *p, struct iovec *vec)
{
	struct msghdr message = { .msg_iov = vec, .msg_iovlen = 1 };
	ssize_t n = recvmsg(p->source.fd, &message, MSG_DONTWAIT | MSG_PEEK);

	if (n > 0 && message.msg_flags & MSG_CTRUNC) {
		loop_leave(p->all->loop, &p->source);
		timer_set(p->all->timers, &p->room, ROOM_MS);
		errno = EAGAIN;
		return -1;
	}
	if (n > 0)
		vec->iov_len = (size_t)n;
	return n;
}

/* Return: bytes received, 0: none now, or -errno. */
static ssize_t receive(struct connection *p)
{
	union control control;
	struct msghdr message = { .msg_iovlen = 1, .msg_control = control.bytes,
				  .msg_controllen = CMSG_LEN(SENT_MAX * sizeof(int)) };
	struct iovec vec;
	uint8_t *to;
	ssize_t n;

	n = frames_room(&p->frames, &to, &vec.iov_len);
	if (n)
		return n;
	vec.iov_base = to;
	message.msg_iov = &vec;
	n = descriptor_may_come(p->user) ? 1 : look_ahead(p, &vec);
	if (n > 0)
		n = recvmsg(p->source.fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (!n)
		return -ECONNRESET;
	keep_fd(p, &message);
	frames_filled(&p->frames, (size_t)n);
	return n;
}

/* Return: true if more can be handled now. */
static bool handle_frames(struct connection *p)
{
	const uint64_t end_ns = clocks_boot_ns() + TURN_NS;
	const uint8_t *message;
	size_t size;
	int got = 1;

	while (!p->is_dropped && !p->is_paused && got > 0) {
		if (clocks_boot_ns() > end_ns) {
			timer_set(p->all->timers, &p->turn, 0);
			return false;
		}
		got = frames_next(&p->frames, &message, &size);
		if (got > 0)
			handle_frame(p, message, size);
	}
	if (got < 0)
		connection_drop(p);
	return !p->is_dropped && !p->is_paused;
}

/* Counts the memory of frames that are incomplete, or have to wait. */
static void rest(struct connection *p)
{
	const size_t left = frames_rest(&p->frames);

	p->user->held += left - p->left;
	p->left = left;
	if (left && user_holds_too_much(p->user, 0))
		connection_drop(p);
}

static void read_frames(struct connection *p)
{
	ssize_t n, total = 0;

	while (total < (ssize_t)TURN_MAX && (n = receive(p)) > 0) {
		total += n;
		if (!handle_frames(p))
			break;
	}
	if (n < 0)
		connection_drop(p);
	rest(p);
}

void connection_pause(struct connection *p)
{
	p->is_paused = true;
	loop_change(p->all->loop, &p->source, wanted(p));
}

void connection_resume(struct connection *p)
{
	if (!p->is_paused)
		return;
	p->is_paused = false;
	if (p->is_dropped)
		return;
	loop_leave(p->all->loop, &p->source);
	if (!p->room.is_set)
		join(p);
	if (!p->is_dropped)
		timer_set(p->all->timers, &p->turn, 0);
}

/* Handles the end of a paused connection. Still reads what it has sent. */
static void leave(struct connection *p)
{
	int unread;

	if (!p->port->calls_for_itself || p->left || ioctl(p->source.fd, FIONREAD, &unread) ||
	    unread)
		loop_leave(p->all->loop, &p->source);
	else
		connection_drop(p);
}

static void handle(void *arg, uint32_t events)
{
	struct connection *p = arg;

	if (events & EPOLLOUT) {
		flush_replies(p);
		if (!p->is_dropped && p->port->drained)
			p->port->drained(p);
	}
	if (p->is_dropped || !(events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)))
		return;
	if (p->is_paused)
		leave(p);
	else if (!p->turn.is_set)
		read_frames(p);
}

static void go_on(void *arg)
{
	handle_frames(arg);
	rest(arg);
}

int connection_open(struct connections *all, const struct port *port, int fd)
{
	struct connection *p = calloc(1, sizeof(*p));
	socklen_t size = sizeof(p->cred);
	const int oob = 1;
	int error;

	if (!p) {
		close(fd);
		return -ENOMEM;
	}
	/* Otherwise a byte out of band is skipped, and descriptors sent with it are closed. */
	setsockopt(fd, SOL_SOCKET, SO_OOBINLINE, &oob, sizeof(oob));
	*p = (struct connection) { .all = all, .service = all->service, .port = port,
				  .received_fd = -1,
			     .source = { .fd = fd, .handler = handle, .arg = p },
			     .turn = { .fire = go_on, .arg = p },
			     .room = { .fire = wait_for_room, .arg = p } };
	TAILQ_INIT(&p->replies);
	error = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &p->cred, &size) ? errno : 0;
	p->user = error ? NULL : user_get(all, p->cred.uid);
	if (!p->user) {
		close(fd);
		free(p);
		return error ? -error : -ENOMEM;
	}
	error = user_may_connect(p->user) ? loop_join(all->loop, &p->source, EPOLLIN) : -EUSERS;
	if (error) {
		close_socket(p->user, fd);
		free(p);
		return error;
	}
	p->user->peer_nr++;
	TAILQ_INSERT_TAIL(&all->connected, p, link);
	return 0;
}
