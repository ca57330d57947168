/* SPDX-License-Identifier: GPL-2.0 */
/*
 * connection.h - one connection: frames in, replies out
 *
 *   connected --connection_drop(), or the other side--> dropped --next turn of the loop--> gone
 *
 * A peer that was dropped stays in memory until nobody can be in the middle of a call with it.
 * Nothing blocks: what cannot be sent yet is queued, and a peer with too much of it is dropped.
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

/* A call that can be answered: now, later, several times, or not at all. */
struct call {
	bool is_open;
	uint64_t request;
};

/* One method of a port. @request is checked and unpacked. */
struct method {
	const char *name;
	const ProtobufCMessageDescriptor *request;
	void (*invoke)(struct connection *p, struct call *call, const void *request);
};

#define PORT_METHOD_MAX 24

/* What a socket offers: methods in the order of their ids, from 1 on. */
struct port {
	const char *name;
	const struct method *methods;
	uint32_t method_nr;
	/* The connection ends: @p->end is freed. */
	void (*close)(struct connection *p);
	/* There is room again in the queue. NULL: nobody asks. */
	void (*drained)(struct connection *p);
	size_t queue_max;
	/* A call that takes long is of no use when who called has gone. */
	bool calls_for_itself;
	/* Anybody may connect: not while too many who were refused wait to be closed. */
	bool is_public;
};

struct reply {
	TAILQ_ENTRY(reply) link;
	int fd;			/* goes with the first byte, -1: none */
	size_t size;
	size_t sent;
	uint8_t bytes[];
};

/* All that are connected. What they need of the service is set by who calls connections_init(). */
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
	struct ucred cred;	/* as the kernel says */
	struct user *user;
	bool is_dropped;
	bool is_writing;	/* waits until the socket takes more */
	bool is_paused;		/* what it calls waits */
	struct timer turn;	/* set: it has had its turn, and frames are left */
	struct timer room;	/* set: it has sent a descriptor that there is no room for */
	struct loop_source source;
	struct frames frames;
	size_t left;		/* bytes of memory that frames take between turns */
	int received_fd;	/* came with the latest bytes, -1: none */
	TAILQ_HEAD(reply_list, reply) replies;
	size_t queued;		/* bytes */
	bool is_answering;	/* one answer in parts: it is queued whole, however long it is */
};

void connections_init(struct connections *all, struct service *s, struct loop *loop,
		      struct timers *timers);
/* Drops and frees them all. */
void connections_exit(struct connections *all);

/* Takes @fd. Return: 0, -EUSERS (its user has too many), or another -errno; then @fd is closed. */
int connection_open(struct connections *all, const struct port *port, int fd);
void connection_drop(struct connection *p);
/* In a call: those that come after it wait until connection_resume(). */
void connection_pause(struct connection *p);
void connection_resume(struct connection *p);
/*
 * Answers @call. @reply: NULL says that the call failed. @has_more: more replies follow.
 * @fd: stays the caller's. Return: whether it was sent or queued.
 */
bool connection_reply_fd(struct connection *p, struct call *call, const ProtobufCMessage *reply,
			 bool has_more,
			 int fd);
bool connection_reply(struct connection *p, struct call *call, const ProtobufCMessage *reply);
bool connection_stream(struct connection *p, struct call *call, const ProtobufCMessage *reply,
		       bool has_more);
void connection_reject(struct connection *p, struct call *call);
/* Tells it of what it did not ask for: in Perfetto's protocol, an error of no request. */
void connection_complain(struct connection *p, const char *error);
/* The descriptor that came with the call, which is the caller's then; -1: none. */
int connection_take_fd(struct connection *p);
/* Such a one that is not used: that may take its file system long. */
void connection_close_fd(struct connection *p, int fd);

#endif
