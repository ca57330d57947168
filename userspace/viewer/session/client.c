// SPDX-License-Identifier: GPL-2.0
/*
 * client.c - frames to and from the service: a __u32 of their size, little-endian, then an
 * IPCFrame
 */
#include "client.h"

#include "base/clock.h"
#include "base/peer.h"
#include "base/viewer.h"
#include "service.pb-c.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/*
 * Limits for received and sent frames: no honest service sends larger ones, none accepts larger
 * ones.
 */
#define FRAME_MAX (4u << 20)
#define SENT_MAX (128u << 10)
#define READ_SIZE (128u << 10)

static const struct {
	const char *service;
	const char *variable;
	const char *in_run;
	const char *in_tmp;
} ports[] = {
	[CLIENT_CONSUMER] = { "ConsumerPort", "PERFETTO_CONSUMER_SOCK_NAME",
			      "/run/perfetto/traced-consumer.sock", "/tmp/perfetto-consumer" },
	[CLIENT_PRODUCER] = { "ProducerPort", "PERFETTO_PRODUCER_SOCK_NAME",
			      "/run/perfetto/traced-producer.sock", "/tmp/perfetto-producer" },
};

const char *client_socket(enum client_port port)
{
	const char *name = getenv(ports[port].variable);
	struct stat st;

	if (name && *name)
		return name;
	return stat("/run/perfetto", &st) ? ports[port].in_tmp : ports[port].in_run;
}

/*
 * Trusts any listener in /run/perfetto, where root decides who may listen. Anywhere else anybody
 * may have taken the name, above all below /tmp and in the abstract name space.
 */
static int check_listener(struct client *c, const char *name)
{
	struct ucred cred;

	if (!strncmp(name, "/run/perfetto/", strlen("/run/perfetto/")) ||
	    peer_is_trusted(c->fd, &cred))
		return 0;
	snprintf(c->reason, sizeof(c->reason), "process %d of user id %d listens there, neither "
		 "root nor you: refused", cred.pid, (int)cred.uid);
	return -EPERM;
}

static int connect_to(struct client *c, const char *name)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	const size_t n = strlen(name);

	if (n >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	memcpy(addr.sun_path, name, n);
	if (*name == '@')
		addr.sun_path[0] = '\0';
	c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&addr,
				 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n)))
		return -errno;
	if (fcntl(c->fd, F_SETFL, O_NONBLOCK))
		return -errno;
	return check_listener(c, name);
}

static int send_some(struct client *c, int fd)
{
	struct iovec part = { .iov_base = c->out.buf, .iov_len = c->out.len };
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} rights = { { 0 } };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };
	struct cmsghdr *head;
	ssize_t n;

	if (fd >= 0) {
		m.msg_control = rights.room;
		m.msg_controllen = sizeof(rights.room);
		head = CMSG_FIRSTHDR(&m);
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	}
	n = sendmsg(c->fd, &m, MSG_NOSIGNAL);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	c->out.len -= (size_t)n;
	memmove(c->out.buf, c->out.buf + n, c->out.len);
	return 0;
}

static int receive_some(struct client *c)
{
	ssize_t n;

	while (c->in.cap - c->in.len < READ_SIZE)
		if (output_grow(&c->in))
			return -ENOMEM;
	n = recv(c->fd, c->in.buf + c->in.len, READ_SIZE, 0);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	c->in.len += (size_t)n;
	return n ? 0 : -ECONNRESET;
}

