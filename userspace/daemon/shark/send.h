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
 * struct sender - sends chunks while a recording runs
 * @disk:	files; under @disk_lock
 * @disk_lock:	one chunk at a time is written
 * @udp:	packets; under @udp_lock
 * @udp_lock:	one chunk at a time is sent: packets of several do not mix
 * @listen_fd:	socket for programs that want to send chunks, -1 = none
 * @lock:	protects the following members
 * @is_less:	signalled when a connection ends
 * @connections: programs being served, a thread each
 * @nr:		number of @connections
 * @kernel_fd:	source of the kernel's chunks, -1 = none
 * @kernel:	thread that serves @kernel_fd
 * @stop_fd:	readable: that thread ends when nothing is queued
 * @written:	chunks in files
 * @sent:	chunks sent as packets
 * @failed:	chunks that could not be sent
 * @until_ns:	after an interruption at the end: time when waiting ends; otherwise 0
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

/* Options of a sender from the command line */
struct sender_options {
	const char *files;	/* folder/[name]; NULL = beside the recording, as programs say */
	const char *target;	/* of packets; NULL = as programs say */
	__u32 mode;		/* of files, 0 = default */
	__u64 min_free;		/* bytes to leave free in their file system, as in struct options */
};

/**
 * sender_open - accept requests from programs of this session
 * @s:		the sender
 * @o:		its options
 * @beside:	the recording's file
 * @session:	value of KTRACE_SESSION
 *
 * Reports errors; the recording works without a sender. Creates no thread yet.
 */
void sender_open(struct sender *s, const struct sender_options *o, const char *beside,
		 const char *session);

/**
 * sender_begin - accept requests from the kernel as well, if it allows that
 * @s:		the sender
 * @o:		if an option was given, reports that the kernel refuses
 * @has_kernel:	the recording has kernel events
 *
 * Called after the command has been forked: there are threads from now on.
 */
void sender_begin(struct sender *s, const struct sender_options *o, bool has_kernel);

/**
 * sender_accept - accept waiting connections, at most @max
 *
 * Return: 0, or why there are no more: -EAGAIN none is waiting, -EMFILE and others as accept(2).
 */
int sender_accept(struct sender *s, unsigned int max);

/**
 * sender_close - send all queued chunks, and end
 *
 * A blocked signal that would end ktraced cuts this short; then a thread may be left that still
 * uses @s.
 */
void sender_close(struct sender *s);

/* One chunk; errors are reported with @who. Return: 0 or -errno. */
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
