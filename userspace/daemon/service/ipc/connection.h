/* SPDX-License-Identifier: GPL-2.0 */
/*
 * connection.h - one connection: receives frames, sends replies
 *
 *   connected --connection_drop(), or the peer--> dropped --next turn of the loop--> freed
 *
 * A dropped peer stays in memory until no call with it can be in progress. Nothing blocks: bytes
 * that cannot be sent yet are queued, and a peer with too many is dropped.
 */
#ifndef KTRACED_SERVICE_IPC_CONNECTION_H
#define KTRACED_SERVICE_IPC_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <protobuf-c/protobuf-c.h>

#include "base/loop.h"
#include "base/timer.h"
#include "ipc_frame.h"

struct connection;
struct service;
struct user;

/* A call to be answered: now, later, several times, or not at all. */
struct call {
	bool is_open;
	uint64_t request;
};

/* A method of a port. @request was checked and unpacked; @p->end exists unless @needs_no_end. */
struct method {
	const char *name;
	const ProtobufCMessageDescriptor *request;
	void (*invoke)(struct connection *p, struct call *call, const void *request);
	bool needs_no_end;
};

#define PORT_METHOD_MAX 24

/* Methods of a socket, in the order of their ids, from 1 on. */
struct port {
	const char *name;
	const struct method *methods;
	uint32_t method_nr;
	/* Makes @p->end for the first call that needs it. NULL: another method does. */
	void (*open)(struct connection *p);
	/* Called when the connection ends: frees @p->end. */
	void (*close)(struct connection *p);
	/* Called when the queue has room again. NULL: not needed. */
	void (*drained)(struct connection *p);
	size_t queue_max;
	/* A long call is useless once its caller has gone. */
	bool calls_for_itself;
	/* Anybody may connect: pauses while too many refused connections wait to be closed. */
	bool is_public;
};

struct reply {
	TAILQ_ENTRY(reply) link;
	int fd;			/* sent with the first byte, -1 = none */
	size_t size;
	size_t sent;
	uint8_t bytes[];
};

/* All connections. The caller of connections_init() sets what they need of the service. */
struct connections {
	struct service *service;
	struct loop *loop;
	struct timers *timers;
	uid_t uid;		/* of the service */
	TAILQ_HEAD(connection_list, connection) connected;
	struct connection_list dropped;
	struct timer reaper;
	LIST_HEAD(, user) users;
};

struct connection {
	TAILQ_ENTRY(connection) link;
	struct connections *all;
	struct service *service;
	const struct port *port;
	void *end;		/* its producer or consumer, NULL: none yet */
	struct ucred cred;	/* from the kernel */
	struct user *user;
	bool is_dropped;
	bool is_writing;	/* waits until the socket takes more */
	bool is_paused;		/* its calls wait */
	struct timer turn;	/* set: frames are left after its turn */
	struct timer room;	/* set: there is no room for a descriptor it sent */
	struct loop_source source;
	struct frames frames;
	size_t left;		/* bytes of memory of frames between turns */
	int received_fd;	/* received with the latest bytes, -1 = none */
	TAILQ_HEAD(reply_list, reply) replies;
	size_t queued;		/* bytes */
	bool is_answering;	/* an answer in parts is queued as a whole, however long */
};

void connections_init(struct connections *all, struct service *s, struct loop *loop,
		      struct timers *timers);
/* Drops and frees all connections. */
void connections_exit(struct connections *all);

/*
 * Takes @fd. Return: 0, -EUSERS (its user has too many connections), or another -errno; then @fd
 * is closed.
 */
int connection_open(struct connections *all, const struct port *port, int fd);
void connection_drop(struct connection *p);
/* Called in a call: later calls wait until connection_resume(). */
void connection_pause(struct connection *p);
void connection_resume(struct connection *p);
/*
 * Answers @call. @reply: NULL tells that the call failed. @has_more: more replies follow.
 * @fd: stays the caller's. Return: true if it was sent or queued.
 */
bool connection_reply_fd(struct connection *p, struct call *call, const ProtobufCMessage *reply,
			 bool has_more,
			 int fd);
bool connection_reply(struct connection *p, struct call *call, const ProtobufCMessage *reply);
bool connection_stream(struct connection *p, struct call *call, const ProtobufCMessage *reply,
		       bool has_more);
/* Answers with a message that sets no field. */
void connection_done(struct connection *p, struct call *call);
void connection_reject(struct connection *p, struct call *call);
/* Sends an error that belongs to no request. */
void connection_complain(struct connection *p, const char *error);
/* Takes the descriptor sent with the call, -1: none. */
int connection_take_fd(struct connection *p);
/* Closes such a descriptor if unused, as its file system may take long. */
void connection_close_fd(struct connection *p, int fd);

#endif