/* Sends and receives once; returns -EINTR if the user wants to stop. */
static int turn(struct client *c, int timeout_ms)
{
	struct pollfd fds[] = {
		{ .fd = c->fd, .events = POLLIN | (c->out.len ? POLLOUT : 0) },
		{ .fd = c->signal_fd, .events = POLLIN },
	};
	struct signalfd_siginfo info;
	int ret = poll(fds, 2, timeout_ms);

	if (ret < 0)
		return errno == EINTR ? 0 : -errno;
	if (!ret)
		return -ETIMEDOUT;
	if (fds[1].revents & POLLIN && read(c->signal_fd, &info, sizeof(info)) > 0)
		return -EINTR;
	ret = fds[0].revents & POLLOUT ? send_some(c, -1) : 0;
	if (!ret && fds[0].revents & (POLLIN | POLLHUP | POLLERR))
		ret = receive_some(c);
	return ret;
}

/* Frees the last frame. */
static void drop_frame(struct client *c)
{
	if (c->frame)
		pft__ipcframe__free_unpacked(c->frame, NULL);
	c->frame = NULL;
	c->in.len -= c->taken;
	if (c->taken)
		memmove(c->in.buf, c->in.buf + c->taken, c->in.len);
	c->taken = 0;
}

/* Return: 1: c->frame is the next frame, 0: it is not complete yet, -EPROTO */
static int take_frame(struct client *c)
{
	__u32 size;

	if (c->in.len < sizeof(size))
		return 0;
	memcpy(&size, c->in.buf, sizeof(size));
	size = le32toh(size);
	if (size > FRAME_MAX)
		return -EPROTO;
	if (c->in.len - sizeof(size) < size)
		return 0;
	c->frame = pft__ipcframe__unpack(NULL, size, (__u8 *)c->in.buf + sizeof(size));
	c->taken = sizeof(size) + size;
	return c->frame ? 1 : -EPROTO;
}

static int next_frame(struct client *c, __s64 until_ms)
{
	int ret;
	__s64 left;

	drop_frame(c);
	while (!(ret = take_frame(c))) {
		left = until_ms < 0 ? -1 : until_ms - now_ms();
		if (until_ms >= 0 && left <= 0)
			return -ETIMEDOUT;
		ret = turn(c, (int)left);
		if (ret)
			return ret;
	}
	return ret < 0 ? ret : 0;
}

static int send_frame(struct client *c, const Pft__IPCFrame *frame, int fd)
{
	const size_t size = pft__ipcframe__get_packed_size(frame);
	const __u32 head = htole32((__u32)size);
	int ret;

	if (size > SENT_MAX - sizeof(head))
		return -EMSGSIZE;
	ktrace_out_bytes(&c->out, (const char *)&head, sizeof(head));
	while (!c->out.error && c->out.cap - c->out.len < size)
		c->out.error = output_grow(&c->out);
	if (c->out.error)
		return c->out.error;
	c->out.len += pft__ipcframe__pack(frame, (__u8 *)c->out.buf + c->out.len);
	ret = send_some(c, fd);
	/*
	 * The descriptor went with the first byte; turn() sends the rest while waiting for a
	 * reply.
	 */
	return ret;
}

static int bind_service(struct client *c, enum client_port port)
{
	Pft__IPCFrame__BindService bind = PFT__IPCFRAME__BIND_SERVICE__INIT;
	Pft__IPCFrame frame = PFT__IPCFRAME__INIT;
	int ret;

	bind.service_name = (char *)ports[port].service;
	frame.has_request_id = true;
	frame.request_id = ++c->last;
	frame.msg_case = PFT__IPCFRAME__MSG_MSG_BIND_SERVICE;
	frame.msg_bind_service = &bind;
	ret = send_frame(c, &frame, -1);
	if (!ret)
		ret = next_frame(c, -1);
	if (ret)
		return ret;
	if (c->frame->msg_case != PFT__IPCFRAME__MSG_MSG_BIND_SERVICE_REPLY ||
	    !c->frame->msg_bind_service_reply->success)
		return -EPROTO;
	c->methods = c->frame;
	c->frame = NULL;
	c->service = c->methods->msg_bind_service_reply->service_id;
	return 0;
}

