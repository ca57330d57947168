// SPDX-License-Identifier: GPL-2.0
/*
 * send_udp.c - sends chunks of S.Ha.R.K. as UDP packets
 *
 * <linux/ktrace_shark.h> defines the packet. Numbers count the packets to a receiver, over all
 * chunks, so that it can detect lost ones. Receivers acknowledge nothing; but most machines
 * report a missing receiver as an error, which makes sending fail.
 */
#include "send_udp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <ktrace/packet.h>
#include <linux/ktrace_shark.h>

/* struct udp_target - a receiver, and the number of packets sent to it */
struct udp_target {
	struct udp_target *next;
	struct sockaddr_storage addr;
	__u32 number;
};

/*
 * Sends from port 20000 only if the program names a local address, and that port is neither taken
 * nor the target itself: a receiver on this machine needs it.
 */
static int open_socket(const char *local, const char *target)
{
	char any_port[KTRACE_SHARK_TEXT + 4] = ":0";
	int fd;

	if (!*local)
		return ktrace_packet_socket(any_port, target);
	fd = ktrace_packet_socket(local, target);
	if (fd != -EADDRINUSE)
		return fd;
	if (!strchr(local, ':'))
		snprintf(any_port, sizeof(any_port), "%s:0", local);
	return ktrace_packet_socket(any_port, target);
}

/* Finds the target by its binary address, as the text may be written in several ways. */
static struct udp_target *target_of(struct udp *u, int fd)
{
	struct udp_target *t = u->targets;
	struct sockaddr_storage addr = { 0 };
	socklen_t size = sizeof(addr);

	getpeername(fd, (struct sockaddr *)&addr, &size);
	while (t && memcmp(&t->addr, &addr, sizeof(addr)))
		t = t->next;
	if (t)
		return t;
	t = calloc(1, sizeof(*t));
	if (t) {
		t->addr = addr;
		t->next = u->targets;
		u->targets = t;
	}
	return t;
}

static int send_packet(struct udp_target *t, int fd, const unsigned char *slots, int events)
{
	const struct timespec pause = { .tv_nsec = KTRACE_SHARK_PACKET_PAUSE_MS * 1000000 };
	char packet[KTRACE_PACKET_SIZE];
	const size_t size = ktrace_packet_fill(packet, t->number + 1, slots, (size_t)events);
	socklen_t error_size = sizeof(int);
	int error = 0;

	while (send(fd, packet, size, 0) < 0)
		if (errno != EINTR)
			return -errno;
	t->number++;
	nanosleep(&pause, NULL);
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &error_size);
	return -error;
}

static int send_events(struct udp *u, struct udp_target *t, int fd, struct slots *slots,
		       __u32 *events)
{
	unsigned char events_of[KTRACE_SHARK_PACKET_EVENTS * CHUNK_SLOT];
	int nr, ret = 0;

	while (!ret) {
		nr = slots_next(slots, events_of, KTRACE_SHARK_PACKET_EVENTS);
		if (nr <= 0)
			return nr;
		ret = send_packet(t, fd, events_of, nr);
		if (ret)
			break;
		*events += (__u32)nr;
		u->packets++;
		if (atomic_load(&u->is_aborted))
			ret = -EINTR;
	}
	return ret;
}

int udp_send(struct udp *u, const char *local, const char *target, struct chunk *c,
	     __u32 *events)
{
	int fd = open_socket(local, u->target ? u->target : target), ret;
	struct udp_target *t;
	struct slots slots;

	*events = 0;
	if (fd < 0)
		return fd;
	t = target_of(u, fd);
	ret = t ? slots_init(&slots, c, &u->is_aborted) : -ENOMEM;
	if (!ret) {
		ret = send_events(u, t, fd, &slots, events);
		slots_exit(&slots);
	}
	close(fd);
	return ret;
}

void udp_exit(struct udp *u)
{
	struct udp_target *t;

	while ((t = u->targets)) {
		u->targets = t->next;
		free(t);
	}
}
