/* SPDX-License-Identifier: GPL-2.0 */
/*
 * client.h - a connection to ktraced --service, or any other that speaks its protocol
 *
 * Requests go out and replies come in without blocking; a wait for a reply also notices that
 * the user wants to stop. Replies to other requests than that waited for go to a callback.
 */
#ifndef VIEWER_SESSION_CLIENT_H
#define VIEWER_SESSION_CLIENT_H

#include <ktrace/decode.h>
#include <protobuf-c/protobuf-c.h>

/** enum client_port - what a connection is made as */
enum client_port { CLIENT_CONSUMER, CLIENT_PRODUCER };

/** Text of an error that the service sent, longer ones are cut */
#define CLIENT_ERROR 512u

/**
 * struct client_reply - what the service answered
 * @request:	to which request
 * @is_good:	it did what was asked for; otherwise @error may say why not
 * @has_more:	more replies to the same request follow
 * @data:	the message, valid until the next reply
 * @size:	bytes of it
 * @error:	text, "" = none
 */
struct client_reply {
	__u64 request;
	bool is_good;
	bool has_more;
	const __u8 *data;
	size_t size;
	char error[CLIENT_ERROR];
};

/**
 * struct client - a connection
 * @fd:		of the socket
 * @signal_fd:	becomes readable when the user wants to stop; -1 = nobody asks
 * @service:	number of the service
 * @last:	number of the last request
 * @methods:	what methods are called by, as the service said
 * @out:	not yet sent
 * @in:		received; a frame at its beginning is the last reply if @taken
 * @taken:	bytes of it
 * @frame:	that reply, unpacked
 * @other:	told of replies that nobody waits for; returns 0, -errno
 * @arg:	for @other
 * @reason:	why client_open() failed, where an errno does not say it; else ""
 */
struct client {
	int fd;
	int signal_fd;
	__u32 service;
	__u64 last;
	struct Pft__IPCFrame *methods;
	struct ktrace_out out;
	struct ktrace_out in;
	size_t taken;
	struct Pft__IPCFrame *frame;
	int (*other)(void *arg, const struct client_reply *r);
	void *arg;
	char reason[96];
};

/**
 * client_open - connect
 * @c:		the connection, to be closed in any case
 * @port:	which of the service's sockets
 * @name:	of the socket, "@name" = an abstract one; NULL = as the environment says
 *
 * A listener that is neither root nor the caller is refused, outside of root's /run/perfetto.
 *
 * Return: 0, -errno; -EPERM: refused, @c->reason says who listens; -EPROTO: the listener does not
 * speak the protocol.
 */
int client_open(struct client *c, enum client_port port, const char *name);
void client_close(struct client *c);
/** client_socket - name of the socket that client_open() uses if it is not given one */
const char *client_socket(enum client_port port);

/**
 * client_call - send a request
 * @c:		the connection
 * @method:	its name
 * @args:	its arguments
 * @fd:		a descriptor that goes along, -1 = none; stays the caller's
 * @out:	number of the request, NULL = no reply is wanted
 *
 * Return: 0, -errno; -ENOSYS: the service has no such method; -EMSGSIZE: it takes no such length.
 */
int client_call(struct client *c, const char *method, const ProtobufCMessage *args, int fd,
		__u64 *out);

/**
 * client_wait - wait for the reply to a request
 * @c:		the connection
 * @request:	which; 0: any, which @other is told of
 * @r:		the reply
 * @timeout_ms:	-1 = for ever
 *
 * Return: 0, -ETIMEDOUT; -EINTR: the user wants to stop; -ECONNRESET: the service is gone;
 * -EPROTO: what came is no reply; -errno.
 */
int client_wait(struct client *c, __u64 request, struct client_reply *r, int timeout_ms);

/** client_ask - both; -EREMOTEIO: it was refused, see @r */
int client_ask(struct client *c, const char *method, const ProtobufCMessage *args,
	       struct client_reply *r);

#endif