int client_open(struct client *c, enum client_port port, const char *name)
{
	int ret;

	*c = (struct client){
		.fd = -1, .signal_fd = -1, .out.flush = output_grow, .in.flush = output_grow,
	};
	ret = connect_to(c, name ? name : client_socket(port));
	return ret ? ret : bind_service(c, port);
}

void client_close(struct client *c)
{
	drop_frame(c);
	if (c->methods)
		pft__ipcframe__free_unpacked(c->methods, NULL);
	if (c->fd >= 0)
		close(c->fd);
	free(c->out.buf);
	free(c->in.buf);
}

static bool find_method(const struct client *c, const char *name, __u32 *id)
{
	const Pft__IPCFrame__BindServiceReply *r = c->methods->msg_bind_service_reply;

	for (size_t i = 0; i < r->n_methods; i++)
		if (r->methods[i]->name && !strcmp(r->methods[i]->name, name)) {
			*id = r->methods[i]->id;
			return true;
		}
	return false;
}

int client_call(struct client *c, const char *method, const ProtobufCMessage *args, int fd,
		__u64 *out)
{
	Pft__IPCFrame__InvokeMethod invoke = PFT__IPCFRAME__INVOKE_METHOD__INIT;
	Pft__IPCFrame frame = PFT__IPCFRAME__INIT;
	int ret;

	if (!find_method(c, method, &invoke.method_id))
		return -ENOSYS;
	invoke.args_proto.len = protobuf_c_message_get_packed_size(args);
	invoke.args_proto.data = malloc(invoke.args_proto.len + 1);
	if (!invoke.args_proto.data)
		return -ENOMEM;
	protobuf_c_message_pack(args, invoke.args_proto.data);
	invoke.has_service_id = invoke.has_method_id = invoke.has_args_proto = true;
	invoke.service_id = c->service;
	invoke.has_drop_reply = invoke.drop_reply = !out;
	frame.has_request_id = true;
	frame.request_id = ++c->last;
	frame.msg_case = PFT__IPCFRAME__MSG_MSG_INVOKE_METHOD;
	frame.msg_invoke_method = &invoke;
	if (out)
		*out = frame.request_id;
	ret = send_frame(c, &frame, fd);
	free(invoke.args_proto.data);
	return ret;
}

static int read_reply(const Pft__IPCFrame *frame, struct client_reply *r)
{
	const Pft__IPCFrame__InvokeMethodReply *reply;
	const char *error = NULL;

	*r = (struct client_reply){ .request = frame->request_id };
	if (frame->msg_case == PFT__IPCFRAME__MSG_MSG_INVOKE_METHOD_REPLY) {
		reply = frame->msg_invoke_method_reply;
		r->is_good = reply->success;
		r->has_more = reply->has_more;
		r->data = reply->reply_proto.data;
		r->size = reply->reply_proto.len;
	} else if (frame->msg_case == PFT__IPCFRAME__MSG_MSG_REQUEST_ERROR) {
		error = frame->msg_request_error->error;
	} else {
		return -EPROTO;
	}
	if (error)
		strncpy(r->error, error, sizeof(r->error) - 1);
	return 0;
}

int client_wait(struct client *c, __u64 request, struct client_reply *r, int timeout_ms)
{
	const __s64 until_ms = timeout_ms < 0 ? -1 : now_ms() + timeout_ms;
	int ret;

	do {
		ret = next_frame(c, until_ms);
		if (!ret)
			ret = read_reply(c->frame, r);
		if (!ret && r->request != request && c->other)
			ret = c->other(c->arg, r);
	} while (!ret && request && r->request != request);
	return ret;
}

int client_ask(struct client *c, const char *method, const ProtobufCMessage *args,
	       struct client_reply *r)
{
	__u64 request;
	int ret = client_call(c, method, args, -1, &request);

	*r = (struct client_reply){ 0 };
	if (!ret)
		ret = client_wait(c, request, r, -1);
	return ret ? ret : r->is_good ? 0 : -EREMOTEIO;
}
