/* SPDX-License-Identifier: GPL-2.0 */
/* send.h - sends chunks of S.Ha.R.K. for programs, and for the kernel */
#ifndef KTRACED_SHARK_SEND_H
#define KTRACED_SHARK_SEND_H

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "send_disk.h"
#include "send_udp.h"

struct connection;

/**
 * struct sender - what is sent while a recording runs
 * @disk:	files; under @disk_lock
 * @disk_lock:	one chunk at a time is written
 * @udp:	packets; under @udp_lock
 * @udp_lock:	one chunk at a time is sent: packets of several do not mix
 * @listen_fd:	who wants a chunk to be sent connects here, -1 = there is no such port
 * @lock:	for what follows
 * @is_less:	signalled when a connection is over
 * @connections: programs being served, a thread each
 * @nr:		how many
 * @kernel_fd:	the kernel's chunks come from here, -1 = they do not
 * @kernel:	thread that serves it
 * @stop_fd:	readable: that thread is to end when nothing is queued
 * @written:	chunks in files
 * @sent:	chunks sent as packets
 * @failed:	chunks that could not be sent
 * @until_ns:	at the end, when it was interrupted: nobody is waited for any longer; else 0
 */
struct sender {
	struct disk disk;
	pthread_mutex_t disk_lock;
	struct udp udp;
	pthread_mutex_t udp_lock;
	int listen_fd;
	pthread_mutex_t lock;
	pthread_cond_t is_less;
	struct connection *connections;
	unsigned int nr;
	int kernel_fd;
	pthread_t kernel;
	int stop_fd;
	atomic_uint written;
	atomic_uint sent;
	atomic_uint failed;
	__u64 until_ns;
};

/* What a sender is told on the command line */
struct sender_options {
	const char *files;	/* folder/[name]; NULL = beside the recording, as programs say */
	const char *target;	/* of packets; NULL = as programs say */
	__u32 mode;		/* of files, 0 = the usual one */
	__u64 min_free;		/* bytes that their file system keeps, as in struct options */
};

/**
 * sender_open - be there for programs of this session
 * @s:		the sender
 * @o:		what was asked for
 * @beside:	the recording's file
 * @session:	value of KTRACE_SESSION
 *
 * The rest works without: what is wrong is said. No thread is made yet.
 */
void sender_open(struct sender *s, const struct sender_options *o, const char *beside,
		 const char *session);

/**
 * sender_begin - be there for the kernel as well, if it lets us
 * @s:		the sender
 * @o:		if anything was asked for, it is said that the kernel does not let us
 * @has_kernel:	the recording has kernel events
 *
 * To be called when the command has been forked: there are threads from now on.
 */
void sender_begin(struct sender *s, const struct sender_options *o, bool has_kernel);

/**
 * sender_accept - somebody may have connected; takes @max at most
 *
 * Return: 0, or why there is no other one: -EAGAIN nobody waits, -EMFILE and others as accept(2).
 */
int sender_accept(struct sender *s, unsigned int max);

/**
 * sender_close - send what is queued, and end
 *
 * A signal of those that are blocked and would end ktraced ends it early; then a thread may be
 * left that still uses @s.
 */
void sender_close(struct sender *s);

/* One chunk; what is wrong is said, with @who. Return: 0, -errno. */
struct send_request {
	bool is_udp;
	__u32 chunk;
	const char *name;
	const char *local;
	const char *target;
	const char *who;
};
int sender_send(struct sender *s, const struct send_request *r, struct chunk *c,
		struct disk_done *done);

#endif
