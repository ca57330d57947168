/* SPDX-License-Identifier: GPL-2.0 */
/*
 * client.h - a connection to ktraced --service, or to any service with its protocol
 *
 * Sends and receives without blocking; a wait for a reply also ends when the user wants to stop.
 * Replies to other requests than the awaited one go to a callback.
 */
#ifndef VIEWER_SESSION_CLIENT_H
#define VIEWER_SESSION_CLIENT_H

#include <ktrace/decode.h>
#include <protobuf-c/protobuf-c.h>

/** enum client_port - the role of a connection */
enum client_port { CLIENT_CONSUMER, CLIENT_PRODUCER };

/** Bytes for the text of an error from the service; longer texts are truncated */
#define CLIENT_ERROR 512u

/**
 * struct client_reply - what the service answered
 * @request:	the request that it answers
 * @is_good:	the request succeeded; otherwise @error may say why not
 * @has_more:	more replies to the same request follow
 * @data:	the packed message, valid until the next reply
 * @size:	bytes of @data
 * @error:	text of the error, "" = none
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
 * @fd:		the socket
 * @signal_fd:	becomes readable when the user wants to stop; -1 = not watched
 * @service:	id of the service
 * @last:	id of the last request
 * @methods:	reply of the service that lists the ids of its methods
 * @out:	bytes not yet sent
 * @in:		bytes received; starts with the last reply if @taken
 * @taken:	bytes of the last reply
 * @frame:	the last reply, unpacked
 * @other:	called for replies that no wait is for; returns 0, -errno
 * @arg:	for @other
 * @reason:	why client_open() failed, where an errno cannot tell; else ""
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
 * client_open - connect to the service
 * @c:		the connection, to be closed in any case
 * @port:	which socket of the service
 * @name:	name of the socket, "@name" = an abstract one; NULL = client_socket()
 *
 * Refuses a listener that is neither root nor the caller, except in root's /run/perfetto.
 *
 * Return: 0, -errno; -EPERM: refused, @c->reason says who listens; -EPROTO: the listener does not
 * speak the protocol.
 */
int client_open(struct client *c, enum client_port port, const char *name);
void client_close(struct client *c);
/** client_socket - name of the socket that client_open() uses by default */
const char *client_socket(enum client_port port);

/**
 * client_call - send a request
 * @c:		the connection
 * @method:	name of the method
 * @args:	its arguments
 * @fd:		a descriptor to pass along, -1 = none; stays the caller's
 * @out:	id of the request, NULL = no reply is wanted
 *
 * Return: 0, -errno; -ENOSYS: the service has no such method; -EMSGSIZE: the request is longer
 * than services accept.
 */
int client_call(struct client *c, const char *method, const ProtobufCMessage *args, int fd,
		__u64 *out);

/**
 * client_wait - wait for the reply to a request
 * @c:		the connection
 * @request:	the request; 0: any reply ends the wait, after @other was called with it
 * @r:		the reply
 * @timeout_ms:	-1 = for ever
 *
 * Return: 0, -ETIMEDOUT; -EINTR: the user wants to stop; -ECONNRESET: the service is gone;
 * -EPROTO: the frame received is not a reply; -errno.
 */
int client_wait(struct client *c, __u64 request, struct client_reply *r, int timeout_ms);

/** client_ask - client_call() and client_wait(); -EREMOTEIO: refused, see @r */
int client_ask(struct client *c, const char *method, const ProtobufCMessage *args,
	       struct client_reply *r);

#endif
